/* realize.c - from counts per type of node to pods on nodes, with every rule held.
 *
 * The solver knows resources, and what may go where; spreading and affinity between pods it does
 * not.  So its answer is a sketch.  All nodes are bought at once, then pods go where the sketch has
 * them as long as the yard allows it.  What the rules refuse is tried again after the others (a
 * spread constraint opens as domains fill, an affinity once its partner is there), then on any
 * other node of the plan, and at last on nodes bought for it: those where most of what is left
 * costs least per pod.  Nodes that stay empty are given back.
 *
 * Whatever a sketch asks for, a node is bought only if the limits and the budget allow it, with all
 * that comes along (groups that scale at once), and if they leave enough for what groups lack of
 * their minNodes.
 *
 * All nodes of a plan count from the beginning: kube-scheduler spreads pods over the nodes there
 * are, and a plan must work however its nodes arrive.  A node that is bought for what is left comes
 * after pods that were put without it, so then everything is done once more with that node there
 * from the start, until no such node is needed. */
#include "scale/cheapest/realize.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"

/* How often nodes are bought for what is left before it stays left: each time asks for all pods
 * again, and more than a few never helped on random clusters. */
#define ROUNDS 8
#define LOOK   64 /* loads or classes, after which the clock is looked at */

/* Nodes of a group that scales at once, bought and not given out yet. */
struct ready {
    uint32_t first, count;
};

struct realizing {
    struct stow_session *session;
    struct stow_yard *yard;
    const struct stow_formulate_options *options;
    uint32_t *node;  /* per node of the sketch: of the yard */
    uint32_t *left;  /* per load: pods not put yet */
    uint32_t *waits; /* loads that may still be put as meant */
    uint32_t waiting;
    bool there_first, tried;           /* of the sketch */
    uint32_t *order;                   /* classes, those of high priority first */
    struct ready *ready;               /* per group */
    struct stow_yard_refusal *refusal; /* per class: of real nodes, of new ones */
    stow_group_id *poor;               /* groups that lacked some of their minNodes at first */
    uint32_t poors;
    stow_nano spent; /* on what the session has bought */
    bool late;       /* the deadline has passed: nothing more is tried */
    /* per crew: its pods put on spot nodes, on others; NULL: not needed */
    uint32_t *on_spot, *durable;
};

static void realizing_done(struct realizing *r)
{
    free(r->node);
    free(r->left);
    free(r->waits);
    free(r->order);
    free(r->ready);
    free(r->refusal);
    free(r->poor);
    free(r->on_spot);
    free(r->durable);
}

static uint32_t remaining(const struct realizing *r, uint32_t class)
{
    return r->yard->class[class].pods - r->session->class_put[class];
}

/* ---- shares of spot nodes ----------------------------------------------------------------- */

/* The pods of a class that come next. */
static const stow_pod_id *next_pods(const struct realizing *r, uint32_t class)
{
    const struct stow_ground *ground = r->session->ground;

    return ground->class_pod + ground->class_first[class] + r->session->class_put[class];
}

/* How many of the next pods of a class may be on a spot node. */
static uint32_t spot_room(const struct realizing *r, uint32_t class, uint32_t count)
{
    const struct stow_crews *crews = r->options->crews;
    const stow_pod_id *pod = next_pods(r, class);
    uint32_t may = 0;

    for (; may < count; may++) {
        const uint32_t crew = crews->of[pod[may]];

        if (r->on_spot[crew] >= crews->room[crew] || r->durable[crew] < crews->owed[crew])
            break;
        r->on_spot[crew]++;
    }
    for (uint32_t i = 0; i < may; i++)
        r->on_spot[crews->of[pod[i]]]--;
    return may;
}

