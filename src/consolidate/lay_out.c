/* lay_out.c - where every pod is to be, from the solver's answer.
 *
 * The answer says which nodes stay, and how many pods of a class each holds.  Two layouts are made
 * from it.  In the first, pods are as the answer has it: all that have to move leave their nodes at
 * once, so there is room for each where it is meant to be.  In the second, pods on nodes that stay
 * remain there whatever the answer says, and only the others are placed, if possible where the
 * answer wants pods of their class: fewer pods move, and it may cost more. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/solving.h"

/* How many pods of a load are on a node already. */
static uint32_t overlap(const struct stow_layout_solving *s, const struct stow_packing *plan,
                        const struct stow_load *load, uint32_t node)
{
    const struct stow_deck *deck = s->deck;
    uint32_t sum = 0;

    for (uint32_t t = 0; t < load->terms; t++) {
        const struct stow_term *term = &plan->term[load->first + t];
        uint32_t here = 0;

        for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod])
            here += s->yard->class_of[pod] == s->part[term->class].class;
        sum += here < term->count ? here : term->count;
    }
    return sum;
}

/* The node of a kind that has most of a load's pods, of those that have no load yet. */
static uint32_t pick_node(const struct stow_layout_solving *s, const struct stow_packing *plan,
                          const struct stow_load *load, const bool *taken)
{
    const struct stow_kind_source *kind = &s->problem.kind[load->kind];
    uint32_t best = STOW_NONE, most = 0;

    for (uint32_t i = 0; i < kind->nodes; i++) {
        const uint32_t node = kind->node[i];
        const uint32_t same = taken[node] ? 0 : overlap(s, plan, load, node);

        if (taken[node] || (best != STOW_NONE && same <= most))
            continue;
        best = node;
        most = same;
    }
    return best;
}

static void note_wants(struct stow_layout_solving *s, const struct stow_packing *plan,
                       const struct stow_load *load, uint32_t node)
{
    for (uint32_t t = 0; t < load->terms; t++)
        s->want[(size_t)node * s->parts + plan->term[load->first + t].class] +=
            plan->term[load->first + t].count;
}

static uint32_t count_nodes(const struct stow_packing *plan)
{
    uint32_t nodes = 0;

    for (uint32_t i = 0; i < plan->loads; i++)
        nodes += plan->load[i].times;
    return nodes;
}

/* Whether a node of this kind could have the load, too. */
static bool could_hold(const struct stow_layout_solving *s, const struct stow_packing *plan,
                       const struct stow_load *load, uint32_t kind)
{
    const struct stow_problem *problem = &s->problem.problem;

    for (uint32_t d = 0; d < problem->dims; d++) {
        stow_i128 need = 0;

        for (uint32_t t = 0; t < load->terms; t++) {
            const struct stow_term *term = &plan->term[load->first + t];

            need += (stow_i128)problem->class[term->class].need[d] * term->count;
        }
        if (need > 0 && need > problem->kind[kind].capacity[d])
            return false;
    }
    for (uint32_t t = 0; t < load->terms; t++)
        if (!stow_problem_allows(&problem->kind[kind], plan->term[load->first + t].class))
            return false;
    return true;
}

/* A node that would go, and costs no more than the new one that the answer wants: the solver does
 * not care which, pods do. */
static uint32_t reuse_node(const struct stow_layout_solving *s, const struct stow_packing *plan,
                           const struct stow_load *load, const bool *taken)
{
    const stow_nano price = s->c->group_price[s->problem.kind[load->kind].group];
    uint32_t best = STOW_NONE, most = 0;

    for (uint32_t node = 0; node < s->yard->real; node++) {
        uint32_t same;

        if (taken[node] || !s->deck->may_go[node] || s->deck->price[node] > price ||
            s->c->closed[node] || s->kind_of[node] == STOW_NONE ||
            !could_hold(s, plan, load, s->kind_of[node]))
            continue;
        same = overlap(s, plan, load, node);
        if (best != STOW_NONE && same <= most)
            continue;
        best = node;
        most = same;
    }
    return best;
}

static int lay_out_load(struct stow_layout_solving *s, const struct stow_packing *plan,
                        const struct stow_load *load, bool *taken)
{
    const stow_group_id group = s->problem.kind[load->kind].group;

    for (uint32_t n = 0; n < load->times; n++) {
        uint32_t node =
            group == STOW_NONE ? pick_node(s, plan, load, taken) : reuse_node(s, plan, load, taken);

        if (node == STOW_NONE && group != STOW_NONE)
            node = stow_deck_add(s->deck, group);
        if (node == STOW_NONE)
            return STOW_ENOMEM;
        if (node < s->yard->real)
            taken[node] = s->stays[node] = true;
        note_wants(s, plan, load, node);
    }
    return STOW_OK;
}

