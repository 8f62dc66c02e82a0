/* karpenter.c - what Karpenter would buy: its own rule of packing.
 *
 * The rule
 * --------
 * Pods come by their cpu request, largest first, then by memory, then by age, then by UID.  Each
 * goes
 *
 *   1. to the first node that takes it, of those that are there or on their way: initialised ones
 *      first, then by name;
 *   2. to the first planned node that takes it, those with the fewest pods first;
 *   3. to a new planned node, of the first pool that has one for it: pools by weight, of equal ones
 *      the name later in the alphabet first.
 *
 * A planned node is not of a type: it keeps the set of types that can still hold its pods, and
 * takes pods as long as one is left.  Requirements only narrow it.  Prices are looked at in the end
 * alone, when each becomes the cheapest that is left (market.c).  A pod that finds
 * nothing drops a preference and tries again (ask.c); one that has none to drop goes to
 * the end of the queue, until a whole round of the queue places no pod.
 *
 * The list of planned nodes is sorted by pods, in place, before every pod.  So of those with as
 * many, the one that got its last pod last comes first, and a new one last.
 *
 * Why it is fast
 * --------------
 * Upstream asks every type about every planned node for every pod.  Here pods that are alike are a
 * class; planned nodes only fill and rules only narrow, so a planned node that has refused a class
 * for want of room refuses it for good, and one bit remembers that.  Groups with the same room are
 * asked about once.  What is left is one look at a bit per pod and planned node.
 *
 * Rules over several nodes are asked again (topology.c), since they may come to accept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scale/karpenter/karpenter_internal.h"
#include "scale/yard/rules.h"

#define LOOK 64 /* pods, after which the clock is looked at */

/* What all passes have decided, in order. */
struct decided {
    stow_pod_id *pod; /* in the plan's arena */
    uint32_t *node;   /* of the yard */
    uint32_t count;
    uint8_t *has; /* per pod: it has a place */
};

static void decided_done(struct decided *d)
{
    free(d->node);
    free(d->has);
}

/* A pod that waits. */
struct waiting {
    stow_pod_id pod;
    uint32_t length; /* of the queue when it was put back; 0: it was not yet */
};

struct packing {
    struct stow_karpenter k;
    struct waiting *queue; /* a ring */
    uint32_t head, length, cap;
    struct decided *decided;
};

static void packing_done(struct packing *p)
{
    for (uint32_t i = 0; p->k.count && i < p->k.yard->overlays; i++)
        free(p->k.count[i].host);
    free(p->k.planned);
    free(p->k.order);
    free(p->k.ask);
    free(p->queue);
    stow_arena_done(&p->k.arena);
}

/* ---- the order of pods ----------------------------------------------------------------------- */

static int64_t need_of(const struct stow_snapshot *s, stow_pod_id pod, stow_resource_id resource)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(s, s->demand[s->pod[pod].spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource == resource)
            return list[i].value;
    return 0;
}

static int compare_texts(const struct stow_snapshot *s, stow_sym a, stow_sym b)
{
    const struct stow_str x = a ? stow_text(s, a) : STOW_STR(""), y = b ? stow_text(s, b) : x;

    if (a == b || !b)
        return a == b ? 0 : 1;
    return stow_str_cmp(x, y);
}

static int compare_pods(const void *a, const void *b, void *of)
{
    const stow_pod_id x = ((const struct waiting *)a)->pod, y = ((const struct waiting *)b)->pod;
    const struct stow_snapshot *s = of;
    static const stow_resource_id by[] = {STOW_RESOURCE_CPU, STOW_RESOURCE_MEMORY};

    for (uint32_t i = 0; i < 2; i++) {
        const int64_t mine = need_of(s, x, by[i]), other = need_of(s, y, by[i]);

        if (mine != other)
            return mine > other ? -1 : 1;
    }
    if (s->pod[x].created != s->pod[y].created)
        return s->pod[x].created < s->pod[y].created ? -1 : 1;
    if (s->pod[x].uid != s->pod[y].uid)
        return compare_texts(s, s->pod[x].uid, s->pod[y].uid);
    return (x > y) - (x < y);
}

