/* ordered.c - groups with priorities: as many pods as possible on the first, then on the
 * next.
 *
 * The best that the order can ask for is that every pod is at home: on a node that is there, or on
 * a group of the highest priority that takes it.  Where that is possible, any plan as good in the
 * order does the same.  So the other groups can be left out of the problems for a class, and these
 * are the ones that planning without an order has (problems.c), with their rules over zones
 * and their bounds.
 *
 * Else there is a problem for each step of the order, over what the steps before have left.  Where
 * limits leave pods out, that is not enough: which pods are left comes before the order of groups,
 * so plans in which several steps are one problem are measured, too. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "scale/cheapest/cheapest_internal.h"
#include "scale/cheapest/proof.h"

#define RAISES_MAX    256 /* tries to move pods to a group further up */
#define ORDERS_TRIED  8   /* numbers of tiers that get a problem of their own */
#define STEEP         8  /* a step down the order of groups, in nodes of the most expensive group */
#define PODS_FEW      12 /* every plan is tried: some hundredths of a second */
#define LAST_PART     0.05 /* of the time: for less nothing is begun */
#define FOLLOW_FIRST  0.2  /* seconds for the first problem that follows a plan */
#define FOLLOW_GROWTH 3    /* of that time */
#define ZONES_PART    0.2  /* of the time, with some zones closed */
#define RULES_PART    0.4 /* of the time, to see it where rules over several nodes are in the way */
#define HOME_PART     0.2 /* of the time, to see whether every pod can be at home */

/* How the steps are planned. */
struct stepping {
    const struct stow_formulate_options *scope;
    uint32_t alone;       /* tiers that come one after the other; the others are one problem */
    double share;         /* of the time, for each step */
    const uint32_t *most; /* per group: nodes it may come to; NULL: what limits allow */
    bool flat;            /* a tier takes most pods when it need not prefer the important */
};

/* Per group, of the step at hand. */
struct step_groups {
    bool *shut;       /* not of the step */
    stow_nano *steep; /* what a node weighs in it */
};

static int make_step_groups(struct stow_planning *p, struct step_groups *ret)
{
    const size_t groups = (size_t)p->session->scale->s->groups + 1;

    ret->shut = stow_arena_zalloc(&p->arena, groups * sizeof(*ret->shut));
    ret->steep = stow_arena_zalloc(&p->arena, groups * sizeof(*ret->steep));
    return ret->shut && ret->steep ? STOW_OK : STOW_ENOMEM;
}

/* What is still pending, class by class. */
static int parts_left(const struct stow_planning *p, struct stow_parts *parts)
{
    uint32_t kept = 0;

    STOW_TRY(stow_parts_whole(p->session, parts));
    for (uint32_t i = 0; i < parts->parts; i++) {
        struct stow_part *part = &parts->part[i];

        part->count -= p->session->class_put[part->class];
        if (part->count)
            parts->part[kept++] = *part;
    }
    parts->parts = kept;
    return STOW_OK;
}

/* Opens the groups of a step: of one tier, or (the last step) of it and all below.  A step down
 * weighs more than nodes cost then, so that the problem itself prefers groups further up. */
static void open_step(const struct stow_planning *p, uint32_t tier, bool last,
                      const struct step_groups *to)
{
    const struct stow_weights *w = &p->weights;
    stow_nano most = 0, down, steep;

    for (stow_group_id g = 0; g < p->session->scale->s->groups; g++)
        if (stow_is_for_sale(w->price, g) && w->price[g] > most)
            most = w->price[g];
    for (stow_group_id g = 0; g < p->session->scale->s->groups; g++) {
        to->shut[g] = last ? w->tier[g] < tier : w->tier[g] != tier;
        to->steep[g] = w->price[g];
        if (!to->shut[g] && stow_is_for_sale(w->price, g) &&
            !__builtin_mul_overflow(most, (stow_nano)STEEP * (w->tier[g] - tier), &down) &&
            !__builtin_add_overflow(w->price[g], down, &steep) && steep < INT64_MAX / 1000000)
            to->steep[g] = steep;
    }
}

