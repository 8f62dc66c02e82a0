/* prop_verify.c - the verifier accepts what holds and refuses everything else.
 *
 * Random instances so small that everything can be tried: all patterns of every node, all plans.
 * The best plan comes from trying, the proof from raising prices until some pattern of some node
 * stands against each of them; so a price that is one nano-unit higher, a bound one higher, an
 * amount, a name, a pod more or less is wrong, and must be found.  Resources are absent from some
 * nodes and not asked for by some pods: those never limit each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "tests/property/opinion.h"
#include "tests/property/verify_instance.h"

/* ---- asking ------------------------------------------------------------------------------ */

/* Quotas count existing nodes, too. */
static int ask(const struct instance *in, struct stow_str cluster, struct stow_str plan, char *why,
               size_t size)
{
    struct stow_verify_quota quota = {STOW_SYM_CPU, STOW_STR("cpu"), in->quota};
    struct stow_verify_options options = opinion_plain;
    struct stow_snapshot *s = NULL;
    struct stow_books books = {0};
    struct stow_err err = {0};
    int code;

    for (uint32_t n = 0; n < in->nodes; n++)
        quota.amount += instance_counts(in, &in->node[n]);
    if (in->of_memory)
        quota = (struct stow_verify_quota){STOW_SYM_MEMORY, STOW_STR("memory"),
                                           quota.amount * INT64_C(1048576)};
    options.max_nodes_total = in->total;
    options.quota = &quota;
    options.quotas = in->quota != 0;
    if (stow_snapshot_load_text("cluster.json", cluster.ptr, cluster.len, NULL, &s, &err) < 0) {
        property_fails("%s", err.msg);
        return err.code;
    }
    code = opinion_of(s, &books, &options, plan, why, size);
    stow_snapshot_unref(s);
    return code;
}

/* 1: as it should be, 0: not; -1: this change is not possible here. */
static int try_change(const struct instance *in, const struct plan *plan,
                      const struct proof *proof_, struct stow_str cluster, enum change change)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct writing w = {.in = in, .plan = plan, .proof = proof_, .change = change, .to = &text};
    char why[256] = "";
    int code, right;

    plan_text(&w);
    if (text.failed)
        return 0;
    if (change != RIGHT && !w.done)
        return -1;
    code = ask(in, cluster, stow_buf_str(&text), why, sizeof(why));
    right = code == (change == RIGHT ? STOW_OK : change == NO_PROOF ? STOW_ETIME : STOW_EWRONG);
    if (!right)
        property_fails("change %d: code %d: %s\n# %.*s\n# %.*s", (int)change, code, why,
                       STOW_FMT(cluster), STOW_FMT(stow_buf_str(&text)));
    return right;
}

/* The first pod of some node goes to the node before it, where it does not fit. */
static bool overfill(const struct instance *in, struct plan *plan)
{
    for (uint32_t i = 0; i < plan->nodes; i++)
        for (uint32_t j = 0; j < plan->nodes; j++) {
            uint32_t from[CLASSES], to[CLASSES];

            counts_of(plan->node[i].pattern, from);
            counts_of(plan->node[j].pattern, to);
            for (uint32_t k = 0; k < in->classes && i != j; k++) {
                if (!from[k] || to[k] == COPIES)
                    continue;
                from[k]--;
                to[k]++;
                if (!fits_group(in, plan->node[j].group, pattern_of(to))) {
                    plan->node[i].pattern = pattern_of(from);
                    plan->node[j].pattern = pattern_of(to);
                    return true;
                }
                from[k]++;
                to[k]--;
            }
        }
    return false;
}

/* A change that does not matter here, so that nothing has to refuse it. */
static bool is_harmless(const struct instance *in, const struct proof *p, enum change change)
{
    int64_t cores = 0;

    for (uint32_t k = 0; k < in->classes; k++)
        cores += in->taken[k] ? in->class[k].need[CPU] : 0;
    if (change == CORES_OFF) /* nobody asks for cores, or no group sells them */
        return p->core_price == INT64_C(9000000000) || cores == 0;
    return change == SPLIT_OFF && !p->leaf[0].w_most && !p->leaf[1].w_least;
}

static void choose_demand(const struct instance *in, struct chance *c, uint32_t demand[CLASSES],
                          uint32_t left[CLASSES])
{
    const bool drops = chance_one_in(c, 4);

    for (uint32_t k = 0; k < CLASSES; k++) {
        demand[k] = k < in->classes && in->taken[k] ? in->class[k].count : 0;
        left[k] = drops && demand[k] ? chance_below(c, demand[k] + 1) : 0;
        demand[k] -= left[k];
    }
}

static bool holds(uint64_t seed)
{
    struct chance c = {seed};
    struct instance in;
    struct plan plan;
    struct proof p;
    uint32_t demand[CLASSES], left[CLASSES];
    STOW_AUTO(stow_buf_done) struct stow_buf cluster = {0};
    bool fine = true;

    instance_make(&in, &c);
    instance_find_taken(&in);
    choose_demand(&in, &c, demand, left);
    if (!instance_best_plan(&in, demand, &plan))
        return true; /* limits leave pods out: another seed */
    memcpy(plan.left, left, sizeof(left));
    proof_make(&in, &plan, &c, &p);
    if (p.lifted > plan.cost)
        return property_fails("the bound %lld is above the cheapest plan %lld", (long long)p.lifted,
                              (long long)plan.cost);
    instance_text(&cluster, &in);
    for (int change = RIGHT; change < CHANGES && fine; change++)
        if (!is_harmless(&in, &p, (enum change)change))
            fine = try_change(&in, &plan, &p, stow_buf_str(&cluster), (enum change)change) != 0;
    if (fine && overfill(&in, &plan)) {
        STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
        struct writing w = {.in = &in, .plan = &plan, .proof = &p, .to = &text};
        char why[256];

        plan_text(&w);
        if (ask(&in, stow_buf_str(&cluster), stow_buf_str(&text), why, sizeof(why)) != STOW_EWRONG)
            fine = property_fails("one pod too many is accepted");
    }
    return fine;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"plans-that-hold-are-accepted-and-others-refused", holds, 200},
    };

    return property_main(list, 1, argc, argv);
}