static int queue_pods(struct packing *p)
{
    const struct stow_ground *ground = p->k.session->ground;

    p->cap = ground->pendings + 1;
    p->queue = calloc(p->cap, sizeof(*p->queue));
    if (!p->queue)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < ground->pendings; i++)
        if (!p->decided->has[ground->pending[i]])
            p->queue[p->length++].pod = ground->pending[i];
    qsort_r(p->queue, p->length, sizeof(*p->queue), compare_pods, (void *)p->k.yard->s);
    return STOW_OK;
}

/* The next one; false: since it was put back, no pod has found a place. */
static bool take_next(struct packing *p, struct waiting *ret)
{
    if (!p->length || p->queue[p->head].length == p->length)
        return false;
    *ret = p->queue[p->head];
    p->head = (p->head + 1) % p->cap;
    p->length--;
    return true;
}

static void put_back(struct packing *p, struct waiting one)
{
    p->length++;
    one.length = p->length;
    p->queue[(p->head + p->length - 1) % p->cap] = one;
}

/* ---- nodes that are there ----------------------------------------------------------------------
 */

static void decide(struct decided *d, stow_pod_id pod, uint32_t node)
{
    d->pod[d->count] = pod;
    d->node[d->count++] = node;
    d->has[pod] = 1;
}

static bool has_rules(const struct stow_yard_class *class)
{
    return class->spreads || class->attracts || class->shuns;
}

static bool takes_on(struct stow_karpenter *k, const struct stow_kask *ask, uint32_t node)
{
    return ask->nodes[node] && stow_yard_holds(k->yard, ask->class, node) &&
           (!has_rules(&k->yard->class[ask->class]) || stow_karpenter_allows(k, ask->class, node));
}

/* 1: a node took it; 0: none does. */
static int try_nodes(struct packing *p, struct stow_kask *ask, stow_pod_id pod)
{
    struct stow_karpenter *k = &p->k;
    const struct stow_yard_class *class = &k->yard->class[ask->class];

    for (uint32_t i = ask->from; i < k->nodes; i++) {
        const uint32_t node = k->node[i];

        if (!takes_on(k, ask, node)) {
            /* without rules, what has no room now never has */
            ask->from += class->plain && i == ask->from;
            continue;
        }
        stow_yard_place(k->yard, ask->class, node, 1);
        stow_karpenter_count_on(k, ask->class, node);
        decide(p->decided, pod, node);
        return k->yard->failed ? STOW_ENOMEM : 1;
    }
    return 0;
}

/* ---- planned nodes -----------------------------------------------------------------------------
 */

static bool has_refused(const struct stow_kplanned *planned, uint32_t ask)
{
    return planned->refused[ask / STOW_SLOT_BITS] >> ask % STOW_SLOT_BITS & 1;
}

static bool fits_shape(const struct stow_karpenter *k, const struct stow_kplanned *planned,
                       const struct stow_yard_class *class, uint32_t slot)
{
    for (uint32_t i = 0; i < class->dims; i++) {
        const uint32_t d = class->dim[i];

        if (k->room[d][slot] - planned->used[d] < class->need[d])
            return false;
    }
    return true;
}

static bool is_too_full(const struct stow_kplanned *planned, const struct stow_yard_class *class)
{
    for (uint32_t i = 0; i < class->dims; i++)
        if (planned->spare[class->dim[i]] < class->need[class->dim[i]])
            return true;
    return false;
}

