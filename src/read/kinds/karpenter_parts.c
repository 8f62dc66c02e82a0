/* karpenter_parts.c - reading what Karpenter's kinds are made of. */
#include "base/vec.h"
#include "model/karpenter/machine.h"
#include "read/kinds/karpenter.h"

/* The API server takes no more. */
#define REQUIREMENTS_MAX 100
#define MIN_VALUES_MAX   50

/* ---- requirements ------------------------------------------------------------------------ */

struct requirement_in {
    struct stow_reader *r;
    struct stow_pool_requirement made;
    uint32_t values_at;
};

static int read_operator(struct stow_cursor *c, void *into)
{
    return stow_read_word(c, stow_pool_operator_name, &((struct requirement_in *)into)->made.op);
}

static int read_values(struct stow_cursor *c, void *into)
{
    struct requirement_in *in = into;

    in->values_at = c->at;
    return stow_read_syms(c, in->r, &in->made.values);
}

static int read_min_values(struct stow_cursor *c, void *into)
{
    struct requirement_in *in = into;
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 1, MIN_VALUES_MAX, &value));
    in->made.min_values = (int32_t)value;
    return STOW_OK;
}

static const struct stow_field requirement_fields[] = {
    STOW_FIELD_AT("key", sym, struct requirement_in, made.key),
    STOW_FIELD("minValues", read_min_values),
    STOW_FIELD("operator", read_operator),
    STOW_FIELD("values", read_values),
};

static bool is_bound(uint32_t op)
{
    return op == STOW_POOL_GT || op == STOW_POOL_LT || op == STOW_POOL_GTE || op == STOW_POOL_LTE;
}

/* Digits only: what Karpenter takes for an integer of 0 or more. */
static bool is_whole(struct stow_str text)
{
    int64_t value;

    return text.len && text.ptr[0] >= '0' && text.ptr[0] <= '9' && stow_str_int(text, &value);
}

static int check_bound(struct stow_cursor *c, const struct requirement_in *in,
                       const stow_sym *value, uint32_t count)
{
    const char *op = stow_pool_operator_name[in->made.op];

    if (count != 1)
        return stow_cursor_fail_at(c, in->values_at, "%s has %u values; expected one", op, count);
    if (!is_whole(stow_text(in->r->s, value[0])))
        return stow_cursor_fail_at(c, in->values_at,
                                   "%s has the value \"%s\"; expected a whole number of 0 or more",
                                   op, stow_text(in->r->s, value[0]).ptr);
    return STOW_OK;
}

static int check_requirement(struct stow_cursor *c, const struct requirement_in *in)
{
    const struct stow_pool_requirement *made = &in->made;
    uint32_t count;
    const stow_sym *value = STOW_LIST(in->r->s, made->values, stow_sym, &count);
    const char *key = stow_text(in->r->s, made->key).ptr;

    if (made->op == STOW_POOL_OPERATORS)
        return stow_cursor_fail_at(c, in->values_at,
                                   "operator of '%s' is missing; expected In, NotIn, Exists, "
                                   "DoesNotExist, Gt, Lt, Gte or Lte",
                                   key);
    if (is_bound(made->op))
        return check_bound(c, in, value, count);
    if (made->op == STOW_POOL_IN && !count)
        return stow_cursor_fail_at(c, in->values_at,
                                   "In has no values; expected at least one of '%s'", key);
    if (made->op == STOW_POOL_IN && count < (uint32_t)made->min_values)
        return stow_cursor_fail_at(c, in->values_at,
                                   "minValues of '%s' is %d, but only %u values are listed; list "
                                   "more values or lower minValues",
                                   key, made->min_values, count);
    return STOW_OK;
}

static int read_requirement(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = into;
    struct requirement_in in = {.r = r, .made = {.op = STOW_POOL_OPERATORS}, .values_at = c->at};
    const uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, requirement_fields, &in));
    if (!in.made.key)
        return stow_cursor_fail_at(c, start, "key of a requirement is missing; expected `key`");
    STOW_TRY(check_requirement(c, &in));

    struct stow_pool_requirement *kept =
        STOW_COLLECT(&r->pool_requirements, struct stow_pool_requirement);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

int stow_read_pool_requirements(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret)
{
    const uint32_t start = c->at;

    r->pool_requirements.count = 0;
    STOW_TRY(stow_cursor_items(c, read_requirement, r));
    if (r->pool_requirements.count > REQUIREMENTS_MAX)
        return stow_cursor_fail_at(c, start, "%u requirements; expected at most %d",
                                   r->pool_requirements.count, REQUIREMENTS_MAX);
    return stow_read_blob(c, r, &r->pool_requirements, sizeof(struct stow_pool_requirement), ret);
}

/* ---- durations --------------------------------------------------------------------------- */

