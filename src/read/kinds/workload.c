/* workload.c - reading Deployments and everything else that makes pods from a template. */
#include <string.h>

#include "base/vec.h"
#include "read/kinds/reader.h"

/* More replicas than this in one workload are a mistake. */
#define REPLICAS_MAX 1000000

struct workload_in {
    struct stow_reader *r;
    struct stow_meta meta, template_meta;
    struct stow_pod_parts parts;
    bool has_template, suspended, finished;
    bool elsewhere; /* spec.managedBy names another controller than the built-in one */
    bool per_index; /* spec.backoffLimitPerIndex is set: indexes fail for good */
    const char *completed, *failed; /* indexes of a job, as in its status; NULL: not stated */
    stow_blob selector, template_of;
    int64_t replicas, parallelism, completions, active, succeeded;
};

/* ---- the template ------------------------------------------------------------------------ */

static int read_template_spec(struct stow_cursor *c, void *into)
{
    struct workload_in *in = into;

    in->has_template = true;
    return stow_read_pod_spec(c, in->r, &in->parts);
}

static const struct stow_field template_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct workload_in, template_meta),
    STOW_FIELD("spec", read_template_spec),
};

/* ---- the parts of specs ------------------------------------------------------------------ */

static int read_replicas(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, REPLICAS_MAX, &((struct workload_in *)into)->replicas);
}

static int read_plain_selector(struct stow_cursor *c, void *into)
{
    struct workload_in *in = into;

    return stow_read_match_labels(c, in->r, &in->selector);
}

static int read_parallelism(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, REPLICAS_MAX, &((struct workload_in *)into)->parallelism);
}

static int read_completions(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, INT32_MAX, &((struct workload_in *)into)->completions);
}

static int read_succeeded(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, INT32_MAX, &((struct workload_in *)into)->succeeded);
}

static int read_active(struct stow_cursor *c, void *into)
{
    return stow_cursor_int(c, 0, REPLICAS_MAX, &((struct workload_in *)into)->active);
}

static int read_managed_by(struct stow_cursor *c, void *into)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    ((struct workload_in *)into)->elsewhere = !stow_str_is(text, "kubernetes.io/job-controller");
    return STOW_OK;
}

static int read_limit_per_index(struct stow_cursor *c, void *into)
{
    ((struct workload_in *)into)->per_index = true;
    return stow_cursor_skip(c);
}

