/* rounds_value.c - how a plan came about, as data. */
#include "explain/scaling/scaling_internal.h"

static struct stow_value *options_value(struct stow_doc *doc, const struct stow_plan *plan,
                                        const struct stow_round *round)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < round->options; i++) {
        const struct stow_round_option *o = &round->option[i];
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "group", stow_doc_text(doc, stow_plan_part_name(plan, o->group)));
        stow_value_set(doc, v, "nodes", stow_doc_int(doc, o->nodes));
        stow_value_set(doc, v, "pods", stow_doc_int(doc, o->pods));
        if (o->why)
            stow_value_set(doc, v, "reason", stow_doc_text(doc, o->why));
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *marks_value(struct stow_doc *doc, const struct stow_plan *plan,
                                      const struct stow_round *round, uint32_t step,
                                      uint32_t candidate)
{
    const struct stow_chain_step *here = &round->chain.step[step];
    const struct stow_rank_mark *mark = &here->mark[candidate];
    struct stow_value *v = stow_doc_object(doc), *values = stow_doc_object(doc);

    for (uint32_t i = 0; here->ranker->value && here->ranker->value[i]; i++)
        stow_value_set(doc, values, here->ranker->value[i], stow_doc_real(doc, mark->value[i]));
    stow_value_set(
        doc, v, "group",
        stow_doc_text(doc, stow_plan_part_name(plan, round->candidate_group[candidate])));
    stow_value_set(doc, v, "kept", stow_doc_bool(doc, stow_step_kept(here, candidate)));
    if (mark->skipped)
        stow_value_set(doc, v, "skipped", stow_doc_text(doc, mark->skipped));
    else
        stow_value_set(doc, v, "values", values);
    return v;
}

/* In order of names, whoever won: readers find what they look for by name. */
static struct stow_value *steps_value(struct stow_doc *doc, const struct stow_plan *plan,
                                      const struct stow_round *round)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < round->chain.steps; i++) {
        const struct stow_chain_step *before = i ? &round->chain.step[i - 1] : NULL;
        uint32_t count = before ? before->kept_count : round->candidates;
        struct stow_value *v = stow_doc_object(doc), *candidates = stow_doc_array(doc);

        for (uint32_t n = 0; n < count; n++)
            stow_value_push(doc, candidates,
                            marks_value(doc, plan, round, i, before ? before->kept[n] : n));
        stow_value_set(doc, v, "ranker", stow_doc_text(doc, round->chain.step[i].ranker->name));
        stow_value_set(doc, v, "candidates", candidates);
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *placement_value(struct stow_doc *doc, const struct stow_plan *plan,
                                          const struct stow_round_placement *p)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "group", stow_doc_text(doc, stow_plan_part_name(plan, p->group)));
    stow_value_set(doc, v, "pods", stow_doc_int(doc, p->pods));
    stow_value_set(doc, v, "sidePods", stow_doc_int(doc, p->side_pods));
    stow_value_set(doc, v, "nru", stow_doc_real(doc, p->nru));
    stow_value_set(doc, v, "nruCapacity", stow_doc_real(doc, p->nru_capacity));
    stow_value_set(doc, v, "pricePerHour", stow_doc_money(doc, p->price));
    if (p->why) {
        stow_value_set(doc, v, "skipped", stow_doc_text(doc, p->why));
        return v;
    }
    stow_value_set(doc, v, "score", stow_doc_real(doc, p->score));
    if (plan->nru_rules != STOW_NRU_DOCUMENT)
        stow_value_set(doc, v, "value", stow_doc_int(doc, p->value));
    return v;
}

static void set_placements(struct stow_doc *doc, struct stow_value *v, const struct stow_plan *plan,
                           const struct stow_round *round)
{
    struct stow_value *priority = stow_doc_object(doc), *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < round->placements; i++)
        stow_value_push(doc, list, placement_value(doc, plan, &round->placement[i]));
    stow_value_set(doc, priority, "pool", stow_doc_int(doc, round->pool_priority));
    stow_value_set(doc, priority, "template", stow_doc_int(doc, round->template_priority));
    stow_value_set(doc, v, "priority", priority);
    stow_value_set(doc, v, "placements", list);
}

static struct stow_value *lost_value(struct stow_doc *doc, const struct stow_plan *plan,
                                     const struct stow_round *round)
{
    STOW_AUTO(stow_buf_done) struct stow_buf why = {0};

    stow_round_lost(plan, round, &why);
    doc->failed |= why.failed;
    return why.len ? stow_doc_str(doc, stow_buf_str(&why)) : stow_doc_null(doc);
}

static struct stow_value *round_value(struct stow_doc *doc, const struct stow_plan *plan,
                                      const struct stow_round *round)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "round", stow_doc_int(doc, round->number));
    stow_value_set(doc, v, "winner", stow_doc_text(doc, stow_round_winner(plan, round)));
    stow_value_set(doc, v, "runnerUp", stow_doc_text(doc, stow_round_runner_up(plan, round)));
    stow_value_set(doc, v, "runnerUpLost", lost_value(doc, plan, round));
    stow_value_set(doc, v, "bought",
                   stow_plan_groups_value(doc, plan, round->bought, round->boughts));
    if (round->placements) {
        set_placements(doc, v, plan, round);
        return v;
    }
    stow_value_set(doc, v, "options", options_value(doc, plan, round));
    stow_value_set(doc, v, "steps", steps_value(doc, plan, round));
    return v;
}

struct stow_value *stow_plan_rounds_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->rounds; i++)
        stow_value_push(doc, list, round_value(doc, plan, &plan->round[i]));
    return list;
}
