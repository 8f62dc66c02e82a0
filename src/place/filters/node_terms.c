/* node_terms.c - node affinity that a profile adds to every pod. */
#include "place/filters/node_terms.h"

#include "base/arena.h"
#include "model/values/syntax.h"
#include "place/profiles/options.h"
#include "read/kinds/reader.h"

/* ---- reading ----------------------------------------------------------------------------- */

static int read_key(struct stow_cursor *c, void *into)
{
    struct stow_named_requirement *made = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    made->key = stow_arena_text(c->arena, text);
    return made->key ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_operator(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {
        [STOW_OP_IN] = "In",         [STOW_OP_NOT_IN] = "NotIn",
        [STOW_OP_EXISTS] = "Exists", [STOW_OP_NOT_EXISTS] = "DoesNotExist",
        [STOW_OP_GT] = "Gt",         [STOW_OP_LT] = "Lt",
        [STOW_OP_UNKNOWN] = NULL,
    };

    return stow_read_word(c, words, &((struct stow_named_requirement *)into)->op);
}

static int read_values(struct stow_cursor *c, void *into)
{
    return stow_option_names(c, &((struct stow_named_requirement *)into)->values);
}

static const struct stow_field requirement_fields[] = {
    STOW_FIELD("key", read_key),
    STOW_FIELD("operator", read_operator),
    STOW_FIELD("values", read_values),
};

static int read_requirement(struct stow_cursor *c, void *into)
{
    struct stow_named_requirements *list = into;
    struct stow_named_requirement made = {.op = STOW_OP_UNKNOWN};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, requirement_fields, &made));
    if (!made.key || made.op == STOW_OP_UNKNOWN)
        return stow_cursor_fail_at(c, start, "a requirement needs a key and an operator");

    struct stow_named_requirement *kept =
        stow_option_push(c, &list->item, &list->count, &list->cap, sizeof(*kept));

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = made;
    return STOW_OK;
}

static bool values_parse(const struct stow_named_requirement *r)
{
    for (uint32_t i = 0; i < r->values.count; i++)
        if (!stow_requirement_takes_value(r->op, stow_str_of(r->values.name[i])))
            return false;
    return true;
}

static int check_expressions(struct stow_cursor *c, const struct stow_named_requirements *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct stow_named_requirement *r = &list->item[i];

        if (!stow_is_label_key(stow_str_of(r->key)))
            return stow_cursor_fail(c, "'%s' is not a label key", r->key);
        if (!stow_requirement_takes(r->op, r->values.count) || !values_parse(r))
            return stow_cursor_fail(c, "the values of '%s' do not suit its operator", r->key);
    }
    return STOW_OK;
}

static int check_fields(struct stow_cursor *c, const struct stow_named_requirements *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct stow_named_requirement *r = &list->item[i];

        if (!stow_str_is(stow_str_of(r->key), "metadata.name"))
            return stow_cursor_fail(
                c, "'%s' is not a supported field of a node; expected metadata.name", r->key);
        if (r->values.count != 1 || (r->op != STOW_OP_IN && r->op != STOW_OP_NOT_IN))
            return stow_cursor_fail(c, "metadata.name takes In or NotIn with one value");
    }
    return STOW_OK;
}

static int read_expressions(struct stow_cursor *c, void *into)
{
    struct stow_named_term *term = into;

    STOW_TRY(stow_cursor_items(c, read_requirement, &term->expressions));
    return check_expressions(c, &term->expressions);
}

static int read_fields(struct stow_cursor *c, void *into)
{
    struct stow_named_term *term = into;

    STOW_TRY(stow_cursor_items(c, read_requirement, &term->fields));
    return check_fields(c, &term->fields);
}

static const struct stow_field term_fields[] = {
    STOW_FIELD("matchExpressions", read_expressions),
    STOW_FIELD("matchFields", read_fields),
};

static int keep_term(struct stow_cursor *c, struct stow_named_terms *list,
                     const struct stow_named_term *made)
{
    struct stow_named_term *kept =
        stow_option_push(c, &list->item, &list->count, &list->cap, sizeof(*kept));

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = *made;
    return STOW_OK;
}

