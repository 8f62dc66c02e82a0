/* book.h - which folder is the user's price book. */
#ifndef STOW_CLI_BOOK_H
#define STOW_CLI_BOOK_H

#include "cli/cli.h"
#include "cli/text.h"

/* `option` (of --book, or NULL), else STOWAGE_BOOK, else the user's data folder.
 * 1: `ret` holds the folder's name, ended by NUL; 0: no book is wanted ("none") or there is no
 * place for one. */
int stow_cli_book_folder(const char *option, struct stow_cli_buf *ret, struct stow_err *err);

#endif