/* What it may still become with one more pod, into k->words. */
static bool survives(struct stow_karpenter *k, const struct stow_kplanned *planned,
                     const struct stow_kask *ask)
{
    const struct stow_kpool *pool = &k->pool[planned->pool];
    const struct stow_yard_class *class = &k->yard->class[ask->class];
    const uint64_t *may = ask->slots + pool->first / STOW_SLOT_BITS;
    uint32_t last = STOW_NONE;
    bool fits = false;

    if (is_too_full(planned, class))
        return false;
    for (uint32_t w = 0; w < pool->words; w++)
        k->words[w] = planned->alive[w] & may[w];
    STOW_EACH_SLOT (slot, pool, k->words) {
        if (k->shape[slot] != last)
            fits = fits_shape(k, planned, class, slot);
        last = k->shape[slot];
        if (!fits)
            stow_karpenter_drop(pool, k->words, slot);
    }
    return stow_karpenter_any(pool, k->words) &&
           stow_karpenter_is_varied(k, planned->pool, k->words);
}

/* The most that a group which is left has beyond what is used. */
static void measure_spare(struct stow_karpenter *k, struct stow_kplanned *planned)
{
    const struct stow_kpool *pool = &k->pool[planned->pool];
    uint32_t last = STOW_NONE;

    for (uint32_t d = 0; d < k->yard->dims; d++)
        planned->spare[d] = INT64_MIN;
    STOW_EACH_SLOT (slot, pool, planned->alive) {
        if (k->shape[slot] == last)
            continue;
        last = k->shape[slot];
        for (uint32_t d = 0; d < k->yard->dims; d++)
            if (k->room[d][slot] > planned->spare[d])
                planned->spare[d] = k->room[d][slot];
    }
    for (uint32_t d = 0; d < k->yard->dims; d++)
        planned->spare[d] -= planned->used[d];
}

/* One more pod on it; what it may become is in k->words. */
static int join(struct packing *p, uint32_t number, uint32_t ask, stow_pod_id pod)
{
    struct stow_karpenter *k = &p->k;
    struct stow_kplanned *planned = &k->planned[number];
    const uint32_t of = k->ask[ask].class;
    const struct stow_yard_class *class = &k->yard->class[of];

    stow_karpenter_narrow(k, planned, k->words);
    for (uint32_t i = 0; i < class->dims; i++)
        planned->used[class->dim[i]] += class->need[class->dim[i]];
    planned->pods++;
    measure_spare(k, planned);
    decide(p->decided, pod, k->nodes + number);
    if (planned->node != STOW_NONE)
        stow_yard_place(k->yard, of, planned->node, 1);
    return k->yard->failed ? STOW_ENOMEM : stow_karpenter_count(k, of, number);
}

/* Before the others with as many pods. */
static void move_back(struct stow_karpenter *k, uint32_t at)
{
    const uint32_t number = k->order[at], pods = k->planned[number].pods;
    uint32_t to = at;

    while (to + 1 < k->planneds && k->planned[k->order[to + 1]].pods < pods)
        to++;
    memmove(k->order + at, k->order + at + 1, (to - at) * sizeof(*k->order));
    k->order[to] = number;
}

/* 1: it took the pod; 0: it does not. */
static int try_one(struct packing *p, uint32_t number, uint32_t ask, stow_pod_id pod)
{
    struct stow_karpenter *k = &p->k;
    struct stow_kplanned *planned = &k->planned[number];
    const uint32_t of = k->ask[ask].class;

    if (!survives(k, planned, &k->ask[ask])) {
        planned->refused[ask / STOW_SLOT_BITS] |= UINT64_C(1) << ask % STOW_SLOT_BITS;
        return 0;
    }
    if (planned->node != STOW_NONE && !stow_yard_keeps_apart(k->yard, of, planned->node))
        return 0;
    if (has_rules(&k->yard->class[of]) &&
        !stow_karpenter_spread(k, of, number, planned->pool, k->words))
        return 0;
    return join(p, number, ask, pod) < 0 ? STOW_ENOMEM : 1;
}

static int try_planned(struct packing *p, uint32_t ask, stow_pod_id pod)
{
    struct stow_karpenter *k = &p->k;

    for (uint32_t i = 0; i < k->planneds; i++) {
        int done;

        if (has_refused(&k->planned[k->order[i]], ask))
            continue;
        done = try_one(p, k->order[i], ask, pod);
        if (done)
            move_back(k, i);
        if (done)
            return done;
    }
    return 0;
}

