/* prop_place.c - placing: the reference, the judge and the engine decide alike.
 *
 * Every pending pod of a random cluster is decided in turn by all three and then
 * placed.  The reference and the judge must agree about every node (which filter
 * drops it, what each scorer gives it, the total); the judge and the engine about
 * the choice.  Larger clusters, and the ways of the engine that only show there, are
 * held against the judge alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "place/engine/engine.h"
#include "place/judge.h"
#include "place/place.h"
#include "tests/property/place_random.h"

/* One cluster under one profile. */
struct play {
    struct stow_snapshot *s;
    struct stow_node_money *money;
    struct stow_state state;
    struct stow_buf text; /* of the profile */
    struct ref_profile wanted;
    struct stow_profiles profiles;
    struct stow_engine *engine;
    stow_pod_id *order;
    uint32_t pods;
};

static void play_done(struct play *p)
{
    stow_engine_free(p->engine);
    stow_profiles_done(&p->profiles);
    stow_buf_done(&p->text);
    if (p->s)
        stow_state_done(&p->state);
    stow_snapshot_unref(p->s);
    free(p->money);
    free(p->order);
}

/* `shuffled`: the objects of the cluster in another order. */
static bool play_open(struct play *p, uint64_t seed, struct random_wishes wishes,
                      struct chance *shuffled)
{
    struct random_cluster cluster;
    struct chance c = {seed * 77 + 5};
    struct stow_err err = {0};

    memset(p, 0, sizeof(*p));
    random_cluster_make(&cluster, seed, wishes);
    p->s = random_cluster_load(&cluster, shuffled);
    random_cluster_done(&cluster);
    if (!p->s)
        return false;
    if (!chance_one_in(&c, 6))
        p->money = random_money(p->s, seed);
    random_profile(&c, &p->wanted, &p->text);
    if (stow_state_init(&p->state, p->s, p->money, &err) < 0 ||
        stow_place_order(p->s, &p->order, &p->pods) < 0)
        return property_fails("%s", err.msg);
    if (!random_profile_read(&p->text, &p->profiles))
        return false;
    if (stow_engine_new(&p->state, &p->profiles, &p->engine, &err) < 0)
        return property_fails("%s", err.msg);
    return true;
}

/* ---- the reference and the judge --------------------------------------------------------- */

static int filter_number(const struct stow_profile *profile, int32_t index)
{
    for (int i = 0; i < REF_FILTERS && index >= 0; i++)
        if (strcmp(profile->filter[index].rule->name, ref_filter_name[i]) == 0)
            return i;
    return index == STOW_OUTSIDE ? REF_OUTSIDE : -1;
}

static const char *filter_text(int number)
{
    return number >= 0 ? ref_filter_name[number] : number == -1 ? "none" : "outside";
}

static bool same_verdicts(const struct play *p, const struct stow_pod *pod,
                          const struct ref_answer *want, const struct stow_judgement *got)
{
    for (stow_node_id n = 0; n < p->s->nodes; n++) {
        int dropped = filter_number(&p->profiles.profile[0], got->node[n].filter);

        if (dropped != want->dropped[n])
            return property_fails("pod %s, node %s: dropped by %s, expected %s", pod->name,
                                  p->s->node[n].name, filter_text(dropped),
                                  filter_text(want->dropped[n]));
    }
    return true;
}

static int scorer_number(const struct stow_profile *profile, uint32_t index)
{
    for (int i = 0; i < REF_SCORERS; i++)
        if (strcmp(profile->scorer[index].rule->name, ref_scorer_name[i]) == 0)
            return i;
    return -1;
}

static bool same_scores(const struct play *p, const struct stow_pod *pod, uint32_t scorer,
                        const struct ref_answer *want, const struct stow_judgement *got)
{
    int which = scorer_number(&p->profiles.profile[0], scorer);

    if (got->skipped[scorer] != want->skipped[which])
        return property_fails("pod %s: %s skips %d, expected %d", pod->name, ref_scorer_name[which],
                              got->skipped[scorer], want->skipped[which]);
    for (stow_node_id n = 0; n < p->s->nodes; n++) {
        double score = got->score[(size_t)scorer * got->nodes + n];

        if (want->dropped[n] == -1 && !want->skipped[which] &&
            !(fabs(score - want->score[which][n]) <= 1e-9))
            return property_fails("pod %s, node %s: %s gives %.12g, expected %.12g", pod->name,
                                  p->s->node[n].name, ref_scorer_name[which], score,
                                  want->score[which][n]);
    }
    return true;
}

static bool same_judgement(const struct play *p, stow_pod_id id, const struct ref_answer *want,
                           const struct stow_judgement *got)
{
    const struct stow_pod *pod = &p->s->pod[id];
    bool any = want->best != STOW_NONE;

    if (!same_verdicts(p, pod, want, got))
        return false;
    for (uint32_t i = 0; i < got->scorers && any; i++)
        if (!same_scores(p, pod, i, want, got))
            return false;
    for (stow_node_id n = 0; n < p->s->nodes; n++)
        if (want->dropped[n] == -1 && !(fabs(got->node[n].total - want->total[n]) <= 1e-9))
            return property_fails("pod %s, node %s: total %.12g, expected %.12g", pod->name,
                                  p->s->node[n].name, got->node[n].total, want->total[n]);
    if (got->best != want->best)
        return property_fails("pod %s: chose %d, expected %d", pod->name, (int)got->best,
                              (int)want->best);
    return true;
}

