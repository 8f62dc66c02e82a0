/* steps.c - from how things are to how they should be, in steps.
 *
 * A layout says where every pod ends up.  Pods that change their node tie nodes together: the one
 * they leave, and the one they go to if that is new, or if others have to leave it first.  Nodes
 * that stay and only take pods in tie nothing: there is room for all that come, in any order.  So
 * the layout falls apart into parts that have nothing to do with each other, and each is a step:
 * it adds its new nodes, moves its pods, removes its old nodes, and saves what it saves whatever
 * becomes of the others.
 *
 * Steps that need no new node come first, then those that save most.  A step is tried in full:
 * each pod in its turn must pass every filter where it goes, and in the end every rule over
 * several pods must hold everywhere.  What fails, saves too little, or is up against a limit is
 * tried again after the others, and else left out with the reason.
 *
 * A part can be as large as the cluster.  So it is cut where that is possible: a new node or a few,
 * the nodes whose pods they take, and what else fits there, is a step if it saves enough.
 *
 * Where a budget allows fewer pods at once than a step moves, the step is cut: those before the
 * last only add and move, and prepare it. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/stepping.h"

static void stepping_done(struct stow_stepping *s)
{
    free(s->parent);
    free(s->left);
    free(s->part);
    free(s->node);
    free(s->pod);
    free(s->slice_node);
    free(s->slice_first);
    free(s->slice_pod);
    free(s->is_cut);
    free(s->marked);
    free(s->new_at);
    free(s->used);
    free(s->is_moved);
    free(s->seat);
    free(s->move);
}

/* ---- parts ------------------------------------------------------------------------------- */

static uint32_t root_of(const struct stow_stepping *s, uint32_t node)
{
    while (s->parent[node] != node) {
        s->parent[node] = s->parent[s->parent[node]];
        node = s->parent[node];
    }
    return node;
}

static void tie(struct stow_stepping *s, uint32_t a, uint32_t b)
{
    const uint32_t x = root_of(s, a), y = root_of(s, b);

    s->parent[x > y ? x : y] = x > y ? y : x;
}

static bool allocate(struct stow_stepping *s)
{
    const struct stow_snapshot *view = s->deck->s;
    const size_t nodes = (size_t)s->nodes + 1, pods = (size_t)view->pods + 1;

    s->parent = malloc(nodes * sizeof(*s->parent));
    s->left = calloc(nodes, sizeof(*s->left));
    s->part = calloc(nodes, sizeof(*s->part));
    s->node = malloc(nodes * sizeof(*s->node));
    s->pod = malloc(pods * sizeof(*s->pod));
    s->slice_node = malloc(nodes * sizeof(*s->slice_node));
    s->slice_first = malloc(nodes * sizeof(*s->slice_first));
    s->slice_pod = malloc(pods * sizeof(*s->slice_pod));
    s->is_cut = malloc(nodes * sizeof(*s->is_cut));
    s->marked = calloc(nodes, sizeof(*s->marked));
    s->new_at = malloc(nodes * sizeof(*s->new_at));
    s->used = calloc(view->budgets + 1, sizeof(*s->used));
    s->is_moved = calloc(pods, sizeof(*s->is_moved));
    s->seat = malloc(pods * sizeof(*s->seat));
    if (!s->slice_node || !s->slice_first || !s->slice_pod || !s->is_cut || !s->marked ||
        !s->parent || !s->left || !s->part || !s->node || !s->pod || !s->new_at || !s->used ||
        !s->is_moved || !s->seat)
        return false;
    memset(s->new_at, 0xFF, nodes * sizeof(*s->new_at));
    return true;
}

