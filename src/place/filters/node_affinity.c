/* node_affinity.c - nodeSelector and required node affinity.
 *
 * In upstream's order: what the profile adds to every pod, then every pair of the
 * nodeSelector, then any one of the required terms.
 *
 * A pod whose every term pins metadata.name by In is not even tried on other
 * nodes: the names (of a term with several such fields those that are in all, of
 * several terms those that are in any) become pins.  When that leaves no name,
 * the pod can go nowhere, whatever the nodes are. */
#include <stdlib.h>

#include "model/values/match.h"
#include "place/filters/node_terms.h"
#include "place/rules.h"

#define REASON_ADDED    "node(s) didn't match scheduler-enforced node affinity"
#define REASON_POD      "node(s) didn't match Pod's node affinity/selector"
#define REASON_CONFLICT "pod affinity terms conflict"

struct self {
    struct stow_added_affinity added;
};

struct prep {
    bool conflict;     /* the pins of the terms leave no name */
    bool pinned;       /* `pin` counts */
    stow_node_id *pin; /* ascending */
    uint32_t pins;
};

static int read_added(struct stow_cursor *c, void *self)
{
    return stow_added_affinity_read(c, &((struct self *)self)->added);
}

static const struct stow_rule_option options[] = {
    {"addedAffinity", read_added, "a node affinity that every pod has in addition to its own"},
    {0},
};

/* ---- pins -------------------------------------------------------------------------------- */

/* The names of one term: those that every metadata.name field by In has. */
struct names {
    const stow_sym *name;
    uint32_t count;
    const struct stow_requirement *field; /* of the whole term */
    uint32_t fields;
};

static bool pins_name(const struct stow_requirement *r)
{
    return r->key == STOW_SYM_METADATA_NAME && r->op == STOW_OP_IN;
}

static bool lists(const struct stow_snapshot *s, const struct stow_requirement *r, stow_sym name)
{
    uint32_t count;
    const stow_sym *value = STOW_LIST(s, r->values, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++)
        if (value[i] == name)
            return true;
    return false;
}

/* False when the term does not pin names. */
static bool term_names(const struct stow_snapshot *s, const struct stow_node_term *term,
                       struct names *ret)
{
    const struct stow_requirement *first = NULL;

    ret->field = STOW_LIST(s, term->fields, struct stow_requirement, &ret->fields);
    for (uint32_t i = 0; i < ret->fields && !first; i++)
        if (pins_name(&ret->field[i]))
            first = &ret->field[i];
    if (!first)
        return false;
    ret->name = STOW_LIST(s, first->values, stow_sym, &ret->count);
    return true;
}

static bool in_all(const struct stow_snapshot *s, const struct names *names, stow_sym name)
{
    for (uint32_t i = 0; i < names->fields; i++)
        if (pins_name(&names->field[i]) && !lists(s, &names->field[i], name))
            return false;
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    stow_node_id x = *(const stow_node_id *)a, y = *(const stow_node_id *)b;

    return (x > y) - (x < y);
}

/* Ascending, each once. */
static void sort_pins(struct prep *p)
{
    uint32_t kept = 0;

    qsort(p->pin, p->pins, sizeof(*p->pin), compare_ids);
    for (uint32_t i = 0; i < p->pins; i++)
        if (kept == 0 || p->pin[kept - 1] != p->pin[i])
            p->pin[kept++] = p->pin[i];
    p->pins = kept;
}

/* Counts the names, and pins the nodes that there are of them. */
static uint32_t pin_names(const struct stow_snapshot *s, const struct names *names, struct prep *p)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < names->count; i++) {
        if (!in_all(s, names, names->name[i]))
            continue;
        stow_node_id node = stow_node_find(s, stow_text(s, names->name[i]));

        kept++;
        if (node != STOW_NONE)
            p->pin[p->pins++] = node;
    }
    return kept;
}

/* How many names the terms list at most; 0: some term does not pin any. */
static uint32_t count_names(const struct stow_snapshot *s, const struct stow_node_term *term,
                            uint32_t count)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct names names;

        if (!term_names(s, &term[i], &names))
            return 0;
        total += names.count + 1;
    }
    return total;
}

