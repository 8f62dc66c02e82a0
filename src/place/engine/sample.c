/* sample.c - decisions that need a look at pods on other nodes, about a few nodes only.
 *
 * Problem: rules over several nodes (spreading, affinity between pods) may change their answer
 * about every node with every pod placed, and asking them about 5,000 nodes takes longer
 * than everything else.
 *
 * Idea: they look at domains and at counts of pods on single nodes (outlook.h).  Nodes of one cell
 * (terrain.c) on which nothing is counted are the same to them, so the best of a cell on the
 * class's board stands for all of it, and its own points decide inside the cell.  Nodes on which
 * something is counted are *lone*: they are asked about one by one, and are left out of the maxima
 * of the board.  A zone of a thousand nodes becomes one question; a workload of 50 pods has 50 lone
 * nodes at most.
 *
 * The rules are asked in their usual form about this sample, in order of ids.  The smallest and the
 * largest points, by which scorers normalise, are those of all candidates; what depends on
 * how many candidates there are is told the number (`sample` of rule.h).
 *
 * What cannot be said so is surveyed node by node (survey.c): a counter with very many nodes, a
 * label with very many values, nodes that lack one, scorers of static scope whose points differ.
 *
 * Invariant, checked by property tests: the choice equals stow_judge's.
 *
 * Cost per decision: cells + lone nodes, times the rules over several nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/tally.h"
#include "place/engine/engine_internal.h"
#include "place/judge.h"

/* ---- what may be asked so ---------------------------------------------------------------- */

/* false: a rule in force cannot say what it looks at. */
static bool look_out(const struct stow_class *c, struct stow_outlook *to)
{
    for (uint32_t i = 0; i < c->profile->filters; i++) {
        const struct stow_filter_rule *rule = c->profile->filter[i].rule;

        if (rule->scope == STOW_SCOPE_CLUSTER && c->filter_prep[i] &&
            !(rule->outlook && rule->outlook(c->filter_prep[i], to)))
            return false;
    }
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        const struct stow_scorer_rule *rule = c->profile->scorer[i].rule;

        if (!stow_is_surveyed(rule) || c->skipped[i])
            continue;
        if (!c->ranking->whole || !rule->outlook || !rule->outlook(c->scorer_prep[i], to))
            return false;
    }
    return !to->beyond;
}

/* 1: all topologies are those of cells; 0: one cannot be. */
static int show_all(struct stow_engine *e, struct stow_class *c, const struct stow_outlook *outlook)
{
    for (uint32_t i = 0; i < outlook->topologies; i++) {
        int shown = stow_terrain_show(e, c->ranking, outlook->topology[i]);

        if (shown != 1)
            return shown;
    }
    return 1;
}

/* ---- lone nodes -------------------------------------------------------------------------- */

static int compare_lone(const void *a, const void *b)
{
    const struct stow_lone *x = a, *y = b;

    return (x->node > y->node) - (x->node < y->node);
}

/* Into a list of `count` in order of ids that has room; returns where. */
static uint32_t insert(struct stow_lone *list, uint32_t count, struct stow_lone made)
{
    uint32_t at = count;

    for (; at > 0 && list[at - 1].node > made.node; at--)
        list[at] = list[at - 1];
    list[at] = made;
    return at;
}

static int add_lone(struct stow_engine *e, struct stow_class *c, stow_node_id node)
{
    const struct stow_lone made = {.node = node, .key = STOW_BOARD_LOWEST};

    if (c->lones && bsearch(&made, c->lone, c->lones, sizeof(made), compare_lone))
        return STOW_OK;
    if (stow_vec_reserve(&c->lone, &c->lone_cap, c->lones + 1, sizeof(*c->lone)) < 0)
        return STOW_ENOMEM;
    stow_class_isolate(e, c, &c->lone[insert(c->lone, c->lones, made)]);
    c->lones++;
    return STOW_OK;
}

/* How many nodes of a counter are lone already. */
static uint32_t *taken_of(struct stow_class *c, const struct stow_counter *counter)
{
    for (uint32_t i = 0; i < c->watches; i++)
        if (c->watch[i].counter == counter)
            return &c->watch[i].taken;

    struct stow_class_watch *made = STOW_PUSH(&c->watch, &c->watches, &c->watch_cap);

    if (!made)
        return NULL;
    made->counter = counter;
    return &made->taken;
}

static int take_lones(struct stow_engine *e, struct stow_class *c,
                      const struct stow_outlook *outlook)
{
    for (uint32_t i = 0; i < outlook->counters; i++) {
        const struct stow_counter *counter = outlook->counter[i];
        uint32_t *taken = taken_of(c, counter);

        if (!taken)
            return STOW_ENOMEM;
        for (; *taken < counter->busy_count; ++*taken)
            STOW_TRY(add_lone(e, c, counter->busy[*taken] - 1)); /* node i is domain i + 1 */
    }
    return STOW_OK;
}

/* ---- the sample -------------------------------------------------------------------------- */