/* What the groups that are open can take of what is left.  1: there was no time for it. */
static int plan_step(struct stow_planning *p, const struct stow_formulate_options *step,
                     double share, struct stow_err *err)
{
    STOW_AUTO(stow_solving_done) struct stow_solving s = {0};
    int late;

    if (parts_left(p, &s.parts) < 0)
        return stow_fail_memory(err);
    if (!s.parts.parts)
        return STOW_OK;
    STOW_TRY(stow_planning_solve(p, step, &s, stow_planning_part(p, share), err));
    p->session->plan->settled &= s.solution.settled;
    if (stow_sketch_of(&s.formulation, &s.solution.plan, &s.sketch) < 0)
        return stow_fail_memory(err);
    late = stow_planning_realize(p, step, &s.sketch);
    return late < 0 ? stow_fail_memory(err) : late;
}

/* What the steps have come to, measured as all plans are. */
static int keep_steps(struct stow_planning *p, const struct stow_formulate_options *scope)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};

    STOW_TRY(stow_sketch_of_session(p->session, &sketch));
    return stow_planning_try(p, scope, &sketch, false);
}

/* The first tiers one after the other, then the others as one problem. */
static int try_steps(struct stow_planning *p, const struct stepping *how, struct stow_err *err)
{
    struct stow_formulate_options step = *how->scope;
    struct step_groups groups;
    int code = STOW_OK;

    if (make_step_groups(p, &groups) < 0)
        return stow_fail_memory(err);
    step.shut = groups.shut;
    step.price = groups.steep;
    step.most = how->most;
    step.flat = how->flat;
    stow_planning_clear(p);
    for (uint32_t tier = 0; tier <= how->alone && code == STOW_OK; tier++) {
        open_step(p, tier, tier == how->alone, &groups);
        code =
            p->best.exists && stow_planning_is_late(p) ? 1 : plan_step(p, &step, how->share, err);
    }
    if (code)
        return code < 0 ? code : STOW_OK;
    return keep_steps(p, how->scope) < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* All tiers one after the other. */
static struct stepping each_tier(const struct stow_planning *p,
                                 const struct stow_formulate_options *scope, double share)
{
    const uint32_t tiers = p->weights.tiers;

    return (struct stepping){.scope = scope, .alone = tiers - 1, .share = share / tiers};
}

/* Where limits leave pods out, the first tiers take what the others need more: nodes of a total,
 * money.  And of pods that a tier could take, those that it leaves may have to go far down.  How
 * many tiers come one after the other, with the others as one problem, is therefore tried out. */
static int try_orders(struct stow_planning *p, double share, bool flat, struct stow_err *err)
{
    const uint32_t last = p->weights.tiers - 1;
    const uint32_t orders = last < ORDERS_TRIED ? last : ORDERS_TRIED;
    struct stepping how = {.scope = &p->scope, .flat = flat};

    for (; how.alone < orders && !stow_planning_is_late(p); how.alone++) {
        how.share = share / (orders * (how.alone + 1));
        STOW_TRY(try_steps(p, &how, err));
    }
    return STOW_OK;
}

/* Where all pods find room, a tier takes most of them when it need not prefer the important. */
static int try_flat(struct stow_planning *p, struct stow_err *err)
{
    struct stepping how = each_tier(p, &p->scope, 0.05);

    how.flat = true;
    STOW_TRY(try_steps(p, &how, err));
    return try_orders(p, 0.05, true, err);
}

/* The nodes of the best plan may be the right ones, and a problem over several tiers does not mind
 * which of them a pod is on: the same nodes tier by tier. */
static int try_same_nodes(struct stow_planning *p, struct stow_err *err)
{
    const size_t groups = p->session->scale->s->groups;
    uint32_t *most = stow_arena_zalloc(&p->arena, (groups + 1) * sizeof(*most));
    struct stepping how = each_tier(p, &p->scope, 0.05);

    if (!most || stow_planning_show_best(p) < 0)
        return stow_fail_memory(err);
    memcpy(most, p->session->size, groups * sizeof(*most));
    how.most = most;
    STOW_TRY(try_steps(p, &how, err));
    how.flat = true;
    return p->ruler.levels > 1 ? try_steps(p, &how, err) : STOW_OK;
}

/* A node further up for pods of a put: of the plan, or (*ret_buy) one more of a group.  The number
 * of pods it takes is returned; 0: there is none. */
static uint32_t find_above(const struct stow_planning *p, const struct stow_put *put,
                           uint32_t *ret_node, stow_group_id *ret_buy)
{
    struct stow_yard *yard = p->yard;
    const uint32_t class = yard->class_of[put->pod[0]];
    const uint32_t tier = p->weights.tier[yard->group_of[put->node - yard->real]];

    *ret_buy = STOW_NONE;
    for (*ret_node = yard->real; *ret_node < yard->nodes; ++*ret_node)
        if (p->weights.tier[yard->group_of[*ret_node - yard->real]] < tier &&
            stow_yard_fits(yard, class, *ret_node))
            return 1;
    for (stow_group_id g = 0; g < p->session->scale->s->groups; g++) {
        const uint32_t room = stow_yard_fresh_room(yard, class, g);

        if (!stow_is_for_sale(p->weights.price, g) || p->weights.tier[g] >= tier || !room ||
            p->session->scale->s->group[g].scaling == STOW_SCALING_ZERO_OR_MAX ||
            !stow_session_may_add(p->session, g, NULL))
            continue;
        *ret_buy = g;
        return room < put->count ? room : put->count;
    }
    return 0;
}

/* The best plan with some pods of a put further up; true if that is better. */
static int try_above(struct stow_planning *p, uint32_t at, uint32_t count, uint32_t node,
                     stow_group_id buy)
{
    STOW_AUTO(stow_sketch_done) struct stow_sketch sketch = {0};
    const struct stow_put put = p->session->put[at];
    const uint32_t class = p->yard->class_of[put.pod[0]];

    STOW_TRY(stow_sketch_of_session(p->session, &sketch));
    sketch.load[at].count -= count;
    if (buy != STOW_NONE)
        STOW_TRY(stow_sketch_add_node(&sketch, buy, STOW_NONE));
    STOW_TRY(stow_sketch_add_load(&sketch, class, count));
    if (buy == STOW_NONE)
        sketch.load[sketch.loads - 1].node = sketch.load[at].node - put.node + node;
    if (sketch.load[sketch.loads - 1].node >= sketch.nodes)
        return 0; /* nodes that stay empty are not in the sketch */
    STOW_TRY(stow_planning_try(p, &p->scope, &sketch, false));
    return !sketch.nodes; /* it was taken */
}

/* A plan of others places more pods and may have left room further up. */
static int raise_pods(struct stow_planning *p)
{
    uint32_t tries = 0;

    STOW_TRY(stow_planning_show_best(p));
    for (uint32_t i = 0; i < p->session->puts && tries < RAISES_MAX && !stow_planning_is_late(p);
         i++) {
        uint32_t node = 0, count = 0;
        stow_group_id buy = STOW_NONE;
        int taken;

        if (p->session->put[i].node >= p->yard->real)
            count = find_above(p, &p->session->put[i], &node, &buy);
        if (!count)
            continue;
        tries++;
        taken = try_above(p, i, count, node, buy);
        if (taken < 0)
            return taken;
        STOW_TRY(stow_planning_show_best(p));
        if (taken)
            i = UINT32_MAX; /* from the beginning */
    }
    return STOW_OK;
}

/* Orders other than the given one, where which pods are left, or so little that it costs no time,
 * makes them worth it. */
static int try_other_orders(struct stow_planning *p, struct stow_solving *whole,
                            struct stow_err *err)
{
    if (stow_planning_leaves_more(p, whole) || stow_planning_is_below(p, STOW_PLANNING_TINY)) {
        STOW_TRY(stow_planning_try_solution(p, &p->scope, whole, err));
        STOW_TRY(try_orders(p, 0.2, false, err));
    }
    if (p->ruler.levels > 1 && stow_planning_is_below(p, STOW_PLANNING_TINY) &&
        !stow_planning_is_late(p))
        STOW_TRY(try_flat(p, err));
    return STOW_OK;
}

/* Rules over several nodes make plans that no other way finds; so does the order itself, where pods
 * that could be further up would make nodes of others superfluous. */
static bool is_worth_trying_all(const struct stow_planning *p)
{
    return stow_planning_has_rules(p) || p->session->ground->pendings <= PODS_FEW;
}

/* What others plan, and what can be moved further up. */
static int try_more(struct stow_planning *p, uint32_t asked, struct stow_err *err)
{
    STOW_TRY(stow_planning_try_others(p, &p->scope, asked, err));
    if (stow_planning_is_late(p))
        return STOW_OK;
    STOW_TRY(try_same_nodes(p, err));
    if (raise_pods(p) < 0 || (is_worth_trying_all(p) && stow_plan_every(p, &p->scope, 0) < 0))
        return stow_fail_memory(err);
    return STOW_OK;
}

/* ---- every pod at home ------------------------------------------------------------------- */

/* Where pods of each class are at home. */
struct homes {
    uint32_t *tier; /* per class: the first one that takes it; UINT32_MAX: none does */
    bool *there;    /* per class: some node that is there takes one */
};

static uint32_t first_tier(const struct stow_planning *p, uint32_t class)
{
    const struct stow_scale *scale = p->session->scale;
    uint32_t first = UINT32_MAX;

    for (stow_group_id g = 0; g < scale->s->groups; g++)
        if (stow_is_for_sale(p->weights.price, g) && p->weights.tier[g] < first &&
            scale->s->group[g].max_nodes > scale->s->group[g].current_nodes &&
            stow_yard_fresh_room(p->yard, class, g))
            first = p->weights.tier[g];
    return first;
}

/* Of an empty session. */
static int find_homes(struct stow_planning *p, struct homes *ret)
{
    const size_t classes = (size_t)p->yard->classes + 1;

    ret->tier = stow_arena_alloc(&p->arena, classes * sizeof(*ret->tier));
    ret->there = stow_arena_zalloc(&p->arena, classes * sizeof(*ret->there));
    if (!ret->tier || !ret->there)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->yard->classes; i++) {
        STOW_TRY(stow_yard_ask_real(p->yard, i));
        ret->tier[i] = first_tier(p, i);
        for (uint32_t node = 0; node < p->yard->real && !ret->there[i]; node++)
            ret->there[i] = p->yard->class[i].on_real[node] && stow_yard_room(p->yard, i, node) > 0;
    }
    return STOW_OK;
}

