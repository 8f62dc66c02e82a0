/* book.c - which folder is the user's price book.
 *
 * The environment is read here and nowhere in the library: a program that links the library passes
 * the folder. */
#include "cli/book.h"

#include <stdlib.h>
#include <string.h>

static int put_folder(struct stow_cli_buf *ret, const char *first, const char *rest,
                      struct stow_err *err)
{
    ret->len = 0;
    stow_cli_buf_text(ret, first);
    stow_cli_buf_text(ret, rest);
    stow_cli_buf_char(ret, '\0');
    if (ret->failed)
        return stow_fail_memory(err);
    ret->len--;
    return 1;
}

int stow_cli_book_folder(const char *option, struct stow_cli_buf *ret, struct stow_err *err)
{
    const char *asked = option ? option : getenv("STOWAGE_BOOK");
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

    if (asked && strcmp(asked, "none") == 0)
        return 0;
    if (asked && asked[0])
        return put_folder(ret, asked, "", err);
    if (data && data[0] == '/') /* relative ones do not count, says the XDG specification */
        return put_folder(ret, data, "/stowage", err);
    if (home && home[0])
        return put_folder(ret, home, "/.local/share/stowage", err);
    return 0;
}
