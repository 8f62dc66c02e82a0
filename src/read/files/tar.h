/* tar.h - the members of a tar archive, compressed or not, one after another. */
#ifndef STOW_READ_FILES_TAR_H
#define STOW_READ_FILES_TAR_H

#include "base/str.h"
#include "read/files/input.h"
#include "read/files/stream.h"

struct stow_tar {
    struct stow_stream in;
    struct stow_buf path; /* of the member, ended by NUL */
    uint64_t size, left;  /* of the member; what is not read yet, padding included */
};

/* Whether the bytes start like an archive. */
bool stow_tar_is(const void *bytes, size_t len);

/* Opens `bytes` when they are an archive: 1, else 0.  `bytes` and `name` must outlive it; `ret` is
 * valid for stow_tar_done in any case. */
int stow_tar_open(struct stow_tar *ret, const char *name, const void *bytes, size_t len,
                  struct stow_err *err);
void stow_tar_done(struct stow_tar *tar);

/* Goes to the next file (folders and links are passed over): 1, or 0 at the end. */
int stow_tar_next(struct stow_tar *tar, struct stow_err *err);

/* What the file holds, as it is; once. */
int stow_tar_read(struct stow_tar *tar, struct stow_input *ret, struct stow_err *err);

#endif
