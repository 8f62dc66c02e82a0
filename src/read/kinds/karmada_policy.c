/* karmada_policy.c - reading PropagationPolicies and ClusterPropagationPolicies. */
#include <stdlib.h>

#include "base/vec.h"
#include "read/kinds/karmada.h"

struct policy_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_propagation_policy made;
    struct stow_collect selectors;
};

static void policy_done(struct policy_in *in)
{
    free(in->selectors.items);
}

/* ---- which objects ----------------------------------------------------------------------- */

struct selector_in {
    struct stow_reader *r;
    struct stow_resource_selector made;
};

static const struct stow_field selector_fields[] = {
    STOW_FIELD_AT("apiVersion", sym, struct selector_in, made.api_version),
    STOW_FIELD_AT("kind", sym, struct selector_in, made.kind),
    STOW_FIELD_AT("labelSelector", selector, struct selector_in, made.labels),
    STOW_FIELD_AT("name", sym, struct selector_in, made.name),
    STOW_FIELD_AT("namespace", sym, struct selector_in, made.namespace),
};

static int read_selector(struct stow_cursor *c, void *into)
{
    struct policy_in *policy = into;
    struct selector_in in = {.r = policy->r};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, selector_fields, &in));
    if (!in.made.api_version || !in.made.kind)
        return stow_cursor_fail_at(c, start,
                                   "%s of a resource selector is missing; expected both "
                                   "apiVersion and kind",
                                   in.made.kind ? "apiVersion" : "kind");

    struct stow_resource_selector *kept =
        STOW_COLLECT(&policy->selectors, struct stow_resource_selector);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

/* ---- the policy -------------------------------------------------------------------------- */

static int read_placement(struct stow_cursor *c, void *into)
{
    struct policy_in *in = into;

    return stow_read_propagation(c, in->r, STOW_CHECK_WEBHOOK, &in->made.placement);
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD("placement", read_placement),
    STOW_FIELD_FROM("priority", int32, INT32_MIN, struct policy_in, made.priority),
    STOW_FIELD_ITEMS("resourceSelectors", read_selector),
    STOW_FIELD_AT("schedulerName", sym, struct policy_in, made.scheduler),
};

static const struct stow_field policy_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct policy_in, meta),
    STOW_FIELD_OBJECT("spec", spec_fields),
};

/* The webhook writes the policy's own namespace into selectors that name none, and refuses
 * others. */
static int close_selectors(struct stow_cursor *c, struct policy_in *in)
{
    struct stow_resource_selector *list = in->selectors.items;

    for (uint32_t i = 0; !in->made.cluster_wide && i < in->selectors.count; i++) {
        if (!list[i].namespace)
            list[i].namespace = in->made.namespace;
        if (list[i].namespace != in->made.namespace)
            return stow_cursor_fail_at(
                c, in->r->object,
                "PropagationPolicy '%s' selects objects of namespace '%s'; expected its own",
                in->meta.name, stow_text(in->r->s, list[i].namespace).ptr);
    }
    return stow_read_blob(c, in->r, &in->selectors, sizeof(*list), &in->made.selectors);
}

static int add_policy(struct stow_cursor *c, struct policy_in *in)
{
    struct stow_snapshot *s = in->r->s;
    struct stow_propagation_policy *kept =
        STOW_PUSH(&s->propagation, &s->propagations, &s->propagation_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in->made;
    return STOW_OK;
}

static int read_any_policy(struct stow_cursor *c, struct stow_reader *r, bool cluster_wide)
{
    const char *kind = cluster_wide ? "ClusterPropagationPolicy" : "PropagationPolicy";
    uint32_t start = c->at;
    STOW_AUTO(policy_done) struct policy_in in = {.r = r};

    int code = STOW_FIELDS(c, policy_fields, &in); /* the name is known only afterwards */

    STOW_TRY(stow_name_failure(c, code, kind, in.meta.name));
    in.meta.r = r;
    STOW_TRY(stow_check_name(c, &in.meta, kind));
    in.made.name = in.meta.name;
    in.made.symbol = stow_intern_text(&r->s->text, stow_str_of(in.meta.name));
    if (in.made.symbol == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    in.made.cluster_wide = cluster_wide;
    in.made.namespace = cluster_wide ? 0 : stow_meta_namespace(&in.meta);
    if (in.selectors.count == 0)
        return stow_cursor_fail_at(c, start, "%s '%s' selects nothing; expected resourceSelectors",
                                   kind, in.meta.name);
    STOW_TRY(close_selectors(c, &in));
    STOW_TRY(stow_read_source(c, r, start, &in.made.source));
    return add_policy(c, &in);
}

int stow_read_propagation_policy(struct stow_cursor *c, struct stow_reader *r)
{
    return read_any_policy(c, r, false);
}

int stow_read_cluster_propagation_policy(struct stow_cursor *c, struct stow_reader *r)
{
    return read_any_policy(c, r, true);
}