static int keep_text(struct stow_cursor *c, struct workload_in *in, const char **ret)
{
    struct stow_str text;

    STOW_TRY(stow_cursor_text(c, &text));
    *ret = stow_arena_text(&in->r->s->arena, text);
    return *ret ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_completed_indexes(struct stow_cursor *c, void *into)
{
    return keep_text(c, into, &((struct workload_in *)into)->completed);
}

static int read_failed_indexes(struct stow_cursor *c, void *into)
{
    return keep_text(c, into, &((struct workload_in *)into)->failed);
}

static int read_completion_time(struct stow_cursor *c, void *into)
{
    ((struct workload_in *)into)->finished = true;
    return stow_cursor_skip(c);
}

/* Conditions that end a job: it starts no more pods, and those that still run are stopped. */
static int read_job_condition(struct stow_cursor *c, void *into)
{
    struct stow_condition in = {
        .types = {"Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"}};

    STOW_TRY(stow_read_condition(c, &in));
    ((struct workload_in *)into)->finished |= in.is_type && in.holds;
    return STOW_OK;
}

/* ---- the kinds --------------------------------------------------------------------------- */

static int read_claim_templates(struct stow_cursor *c, void *into)
{
    return stow_read_claim_templates(c, ((struct workload_in *)into)->r);
}

static const struct stow_field replicated_spec_fields[] = {
    STOW_FIELD("replicas", read_replicas),
    STOW_FIELD_AT("selector", selector, struct workload_in, selector),
    STOW_FIELD_OBJECT("template", template_fields),
    STOW_FIELD("volumeClaimTemplates", read_claim_templates),
};

static const struct stow_field replicated_fields[] = {
    STOW_FIELD_AT("metadata", identity, struct workload_in, meta),
    STOW_FIELD_OBJECT("spec", replicated_spec_fields),
};

static const struct stow_field controller_spec_fields[] = {
    STOW_FIELD("replicas", read_replicas),
    STOW_FIELD("selector", read_plain_selector),
    STOW_FIELD_OBJECT("template", template_fields),
};

static const struct stow_field controller_fields[] = {
    STOW_FIELD_AT("metadata", identity, struct workload_in, meta),
    STOW_FIELD_OBJECT("spec", controller_spec_fields),
};

static const struct stow_field job_spec_fields[] = {
    STOW_FIELD("backoffLimitPerIndex", read_limit_per_index),
    STOW_FIELD("completions", read_completions),
    STOW_FIELD("managedBy", read_managed_by),
    STOW_FIELD("parallelism", read_parallelism),
    STOW_FIELD_AT("selector", selector, struct workload_in, selector),
    STOW_FIELD_AT("suspend", flag, struct workload_in, suspended),
    STOW_FIELD_OBJECT("template", template_fields),
};

static const struct stow_field job_status_fields[] = {
    STOW_FIELD("active", read_active),
    STOW_FIELD("completedIndexes", read_completed_indexes),
    STOW_FIELD("completionTime", read_completion_time),
    STOW_FIELD_ITEMS("conditions", read_job_condition),
    STOW_FIELD("failedIndexes", read_failed_indexes),
    STOW_FIELD("succeeded", read_succeeded),
};

static const struct stow_field job_fields[] = {
    STOW_FIELD_AT("metadata", identity, struct workload_in, meta),
    STOW_FIELD_OBJECT("spec", job_spec_fields),
    STOW_FIELD_OBJECT("status", job_status_fields),
};

static const struct stow_field job_template_fields[] = {STOW_FIELD_OBJECT("spec", job_spec_fields)};

static const struct stow_field cron_job_spec_fields[] = {
    STOW_FIELD_OBJECT("jobTemplate", job_template_fields),
    STOW_FIELD_AT("suspend", flag, struct workload_in, suspended),
};

static const struct stow_field cron_job_fields[] = {
    STOW_FIELD_AT("metadata", identity, struct workload_in, meta),
    STOW_FIELD_OBJECT("spec", cron_job_spec_fields),
};

/* Argo's Rollout has a template, or names a workload that has it. */
struct reference_in {
    struct stow_reader *r;
    struct stow_owner made;
};

static const struct stow_field reference_fields[] = {
    STOW_FIELD_AT("kind", sym, struct reference_in, made.kind),
    STOW_FIELD_AT("name", sym, struct reference_in, made.name),
};

static int read_workload_ref(struct stow_cursor *c, void *into)
{
    struct workload_in *in = into;
    struct reference_in reference = {.r = in->r};

    STOW_TRY(STOW_FIELDS(c, reference_fields, &reference));
    in->template_of = stow_intern_blob(&in->r->s->blob, &reference.made, sizeof(reference.made));
    return in->template_of == STOW_INTERN_FAILED ? stow_cursor_fail_memory(c) : STOW_OK;
}

static const struct stow_field rollout_spec_fields[] = {
    STOW_FIELD("replicas", read_replicas),
    STOW_FIELD_AT("selector", selector, struct workload_in, selector),
    STOW_FIELD_OBJECT("template", template_fields),
    STOW_FIELD("workloadRef", read_workload_ref),
};

static const struct stow_field rollout_fields[] = {
    STOW_FIELD_AT("metadata", identity, struct workload_in, meta),
    STOW_FIELD_OBJECT("spec", rollout_spec_fields),
};

/* In an unknown kind the selector may have any form; the labels of the template say
 * the same. */
static const struct stow_field other_spec_fields[] = {
    STOW_FIELD("replicas", read_replicas),
    STOW_FIELD_OBJECT("template", template_fields),
};

static const struct stow_field other_fields[] = {
    STOW_FIELD_AT("metadata", identity, struct workload_in, meta),
    STOW_FIELD_OBJECT("spec", other_spec_fields),
};

/* ---- keeping ----------------------------------------------------------------------------- */

/* The number of indexes in "1,3-5,7" below `end`.  What is not an index or range of them is passed
 * over, as the Job controller does. */
static int64_t count_indexes(const char *list, int64_t end)
{
    struct stow_str rest = stow_str_of(list ? list : ""), last;
    int64_t count = 0;

    while (rest.len) {
        const struct stow_str range = stow_str_cut(rest, ',', &rest);
        const struct stow_str first = stow_str_cut(range, '-', &last);
        int64_t from, to;

        if (!stow_str_int(first, &from) || !stow_str_int(last.ptr ? last : first, &to) || from < 0)
            continue;
        to = to < end ? to : end - 1;
        count += to >= from ? to - from + 1 : 0;
    }
    return count;
}

/* A job runs `parallelism` pods at a time, and no more than it still has to complete; an index that
 * failed is not started again where indexes have limits of their own.  Without completions the
 * first success says that there is no work left: what runs goes on, and nothing is started. */
static int64_t left_of_job(const struct workload_in *in)
{
    if (in->completions >= 0)
        return in->completions -
               (in->completed ? count_indexes(in->completed, in->completions) : in->succeeded) -
               (in->per_index ? count_indexes(in->failed, in->completions) : 0);
    return in->succeeded > 0 ? in->active : in->parallelism;
}

static uint32_t wanted_pods(const struct workload_in *in, enum stow_workload_kind kind)
{
    if (kind != STOW_JOB && kind != STOW_CRON_JOB)
        return (uint32_t)in->replicas;

    int64_t left = left_of_job(in);

    if (left > in->parallelism)
        left = in->parallelism;
    return left > 0 ? (uint32_t)left : 0;
}

/* A stored CronJob makes Jobs when their time comes; those are given if they are there.  A manifest
 * stands for one of its runs. */
static bool is_ended(const struct workload_in *in, enum stow_workload_kind kind)
{
    return in->suspended || in->finished || in->meta.deleted || in->elsewhere ||
           (kind == STOW_CRON_JOB && in->meta.stored);
}

static enum stow_idle idle_of(const struct workload_in *in)
{
    if (in->meta.deleted)
        return STOW_IDLE_DELETED;
    return in->elsewhere ? STOW_IDLE_ELSEWHERE : STOW_NOT_IDLE;
}

int stow_tolerate_like_daemons(struct stow_cursor *c, struct stow_pod_parts *p)
{
    static const struct {
        const char *key;
        enum stow_effect effect;
        bool host_network_only;
    } added[] = {
        {"node.kubernetes.io/not-ready", STOW_EFFECT_NO_EXECUTE, false},
        {"node.kubernetes.io/unreachable", STOW_EFFECT_NO_EXECUTE, false},
        {"node.kubernetes.io/disk-pressure", STOW_EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/memory-pressure", STOW_EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/pid-pressure", STOW_EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/unschedulable", STOW_EFFECT_NO_SCHEDULE, false},
        {"node.kubernetes.io/network-unavailable", STOW_EFFECT_NO_SCHEDULE, true},
    };
    struct stow_reader *r = p->r;
    uint32_t count;
    const struct stow_toleration *given =
        STOW_LIST(r->s, p->spec.tolerations, struct stow_toleration, &count);

    r->tolerations.count = 0;
    for (uint32_t i = 0; i < count + sizeof(added) / sizeof(added[0]); i++) {
        uint32_t n = i - count;

        if (i >= count && added[n].host_network_only && !p->host_network)
            continue;

        struct stow_toleration *kept = STOW_COLLECT(&r->tolerations, struct stow_toleration);

        if (!kept)
            return stow_cursor_fail_memory(c);
        *kept =
            i < count
                ? given[i]
                : (struct stow_toleration){stow_intern_text(&r->s->text, stow_str_of(added[n].key)),
                                           0, STOW_TOLERATE_EXISTS, added[n].effect};
        if (kept->key == STOW_INTERN_FAILED)
            return stow_cursor_fail_memory(c);
    }
    return stow_read_blob(c, r, &r->tolerations, sizeof(struct stow_toleration),
                          &p->spec.tolerations);
}

/* Every pod gets a claim of each template. */
static int add_claim_templates(struct stow_cursor *c, struct stow_reader *r)
{
    const struct stow_own_claim *list = r->claim_templates.items;

    for (uint32_t i = 0; i < r->claim_templates.count; i++) {
        struct stow_own_claim *kept = STOW_COLLECT(&r->own_claims, struct stow_own_claim);

        if (!kept)
            return stow_cursor_fail_memory(c);
        *kept = list[i];
    }
    return STOW_OK;
}

static int keep_workload(struct stow_cursor *c, struct workload_in *in,
                         enum stow_workload_kind kind, const char *kind_name)
{
    struct stow_snapshot *s = in->r->s;
    struct stow_workload made = {
        .kind = kind,
        .kind_name = stow_intern_text(&s->text, stow_str_of(kind_name)),
        .name = in->meta.name,
        .symbol = stow_intern_text(&s->text, stow_str_of(in->meta.name)),
        .namespace = stow_meta_namespace(&in->meta),
        .uid = in->meta.uid,
        .owner = in->meta.owner,
        .labels = in->meta.labels,
        .selector = in->selector,
        .template_labels = in->template_meta.labels,
        .template_annotations = in->template_meta.annotations,
        .template_spec = STOW_NONE,
        .created = in->meta.created,
        .replicas = wanted_pods(in, kind),
        .priority = in->parts.priority,
        .template_flags = in->parts.flags,
        .ended = is_ended(in, kind),
        .idle = idle_of(in),
        .template_of = in->has_template ? 0 : in->template_of,
    };

    if (in->has_template) {
        STOW_TRY(add_claim_templates(c, in->r));
        in->parts.is_new = true;
        STOW_TRY(stow_default_pod_spec(c, &in->parts));
        STOW_TRY(stow_end_pod_spec(c, &in->parts, &made.template_spec));
        made.template_intake = in->parts.intake;
    }

    struct stow_workload *kept = STOW_PUSH(&s->workload, &s->workloads, &s->workload_cap);

    if (!kept || made.symbol == STOW_INTERN_FAILED || made.kind_name == STOW_INTERN_FAILED)
        return stow_cursor_fail_memory(c);
    *kept = made;
    return STOW_OK;
}

static int read_workload(struct stow_cursor *c, struct stow_reader *r, enum stow_workload_kind kind,
                         const char *name, const struct stow_field *fields, uint32_t count)
{
    struct workload_in in = {
        .r = r,
        .selector = STOW_SELECTOR_NULL,
        .replicas = 1,
        .parallelism = 1,
        .completions = kind == STOW_JOB || kind == STOW_CRON_JOB ? -1 : 0,
    };

    r->claim_templates.count = 0;
    STOW_TRY(stow_cursor_fields(c, fields, count, &in));
    in.meta.r = r;
    STOW_TRY(stow_check_name(c, &in.meta, name));
    if (kind == STOW_DAEMON_SET && in.has_template)
        STOW_TRY(stow_tolerate_like_daemons(c, &in.parts));
    return keep_workload(c, &in, kind, name);
}

#define READ(c, r, kind, name, fields) \
    read_workload((c), (r), (kind), (name), (fields), sizeof(fields) / sizeof((fields)[0]))

int stow_read_deployment(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_DEPLOYMENT, "Deployment", replicated_fields);
}

int stow_read_stateful_set(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_STATEFUL_SET, "StatefulSet", replicated_fields);
}

