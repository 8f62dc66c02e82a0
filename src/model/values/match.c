/* match.c - labels against selectors, taints against tolerations, nodes against node selectors.
 *
 * The rules are kube-scheduler's: an absent key passes NotIn and DoesNotExist
 * only, Gt and Lt compare whole numbers and fail on anything else, an empty node
 * selector term matches nothing while an empty label selector matches all. */
#include "model/values/match.h"

#include "model/values/syntax.h"

static bool value_listed(const struct stow_snapshot *s, stow_blob values, stow_sym value)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, values, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i] == value)
            return true;
    return false;
}

static bool compares(const struct stow_snapshot *s, const struct stow_requirement *r,
                     stow_sym value)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, r->values, stow_sym, &count);
    int64_t have, bound;

    if (count != 1 || !stow_str_int(stow_text(s, value), &have) ||
        !stow_str_int(stow_text(s, list[0]), &bound))
        return false;
    return r->op == STOW_OP_GT ? have > bound : have < bound;
}

bool stow_requirement_holds(const struct stow_snapshot *s, const struct stow_requirement *r,
                            stow_sym value)
{
    bool present = value != STOW_NONE;

    switch ((enum stow_operator)r->op) {
    case STOW_OP_IN:
        return present && value_listed(s, r->values, value);
    case STOW_OP_NOT_IN:
        return !present || !value_listed(s, r->values, value);
    case STOW_OP_EXISTS:
        return present;
    case STOW_OP_NOT_EXISTS:
        return !present;
    case STOW_OP_GT:
    case STOW_OP_LT:
        return present && compares(s, r, value);
    case STOW_OP_UNKNOWN:
        break;
    }
    return false;
}

bool stow_selector_matches(const struct stow_snapshot *s, stow_blob selector, stow_blob labels)
{
    uint32_t count;
    const struct stow_requirement *list = STOW_LIST(s, selector, struct stow_requirement, &count);

    if (selector == STOW_SELECTOR_NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!stow_requirement_holds(s, &list[i], stow_label_value(s, labels, list[i].key)))
            return false;
    return true;
}

bool stow_labels_include(const struct stow_snapshot *s, stow_blob labels, stow_blob wanted)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, wanted, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_label_value(s, labels, list[i].key) != list[i].value)
            return false;
    return true;
}

/* Only metadata.name can be asked, by In or NotIn with one value. */
static bool field_holds(const struct stow_snapshot *s, const struct stow_requirement *r,
                        const struct stow_node *node)
{
    uint32_t count;

    STOW_LIST(s, r->values, stow_sym, &count);
    if (count != 1 || (r->op != STOW_OP_IN && r->op != STOW_OP_NOT_IN) ||
        r->key != STOW_SYM_METADATA_NAME)
        return false;
    return stow_requirement_holds(s, r, node->symbol);
}

bool stow_node_term_matches(const struct stow_snapshot *s, const struct stow_node_term *term,
                            const struct stow_node *node)
{
    uint32_t count;
    const struct stow_requirement *fields =
        STOW_LIST(s, term->fields, struct stow_requirement, &count);

    if (term->broken || (term->expressions == 0 && term->fields == 0))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!field_holds(s, &fields[i], node))
            return false;
    return stow_selector_matches(s, term->expressions, node->labels);
}

/* ---- for people -------------------------------------------------------------------------- */

static const char *say_values(const struct stow_snapshot *s, stow_blob values,
                              struct stow_arena *arena)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, values, stow_sym, &count);
    const char *text = "";

    for (uint32_t i = 0; i < count && text; i++)
        text = stow_arena_printf(arena, "%s%s%.*s", text, i ? ", " : "",
                                 STOW_FMT(stow_text(s, list[i])));
    return text;
}

static const char *say_requirement(const struct stow_snapshot *s, const struct stow_requirement *r,
                                   struct stow_arena *arena)
{
    static const char *const words[] = {
        [STOW_OP_IN] = "in",    [STOW_OP_NOT_IN] = "not in",
        [STOW_OP_EXISTS] = "",  [STOW_OP_NOT_EXISTS] = "absent",
        [STOW_OP_GT] = ">",     [STOW_OP_LT] = "<",
        [STOW_OP_UNKNOWN] = "",
    };
    const char *values = say_values(s, r->values, arena), *word = words[r->op];

    return !values ? NULL
                   : stow_arena_printf(arena, "wants %.*s%s%s%s%s", STOW_FMT(stow_text(s, r->key)),
                                       *word ? " " : "", word, *values ? " " : "", values);
}