static void count_present(struct stow_layout_solving *s)
{
    const struct stow_deck *deck = s->deck;

    for (uint32_t node = 0; node < s->yard->real; node++)
        for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod])
            if (!deck->pinned[pod])
                s->have[(size_t)node * s->parts + s->part_of[s->yard->class_of[pod]]]++;
}

/* The nodes of the answer: those that stay are marked, new ones are on deck; `want` says what each
 * should hold. */
static int lay_out(struct stow_layout_solving *s, const struct stow_packing *plan)
{
    STOW_AUTO(stow_free_local) bool *taken = calloc(s->yard->real + 1, sizeof(*taken));

    free(s->want);
    free(s->have);
    free(s->stays);
    s->wants = s->yard->real + count_nodes(plan) + 1;
    s->want = calloc((size_t)s->wants * s->parts + 1, sizeof(*s->want));
    s->have = calloc((size_t)s->wants * s->parts + 1, sizeof(*s->have));
    s->stays = calloc(s->yard->real + 1, sizeof(*s->stays));
    if (!taken || !s->want || !s->have || !s->stays)
        return STOW_ENOMEM;
    count_present(s);
    for (int new = 0; new < 2; new ++)
        for (uint32_t i = 0; i < plan->loads; i++)
            if ((s->problem.kind[plan->load[i].kind].group != STOW_NONE) == new)
                STOW_TRY(lay_out_load(s, plan, &plan->load[i], taken));
    return STOW_OK;
}

static uint32_t wanted(const struct stow_layout_solving *s, uint32_t node, uint32_t part)
{
    return node < s->wants ? s->want[(size_t)node * s->parts + part] : 0;
}

static uint32_t present(const struct stow_layout_solving *s, uint32_t node, uint32_t part)
{
    return node < s->wants ? s->have[(size_t)node * s->parts + part] : 0;
}

/* A pod leaves its node, or goes to one. */
static void shift_to(struct stow_layout_solving *s, stow_pod_id pod, uint32_t node)
{
    const uint32_t part = s->part_of[s->yard->class_of[pod]], from = s->deck->at[pod];

    if (from != STOW_NONE && from < s->wants)
        s->have[(size_t)from * s->parts + part]--;
    if (node != STOW_NONE && node < s->wants)
        s->have[(size_t)node * s->parts + part]++;
    stow_deck_move(s->deck, pod, node);
}

static int push(struct stow_pod_list *list, stow_pod_id pod)
{
    stow_pod_id *made = STOW_PUSH(&list->pod, &list->count, &list->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = pod;
    return STOW_OK;
}

/* Still has to move: its node goes, or has more of its class than it should. */
static bool must_move(const struct stow_layout_solving *s, stow_pod_id pod)
{
    const uint32_t node = s->deck->at[pod], part = s->part_of[s->yard->class_of[pod]];

    return node == STOW_NONE || present(s, node, part) > wanted(s, node, part);
}

/* Pods that have to find another node: all of those that go; with `strict` also those that a node
 * which stays has more of than the answer wants.  They leave at once, so that none is in the way of
 * another. */
static int gather(struct stow_layout_solving *s, bool strict)
{
    struct stow_deck *deck = s->deck;

    s->list[0].count = 0;
    for (uint32_t node = 0; node < s->yard->real; node++) {
        const bool goes = deck->may_go[node] && !s->stays[node];

        if (goes)
            stow_deck_drain(deck, node, stow_drain_of(s->c));
        for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod]) {
            const uint32_t part = s->part_of[s->yard->class_of[pod]];

            if (deck->pinned[pod])
                continue;
            if (goes || (strict && present(s, node, part) > wanted(s, node, part)))
                STOW_TRY(push(&s->list[0], pod));
        }
    }
    stow_deck_sort(deck, &s->list[0]);
    for (uint32_t i = 0; i < s->list[0].count; i++)
        if (deck->shut[deck->at[s->list[0].pod[i]]] || must_move(s, s->list[0].pod[i]))
            shift_to(s, s->list[0].pod[i], STOW_NONE);
    return STOW_OK;
}

/* A node on which the answer wants more of the pod's class. */
static uint32_t meant_for(const struct stow_layout_solving *s, stow_pod_id pod)
{
    const uint32_t part = s->part_of[s->yard->class_of[pod]];

    for (uint32_t i = 0; i < s->yard->nodes; i++) {
        const uint32_t node = (i + s->yard->real) % s->yard->nodes; /* new ones first */

        if (present(s, node, part) < wanted(s, node, part) && node != s->deck->at[pod] &&
            stow_deck_fits(s->deck, pod, node))
            return node;
    }
    return STOW_NONE;
}