static void tie_nodes(struct stow_stepping *s)
{
    const struct stow_ground *ground = s->c->ground;
    const uint32_t *home = s->deck->home, *at = s->layout->at;

    for (uint32_t i = 0; i < s->nodes; i++)
        s->parent[i] = i;
    for (uint32_t i = 0; i < ground->pendings; i++) {
        const stow_pod_id pod = ground->pending[i];

        if (at[pod] == home[pod])
            continue;
        s->left[home[pod]] = true;
        s->pod[s->pods++] = pod;
    }
    for (uint32_t i = 0; i < s->pods; i++)
        if (at[s->pod[i]] >= s->deck->there || s->left[at[s->pod[i]]])
            tie(s, home[s->pod[i]], at[s->pod[i]]);
}

static int by_part(const void *a, const void *b, void *stepping)
{
    const struct stow_stepping *s = stepping;
    const stow_pod_id x = *(const stow_pod_id *)a, y = *(const stow_pod_id *)b;
    const uint32_t root_x = root_of(s, s->deck->home[x]), root_y = root_of(s, s->deck->home[y]);

    if (root_x != root_y)
        return root_x < root_y ? -1 : 1;
    if (s->deck->home[x] != s->deck->home[y])
        return s->deck->home[x] < s->deck->home[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static int by_root(const void *a, const void *b, void *stepping)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint32_t root_x = root_of(stepping, x), root_y = root_of(stepping, y);

    if (root_x != root_y)
        return root_x < root_y ? -1 : 1;
    return (x > y) - (x < y);
}

/* What a node is in its part: removed, added, or just one that pods leave. */
static void count_in(struct stow_stepping *s, struct stow_step_part *part, uint32_t node)
{
    const uint32_t there = s->deck->there;

    if (node >= there) {
        part->adds++;
        part->saving -= s->c->group_price[s->layout->group[node - there]];
    } else if (s->layout->gone[node]) {
        part->removes++;
        part->saving += s->deck->price[node];
    }
}

/* A new part, with the pods that leave its nodes; returns how many. */
static uint32_t open_part(struct stow_stepping *s, uint32_t root, uint32_t *node,
                          uint32_t first_pod)
{
    struct stow_step_part *part = &s->part[s->parts++];

    *part = (struct stow_step_part){.root = root, .node = node, .pod = s->pod + first_pod};
    while (first_pod + part->pods < s->pods &&
           root_of(s, s->deck->home[part->pod[part->pods]]) == root)
        part->pods++;
    part->running = stow_deck_running(s->deck, part->pod, part->pods);
    return part->pods;
}

static void make_parts(struct stow_stepping *s)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < s->nodes; i++)
        s->node[i] = i;
    qsort_r(s->node, s->nodes, sizeof(*s->node), by_root, s);
    if (s->pods > 1)
        qsort_r(s->pod, s->pods, sizeof(*s->pod), by_part, s);
    for (uint32_t i = 0; i < s->nodes; i++) {
        const uint32_t root = root_of(s, s->node[i]);

        if (!s->parts || s->part[s->parts - 1].root != root)
            at += open_part(s, root, s->node + i, at);
        s->part[s->parts - 1].nodes++;
        count_in(s, &s->part[s->parts - 1], s->node[i]);
    }
}

/* Those without new nodes first, then the largest saving. */
static int in_order(const void *a, const void *b)
{
    const struct stow_step_part *x = a, *y = b;

    if (!x->adds != !y->adds)
        return x->adds ? 1 : -1;
    if (x->saving != y->saving)
        return x->saving < y->saving ? 1 : -1;
    return (x->root > y->root) - (x->root < y->root);
}

/* ---- whether a part may be --------------------------------------------------------------- */

/* "removing it", "replacing it and 2 other nodes by 1 new node": what the part does. */
static const char *deed(const struct stow_stepping *s, const struct stow_step_part *part)
{
    struct stow_arena *arena = &s->c->ret->arena;
    const uint32_t others = part->removes - 1;
    const char *does = part->adds ? "replacing" : "removing";
    const char *with = others == 0 ? stow_arena_printf(arena, "%s it", does)
                                   : stow_arena_printf(arena, "%s it and %u other node%s", does,
                                                       others, others == 1 ? "" : "s");

    if (!with || !part->adds)
        return with;
    return stow_arena_printf(arena, "%s by %u new node%s", with, part->adds,
                             part->adds == 1 ? "" : "s");
}