/* ---- new ones -----------------------------------------------------------------------------------
 */

static int make_planned(struct stow_karpenter *k, uint32_t pool)
{
    struct stow_kplanned *made = STOW_PUSH(&k->planned, &k->planneds, &k->planned_cap);
    const uint32_t words = k->pool[pool].words, dims = k->yard->dims;

    if (!made || stow_vec_reserve(&k->order, &k->order_cap, k->planneds, sizeof(*k->order)) < 0)
        return STOW_ENOMEM;
    *made = (struct stow_kplanned){
        .pool = pool,
        .node = STOW_NONE,
        .alive = stow_arena_alloc(&k->arena, words * sizeof(*made->alive)),
        .refused =
            stow_arena_zalloc(&k->arena, (k->asks / STOW_SLOT_BITS + 1) * sizeof(*made->refused)),
        .used = stow_arena_zalloc(&k->arena, dims * sizeof(*made->used)),
        .spare = stow_arena_zalloc(&k->arena, dims * sizeof(*made->spare)),
    };
    if (!made->alive || !made->refused || !made->used || !made->spare)
        return STOW_ENOMEM;
    memcpy(made->alive, k->words, words * sizeof(*k->words));
    if (k->apart) /* of any group: ports and volumes are all that is looked at */
        made->node = stow_yard_add_node(k->yard, k->group[k->pool[pool].first]);
    return k->yard->failed ? STOW_ENOMEM : STOW_OK;
}

/* A new one comes after all with one pod. */
static void enter(struct stow_karpenter *k)
{
    uint32_t at = k->planneds - 1;

    for (; at > 0 && k->planned[k->order[at - 1]].pods > 1; at--)
        k->order[at] = k->order[at - 1];
    k->order[at] = k->planneds - 1;
}

/* Whether a node of the pool could be planned for the pod; what it may become is in k->words. */
static bool offers(struct stow_karpenter *k, struct stow_kask *ask, uint32_t pool)
{
    const struct stow_yard_class *class = &k->yard->class[ask->class];

    if (ask->shut[pool])
        return false;
    if (!stow_karpenter_offer(k, ask, pool)) {
        ask->shut[pool] = !k->capped; /* limits only shrink; a maximum may be given back */
        return false;
    }
    return !has_rules(class) || stow_karpenter_spread(k, ask->class, STOW_NONE, pool, k->words);
}

