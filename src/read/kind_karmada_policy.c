/* kind_karmada_policy.c - reading PropagationPolicies and ClusterPropagationPolicies. */
#include <stdlib.h>

#include "base/vec.h"
#include "read/kind_karmada.h"

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

static int read_selector_version(struct stow_cursor *c, void *into)
{
    struct selector_in *in = into;

    return stow_read_sym(c, in->r, &in->made.api_version);
}

static int read_selector_kind(struct stow_cursor *c, void *into)
{
    struct selector_in *in = into;

    return stow_read_sym(c, in->r, &in->made.kind);
}

static int read_selector_namespace(struct stow_cursor *c, void *into)
{
    struct selector_in *in = into;

    return stow_read_sym(c, in->r, &in->made.namespace);
}

static int read_selector_name(struct stow_cursor *c, void *into)
{
    struct selector_in *in = into;

    return stow_read_sym(c, in->r, &in->made.name);
}

static int read_selector_labels(struct stow_cursor *c, void *into)
{
    struct selector_in *in = into;

    return stow_read_selector(c, in->r, &in->made.labels);
}

static const struct stow_field selector_fields[] = {
    STOW_FIELD("apiVersion", read_selector_version),   STOW_FIELD("kind", read_selector_kind),
    STOW_FIELD("labelSelector", read_selector_labels), STOW_FIELD("name", read_selector_name),
    STOW_FIELD("namespace", read_selector_namespace),
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

static int read_selectors(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_selector, into);
}

/* ---- the policy -------------------------------------------------------------------------- */

static int read_placement(struct stow_cursor *c, void *into)
{
    struct policy_in *in = into;

    return stow_read_propagation(c, in->r, STOW_CHECK_WEBHOOK, &in->made.placement);
}

static int read_priority(struct stow_cursor *c, void *into)
{
    return stow_read_int32(c, INT32_MIN, &((struct policy_in *)into)->made.priority);
}

static int read_scheduler(struct stow_cursor *c, void *into)
{
    struct policy_in *in = into;

    return stow_read_sym(c, in->r, &in->made.scheduler);
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD("placement", read_placement),
    STOW_FIELD("priority", read_priority),
    STOW_FIELD("resourceSelectors", read_selectors),
    STOW_FIELD("schedulerName", read_scheduler),
};

static int read_spec(struct stow_cursor *c, void *into)
{
    return STOW_FIELDS(c, spec_fields, into);
}

static int read_meta(struct stow_cursor *c, void *into)
{
    struct policy_in *in = into;

    return stow_read_meta(c, in->r, &in->meta);
}

static const struct stow_field policy_fields[] = {
    STOW_FIELD("metadata", read_meta),
    STOW_FIELD("spec", read_spec),
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