/* What a part saves is too little, and why; false: it is not. */
static bool too_little(const struct stow_stepping *s, const struct stow_step_part *part,
                       struct stow_kept_reason *why)
{
    const struct stow_consolidate_options *o = s->c->options;
    struct stow_arena *arena = &s->c->ret->arena;
    char saves[STOW_WEIGHT_TEXT], least[STOW_MONEY_TEXT];
    const stow_i128 earn = (stow_i128)s->c->disruption_price * part->running;
    const char *does;

    if (part->saving > 0 && part->saving >= o->min_saving && part->saving > earn)
        return false;
    if (!why)
        return true;
    *why = stow_reason_of(STOW_NONE, "price", "what would have to be bought instead costs as much");
    does = part->saving > 0 ? deed(s, part) : NULL;
    stow_weight_text(s->c, part->saving, saves);
    if (part->saving > 0 && part->saving < o->min_saving)
        *why = stow_reason_of(
            STOW_NONE, "min-saving",
            !does ? NULL
                  : stow_arena_printf(arena, "%s would save %s, less than --min-saving %s", does,
                                      saves, stow_option_text(s->c, o->min_saving, least)));
    else if (part->saving > 0)
        *why = stow_reason_of(
            STOW_NONE, "disruption-price",
            !does ? NULL
                  : stow_arena_printf(arena,
                                      "%s would save %s, and %u pod%s would have to move at "
                                      "--disruption-price %s",
                                      does, saves, part->running, part->running == 1 ? "" : "s",
                                      stow_option_text(s->c, s->c->disruption_price, least)));
    return true;
}

/* minNodes of every group that shrinks; true: one would be too small. */
static bool too_few(const struct stow_stepping *s, const struct stow_step_part *part,
                    struct stow_kept_reason *why)
{
    const struct stow_deck *deck = s->deck;

    for (uint32_t i = 0; i < part->nodes; i++) {
        const uint32_t node = part->node[i];
        const stow_group_id group =
            node < deck->there && s->layout->gone[node] ? deck->s->node[node].group : STOW_NONE;
        uint32_t going = 0;

        if (group == STOW_NONE || deck->s->group[group].implied)
            continue;
        for (uint32_t j = 0; j < part->nodes; j++) {
            const uint32_t other = part->node[j];

            going += other < deck->there && s->layout->gone[other] &&
                     deck->s->node[other].group == group;
        }
        if (deck->session->size[group] >= going + deck->s->group[group].min_nodes)
            continue;
        *why = stow_reason_of(
            STOW_NONE, "min-nodes",
            stow_arena_printf(&s->c->ret->arena,
                              "group %s would have fewer nodes than its minNodes, %u",
                              deck->s->group[group].name, deck->s->group[group].min_nodes));
        return true;
    }
    return false;
}

/* What is committed; true: fewer nodes would be left than that. */
static bool too_few_committed(const struct stow_stepping *s, const struct stow_step_part *part,
                              struct stow_kept_reason *why)
{
    for (uint32_t i = 0; i < part->nodes; i++) {
        const uint32_t node = part->node[i];
        uint32_t sharing = 1;

        if (node >= s->deck->there || !s->layout->gone[node])
            continue;
        for (uint32_t j = 0; j < i; j++)
            sharing += part->node[j] < s->deck->there && s->layout->gone[part->node[j]] &&
                       stow_commitment_is_one(s->c, node, part->node[j]);
        if (stow_commitment_spare(s->c, node) >= sharing)
            continue;
        *why = stow_reason_of(STOW_NONE, "price", stow_commitment_why(s->c, node));
        return true;
    }
    return false;
}

