/* roll.c - the pods of a snapshot by what rules over several nodes see of them.
 *
 * A selector sees a pod's namespace and labels, so pods that agree in both are one
 * *kind*; terms are seen by spec and namespace, so pods that agree in those are one
 * *bearer*.  There are as many of either as there are workloads, a hundred times
 * fewer than pods, and everything that needs a decision about a selector is decided
 * once per kind.  To find the kinds of a selector without trying all of them, each
 * label knows its kinds, and most selectors ask for a certain label; the terms
 * that ask for a label are found the same way.
 *
 * The roll is taken when the first rule asks.  Pods are never added to a
 * snapshot, so after that only kinds of pods that are not in it can be new, and
 * those have no pod on any node. */
#include "place/counts/roll.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/state.h"

/* ---- labels ------------------------------------------------------------------------------ */

uint32_t stow_roll_label(const struct stow_roll *roll, struct stow_label label)
{
    struct stow_str bytes = {(const char *)&label, sizeof(label)};
    uint32_t number = stow_intern_find(&roll->label_key, bytes);

    return number == STOW_INTERN_FAILED ? STOW_NONE : number;
}

static int reserve_label(struct stow_roll *r, uint32_t number)
{
    while (r->labels <= number) {
        struct stow_label_use *made = STOW_PUSH(&r->label, &r->labels, &r->label_cap);

        if (!made)
            return STOW_ENOMEM;
        *made = (struct stow_label_use){STOW_NONE, STOW_NONE};
    }
    return STOW_OK;
}

static int label_number(struct stow_roll *r, struct stow_label label, uint32_t *ret)
{
    *ret = stow_intern_blob(&r->label_key, &label, sizeof(label));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : reserve_label(r, *ret);
}

static int push_link(struct stow_roll *r, uint32_t *head, uint32_t item)
{
    struct stow_link *made = STOW_PUSH(&r->link, &r->links, &r->link_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_link){item, *head};
    *head = r->links - 1;
    return STOW_OK;
}

/* ---- kinds ------------------------------------------------------------------------------- */

static int index_kind(struct stow_tally *t, uint32_t number, stow_blob labels)
{
    uint32_t count, label;
    const struct stow_label *list = STOW_LIST(t->domains.s, labels, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++) {
        STOW_TRY(label_number(t->roll, list[i], &label));
        STOW_TRY(push_link(t->roll, &t->roll->label[label].kinds, number));
    }
    return STOW_OK;
}

static int add_kind(struct stow_tally *t, uint32_t number, stow_sym namespace, stow_blob labels)
{
    struct stow_roll *r = t->roll;

    while (r->kinds <= number) {
        const struct stow_kind *made = STOW_PUSH(&r->kind, &r->kinds, &r->kind_cap);

        if (!made)
            return STOW_ENOMEM;
    }
    r->kind[number] = (struct stow_kind){namespace, labels, STOW_NONE, {0}, NULL};
    return index_kind(t, number, labels);
}

uint32_t stow_roll_kind(struct stow_tally *t, stow_sym namespace, stow_blob labels)
{
    const uint32_t key[] = {namespace, labels};
    uint32_t number = stow_intern_blob(&t->roll->kind_key, key, sizeof(key));

    if (number == STOW_INTERN_FAILED)
        return 0;
    if (number >= t->roll->kinds && add_kind(t, number, namespace, labels) < 0) {
        t->failed = true;
        return 0;
    }
    return number;
}

/* ---- bearers of terms -------------------------------------------------------------------- */

static int index_carrier(struct stow_tally *t, uint32_t number, const struct stow_clause *clause)
{
    struct stow_label anchor;
    uint32_t label = 0;

    if (stow_clause_anchor(t, clause, &anchor))
        STOW_TRY(label_number(t->roll, anchor, &label));
    else
        STOW_TRY(reserve_label(t->roll, 0));
    return push_link(t->roll, &t->roll->label[label].carriers, number);
}

