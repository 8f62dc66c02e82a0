/* place.c - every pending pod gets a node, or the reasons why not. */
#include "place/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* ---- the order of decisions -------------------------------------------------------------- */

/* What pods are ordered by, as numbers that ascend. */
struct turn {
    uint64_t created;
    uint32_t priority;
    uint8_t later;   /* it is nominated to no node: nothing was evicted for it */
    stow_pod_id pod; /* ids are in order of namespace and name */
};

static struct turn turn_of(const struct stow_snapshot *s, stow_pod_id pod)
{
    const struct stow_pod *p = &s->pod[pod];

    return (struct turn){(uint64_t)p->created ^ (UINT64_C(1) << 63),
                         ~((uint32_t)p->priority ^ (UINT32_C(1) << 31)), !p->nominated, pod};
}

/* Bytes of creation time, of being nominated and of priority, the least first. */
#define DIGITS 13

static inline uint8_t digit_of(const struct turn *turn, uint32_t digit)
{
    if (digit == 8)
        return turn->later;
    return (uint8_t)(digit < 8 ? turn->created >> (8 * digit)
                               : turn->priority >> (8 * (digit - 9)));
}

/* By one byte; equal ones stay in their order. */
static void sort_by(const struct turn *from, uint32_t count, uint32_t digit, struct turn *to)
{
    uint32_t next[256] = {0}, sum = 0;

    for (uint32_t i = 0; i < count; i++)
        next[digit_of(&from[i], digit)]++;
    for (uint32_t i = 0; i < 256; i++) {
        const uint32_t size = next[i];

        next[i] = sum;
        sum += size;
    }
    for (uint32_t i = 0; i < count; i++)
        to[next[digit_of(&from[i], digit)]++] = from[i];
}

/* Byte by byte, where they differ: pods come in order of ids, many with the same time and priority,
 * and a sort that compares would spend a tenth of the time of placing.  Returns the one of the two
 * that is sorted. */
static const struct turn *sort_turns(struct turn *turn, struct turn *room, uint32_t count)
{
    struct turn differ = {0};

    for (uint32_t i = 1; i < count; i++) {
        differ.created |= turn[i].created ^ turn[0].created;
        differ.priority |= turn[i].priority ^ turn[0].priority;
        differ.later |= turn[i].later ^ turn[0].later;
    }
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        struct turn *other = room;

        if (!digit_of(&differ, digit))
            continue;
        sort_by(turn, count, digit, room);
        room = turn;
        turn = other;
    }
    return turn;
}

int stow_place_order(const struct stow_snapshot *s, stow_pod_id **ret, uint32_t *ret_count)
{
    STOW_AUTO(stow_free_local)
    struct turn *turn = malloc(2 * ((size_t)s->pods + 1) * sizeof(*turn));
    stow_pod_id *list = calloc(s->pods + 1, sizeof(*list));
    const struct turn *sorted;
    uint32_t count = 0;

    if (!turn || !list) {
        free(list);
        return STOW_ENOMEM;
    }
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (stow_pod_pending(&s->pod[i]))
            turn[count++] = turn_of(s, i);
    sorted = sort_turns(turn, turn + s->pods + 1, count);
    for (uint32_t i = 0; i < count; i++)
        list[i] = sorted[i].pod;
    *ret = list;
    *ret_count = count;
    return STOW_OK;
}

/* ---- reasons ----------------------------------------------------------------------------- */

struct tally {
    struct stow_reason_count *item;
    uint32_t count, cap;
};

/* One more node that says what is counted already. */
static void count_again(struct stow_reason_count *to, const struct stow_reason *reason)
{
    to->nodes++;
    if (reason->free > to->free)
        to->free = reason->free;
    to->details |= to->detail && (!reason->detail || strcmp(reason->detail, to->detail) != 0);
}

