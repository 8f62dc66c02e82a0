/* resource.c - which resource names the scheduler knows.
 *
 * Core names are cpu, memory, ephemeral-storage and pods.  Scalars are huge pages,
 * attachable volumes, everything under kubernetes.io/ and extended names: a
 * qualified name with a domain that would still be one with "requests." in front.
 * Any other name (a bare "gpu") is dropped everywhere, as the scheduler does. */
#include <stdio.h>
#include <string.h>

#include "model/snapshot.h"
#include "model/values/quantity.h"
#include "model/values/syntax.h"

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

bool stow_resource_name_in_bytes(struct stow_str name)
{
    return stow_str_is(name, "memory") || stow_str_is(name, "ephemeral-storage") ||
           stow_str_starts(name, STOW_STR("hugepages-"));
}

bool stow_resource_in_bytes(const struct stow_snapshot *s, stow_resource_id resource)
{
    return stow_resource_name_in_bytes(stow_text(s, s->resource[resource]));
}

/* Whole units with the largest suffix that loses nothing. */
static void write_units(int64_t amount, int64_t base, const char *const *suffix,
                        char text[STOW_RESOURCE_TEXT])
{
    int unit = 0;

    for (; amount && amount % base == 0 && unit < 6; unit++)
        amount /= base;
    snprintf(text, STOW_RESOURCE_TEXT, "%lld%s", (long long)amount, suffix[unit]);
}

const char *stow_resource_text(struct stow_str resource, stow_i128 nano,
                               char text[STOW_RESOURCE_TEXT])
{
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    static const char *const decimal[] = {"", "k", "M", "G", "T", "P", "E"};
    char other[STOW_RESOURCE_TEXT];

    if (nano % 1000000000) {
        snprintf(text, STOW_RESOURCE_TEXT, "%lldm", (long long)stow_nano_milli(nano, NULL));
        return text;
    }

    int64_t amount = stow_nano_value(nano, NULL);

    snprintf(text, STOW_RESOURCE_TEXT, "%lld", (long long)amount);
    if (!stow_resource_name_in_bytes(resource))
        return text;
    write_units(amount, 1024, binary, text);
    write_units(amount, 1000, decimal, other);
    if (strlen(other) < strlen(text))
        memcpy(text, other, sizeof(other));
    return text;
}
