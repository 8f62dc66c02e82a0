/* names.c - what the names of a plan mean, and whether every pending pod is in it exactly once. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "verify/audit.h"

/* ---- pods -------------------------------------------------------------------------------- */

static int find_pods(struct stow_audit *a, struct stow_intern *names)
{
    const struct stow_snapshot *s = a->s;
    STOW_AUTO(stow_buf_done) struct stow_buf name = {0};

    for (stow_pod_id i = 0; i < s->pods; i++) {
        name.len = 0;
        stow_buf_add(&name, stow_text(s, s->pod[i].namespace));
        stow_buf_char(&name, '/');
        stow_buf_text(&name, s->pod[i].name);
        /* handles count up from 1: pod i has i + 1 */
        if (name.failed || stow_intern_text(names, stow_buf_str(&name)) != i + 1)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

static int name_pods(struct stow_audit *a)
{
    struct stow_intern names = {0};
    const int code = find_pods(a, &names);

    for (uint32_t i = 0; i < a->told.pods && code >= 0; i++) {
        const stow_sym handle = stow_intern_find(&names, a->told.pod[i].text);

        a->pod[i] = handle == STOW_INTERN_FAILED || handle == 0 ? STOW_NONE : handle - 1;
        if (a->pod[i] == STOW_NONE)
            stow_audit_wrong(a, STOW_VERIFY_PODS, a->told.pod[i].token,
                             "there is no pod %.*s in the input", STOW_FMT(a->told.pod[i].text));
    }
    stow_intern_done(&names);
    return code;
}

/* ---- nodes ------------------------------------------------------------------------------- */

static int add_name(struct stow_audit *a, uint32_t *cap, struct stow_str name, stow_node_id node)
{
    const uint32_t had = a->node_name.entries;
    const stow_sym handle = stow_intern_text(&a->node_name, name);

    if (handle == STOW_INTERN_FAILED ||
        stow_vec_reserve(&a->node_by_name, cap, handle + 1, sizeof(*a->node_by_name)) < 0)
        return STOW_ENOMEM;
    if (a->node_name.entries != had) /* a node that is there has the name before one to come */
        a->node_by_name[handle] = node;
    return STOW_OK;
}

/* Nodes on their way go by the name they will have: the last numbers of their group, or the next
 * ones that are free. */
static int name_nodes(struct stow_audit *a)
{
    const struct stow_snapshot *s = a->s;
    STOW_AUTO(stow_free_local) uint32_t *left = calloc(s->groups + 1, sizeof(*left));
    uint32_t cap = 0;

    if (!left)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < s->nodes; i++)
        STOW_TRY(add_name(a, &cap, stow_str_of(s->node[i].name), i));
    for (uint32_t i = 0; i < s->upcomings; i++)
        left[s->upcoming[i].group]++;
    for (uint32_t i = 0; i < s->upcomings; i++) {
        const struct stow_group *group = &s->group[s->upcoming[i].group];
        uint32_t number = group->current_nodes - left[s->upcoming[i].group]--;
        const char *name;

        do
            name = stow_arena_printf(&a->arena, "%s-%u", group->name, number++);
        while (name && stow_audit_node(a, stow_str_of(name)) != STOW_NONE);
        if (!name)
            return STOW_ENOMEM;
        STOW_TRY(add_name(a, &cap, stow_str_of(name), s->nodes + i));
    }
    a->real = s->nodes + s->upcomings;
    return STOW_OK;
}

static int find_existing(struct stow_audit *a)
{
    STOW_AUTO(stow_free_local) bool *seen = calloc(a->real + 1, sizeof(*seen));

    if (!seen)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < a->told.existings; i++) {
        const struct stow_told_node *node = &a->told.existing[i];

        a->existing[i] = stow_audit_node(a, node->name.text);
        if (a->existing[i] == STOW_NONE) {
            stow_audit_wrong(a, STOW_VERIFY_PODS, node->name.token,
                             "there is no node %.*s in the input", STOW_FMT(node->name.text));
            continue;
        }
        if (seen[a->existing[i]])
            stow_audit_wrong(a, STOW_VERIFY_PODS, node->name.token, "node %.*s is listed twice",
                             STOW_FMT(node->name.text));
        if (node->upcoming != (a->existing[i] >= a->s->nodes))
            stow_audit_wrong(a, STOW_VERIFY_PODS, node->name.token, "node %.*s is %s",
                             STOW_FMT(node->name.text),
                             node->upcoming ? "existing, not upcoming" : "upcoming, not existing");
        seen[a->existing[i]] = true;
    }
    return STOW_OK;
}