/* A dropped node has a reason, another has none. */
static bool has_reasons(const struct play *p, const struct stow_subject *pod,
                        const struct stow_judgement *j)
{
    for (stow_node_id n = 0; n < p->s->nodes; n++) {
        struct stow_arena arena = {0};
        struct stow_reasons reasons;
        bool outside = j->node[n].filter == STOW_OUTSIDE;

        stow_judge_explain(&p->state, &p->profiles.profile[0], pod, j, n, &arena, &reasons);
        stow_arena_done(&arena);
        if (j->node[n].feasible != (reasons.verdict == STOW_FITS) ||
            (reasons.count == 0) != (j->node[n].feasible || outside))
            return property_fails("pod %s, node %s: verdict %d with %u reasons", pod->pod->name,
                                  p->s->node[n].name, reasons.verdict, reasons.count);
    }
    return true;
}

/* ---- the judge and the engine ------------------------------------------------------------ */

static bool same_components(const struct play *p, stow_pod_id id, const struct stow_choice *choice,
                            const struct stow_judgement *j)
{
    double score[REF_SCORERS];
    bool skipped[REF_SCORERS];

    stow_engine_components(p->engine, choice, score, skipped);
    for (uint32_t i = 0; i < j->scorers; i++)
        if (skipped[i] != j->skipped[i] ||
            (!skipped[i] && score[i] != j->score[(size_t)i * j->nodes + choice->node]))
            return property_fails("pod %s: component %s of the engine is %.17g (%d), the judge's "
                                  "%.17g (%d)",
                                  p->s->pod[id].name, p->profiles.profile[0].scorer[i].rule->name,
                                  score[i], skipped[i],
                                  j->score[(size_t)i * j->nodes + choice->node], j->skipped[i]);
    return true;
}

static bool same_choice(const struct play *p, stow_pod_id id, const struct stow_judgement *j,
                        struct stow_choice *choice)
{
    struct stow_err err;

    if (stow_engine_decide(p->engine, id, choice, &err) < 0)
        return property_fails("%s", err.msg);
    if (choice->node != j->best)
        return property_fails("pod %s: the engine chose %d, the judge %d", p->s->pod[id].name,
                              (int)choice->node, (int)j->best);
    if (j->best == STOW_NONE)
        return true;
    if (!(fabs(choice->total - j->node[j->best].total) <= 1e-9))
        return property_fails("pod %s: the engine's total is %.17g, the judge's %.17g",
                              p->s->pod[id].name, choice->total, j->node[j->best].total);
    return same_components(p, id, choice, j);
}

/* `reference` may be NULL. */
static bool step(struct play *p, struct ref_cluster *reference, stow_pod_id id, bool place)
{
    const struct stow_subject subject = stow_subject_of(p->s, id);
    struct stow_judgement judgement;
    struct ref_answer *want = NULL;
    struct stow_choice choice;
    struct stow_err err;

    if (stow_judge(&p->state, &p->profiles.profile[0], &subject, &judgement, &err) < 0)
        return property_fails("%s", err.msg);

    bool good = same_choice(p, id, &judgement, &choice);

    if (good && reference && (want = malloc(sizeof(*want)))) {
        ref_decide(reference, &p->wanted, id, want);
        good = same_judgement(p, id, want, &judgement) && has_reasons(p, &subject, &judgement);
    }
    if (good && place && choice.node != STOW_NONE) {
        stow_engine_place(p->engine, id, choice.node);
        if (reference)
            ref_place(reference, id, choice.node);
    }
    free(want);
    stow_judgement_done(&judgement);
    return good;
}

static bool play_through(struct play *p, struct ref_cluster *reference)
{
    bool good = true;

    for (uint32_t i = 0; i < p->pods && good; i++)
        if (!(p->s->pod[p->order[i]].flags & STOW_POD_GATED))
            good = step(p, reference, p->order[i], true);
    if (!good)
        property_fails("profile %.*s", (int)p->text.len, p->text.ptr);
    return good;
}

/* ---- properties -------------------------------------------------------------------------- */

static bool reference_judge_and_engine_agree(uint64_t seed)
{
    struct chance c = {seed + 99};
    struct random_wishes wishes = {
        .nodes = 1 + chance_below(&c, 12),
        .running = chance_below(&c, 16),
        .pending = 1 + chance_below(&c, 20),
        .specs = 1 + chance_below(&c, 8),
        .plain = chance_one_in(&c, 4),
    };
    struct ref_cluster *reference = malloc(sizeof(*reference));
    struct play p;
    bool good = play_open(&p, seed, wishes, NULL) && reference &&
                (ref_open(reference, p.s, p.money) || property_fails("too large")) &&
                play_through(&p, reference);

    play_done(&p);
    free(reference);
    return good;
}