static void place_as_meant(struct stow_layout_solving *s)
{
    bool moved = true;

    while (moved && !s->deck->failed) {
        moved = false;
        for (uint32_t i = 0; i < s->list[0].count; i++) {
            const stow_pod_id pod = s->list[0].pod[i];
            const uint32_t node = must_move(s, pod) ? meant_for(s, pod) : STOW_NONE;

            if (node == STOW_NONE)
                continue;
            shift_to(s, pod, node);
            moved = true;
        }
    }
}

/* Anywhere, and at last on nodes bought for them. */
static int place_rest(struct stow_layout_solving *s, stow_nano most, bool *ret)
{
    struct stow_deck *deck = s->deck;

    s->list[1].count = 0;
    for (uint32_t i = 0; i < s->list[0].count; i++) {
        const stow_pod_id pod = s->list[0].pod[i];
        uint32_t node;

        if (deck->at[pod] != STOW_NONE)
            continue;
        node = stow_deck_find(deck, pod);
        if (node == STOW_NONE)
            STOW_TRY(push(&s->list[1], pod));
        else
            shift_to(s, pod, node);
    }
    *ret = !s->list[1].count || stow_consolidate_buy(s->c, &s->list[1], most);
    return STOW_OK;
}

/* Nodes that go are closed for good, those bought for nothing are given up. */
static void settle(struct stow_layout_solving *s)
{
    struct stow_deck *deck = s->deck;

    for (uint32_t node = 0; node < s->yard->nodes; node++) {
        const bool goes = node < s->yard->real ? deck->may_go[node] && !s->stays[node] &&
                                                     stow_commitment_spare(s->c, node) > 0
                                               : deck->first[node] == STOW_NONE;

        if (goes)
            stow_deck_shut(deck, node);
    }
}

/* One layout of an answer, improved by the plain search; `*ret_found` is false when it is none. */
static int make_layout(struct stow_layout_solving *s, const struct stow_packing *plan, bool strict,
                       struct stow_layout *ret, bool *ret_found)
{
    const stow_nano before = s->deck->cost;
    const double until = s->c->until;

    STOW_TRY(lay_out(s, plan));
    STOW_TRY(gather(s, strict));
    place_as_meant(s);
    if (strict)
        s->c->until = s->c->deadline; /* what was found is not given up for want of time */
    STOW_TRY(place_rest(s, before, ret_found));
    s->c->until = until;
    if (*ret_found) {
        settle(s);
        STOW_TRY(stow_consolidate_greedy(s->c, true));
        STOW_TRY(stow_layout_take(s->c, ret));
    }
    stow_deck_rollback(s->deck, s->deck->base);
    return s->deck->failed ? STOW_ENOMEM : STOW_OK;
}

static bool any_stays(const struct stow_layout_solving *s)
{
    for (uint32_t node = 0; node < s->yard->real; node++)
        if (!s->deck->may_go[node] || s->stays[node])
            return true;
    return false;
}

/* As the answer has it first: that is as cheap as it says. */
static int make_layouts(struct stow_layout_solving *s, const struct stow_packing *plan,
                        struct stow_layouts *ret)
{
    for (int strict = 1; strict >= 0 && ret->layouts < STOW_LAYOUTS; strict--) {
        bool found = false;
        int code;

        if (!strict && stow_consolidate_is_late(s->c))
            break;
        code = make_layout(s, plan, strict, &ret->layout[ret->layouts], &found);
        if (code < 0) {
            stow_layout_done(&ret->layout[ret->layouts]);
            return code;
        }
        ret->layouts += found;
        if (found && !any_stays(s))
            break; /* then both are the same */
    }
    return STOW_OK;
}

int stow_solving_lay_out(struct stow_layout_solving *s, const struct stow_packing *plan,
                         struct stow_layouts ret[2])
{
    for (int waits = 0; waits < (s->c->options->waits ? 2 : 1); waits++) {
        s->c->waits = waits;
        STOW_TRY(make_layouts(s, plan, &ret[waits]));
    }
    return STOW_OK;
}

stow_nano stow_layout_cost(const struct stow_consolidating *c, const struct stow_layout *layout)
{
    stow_nano cost = c->initial;

    for (uint32_t i = 0; i < c->deck.yard->real; i++)
        cost -= layout->gone[i] ? c->price[i] : 0;
    for (uint32_t i = 0; i < layout->groups; i++)
        cost += c->group_price[layout->group[i]];
    return cost;
}