/* Budgets of NodePools; true: too many nodes of one would go at once. */
static bool too_many(const struct stow_stepping *s, const struct stow_step_part *part,
                     struct stow_kept_reason *why)
{
    STOW_AUTO(stow_free_local) uint32_t *gone = malloc((part->nodes + 1) * sizeof(*gone));
    uint32_t gones = 0;

    for (uint32_t i = 0; i < part->nodes && gone; i++) {
        const uint32_t node = part->node[i];
        const char *text = NULL;

        if (node >= s->deck->there || !s->layout->gone[node])
            continue;
        if (!stow_pools_let_go(s->c, gone, gones, node, &text)) {
            *why = stow_reason_of(STOW_NONE, "node-pool", text);
            return true;
        }
        gone[gones++] = node;
    }
    return !gone;
}

/* consolidationPolicy Balanced; true: a pool does not approve. */
static bool unbalanced(const struct stow_stepping *s, const struct stow_step_part *part,
                       struct stow_kept_reason *why)
{
    const struct stow_deck *deck = s->deck;
    STOW_AUTO(stow_free_local) uint32_t *gone = malloc((part->nodes + 1) * sizeof(*gone));
    const struct stow_step_start now = {deck->at, deck->gone, deck->yard->nodes - deck->yard->real};
    struct stow_step_change change = {.remove = gone, .saving = part->saving};
    const char *text = NULL;

    for (uint32_t i = 0; i < part->nodes && gone; i++)
        if (part->node[i] < deck->there && s->layout->gone[part->node[i]])
            gone[change.removes++] = part->node[i];
    if (gone && stow_balance_approves(s->c, &now, &change, &text))
        return false;
    if (text)
        text = stow_arena_printf(&s->c->ret->arena, "%s %s", deed(s, part), text);
    *why = stow_reason_of(STOW_NONE, "node-pool", text);
    return true;
}

/* ---- writing it down --------------------------------------------------------------------- */

static const char *name_node(struct stow_stepping *s, uint32_t node, stow_group_id group)
{
    return s->c->name[node - s->deck->yard->real] = stow_names_new(&s->c->names, group);
}

static const char *name_of(const struct stow_stepping *s, uint32_t node)
{
    const uint32_t real = s->deck->yard->real;

    return node < real ? s->deck->s->node[node].name : s->c->name[node - real];
}

static int write_adds(struct stow_stepping *s, const struct stow_step_part *part,
                      struct stow_step *step)
{
    const uint32_t there = s->deck->there;
    struct stow_step_node *add =
        stow_arena_alloc(&s->c->ret->arena, (part->adds + 1) * sizeof(*add));

    if (!add)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < part->nodes; i++) {
        const uint32_t node = part->node[i];

        if (node < there)
            continue;
        if (!name_node(s, s->new_at[node - there], s->layout->group[node - there]))
            return STOW_ENOMEM;
        add[step->adds++] = (struct stow_step_node){
            name_of(s, s->new_at[node - there]),
            s->layout->group[node - there],
            s->c->group_price[s->layout->group[node - there]],
        };
        step->saving -= add[step->adds - 1].price;
    }
    step->add = add;
    return STOW_OK;
}

/* Of pods that run, or of those that are pending; returns how many. */
static uint32_t list_moves(struct stow_stepping *s, uint32_t round, bool pending,
                           struct stow_step_move *ret)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->moves; i++) {
        const struct stow_made_move *made = &s->move[i];

        if (made->round == round && s->deck->pending[made->pod] == pending)
            ret[count++] = (struct stow_step_move){made->pod, name_of(s, made->from),
                                                   name_of(s, made->to), made->waits, made->to};
    }
    return count;
}

static int write_moves(struct stow_stepping *s, uint32_t round, struct stow_step *step)
{
    struct stow_step_move *move =
        stow_arena_alloc(&s->c->ret->arena, (s->moves + 1) * sizeof(*move));

    if (!move)
        return STOW_ENOMEM;
    step->moves = list_moves(s, round, false, move);
    step->rooms = list_moves(s, round, true, move + step->moves);
    step->move = move;
    step->room = move + step->moves;
    return STOW_OK;
}

