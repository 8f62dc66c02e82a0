/* karpenter.h - what the readers of Karpenter's kinds share (karpenter_parts.c). */
#ifndef STOW_READ_KINDS_KARPENTER_H
#define STOW_READ_KINDS_KARPENTER_H

#include "model/karpenter/pool.h"
#include "read/kinds/reader.h"

/* Requirements of a pool, claim or overlay: each is checked by the rules of the API server. */
int stow_read_pool_requirements(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);

/* Hours, minutes and seconds: "1h30m"; and `Never`, where it is allowed. */
int stow_read_pool_time(struct stow_cursor *c, struct stow_reader *r, bool may_be_never,
                        struct stow_pool_time *ret);

/* {group, kind, name}, or v1beta1's {apiVersion, kind, name}. */
int stow_read_class_ref(struct stow_cursor *c, struct stow_reader *r, struct stow_class_ref *ret);

/* kubelet settings; the fields of all providers. */
int stow_read_kubelet(struct stow_cursor *c, struct stow_reader *r, struct stow_kubelet *ret);

#endif