static void count_crews(const struct realizing *r, const stow_pod_id *pod, uint32_t count,
                        uint32_t node)
{
    uint32_t *to;

    if (!r->on_spot)
        return;
    to = stow_crews_is_spot(r->options->crews, r->yard, node) ? r->on_spot : r->durable;
    for (uint32_t i = 0; i < count; i++)
        to[r->options->crews->of[pod[i]]]++;
}

/* ---- putting pods ------------------------------------------------------------------------ */

/* Nothing but room decides where its pods go, and no rule of others counts them. */
static bool is_free_of_rules(const struct realizing *r, uint32_t class)
{
    return r->yard->class[class].plain && !r->yard->class[class].minds;
}

/* A node that the class may be on for now: groups may have to come in order. */
static bool is_open(const struct realizing *r, uint32_t class, uint32_t node)
{
    return node < r->yard->real ||
           stow_weights_allow(r->options->weights, class, r->yard->group_of[node - r->yard->real]);
}

/* Every filter takes one more pod, and what others ask for still holds. */
static bool accepts(const struct realizing *r, uint32_t class, uint32_t node)
{
    return is_open(r, class, node) && stow_yard_fits(r->yard, class, node) &&
           (r->tried || !stow_yard_disturbs(r->yard, class, node));
}

/* Puts up to `count` pods on a node, returns how many; < 0: out of memory. */
static int64_t put(struct realizing *r, uint32_t class, uint32_t node, uint32_t count)
{
    const bool at_once = is_free_of_rules(r, class);
    uint32_t done = 0;

    count = count < remaining(r, class) ? count : remaining(r, class);
    if (r->on_spot && stow_crews_is_spot(r->options->crews, r->yard, node))
        count = spot_room(r, class, count);
    while (done < count && accepts(r, class, node)) {
        const stow_pod_id *pods = next_pods(r, class);
        uint32_t some = 1;

        if (at_once) {
            some = stow_yard_room(r->yard, class, node);
            some = some < count - done ? some : count - done;
        }
        if (stow_session_put(r->session, pods, some, node) < 0)
            return STOW_ENOMEM;
        count_crews(r, pods, some, node);
        r->session->class_put[class] += some;
        done += some;
    }
    return done;
}

static bool is_late(struct realizing *r)
{
    r->late = r->late || stow_clock_is_past(r->options->deadline);
    return r->late;
}

/* What waits goes where the sketch has it; < 0: out of memory, else whether some pods did.  Rules
 * and shares may open later; room does not. */
static int put_waiting(struct realizing *r, const struct stow_sketch *sketch)
{
    bool moved = false;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < r->waiting; i++) {
        const uint32_t at = r->waits[i];
        const struct stow_sketch_load *load = &sketch->load[at];
        int64_t done;

        if (i % LOOK == 0 && is_late(r))
            return 0;
        if (r->node[load->node] == STOW_NONE)
            continue;
        done = put(r, load->class, r->node[load->node], r->left[at]);
        if (done < 0)
            return STOW_ENOMEM;
        r->left[at] -= (uint32_t)done;
        moved |= done > 0;
        if (r->left[at] && (r->on_spot || !is_free_of_rules(r, load->class)))
            r->waits[kept++] = at;
    }
    r->waiting = kept;
    return moved;
}

/* As the sketch has it, again and again while something moves. */
static int put_as_meant(struct realizing *r, const struct stow_sketch *sketch)
{
    int moved = 1;

    while (moved == 1 && r->waiting)
        moved = put_waiting(r, sketch);
    return moved < 0 ? moved : STOW_OK;
}

static bool is_closed(const struct realizing *r, uint32_t node)
{
    return node < r->yard->real && r->options->closed && r->options->closed[node];
}