int stow_read_replica_set(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_REPLICA_SET, "ReplicaSet", replicated_fields);
}

int stow_read_daemon_set(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_DAEMON_SET, "DaemonSet", replicated_fields);
}

int stow_read_replication_controller(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_REPLICATION_CONTROLLER, "ReplicationController", controller_fields);
}

int stow_read_job(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_JOB, "Job", job_fields);
}

int stow_read_cron_job(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_CRON_JOB, "CronJob", cron_job_fields);
}

int stow_read_rollout(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_ROLLOUT, "Rollout", rollout_fields);
}

int stow_read_clone_set(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_OTHER_WORKLOAD, "CloneSet", replicated_fields);
}

int stow_read_deployment_config(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_OTHER_WORKLOAD, "DeploymentConfig", controller_fields);
}

/* ---- unknown kinds ---------------------------------------------------------------------- */

/* Whether spec.template is a pod's and spec.replicas says how many. */
struct look {
    bool replicas, containers;
};

static int look_for_replicas(struct stow_cursor *c, void *into)
{
    ((struct look *)into)->replicas = stow_cursor_peek(c) == STOW_TOKEN_NUMBER;
    return stow_cursor_skip(c);
}

static int look_for_containers(struct stow_cursor *c, void *into)
{
    ((struct look *)into)->containers = stow_cursor_peek(c) == STOW_TOKEN_ARRAY;
    return stow_cursor_skip(c);
}

