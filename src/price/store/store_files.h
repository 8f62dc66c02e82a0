/* store_files.h - the files of a book folder: how they are read and written. */
#ifndef STOW_PRICE_STORE_STORE_FILES_H
#define STOW_PRICE_STORE_STORE_FILES_H

#include "price/importers/import.h"

enum stow_book_file {
    STOW_FILE_PRICES,
    STOW_FILE_NODES,
    STOW_FILE_RISKS,
    STOW_BOOK_UNITS,
    STOW_FILES
};

struct stow_book_form {
    const char *name; /* of the file */
    const struct stow_importer *importer;
    const char *header;
    void (*write)(struct stow_buf *to, const struct stow_book *book, uint32_t row);
};

extern const struct stow_book_form stow_book_forms[STOW_FILES];

#endif
