/* settle.c - what a rule bought that buys node by node, with all its nodes there.
 *
 * Problem: autoscalers estimate one node after the other, and a topology spread that was even
 * beside the nodes of that moment need not be so beside those that come later.  kube-scheduler
 * looks at the nodes there are.  A plan must work however its nodes arrive.
 *
 * Idea: the rule decides what is bought.  Then all of its nodes are there, and its pods come, in
 * its order, each to the node that the rule has for it; those that are refused wait for the
 * others, then go wherever they fit.  Who finds no place is left, and the plan says why.  Pods
 * that nodes which are there took first are among them: they, too, meet the new nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scale/session.h"

#define LOOK 64 /* pods, after which the clock is looked at */

struct settling {
    const struct stow_session *from;
    struct stow_session *to;
    struct stow_yard *yard; /* of `to` */
    stow_pod_id *pod;       /* what the rule has put, in its order; in the plan's arena */
    uint32_t *node;         /* where it has it; nodes are numbered alike in both yards */
    uint32_t *waits;        /* those that are not put yet */
    uint32_t pods, waiting;
    uint8_t *refused; /* per class: nothing takes it now */
    bool late;        /* the time limit was reached: who waits is left */
};

static void settling_done(struct settling *s)
{
    free(s->node);
    free(s->waits);
    free(s->refused);
}

static void list_pod(struct settling *s, stow_pod_id pod, uint32_t node)
{
    s->pod[s->pods] = pod;
    s->node[s->pods] = node;
    s->waits[s->waiting++] = s->pods++;
}

static int make_lists(struct settling *s, size_t most)
{
    s->pod = stow_arena_alloc(s->to->arena, most * sizeof(*s->pod));
    s->node = malloc(most * sizeof(*s->node));
    s->waits = malloc(most * sizeof(*s->waits));
    s->refused = malloc((size_t)s->yard->classes + 1);
    return s->pod && s->node && s->waits && s->refused ? STOW_OK : STOW_ENOMEM;
}

static int list_pods(struct settling *s)
{
    const struct stow_session *from = s->from;
    const struct stow_ground *ground = from->ground;

    STOW_TRY(make_lists(s, (size_t)ground->placeds + ground->pendings + 1));
    for (uint32_t i = 0; i < ground->placeds; i++)
        list_pod(s, ground->placed[i], ground->placed_on[i]);
    for (uint32_t i = 0; i < from->puts; i++)
        for (uint32_t n = 0; n < from->put[i].count; n++)
            list_pod(s, from->put[i].pod[n], from->put[i].node);
    return STOW_OK;
}

/* 1: the pod is there; 0: it is refused. */
static int put(struct settling *s, uint32_t pod, uint32_t node)
{
    const uint32_t class = s->yard->class_of[s->pod[pod]];

    if (!stow_yard_fits(s->yard, class, node) || stow_yard_disturbs(s->yard, class, node))
        return 0;
    return stow_session_put(s->to, &s->pod[pod], 1, node) < 0 ? STOW_ENOMEM : 1;
}

/* Each where it is meant to be, again and again while some are accepted. */
static int put_as_meant(struct settling *s)
{
    uint32_t before;

    do {
        uint32_t kept = 0;

        before = s->waiting;
        for (uint32_t i = 0; i < s->waiting; i++) {
            const int done = put(s, s->waits[i], s->node[s->waits[i]]);

            if (i % LOOK == 0)
                s->late = s->late || stow_session_is_late(s->to);
            if (done < 0)
                return done;
            if (!done)
                s->waits[kept++] = s->waits[i];
        }
        s->waiting = kept;
    } while (s->waiting && s->waiting < before && !s->late);
    return STOW_OK;
}

/* To the first node of a range that takes it. */
static int put_among(struct settling *s, uint32_t pod, uint32_t from, uint32_t to)
{
    const uint32_t class = s->yard->class_of[s->pod[pod]];
    int done = 0;

    for (uint32_t node = stow_yard_next_room(s->yard, class, from, to); node < to && !done;
         node = stow_yard_next_room(s->yard, class, node + 1, to))
        done = put(s, pod, node);
    return done;
}

