/* divide_options.c - from the options of `stowage divide` to what src/divide is asked with. */
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "api/divide.h"
#include "api/inputs.h"
#include "api/members.h"
#include "api/numbers.h"
#include "model/values/match.h"
#include "model/values/selector.h"

#define NAMES_TOLD 8 /* workloads in a message */

/* ---- the policy -------------------------------------------------------------------------- */

/* What the command line says comes before what the policy says. */
static int apply_words(const struct stow_call *call, struct stow_divide_policy *policy,
                       struct stow_err *err)
{
    const char *rules = stow_call_value(call, "rules");
    const char *unknown = stow_call_value(call, "unknown-price");

    if (rules && stow_cost_rules_parse(stow_str_of(rules), policy, err) < 0)
        return stow_wrap(err, err->code, "--rules");
    if (unknown && stow_unknown_price_parse(stow_str_of(unknown), policy, err) < 0)
        return stow_wrap(err, err->code, "--unknown-price");
    return STOW_OK;
}

static int read_policy(const struct stow_call *call, struct stow_divide_policy *ret,
                       struct stow_err *err)
{
    const char *path = stow_call_value(call, "policy"), *name = stow_call_value(call, "profile");

    if (!path && name)
        return stow_fail(err, STOW_EINVAL, "--profile names a Policy; give its file with --policy");
    if (path && strcmp(path, "-") == 0)
        return stow_fail(err, STOW_EINVAL, "--policy takes a file");
    if (path)
        STOW_TRY(stow_divide_policy_read(path, name, ret, err));
    return apply_words(call, ret, err);
}

/* ---- what is divided --------------------------------------------------------------------- */

/* "default/web" of the object or of its binding, or the name alone. */
static bool is_called(const struct stow_snapshot *s, const struct stow_binding *b, const char *text,
                      struct stow_buf *scratch)
{
    struct stow_str wanted = stow_str_of(text), name, namespace = stow_str_cut(wanted, '/', &name);

    scratch->len = 0;
    stow_binding_workload(s, b, scratch);
    if (stow_str_eq(stow_buf_str(scratch), wanted))
        return true;
    if (!name.ptr)
        return stow_str_eq(stow_text(s, b->object), wanted) || stow_str_is(wanted, b->name);
    return stow_str_eq(stow_text(s, b->namespace), namespace) && stow_str_is(name, b->name);
}

static int want(struct stow_call *call, struct stow_call_dividing *d, const char *text,
                struct stow_err *err)
{
    const struct stow_snapshot *s = d->fleet.snapshot;
    STOW_AUTO(stow_buf_done) struct stow_buf scratch = {0};
    bool found = false;

    for (uint32_t i = 0; i < s->bindings; i++) {
        bool is = is_called(s, &s->binding[i], text, &scratch);

        d->wanted[i] |= is;
        found |= is;
    }
    if (scratch.failed)
        return stow_fail_memory(err);
    if (found)
        return STOW_OK;
    stow_call_hint(call, "`stowage divide` without --workload lists them; name one NAMESPACE/NAME");
    return stow_fail(err, STOW_ENOTFOUND, "there is no workload '%s'", text);
}

/* The labels of the workload itself where it is given, else of its binding. */
static stow_blob labels_of(const struct stow_snapshot *s, const struct stow_binding *b)
{
    return b->workload == STOW_NONE ? b->labels : s->workload[b->workload].labels;
}

static int fail_choice(const struct stow_snapshot *s, const struct stow_choice_of_pods *choice,
                       struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf names = {0};

    for (uint32_t i = 0; i < s->bindings && i < NAMES_TOLD; i++) {
        stow_buf_text(&names, i ? ", " : "");
        stow_binding_workload(s, &s->binding[i], &names);
    }
    if (names.failed)
        return stow_fail_memory(err);
    return stow_fail(err, STOW_ENOTFOUND, "no workload is chosen by %s%s%s; there are %.*s%s",
                     choice->namespace ? choice->namespace : "",
                     choice->namespace && choice->selector ? ", " : "",
                     choice->selector ? choice->selector : "", STOW_FMT(stow_buf_str(&names)),
                     s->bindings > NAMES_TOLD ? ", ..." : "");
}