/* More nodes than a block of the board has, and classes that come back after long. */
static bool engine_agrees_on_many_nodes(uint64_t seed)
{
    struct chance c = {seed + 7};
    struct random_wishes wishes = {
        .nodes = 60 + chance_below(&c, 150),
        .running = chance_below(&c, 80),
        .pending = 150,
        .specs = 1 + chance_below(&c, 12),
        .plain = chance_one_in(&c, 2),
    };
    struct play p;
    bool good = play_open(&p, seed, wishes, NULL) && play_through(&p, NULL);

    play_done(&p);
    return good;
}

/* The log is longer than there are nodes before a class has its next turn; nodes fill up, so that
 * grades die out. */
static bool engine_agrees_on_few_nodes(uint64_t seed)
{
    struct chance c = {seed + 8};
    struct random_wishes wishes = {
        .nodes = 1 + chance_below(&c, 5),
        .pending = 60,
        .specs = 20 + chance_below(&c, 20),
        .plain = !chance_one_in(&c, 3),
    };
    struct play p;
    bool good = play_open(&p, seed, wishes, NULL) && play_through(&p, NULL);

    play_done(&p);
    return good;
}

/* Classes that nothing looked at until a pod with terms was placed. */
static bool engine_hears_of_late_terms(uint64_t seed)
{
    struct chance c = {seed + 9};
    struct random_wishes wishes = {
        .nodes = 3 + chance_below(&c, 8),
        .running = chance_below(&c, 10),
        .pending = 30,
        .specs = 1 + chance_below(&c, 3),
        .late_terms = true,
    };
    struct play p;
    bool good = play_open(&p, seed, wishes, NULL);

    /* The last ones have the terms: once around without placing, then these, then the others. */
    for (stow_pod_id i = 0; i < p.pods && good; i++)
        good = step(&p, NULL, p.order[i], false);
    for (uint32_t i = p.pods; i > 0 && good; i--)
        good = step(&p, NULL, p.order[i - 1], true);
    if (!good)
        property_fails("profile %.*s", (int)p.text.len, p.text.ptr);
    play_done(&p);
    return good;
}

/* Decisions as a text. */
static bool decisions(struct play *p, struct stow_buf *to)
{
    const struct stow_place_options options = {.components = true};
    struct stow_placement placement;
    struct stow_err err;

    if (stow_place(&p->state, &p->profiles, &options, &placement, &err) < 0)
        return property_fails("%s", err.msg);
    for (uint32_t i = 0; i < placement.count; i++) {
        const struct stow_decision *d = &placement.decision[i];
        const struct stow_pod *pod = &p->s->pod[d->pod];

        stow_buf_printf(to, "%s/%s %d %s %.17g", stow_text(p->s, pod->namespace).ptr, pod->name,
                        d->outcome, d->node == STOW_NONE ? "-" : p->s->node[d->node].name,
                        d->total);
        for (uint32_t k = 0; d->score && k < d->profile->scorers; k++)
            stow_buf_printf(to, " %.17g", d->skipped[k] ? -1 : d->score[k]);
        for (uint32_t k = 0; k < d->reasons; k++)
            stow_buf_printf(to, " %u %s", d->reason[k].nodes, d->reason[k].text);
        stow_buf_text(to, "\n");
    }
    stow_placement_done(&placement);
    return true;
}

static bool order_of_input_does_not_matter(uint64_t seed)
{
    struct chance c = {seed + 10}, shuffled = {seed};
    struct random_wishes wishes = {
        .nodes = 1 + chance_below(&c, 9),
        .running = chance_below(&c, 20),
        .pending = 1 + chance_below(&c, 20),
        .specs = 1 + chance_below(&c, 6),
    };
    struct stow_buf text[3] = {{0}, {0}, {0}}; /* as made, shuffled, as made */
    bool good = true;

    for (int i = 0; i < 3 && good; i++) {
        struct play p;

        good = play_open(&p, seed, wishes, i == 1 ? &shuffled : NULL) && decisions(&p, &text[i]);
        play_done(&p);
    }
    if (good && !stow_str_eq(stow_buf_str(&text[0]), stow_buf_str(&text[1])))
        good = property_fails("in order:\n%.*s# in another:\n%.*s", (int)text[0].len, text[0].ptr,
                              (int)text[1].len, text[1].ptr);
    if (good && !stow_str_eq(stow_buf_str(&text[0]), stow_buf_str(&text[2])))
        good = property_fails("two runs differ");
    for (int i = 0; i < 3; i++)
        stow_buf_done(&text[i]);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"reference-judge-and-engine-agree", reference_judge_and_engine_agree, 6000},
        {"engine-agrees-on-many-nodes", engine_agrees_on_many_nodes, 20},
        {"engine-agrees-on-few-nodes", engine_agrees_on_few_nodes, 800},
        {"engine-hears-of-late-terms", engine_hears_of_late_terms, 800},
        {"order-of-input-does-not-matter", order_of_input_does_not_matter, 600},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