/* A class on the nodes of a range: how many found a place; < 0: out of memory. */
static int64_t sweep_class(struct realizing *r, uint32_t class, uint32_t from, uint32_t to)
{
    struct stow_yard_refusal *refusal = &r->refusal[2 * (size_t) class + (from >= r->yard->real)];
    const uint32_t known = r->on_spot ? 0 : stow_yard_refused(r->yard, class, refusal);
    int64_t sum = 0;

    from = from < known ? known : from;
    for (uint32_t node = stow_yard_next_room(r->yard, class, from, to);
         node < to && remaining(r, class);
         node = stow_yard_next_room(r->yard, class, node + 1, to)) {
        const int64_t done = is_closed(r, node) ? 0 : put(r, class, node, UINT32_MAX);

        if (done < 0)
            return done;
        sum += done;
    }
    if (remaining(r, class)) /* without rules every node has got as many as it takes */
        stow_yard_note_refusal(r->yard, class, sum && !is_free_of_rules(r, class) ? 0 : to,
                               refusal);
    return sum;
}

/* What is left, class by class, on the nodes of a range; 1: that may have opened others. */
static int sweep(struct realizing *r, uint32_t from, uint32_t to)
{
    bool moved = false;

    for (uint32_t at = 0; at < r->yard->classes && from < to; at++) {
        const uint32_t class = r->order[at];
        int64_t done;

        if (!remaining(r, class))
            continue;
        if (at % LOOK == 0 && is_late(r))
            break;
        done = sweep_class(r, class, from, to);
        if (done < 0)
            return STOW_ENOMEM;
        moved |= done > 0 && (r->yard->class[class].feedings || !is_free_of_rules(r, class));
    }
    return moved;
}

/* Anywhere among the nodes there are: new ones first, then real ones, or the other way round. */
static int put_anywhere(struct realizing *r)
{
    const uint32_t real = r->yard->real, nodes = r->yard->nodes;
    int moved;

    do {
        do
            moved = sweep(r, r->there_first ? 0 : real, r->there_first ? real : nodes);
        while (moved == 1 && !r->late);
        STOW_TRY(moved);
        moved = sweep(r, r->there_first ? real : 0, r->there_first ? nodes : real);
    } while (moved == 1 && !r->late);
    return moved;
}

/* ---- buying ------------------------------------------------------------------------------ */

static bool at_once(const struct realizing *r, stow_group_id group)
{
    return r->session->scale->s->group[group].scaling == STOW_SCALING_ZERO_OR_MAX;
}

/* How many nodes are bought with one: all of a group that scales at once. */
static uint32_t lot(const struct realizing *r, stow_group_id group)
{
    return at_once(r, group) ? stow_session_room(r->session, group) : 1;
}

/* How many nodes a group lacks of its minNodes when it has `more`; one that scales at once gets
 * them with all the others. */
static uint32_t lacks(const struct realizing *r, stow_group_id group, uint32_t more)
{
    const uint64_t size = (uint64_t)r->session->size[group] + more;
    const struct stow_group *g = &r->session->scale->s->group[group];

    if (size >= g->min_nodes)
        return 0;
    return (at_once(r, group) ? g->max_nodes : g->min_nodes) - (uint32_t)size;
}

/* What a lot of the group takes, and all minNodes after it, when a node of each takes `each`. */
static stow_i128 takes(const struct realizing *r, stow_group_id group, const int64_t *each)
{
    const uint32_t nodes = lot(r, group);
    stow_i128 sum = (stow_i128)each[group] * nodes;

    for (uint32_t i = 0; i < r->poors; i++)
        sum += (stow_i128)each[r->poor[i]] * lacks(r, r->poor[i], r->poor[i] == group ? nodes : 0);
    return sum;
}

/* Whether limits and budget allow one more node (or lot), and minNodes besides. */
static bool may_buy(const struct realizing *r, stow_group_id group)
{
    const struct stow_session *session = r->session;
    const stow_nano budget = r->options->budget;

    if (!stow_session_may_add(session, group, NULL))
        return false;
    for (uint32_t i = 0; i < session->limits && r->poors; i++)
        if (takes(r, group, session->limit[i].per_node) > session->limit[i].left)
            return false; /* a limit that is broken already allows nothing while some lack nodes */
    return budget == STOW_MONEY_UNKNOWN ||
           r->spent + takes(r, group, session->scale->paid) <= budget;
}

