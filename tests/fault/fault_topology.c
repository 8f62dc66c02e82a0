/* fault_topology.c - every allocation of the rules over several nodes fails once.
 *
 * Pods of small random clusters are placed one after another, the four rules asked before each.
 * Played once without a failure and then with each allocation failing: every answer is either
 * the same as without, or out of memory; never another one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "place/rules.h"
#include "tests/fault/fault.h"
#include "tests/property/topology.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#define LEAKS() __lsan_do_recoverable_leak_check()
#else
#define LEAKS() 0
#endif

#define SEEDS     12
#define RULES     4
#define STEPS_MAX 64

/* What one rule said: how it was prepared, then a byte per node or a score per node. */
struct answer {
    int prepared;
    double said[TOPOLOGY_NODES_MAX];
};

struct record {
    struct answer answer[STEPS_MAX][RULES];
    uint32_t steps;
};

struct asked {
    const struct stow_state *state;
    struct stow_subject pod;
    struct stow_arena arena;
    stow_node_id node[TOPOLOGY_NODES_MAX];
};

static void ask_filter(struct asked *a, const struct stow_filter_rule *rule, struct answer *ret)
{
    const uint64_t self[64] = {0};
    uint8_t fits[TOPOLOGY_NODES_MAX];
    void *prep = stow_arena_zalloc(&a->arena, rule->prep_size);

    memset(fits, 1, sizeof(fits));
    ret->prepared = prep ? rule->prepare(self, a->state, &a->pod, prep, &a->arena) : STOW_ENOMEM;
    if (ret->prepared != STOW_PREPARED)
        return;
    rule->check(self, prep, a->state, &a->pod, a->node, a->state->nodes, fits);
    for (uint32_t i = 0; i < a->state->nodes; i++)
        ret->said[i] = fits[i];
}

static void ask_scorer(struct asked *a, const struct stow_scorer_rule *rule, struct answer *ret)
{
    const uint64_t self[64] = {0};
    void *prep = stow_arena_zalloc(&a->arena, rule->prep_size);

    ret->prepared = prep ? rule->prepare(self, a->state, &a->pod, prep, &a->arena) : STOW_ENOMEM;
    if (ret->prepared != STOW_PREPARED)
        return;
    rule->score(self, prep, a->state, &a->pod, a->node, a->state->nodes, ret->said);
    rule->normalise(self, prep, a->state, &a->pod, a->node, a->state->nodes, ret->said);
}

static void ask(const struct stow_state *state, stow_pod_id pod, struct answer ret[RULES])
{
    const struct stow_snapshot *s = state->s;
    struct asked a = {
        .state = state,
        .pod = {s, &s->pod[pod], stow_spec(s, s->pod[pod].spec), &s->demand[s->pod[pod].spec]}};

    for (uint32_t i = 0; i < state->nodes; i++)
        a.node[i] = i;
    memset(ret, 0, RULES * sizeof(*ret));
    ask_filter(&a, &stow_filter_topology_spread, &ret[0]);
    ask_filter(&a, &stow_filter_inter_pod_affinity, &ret[1]);
    ask_scorer(&a, &stow_score_topology_spread, &ret[2]);
    ask_scorer(&a, &stow_score_inter_pod_affinity, &ret[3]);
    stow_arena_done(&a.arena);
}

/* Plays all pending pods with the n-th allocation failing; < 0: there was no state to play with. */
static int play(const struct stow_snapshot *s, uint64_t n, struct record *ret, bool *ret_fired)
{
    struct stow_state state;
    struct stow_err err;

    ret->steps = 0;
    fault_arm(n);

    int code = stow_state_init(&state, s, NULL, &err);

    for (stow_pod_id i = 0; i < s->pods && code >= 0 && ret->steps < STEPS_MAX; i++) {
        if (!stow_pod_pending(&s->pod[i]))
            continue;
        ask(&state, i, ret->answer[ret->steps++]);
        stow_state_place(&state, i, i * 7 % s->nodes);
    }
    *ret_fired = fault_fired();
    fault_arm(0);
    if (code >= 0)
        stow_state_done(&state);
    return code;
}

static bool same_answer(const struct answer *a, const struct answer *b)
{
    for (uint32_t i = 0; i < TOPOLOGY_NODES_MAX; i++)
        if (a->said[i] != b->said[i])
            return false;
    return a->prepared == b->prepared;
}

static bool same(const struct record *plain, const struct record *got)
{
    for (uint32_t i = 0; i < got->steps * RULES; i++) {
        const struct answer *want = &plain->answer[i / RULES][i % RULES];
        const struct answer *have = &got->answer[i / RULES][i % RULES];

        if (have->prepared != STOW_ENOMEM && !same_answer(have, want)) {
            printf("# step %u, rule %u: prepared %d instead of %d, or said something else\n",
                   i / RULES, i % RULES, have->prepared, want->prepared);
            return false;
        }
    }
    return true;
}

static bool play_seed(uint64_t seed, struct record *plain, struct record *got, uint64_t *failures)
{
    struct chance chance = {seed};
    struct stow_snapshot *s = topology_cluster(&chance, seed);
    bool fired, good = s && play(s, 0, plain, &fired) >= 0;
    uint64_t n = 0;

    for (fired = true; good && fired;) {
        int code = play(s, ++n, got, &fired);

        good = code < 0 ? code == STOW_ENOMEM && fired : same(plain, got);
        if (!good)
            printf("# seed %llu, allocation %llu\n", (unsigned long long)seed,
                   (unsigned long long)n);
    }
    *failures += n;
    stow_snapshot_unref(s);
    return good;
}

int main(void)
{
    struct record *record = calloc(2, sizeof(*record));
    bool good = record != NULL;
    uint64_t failures = 0;

    for (uint64_t seed = 0; seed < SEEDS && good; seed++)
        good = play_seed(seed, &record[0], &record[1], &failures);
    free(record);
    good &= LEAKS() == 0;
    printf("1..1\n%sok 1 - rules over several nodes (%llu allocations)\n", good ? "" : "not ",
           (unsigned long long)failures);
    return !good;
}
