/* store.h - the price book of a user: a folder with three CSV files.
 *
 *     prices.csv         our own form: provider,region,zone,instance_type,os,...
 *     nodes.csv          prices of single nodes
 *     interruptions.csv  interruption rates and savings
 *
 * A file that is not there is an empty one.  Each is replaced in one step; who writes
 * holds a lock, who reads needs none. */
#ifndef STOW_PRICE_STORE_H
#define STOW_PRICE_STORE_H

#include <stowage/error.h>

#include "base/str.h"
#include "model/book.h"
#include "price/import.h"

#define STOW_STORE_WAIT 10 /* seconds to wait for another writer */

/* Where the book is: `option` (of --book, or NULL), else STOWAGE_BOOK, else the user's data folder.
 * 1: `ret` holds the folder's name, ended by NUL; 0: no book is wanted ("none") or there is no
 * place for one. */
int stow_store_folder(const char *option, struct stow_buf *ret, struct stow_err *err);

/* Reads the folder into an empty book.  A row that cannot be read is damage: STOW_EPARSE with file
 * and line. */
int stow_store_load(const char *dir, struct stow_book *ret, struct stow_err *err);

/* Adds what was imported and writes the files that change.  Of two prices of the same offering,
 * currency and time the one imported last stands.  Fills in the counts of the import's files. */
int stow_store_merge(const char *dir, struct stow_import *import, int wait_seconds,
                     struct stow_err *err);

#endif