/* A name that is not in use: neither a node of the input nor a new one before it. */
static int check_new_name(struct stow_audit *a, struct stow_intern *names,
                          const struct stow_told_text *name)
{
    const uint32_t had = names->entries;

    if (stow_intern_text(names, name->text) == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (!name->text.len)
        stow_audit_wrong(a, STOW_VERIFY_PODS, name->token, "a new node has no name");
    else if (names->entries == had)
        stow_audit_wrong(a, STOW_VERIFY_PODS, name->token, "two new nodes have the name %.*s",
                         STOW_FMT(name->text));
    else if (stow_audit_node(a, name->text) != STOW_NONE)
        stow_audit_wrong(a, STOW_VERIFY_PODS, name->token,
                         "a new node has the name %.*s of an existing or upcoming node",
                         STOW_FMT(name->text));
    return STOW_OK;
}

static int find_new(struct stow_audit *a)
{
    struct stow_intern names = {0};
    int code = STOW_OK;

    for (uint32_t i = 0; i < a->told.nodes && code >= 0; i++) {
        const struct stow_told_node *node = &a->told.node[i];

        a->group_of[i] = stow_audit_part(a, node->group.text, node->committed);
        if (a->group_of[i] == STOW_NONE)
            stow_audit_wrong(a, STOW_VERIFY_PODS, node->group.token,
                             "there is no group %.*s in the input that could grow%s",
                             STOW_FMT(node->group.text),
                             node->committed ? " by committed nodes" : "");
        else
            a->bought[a->group_of[i]]++;
        code = check_new_name(a, &names, &node->name);
    }
    stow_intern_done(&names);
    return code;
}

/* ---- the cluster with the new nodes ------------------------------------------------------ */

/* The labels of the group's fresh node with a host name of its own. */
static int label_host(struct stow_audit *a, stow_blob labels, stow_sym name, stow_blob *ret)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(a->s, labels, struct stow_label, &count);
    STOW_AUTO(stow_free_local) struct stow_label *copy = calloc(count + 1, sizeof(*copy));

    if (!copy)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = list[i];
        if (copy[i].key == STOW_SYM_HOSTNAME)
            copy[i].value = name;
    }
    *ret = stow_intern_blob(&a->s->blob, copy, count * sizeof(*copy));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* A tilde begins no node's name, one alone that of a node on its way: new host names are new ones,
 * and come after all others where names are in order. */
static int make_node(struct stow_audit *a, uint32_t i, struct stow_node *ret)
{
    struct stow_snapshot *s = a->s;
    const char *name = stow_arena_printf(&a->arena, "~~%.*s", STOW_FMT(a->told.node[i].name.text));

    if (!name)
        return STOW_ENOMEM;
    *ret = s->fresh[a->group_of[i]];
    ret->name = name;
    ret->symbol = stow_intern_text(&s->text, stow_str_of(name));
    ret->sequence = a->real + i;
    if (ret->symbol == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    return label_host(a, s->fresh[a->group_of[i]].labels, ret->symbol, &ret->labels);
}

static int build(struct stow_audit *a, struct stow_err *err)
{
    const struct stow_snapshot *s = a->s;
    const uint32_t count = s->upcomings + a->told.nodes;

    a->coming = calloc((size_t)count + 1, sizeof(*a->coming));
    if (!a->coming)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < s->upcomings; i++)
        a->coming[i] = s->upcoming[i];
    for (uint32_t i = 0; i < a->told.nodes; i++)
        if (make_node(a, i, &a->coming[s->upcomings + i]) < 0)
            return stow_fail_memory(err);

    struct stow_snapshot planned = *s;

    planned.upcoming = a->coming;
    planned.upcomings = count;
    return stow_extend(&planned, false, &a->all, err);
}