static int write_removes(struct stow_stepping *s, const struct stow_step_part *part,
                         struct stow_step *step)
{
    stow_node_id *remove =
        stow_arena_alloc(&s->c->ret->arena, (part->removes + 1) * sizeof(*remove));
    stow_nano *price = stow_arena_alloc(&s->c->ret->arena, (part->removes + 1) * sizeof(*price));

    if (!remove || !price)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < part->nodes; i++) {
        const uint32_t node = part->node[i];

        if (node >= s->deck->there || !s->layout->gone[node])
            continue;
        price[step->removes] = s->deck->price[node];
        remove[step->removes++] = node;
        step->saving += s->deck->price[node];
    }
    step->remove = remove;
    step->price = price;
    return STOW_OK;
}

static int write_steps(struct stow_stepping *s, const struct stow_step_part *part, uint32_t rounds)
{
    struct stow_consolidation *ret = s->c->ret;

    for (uint32_t round = 0; round < rounds; round++) {
        struct stow_step *step = STOW_PUSH(&ret->step, &ret->steps, &ret->step_cap);

        if (!step)
            return STOW_ENOMEM;
        if (round == 0)
            STOW_TRY(write_adds(s, part, step));
        STOW_TRY(write_moves(s, round, step));
        if (round + 1 == rounds)
            STOW_TRY(write_removes(s, part, step));
        else
            step->prepares = ret->steps + (rounds - 1 - round);
    }
    return STOW_OK;
}

/* ---- all of them ------------------------------------------------------------------------- */

static void hold_back(struct stow_stepping *s, const struct stow_step_part *part,
                      const struct stow_kept_reason *why)
{
    for (uint32_t i = 0; i < part->nodes; i++) {
        const uint32_t node = part->node[i];

        if (node < s->deck->there && s->layout->gone[node])
            s->c->held[node] = *why;
    }
}

static void give_up(struct stow_stepping *s, const struct stow_step_part *part,
                    const struct stow_kept_reason *why)
{
    for (uint32_t i = 0; i < part->nodes; i++)
        if (part->node[i] >= s->deck->there)
            s->new_at[part->node[i] - s->deck->there] = STOW_NONE;
    hold_back(s, part, why);
}

/* Whether it came to be; < 0: out of memory. */
static int try_part(struct stow_stepping *s, struct stow_step_part *part)
{
    const uint32_t mark = stow_deck_mark(s->deck);
    struct stow_kept_reason why = {0};
    uint32_t rounds = 0;

    s->moves = 0;
    if ((!s->single && (too_little(s, part, &why) || unbalanced(s, part, &why))) ||
        too_few(s, part, &why) || too_few_committed(s, part, &why) || too_many(s, part, &why) ||
        !stow_step_add_nodes(s, part, &why) || !stow_step_move_all(s, part, &rounds, &why)) {
        if (s->deck->failed || !why.text)
            return STOW_ENOMEM;
        stow_deck_rollback(s->deck, mark);
        give_up(s, part, &why);
        return 0;
    }
    hold_back(s, part, &why);
    part->done = true;
    STOW_TRY(write_steps(s, part, rounds));
    stow_pools_begin_step(s->c, s->deck->yard->nodes);
    return 1;
}

/* Steps that cannot be written within the time are left out: whoever stops after any of them is no
 * worse off. */
static bool is_late(const struct stow_stepping *s)
{
    return s->c->ret->steps > s->c->settled && stow_clock_is_past(s->c->deadline);
}

/* ---- slices ------------------------------------------------------------------------------ */

/* New nodes that the pods of the `i`-th removed node of a part go to and that are not there yet:
 * what they cost; into the slice, if there is one. */
static stow_nano need_of(struct stow_stepping *s, const struct stow_step_part *whole, uint32_t i,
                         struct stow_step_part *slice)
{
    const uint32_t there = s->deck->there;
    stow_nano sum = 0;

