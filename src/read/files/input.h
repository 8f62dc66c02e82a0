/* input.h - whole files in memory, with the padding the reader wants. */
#ifndef STOW_READ_FILES_INPUT_H
#define STOW_READ_FILES_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

/* Bytes that one input may have unless the caller says otherwise: a device has no end, and memory
 * has one. */
#define STOW_INPUT_MAX (UINT64_C(16) << 30)

struct stow_input {
    char *text; /* followed by STOW_TAPE_PADDING zero bytes */
    size_t len, mapped;
};

/* Reads a file or, for "-", standard input, as text (decode.h), of at most STOW_INPUT_MAX bytes. */
int stow_input_read(const char *path, struct stow_input *ret, struct stow_err *err);
void stow_input_done(struct stow_input *file);

/* A copy of what is in memory. */
int stow_input_copy(const char *text, size_t len, struct stow_input *ret, struct stow_err *err);

/* A file as it is, compressed or packed; STOW_ELIMIT when it has more than `max` bytes. */
int stow_input_bytes(const char *path, uint64_t max, struct stow_input *ret, struct stow_err *err);

/* The error of an input that has more than `max` bytes. */
int stow_input_fail_large(const char *name, uint64_t max, struct stow_err *err);

/* Returns `code`.  When it says that the text is malformed, and the text looks like a template of
 * Helm, the message says so, too, and how to give what it renders with `option`. */
int stow_input_explain(const struct stow_input *file, const char *option, int code,
                       struct stow_err *err);

#endif
