/* packing.c - plans as loads of nodes, and a check of all rules in exact integers. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"
#include "optimal/problem.h"

void stow_packing_done(struct stow_packing *p)
{
    free(p->load);
    free(p->term);
    memset(p, 0, sizeof(*p));
}

int stow_packing_add(struct stow_packing *p, uint32_t kind, uint32_t times,
                     const struct stow_term *term, uint32_t terms)
{
    if (stow_vec_reserve(&p->term, &p->term_cap, p->terms + terms + 1, sizeof(*p->term)) < 0)
        return STOW_ENOMEM;

    struct stow_load *load = STOW_PUSH(&p->load, &p->loads, &p->load_cap);

    if (!load)
        return STOW_ENOMEM;
    assert(p->terms + terms <= p->term_cap);
    *load = (struct stow_load){kind, times, p->terms, terms};
    if (terms)
        memcpy(p->term + p->terms, term, terms * sizeof(*term));
    p->terms += terms;
    return 0;
}

/* ---- checking -------------------------------------------------------------------------------- */

static int check_load(const struct stow_problem *p, const struct stow_packing *packing,
                      const struct stow_load *load, struct stow_err *err)
{
    const struct stow_problem_kind *kind = &p->kind[load->kind];
    const struct stow_term *term = packing->term + load->first;

    for (uint32_t i = 0; i < load->terms; i++) {
        const struct stow_problem_class *class = &p->class[term[i].class];

        if (!stow_problem_allows(kind, term[i].class))
            return stow_fail(err, STOW_EWRONG, "class %u may not be on kind %u", term[i].class,
                             load->kind);
        if (class->most && term[i].count > class->most)
            return stow_fail(err, STOW_EWRONG, "more than %u of class %u share a node", class->most,
                             term[i].class);
    }
    for (uint32_t d = 0; d < p->dims; d++) {
        stow_i128 used = 0;

        for (uint32_t i = 0; i < load->terms; i++)
            used += (stow_i128)p->class[term[i].class].need[d] * term[i].count;
        if (used > 0 && used > kind->capacity[d])
            return stow_fail(err, STOW_EWRONG, "a node of kind %u is too full", load->kind);
    }
    return 0;
}

static bool may_be(const struct stow_problem_kind *kind, uint64_t nodes)
{
    if (kind->at_once && nodes && nodes != kind->most)
        return false;
    return nodes >= kind->least && (kind->most == STOW_PROBLEM_UNLIMITED || nodes <= kind->most);
}

static int check_limits(const struct stow_problem *p, const uint64_t *nodes, struct stow_err *err)
{
    for (uint32_t g = 0; g < p->kinds; g++)
        if (!may_be(&p->kind[g], nodes[g]))
            return stow_fail(err, STOW_EWRONG, "%llu nodes of kind %u are outside its limits",
                             (unsigned long long)nodes[g], g);
    for (uint32_t r = 0; r < p->rows; r++) {
        stow_i128 sum = 0;

        for (uint32_t g = 0; g < p->kinds; g++)
            sum += (stow_i128)p->row[r].amount[g] * (stow_i128)nodes[g];
        if (sum > p->row[r].limit)
            return stow_fail(err, STOW_EWRONG, "limit %u is exceeded", r);
    }
    return 0;
}

static int count_up(const struct stow_problem *p, const struct stow_packing *packing,
                    uint64_t *nodes, uint64_t *placed, struct stow_err *err)
{
    for (uint32_t i = 0; i < packing->loads; i++) {
        const struct stow_load *load = &packing->load[i];

        if (load->kind >= p->kinds)
            return stow_fail(err, STOW_EWRONG, "there is no kind %u", load->kind);
        STOW_TRY(check_load(p, packing, load, err));
        nodes[load->kind] += load->times;
        for (uint32_t j = 0; j < load->terms; j++) {
            const struct stow_term *term = &packing->term[load->first + j];

            placed[term->class] += (uint64_t)term->count * load->times;
        }
    }
    for (uint32_t k = 0; k < p->classes; k++)
        if (placed[k] > p->class[k].count)
            return stow_fail(err, STOW_EWRONG, "more pods of class %u than there are", k);
    return check_limits(p, nodes, err);
}

int stow_packing_check(const struct stow_problem *p, const struct stow_packing *packing,
                       int64_t *ret_cost, uint32_t *ret_left, struct stow_err *err)
{
    STOW_AUTO(stow_free_local) uint64_t *nodes = calloc(p->kinds + 1, sizeof(*nodes));
    STOW_AUTO(stow_free_local) uint64_t *placed = calloc(p->classes + 1, sizeof(*placed));
    stow_i128 cost = 0;

    if (!nodes || !placed)
        return stow_fail_memory(err);
    STOW_TRY(count_up(p, packing, nodes, placed, err));
    for (uint32_t g = 0; g < p->kinds; g++)
        cost += (stow_i128)p->kind[g].price * (stow_i128)nodes[g];
    *ret_cost = cost > INT64_MAX ? INT64_MAX : (int64_t)cost;
    for (uint32_t k = 0; ret_left && k < p->classes; k++)
        ret_left[k] = p->class[k].count - (uint32_t)placed[k];
    return 0;
}