static uint32_t buy_one(struct realizing *r, stow_group_id group)
{
    r->spent += r->session->scale->paid[group];
    return stow_session_buy(r->session, group);
}

/* A node of a group; of one that scales from nothing to its maximum at once, all of them are
 * bought with the first.  STOW_NONE: out of memory. */
static uint32_t buy(struct realizing *r, stow_group_id group)
{
    uint32_t node;

    if (r->ready[group].count) {
        r->ready[group].count--;
        return r->ready[group].first++;
    }
    node = buy_one(r, group);
    if (node == STOW_NONE || !at_once(r, group))
        return node;
    r->ready[group].first = node + 1;
    while (stow_session_room(r->session, group)) {
        if (buy_one(r, group) == STOW_NONE)
            return STOW_NONE;
        r->ready[group].count++;
    }
    return node;
}

/* What groups lack of their minNodes: the sketch may have been made by one who does not care. */
static int buy_least(struct realizing *r)
{
    for (uint32_t i = 0; i < r->poors; i++)
        while (lacks(r, r->poor[i], 0) && may_buy(r, r->poor[i]))
            if (buy(r, r->poor[i]) == STOW_NONE)
                return STOW_ENOMEM;
    return STOW_OK;
}

/* Which groups lack nodes, and what is spent already. */
static int open_purse(struct realizing *r)
{
    const struct stow_session *session = r->session;

    r->poor = malloc((session->scale->s->groups + 1) * sizeof(*r->poor));
    if (!r->poor)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < session->scale->s->groups; g++)
        if (lacks(r, g, 0) && stow_is_for_sale(r->options->price, g))
            r->poor[r->poors++] = g;
    r->spent = stow_session_spent(session);
    return STOW_OK;
}

