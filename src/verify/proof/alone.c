/* alone.c - classes of pods of which a node holds at most one.
 *
 * Two pods can never share a node when they want the same host port or disk, or when one has a
 * required anti-affinity term that takes the other, over a label that the node carries.  A class is
 * alone when that is so for every two of its pods: every pod has a term over the same label that
 * takes all of them.  Whoever misses such a class only gets a larger set of patterns, never a wrong
 * proof. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/tally.h"
#include "place/filters/disks.h"
#include "place/filters/ports.h"
#include "place/rules.h"
#include "verify/proof/berths.h"

#define SPECS_MAX 32 /* different specs in one class: usually one */

static stow_pod_id pod_at(const struct stow_audit *a, const struct stow_told_class *class,
                          uint32_t i)
{
    return a->pod[class->pods.first + i];
}

/* ---- ports and disks --------------------------------------------------------------------- */

static bool specs_repel(const struct stow_audit *a, stow_spec_id one, stow_spec_id other)
{
    const struct stow_pod_spec *x = stow_spec(a->s, one), *y = stow_spec(a->s, other);

    return (stow_profile_has(a->profile, &stow_filter_node_ports) &&
            stow_ports_conflict(a->s, x, y)) ||
           (stow_profile_has(a->profile, &stow_filter_volume_restrictions) &&
            stow_disks_conflict(a->s, x, y));
}

static bool repel_on_node(const struct stow_audit *a, const struct stow_told_class *class)
{
    const struct stow_snapshot *s = a->s;
    stow_spec_id spec[SPECS_MAX];
    uint32_t specs = 0;

    for (uint32_t i = 0; i < class->pods.count; i++) {
        const stow_spec_id one = s->pod[pod_at(a, class, i)].spec;
        uint32_t at = 0;

        while (at < specs && spec[at] != one)
            at++;
        if (at < specs)
            continue;
        if (specs == SPECS_MAX)
            return false;
        spec[specs++] = one;
        for (uint32_t j = 0; j < specs; j++)
            if (!specs_repel(a, one, spec[j]))
                return false;
    }
    return true;
}

/* ---- anti-affinity ----------------------------------------------------------------------- */

/* Whether the clause takes every pod of the class. */
static bool takes_all(const struct stow_audit *a, const struct stow_tally *tally,
                      const struct stow_clause *clause, const struct stow_told_class *class)
{
    for (uint32_t i = 0; i < class->pods.count; i++) {
        const struct stow_pod *pod = &a->s->pod[pod_at(a, class, i)];

        if (!stow_clause_takes(tally, clause, pod->namespace, pod->labels))
            return false;
    }
    return true;
}

static int key_bit(struct stow_alone *alone, stow_sym key)
{
    uint32_t at = 0;

    while (at < alone->keys && alone->key[at] != key)
        at++;
    if (at == sizeof(alone->key) / sizeof(alone->key[0]))
        return -1;
    if (at == alone->keys)
        alone->key[alone->keys++] = key;
    return (int)at;
}

/* Clauses that were asked about already. */
struct asked {
    struct stow_clause clause;
    bool all;
};

/* The labels over which a pod repels every pod of its class. */
static int keys_of_pod(struct stow_audit *a, struct stow_alone *alone,
                       const struct stow_told_class *class, const struct stow_pod *pod,
                       struct asked *asked, uint64_t *ret)
{
    uint32_t count;
    const struct stow_pod_term *term =
        STOW_LIST(a->s, stow_spec(a->s, pod->spec)->anti_required, struct stow_pod_term, &count);

    *ret = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct stow_clause clause;
        const int bit = key_bit(alone, term[i].topology_key);

        memset(&clause, 0, sizeof(clause));
        STOW_TRY(stow_clause_of_term(alone->tally, &term[i], pod->namespace,
                                     stow_unmerged_labels(pod), &clause));
        if (memcmp(&clause, &asked->clause, sizeof(clause)) != 0)
            *asked = (struct asked){clause, takes_all(a, alone->tally, &clause, class)};
        if (bit >= 0 && asked->all)
            *ret |= UINT64_C(1) << bit;
    }
    return STOW_OK;
}

static int keys_of_class(struct stow_audit *a, struct stow_alone *alone,
                         const struct stow_told_class *class, uint64_t *ret)
{
    struct asked asked;

    memset(&asked, 0xff, sizeof(asked)); /* no clause looks so */
    asked.all = false;
    *ret = UINT64_MAX >> 1;
    for (uint32_t i = 0; i < class->pods.count && *ret; i++) {
        uint64_t keys;

        STOW_TRY(keys_of_pod(a, alone, class, &a->s->pod[pod_at(a, class, i)], &asked, &keys));
        *ret &= keys;
    }
    return STOW_OK;
}

int stow_alone_class(struct stow_audit *a, struct stow_alone *alone,
                     const struct stow_told_class *class, uint64_t *ret_keys)
{
    *ret_keys = 0;
    if (class->pods.count == 0)
        return STOW_OK;
    if (repel_on_node(a, class)) {
        *ret_keys = STOW_ALONE_ANYWHERE;
        return STOW_OK;
    }
    if (!stow_profile_has(a->profile, &stow_filter_inter_pod_affinity))
        return STOW_OK;
    return keys_of_class(a, alone, class, ret_keys);
}
