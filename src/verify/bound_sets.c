/* bound_sets.c - groups that a group stands for in splits.
 *
 * "At most 25 nodes of this group" says nothing where another group has the same machines: it would
 * sell the others.  So a split may be about several groups together, of which the proof lists those
 * that a group stands for.  However these sets are chosen, the number of nodes that a plan buys of
 * one is at most n, or more: nothing about them has to be checked, but that every group is in one.
 */
#include <stdlib.h>

#include "verify/proof/bound.h"

static void add(struct stow_proving *p, stow_group_id to, const struct stow_told_text *name)
{
    const stow_group_id group = stow_audit_group(p->a, name->text);

    if (group == STOW_NONE)
        stow_audit_wrong(p->a, STOW_VERIFY_BOUND, name->token,
                         "there is no group %.*s in the input that could grow",
                         STOW_FMT(name->text));
    else if (group == to || p->leader[group] != group)
        stow_audit_wrong(p->a, STOW_VERIFY_BOUND, name->token, "group %.*s is in two sets",
                         STOW_FMT(name->text));
    else
        p->leader[group] = to;
}

int stow_proof_sets(struct stow_proving *p)
{
    const struct stow_told *told = &p->a->told;
    const uint32_t groups = p->a->s->groups;

    p->leader = calloc((size_t)groups + 1, sizeof(*p->leader));
    p->leads = calloc((size_t)groups + 1, sizeof(*p->leads));
    if (!p->leader || !p->leads)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < groups; g++)
        p->leader[g] = g;
    for (uint32_t i = 0; i < told->sets; i++) {
        const struct stow_told_set *set = &told->set[i];
        const stow_group_id group = stow_audit_group(p->a, set->group.text);

        if (group == STOW_NONE) {
            stow_audit_wrong(p->a, STOW_VERIFY_BOUND, set->group.token,
                             "there is no group %.*s in the input that could grow",
                             STOW_FMT(set->group.text));
            continue;
        }
        p->leads[group] |= set->others.count > 0;
        for (uint32_t n = 0; n < set->others.count; n++)
            add(p, group, &told->name[set->others.first + n]);
    }
    return STOW_OK;
}
