/* merge.c - fewer nodes for the same price.
 *
 * The search ends when the price is as low as it can be.  Two nodes and one of the same price are
 * not equal, though: each has its agents, its disk and its name.  So group by group, the cheapest
 * first, the nodes of a plan are poured into one of that group as long as they fit; if it weighs
 * no more than what was poured, it takes their place. */
#include "scale/cheapest/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct merging {
    const struct stow_session *session;
    const struct stow_yard *yard;
    const struct stow_formulate_options *options;
    const struct stow_sketch *from;
    uint32_t *into;       /* per node of the sketch: the first of those it is merged with */
    stow_group_id *group; /* per node of the sketch, of what it stands for now */
    uint32_t *more;       /* per group: nodes it gained */
    uint32_t *first;      /* per node, one more: its loads */
    int64_t *free;        /* per dimension */
    uint32_t *taken;      /* nodes poured */
    uint32_t takens, fewer;
};

static void merging_done(struct merging *m)
{
    free(m->into);
    free(m->group);
    free(m->more);
    free(m->first);
    free(m->free);
    free(m->taken);
}

static int open(struct merging *m)
{
    const struct stow_sketch *s = m->from;

    m->into = malloc((s->nodes + 1) * sizeof(*m->into));
    m->group = malloc((s->nodes + 1) * sizeof(*m->group));
    m->more = calloc(m->session->scale->s->groups + 1, sizeof(*m->more));
    m->first = calloc(s->nodes + 2, sizeof(*m->first));
    m->free = malloc((m->yard->dims + 1) * sizeof(*m->free));
    m->taken = malloc((s->nodes + 1) * sizeof(*m->taken));
    if (!m->into || !m->group || !m->more || !m->first || !m->free || !m->taken)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->nodes; i++) {
        m->into[i] = i;
        m->group[i] = s->node[i].group;
    }
    for (uint32_t i = 0; i < s->loads; i++)
        m->first[s->load[i].node + 1]++;
    for (uint32_t i = 0; i < s->nodes; i++)
        m->first[i + 1] += m->first[i];
    return STOW_OK;
}

/* ---- one group --------------------------------------------------------------------------- */

static bool is_for_sale(const struct merging *m, stow_group_id g)
{
    const struct stow_formulate_options *o = m->options;

    return stow_is_for_sale(o->price, g) && !(o->shut && o->shut[g]) &&
           m->session->scale->s->group[g].scaling != STOW_SCALING_ZERO_OR_MAX &&
           stow_session_room(m->session, g) > m->more[g];
}

/* A node whose pods may be moved elsewhere: still its own, and not of a group that must have it. */
static bool is_free(const struct merging *m, uint32_t node)
{
    const stow_group_id g = m->group[node];
    const struct stow_group *group = g == STOW_NONE ? NULL : &m->session->scale->s->group[g];

    return group && m->into[node] == node && !group->min_nodes &&
           group->scaling != STOW_SCALING_ZERO_OR_MAX;
}

/* Takes the pods of a node of the sketch off the room; false: they do not fit, nothing changes. */
static bool pour_one(struct merging *m, uint32_t node, stow_group_id into)
{
    const struct stow_yard *yard = m->yard;
    bool fits = true;

    for (uint32_t i = m->first[node]; i < m->first[node + 1]; i++) {
        const struct stow_sketch_load *load = &m->from->load[i];
        const struct stow_yard_class *class = &yard->class[load->class];

        fits &= class->on_group[into] != 0 &&
                stow_weights_allow(m->options->weights, load->class, into);
        for (uint32_t d = 0; d < yard->dims; d++) {
            m->free[d] -= class->need[d] * load->count;
            fits &= class->need[d] == 0 || m->free[d] >= 0;
        }
    }
    for (uint32_t i = m->first[node]; i < m->first[node + 1] && !fits; i++)
        for (uint32_t d = 0; d < yard->dims; d++)
            m->free[d] += yard->class[m->from->load[i].class].need[d] * m->from->load[i].count;
    return fits;
}

/* All that a node stands for: those merged into it come after it. */
static bool pour(struct merging *m, uint32_t node, stow_group_id into)
{
    for (uint32_t i = node; i < m->from->nodes; i++)
        if (m->into[i] == node && !pour_one(m, i, into)) {
            while (i-- > node)
                for (uint32_t k = m->first[i]; k < m->first[i + 1] && m->into[i] == node; k++)
                    for (uint32_t d = 0; d < m->yard->dims; d++)
                        m->free[d] +=
                            m->yard->class[m->from->load[k].class].need[d] * m->from->load[k].count;
            return false;
        }
    return true;
}

static void replace(struct merging *m, stow_group_id into)
{
    for (uint32_t i = 0; i < m->from->nodes; i++)
        for (uint32_t k = 0; k < m->takens; k++)
            if (m->into[i] == m->taken[k]) {
                m->into[i] = m->taken[0];
                break;
            }
    m->group[m->taken[0]] = into;
    m->more[into]++;
    m->fewer += m->takens - 1;
}

/* Pours what fits into one node of the group; true: it takes their place. */
static bool try_group(struct merging *m, stow_group_id into)
{
    stow_i128 weight = 0;

    m->takens = 0;
    memcpy(m->free, m->yard->group[into].room, m->yard->dims * sizeof(*m->free));
    for (uint32_t i = 0; i < m->from->nodes; i++)
        if (is_free(m, i) && m->group[i] != into && pour(m, i, into)) {
            m->taken[m->takens++] = i;
            weight += m->options->price[m->group[i]];
        }
    if (m->takens < 2 || weight < m->options->price[into])
        return false;
    replace(m, into);
    return true;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int write(const struct merging *m, struct stow_sketch *ret)
{
    for (uint32_t i = 0; i < m->from->nodes; i++) {
        if (m->into[i] != i)
            continue;
        STOW_TRY(stow_sketch_add_node(ret, m->group[i], m->from->node[i].there));
        for (uint32_t k = i; k < m->from->nodes; k++)
            for (uint32_t l = m->first[k]; l < m->first[k + 1] && m->into[k] == i; l++)
                STOW_TRY(stow_sketch_add_load(ret, m->from->load[l].class, m->from->load[l].count));
    }
    return STOW_OK;
}

int stow_sketch_merge(const struct stow_session *session,
                      const struct stow_formulate_options *options,
                      const struct stow_sketch *sketch, struct stow_sketch *ret,
                      uint32_t *ret_fewer)
{
    STOW_AUTO(merging_done)
    struct merging m = {
        .session = session, .yard = session->yard, .options = options, .from = sketch};

    STOW_TRY(open(&m));
    for (stow_group_id g = 0; g < session->scale->s->groups; g++)
        while (is_for_sale(&m, g) && try_group(&m, g))
            continue;
    *ret_fewer = m.fewer;
    return m.fewer ? write(&m, ret) : STOW_OK;
}
