/* why_value.c - why a pod goes where it goes, as data: nothing is left out. */
#include "explain/placement/placement_internal.h"
#include "model/values/amount.h"

static struct stow_value *parts_value(struct stow_doc *doc, const struct stow_score_parts *parts)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < parts->count; i++) {
        const struct stow_score_part *part = &parts->part[i];
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "part", stow_doc_text(doc, part->name));
        stow_value_set(doc, v, "value", stow_doc_real(doc, part->value));
        stow_value_set(doc, v, "weight", stow_doc_real(doc, part->weight));
        if (part->flag)
            stow_value_set(doc, v, "flag", stow_doc_text(doc, part->flag));
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *component_value(struct stow_doc *doc, const struct stow_why *why,
                                          uint32_t scorer, stow_node_id node)
{
    const struct stow_judgement *j = &why->judgement;
    const struct stow_profile_scorer *f = &why->profile->scorer[scorer];
    size_t at = (size_t)scorer * j->nodes + node;
    struct stow_value *v = stow_doc_object(doc);
    struct stow_score_parts parts;

    stow_why_parts(why, scorer, node, &parts);
    stow_value_set(doc, v, "scorer", stow_doc_text(doc, f->rule->name));
    if (parts.mode)
        stow_value_set(doc, v, "mode", stow_doc_text(doc, parts.mode));
    stow_value_set(doc, v, "raw", stow_doc_real(doc, j->raw[at]));
    stow_value_set(doc, v, "score", stow_doc_real(doc, j->score[at]));
    stow_value_set(doc, v, "weight", stow_doc_real(doc, f->weight));
    stow_value_set(doc, v, "contribution", stow_doc_real(doc, f->weight * j->score[at]));
    if (parts.count)
        stow_value_set(doc, v, "parts", parts_value(doc, &parts));
    return v;
}

static struct stow_value *candidate_value(struct stow_doc *doc, const struct stow_why *why,
                                          stow_node_id node)
{
    const struct stow_judgement *j = &why->judgement;
    struct stow_value *v = stow_doc_object(doc), *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < why->profile->scorers; i++)
        if (!j->skipped[i])
            stow_value_push(doc, list, component_value(doc, why, i, node));
    stow_value_set(doc, v, "node", stow_doc_text(doc, why->state->s->node[node].name));
    stow_value_set(doc, v, "score", stow_doc_real(doc, (double)j->node[node].key / 1e9));
    stow_value_set(doc, v, "components", list);
    return v;
}

static struct stow_value *candidates_value(struct stow_doc *doc, const struct stow_why *why)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < why->candidates; i++)
        stow_value_push(doc, list, candidate_value(doc, why, why->candidate[i]));
    return list;
}

static struct stow_value *dropped_node_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                             const struct stow_dropped *dropped)
{
    const struct stow_reason *r = &dropped->reason;
    struct stow_value *v = stow_doc_object(doc);
    char text[STOW_AMOUNT_TEXT];

    stow_value_set(doc, v, "node", stow_doc_text(doc, s->node[dropped->node].name));
    if (r->resource != STOW_NONE) {
        stow_value_set(doc, v, "resource",
                       stow_doc_str(doc, stow_text(s, s->resource[r->resource])));
        stow_value_set(doc, v, "wants",
                       stow_doc_text(doc, stow_amount_exact(s, r->resource, r->wanted, text)));
        stow_value_set(doc, v, "free",
                       stow_doc_text(doc, stow_amount_exact(s, r->resource, r->free, text)));
    } else if (r->detail) {
        stow_value_set(doc, v, "detail", stow_doc_text(doc, r->detail));
    }
    return v;
}

struct stow_value *stow_why_dropped(struct stow_doc *doc, const struct stow_why *why)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < why->groups; i++) {
        const struct stow_drop_group *g = &why->group[i];
        struct stow_value *v = stow_doc_object(doc), *each = stow_doc_array(doc);

        for (uint32_t n = 0; n < g->nodes; n++)
            stow_value_push(doc, each, dropped_node_value(doc, why->state->s, &g->dropped[n]));
        stow_value_set(doc, v, "filter",
                       stow_doc_text(doc, stow_drop_filter(why->profile, g->filter)));
        stow_value_set(doc, v, "reason", stow_doc_text(doc, g->text));
        stow_value_set(doc, v, "nodes", stow_doc_int(doc, g->nodes));
        stow_value_set(doc, v, "each", each);
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *name_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                     stow_node_id node)
{
    return stow_doc_text(doc, node == STOW_NONE ? NULL : s->node[node].name);
}

static void set_choice(struct stow_doc *doc, struct stow_value *v, const struct stow_why *why)
{
    const struct stow_judgement *j = &why->judgement;
    const struct stow_snapshot *s = why->state->s;

    stow_value_set(doc, v, "profile", stow_doc_text(doc, why->profile->name));
    stow_value_set(doc, v, "chosen", name_value(doc, s, j->best));
    stow_value_set(doc, v, "runnerUp", name_value(doc, s, j->runner_up));
    stow_value_set(
        doc, v, "margin",
        j->runner_up == STOW_NONE
            ? stow_doc_null(doc)
            : stow_doc_real(doc, (double)(j->node[j->best].key - j->node[j->runner_up].key) / 1e9));
    stow_value_set(doc, v, "candidates", candidates_value(doc, why));
    stow_value_set(doc, v, "dropped", stow_why_dropped(doc, why));
}

int stow_placement_explain_value(struct stow_doc *doc, struct stow_value *array,
                                 const struct stow_state *state,
                                 const struct stow_decision *decision, struct stow_err *err)
{
    STOW_AUTO(stow_why_done) struct stow_why why = {0};
    const struct stow_pod *pod = &state->s->pod[decision->pod];
    struct stow_value *v = stow_doc_object(doc);

    stow_value_push(doc, array, v);
    stow_value_set(
        doc, v, "pod",
        stow_doc_textf(doc, "%s/%s", stow_text(state->s, pod->namespace).ptr, pod->name));
    if (stow_not_tried(decision)) {
        stow_value_set(doc, v, "notTried", stow_doc_text(doc, stow_not_tried(decision)));
        return STOW_OK;
    }
    STOW_TRY(stow_why_make(state, decision, &why, err));
    set_choice(doc, v, &why);
    return STOW_OK;
}