    if (!slice)
        s->mark++;
    for (uint32_t p = s->slice_first[i]; p < s->slice_first[i + 1]; p++) {
        const uint32_t to = s->layout->at[whole->pod[p]];
        const uint32_t new = to < there ? 0 : to - there;

        if (slice) {
            slice->pod[slice->pods++] = whole->pod[p];
            slice->running += !s->deck->pending[whole->pod[p]];
        }
        if (to < there || s->new_at[new] != STOW_NONE || s->marked[new] == UINT32_MAX ||
            (!slice && s->marked[new] == s->mark))
            continue;
        s->marked[new] = slice ? UINT32_MAX : s->mark; /* the largest: it is in the slice */
        sum += s->c->group_price[s->layout->group[new]];
        if (!slice)
            continue;
        slice->node[slice->nodes++] = to;
        slice->adds++;
    }
    return sum;
}

/* The removed node that gains most, with what it needs; whole->removes: none is left. */
static uint32_t pick_next(struct stow_stepping *s, const struct stow_step_part *whole,
                          stow_nano *ret_need)
{
    uint32_t best = whole->removes;
    stow_nano most = 0;

    for (uint32_t i = 0; i < whole->removes; i++) {
        const stow_nano need = s->is_cut[i] ? 0 : need_of(s, whole, i, NULL);
        const stow_nano gain = s->deck->price[whole->node[i]] - need;

        if (s->is_cut[i] || (best < whole->removes && gain <= most))
            continue;
        best = i;
        most = gain;
        *ret_need = need;
    }
    return best;
}

/* A part whose nodes that go come first, each with its pods; false: others are left, too. */
static bool open_slices(struct stow_stepping *s, struct stow_step_part *whole)
{
    uint32_t at = 0, goes = 0;

    for (uint32_t i = 0; i < whole->nodes; i++) {
        const uint32_t node = whole->node[i];

        if (node < s->deck->there && s->layout->gone[node]) {
            whole->node[i] = whole->node[goes];
            whole->node[goes++] = node;
        }
    }
    for (uint32_t i = 0; i < goes; i++) {
        s->is_cut[i] = false;
        s->slice_first[i] = at;
        while (at < whole->pods && s->deck->home[whole->pod[at]] == whole->node[i])
            at++;
    }
    s->slice_first[goes] = at;
    return at == whole->pods;
}

static void clear_slice(struct stow_stepping *s, struct stow_step_part *slice)
{
    for (uint32_t i = 0; i < slice->nodes; i++)
        if (slice->node[i] >= s->deck->there)
            s->marked[slice->node[i] - s->deck->there] = 0;
    *slice = (struct stow_step_part){.node = s->slice_node, .pod = s->slice_pod};
}

/* The slice as it is, as a step; when that is not possible it goes on growing. */
static int close_slice(struct stow_stepping *s, struct stow_step_part *slice)
{
    int code = slice->removes && !too_little(s, slice, NULL) ? try_part(s, slice) : 0;

    if (code > 0)
        clear_slice(s, slice);
    return code;
}

/* A large part as several steps: some nodes that go, the new ones that take their pods, and
 * whatever else fits on those.  Each saves enough by itself.  Returns how many there are. */
static int take_slices(struct stow_stepping *s, struct stow_step_part *whole)
{
    struct stow_step_part slice = {.node = s->slice_node, .pod = s->slice_pod};
    int taken = 0;

    if (!open_slices(s, whole))
        return 0;
    memset(s->marked, 0, (s->nodes + 1) * sizeof(*s->marked));
    s->mark = 0;
    for (uint32_t n = 0; n < whole->removes && !is_late(s); n++) {
        stow_nano need = 0;
        const uint32_t next = pick_next(s, whole, &need);
        int code = need ? close_slice(s, &slice) : 0;

        if (code < 0)
            return code;
        taken += code;
        slice.node[slice.nodes++] = whole->node[next];
        slice.removes++;
        slice.saving += s->deck->price[whole->node[next]];
        slice.saving -= need_of(s, whole, next, &slice);
        s->is_cut[next] = true;
    }

    struct stow_kept_reason why = {0};
    int code = close_slice(s, &slice);

    if (code < 0)
        return code;
    if (slice.removes && too_little(s, &slice, &why))
        hold_back(s, &slice, &why);
    whole->done = taken + code > 0;
    return taken + code;
}