/* The best of every cell, and how many candidates of it are not lone. */
static uint32_t list_cells(struct stow_engine *e, const struct stow_class *c)
{
    const struct stow_ranking *r = c->ranking;
    uint32_t found = 0;

    memcpy(e->cell_count, c->alive, r->cells * sizeof(*e->cell_count));
    for (uint32_t i = 0; i < c->lones; i++)
        e->cell_count[r->cell_of[c->lone[i].node]] -= c->lone[i].key != STOW_BOARD_LOWEST;
    for (uint32_t i = 0; i < r->cells; i++) {
        uint32_t place = e->cell_count[i]
                             ? stow_board_best(&c->board, r->first_block[i], r->first_block[i + 1])
                             : UINT32_MAX;

        if (place != UINT32_MAX)
            insert(e->cell_best, found++,
                   (struct stow_lone){
                       .node = r->node_at[place],
                       .key = stow_board_key(&c->board, stow_board_slot(c->board.wide, place)),
                       .stands_for = e->cell_count[i],
                   });
    }
    return found;
}

/* Both lists into one, in order of ids. */
static void list_sample(struct stow_engine *e, const struct stow_class *c)
{
    const uint32_t cells = list_cells(e, c);
    uint32_t lone = 0, cell = 0;

    e->samples = 0;
    while (lone < c->lones || cell < cells) {
        const struct stow_lone *next =
            cell == cells || (lone < c->lones && c->lone[lone].node < e->cell_best[cell].node)
                ? &c->lone[lone++]
                : &e->cell_best[cell++];

        if (next->key != STOW_BOARD_LOWEST)
            e->sample[e->samples++] = *next;
    }
}

static void name_nodes(struct stow_engine *e)
{
    for (uint32_t i = 0; i < e->samples; i++)
        e->list[i] = e->sample[i].node;
}

/* Keeps what rules over several nodes let pass; counts the candidates. */
static void filter_sample(struct stow_engine *e, const struct stow_class *c)
{
    uint32_t kept = 0;

    name_nodes(e);
    memset(e->fits, 1, e->samples);
    stow_class_ask_filters(e, c, STOW_SCOPE_CLUSTER, e->list, e->samples);
    e->sampled = 0;
    for (uint32_t i = 0; i < e->samples; i++) {
        if (!e->fits[i])
            continue;
        e->sampled += e->sample[i].stands_for ? e->sample[i].stands_for : 1;
        e->sample[kept++] = e->sample[i];
    }
    if (kept < e->samples) {
        e->samples = kept;
        name_nodes(e);
    }
}

/* ---- scores ------------------------------------------------------------------------------ */

/* column[] = the normalised scores of one scorer over the sample. */
static void score(struct stow_engine *e, const struct stow_class *c, uint32_t scorer)
{
    const struct stow_profile_scorer *f = &c->profile->scorer[scorer];
    const void *prep = c->scorer_prep[scorer];

    if (f->rule->sample)
        f->rule->sample(f->self, prep, e->state, &c->pod, e->list, e->samples, e->sampled,
                        e->column);
    else
        f->rule->score(f->self, prep, e->state, &c->pod, e->list, e->samples, e->column);
    if (f->rule->normalise)
        f->rule->normalise(f->self, prep, e->state, &c->pod, e->list, e->samples, e->column);
}

/* The points that come on top of the own ones; whole numbers, or none at all. */
static void add_scores(struct stow_engine *e, const struct stow_class *c)
{
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        const struct stow_profile_scorer *f = &c->profile->scorer[i];

        if (!stow_is_surveyed(f->rule) || c->skipped[i])
            continue;
        score(e, c, i);
        for (uint32_t n = 0; n < e->samples; n++)
            e->sample[n].key += (int64_t)(f->weight * e->column[n]);
    }
}

static void choose(struct stow_engine *e, const struct stow_class *c, struct stow_choice *ret)
{
    const uint32_t *tie_of = c->ranking->tie_of;
    const struct stow_lone *best = e->sample;

    for (uint32_t i = 1; i < e->samples; i++) {
        const struct stow_lone *next = &e->sample[i];

        if (next->key > best->key ||
            (next->key == best->key && tie_of[next->node] < tie_of[best->node]))
            best = next;
    }
    ret->node = best->node;
    ret->total = stow_class_points(e, c, best->key, best->node);
}

/* ---- deciding ---------------------------------------------------------------------------- */

int stow_sample_decide(struct stow_engine *e, struct stow_class *c, struct stow_choice *ret)
{
    struct stow_outlook outlook = {.topologies = 0};
    int shown;

    c->sampled = false;
    if (c->dense)
        return 0;
    if (stow_class_has_grades(c) || !look_out(c, &outlook))
        return 0;
    shown = show_all(e, c, &outlook);
    STOW_TRY(shown);
    c->dense = !shown || c->lones > e->state->nodes / 4 + 16;
    if (c->dense)
        return 0;
    c->sampled = true;
    if (c->refused)
        return 1;
    STOW_TRY(take_lones(e, c, &outlook));
    STOW_TRY(stow_class_count(e, c));
    STOW_TRY(stow_class_refresh_board(e, c));
    list_sample(e, c);
    filter_sample(e, c);
    if (e->samples == 0)
        return 1;
    add_scores(e, c);
    choose(e, c, ret);
    return 1;
}

double stow_sample_component(struct stow_engine *e, const struct stow_class *c, uint32_t scorer,
                             stow_node_id node)
{
    score(e, c, scorer);
    for (uint32_t i = 0; i < e->samples; i++)
        if (e->list[i] == node)
            return e->column[i];
    return 0;
}
