/* karmada_cluster.c - reading Clusters: where they are, what they have free.
 *
 * Resource models get what Karmada's webhook does to them: sorted by grade, the
 * first grade starts at 0; grades must be unique, name the same resources and
 * follow one another without a gap. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/values/quantity.h"
#include "read/kinds/karmada.h"

/* One range of a grade, with its upper end until the grades are checked. */
struct range {
    stow_sym resource;
    bool has_max;
    stow_i128 min, max;
};

struct grade {
    uint32_t grade, token;
    uint32_t first, ranges; /* in cluster_in.ranges */
};

struct cluster_in {
    struct stow_reader *r;
    struct stow_meta meta;
    struct stow_cluster made;
    stow_sym zone; /* the deprecated spec.zone */
    struct stow_collect grades, ranges, counts, apis;
    stow_sym group_version; /* of the enablement being read */
    uint32_t first_api;
};

static void cluster_done(struct cluster_in *in)
{
    free(in->grades.items);
    free(in->ranges.items);
    free(in->counts.items);
    free(in->apis.items);
}

/* ---- spec -------------------------------------------------------------------------------- */

static int read_sync_mode(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"Push", "Pull", "", NULL};
    struct cluster_in *in = into;
    uint32_t mode;

    STOW_TRY(stow_read_word(c, words, &mode));
    in->made.flags |= mode == 1 ? STOW_CLUSTER_PULL : 0;
    return STOW_OK;
}

/* ---- resource models --------------------------------------------------------------------- */

struct range_in {
    struct cluster_in *cluster;
    struct range made;
};

static int read_range_name(struct stow_cursor *c, void *into)
{
    struct range_in *in = into;

    return stow_read_sym(c, in->cluster->r, &in->made.resource);
}

static int read_bound(struct stow_cursor *c, stow_i128 *ret)
{
    struct stow_quantity q;
    struct stow_str text;

    STOW_TRY(stow_cursor_scalar(c, &text));

    enum stow_quantity_error error = stow_quantity_parse(text, &q);

    if (error)
        return stow_cursor_fail(c, "\"%.*s\" %s", STOW_FMT(text), stow_quantity_error_text(error));
    if (q.nano < 0)
        return stow_cursor_fail(c, "\"%.*s\" is negative; expected 0 or more", STOW_FMT(text));
    *ret = q.nano;
    return STOW_OK;
}

static int read_range_min(struct stow_cursor *c, void *into)
{
    return read_bound(c, &((struct range_in *)into)->made.min);
}

static int read_range_max(struct stow_cursor *c, void *into)
{
    struct range_in *in = into;

    in->made.has_max = true;
    return read_bound(c, &in->made.max);
}

static const struct stow_field range_fields[] = {
    STOW_FIELD("max", read_range_max),
    STOW_FIELD("min", read_range_min),
    STOW_FIELD("name", read_range_name),
};

static int read_range(struct stow_cursor *c, void *into)
{
    struct cluster_in *cluster = into;
    struct range_in in = {.cluster = cluster};
    uint32_t start = c->at;

    STOW_TRY(STOW_FIELDS(c, range_fields, &in));
    if (!in.made.resource)
        return stow_cursor_fail_at(c, start, "name of a range is missing; expected a resource");
    if (in.made.has_max && in.made.max <= in.made.min)
        return stow_cursor_fail_at(c, start, "max of '%s' is not above min",
                                   stow_text(cluster->r->s, in.made.resource).ptr);

    struct range *kept = STOW_COLLECT(&cluster->ranges, struct range);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

static struct grade *last_grade(struct cluster_in *in)
{
    return (struct grade *)in->grades.items + in->grades.count - 1;
}

static int read_grade_number(struct stow_cursor *c, void *into)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 0, INT32_MAX, &value));
    last_grade(into)->grade = (uint32_t)value;
    return STOW_OK;
}

static const struct stow_field grade_fields[] = {
    STOW_FIELD("grade", read_grade_number),
    STOW_FIELD_ITEMS("ranges", read_range),
};

static int read_model(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;
    struct grade *made = STOW_COLLECT(&in->grades, struct grade);

    if (!made)
        return stow_cursor_fail_memory(c);
    made->token = c->at;
    made->first = in->ranges.count;
    STOW_TRY(STOW_FIELDS(c, grade_fields, in));
    last_grade(in)->ranges = in->ranges.count - last_grade(in)->first;
    return STOW_OK;
}

static int compare_grades(const void *a, const void *b)
{
    const struct grade *x = a, *y = b;

    return (x->grade > y->grade) - (x->grade < y->grade);
}

/* The ranges of a grade; NULL where no grade has any. */
static struct range *ranges_of(const struct cluster_in *in, const struct grade *grade)
{
    return in->ranges.items ? (struct range *)in->ranges.items + grade->first : NULL;
}