/* The nodes of the sketch: bought, where limits allow it. */
static int open_nodes(struct realizing *r, const struct stow_sketch *sketch)
{
    for (uint32_t i = 0; i < sketch->nodes; i++) {
        const struct stow_sketch_node *node = &sketch->node[i];

        r->node[i] = node->group == STOW_NONE ? node->there : STOW_NONE;
        if (node->group == STOW_NONE || (!r->ready[node->group].count && !may_buy(r, node->group)))
            continue;
        r->node[i] = buy(r, node->group);
        if (r->node[i] == STOW_NONE)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

/* ---- nodes for what is left -------------------------------------------------------------- */

/* How many pods of the class one more node of the group takes now; plain ones only by room. */
static uint32_t takes_of(struct realizing *r, uint32_t class, stow_group_id group)
{
    struct stow_yard *yard = r->yard;
    const uint32_t mark = stow_yard_mark(yard);
    uint32_t most = remaining(r, class), node, count = 0;

    if (!stow_weights_allow(r->options->weights, class, group))
        return 0;
    if (r->on_spot && stow_crews_is_spot_group(r->options->crews, group))
        most = spot_room(r, class, most);

    if (is_free_of_rules(r, class)) {
        count = stow_yard_fresh_room(yard, class, group);
        return count < most ? count : most;
    }
    node = stow_yard_add_node(yard, group);
    while (node != STOW_NONE && count < most && accepts(r, class, node)) {
        stow_yard_place(yard, class, node, 1);
        count++;
    }
    stow_yard_rollback(yard, mark);
    return count;
}

static bool is_for_sale(const struct realizing *r, stow_group_id group)
{
    const struct stow_formulate_options *o = r->options;

    return stow_is_for_sale(o->price, group) && !(o->shut && o->shut[group]) &&
           !(o->most && r->session->size[group] >= o->most[group]) && may_buy(r, group);
}

/* The group whose node costs least per pod of the class; STOW_NONE: none takes one.  `ret_most`:
 * how many the group takes that takes most. */
static stow_group_id cheapest(struct realizing *r, uint32_t class, uint32_t *ret_most)
{
    const struct stow_scale *scale = r->session->scale;
    stow_group_id best = STOW_NONE;
    stow_i128 best_price = 0, best_pods = 1;

    *ret_most = 0;
    for (stow_group_id g = 0; g < scale->s->groups; g++) {
        const uint32_t pods = is_for_sale(r, g) ? takes_of(r, class, g) : 0;

        *ret_most = pods > *ret_most ? pods : *ret_most;
        if (!pods)
            continue;
        if (best != STOW_NONE && r->options->price[g] * best_pods * lot(r, g) >= best_price * pods)
            continue;
        best = g;
        best_price = (stow_i128)r->options->price[g] * lot(r, g);
        best_pods = pods;
    }
    return best;
}

/* Nodes for what is left of a class.  A group stays the cheapest while none would take all of it,
 * if nothing but room decides. */
static int buy_for_class(struct realizing *r, uint32_t class)
{
    const bool keeps = is_free_of_rules(r, class) && !r->on_spot;
    stow_group_id group = STOW_NONE;
    uint32_t most = 0;

    while (remaining(r, class) && !is_late(r)) {
        uint32_t node;

        if (group == STOW_NONE || !keeps || remaining(r, class) < most || !is_for_sale(r, group))
            group = cheapest(r, class, &most);
        if (group == STOW_NONE)
            break;
        node = buy(r, group);
        if (node == STOW_NONE || put(r, class, node, UINT32_MAX) < 0)
            return STOW_ENOMEM;
        STOW_TRY(put_anywhere(r));
    }
    return STOW_OK;
}

static int buy_for_rest(struct realizing *r)
{
    for (uint32_t at = 0; at < r->yard->classes; at++)
        STOW_TRY(buy_for_class(r, r->order[at]));
    return STOW_OK;
}

/* ---- empty nodes ------------------------------------------------------------------------- */

static bool is_empty(const struct stow_yard *yard, uint32_t node)
{
    return yard->free[0][node] == yard->group[yard->group_of[node - yard->real]].room[0];
}

/* A group that an empty node can be given back to: above its minNodes, and not bought at once. */
static bool can_shrink(const struct stow_session *session, stow_group_id group, uint32_t size)
{
    const struct stow_group *g = &session->scale->s->group[group];

    return size > g->min_nodes && g->scaling != STOW_SCALING_ZERO_OR_MAX;
}

/* Empty nodes that nothing asks for: how many there are. */
static uint32_t count_idle(const struct stow_session *session, uint32_t first)
{
    const struct stow_yard *yard = session->yard;
    uint32_t idle = 0;

    for (uint32_t node = first; node < yard->nodes; node++) {
        const stow_group_id group = yard->group_of[node - yard->real];

        idle += is_empty(yard, node) && can_shrink(session, group, session->size[group]);
    }
    return idle;
}

/* What the session put since `puts` as a sketch; nodes from `first` on are new, and those of them
 * that stay empty are left out if that is asked for. */
static int sketch_again(const struct stow_session *session, uint32_t puts, uint32_t first,
                        bool without_idle, struct stow_sketch *ret)
{
    const struct stow_yard *yard = session->yard;
    STOW_AUTO(stow_free_local) uint32_t *size = NULL;
    STOW_AUTO(stow_free_local) uint32_t *place = malloc((yard->nodes + 1) * sizeof(*place));
    const size_t bytes = (session->scale->s->groups + 1) * sizeof(*size);

    size = malloc(bytes);
    if (!size || !place)
        return STOW_ENOMEM;
    memcpy(size, session->size, bytes - sizeof(*size));
    for (uint32_t node = 0; node < yard->nodes; node++) {
        const bool new = node >= first;
        const stow_group_id group = new ? yard->group_of[node - yard->real] : STOW_NONE;

        place[node] = ret->nodes;
        if (new &&without_idle && is_empty(yard, node) && can_shrink(session, group, size[group])) {
            size[group]--;
            continue;
        }
        STOW_TRY(stow_sketch_add_node(ret, group, new ? STOW_NONE : node));
    }
    for (uint32_t i = puts; i < session->puts; i++) {
        const struct stow_put *put = &session->put[i];

        STOW_TRY(stow_sketch_add_load(ret, yard->class_of[put->pod[0]], put->count));
        ret->load[ret->loads - 1].node = place[put->node];
    }
    return STOW_OK;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int by_priority(const void *a, const void *b, void *classes)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct stow_yard_class *class = classes;

    if (class[x].priority != class[y].priority)
        return class[x].priority < class[y].priority ? 1 : -1;
    return (x > y) - (x < y);
}

/* Pods that were put before count, too. */
static int open_crews(struct realizing *r)
{
    const struct stow_crews *crews = r->options->crews;

    if (!stow_crews_asked(crews))
        return STOW_OK;
    r->on_spot = calloc(crews->crews, sizeof(*r->on_spot));
    r->durable = calloc(crews->crews, sizeof(*r->durable));
    if (!r->on_spot || !r->durable)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < r->session->puts; i++)
        count_crews(r, r->session->put[i].pod, r->session->put[i].count, r->session->put[i].node);
    return STOW_OK;
}

static int open_sketch(struct realizing *r, const struct stow_sketch *sketch)
{
    r->order = malloc((r->yard->classes + 1) * sizeof(*r->order));
    r->ready = calloc(r->session->scale->s->groups + 1, sizeof(*r->ready));
    r->node = malloc((sketch->nodes + 1) * sizeof(*r->node));
    r->left = malloc((sketch->loads + 1) * sizeof(*r->left));
    r->waits = malloc((sketch->loads + 1) * sizeof(*r->waits));
    r->refusal = calloc(2 * ((size_t)r->yard->classes + 1), sizeof(*r->refusal));
    if (!r->node || !r->left || !r->waits || !r->order || !r->ready || !r->refusal)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < r->yard->classes; i++)
        r->order[i] = i;
    qsort_r(r->order, r->yard->classes, sizeof(*r->order), by_priority, r->yard->class);
    for (uint32_t i = 0; i < sketch->loads; i++) {
        r->left[i] = sketch->load[i].count;
        r->waits[r->waiting++] = i;
    }
    for (uint32_t i = 0; i < r->yard->classes; i++)
        STOW_TRY(stow_yard_ask_real(r->yard, i));
    STOW_TRY(open_purse(r));
    return open_crews(r);
}