int stow_audit_names(struct stow_audit *a, struct stow_err *err)
{
    if (name_nodes(a) < 0 || name_pods(a) < 0 || find_existing(a) < 0 || find_new(a) < 0)
        return stow_fail_memory(err);
    return stow_audit_fine(a, STOW_VERIFY_PODS) ? build(a, err) : STOW_OK;
}

/* ---- every pod once ---------------------------------------------------------------------- */

struct roll {
    struct stow_audit *a;
    uint8_t *seen; /* per pod */
};

/* Whether the plan may speak of the pod at all, and has not yet. */
static bool takes(const struct roll *r, uint32_t told, bool places)
{
    struct stow_audit *a = r->a;
    const struct stow_told_text *text = &a->told.pod[told];
    const stow_pod_id pod = a->pod[told];

    if (pod == STOW_NONE)
        return false;
    if (r->seen[pod]++) {
        stow_audit_wrong(a, STOW_VERIFY_PODS, text->token, "pod %.*s is in the plan twice",
                         STOW_FMT(text->text));
        return false;
    }
    if (!stow_pod_pending(&a->s->pod[pod]))
        stow_audit_wrong(a, STOW_VERIFY_PODS, text->token, "pod %.*s is not pending",
                         STOW_FMT(text->text));
    else if (places && (a->s->pod[pod].flags & STOW_POD_GATED))
        stow_audit_wrong(a, STOW_VERIFY_PODS, text->token,
                         "pod %.*s has scheduling gates: it cannot be placed yet",
                         STOW_FMT(text->text));
    return true;
}

static void put(const struct roll *r, struct stow_told_range pods, stow_node_id node)
{
    for (uint32_t i = 0; i < pods.count; i++)
        if (takes(r, pods.first + i, true)) {
            r->a->node_of[r->a->pod[pods.first + i]] = node;
            r->a->place_token[r->a->pod[pods.first + i]] = r->a->told.pod[pods.first + i].token;
            r->a->out->placed++;
        }
}

int stow_audit_pods(struct stow_audit *a, struct stow_err *err)
{
    STOW_AUTO(stow_free_local) uint8_t *seen = calloc((size_t)a->s->pods + 1, sizeof(*seen));
    const struct roll r = {a, seen};

    if (!seen)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->told.nodes; i++)
        put(&r, a->told.node[i].pods, a->real + i);
    for (uint32_t i = 0; i < a->told.existings; i++)
        put(&r, a->told.existing[i].pods, a->existing[i]);
    for (uint32_t i = 0; i < a->told.unplaced.count; i++)
        if (takes(&r, a->told.unplaced.first + i, false))
            a->is_left[a->pod[a->told.unplaced.first + i]] = true;
    for (stow_pod_id i = 0; i < a->s->pods; i++) {
        if (!stow_pod_pending(&a->s->pod[i]))
            continue;
        a->out->pods++;
        if (!seen[i])
            stow_audit_wrong(a, STOW_VERIFY_PODS, UINT32_MAX,
                             "pod %s is pending, and the plan does not contain it",
                             stow_audit_pod_name(a, i));
    }
    a->out->nodes = a->told.nodes;
    stow_audit_holds(a, STOW_VERIFY_PODS, "%u pending pod%s, each exactly once: %u placed, %u left",
                     a->out->pods, a->out->pods == 1 ? "" : "s", a->out->placed,
                     a->told.unplaced.count);
    return STOW_OK;
}