/* Texts are kept in the arena of the answer: those of a rule may live in the judgement. */
static int count_reason(struct tally *t, int32_t filter, const struct stow_reason *reason,
                        struct stow_arena *arena)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->item[i].filter == filter && strcmp(t->item[i].text, reason->text) == 0) {
            count_again(&t->item[i], reason);
            return STOW_OK;
        }

    struct stow_reason_count *made = STOW_PUSH(&t->item, &t->count, &t->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_reason_count){.text = stow_arena_text(arena, stow_str_of(reason->text)),
                                       .nodes = 1,
                                       .filter = filter,
                                       .resource = reason->resource,
                                       .wanted = reason->wanted,
                                       .free = reason->free};
    if (reason->detail)
        made->detail = stow_arena_text(arena, stow_str_of(reason->detail));
    return made->text && (made->detail || !reason->detail) ? STOW_OK : STOW_ENOMEM;
}

static int count_node(struct tally *t, const struct stow_reasons *r, int32_t filter,
                      struct stow_arena *arena)
{
    if (r->count == 0)
        return count_reason(
            t, filter,
            &(struct stow_reason){.text = "node(s) didn't match the pod's node names",
                                  .resource = STOW_NONE},
            arena);
    for (uint32_t i = 0; i < r->count; i++)
        STOW_TRY(count_reason(t, filter, &r->reason[i], arena));
    return STOW_OK;
}

static int compare_reasons(const void *a, const void *b)
{
    const struct stow_reason_count *x = a, *y = b;

    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return strcmp(x->text, y->text);
}

static int tally_reasons(const struct stow_state *state, const struct stow_profile *profile,
                         const struct stow_subject *pod, const struct stow_judgement *judgement,
                         struct stow_arena *arena, struct tally *t)
{
    for (stow_node_id i = 0; i < judgement->nodes; i++) {
        struct stow_reasons reasons;
        struct stow_arena texts = {0};

        if (judgement->node[i].feasible)
            continue;
        stow_judge_explain(state, profile, pod, judgement, i, &texts, &reasons);

        int result =
            texts.failed ? STOW_ENOMEM : count_node(t, &reasons, judgement->node[i].filter, arena);

        stow_arena_done(&texts);
        STOW_TRY(result);
    }
    return STOW_OK;
}

int stow_place_reasons(const struct stow_state *state, const struct stow_profile *profile,
                       const struct stow_subject *pod, struct stow_arena *arena,
                       struct stow_reason_count **ret, uint32_t *ret_count, struct stow_err *err)
{
    STOW_AUTO(stow_judgement_done) struct stow_judgement judgement = {0};
    struct tally t = {0};

    STOW_TRY(stow_judge(state, profile, pod, &judgement, err));

    int result = tally_reasons(state, profile, pod, &judgement, arena, &t);

    if (result >= 0) {
        if (t.count)
            qsort(t.item, t.count, sizeof(*t.item), compare_reasons);
        *ret = stow_arena_copy(arena, t.item, t.count * sizeof(*t.item));
        *ret_count = t.count;
        result = *ret ? STOW_OK : STOW_ENOMEM;
    }
    free(t.item);
    return result < 0 ? stow_fail_memory(err) : STOW_OK;
}

struct stow_subject stow_subject_of(const struct stow_snapshot *s, stow_pod_id pod)
{
    const struct stow_pod *p = &s->pod[pod];

    return (struct stow_subject){s, p, stow_spec(s, p->spec), &s->demand[p->spec]};
}

/* ---- deciding ---------------------------------------------------------------------------- */

struct run {
    struct stow_state *state;
    const struct stow_place_options *options;
    struct stow_placement *ret;
    struct stow_engine *engine;
    stow_pod_id *order;
    uint32_t pods;
    /* The last pod that found no node, so that its like need not be explained again. */
    const struct stow_decision *failed;
    uint32_t failed_class, failed_placed;
};

static void run_done(struct run *r)
{
    stow_engine_free(r->engine);
    free(r->order);
}

static int explain_failure(struct run *r, struct stow_decision *d, uint32_t class,
                           struct stow_err *err)
{
    const struct stow_subject subject = stow_subject_of(r->state->s, d->pod);

