/* prop_how_many.c - how many more pods fit is what placing them one by one comes to.
 *
 * One pod of a random cluster is the sample.  The slow way judges a copy in full, puts it on its
 * node, and goes on until no node takes the next one. */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "model/pods/sample.h"
#include "place/how_many.h"
#include "tests/property/place_random.h"

struct play {
    struct stow_snapshot *s;
    struct stow_node_money *money;
    struct stow_buf text; /* of the profile */
    struct stow_profiles profiles;
    struct stow_how_many got;
    bool after_pending;
};

static void play_done(struct play *p)
{
    stow_how_many_done(&p->got);
    stow_profiles_done(&p->profiles);
    stow_buf_done(&p->text);
    stow_snapshot_unref(p->s);
    free(p->money);
}

/* Any pending pod without gates is set aside as the sample. */
static bool choose_sample(struct stow_snapshot *s, struct chance *c)
{
    for (uint32_t i = 0, from = chance_below(c, s->pods + 1); i < s->pods; i++) {
        struct stow_pod *pod = &s->pod[(i + from) % s->pods];

        if (!stow_pod_pending(pod) || (pod->flags & STOW_POD_GATED))
            continue;
        pod->flags |= STOW_POD_ASIDE | STOW_POD_SAMPLE;
        return true;
    }
    return false;
}

static bool play_open(struct play *p, uint64_t seed)
{
    struct chance c = {seed + 31};
    const struct random_wishes wishes = {
        .nodes = 1 + chance_below(&c, 8),
        .running = chance_below(&c, 16),
        .pending = 1 + chance_below(&c, 8),
        .specs = 1 + chance_below(&c, 6),
        .plain = chance_one_in(&c, 4),
    };
    struct random_cluster cluster;
    struct ref_profile unused;

    random_cluster_make(&cluster, seed, wishes);
    p->s = random_cluster_load(&cluster, NULL);
    random_cluster_done(&cluster);
    if (!p->s)
        return false;
    p->money = random_money(p->s, seed);
    p->after_pending = chance_one_in(&c, 2);
    random_profile(&c, &unused, &p->text);
    return random_profile_read(&p->text, &p->profiles);
}

/* ---- the slow way ------------------------------------------------------------------------ */

static uint32_t all_slots(const struct stow_snapshot *s)
{
    int64_t sum = 0;

    for (stow_node_id i = 0; i < s->nodes; i++) {
        const int64_t slots = s->allocatable[(size_t)STOW_RESOURCE_PODS * s->nodes + i];

        sum += slots > s->pods_on[i] ? slots - s->pods_on[i] : 0;
    }
    return (uint32_t)sum;
}

/* The best node for a pod, judged in full; STOW_NONE. */
static stow_node_id best_for(const struct play *p, const struct stow_state *state, stow_pod_id pod)
{
    const struct stow_subject subject = stow_subject_of(state->s, pod);
    struct stow_judgement judgement;
    struct stow_err err;
    stow_node_id best;

    if (stow_judge(state, &p->profiles.profile[0], &subject, &judgement, &err) < 0)
        abort();
    best = judgement.best;
    stow_judgement_done(&judgement);
    return best;
}

static void place_pending(const struct play *p, struct stow_state *state)
{
    stow_pod_id *order;
    uint32_t pods;

    if (stow_place_order(state->s, &order, &pods) < 0)
        abort();
    for (uint32_t i = 0; i < pods; i++) {
        const bool gated = state->s->pod[order[i]].flags & STOW_POD_GATED;
        const stow_node_id node = gated ? STOW_NONE : best_for(p, state, order[i]);

        if (node != STOW_NONE)
            stow_state_place(state, order[i], node);
    }
    free(order);
}

/* How many fit, and per node. */
static uint32_t place_slowly(const struct play *p, uint32_t *on)
{
    const uint32_t most = all_slots(p->s);
    struct stow_snapshot view;
    struct stow_state state;
    struct stow_err err;
    uint32_t placed = 0;

    if (stow_sample_repeat(p->s, stow_sample_find(p->s), most + 1, &view) < 0 ||
        stow_state_init(&state, &view, p->money, &err) < 0)
        abort();
    if (p->after_pending)
        place_pending(p, &state);
    for (stow_node_id node; placed < most; placed++) {
        node = best_for(p, &state, p->s->pods + placed);
        if (node == STOW_NONE)
            break;
        stow_state_place(&state, p->s->pods + placed, node);
        on[node]++;
    }
    stow_state_done(&state);
    free(view.pod);
    return placed;
}

/* ---- the property ------------------------------------------------------------------------ */

static bool same(const struct play *p, uint32_t placed, const uint32_t *on)
{
    const struct stow_how_many *got = &p->got;
    uint32_t nodes = 0;

    if (got->pods != placed)
        return property_fails("%u fit, expected %u", got->pods, placed);
    for (stow_node_id i = 0; i < p->s->nodes; i++)
        nodes += on[i] > 0;
    if (got->nodes != nodes)
        return property_fails("on %u nodes, expected %u", got->nodes, nodes);
    for (uint32_t i = 0; i < got->nodes; i++)
        if (got->fit[i].pods != on[got->fit[i].node])
            return property_fails("%u on %s, expected %u", got->fit[i].pods,
                                  p->s->node[got->fit[i].node].name, on[got->fit[i].node]);
    return true;
}

static bool counting_is_placing_one_by_one(uint64_t seed)
{
    struct chance c = {seed + 32};
    struct play p = {.after_pending = false};
    struct stow_err err = {0};
    uint32_t on[64] = {0};
    bool good = play_open(&p, seed);

    if (good && choose_sample(p.s, &c)) {
        good = stow_how_many(p.s, p.money, &p.profiles, p.after_pending, &p.got, &err) >= 0 ||
               property_fails("%s", err.msg);
        good = good && same(&p, place_slowly(&p, on), on);
    }
    if (!good)
        property_fails("profile %.*s", (int)p.text.len, p.text.ptr);
    play_done(&p);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"counting-is-placing-one-by-one", counting_is_placing_one_by_one, 2000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
