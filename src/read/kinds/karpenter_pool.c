/* karpenter_pool.c - reading Karpenter's NodePools, v1 and v1beta1.
 *
 * Both versions are read by one table: what v1 moved is taken from either place, and the words that
 * one version alone has are checked when the object has been read, because apiVersion may come
 * last. What the API server would refuse is an error with its place.  What it accepts and Karpenter
 * does not use (not ready, restricted keys) is decided when all is read (pool_groups.c). */
#include "base/vec.h"
#include "read/kinds/karpenter.h"

#define KIND           "NodePool"
#define EXPIRE_DEFAULT (INT64_C(720) * 3600)
#define WEIGHT_MAX     100
#define BUDGETS_MAX    50

struct pool_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_node_pool made;
    uint32_t policy_at, taints_at; /* tokens; 0: not stated */
    bool has_requirements, has_class;
    bool is_unknown;         /* its apiVersion */
    bool says_underutilized; /* v1beta1's word */
};

static int read_version(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    in->made.is_beta = stow_str_is(text, "karpenter.sh/v1beta1");
    in->is_unknown = !in->made.is_beta && !stow_str_is(text, "karpenter.sh/v1");
    return STOW_OK;
}

/* ---- the template ------------------------------------------------------------------------ */

static const struct stow_field template_meta_fields[] = {
    STOW_FIELD_AT("annotations", labels, struct pool_in, made.annotations),
    STOW_FIELD_AT("labels", labels, struct pool_in, made.labels),
};

static int read_taints(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;

    in->taints_at = in->taints_at ? in->taints_at : c->at;
    return stow_read_taints(c, in->r, &in->made.taints);
}

static int read_startup_taints(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;

    in->taints_at = in->taints_at ? in->taints_at : c->at;
    return stow_read_taints(c, in->r, &in->made.startup_taints);
}

static int read_requirements(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;

    in->has_requirements = true;
    return stow_read_pool_requirements(c, in->r, &in->made.requirements);
}

static int read_class(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;

    in->has_class = true;
    return stow_read_class_ref(c, in->r, &in->made.class);
}

static int read_expire_after(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;

    return stow_read_pool_time(c, in->r, true, &in->made.expire_after);
}

static int read_termination_grace(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;

    return stow_read_pool_time(c, in->r, false, &in->made.termination_grace);
}

static int read_kubelet(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;

    return stow_read_kubelet(c, in->r, &in->made.kubelet);
}

static const struct stow_field template_spec_fields[] = {
    STOW_FIELD("expireAfter", read_expire_after),
    STOW_FIELD("kubelet", read_kubelet),
    STOW_FIELD("nodeClassRef", read_class),
    STOW_FIELD("requirements", read_requirements),
    STOW_FIELD("startupTaints", read_startup_taints),
    STOW_FIELD("taints", read_taints),
    STOW_FIELD("terminationGracePeriod", read_termination_grace),
};

static const struct stow_field template_fields[] = {
    STOW_FIELD_OBJECT("metadata", template_meta_fields),
    STOW_FIELD_OBJECT("spec", template_spec_fields),
};

/* ---- disruption -------------------------------------------------------------------------- */

struct budget_in {
    struct stow_reader *r;
    struct stow_pool_budget made;
};

/* At most 100 %, or a number of nodes. */
static bool parse_nodes(struct stow_str text, struct stow_pool_budget *ret)
{
    const bool percent = text.len && text.ptr[text.len - 1] == '%';
    int64_t value;

    if (!text.len || text.ptr[0] < '0' || text.ptr[0] > '9' ||
        !stow_str_int((struct stow_str){text.ptr, text.len - percent}, &value) ||
        value > (percent ? 100 : INT32_MAX))
        return false;
    ret->number = (uint32_t)value;
    ret->is_percent = percent;
    return true;
}

