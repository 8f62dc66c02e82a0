/* store.h - the price book of a user: a folder with CSV files.
 *
 *     prices.csv         our own form: provider,region,zone,instance_type,os,...
 *     nodes.csv          prices of single nodes
 *     interruptions.csv  interruption rates and savings
 *
 * A file that is not there is an empty one.  All are replaced in one step; who writes
 * holds a lock, who reads needs none. */
#ifndef STOW_PRICE_STORE_STORE_H
#define STOW_PRICE_STORE_STORE_H

#include <stowage/error.h>

#include "base/str.h"
#include "model/prices/book.h"
#include "price/importers/import.h"

#define STOW_STORE_WAIT 10 /* seconds to wait for another writer */

/* Reads the folder into an empty book.  A row that cannot be read is damage: STOW_EPARSE with file
 * and line. */
int stow_store_load(const char *dir, struct stow_book *ret, struct stow_err *err);

/* Adds what was imported and writes the files that change.  Of two prices of the same offering,
 * currency and time the one imported last counts.  Fills in the counts of the import's files. */
int stow_store_merge(const char *dir, struct stow_import *import, int wait_seconds,
                     struct stow_err *err);

#endif
