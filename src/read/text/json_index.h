/* json_index.h - simdjson's structural index behind a C interface. */
#ifndef STOW_READ_TEXT_JSON_INDEX_H
#define STOW_READ_TEXT_JSON_INDEX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stow_json_index;

enum stow_json_result {
    STOW_JSON_OK,
    STOW_JSON_NO_MEMORY,
    STOW_JSON_TOO_LARGE,
    STOW_JSON_BAD_TEXT, /* invalid UTF-8, a control character in a string, an open string */
};

/* Finds the offset of every token of `text`, which must have 64 readable bytes after it.  Makes
 * the index if it is NULL, else uses it again; the caller frees it whatever the result is. */
enum stow_json_result stow_json_index_build(const char *text, size_t len,
                                            struct stow_json_index **index);
const uint32_t *stow_json_index_tokens(const struct stow_json_index *index, uint32_t *ret_count);
void stow_json_index_free(struct stow_json_index *index);

#ifdef __cplusplus
}
#endif
#endif