/* One attempt.  `closed`: nothing is bought beyond the sketch.  1: too late. */
static int realize_once(struct stow_session *session, const struct stow_sketch *sketch,
                        const struct stow_formulate_options *options, bool closed)
{
    STOW_AUTO(realizing_done)
    struct realizing r = {.session = session,
                          .yard = session->yard,
                          .options = options,
                          .there_first = sketch->there_first,
                          .tried = sketch->tried};

    STOW_TRY(open_sketch(&r, sketch));
    STOW_TRY(open_nodes(&r, sketch));
    STOW_TRY(buy_least(&r));
    STOW_TRY(put_as_meant(&r, sketch));
    if (r.tried && !stow_yard_is_even(r.yard))
        return 1; /* it did not come out as it was tried */
    r.tried = false;
    STOW_TRY(put_anywhere(&r));
    if (!closed)
        STOW_TRY(buy_for_rest(&r));
    return r.late;
}

/* What a session had put and bought when realizing began. */
struct before {
    uint32_t mark, puts, nodes;
    uint32_t *class_put;
};

static int note_before(const struct stow_session *session, struct before *ret)
{
    const size_t bytes = (session->yard->classes + 1) * sizeof(*ret->class_put);

    *ret = (struct before){stow_yard_mark(session->yard), session->puts, session->yard->nodes,
                           malloc(bytes)};
    if (!ret->class_put)
        return STOW_ENOMEM;
    memcpy(ret->class_put, session->class_put, bytes);
    return STOW_OK;
}