static int find_pins(const struct stow_snapshot *s, stow_blob required, struct prep *p,
                     struct stow_arena *arena)
{
    uint32_t count, kept = 0;
    const struct stow_node_term *term = STOW_LIST(s, required, struct stow_node_term, &count);
    uint32_t names_max = count_names(s, term, count);

    if (names_max == 0)
        return STOW_OK;
    p->pinned = true;
    p->pin = stow_arena_alloc(arena, names_max * sizeof(*p->pin));
    if (!p->pin)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct names names;

        if (term_names(s, &term[i], &names))
            kept += pin_names(s, &names, p);
    }
    sort_pins(p);
    p->conflict = kept == 0;
    return STOW_OK;
}

static const stow_node_id *pins(const void *prep, uint32_t *ret_count)
{
    const struct prep *p = prep;

    *ret_count = p->pins;
    return p->pinned ? p->pin : NULL;
}

/* ---- asking ------------------------------------------------------------------------------ */

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct self *options_of = self;
    struct prep *p = prep;

    if (pod->spec->node_required == STOW_SELECTOR_NULL && !pod->spec->node_selector &&
        !options_of->added.required.given)
        return STOW_PREPARED_SKIP;
    if (pod->spec->node_required != STOW_SELECTOR_NULL)
        STOW_TRY(find_pins(state->s, pod->spec->node_required, p, arena));
    return p->conflict ? STOW_PREPARED_NEVER : STOW_PREPARED;
}

static bool is_pinned(const struct prep *p, stow_node_id node)
{
    return !p->pinned || bsearch(&node, p->pin, p->pins, sizeof(node), compare_ids);
}

static bool added_matches(const struct self *self, const struct stow_snapshot *s,
                          const struct stow_node *node)
{
    return !self->added.required.given || stow_named_terms_match(s, &self->added.required, node);
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    const struct stow_snapshot *s = state->s;

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_node *node = &s->node[nodes[i]];

        fits[i] = fits[i] && is_pinned(prep, nodes[i]) && added_matches(self, s, node) &&
                  stow_spec_selects_node(s, pod->spec, node);
    }
}

/* The first label that the nodeSelector wants and the node has not, for people. */
static const char *missing_label(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                                 const struct stow_node *node, struct stow_arena *arena)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, spec->node_selector, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_label_value(s, node->labels, list[i].key) != list[i].value)
            return stow_arena_printf(arena, "wants %.*s=%.*s", STOW_FMT(stow_text(s, list[i].key)),
                                     STOW_FMT(stow_text(s, list[i].value)));
    return NULL;
}

static bool all_broken(const struct stow_snapshot *s, stow_blob required)
{
    uint32_t count, broken = 0;
    const struct stow_node_term *term = STOW_LIST(s, required, struct stow_node_term, &count);

    for (uint32_t i = 0; i < count; i++)
        broken += term[i].broken;
    return count > 0 && broken == count;
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct stow_snapshot *s = state->s;
    const char *detail = NULL;

    ret->verdict = STOW_UNRESOLVABLE;
    if (((const struct prep *)prep)->conflict) {
        stow_reason_add(ret, REASON_CONFLICT, NULL);
        return;
    }
    if (!added_matches(self, s, &s->node[node])) {
        stow_reason_add(ret, REASON_ADDED, NULL);
        return;
    }
    if (ret->arena)
        detail = missing_label(s, pod->spec, &s->node[node], ret->arena);
    if (!detail && ret->arena && pod->spec->node_required != STOW_SELECTOR_NULL)
        detail = stow_node_terms_want(s, pod->spec->node_required, &s->node[node], ret->arena);
    if (!detail && all_broken(s, pod->spec->node_required))
        detail = "no term of the required node affinity is a valid selector";
    stow_reason_add(ret, REASON_POD, detail);
}

const struct stow_filter_rule stow_filter_node_affinity = {
    .name = "node-affinity",
    .plugin = "NodeAffinity",
    .summary = "nodeSelector and required node affinity",
    .scope = STOW_SCOPE_STATIC,
    .self_size = sizeof(struct self),
    .prep_size = sizeof(struct prep),
    .options = options,
    .prepare = prepare,
    .check = check,
    .explain = explain,
    .pins = pins,
};