/* Nodes that are there are as good as those of the first tier: pods that fit there are at home
 * only there, or on the first tier. */
static bool is_home(const struct stow_planning *p, const struct homes *homes,
                    const struct stow_put *put)
{
    const uint32_t class = p->yard->class_of[put->pod[0]];

    if (put->node < p->yard->real)
        return true;
    return p->weights.tier[p->yard->group_of[put->node - p->yard->real]] == homes->tier[class] &&
           (homes->tier[class] == 0 || !homes->there[class]);
}

/* 1: the best plan has every pod at home that something takes. */
static int are_all_home(struct stow_planning *p, const struct homes *homes)
{
    bool all = true;

    STOW_TRY(stow_planning_show_best(p));
    for (uint32_t i = 0; i < p->session->puts && all; i++)
        all = is_home(p, homes, &p->session->put[i]);
    for (uint32_t i = 0; i < p->yard->classes && all; i++)
        all = p->session->class_put[i] == p->yard->class[i].pods ||
              (homes->tier[i] == UINT32_MAX && !homes->there[i]);
    return all;
}

/* Whether it can be that all are at home: as far as a part of the time tells, where limits may be
 * in the way. */
static int can_be_home(struct stow_planning *p, const struct stow_formulate_options *scope,
                       const struct homes *homes, struct stow_err *err)
{
    STOW_AUTO(stow_solving_done) struct stow_solving s = {0};
    int home = p->best.exists ? are_all_home(p, homes) : 0;

    stow_planning_clear(p);
    if (home < 0 || stow_parts_whole(p->session, &s.parts) < 0)
        return stow_fail_memory(err);
    if (home || !stow_planning_has_limits(p))
        return 1;
    STOW_TRY(stow_planning_solve(p, scope, &s, stow_planning_part(p, HOME_PART), err));
    STOW_TRY(stow_planning_try_solution(p, scope, &s, err));
    return s.solution.all;
}