/* One of those that wait goes to any node that takes it, new ones first; 0: none does. */
static int put_anywhere(struct settling *s)
{
    memset(s->refused, 0, s->yard->classes);
    for (uint32_t i = 0; i < s->waiting; i++) {
        uint8_t *refused = &s->refused[s->yard->class_of[s->pod[s->waits[i]]]];
        int done = *refused ? 0 : put_among(s, s->waits[i], s->yard->real, s->yard->nodes);

        if (!done && !*refused)
            done = put_among(s, s->waits[i], 0, s->yard->real);
        if (done < 0)
            return done;
        *refused = 1;
        if (!done)
            continue;
        memmove(s->waits + i, s->waits + i + 1, (s->waiting - i - 1) * sizeof(*s->waits));
        s->waiting--;
        return 1;
    }
    return 0;
}

static int put_all(struct settling *s)
{
    int more;

    do {
        STOW_TRY(put_as_meant(s));
        more = put_anywhere(s);
    } while (more == 1 && !s->late);
    return more;
}

/* ---- what the rule knows ----------------------------------------------------------------- */

static int buy_all(struct settling *s)
{
    const struct stow_yard *yard = s->from->yard;

    for (uint32_t node = yard->real; node < yard->nodes; node++)
        if (stow_session_buy(s->to, yard->group_of[node - yard->real]) == STOW_NONE)
            return STOW_ENOMEM;
    return STOW_OK;
}

static int ask_real(struct settling *s)
{
    for (uint32_t i = 0; i < s->yard->classes; i++)
        STOW_TRY(stow_yard_ask_real(s->yard, i));
    return STOW_OK;
}

/* Who is left had a place. */
static int note_lost(struct settling *s)
{
    if (!s->waiting)
        return STOW_OK;
    s->to->lost = stow_arena_zalloc(s->to->arena, (size_t)s->yard->classes + 1);
    for (uint32_t i = 0; i < s->waiting && s->to->lost; i++)
        s->to->lost[s->yard->class_of[s->pod[s->waits[i]]]] = 1;
    return s->to->lost ? STOW_OK : STOW_ENOMEM;
}

/* Pods that the rule sees alike are alike here, too. */
static int keep_reasons(struct settling *s)
{
    const struct stow_session *from = s->from;
    const struct stow_ground *ground = from->ground;

    memcpy(s->to->refused, from->refused, from->scale->s->groups * sizeof(*from->refused));
    for (uint32_t i = 0; i < ground->pendings; i++) {
        const uint32_t here = s->yard->class_of[ground->pending[i]];
        const uint32_t there = from->yard->class_of[ground->pending[i]];

        s->to->could[here] |= from->could[there];
        s->to->choice[here] |= from->choice[there];
    }
    return note_lost(s);
}

static int settle(struct settling *s)
{
    STOW_TRY(list_pods(s));
    STOW_TRY(buy_all(s));
    STOW_TRY(ask_real(s));
    STOW_TRY(put_all(s));
    return keep_reasons(s);
}

int stow_session_settle(const struct stow_session *from, struct stow_session *to,
                        struct stow_err *err)
{
    STOW_AUTO(settling_done) struct settling s = {.from = from, .to = to, .yard = to->yard};

    to->in_order = true;
    return settle(&s) < 0 ? stow_fail_memory(err) : STOW_OK;
}

static int seat(struct settling *s, const stow_pod_id *pod, const uint32_t *node, uint32_t count)
{
    STOW_TRY(make_lists(s, (size_t)count + 1));
    for (uint32_t i = 0; i < count; i++)
        list_pod(s, pod[i], node[i]);
    STOW_TRY(ask_real(s));
    STOW_TRY(put_all(s));
    return note_lost(s);
}

int stow_session_seat(struct stow_session *session, const stow_pod_id *pod, const uint32_t *node,
                      uint32_t count)
{
    STOW_AUTO(settling_done) struct settling s = {.to = session, .yard = session->yard};

    session->in_order = true;
    return seat(&s, pod, node, count);
}
