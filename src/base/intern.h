/* intern.h - equal texts and equal byte strings become one small number. */
#ifndef STOW_BASE_INTERN_H
#define STOW_BASE_INTERN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* Handles; 0 is always the empty text and the empty blob. */
typedef uint32_t stow_sym;
typedef uint32_t stow_blob;

struct stow_interned;

/* Open addressing over the entries; zeroed is a valid empty table. */
struct stow_intern {
    struct stow_arena bytes;
    struct stow_interned *entry;
    uint32_t entries, entry_cap;
    uint32_t *slot; /* entry number + 1, 0 = empty */
    uint32_t slots; /* a power of two, or 0 */
};

/* UINT32_MAX when out of memory. */
#define STOW_INTERN_FAILED UINT32_MAX

/* Texts: the stored copy is ended by NUL. */
stow_sym stow_intern_text(struct stow_intern *table, struct stow_str text);

/* The handle of a text that is there already, else STOW_INTERN_FAILED. */
stow_sym stow_intern_find(const struct stow_intern *table, struct stow_str text);

/* Byte strings: the stored copy is aligned to 8 bytes.  Structs stored this way
 * must have no padding, or equal ones would differ. */
stow_blob stow_intern_blob(struct stow_intern *table, const void *bytes, size_t len);

/* A table of its own with the same handles, whose bytes are borrowed from `from`: what is added to
 * one is not in the other.  STOW_ENOMEM: out of memory; `ret` is valid for done in any case. */
int stow_intern_fork(const struct stow_intern *from, struct stow_intern *ret);

struct stow_str stow_intern_get(const struct stow_intern *table, uint32_t handle);
void stow_intern_done(struct stow_intern *table);
size_t stow_intern_bytes(const struct stow_intern *table);

uint64_t stow_hash(const void *bytes, size_t len);

#endif