/* Rules over several nodes may keep pods from home: that shows in a part of the time, and the rest
 * is for the steps then. */
static int try_home_problems(struct stow_planning *p, const struct homes *homes,
                             struct stow_problems *q, struct stow_err *err)
{
    const double deadline = p->deadline;
    int home;

    if (deadline <= 0 || !stow_planning_has_rules(p))
        return stow_problems_try(p, q, err);
    p->deadline = stow_clock() + RULES_PART * (deadline - stow_clock());
    home = stow_problems_try(p, q, err);
    p->deadline = deadline;
    STOW_TRY(home);
    home = are_all_home(p, homes);
    if (home < 0)
        return stow_fail_memory(err);
    return home && !stow_planning_is_within(p, q->proof, p->session->scale->options.gap)
               ? stow_problems_try(p, q, err)
               : STOW_OK;
}

/* The problems of an unordered plan, in which pods may be at home only.  1: the plan is there. */
static int try_at_home(struct stow_planning *p, const struct stow_formulate_options *scope,
                       const struct homes *homes, struct stow_err *err)
{
    STOW_AUTO(stow_problems_done) struct stow_problems q = {.scope = scope};
    int home;

    STOW_TRY(home = can_be_home(p, scope, homes, err));
    if (!home)
        return 0;
    STOW_TRY(stow_planning_try_first(p, scope, &q.asked, err));
    STOW_TRY(try_home_problems(p, homes, &q, err));
    if (!stow_planning_is_within(p, q.proof, 0))
        STOW_TRY(stow_planning_try_others(p, scope, q.asked, err));
    home = stow_planning_polish(p, scope, q.proof) < 0 ? STOW_ENOMEM : are_all_home(p, homes);
    if (home < 0)
        return stow_fail_memory(err);
    if (!home)
        return 0;
    p->session->plan->proof.in_order = true;
    STOW_TRY(stow_problems_finish(p, &q, err));
    return 1;
}

