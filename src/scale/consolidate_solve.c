/* consolidate_solve.c - which nodes would be bought for these pods, had one the choice again.
 *
 * The problem for the solver: all pods that may move wait; a node that may go is a kind of its own
 * price of which there is one (nodes that are alike, as many as there are); the other nodes are
 * there for nothing.  How things are now is a solution, so its bound is one for every layout that
 * can follow from it.  To keep that true, the problem is wider than the rules in four places: a
 * pod may always be where it runs, though the node be cordoned, tainted or overbooked since; pods
 * that share a node now, though they repel each other, may share one; limits and sizes of groups
 * count as if the nodes that may go were gone; and no group has to be bought for.
 *
 * The answer says which nodes stay, and how many pods of a class each holds.  Two layouts are made
 * from it.  In the first, pods on nodes that stay remain there whatever the answer says, and only
 * the others are placed, if possible where the answer wants pods of their class.  If they find no
 * room that way, the second moves pods also between nodes that stay, as the answer has it. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "optimal/solve.h"
#include "scale/consolidate_parts.h"
#include "scale/formulate.h"

struct solving {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    struct stow_yard *yard;
    struct stow_part *part; /* one per class with pods that may move */
    uint32_t parts;
    uint32_t *part_of;  /* per class; STOW_NONE */
    bool *together;     /* per class: two of it share a node now */
    stow_nano *keeping; /* per real node: what keeping it costs */
    struct stow_formulation problem;
    uint32_t *kind_of; /* per real node: its kind; STOW_NONE */
    uint32_t *group_kind;
    uint32_t *want; /* per real or new node and part: how many; [node * parts + part] */
    uint32_t wants;
    bool *stays;                  /* per real node that may go */
    struct stow_pod_list list[2]; /* pods to place, and those that found none */
};

static void solving_done(struct solving *s)
{
    stow_formulation_done(&s->problem);
    free(s->part);
    free(s->part_of);
    free(s->together);
    free(s->keeping);
    free(s->kind_of);
    free(s->group_kind);
    free(s->want);
    free(s->stays);
    free(s->list[0].pod);
    free(s->list[1].pod);
}

/* ---- the problem ------------------------------------------------------------------------- */

static int count_classes(struct solving *s)
{
    const struct stow_ground *ground = s->c->ground;
    const uint32_t classes = s->yard->classes;

    s->part = calloc(classes + 1, sizeof(*s->part));
    s->part_of = malloc((classes + 1) * sizeof(*s->part_of));
    s->together = calloc(classes + 1, sizeof(*s->together));
    s->keeping = calloc(s->yard->real + 1, sizeof(*s->keeping));
    if (!s->part || !s->part_of || !s->together || !s->keeping)
        return STOW_ENOMEM;
    memset(s->part_of, 0xFF, (classes + 1) * sizeof(*s->part_of));
    for (uint32_t i = 0; i < ground->pendings; i++) {
        const uint32_t class = s->yard->class_of[ground->pending[i]];

        if (s->deck->pinned[ground->pending[i]])
            continue;
        if (s->part_of[class] == STOW_NONE) {
            s->part_of[class] = s->parts;
            s->part[s->parts++].class = class;
        }
        s->part[s->part_of[class]].count++;
    }
    return STOW_OK;
}

/* What the yard said before it was made wider. */
struct widened {
    uint8_t **on_real; /* per class; NULL: not changed */
    int64_t *room;     /* [dimension * real + node] */
    uint32_t *taken;   /* [port column * real + node] */
    int64_t *need;     /* [dimension * real + node]: of the pods that run there */
};

static int note_yard(const struct stow_yard *yard, struct widened *w)
{
    const size_t real = yard->real;

    w->on_real = calloc(yard->classes + 1, sizeof(*w->on_real));
    w->room = calloc(yard->dims * real + 1, sizeof(*w->room));
    w->need = calloc(yard->dims * real + 1, sizeof(*w->need));
    w->taken = calloc(yard->clashes * real + 1, sizeof(*w->taken));
    if (!w->on_real || !w->room || !w->need || !w->taken)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < yard->dims; d++)
        memcpy(w->room + d * real, yard->free[d], real * sizeof(*w->room));
    for (uint32_t p = 0; p < yard->clashes; p++)
        memcpy(w->taken + p * real, yard->taken[p], real * sizeof(*w->taken));
    return STOW_OK;
}