static int try_new(struct packing *p, uint32_t ask, stow_pod_id pod)
{
    struct stow_karpenter *k = &p->k;

    if (k->apart && stow_yard_claim_taken(k->yard, &k->yard->class[k->ask[ask].class]))
        return 0;
    for (uint32_t i = 0; i < k->pools; i++) {
        if (!offers(k, &k->ask[ask], i))
            continue;
        if (make_planned(k, i) < 0)
            return STOW_ENOMEM;
        if (join(p, k->planneds - 1, ask, pod) < 0)
            return STOW_ENOMEM;
        stow_karpenter_charge(k, &k->planned[k->planneds - 1]);
        enter(k);
        return 1;
    }
    return 0;
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

/* 1: the pod has a place; 0: it has none. */
static int place(struct packing *p, stow_pod_id pod)
{
    struct stow_karpenter *k = &p->k;
    const struct stow_kasks *asks = &k->class[k->yard->class_of[pod]];

    for (uint32_t i = asks->first; i < asks->first + asks->count; i++) {
        int done = try_nodes(p, &k->ask[i], pod);

        if (!done)
            done = try_planned(p, i, pod);
        if (!done)
            done = try_new(p, i, pod);
        if (done)
            return done;
    }
    return 0;
}

static int pack(struct packing *p)
{
    struct waiting next;
    uint32_t looked = 0;

    while (take_next(p, &next)) {
        const int done = place(p, next.pod);

        if (done < 0)
            return done;
        if (!done)
            put_back(p, next);
        if (looked++ % LOOK == 0 && stow_session_is_late(p->k.session))
            break;
    }
    return STOW_OK;
}

/* Every planned node becomes one to buy, with its pods on it. */
static int launch(struct packing *p, uint32_t first, uint32_t mark)
{
    struct stow_karpenter *k = &p->k;
    const struct decided *d = p->decided;

    stow_yard_rollback(k->yard, mark);
    for (uint32_t i = 0; i < k->planneds; i++)
        if (stow_session_buy(k->session, stow_karpenter_launch(k, &k->planned[i])) == STOW_NONE)
            return STOW_ENOMEM;
    for (uint32_t i = first; i < d->count; i++)
        stow_yard_place(k->yard, k->yard->class_of[d->pod[i]], d->node[i], 1);
    return k->yard->failed ? STOW_ENOMEM : STOW_OK;
}

static bool is_apart(const struct stow_yard *yard)
{
    for (uint32_t i = 0; i < yard->classes; i++)
        if (yard->class[i].takings || yard->class[i].uses || yard->class[i].soles)
            return true;
    return false;
}

/* All that waits, beside what passes before have launched and placed. */
static int run_pass(struct stow_session *session, struct decided *decided)
{
    STOW_AUTO(packing_done)
    struct packing p = {.k = {.session = session,
                              .scale = session->scale,
                              .yard = session->yard,
                              .nodes = session->yard->nodes,
                              .apart = is_apart(session->yard)},
                        .decided = decided};
    const uint32_t first = decided->count, mark = stow_yard_mark(session->yard);

    STOW_TRY(stow_karpenter_open_market(&p.k));
    STOW_TRY(stow_karpenter_open_asks(&p.k));
    STOW_TRY(stow_karpenter_open_topology(&p.k));
    for (uint32_t i = 0; i < first; i++)
        stow_karpenter_count_on(&p.k, session->yard->class_of[decided->pod[i]], decided->node[i]);
    STOW_TRY(queue_pods(&p));
    STOW_TRY(pack(&p));
    return launch(&p, first, mark);
}

/* Limits are charged with more than is launched, and a planned node may have been anywhere: there
 * may be more to do once it is known what was bought. */
static int run_passes(struct stow_session *session, struct decided *decided)
{
    const uint32_t pods = session->ground->pendings;
    uint32_t before;

    decided->pod = stow_arena_alloc(session->arena, ((size_t)pods + 1) * sizeof(*decided->pod));
    decided->node = malloc(((size_t)pods + 1) * sizeof(*decided->node));
    decided->has = calloc((size_t)session->yard->s->pods + 1, 1);
    if (!decided->pod || !decided->node || !decided->has)
        return STOW_ENOMEM;
    do {
        before = decided->count;
        STOW_TRY(run_pass(session, decided));
    } while (decided->count < pods && decided->count > before &&
             session->yard->nodes > session->yard->real && !stow_session_is_late(session));
    return STOW_OK;
}

/* The pods once more, with all nodes there from the beginning. */
static int seat(struct stow_session *session, const struct decided *decided)
{
    const struct stow_yard *yard = session->yard;
    const uint32_t nodes = yard->nodes - yard->real;
    STOW_AUTO(stow_free_local)
    stow_group_id *group = malloc(((size_t)nodes + 1) * sizeof(*group));

    if (!group)
        return STOW_ENOMEM;
    memcpy(group, yard->group_of, nodes * sizeof(*group));
    stow_session_give_back(session, 0);
    for (uint32_t i = 0; i < nodes; i++)
        if (stow_session_buy(session, group[i]) == STOW_NONE)
            return STOW_ENOMEM;
    return stow_session_seat(session, decided->pod, decided->node, decided->count);
}

int stow_plan_karpenter(struct stow_session *session, struct stow_err *err)
{
    STOW_AUTO(decided_done) struct decided decided = {0};

    if (run_passes(session, &decided) < 0 || seat(session, &decided) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}