static void go_back(struct stow_session *session, const struct before *before)
{
    stow_session_give_back(session, before->mark);
    session->puts = before->puts;
    memcpy(session->class_put, before->class_put,
           (session->yard->classes + 1) * sizeof(*session->class_put));
}

static uint64_t count_put(const struct stow_session *session)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < session->yard->classes; i++)
        count += session->class_put[i];
    return count;
}

/* Whether a node came after pods for which the nodes there are count. */
static bool has_late_nodes(const struct stow_session *session, const struct before *before)
{
    const struct stow_yard *yard = session->yard;

    for (uint32_t i = before->puts; i < session->puts; i++)
        if (session->put[i].nodes < yard->nodes &&
            yard->class[yard->class_of[session->put[i].pod[0]]].spreads)
            return true;
    return false;
}

/* What the session was realized from last. */
struct attempt {
    const struct stow_sketch *sketch;
    struct stow_sketch own;
    bool closed;
};

static void attempt_done(struct attempt *attempt)
{
    stow_sketch_done(&attempt->own);
}

/* A sketch, and again with the nodes that were bought late there from the beginning. */
static int realize_settled(struct stow_session *session,
                           const struct stow_formulate_options *options,
                           const struct before *before, struct attempt *last)
{
    int late = realize_once(session, last->sketch, options, last->closed);

    for (uint32_t round = 1; late == 0 && has_late_nodes(session, before) && round <= ROUNDS;
         round++) {
        const bool there_first = last->sketch->there_first;

        stow_sketch_done(&last->own);
        last->own.there_first = there_first;
        STOW_TRY(sketch_again(session, before->puts, before->nodes, false, &last->own));
        go_back(session, before);
        last->sketch = &last->own;
        last->closed = round == ROUNDS;
        late = realize_once(session, last->sketch, options, last->closed);
    }
    return late;
}

/* Again without the nodes that stayed empty, unless pods lose their place by that: limits may have
 * room for others then. */
static int drop_idle(struct stow_session *session, const struct stow_formulate_options *options,
                     const struct before *before, struct attempt *last)
{
    STOW_AUTO(stow_sketch_done)
    struct stow_sketch busy = {.there_first = last->sketch->there_first};
    STOW_AUTO(attempt_done) struct attempt again = {.sketch = &busy, .closed = last->closed};
    const uint64_t placed = count_put(session);

    if (!count_idle(session, before->nodes))
        return STOW_OK;
    STOW_TRY(sketch_again(session, before->puts, before->nodes, true, &busy));
    go_back(session, before);

    const int late = realize_settled(session, options, before, &again);

    if (late || count_put(session) >= placed)
        return late;
    go_back(session, before);
    return realize_once(session, last->sketch, options, last->closed);
}

static int realize(struct stow_session *session, const struct stow_sketch *sketch,
                   const struct stow_formulate_options *options, const struct before *before)
{
    STOW_AUTO(attempt_done) struct attempt last = {.sketch = sketch, .closed = sketch->closed};

    const int late = realize_settled(session, options, before, &last);

    return late ? late : drop_idle(session, options, before, &last);
}

int stow_realize(struct stow_session *session, const struct stow_sketch *sketch,
                 const struct stow_formulate_options *options)
{
    struct before before;
    int code;

    STOW_TRY(note_before(session, &before));
    code = realize(session, sketch, options, &before);
    free(before.class_put);
    return code;
}

int stow_sketch_of_session(const struct stow_session *session, struct stow_sketch *ret)
{
    return sketch_again(session, 0, session->yard->real, true, ret);
}
