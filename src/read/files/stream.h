/* stream.h - the bytes of a file in memory, decompressed as they are asked for. */
#ifndef STOW_READ_FILES_STREAM_H
#define STOW_READ_FILES_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zlib.h>

#include <stowage/error.h>

struct stow_stream {
    const char *name; /* of the file, for messages */
    const unsigned char *at;
    size_t left;
    bool gzip, ended; /* ended: the last gzip member is complete */
    uint64_t made, limit;
    z_stream z;
};

/* Starts at the first byte; `bytes` and `name` must outlive the stream.  What starts with the two
 * bytes that all gzip data starts with is decompressed, whatever the file is called.  `ret` is
 * valid for stow_stream_done in any case. */
int stow_stream_open(struct stow_stream *ret, const char *name, const void *bytes, size_t len,
                     struct stow_err *err);

/* The next `want` bytes; fewer only at the end. */
int stow_stream_read(struct stow_stream *s, void *to, size_t want, size_t *ret_got,
                     struct stow_err *err);
void stow_stream_done(struct stow_stream *s);

bool stow_is_gzip(const void *bytes, size_t len);

#endif
