/* clause.c - which pods a selector and its namespaces mean. */
#include <stdlib.h>

#include "model/values/match.h"
#include "place/counts/roll.h"

static const struct stow_label *own_labels(const struct stow_tally *t, stow_blob labels,
                                           uint32_t *ret_count)
{
    struct stow_str bytes = stow_intern_get(&t->labels, labels);

    *ret_count = (uint32_t)(bytes.len / sizeof(struct stow_label));
    return (const void *)bytes.ptr;
}

static bool listed(const struct stow_snapshot *s, stow_blob namespaces, stow_sym namespace)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, namespaces, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i] == namespace)
            return true;
    return false;
}

static bool takes_namespace(const struct stow_tally *t, const struct stow_clause *clause,
                            stow_sym namespace)
{
    const struct stow_snapshot *s = t->domains.s;

    if (clause->namespace != STOW_NONE)
        return clause->namespace == namespace;
    if (listed(s, clause->namespaces, namespace))
        return true;
    if (stow_selector_matches(s, clause->namespace_selector, t->roll->namespace_labels[namespace]))
        return true;
    return (clause->flags & STOW_CLAUSE_NO_LABELS) &&
           stow_selector_matches(s, clause->namespace_selector, 0);
}

bool stow_clause_takes(const struct stow_tally *t, const struct stow_clause *clause,
                       stow_sym namespace, stow_blob labels)
{
    const struct stow_snapshot *s = t->domains.s;
    uint32_t like, unlike;
    const struct stow_label *wanted = own_labels(t, clause->like, &like);
    const struct stow_label *shunned = own_labels(t, clause->unlike, &unlike);

    for (uint32_t i = 0; i < like; i++)
        if (stow_label_value(s, labels, wanted[i].key) != wanted[i].value)
            return false;
    for (uint32_t i = 0; i < unlike; i++)
        if (stow_label_value(s, labels, shunned[i].key) == shunned[i].value)
            return false;
    return stow_selector_matches(s, clause->selector, labels) &&
           takes_namespace(t, clause, namespace);
}

bool stow_clause_anchor(const struct stow_tally *t, const struct stow_clause *clause,
                        struct stow_label *ret)
{
    const struct stow_snapshot *s = t->domains.s;
    uint32_t like, count, values;
    const struct stow_label *wanted = own_labels(t, clause->like, &like);
    const struct stow_requirement *list =
        STOW_LIST(s, clause->selector, struct stow_requirement, &count);

    if (like) {
        *ret = wanted[0];
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        const stow_sym *value = STOW_LIST(s, list[i].values, stow_sym, &values);

        if (list[i].op != STOW_OP_IN || values != 1)
            continue;
        *ret = (struct stow_label){list[i].key, value[0]};
        return true;
    }
    return false;
}

/* ---- terms of pods ----------------------------------------------------------------------- */

stow_blob stow_unmerged_labels(const struct stow_pod *pod)
{
    bool unseen = (pod->flags & STOW_POD_GENERATED) || pod->created == STOW_TIME_ALWAYS;

    return unseen ? pod->labels : STOW_NONE;
}

int stow_pairs_of_keys(struct stow_tally *t, stow_blob keys, stow_blob labels, stow_blob *ret)
{
    const struct stow_snapshot *s = t->domains.s;
    uint32_t count, pairs = 0;
    const stow_sym *key = STOW_LIST(s, keys, stow_sym, &count);

    *ret = 0;
    if (!count)
        return STOW_OK;

    struct stow_label *pair = malloc(count * sizeof(*pair));

    if (!pair)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        stow_sym value = stow_label_value(s, labels, key[i]);

        if (value != STOW_NONE)
            pair[pairs++] = (struct stow_label){key[i], value};
    }
    *ret = stow_intern_blob(&t->labels, pair, pairs * sizeof(*pair));
    free(pair);
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

int stow_clause_of_term(struct stow_tally *t, const struct stow_pod_term *term, stow_sym namespace,
                        stow_blob labels, struct stow_clause *ret)
{
    bool own = term->namespaces == 0 && term->namespace_selector == STOW_SELECTOR_NULL;

    *ret = (struct stow_clause){
        .selector = term->selector,
        .namespace = own ? namespace : STOW_NONE,
        .namespaces = term->namespaces,
        .namespace_selector = term->namespace_selector,
    };
    if (labels == STOW_NONE || term->selector == STOW_SELECTOR_NULL)
        return STOW_OK;
    STOW_TRY(stow_pairs_of_keys(t, term->match_keys, labels, &ret->like));
    return stow_pairs_of_keys(t, term->mismatch_keys, labels, &ret->unlike);
}