static int carrier_number(struct stow_tally *t, const struct stow_clause *clause,
                          const struct stow_topology *topology, uint32_t *ret)
{
    struct stow_roll *r = t->roll;
    const struct {
        struct stow_clause clause;
        uint32_t topology;
    } key = {*clause, topology->number};
    uint32_t number = stow_intern_blob(&r->carrier_key, &key, sizeof(key));

    *ret = number;
    if (number == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (number < r->carriers)
        return STOW_OK;
    while (r->carriers <= number) {
        const struct stow_carrier *made = STOW_PUSH(&r->carrier, &r->carriers, &r->carrier_cap);

        if (!made)
            return STOW_ENOMEM;
    }
    r->carrier[number] = (struct stow_carrier){*clause, topology, STOW_NONE};
    return index_carrier(t, number, clause);
}

/* The terms of one list of a spec. */
struct term_list {
    stow_blob terms;
    enum stow_term_role role;
    int sign; /* of the weight; 0: no weight */
};

static int add_terms(struct stow_tally *t, uint32_t bearer, const struct term_list *list)
{
    struct stow_roll *r = t->roll;
    uint32_t count;
    const struct stow_pod_term *term =
        STOW_LIST(t->domains.s, list->terms, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_topology *topology =
            stow_domains_topology(&t->domains, term[i].topology_key);
        struct stow_clause clause;
        uint32_t carrier;

        if (!topology)
            return STOW_ENOMEM;
        STOW_TRY(stow_clause_of_term(t, &term[i], r->bearer[bearer].namespace,
                                     r->bearer[bearer].unmerged, &clause));
        STOW_TRY(carrier_number(t, &clause, topology, &carrier));

        struct stow_use *use = STOW_PUSH(&r->use, &r->uses, &r->use_cap);

        if (!use)
            return STOW_ENOMEM;
        *use = (struct stow_use){bearer, list->role, r->carrier[carrier].first_use,
                                 (int64_t)term[i].weight * list->sign};
        r->carrier[carrier].first_use = r->uses - 1;
    }
    return STOW_OK;
}

static int add_bearer(struct stow_tally *t, uint32_t number, const uint32_t key[3])
{
    struct stow_roll *r = t->roll;
    const struct stow_pod_spec *spec = stow_spec(t->domains.s, key[0]);
    const struct term_list list[] = {
        {spec->anti_required, STOW_TERM_REPELS, 0},
        {spec->affinity_required, STOW_TERM_DRAWS, 0},
        {spec->affinity_preferred, STOW_TERM_LIKES, 1},
        {spec->anti_preferred, STOW_TERM_LIKES, -1},
    };

    while (r->bearers <= number) {
        const struct stow_bearer *made = STOW_PUSH(&r->bearer, &r->bearers, &r->bearer_cap);

        if (!made)
            return STOW_ENOMEM;
    }
    r->bearer[number] = (struct stow_bearer){key[0], key[1], key[2], STOW_NONE, {0}};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        STOW_TRY(add_terms(t, number, &list[i]));
    return STOW_OK;
}

static bool names_keys(const struct stow_snapshot *s, stow_blob terms)
{
    uint32_t count;
    const struct stow_pod_term *term = STOW_LIST(s, terms, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (term[i].match_keys || term[i].mismatch_keys)
            return true;
    return false;
}

static int bearer_number(struct stow_tally *t, const struct stow_pod *pod, uint32_t *ret)
{
    const struct stow_snapshot *s = t->domains.s;
    const struct stow_pod_spec *spec = stow_spec(s, pod->spec);
    uint32_t key[] = {pod->spec, pod->namespace, STOW_NONE};

    *ret = 0;
    if (!spec->anti_required && !spec->affinity_required && !spec->affinity_preferred &&
        !spec->anti_preferred)
        return STOW_OK;
    if (names_keys(s, spec->anti_required) || names_keys(s, spec->affinity_required) ||
        names_keys(s, spec->affinity_preferred) || names_keys(s, spec->anti_preferred))
        key[2] = stow_unmerged_labels(pod);
    *ret = stow_intern_blob(&t->roll->bearer_key, key, sizeof(key));
    if (*ret == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    return *ret < t->roll->bearers ? STOW_OK : add_bearer(t, *ret, key);
}

/* ---- the roll ---------------------------------------------------------------------------- */

static bool allocate(struct stow_roll *r, const struct stow_snapshot *s)
{
    size_t pods = (size_t)s->pods + 1;

    r->kind_of = calloc(pods, sizeof(*r->kind_of));
    r->bearer_of = calloc(pods, sizeof(*r->bearer_of));
    r->next_kind = calloc(pods, sizeof(*r->next_kind));
    r->next_bearer = calloc(pods, sizeof(*r->next_bearer));
    r->namespace_labels = calloc((size_t)s->text.entries + 1, sizeof(*r->namespace_labels));
    return r->kind_of && r->bearer_of && r->next_kind && r->next_bearer && r->namespace_labels;
}

void stow_roll_link(struct stow_roll *roll, stow_pod_id pod)
{
    struct stow_kind *kind = &roll->kind[roll->kind_of[pod]];

    roll->next_kind[pod] = kind->first;
    kind->first = pod;
    if (roll->bearer_of[pod]) {
        struct stow_bearer *bearer = &roll->bearer[roll->bearer_of[pod]];

        roll->next_bearer[pod] = bearer->first;
        bearer->first = pod;
    }
}

/* Pods of a workload stand side by side, so most are like the one before. */
static int enrol(struct stow_tally *t, const struct stow_state *state)
{
    const struct stow_snapshot *s = t->domains.s;
    struct stow_roll *r = t->roll;
    const struct stow_pod *before = NULL;

    for (stow_pod_id i = 0; i < s->pods; i++) {
        const struct stow_pod *pod = &s->pod[i];

        if (!stow_pod_counts(pod))
            continue;
        if (before && before->namespace == pod->namespace && before->labels == pod->labels &&
            before->spec == pod->spec &&
            stow_unmerged_labels(before) == stow_unmerged_labels(pod)) {
            r->kind_of[i] = r->kind_of[before - s->pod];
            r->bearer_of[i] = r->bearer_of[before - s->pod];
        } else {
            r->kind_of[i] = stow_roll_kind(t, pod->namespace, pod->labels);
            if (!r->kind_of[i])
                return STOW_ENOMEM;
            STOW_TRY(bearer_number(t, pod, &r->bearer_of[i]));
        }
        if (state->node_of[i] != STOW_NONE)
            stow_roll_link(r, i);
        before = pod;
    }
    return STOW_OK;
}

int stow_roll_take(struct stow_tally *t, const struct stow_state *state)
{
    const struct stow_snapshot *s = t->domains.s;

    if (t->failed)
        return STOW_ENOMEM;
    if (t->roll)
        return STOW_OK;
    t->failed = true; /* until all of it is there */
    t->roll = calloc(1, sizeof(*t->roll));
    if (!t->roll || !allocate(t->roll, s))
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->namespaces; i++)
        t->roll->namespace_labels[s->namespace[i].name] = s->namespace[i].labels;
    STOW_TRY(enrol(t, state));
    t->failed = false;
    return STOW_OK;
}

void stow_roll_free(struct stow_roll *roll)
{
    if (!roll)
        return;
    for (uint32_t i = 0; i < roll->kinds; i++)
        free(roll->kind[i].followers.item);
    for (uint32_t i = 0; i < roll->kinds; i++)
        if (roll->kind[i].sheets)
            free(roll->kind[i].sheets->sheet);
    for (uint32_t i = 0; i < roll->bearers; i++)
        free(roll->bearer[i].followers.item);
    stow_intern_done(&roll->kind_key);
    stow_intern_done(&roll->bearer_key);
    stow_intern_done(&roll->carrier_key);
    stow_intern_done(&roll->label_key);
    free(roll->kind);
    free(roll->bearer);
    free(roll->carrier);
    free(roll->use);
    free(roll->label);
    free(roll->link);
    free(roll->kind_of);
    free(roll->bearer_of);
    free(roll->next_kind);
    free(roll->next_bearer);
    free(roll->namespace_labels);
    free(roll);
}