static struct range *find_range(const struct cluster_in *in, const struct grade *grade,
                                stow_sym resource)
{
    struct range *list = ranges_of(in, grade);

    for (uint32_t i = 0; i < grade->ranges; i++)
        if (list[i].resource == resource)
            return &list[i];
    return NULL;
}

/* A grade against the one below it. */
static int check_grade(struct stow_cursor *c, const struct cluster_in *in,
                       const struct grade *below, const struct grade *grade)
{
    const struct range *list = ranges_of(in, grade);

    if (below->grade == grade->grade)
        return stow_cursor_fail_at(c, grade->token, "grade %u is given twice", grade->grade);
    if (below->ranges != grade->ranges)
        return stow_cursor_fail_at(c, grade->token,
                                   "grade %u has %u resources, grade %u has %u; expected the same",
                                   grade->grade, grade->ranges, below->grade, below->ranges);
    for (uint32_t i = 0; i < grade->ranges; i++) {
        const struct range *under = find_range(in, below, list[i].resource);
        const char *name = stow_text(in->r->s, list[i].resource).ptr;

        if (!under)
            return stow_cursor_fail_at(c, grade->token, "grade %u has '%s', grade %u has not",
                                       grade->grade, name, below->grade);
        if (under->has_max && under->max != list[i].min)
            return stow_cursor_fail_at(
                c, grade->token, "min of '%s' in grade %u is not max in grade %u; expected no gap",
                name, grade->grade, below->grade);
    }
    return STOW_OK;
}

static int close_grade(struct stow_cursor *c, struct cluster_in *in, const struct grade *grade,
                       bool first, stow_blob *ret)
{
    struct stow_reader *r = in->r;
    const struct range *list = ranges_of(in, grade);

    r->amounts.count = 0;
    for (uint32_t i = 0; i < grade->ranges; i++) {
        struct stow_exact *e = STOW_COLLECT(&r->amounts, struct stow_exact);

        if (!e)
            return stow_cursor_fail_memory(c);
        *e = stow_exact_of(list[i].resource, first ? 0 : list[i].min);
    }
    stow_exact_sort(r->amounts.items, r->amounts.count);
    return stow_read_blob(c, r, &r->amounts, sizeof(struct stow_exact), ret);
}

static int read_models(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;
    STOW_AUTO(stow_collect_done) struct stow_collect models = {0};

    STOW_TRY(stow_cursor_items(c, read_model, in));

    struct grade *list = in->grades.items;

    if (in->grades.count > 1)
        qsort(list, in->grades.count, sizeof(*list), compare_grades);
    for (uint32_t i = 0; i < in->grades.count; i++) {
        struct stow_grade *kept = STOW_COLLECT(&models, struct stow_grade);

        if (!kept)
            return stow_cursor_fail_memory(c);
        if (i)
            STOW_TRY(check_grade(c, in, &list[i - 1], &list[i]));
        kept->grade = list[i].grade;
        STOW_TRY(close_grade(c, in, &list[i], i == 0, &kept->min));
    }
    return stow_read_blob(c, in->r, &models, sizeof(struct stow_grade), &in->made.models);
}

static const struct stow_field spec_fields[] = {
    STOW_FIELD_AT("provider", sym, struct cluster_in, made.provider),
    STOW_FIELD_AT("region", sym, struct cluster_in, made.region),
    STOW_FIELD("resourceModels", read_models),
    STOW_FIELD("syncMode", read_sync_mode),
    STOW_FIELD_AT("taints", taints, struct cluster_in, made.taints),
    STOW_FIELD_AT("zone", sym, struct cluster_in, zone),
    STOW_FIELD_AT("zones", syms, struct cluster_in, made.zones),
};

/* ---- status ------------------------------------------------------------------------------ */

static int read_api_kind(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;
    struct stow_api *list = in->apis.items;

    return stow_read_sym(c, in->r, &list[in->apis.count - 1].kind);
}

static const struct stow_field api_fields[] = {STOW_FIELD("kind", read_api_kind)};

static int read_api(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;

    if (!STOW_COLLECT(&in->apis, struct stow_api))
        return stow_cursor_fail_memory(c);
    return STOW_FIELDS(c, api_fields, in);
}

static const struct stow_field enablement_fields[] = {
    STOW_FIELD_AT("groupVersion", sym, struct cluster_in, group_version),
    STOW_FIELD_ITEMS("resources", read_api),
};

static int read_enablement(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;
    uint32_t first = in->apis.count;

    STOW_TRY(STOW_FIELDS(c, enablement_fields, in));

    struct stow_api *list = in->apis.items;

    for (uint32_t i = first; i < in->apis.count; i++)
        list[i].group_version = in->group_version;
    return STOW_OK;
}

static int read_enablements(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;

    STOW_TRY(stow_cursor_items(c, read_enablement, in));
    return stow_read_blob(c, in->r, &in->apis, sizeof(struct stow_api), &in->made.apis);
}

static int read_condition(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;
    struct stow_condition ready = {.types = {"Ready"}};

    STOW_TRY(stow_read_condition(c, &ready));
    if (ready.is_type && !ready.holds)
        in->made.flags |= STOW_CLUSTER_NOT_READY;
    return STOW_OK;
}

