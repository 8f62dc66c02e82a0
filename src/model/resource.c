/* resource.c - which resource names the scheduler knows.
 *
 * Core names are cpu, memory, ephemeral-storage and pods.  Scalars are huge pages,
 * attachable volumes, everything under kubernetes.io/ and extended names: a
 * qualified name with a domain that would still be one with "requests." in front.
 * Any other name (a bare "gpu") is dropped everywhere, as the scheduler does. */
#include "model/snapshot.h"

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Letters, digits and `extra` inside, letters and digits at both ends. */
static bool is_word(struct stow_str s, const char *extra)
{
    if (s.len == 0 || !is_alnum(s.ptr[0]) || !is_alnum(s.ptr[s.len - 1]))
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!is_alnum(s.ptr[i]) && (!s.ptr[i] || !strchr(extra, s.ptr[i])))
            return false;
    return true;
}

/* A DNS subdomain: lower-case words joined by dots. */
static bool is_domain(struct stow_str s)
{
    while (s.ptr) {
        struct stow_str rest, part = stow_str_cut(s, '.', &rest);

        if (!is_word(part, "-"))
            return false;
        for (size_t i = 0; i < part.len; i++)
            if (part.ptr[i] >= 'A' && part.ptr[i] <= 'Z')
                return false;
        s = rest;
    }
    return true;
}

static bool is_extended(struct stow_str name)
{
    static const struct stow_str quota = {"requests.", 9};
    struct stow_str local, domain = stow_str_cut(name, '/', &local);

    if (!local.ptr || stow_str_starts(name, quota) ||
        stow_str_contains(name, STOW_STR("kubernetes.io/")))
        return false;
    return domain.len + quota.len <= 253 && is_domain(domain) && local.len <= 63 &&
           is_word(local, "-_.");
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