static int plan_at_home(struct stow_planning *p, struct stow_err *err)
{
    struct stow_formulate_options scope = p->scope;
    struct stow_weights weights = p->weights;
    struct homes homes;

    stow_planning_clear(p);
    if (find_homes(p, &homes) < 0)
        return stow_fail_memory(err);
    weights.home = homes.tier;
    scope.weights = &weights;
    return try_at_home(p, &scope, &homes, err);
}

/* ---- step by step ------------------------------------------------------------------------ */

/* The best plan for less: what is on which step and in which zone stays, nodes may change.  As long
 * as that helps, or has not come to an end, with more time each time. */
static int try_followed(struct stow_planning *p, struct stow_err *err)
{
    double seconds = FOLLOW_FIRST;
    uint32_t found;
    bool settled;

    do {
        STOW_AUTO(stow_solving_done) struct stow_solving s = {0};

        found = p->found;
        if (stow_planning_settle(p) < 0 ||
            stow_parts_followed(p->session, &p->weights, &p->best.realized, &p->arena, &s.parts) <
                0)
            return stow_fail_memory(err);
        STOW_TRY(stow_planning_solve(p, &p->scope, &s, seconds, err));
        STOW_TRY(stow_planning_try_solution(p, &p->scope, &s, err));
        settled = s.solution.settled;
        seconds *= FOLLOW_GROWTH;
    } while (!stow_planning_is_late(p) && p->deadline > 0 && (p->found > found || !settled));
    return STOW_OK;
}

