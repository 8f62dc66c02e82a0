/* resource.c - which resource names the scheduler knows.
 *
 * Core names are cpu, memory, ephemeral-storage and pods.  Scalars are huge pages,
 * attachable volumes, everything under kubernetes.io/ and extended names: a
 * qualified name with a domain that would still be one with "requests." in front.
 * Any other name (a bare "gpu") is dropped everywhere, as the scheduler does. */
#include "model/snapshot.h"
#include "model/syntax.h"

static bool is_extended(struct stow_str name)
{
    static const struct stow_str quota = {"requests.", 9};
    struct stow_str local, domain = stow_str_cut(name, '/', &local);

    if (!local.ptr || stow_str_starts(name, quota) ||
        stow_str_contains(name, STOW_STR("kubernetes.io/")))
        return false;
    return domain.len + quota.len <= 253 && stow_is_domain(domain) && local.len <= 63 &&
           stow_is_word(local, "-_.");
}

bool stow_resource_is_scalar(struct stow_str name)
{
    return stow_str_starts(name, STOW_STR("hugepages-")) ||
           stow_str_starts(name, STOW_STR("attachable-volumes-")) ||
           stow_str_contains(name, STOW_STR("kubernetes.io/")) || is_extended(name);
}

bool stow_resource_counts(struct stow_str name)
{
    return stow_str_is(name, "cpu") || stow_str_is(name, "memory") ||
           stow_str_is(name, "ephemeral-storage") || stow_str_is(name, "pods") ||
           stow_resource_is_scalar(name);
}

bool stow_resource_in_bytes(const struct stow_snapshot *s, stow_resource_id resource)
{
    return resource == STOW_RESOURCE_MEMORY || resource == STOW_RESOURCE_EPHEMERAL ||
           stow_str_starts(stow_text(s, s->resource[resource]), STOW_STR("hugepages-"));
}