static int read_budget_nodes(struct stow_cursor *c, void *into)
{
    struct budget_in *in = into;
    struct stow_str text;

    STOW_TRY(stow_cursor_scalar(c, &text));
    if (!parse_nodes(text, &in->made))
        return stow_cursor_fail(
            c, "expected a number of nodes or a percentage such as \"10%%\", found \"%.*s\"",
            STOW_FMT(text));
    in->made.nodes = stow_intern_text(&in->r->s->text, text);
    return in->made.nodes == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static int read_budget_reasons(struct stow_cursor *c, void *into)
{
    struct budget_in *in = into;

    in->made.has_reasons = 1;
    return stow_read_syms(c, in->r, &in->made.reasons);
}

static int read_budget_duration(struct stow_cursor *c, void *into)
{
    struct budget_in *in = into;

    return stow_read_pool_time(c, in->r, false, &in->made.duration);
}

static const struct stow_field budget_fields[] = {
    STOW_FIELD("duration", read_budget_duration),
    STOW_FIELD("nodes", read_budget_nodes),
    STOW_FIELD("reasons", read_budget_reasons),
    STOW_FIELD_AT("schedule", sym, struct budget_in, made.schedule),
};

static int keep_budget(struct stow_cursor *c, struct stow_reader *r,
                       const struct stow_pool_budget *made)
{
    struct stow_pool_budget *kept = STOW_COLLECT(&r->pool_budgets, struct stow_pool_budget);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = *made;
    return STOW_OK;
}

/* Ten percent, where nothing is stated. */
static int default_budget(struct stow_reader *r, struct stow_pool_budget *ret)
{
    ret->nodes = stow_intern_text(&r->s->text, STOW_STR("10%"));
    ret->number = 10;
    ret->is_percent = 1;
    return ret->nodes == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int read_budget(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct budget_in in = {.r = r};
    const uint32_t start = c->at;

    if (default_budget(r, &in.made) < 0)
        return stow_cursor_fail_memory(c);
    STOW_TRY(STOW_FIELDS(c, budget_fields, &in));
    if (!in.made.schedule != !in.made.duration.text)
        return stow_cursor_fail_at(c, start, "a budget has %s without %s; expected both or neither",
                                   in.made.schedule ? "a schedule" : "a duration",
                                   in.made.schedule ? "a duration" : "a schedule");
    return keep_budget(c, r, &in.made);
}

static int read_budgets(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;
    struct stow_collect *list = &in->r->pool_budgets;
    const uint32_t start = c->at;

    list->count = 0;
    in->made.has_budgets = true;
    STOW_TRY(stow_cursor_items(c, read_budget, in->r));
    if (list->count > BUDGETS_MAX)
        return stow_cursor_fail_at(c, start, "%u budgets; expected at most %d", list->count,
                                   BUDGETS_MAX);
    return stow_read_blob(c, in->r, list, sizeof(struct stow_pool_budget), &in->made.budgets);
}

static int read_policy(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"WhenEmptyOrUnderutilized", "WhenEmpty", "Balanced",
                                        "WhenUnderutilized", NULL};
    struct pool_in *in = into;
    uint32_t word;

    in->policy_at = c->at;
    STOW_TRY(stow_read_word(c, words, &word));
    in->says_underutilized = word == STOW_POOL_POLICIES;
    in->made.policy = in->says_underutilized ? STOW_POOL_WHEN_EMPTY_OR_UNDERUTILIZED
                                             : (enum stow_pool_policy)word;
    return STOW_OK;
}

static int read_consolidate_after(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;

    return stow_read_pool_time(c, in->r, true, &in->made.consolidate_after);
}

static const struct stow_field disruption_fields[] = {
    STOW_FIELD("budgets", read_budgets),
    STOW_FIELD("consolidateAfter", read_consolidate_after),
    STOW_FIELD("consolidationPolicy", read_policy),
    STOW_FIELD("expireAfter", read_expire_after),
};

/* ---- spec and status --------------------------------------------------------------------- */

static int read_weight(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 1, WEIGHT_MAX, &value));
    in->made.weight = (int32_t)value;
    return STOW_OK;
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD_OBJECT("disruption", disruption_fields),
    STOW_FIELD_AT("limits", amounts, struct pool_in, made.limits),
    STOW_FIELD_FROM("replicas", int32, 0, struct pool_in, made.replicas),
    STOW_FIELD_OBJECT("template", template_fields),
    STOW_FIELD("weight", read_weight),
};

static int read_condition(struct stow_cursor *c, void *into)
{
    struct pool_in *in = into;
    struct stow_condition condition = {.types = {"Ready"}};

    STOW_TRY(stow_read_condition(c, &condition));
    in->made.not_ready |= condition.is_type && !condition.holds;
    return STOW_OK;
}

static const struct stow_field status_fields[] = {STOW_FIELD_ITEMS("conditions", read_condition)};

static const struct stow_field pool_fields[] = {
    STOW_FIELD("apiVersion", read_version),
    STOW_FIELD_AT("metadata", identity, struct pool_in, meta),
    STOW_FIELD_OBJECT("spec", spec_fields),
    STOW_FIELD_OBJECT("status", status_fields),
};

/* ---- what the API server refuses --------------------------------------------------------- */

static int fail(struct stow_cursor *c, const struct pool_in *in, const char *what)
{
    return stow_cursor_fail_at(c, in->r->object, KIND " '%s' %s", in->meta.name, what);
}

static int check_class(struct stow_cursor *c, const struct pool_in *in)
{
    const struct stow_class_ref *class = &in->made.class;

    if (!in->has_class)
        return fail(c, in, "has no node class; expected spec.template.spec.nodeClassRef");
    if (!class->name)
        return fail(c, in, "names no node class; expected nodeClassRef.name");
    if (!in->made.is_beta && !class->group)
        return fail(c, in,
                    "has no group in nodeClassRef; expected one such as "
                    "`group: karpenter.k8s.aws`");
    if (!in->made.is_beta && !class->kind)
        return fail(c, in,
                    "has no kind in nodeClassRef; expected one such as `kind: EC2NodeClass`");
    return STOW_OK;
}