static int64_t unit_seconds(char unit)
{
    return unit == 'h' ? 3600 : unit == 'm' ? 60 : unit == 's' ? 1 : 0;
}

/* Whole numbers, each with its unit.  Years beyond counting are as good as never. */
static bool parse_duration(struct stow_str text, int64_t *ret)
{
    int64_t sum = 0, number = 0;
    bool digits = false;

    for (size_t i = 0; i < text.len; i++) {
        const char ch = text.ptr[i];

        if (ch >= '0' && ch <= '9') {
            number = number > INT32_MAX ? number : number * 10 + (ch - '0');
            digits = true;
        } else if (!digits || !unit_seconds(ch)) {
            return false;
        } else {
            sum += number * unit_seconds(ch);
            number = 0;
            digits = false;
        }
    }
    *ret = sum;
    return text.len && !digits;
}

int stow_read_pool_time(struct stow_cursor *c, struct stow_reader *r, bool may_be_never,
                        struct stow_pool_time *ret)
{
    struct stow_str text;
    int64_t seconds = STOW_POOL_NEVER;

    STOW_TRY(stow_cursor_text(c, &text));
    if (!(may_be_never && stow_str_is(text, "Never")) && !parse_duration(text, &seconds))
        return stow_cursor_fail(c, "expected a duration such as \"1h30m\"%s, found \"%.*s\"",
                                may_be_never ? " or \"Never\"" : "", STOW_FMT(text));
    *ret = (struct stow_pool_time){.text = stow_intern_text(&r->s->text, text), .seconds = seconds};
    return ret->text == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

/* ---- which node class -------------------------------------------------------------------- */

struct ref_in {
    struct stow_reader *r;
    struct stow_class_ref made;
};

/* "karpenter.k8s.aws/v1beta1": its group; a group that is stated counts. */
static int read_ref_version(struct stow_cursor *c, void *into)
{
    struct ref_in *in = into;
    struct stow_str text, rest;

    STOW_TRY(stow_cursor_text(c, &text));

    const struct stow_str group = stow_str_cut(text, '/', &rest);

    if (!rest.ptr || in->made.group)
        return STOW_OK;
    in->made.group = stow_intern_text(&in->r->s->text, group);
    return in->made.group == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static const struct stow_field ref_fields[] = {
    STOW_FIELD("apiVersion", read_ref_version),
    STOW_FIELD_AT("group", sym, struct ref_in, made.group),
    STOW_FIELD_AT("kind", sym, struct ref_in, made.kind),
    STOW_FIELD_AT("name", sym, struct ref_in, made.name),
};

int stow_read_class_ref(struct stow_cursor *c, struct stow_reader *r, struct stow_class_ref *ret)
{
    struct ref_in in = {r, *ret};

    STOW_TRY(STOW_FIELDS(c, ref_fields, &in));
    *ret = in.made;
    return STOW_OK;
}

/* ---- kubelet ----------------------------------------------------------------------------- */

struct kubelet_in {
    struct stow_reader *r;
    struct stow_kubelet made;
};

/* Thresholds: the text is kept, as a percentage is of a machine that is not known yet. */
static int read_eviction_hard(struct stow_cursor *c, void *into)
{
    struct kubelet_in *in = into;
    const uint32_t start = c->at;
    uint32_t count;
    int64_t amount;

    STOW_TRY(stow_read_labels(c, in->r, &in->made.eviction_hard));

    const struct stow_label *list =
        STOW_LIST(in->r->s, in->made.eviction_hard, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!stow_eviction_parse(stow_text(in->r->s, list[i].value), 0, &amount))
            return stow_cursor_fail_at(
                c, start, "%s is \"%s\"; expected an amount such as \"100Mi\" or \"5%%\"",
                stow_text(in->r->s, list[i].key).ptr, stow_text(in->r->s, list[i].value).ptr);
    return STOW_OK;
}

static const struct stow_field kubelet_fields[] = {
    STOW_FIELD("evictionHard", read_eviction_hard),
    STOW_FIELD_AT("kubeReserved", amounts, struct kubelet_in, made.kube_reserved),
    STOW_FIELD_FROM("maxPods", int32, 0, struct kubelet_in, made.max_pods),
    STOW_FIELD_FROM("podsPerCore", int32, 0, struct kubelet_in, made.pods_per_core),
    STOW_FIELD_AT("systemReserved", amounts, struct kubelet_in, made.system_reserved),
};

int stow_read_kubelet(struct stow_cursor *c, struct stow_reader *r, struct stow_kubelet *ret)
{
    struct kubelet_in in = {r, *ret};

    STOW_TRY(STOW_FIELDS(c, kubelet_fields, &in));
    *ret = in.made;
    return STOW_OK;
}
