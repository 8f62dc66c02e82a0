/* vec.h - growing arrays: three fields in the owner, one function to grow them.
 *
 *     struct stow_pod *pod; uint32_t pods, pod_cap;
 *     struct stow_pod *made = STOW_PUSH(&o->pod, &o->pods, &o->pod_cap);
 *     if (!made) return stow_fail_memory(err);
 *
 * The new element is cleared.  NULL: out of memory, nothing changed. */
#ifndef STOW_BASE_VEC_H
#define STOW_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>

void *stow_vec_push(void *items, uint32_t *count, uint32_t *cap, size_t size);

/* Makes room for at least `need` elements in all; STOW_ENOMEM when there is no memory. */
int stow_vec_reserve(void *items, uint32_t *cap, uint32_t need, size_t size);

#define STOW_PUSH(items, count, cap) \
    ((__typeof__(*(items)))stow_vec_push((void *)(items), (count), (cap), sizeof(**(items))))

/* Cleanup for a local that owns malloc'ed memory: STOW_AUTO(stow_free_local) char *p = NULL; */
void stow_free_local(void *pointer_to_pointer);

/* Hands a local over: `*ret = stow_take(&local)`. */
#define stow_take(local)                    \
    __extension__({                         \
        __typeof__(*(local)) t_ = *(local); \
        *(local) = NULL;                    \
        t_;                                 \
    })

#endif