static int take_steps(struct stow_stepping *s)
{
    bool found = true;

    while (found) {
        found = false;
        for (uint32_t i = 0; i < s->parts && !is_late(s); i++) {
            int code;

            if (s->part[i].done || !s->part[i].removes)
                continue;
            code = s->part[i].adds && s->part[i].removes > 1 ? take_slices(s, &s->part[i]) : 0;
            if (code == 0)
                code = try_part(s, &s->part[i]);
            if (code < 0)
                return code;
            found |= code > 0;
        }
    }
    return STOW_OK;
}

/* Those of nodes that came with a layout which was only tried. */
static int forget_names(struct stow_consolidating *c, uint32_t new)
{
    const uint32_t known = c->deck.there - c->deck.yard->real;

    STOW_TRY(stow_vec_reserve(&c->name, &c->name_cap, known + new + 1, sizeof(*c->name)));
    memset((void *)(c->name + known), 0, (c->name_cap - known) * sizeof(*c->name));
    stow_names_done(&c->names);
    STOW_TRY(stow_names_open(&c->names, c->s, &c->ret->arena));
    for (uint32_t i = 0; i < known; i++)
        if (c->name[i])
            STOW_TRY(stow_names_take(&c->names, c->name[i]));
    return STOW_OK;
}

static int open_stepping(struct stow_stepping *s)
{
    struct stow_consolidating *c = s->c;

    stow_deck_rollback(&c->deck, c->deck.base);
    stow_pools_begin_step(c, c->deck.there);
    c->ret->steps = c->settled;
    s->nodes = c->deck.there + s->layout->groups;
    return allocate(s) ? forget_names(c, s->layout->groups) : STOW_ENOMEM;
}

int stow_consolidate_steps(struct stow_consolidating *c, const struct stow_layout *layout)
{
    STOW_AUTO(stepping_done)
    struct stow_stepping s = {.c = c, .deck = &c->deck, .layout = layout};

    STOW_TRY(open_stepping(&s));
    tie_nodes(&s);
    make_parts(&s);
    qsort(s.part, s.parts, sizeof(*s.part), in_order);
    return take_steps(&s);
}

/* All that a layout changes, as one part. */
static void gather_all(struct stow_stepping *s, struct stow_step_part *ret)
{
    const struct stow_ground *ground = s->c->ground;

    *ret = (struct stow_step_part){.node = s->node, .pod = s->pod};
    for (uint32_t i = 0; i < s->nodes; i++) {
        if (i < s->deck->there && !s->layout->gone[i])
            continue;
        ret->node[ret->nodes++] = i;
        count_in(s, ret, i);
    }
    for (uint32_t i = 0; i < ground->pendings; i++)
        if (s->layout->at[ground->pending[i]] != s->deck->home[ground->pending[i]])
            ret->pod[ret->pods++] = ground->pending[i];
    ret->running = stow_deck_running(s->deck, ret->pod, ret->pods);
}

int stow_consolidate_step(struct stow_consolidating *c, const struct stow_layout *layout, bool *ret)
{
    STOW_AUTO(stepping_done)
    struct stow_stepping s = {.c = c, .deck = &c->deck, .layout = layout, .single = true};
    struct stow_step_part part;
    int code;

    STOW_TRY(open_stepping(&s));
    gather_all(&s, &part);
    code = try_part(&s, &part);
    *ret = code > 0;
    return code < 0 ? code : STOW_OK;
}