/* A pod may be where it runs. */
static int widen_for(struct solving *s, struct widened *w, stow_pod_id pod)
{
    struct stow_yard *yard = s->yard;
    const uint32_t number = yard->class_of[pod], home = s->deck->home[pod];
    struct stow_yard_class *class = &yard->class[number];

    for (uint32_t d = 0; d < class->dims; d++)
        w->need[(size_t) class->dim[d] * yard->real + home] += class->need[class->dim[d]];
    if (class->clash != STOW_NONE)
        yard->taken[class->clash][home] = 0;
    if (class->on_real[home])
        return STOW_OK;
    if (!w->on_real[number]) {
        w->on_real[number] = malloc(yard->real + 1);
        if (!w->on_real[number])
            return STOW_ENOMEM;
        memcpy(w->on_real[number], class->on_real, yard->real);
    }
    class->on_real[home] = 1;
    return STOW_OK;
}

static int widen(struct solving *s, struct widened *w)
{
    const struct stow_ground *ground = s->c->ground;
    struct stow_yard *yard = s->yard;

    STOW_TRY(note_yard(yard, w));
    for (uint32_t i = 0; i < ground->pendings; i++)
        if (!s->deck->pinned[ground->pending[i]])
            STOW_TRY(widen_for(s, w, ground->pending[i]));
    for (uint32_t d = 0; d < yard->dims; d++)
        for (uint32_t node = 0; node < yard->real; node++) {
            const int64_t need = w->need[(size_t)d * yard->real + node];

            if (yard->free[d][node] < need)
                yard->free[d][node] = need;
        }
    return STOW_OK;
}

static void narrow(struct solving *s, struct widened *w)
{
    struct stow_yard *yard = s->yard;
    const size_t real = yard->real;

    for (uint32_t i = 0; w->on_real && i < yard->classes; i++) {
        if (w->on_real[i])
            memcpy(yard->class[i].on_real, w->on_real[i], real);
        free(w->on_real[i]);
    }
    for (uint32_t d = 0; w->taken && w->room && w->need && d < yard->dims; d++)
        memcpy(yard->free[d], w->room + d * real, real * sizeof(*w->room));
    for (uint32_t p = 0; w->taken && w->room && w->need && p < yard->clashes; p++)
        memcpy(yard->taken[p], w->taken + p * real, real * sizeof(*w->taken));
    free((void *)w->on_real);
    free(w->room);
    free(w->need);
    free(w->taken);
}

static void find_together(struct solving *s)
{
    const struct stow_deck *deck = s->deck;

    for (uint32_t node = 0; node < s->yard->real; node++)
        for (stow_pod_id a = deck->first[node]; a != STOW_NONE; a = deck->next[a])
            for (stow_pod_id b = deck->next[a]; b != STOW_NONE; b = deck->next[b])
                if (s->yard->class_of[a] == s->yard->class_of[b])
                    s->together[s->yard->class_of[a]] = true;
}

/* Where nobody may go, unless somebody is there. */
static void close_nodes(const struct solving *s, bool *closed)
{
    for (uint32_t i = 0; i < s->yard->real; i++)
        closed[i] = s->c->closed[i] && s->deck->first[i] == STOW_NONE;
}

/* What of the problem only scaling up asks for. */
static void relax(struct solving *s)
{
    struct stow_problem *problem = &s->problem.problem;
    /* both lie in the formulation's own memory */
    struct stow_problem_class *class = (struct stow_problem_class *)problem->class;
    struct stow_problem_kind *kind = (struct stow_problem_kind *)problem->kind;

    for (uint32_t i = 0; i < problem->classes; i++)
        if (s->together[s->part[i].class])
            class[i].most = 0;
    for (uint32_t i = 0; i < problem->kinds; i++)
        kind[i].least = 0;
}

static int formulate(struct solving *s)
{
    STOW_AUTO(stow_free_local) bool *closed = calloc(s->yard->real + 1, sizeof(*closed));
    struct widened widened = {0};
    const struct stow_formulate_options options = {
        .price = s->c->group_price,
        .real_price = s->keeping,
        .closed = closed,
        .part = s->part,
        .parts = s->parts,
        .budget = STOW_MONEY_UNKNOWN,
    };
    int code;

    if (!closed)
        return STOW_ENOMEM;
    close_nodes(s, closed);
    stow_formulation_done(&s->problem);
    stow_deck_lift(s->deck, true);
    code = widen(s, &widened);
    if (code >= 0)
        code = stow_formulate(s->deck->session, &options, &s->problem);
    narrow(s, &widened);
    stow_deck_lift(s->deck, false);
    if (code >= 0)
        relax(s);
    return code;
}

/* ---- how things are, as a plan ----------------------------------------------------------- */