static const struct stow_field node_summary_fields[] = {
    STOW_FIELD_FROM("readyNum", int32, 0, struct cluster_in, made.ready_nodes),
    STOW_FIELD_FROM("totalNum", int32, 0, struct cluster_in, made.nodes),
};

static int read_count_grade(struct stow_cursor *c, void *into)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, 0, INT32_MAX, &value));
    ((struct stow_grade_count *)into)->grade = (uint32_t)value;
    return STOW_OK;
}

static const struct stow_field count_fields[] = {
    STOW_FIELD_FROM("count", int32, INT32_MIN, struct stow_grade_count, count),
    STOW_FIELD("grade", read_count_grade),
};

static int read_count(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;
    struct stow_grade_count made = {0};

    STOW_TRY(STOW_FIELDS(c, count_fields, &made));

    struct stow_grade_count *kept = STOW_COLLECT(&in->counts, struct stow_grade_count);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = made;
    return STOW_OK;
}

static int read_counts(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;

    STOW_TRY(stow_cursor_items(c, read_count, in));
    return stow_read_blob(c, in->r, &in->counts, sizeof(struct stow_grade_count),
                          &in->made.model_counts);
}

static const struct stow_field summary_fields[] = {
    STOW_FIELD_AT("allocatable", amounts, struct cluster_in, made.allocatable),
    STOW_FIELD("allocatableModelings", read_counts),
    STOW_FIELD_AT("allocated", amounts, struct cluster_in, made.allocated),
    STOW_FIELD_AT("allocating", amounts, struct cluster_in, made.allocating),
};

static int read_summary(struct stow_cursor *c, void *into)
{
    struct cluster_in *in = into;

    in->made.flags |= STOW_CLUSTER_HAS_SUMMARY;
    return STOW_FIELDS(c, summary_fields, in);
}

static const struct stow_field status_fields[] = {
    STOW_FIELD("apiEnablements", read_enablements),
    STOW_FIELD_ITEMS("conditions", read_condition),
    STOW_FIELD_OBJECT("nodeSummary", node_summary_fields),
    STOW_FIELD("resourceSummary", read_summary),
};

/* ---- the cluster ------------------------------------------------------------------------- */

static const struct stow_field cluster_fields[] = {
    STOW_FIELD_AT("metadata", identity, struct cluster_in, meta),
    STOW_FIELD_OBJECT("spec", spec_fields),
    STOW_FIELD_OBJECT("status", status_fields),
};

/* Provider and region as labels, which field selectors are matched with. */
static int close_fields(struct stow_cursor *c, struct cluster_in *in)
{
    const struct {
        const char *name;
        stow_sym value;
    } fields[] = {{"provider", in->made.provider}, {"region", in->made.region}};
    struct stow_reader *r = in->r;

    r->labels.count = 0;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (!fields[i].value)
            continue;

        struct stow_label *label = STOW_COLLECT(&r->labels, struct stow_label);

        if (!label)
            return stow_cursor_fail_memory(c);
        label->key = stow_intern_text(&r->s->text, stow_str_of(fields[i].name));
        label->value = fields[i].value;
        if (label->key == STOW_INTERN_FAILED)
            return stow_cursor_fail_memory(c);
    }
    stow_labels_sort(r->labels.items, r->labels.count);
    return stow_read_blob(c, r, &r->labels, sizeof(struct stow_label), &in->made.fields);
}

static int close_cluster(struct stow_cursor *c, struct cluster_in *in)
{
    struct stow_snapshot *s = in->r->s;
    struct stow_cluster *made = &in->made;

    made->name = in->meta.name;
    made->symbol = stow_intern_text(&s->text, stow_str_of(in->meta.name));
    made->uid = in->meta.uid;
    made->labels = in->meta.labels;
    made->annotations = in->meta.annotations;
    made->flags |= in->meta.deleted ? STOW_CLUSTER_DELETED : 0;
    if (!made->zones && in->zone)
        made->zones = stow_intern_blob(&s->blob, &in->zone, sizeof(in->zone));
    if (made->symbol == STOW_INTERN_FAILED || made->zones == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    return close_fields(c, in);
}

int stow_read_cluster(struct stow_cursor *c, struct stow_reader *r)
{
    STOW_AUTO(cluster_done)
    struct cluster_in in = {.r = r, .made = {.nodes = -1, .ready_nodes = -1}};

    int code = STOW_FIELDS(c, cluster_fields, &in); /* the name is known only afterwards */

    STOW_TRY(stow_name_failure(c, code, "Cluster", in.meta.name));
    in.meta.r = r;
    STOW_TRY(stow_check_name(c, &in.meta, "Cluster"));
    STOW_TRY(close_cluster(c, &in));

    struct stow_cluster *kept = STOW_PUSH(&r->s->cluster, &r->s->clusters, &r->s->cluster_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}