    d->outcome = STOW_NO_NODE;
    if (r->failed && r->failed_class == class && r->failed_placed == r->ret->placed) {
        d->reason = r->failed->reason;
        d->reasons = r->failed->reasons;
        return STOW_OK;
    }
    STOW_TRY(stow_place_reasons(r->state, d->profile, &subject, &r->ret->arena, &d->reason,
                                &d->reasons, err));
    r->failed = d;
    r->failed_class = class;
    r->failed_placed = r->ret->placed;
    return STOW_OK;
}

static int keep_components(struct run *r, const struct stow_choice *choice, struct stow_decision *d,
                           struct stow_err *err)
{
    uint32_t scorers = choice->profile->scorers;

    d->score = stow_arena_zalloc(&r->ret->arena, (scorers + 1) * sizeof(*d->score));
    d->skipped = stow_arena_zalloc(&r->ret->arena, (scorers + 1) * sizeof(*d->skipped));
    if (!d->score || !d->skipped)
        return stow_fail_memory(err);
    stow_engine_components(r->engine, choice, d->score, d->skipped);
    return stow_profile_fault(choice->profile, err);
}

static int decide(struct run *r, struct stow_decision *d, struct stow_err *err)
{
    struct stow_choice choice;

    d->node = STOW_NONE;
    if (r->state->s->pod[d->pod].flags & STOW_POD_GATED) {
        d->outcome = STOW_GATED;
        return STOW_OK;
    }
    STOW_TRY(stow_engine_decide(r->engine, d->pod, &choice, err));
    d->profile = choice.profile;
    if (!choice.profile) {
        d->outcome = STOW_NO_PROFILE;
        return STOW_OK;
    }
    if (choice.node == STOW_NONE)
        return explain_failure(r, d, choice.class, err);
    d->outcome = STOW_PLACED;
    d->node = choice.node;
    d->total = choice.total;
    return r->options->components ? keep_components(r, &choice, d, err) : STOW_OK;
}

/* Pods in random order are far apart in memory, and so are their classes. */
static void expect_next(const struct run *r)
{
    const uint32_t next = r->ret->count + 1;

    if (next + 3 < r->pods)
        __builtin_prefetch(&r->state->s->pod[r->order[next + 3]]);
    if (next < r->pods)
        stow_engine_expect(r->engine, r->order[next]);
}

static int decide_one(struct run *r, struct stow_decision *d, struct stow_err *err)
{
    STOW_TRY(decide(r, d, err));
    expect_next(r);
    if (r->options->decided)
        STOW_TRY(r->options->decided(r->options->ctx, r->state, d, err));
    if (d->outcome != STOW_PLACED)
        return STOW_OK;
    stow_engine_place(r->engine, d->pod, d->node);
    r->ret->placed++;
    return STOW_OK;
}

static int decide_all(struct run *r, const struct stow_profiles *profiles, struct stow_err *err)
{
    if (stow_place_order(r->state->s, &r->order, &r->pods) < 0)
        return stow_fail_memory(err);
    r->ret->decision = calloc(r->pods + 1, sizeof(*r->ret->decision));
    if (!r->ret->decision)
        return stow_fail_memory(err);
    STOW_TRY(stow_engine_new(r->state, profiles, &r->engine, err));
    for (; r->ret->count < r->pods; r->ret->count++) {
        struct stow_decision *d = &r->ret->decision[r->ret->count];

        d->pod = r->order[r->ret->count];
        STOW_TRY(decide_one(r, d, err));
    }
    r->ret->classes = stow_engine_classes(r->engine);
    return STOW_OK;
}

int stow_place(struct stow_state *state, const struct stow_profiles *profiles,
               const struct stow_place_options *options, struct stow_placement *ret,
               struct stow_err *err)
{
    STOW_AUTO(run_done) struct run r = {.state = state, .options = options, .ret = ret};

    memset(ret, 0, sizeof(*ret));

    int result = decide_all(&r, profiles, err);

    if (result < 0)
        stow_placement_done(ret);
    return result;
}

void stow_placement_done(struct stow_placement *placement)
{
    free(placement->decision);
    stow_arena_done(&placement->arena);
    memset(placement, 0, sizeof(*placement));
}