static int find_kinds(struct solving *s)
{
    const struct stow_formulation *f = &s->problem;

    if (!s->kind_of)
        s->kind_of = malloc((s->yard->real + 1) * sizeof(*s->kind_of));
    if (!s->group_kind)
        s->group_kind = malloc((s->c->s->groups + 1) * sizeof(*s->group_kind));
    if (!s->kind_of || !s->group_kind)
        return STOW_ENOMEM;
    memset(s->kind_of, 0xFF, (s->yard->real + 1) * sizeof(*s->kind_of));
    memset(s->group_kind, 0xFF, (s->c->s->groups + 1) * sizeof(*s->group_kind));
    for (uint32_t i = 0; i < f->problem.kinds; i++) {
        if (f->kind[i].group != STOW_NONE)
            s->group_kind[f->kind[i].group] = i;
        for (uint32_t n = 0; n < f->kind[i].nodes; n++)
            if (f->kind[i].node[n] < s->yard->real)
                s->kind_of[f->kind[i].node[n]] = i;
    }
    return STOW_OK;
}

/* The pods on a node, counted per part, ascending. */
static uint32_t count_pods(const struct solving *s, uint32_t node, uint32_t *count,
                           struct stow_term *ret)
{
    const struct stow_deck *deck = s->deck;
    uint32_t terms = 0;

    for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod])
        if (!deck->pinned[pod])
            count[s->part_of[s->yard->class_of[pod]]]++;
    for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod]) {
        const uint32_t part = deck->pinned[pod] ? STOW_NONE : s->part_of[s->yard->class_of[pod]];

        if (part == STOW_NONE || !count[part])
            continue;
        ret[terms++] = (struct stow_term){part, count[part]};
        count[part] = 0;
    }
    for (uint32_t i = 1; i < terms; i++)
        for (uint32_t j = i; j > 0 && ret[j].class < ret[j - 1].class; j--) {
            const struct stow_term swap = ret[j];

            ret[j] = ret[j - 1];
            ret[j - 1] = swap;
        }
    return terms;
}

/* What is on deck as a packing.  One that is not of this problem (a kind is missing) is empty. */
static int pack_deck(struct solving *s, struct stow_packing *ret)
{
    STOW_AUTO(stow_free_local) uint32_t *count = calloc(s->parts + 1, sizeof(*count));
    STOW_AUTO(stow_free_local)
    struct stow_term *term = malloc((s->parts + 1) * sizeof(*term));
    int64_t cost;

    if (!count || !term)
        return STOW_ENOMEM;
    for (uint32_t node = 0; node < s->yard->nodes; node++) {
        const uint32_t terms = s->deck->gone[node] ? 0 : count_pods(s, node, count, term);
        const uint32_t kind =
            node < s->yard->real ? s->kind_of[node] : s->group_kind[stow_deck_group(s->deck, node)];

        if (!terms)
            continue;
        if (kind == STOW_NONE) {
            stow_packing_done(ret);
            return STOW_OK;
        }
        STOW_TRY(stow_packing_add(ret, kind, 1, term, terms));
    }
    if (stow_packing_check(&s->problem.problem, ret, &cost, NULL, NULL) == STOW_EWRONG)
        stow_packing_done(ret); /* the solver has to do without it */
    return STOW_OK;
}

/* ---- from an answer to layouts ----------------------------------------------------------- */