/* With some zones closed. */
static int try_zone_steps(struct stow_planning *p, struct stow_err *err)
{
    struct stow_formulate_options scope = p->scope;
    struct stow_weights weights = p->weights;
    struct stow_zone_sets sets;

    stow_planning_clear(p);
    if (stow_zone_sets_make(p, &sets) < 0)
        return stow_fail_memory(err);
    scope.weights = &weights;
    for (uint32_t i = 0; i < sets.count && !stow_planning_is_late(p); i++) {
        const struct stepping how = each_tier(p, &scope, ZONES_PART / sets.count);

        weights.closed = sets.set[i].closed;
        STOW_TRY(try_steps(p, &how, err));
    }
    return STOW_OK;
}

/* The whole problem again, in the time that is left: its bound may be better.  1: it is. */
static int prove_more(struct stow_planning *p, const struct stow_solving *s,
                      struct stow_solving *more, struct stow_err *err)
{
    stow_nano bound, better;

    if (s->solution.settled || stow_planning_left(p) <= stow_planning_part(p, LAST_PART))
        return 0;
    stow_planning_clear(p);
    if (stow_parts_whole(p->session, &more->parts) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_planning_solve(p, &p->scope, more, stow_planning_left(p), err));
    if (stow_planning_show_best(p) < 0 ||
        stow_proof_bound(p->session, &s->formulation, &s->solution, &p->weights, &bound) < 0 ||
        stow_proof_bound(p->session, &more->formulation, &more->solution, &p->weights, &better) < 0)
        return stow_fail_memory(err);
    return better > bound;
}

/* Tier by tier, then whatever may know better. */
static int try_all_steps(struct stow_planning *p, struct stow_solving *s, uint32_t asked,
                         struct stow_err *err)
{
    const struct stepping how = each_tier(p, &p->scope, 0.4);

    STOW_TRY(try_steps(p, &how, err));
    STOW_TRY(try_zone_steps(p, err));
    STOW_TRY(try_other_orders(p, s, err));
    if (stow_planning_is_below(p, STOW_PLANNING_SMALL) && !stow_planning_is_late(p))
        STOW_TRY(try_more(p, asked, err));
    return stow_planning_is_late(p) ? STOW_OK : try_followed(p, err);
}

/* The bound knows no order of groups: it is that of all of them at once. */
static int plan_by_steps(struct stow_planning *p, uint32_t asked, struct stow_err *err)
{
    STOW_AUTO(stow_solving_done) struct stow_solving s = {0};
    STOW_AUTO(stow_solving_done) struct stow_solving again = {0};
    int more;

    stow_planning_clear(p);
    if (stow_parts_whole(p->session, &s.parts) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_planning_solve(p, &p->scope, &s, stow_planning_part(p, 0.2), err));
    p->session->plan->settled = s.solution.settled;
    p->session->plan->relaxed = "the order of groups";
    STOW_TRY(try_all_steps(p, &s, asked, err));
    STOW_TRY(more = prove_more(p, &s, &again, err));
    p->session->plan->settled |= more && again.solution.settled;
    return stow_planning_finish(p, &s.formulation, more ? &again : &s, err);
}

int stow_plan_in_order(struct stow_planning *p, struct stow_err *err)
{
    uint32_t asked = 0;
    int code;

    STOW_TRY(stow_planning_try_first(p, &p->scope, &asked, err));
    STOW_TRY(code = plan_at_home(p, err));
    return code == 1 ? STOW_OK : plan_by_steps(p, asked, err);
}
