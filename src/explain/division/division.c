/* division.c - a division as data: `kind: Division`. */
#include "explain/division/division.h"

#include <stowage/export.h>

#include "explain/defaulted.h"
#include "explain/division/division_internal.h"
#include "explain/warnings.h"

struct stow_value *stow_division_workload_text(struct stow_doc *doc, const struct stow_snapshot *s,
                                               const struct stow_binding *binding)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_binding_workload(s, binding, &text);
    doc->failed |= text.failed;
    return stow_doc_str(doc, stow_buf_str(&text));
}

struct stow_value *stow_division_cost_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                            const struct stow_money_sum *cost)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set_sum(doc, v, "perHour", cost);
    stow_value_set(doc, v, "currency", stow_doc_str(doc, a->costs->currency));
    if (cost->unknown)
        stow_value_set(doc, v, "unpriced", stow_doc_int(doc, cost->unknown));
    return v;
}

static struct stow_value *target_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                       const struct stow_fleet_target *t)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "cluster", stow_doc_str(doc, stow_text(a->s, t->name)));
    stow_value_set(doc, v, "replicas", stow_doc_int(doc, t->replicas));
    stow_value_set(doc, v, "before", stow_doc_int(doc, t->held));
    stow_value_set(doc, v, "pricePerHour", stow_doc_money(doc, t->cost));
    return v;
}

/* Clusters that had replicas and have none any more. */
static struct stow_value *emptied_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                        const struct stow_fleet_workload *w)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = w->targets; i < w->targets + w->emptied; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "cluster", stow_doc_str(doc, stow_text(a->s, w->target[i].name)));
        stow_value_set(doc, v, "before", stow_doc_int(doc, w->target[i].held));
        stow_value_push(doc, list, v);
    }
    return list;
}

static void set_outcome(struct stow_doc *doc, struct stow_value *v,
                        const struct stow_fleet_workload *w)
{
    const struct stow_division *made = &w->made;
    bool decided = made->trigger != STOW_TRIGGER_NONE;

    stow_value_set(doc, v, "decided", stow_doc_bool(doc, decided));
    if (!decided)
        return;
    stow_value_set(doc, v, "outcome", stow_doc_text(doc, stow_divide_outcome_name(made->outcome)));
    stow_value_set(doc, v, "message", stow_doc_text(doc, made->message));
    if (made->available_sum >= 0)
        stow_value_set(doc, v, "available", stow_doc_int(doc, made->available_sum));
}

static struct stow_value *workload_value(struct stow_doc *doc, const struct stow_fleet_answer *a,
                                         const struct stow_fleet_workload *w, bool explain)
{
    struct stow_value *v = stow_doc_object(doc), *targets = stow_doc_array(doc);
    const struct stow_binding *b = w->binding;

    for (uint32_t i = 0; i < w->targets; i++)
        stow_value_push(doc, targets, target_value(doc, a, &w->target[i]));
    stow_value_set(doc, v, "workload", stow_division_workload_text(doc, a->s, b));
    stow_value_set(doc, v, "kind", stow_doc_str(doc, stow_text(a->s, b->kind)));
    stow_value_set(doc, v, "strategy",
                   stow_doc_text(doc, stow_division_strategy_name(w->made.strategy)));
    if (w->made.strategy == STOW_DIVIDE_COST_OPTIMIZED)
        stow_value_set(doc, v, "rules", stow_doc_text(doc, stow_division_rules(a, w)));
    stow_value_set(doc, v, "replicas", stow_doc_int(doc, b->replicas));
    set_outcome(doc, v, w);
    stow_value_set(doc, v, "targets", targets);
    if (w->emptied)
        stow_value_set(doc, v, "emptied", emptied_value(doc, a, w));
    stow_value_set(doc, v, "unplaced", stow_doc_int(doc, w->unplaced));
    stow_value_set(doc, v, "moved", stow_doc_int(doc, w->moved));
    stow_value_set(doc, v, "cost", stow_division_cost_value(doc, a, &w->cost));
    if (explain)
        stow_value_set(doc, v, "explanation", stow_division_explanation(doc, a, w));
    return v;
}

struct stow_value *stow_division_value(struct stow_doc *doc, const struct stow_fleet_answer *answer,
                                       bool explain)
{
    struct stow_value *v = stow_doc_object(doc), *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < answer->workloads; i++)
        stow_value_push(doc, list, workload_value(doc, answer, &answer->workload[i], explain));
    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "Division"));
    stow_value_set(doc, v, "karmada", stow_doc_textf(doc, "1.%u", answer->karmada));
    stow_value_set(doc, v, "cost", stow_division_cost_value(doc, answer, &answer->cost));
    if (answer->jointly)
        stow_joint_value(doc, v, answer);
    if (answer->jointly && explain)
        stow_value_set(doc, v, "scarce", stow_scarce_value(doc, answer));
    stow_value_set(doc, v, "moved", stow_doc_int(doc, answer->moved));
    stow_value_set(doc, v, "unplaced", stow_doc_int(doc, answer->unplaced));
    stow_value_set(doc, v, "workloads", list);
    stow_defaulted_set(doc, v, answer->s, false);
    stow_defaulted_set(doc, v, answer->s, false);
    stow_warnings_set(doc, v, answer->s, answer->warning, answer->warnings);
    return v;
}