const char *stow_node_terms_want(const struct stow_snapshot *s, stow_blob terms,
                                 const struct stow_node *node, struct stow_arena *arena)
{
    uint32_t count, asked;
    const struct stow_node_term *term = STOW_LIST(s, terms, struct stow_node_term, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_requirement *list =
            STOW_LIST(s, term[i].fields, struct stow_requirement, &asked);

        for (uint32_t r = 0; r < asked && !term[i].broken; r++)
            if (!field_holds(s, &list[r], node))
                return say_requirement(s, &list[r], arena);
        list = STOW_LIST(s, term[i].expressions, struct stow_requirement, &asked);
        for (uint32_t r = 0; r < asked && !term[i].broken; r++)
            if (!stow_requirement_holds(s, &list[r],
                                        stow_label_value(s, node->labels, list[r].key)))
                return say_requirement(s, &list[r], arena);
    }
    return NULL;
}

/* ---- syntax ------------------------------------------------------------------------------ */

static bool expression_parses(const struct stow_snapshot *s, const struct stow_requirement *r)
{
    uint32_t count;
    const stow_sym *value = STOW_LIST(s, r->values, stow_sym, &count);

    if (!stow_is_label_key(stow_text(s, r->key)) || !stow_requirement_takes(r->op, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!stow_requirement_takes_value(r->op, stow_text(s, value[i])))
            return false;
    return true;
}

static bool field_parses(const struct stow_snapshot *s, const struct stow_requirement *r)
{
    uint32_t count;

    STOW_LIST(s, r->values, stow_sym, &count);
    return count == 1 && (r->op == STOW_OP_IN || r->op == STOW_OP_NOT_IN);
}

bool stow_node_term_parses(const struct stow_snapshot *s, const struct stow_node_term *term)
{
    uint32_t expressions, fields;
    const struct stow_requirement *expression =
        STOW_LIST(s, term->expressions, struct stow_requirement, &expressions);
    const struct stow_requirement *field =
        STOW_LIST(s, term->fields, struct stow_requirement, &fields);

    for (uint32_t i = 0; i < expressions; i++)
        if (!expression_parses(s, &expression[i]))
            return false;
    for (uint32_t i = 0; i < fields; i++)
        if (!field_parses(s, &field[i]))
            return false;
    return true;
}

bool stow_node_terms_match(const struct stow_snapshot *s, stow_blob terms,
                           const struct stow_node *node)
{
    uint32_t count;
    const struct stow_node_term *list = STOW_LIST(s, terms, struct stow_node_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_node_term_matches(s, &list[i], node))
            return true;
    return false;
}

bool stow_spec_selects_node(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                            const struct stow_node *node)
{
    if (!stow_labels_include(s, node->labels, spec->node_selector))
        return false;
    return spec->node_required == STOW_SELECTOR_NULL ||
           stow_node_terms_match(s, spec->node_required, node);
}

bool stow_tolerates(const struct stow_toleration *toleration, const struct stow_taint *taint)
{
    if (toleration->effect != STOW_EFFECT_ANY && toleration->effect != taint->effect)
        return false;
    if (toleration->key != 0 && toleration->key != taint->key)
        return false;
    if (toleration->op == STOW_TOLERATE_EQUAL)
        return toleration->value == taint->value;
    return toleration->op == STOW_TOLERATE_EXISTS;
}

const struct stow_taint *stow_untolerated(const struct stow_snapshot *s, stow_blob taints,
                                          stow_blob tolerations)
{
    uint32_t taint_count, count;
    const struct stow_taint *taint = STOW_LIST(s, taints, struct stow_taint, &taint_count);
    const struct stow_toleration *list = STOW_LIST(s, tolerations, struct stow_toleration, &count);

    for (uint32_t i = 0; i < taint_count; i++) {
        bool matters =
            taint[i].effect == STOW_EFFECT_NO_SCHEDULE || taint[i].effect == STOW_EFFECT_NO_EXECUTE;
        bool tolerated = false;

        for (uint32_t j = 0; j < count && matters && !tolerated; j++)
            tolerated = stow_tolerates(&list[j], &taint[i]);
        if (matters && !tolerated)
            return &taint[i];
    }
    return NULL;
}

bool stow_daemon_runs(const struct stow_snapshot *s, const struct stow_pod_spec *template,
                      const struct stow_node *node)
{
    return stow_spec_selects_node(s, template, node) &&
           !stow_untolerated(s, node->taints, template->tolerations);
}

bool stow_daemon_of(const struct stow_snapshot *s, const struct stow_workload *workload,
                    stow_group_id group)
{
    return workload->kind == STOW_DAEMON_SET && workload->template_spec != STOW_NONE &&
           !workload->ended &&
           stow_daemon_runs(s, stow_spec(s, workload->template_spec), &s->fresh[group]);
}