/* Of the wanted ones, those that --namespace and --selector choose. */
static int choose(const struct stow_call *call, struct stow_call_dividing *d, struct stow_err *err)
{
    struct stow_snapshot *s = d->fleet.snapshot;
    struct stow_choice_of_pods choice;
    stow_blob selector = 0;
    bool any = false;

    stow_call_choice(call, &choice);
    if (choice.selector)
        STOW_TRY(stow_selector_parse(s, stow_str_of(choice.selector), &selector, err));
    for (uint32_t i = 0; i < s->bindings; i++) {
        const struct stow_binding *b = &s->binding[i];

        d->wanted[i] &= (!choice.namespace ||
                         stow_str_is(stow_text(s, b->object_namespace), choice.namespace)) &&
                        stow_selector_matches(s, selector, labels_of(s, b));
        any |= d->wanted[i];
    }
    return any || !s->bindings ? STOW_OK : fail_choice(s, &choice, err);
}

static int read_wanted(struct stow_call *call, struct stow_call_dividing *d, struct stow_err *err)
{
    const char *const *names;
    const uint32_t count = stow_call_values(call, "workload", &names);
    const uint32_t bindings = d->fleet.snapshot->bindings;

    if (!count && !stow_call_given(call, "namespace") && !stow_call_given(call, "selector"))
        return STOW_OK;
    d->wanted = calloc((size_t)bindings + 1, sizeof(*d->wanted));
    if (!d->wanted)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < bindings; i++)
        d->wanted[i] = count == 0;
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(want(call, d, names[i], err));
    d->options.wanted = d->wanted;
    return choose(call, d, err);
}

/* ---- numbers and switches ---------------------------------------------------------------- */

static int read_switches(const struct stow_call *call, struct stow_fleet_options *o,
                         struct stow_err *err)
{
    static const char *const versions[] = {"1.15", "1.16", "1.17", "1.18"};
    const char *karmada = stow_call_value(call, "karmada");
    int64_t seed = 0;

    for (uint32_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
        if (karmada && strcmp(karmada, versions[i]) == 0)
            o->each.karmada = 15 + i;
    o->each.fresh = o->each.always = stow_call_given(call, "fresh");
    o->each.keep_empty = stow_call_given(call, "keep-empty");
    o->each.components = stow_call_given(call, "components");
    o->joint = stow_call_given(call, "joint");
    o->disruption = STOW_MONEY_UNKNOWN;
    STOW_TRY(stow_call_money(call, "disruption-price", &o->disruption, err));
    if (o->disruption != STOW_MONEY_UNKNOWN && !o->joint)
        return stow_fail(err, STOW_EINVAL, "--disruption-price needs --joint");
    STOW_TRY(stow_call_whole(call, "seed", INT64_MAX, &seed, err));
    o->each.seed = (uint64_t)seed;
    return STOW_OK;
}

/* ---- the fleet --------------------------------------------------------------------------- */

static int check_fleet(struct stow_call *call, const struct stow_snapshot *s, struct stow_err *err)
{
    if (s->clusters)
        return STOW_OK;
    stow_call_hint(call,
                   "try: kubectl get clusters,resourcebindings,propagationpolicies -A -o json "
                   "| stowage divide -f -");
    return stow_call_fail_unusable(call, s,
                                   "at least one Cluster (cluster.karmada.io), or clusters given "
                                   "with --cluster",
                                   err);
}

static int load_fleet(struct stow_call *call, struct stow_call_dividing *d, struct stow_err *err)
{
    STOW_TRY(stow_call_cluster_load(call, NULL, &d->fleet, err));
    if (d->fleet.snapshot->policy_divides && !stow_call_given(call, "policy"))
        stow_call_warn(call, "only the keys of a Policy given with -f are used; to apply the whole "
                             "Policy, give its file with --policy");
    STOW_TRY(stow_call_members_load(call, &d->fleet, &d->roster, err));
    return check_fleet(call, d->fleet.snapshot, err);
}

static int price_fleet(struct stow_call *call, struct stow_call_dividing *d, struct stow_err *err)
{
    STOW_TRY(stow_divide_costs_new(d->fleet.snapshot, &d->policy, &d->costs, err));
    d->options.costs = d->costs;
    return stow_call_members_price(call, &d->fleet, &d->roster, d->costs, err);
}

int stow_call_dividing_open(struct stow_call *call, struct stow_call_dividing *ret,
                            struct stow_err *err)
{
    STOW_TRY(read_switches(call, &ret->options, err));
    STOW_TRY(read_policy(call, &ret->policy, err));
    STOW_TRY(load_fleet(call, ret, err));
    STOW_TRY(read_wanted(call, ret, err));
    return price_fleet(call, ret, err);
}

void stow_call_dividing_done(struct stow_call_dividing *dividing)
{
    stow_divide_costs_free(dividing->costs);
    stow_roster_done(&dividing->roster);
    stow_divide_policy_done(&dividing->policy);
    free(dividing->wanted);
    stow_call_cluster_done(&dividing->fleet);
}