/* The fields of an object; what is something else is passed over. */
static int look_into(struct stow_cursor *c, const struct stow_field *fields, uint32_t count,
                     void *into)
{
    return stow_cursor_peek(c) == STOW_TOKEN_OBJECT ? stow_cursor_fields(c, fields, count, into)
                                                    : stow_cursor_skip(c);
}

static const struct stow_field look_pod_fields[] = {STOW_FIELD("containers", look_for_containers)};

static int look_into_pod(struct stow_cursor *c, void *into)
{
    return look_into(c, look_pod_fields, 1, into);
}

static const struct stow_field look_template_fields[] = {STOW_FIELD("spec", look_into_pod)};

static int look_into_template(struct stow_cursor *c, void *into)
{
    return look_into(c, look_template_fields, 1, into);
}

static const struct stow_field look_spec_fields[] = {
    STOW_FIELD("replicas", look_for_replicas),
    STOW_FIELD("template", look_into_template),
};

static int look_into_spec(struct stow_cursor *c, void *into)
{
    return look_into(c, look_spec_fields, 2, into);
}

static const struct stow_field look_fields[] = {STOW_FIELD("spec", look_into_spec)};

int stow_skip_object(struct stow_cursor *c, bool *ret_workload)
{
    struct look look = {false, false};

    STOW_TRY(STOW_FIELDS(c, look_fields, &look));
    *ret_workload = look.replicas && look.containers;
    return STOW_OK;
}

int stow_read_other_workload(struct stow_cursor *c, struct stow_reader *r)
{
    return READ(c, r, STOW_OTHER_WORKLOAD, r->kind, other_fields);
}