static int read_term(struct stow_cursor *c, void *into)
{
    struct stow_named_term made = {0};

    STOW_TRY(STOW_FIELDS_STRICT(c, term_fields, &made));
    return keep_term(c, into, &made);
}

static int read_terms(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_term, into);
}

static const struct stow_field selector_fields[] = {STOW_FIELD("nodeSelectorTerms", read_terms)};

static int read_required(struct stow_cursor *c, void *into)
{
    struct stow_added_affinity *added = into;

    added->required.given = true;
    return STOW_FIELDS_STRICT(c, selector_fields, &added->required);
}

static int read_preference(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS_STRICT(c, term_fields, into);
}

static int read_weight(struct stow_cursor *c, void *into)
{
    int64_t weight;

    STOW_TRY(stow_cursor_int(c, 0, INT32_MAX, &weight));
    ((struct stow_named_term *)into)->weight = (int32_t)weight;
    return STOW_OK;
}

static const struct stow_field preferred_fields[] = {
    STOW_FIELD("preference", read_preference),
    STOW_FIELD("weight", read_weight),
};

static int read_preferred_term(struct stow_cursor *c, void *into)
{
    struct stow_named_term made = {0};

    STOW_TRY(STOW_FIELDS_STRICT(c, preferred_fields, &made));
    return keep_term(c, into, &made);
}

static int read_preferred(struct stow_cursor *c, void *into)
{
    struct stow_added_affinity *added = into;

    added->preferred.given = true;
    return stow_cursor_items(c, read_preferred_term, &added->preferred);
}

static const struct stow_field affinity_fields[] = {
    STOW_FIELD("preferredDuringSchedulingIgnoredDuringExecution", read_preferred),
    STOW_FIELD("requiredDuringSchedulingIgnoredDuringExecution", read_required),
};

int stow_added_affinity_read(struct stow_cursor *c, struct stow_added_affinity *ret)
{
    *ret = (struct stow_added_affinity){0};
    int null = stow_cursor_null(c);

    return null ? (null < 0 ? null : STOW_OK) : STOW_FIELDS_STRICT(c, affinity_fields, ret);
}

/* ---- matching ---------------------------------------------------------------------------- */

static bool compares(const struct stow_named_requirement *r, struct stow_str value)
{
    int64_t have, bound;

    if (!stow_str_int(value, &have) || !stow_str_int(stow_str_of(r->values.name[0]), &bound))
        return false;
    return r->op == STOW_OP_GT ? have > bound : have < bound;
}

/* `value` has a NULL pointer when the key is absent. */
static bool holds(const struct stow_named_requirement *r, struct stow_str value)
{
    bool present = value.ptr != NULL;

    switch ((enum stow_operator)r->op) {
    case STOW_OP_IN:
        return present && stow_names_have(&r->values, value);
    case STOW_OP_NOT_IN:
        return !present || !stow_names_have(&r->values, value);
    case STOW_OP_EXISTS:
        return present;
    case STOW_OP_NOT_EXISTS:
        return !present;
    case STOW_OP_GT:
    case STOW_OP_LT:
        return present && compares(r, value);
    case STOW_OP_UNKNOWN:
        break;
    }
    return false;
}

bool stow_named_term_matches(const struct stow_snapshot *s, const struct stow_named_term *term,
                             const struct stow_node *node)
{
    if (term->expressions.count == 0 && term->fields.count == 0)
        return false;
    for (uint32_t i = 0; i < term->fields.count; i++)
        if (!holds(&term->fields.item[i], stow_str_of(node->name)))
            return false;
    for (uint32_t i = 0; i < term->expressions.count; i++) {
        const struct stow_named_requirement *r = &term->expressions.item[i];

        if (!holds(r, stow_label_text(s, node->labels, r->key)))
            return false;
    }
    return true;
}

bool stow_named_terms_match(const struct stow_snapshot *s, const struct stow_named_terms *terms,
                            const struct stow_node *node)
{
    for (uint32_t i = 0; i < terms->count; i++)
        if (stow_named_term_matches(s, &terms->item[i], node))
            return true;
    return false;
}