static int check_policy(struct stow_cursor *c, const struct pool_in *in)
{
    if (in->says_underutilized && !in->made.is_beta)
        return stow_cursor_fail_at(c, in->policy_at,
                                   "WhenUnderutilized is a value of v1beta1; expected "
                                   "WhenEmptyOrUnderutilized, WhenEmpty or Balanced");
    return STOW_OK;
}

/* Of a static pool. */
static int check_replicas(struct stow_cursor *c, const struct pool_in *in)
{
    const struct stow_snapshot *s = in->r->s;
    uint32_t count;
    const struct stow_exact *limit = STOW_LIST(s, in->made.limits, struct stow_exact, &count);

    if (in->made.replicas < 0)
        return STOW_OK;
    if (in->made.weight)
        return fail(c, in, "has replicas and a weight; expected one of them");
    for (uint32_t i = 0; i < count; i++)
        if (!stow_str_is(stow_text(s, limit[i].resource), "nodes"))
            return fail(c, in, "has replicas, so that only `nodes` can be limited");
    return STOW_OK;
}

static bool same_taint(const struct stow_taint *a, const struct stow_taint *b)
{
    return a->key == b->key && a->effect == b->effect;
}

/* Key and effect are unique over both lists. */
static int check_taints(struct stow_cursor *c, const struct pool_in *in)
{
    const struct stow_snapshot *s = in->r->s;
    uint32_t taints, startups;
    const struct stow_taint *taint = STOW_LIST(s, in->made.taints, struct stow_taint, &taints);
    const struct stow_taint *startup =
        STOW_LIST(s, in->made.startup_taints, struct stow_taint, &startups);

    for (uint32_t i = 0; i < taints + startups; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct stow_taint *a = i < taints ? &taint[i] : &startup[i - taints];
            const struct stow_taint *b = j < taints ? &taint[j] : &startup[j - taints];

            if (same_taint(a, b))
                return stow_cursor_fail_at(c, in->taints_at,
                                           "the taint '%s' is given twice with the same effect",
                                           stow_text(s, a->key).ptr);
        }
    return STOW_OK;
}

static int check(struct stow_cursor *c, const struct pool_in *in)
{
    STOW_TRY(check_class(c, in));
    if (!in->has_requirements)
        return fail(c, in,
                    "has no requirements; expected spec.template.spec.requirements (a list, which "
                    "may be empty)");
    STOW_TRY(check_policy(c, in));
    STOW_TRY(check_replicas(c, in));
    return check_taints(c, in);
}

/* ---- the pool ---------------------------------------------------------------------------- */

/* What is not stated. */
static int fill_in(struct stow_cursor *c, struct pool_in *in)
{
    struct stow_node_pool *made = &in->made;

    if (!made->expire_after.text)
        made->expire_after.seconds = EXPIRE_DEFAULT;
    if (!made->consolidate_after.text)
        made->consolidate_after.seconds =
            made->is_beta && made->policy == STOW_POOL_WHEN_EMPTY ? STOW_POOL_NEVER : 0;
    if (made->has_budgets)
        return STOW_OK;

    struct stow_pool_budget budget = {0};

    if (default_budget(in->r, &budget) < 0)
        return stow_cursor_fail_memory(c);
    in->r->pool_budgets.count = 0;
    STOW_TRY(keep_budget(c, in->r, &budget));
    return stow_read_blob(c, in->r, &in->r->pool_budgets, sizeof(budget), &made->budgets);
}

static int name_pool(struct stow_cursor *c, struct pool_in *in)
{
    struct stow_node_pool *made = &in->made;

    STOW_TRY(stow_read_name_symbol(c, in->r, &in->meta, KIND, &made->symbol));
    made->name = in->meta.name;
    made->uid = in->meta.uid;
    made->own_annotations = in->meta.annotations;
    made->deleted = in->meta.deleted;
    if (in->is_unknown &&
        stow_snapshot_warn(in->r->s,
                           "NodePool '%s' has an unknown apiVersion: it is read as karpenter.sh/v1",
                           made->name) < 0)
        return stow_cursor_fail_memory(c);
    return stow_read_mark(c, in->r, in->r->object, &made->mark);
}

int stow_read_node_pool(struct stow_cursor *c, struct stow_reader *r)
{
    struct stow_snapshot *s = r->s;
    struct pool_in in = {.r = r,
                         .made = {.limits = STOW_NONE,
                                  .replicas = -1,
                                  .kubelet = {.max_pods = -1, .pods_per_core = -1},
                                  .class_at = STOW_NONE,
                                  .pool_id = STOW_NONE}};

    STOW_TRY(STOW_FIELDS(c, pool_fields, &in));
    STOW_TRY(name_pool(c, &in));
    STOW_TRY(check(c, &in));
    STOW_TRY(fill_in(c, &in));

    struct stow_node_pool *kept = STOW_PUSH(&s->node_pool, &s->node_pools, &s->node_pool_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}