/* How many pods of a load are on a node already. */
static uint32_t overlap(const struct solving *s, const struct stow_packing *plan,
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
static uint32_t pick_node(const struct solving *s, const struct stow_packing *plan,
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

static void note_wants(struct solving *s, const struct stow_packing *plan,
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
static bool could_hold(const struct solving *s, const struct stow_packing *plan,
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
static uint32_t reuse_node(const struct solving *s, const struct stow_packing *plan,
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

static int lay_out_load(struct solving *s, const struct stow_packing *plan,
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

/* The nodes of the answer: those that stay are marked, new ones are on deck; `want` says what each
 * should hold. */
static int lay_out(struct solving *s, const struct stow_packing *plan)
{
    STOW_AUTO(stow_free_local) bool *taken = calloc(s->yard->real + 1, sizeof(*taken));

    free(s->want);
    free(s->stays);
    s->wants = s->yard->real + count_nodes(plan) + 1;
    s->want = calloc((size_t)s->wants * s->parts + 1, sizeof(*s->want));
    s->stays = calloc(s->yard->real + 1, sizeof(*s->stays));
    if (!taken || !s->want || !s->stays)
        return STOW_ENOMEM;
    for (int new = 0; new < 2; new ++)
        for (uint32_t i = 0; i < plan->loads; i++)
            if ((s->problem.kind[plan->load[i].kind].group != STOW_NONE) == new)
                STOW_TRY(lay_out_load(s, plan, &plan->load[i], taken));
    return STOW_OK;
}

static uint32_t wanted(const struct solving *s, uint32_t node, uint32_t part)
{
    return node < s->wants ? s->want[(size_t)node * s->parts + part] : 0;
}

static uint32_t present(const struct solving *s, uint32_t node, uint32_t class)
{
    uint32_t count = 0;

    for (stow_pod_id pod = s->deck->first[node]; pod != STOW_NONE; pod = s->deck->next[pod])
        count += s->yard->class_of[pod] == class && !s->deck->pinned[pod];
    return count;
}

static int push(struct stow_pod_list *list, stow_pod_id pod)
{
    stow_pod_id *made = STOW_PUSH(&list->pod, &list->count, &list->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = pod;
    return STOW_OK;
}

/* Pods that have to find another node: all of those that go; with `strict` also those that a node
 * which stays has more of than the answer wants. */
static int gather(struct solving *s, bool strict)
{
    struct stow_deck *deck = s->deck;

    s->list[0].count = 0;
    for (uint32_t node = 0; node < s->yard->real; node++) {
        const bool goes = deck->may_go[node] && !s->stays[node];

        if (goes)
            stow_deck_drain(deck, node, stow_drain_of(s->c));
        for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod]) {
            const uint32_t class = s->yard->class_of[pod];

            if (deck->pinned[pod])
                continue;
            if (goes || (strict && present(s, node, class) > wanted(s, node, s->part_of[class])))
                STOW_TRY(push(&s->list[0], pod));
        }
    }
    stow_deck_sort(deck, &s->list[0]);
    for (uint32_t i = 0; i < s->list[0].count; i++)
        if (deck->shut[deck->at[s->list[0].pod[i]]])
            stow_deck_evict(deck, s->list[0].pod[i]);
    return STOW_OK;
}

/* A node on which the answer wants more of the pod's class. */
static uint32_t meant_for(const struct solving *s, stow_pod_id pod)
{
    const uint32_t class = s->yard->class_of[pod];

    for (uint32_t i = 0; i < s->yard->nodes; i++) {
        const uint32_t node = (i + s->yard->real) % s->yard->nodes; /* new ones first */
        const uint32_t want = wanted(s, node, s->part_of[class]);

        if (want && node != s->deck->at[pod] && stow_deck_fits(s->deck, pod, node) &&
            present(s, node, class) < want)
            return node;
    }
    return STOW_NONE;
}

/* Still has to move: its node goes, or has more of its class than it should. */
static bool must_move(const struct solving *s, stow_pod_id pod)
{
    const uint32_t node = s->deck->at[pod], class = s->yard->class_of[pod];

    return node == STOW_NONE || present(s, node, class) > wanted(s, node, s->part_of[class]);
}

static void place_as_meant(struct solving *s)
{
    bool moved = true;

    while (moved && !s->deck->failed) {
        moved = false;
        for (uint32_t i = 0; i < s->list[0].count; i++) {
            const stow_pod_id pod = s->list[0].pod[i];
            const uint32_t node = must_move(s, pod) ? meant_for(s, pod) : STOW_NONE;

            if (node == STOW_NONE)
                continue;
            stow_deck_move(s->deck, pod, node);
            moved = true;
        }
    }
}

/* Anywhere, and at last on nodes bought for them. */
static int place_rest(struct solving *s, stow_nano most, bool *ret)
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
            stow_deck_move(deck, pod, node);
    }
    *ret = !s->list[1].count || stow_consolidate_buy(s->c, &s->list[1], most);
    return STOW_OK;
}

/* Nodes that go are closed for good, those bought for nothing are given up. */
static void settle(struct solving *s)
{
    struct stow_deck *deck = s->deck;

    for (uint32_t node = 0; node < s->yard->nodes; node++) {
        const bool goes = node < s->yard->real ? deck->may_go[node] && !s->stays[node]
                                               : deck->first[node] == STOW_NONE;

        if (goes)
            stow_deck_shut(deck, node);
    }
}

/* One layout of an answer, improved by the plain search; `*ret_found` is false when it is none. */
static int make_layout(struct solving *s, const struct stow_packing *plan, bool strict,
                       struct stow_layout *ret, bool *ret_found)
{
    const stow_nano before = s->deck->cost;

    STOW_TRY(lay_out(s, plan));
    STOW_TRY(gather(s, strict));
    place_as_meant(s);
    STOW_TRY(place_rest(s, before, ret_found));
    if (*ret_found) {
        settle(s);
        STOW_TRY(stow_consolidate_greedy(s->c, true));
        STOW_TRY(stow_layout_take(s->c, ret));
    }
    stow_deck_rollback(s->deck, s->deck->base);
    return s->deck->failed ? STOW_ENOMEM : STOW_OK;
}

static int make_layouts(struct solving *s, const struct stow_packing *plan,
                        struct stow_layouts *ret)
{
    for (int strict = 0; strict < 2; strict++) {
        bool found = false;

        const int code = make_layout(s, plan, strict, &ret->layout[ret->layouts], &found);

        if (code < 0) {
            stow_layout_done(&ret->layout[ret->layouts]);
            return code;
        }
        ret->layouts += found;
    }
    return STOW_OK;
}

/* For steps without pods that wait, and with. */
static int make_choices(struct solving *s, const struct stow_packing *plan,
                        struct stow_layouts ret[2])
{
    for (int waits = 0; waits < (s->c->options->waits ? 2 : 1); waits++) {
        s->c->waits = waits;
        STOW_TRY(make_layouts(s, plan, &ret[waits]));
    }
    return STOW_OK;
}

/* ---- solving ----------------------------------------------------------------------------- */

static bool leaves_none(const struct solving *s, const struct stow_solution *solution)
{
    for (uint32_t i = 0; i < s->parts; i++)
        if (solution->left[i])
            return false;
    return true;
}

/* `priced`: what nodes cost; else less by what moving their pods must earn. */
static void price(struct solving *s, bool priced)
{
    const struct stow_deck *deck = s->deck;

    for (uint32_t node = 0; node < s->yard->real; node++) {
        stow_i128 cost = deck->may_go[node] ? deck->price[node] : 0;

        for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE && !priced;
             pod = deck->next[pod])
            cost -= s->c->options->disruption_price;
        s->keeping[node] = cost < 0 ? 0 : (stow_nano)cost;
    }
}

static int solve(struct solving *s, double seconds, struct stow_solution *ret, struct stow_err *err)
{
    const struct stow_scale_options *o = &s->c->options->scale;
    struct stow_packing start = {0};
    struct stow_solve_options options = {
        .seconds = seconds,
        .gap = o->gap,
        .threads = o->threads,
        .start = &start,
    };
    int code = formulate(s);

    if (code >= 0)
        code = find_kinds(s);
    if (code >= 0)
        code = pack_deck(s, &start);
    if (code < 0) {
        stow_packing_done(&start);
        stow_fail_memory(err);
        return STOW_ENOMEM;
    }
    options.starts = start.loads > 0;
    code = stow_solve(&s->problem.problem, &options, ret, err);
    stow_packing_done(&start);
    return code;
}

/* There are whole nodes only. */
static stow_nano round_up(const struct stow_consolidating *c, stow_nano bound)
{
    const stow_nano over = c->options->counts_nodes ? bound % STOW_NODE_WEIGHT : 0;

    return over ? bound - over + STOW_NODE_WEIGHT : bound;
}

static int solve_and_lay_out(struct solving *s, bool priced, struct stow_layouts ret[2],
                             struct stow_err *err)
{
    struct stow_solution solution;
    const double left = s->c->deadline - stow_clock_seconds();
    const double share = s->c->options->disruption_price && priced ? 0.3 : 0.6;
    int code;

    price(s, priced);
    STOW_TRY(solve(s, left * share > 0.05 ? left * share : 0.05, &solution, err));
    if (priced && leaves_none(s, &solution) && !s->c->unsure) {
        s->c->ret->bound = s->c->certain + round_up(s->c, solution.bound);
        s->c->ret->method = "pattern-lp";
    }
    code = leaves_none(s, &solution) && (!priced || !s->c->options->disruption_price)
               ? make_choices(s, &solution.plan, ret)
               : STOW_OK;
    stow_solution_done(&solution);
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

int stow_consolidate_solve(struct stow_consolidating *c, struct stow_layouts ret[2],
                           struct stow_err *err)
{
    STOW_AUTO(solving_done)
    struct solving s = {.c = c, .deck = &c->deck, .yard = c->deck.yard};

    if (s.yard->dims > STOW_PROBLEM_DIMS_MAX)
        return STOW_OK;
    if (count_classes(&s) < 0)
        return stow_fail_memory(err);
    find_together(&s);
    STOW_TRY(solve_and_lay_out(&s, true, ret, err));
    if (!c->options->disruption_price)
        return STOW_OK;
    return solve_and_lay_out(&s, false, ret, err);
}
