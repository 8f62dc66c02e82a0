/* binding.c - `-o resource-binding`: bindings as a scheduler of our own would write them.
 *
 * A binding whose schedulerName is not that of Karmada's scheduler, or whose scheduling is
 * suspended, belongs to whoever writes spec.clusters.  The document is the binding as it was given
 * with what two merge patches set: spec.clusters and the annotation with the placement they were
 * decided by, then the status.  A binding is never invented.
 *
 * The generation that the status names is the one after the first patch: one more than before when
 * spec.clusters changes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "explain/karmada/karmada_internal.h"

/* ---- metadata and spec ------------------------------------------------------------------- */

/* The object at a key, made when it is not there. */
static struct stow_value *open_object(struct stow_doc *doc, struct stow_value *in, const char *key)
{
    struct stow_value *there = (struct stow_value *)stow_value_find(in, key);

    if (there && there->kind == STOW_VALUE_OBJECT)
        return there;
    there = stow_doc_object(doc);
    stow_value_set(doc, in, key, there);
    return there;
}

static struct stow_value *clusters_value(struct stow_karmada_work *w,
                                         const struct stow_karmada_item *item)
{
    struct stow_value *list = stow_doc_array(w->doc);

    for (uint32_t i = 0; i < item->targets; i++) {
        struct stow_value *v = stow_doc_object(w->doc);

        stow_value_set(w->doc, v, "name",
                       stow_doc_str(w->doc, stow_text(w->s, item->target[i].cluster)));
        if (item->target[i].replicas)
            stow_value_set(w->doc, v, "replicas", stow_doc_int(w->doc, item->target[i].replicas));
        stow_value_push(w->doc, list, v);
    }
    return list;
}

/* The placement that was decided by, next to what was decided. */
static int set_applied(struct stow_karmada_work *w, struct stow_value *v, struct stow_err *err)
{
    const struct stow_value *placement = stow_karmada_get(stow_karmada_get(v, "spec"), "placement");
    struct stow_value *notes =
        open_object(w->doc, open_object(w->doc, v, "metadata"), "annotations");
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    if (!placement || placement->kind != STOW_VALUE_OBJECT)
        return STOW_OK;
    stow_karmada_compact(&text, placement);
    if (text.failed)
        return stow_fail_memory(err);
    stow_value_set(w->doc, notes, STOW_KARMADA_APPLIED_PLACEMENT,
                   stow_doc_str(w->doc, stow_buf_str(&text)));
    return STOW_OK;
}

/* The object without one of its keys: values are not taken out of trees. */
static struct stow_value *without(struct stow_doc *doc, const struct stow_value *object,
                                  const char *key)
{
    struct stow_value *made = stow_doc_object(doc);

    for (const struct stow_value_member *at = object->as.list.first; at; at = at->next)
        if (!stow_str_is(at->key, key))
            stow_value_set_str(doc, made, at->key, at->value);
    return made;
}

/* ---- status ------------------------------------------------------------------------------ */

static struct stow_value *time_value(struct stow_doc *doc, stow_time at)
{
    char text[32];

    return stow_doc_text(doc, stow_time_format(at, text));
}

static bool is_scheduled(const struct stow_value *condition)
{
    return stow_str_is(stow_karmada_get_text(condition, "type"), "Scheduled");
}

/* The time of the condition changes only with its status. */
static struct stow_value *condition_value(struct stow_karmada_work *w,
                                          const struct stow_karmada_item *item,
                                          const struct stow_value *before)
{
    const char *status = item->outcome == STOW_DIVIDE_SUCCESS ? "True" : "False";
    struct stow_value *v = stow_doc_object(w->doc);

    stow_value_set(w->doc, v, "lastTransitionTime", time_value(w->doc, w->options->now));
    if (stow_str_is(stow_karmada_get_text(before, "status"), status))
        stow_karmada_keep(w->doc, v, before, "lastTransitionTime");
    stow_value_set(w->doc, v, "message", stow_doc_text(w->doc, item->message));
    stow_value_set(w->doc, v, "reason",
                   stow_doc_text(w->doc, stow_divide_outcome_name(item->outcome)));
    stow_value_set(w->doc, v, "status", stow_doc_text(w->doc, status));
    stow_value_set(w->doc, v, "type", stow_doc_text(w->doc, "Scheduled"));
    return v;
}

/* All conditions, that of scheduling renewed in its place. */
static struct stow_value *conditions_value(struct stow_karmada_work *w,
                                           const struct stow_karmada_item *item,
                                           const struct stow_value *before)
{
    struct stow_value *list = stow_doc_array(w->doc);
    bool found = false;

    if (before && before->kind == STOW_VALUE_ARRAY)
        for (const struct stow_value_member *at = before->as.list.first; at; at = at->next) {
            const bool ours = is_scheduled(at->value);

            found |= ours;
            stow_value_push(w->doc, list, ours ? condition_value(w, item, at->value) : at->value);
        }
    if (!found)
        stow_value_push(w->doc, list, condition_value(w, item, NULL));
    return list;
}

static void set_status(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                       struct stow_value *v)
{
    const struct stow_binding *b = item->binding;
    struct stow_value *status = open_object(w->doc, v, "status");

    stow_value_set(w->doc, status, "conditions",
                   conditions_value(w, item, stow_karmada_get(status, "conditions")));
    if (item->outcome != STOW_DIVIDE_SUCCESS)
        return;
    stow_value_set(w->doc, status, "lastScheduledTime", time_value(w->doc, w->options->now));
    if (b->generation > 0)
        stow_value_set(w->doc, status, "schedulerObservedGeneration",
                       stow_doc_int(w->doc, b->generation + stow_karmada_changed(w->s, item)));
    if (item->observed_affinity)
        stow_value_set(w->doc, status, "schedulerObservingAffinityName",
                       stow_doc_str(w->doc, stow_text(w->s, item->observed_affinity)));
}

/* ---- the binding ------------------------------------------------------------------------- */

/* Of a failure that Karmada would try again only the condition tells, unless some replicas of many
 * workloads that were divided together found a place. */
static int fill(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                struct stow_value *v, struct stow_err *err)
{
    if (!item->decided)
        return STOW_OK;
    if (stow_karmada_changed(w->s, item))
        stow_value_set(w->doc, open_object(w->doc, v, "spec"), "clusters", clusters_value(w, item));
    if (item->outcome == STOW_DIVIDE_SUCCESS || item->outcome == STOW_DIVIDE_NO_CLUSTER_FIT)
        STOW_TRY(set_applied(w, v, err));
    set_status(w, item, v);
    return STOW_OK;
}

/* Who else decides about it. */
static int warn_of_scheduler(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                             struct stow_err *err)
{
    const struct stow_binding *b = item->binding;
    const struct stow_str name = stow_text(w->s, b->scheduler);

    if (b->flags & STOW_BINDING_SUSPENDED || (name.len && !stow_str_is(name, "default-scheduler")))
        return STOW_OK;
    return stow_karmada_warn(w, item, err,
                             "its schedulerName is default-scheduler: Karmada's own scheduler may "
                             "decide it again");
}

static int write_item(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                      struct stow_err *err)
{
    const struct stow_binding *b = item->binding;
    struct stow_value *v;

    if (!b->source.len)
        return stow_fail(err, STOW_EINVAL,
                         "-o resource-binding: %.*s/%.*s has no ResourceBinding among the objects",
                         STOW_FMT(stow_karmada_namespace(w->s, b)),
                         STOW_FMT(stow_text(w->s, b->object)));
    if (b->flags & STOW_BINDING_DELETED)
        return stow_karmada_leave_out(w, item, err, "its binding is being deleted");
    STOW_TRY(stow_karmada_parse(w->doc, b->source, &v, err));
    if (stow_karmada_get(stow_karmada_get(v, "metadata"), "managedFields"))
        stow_value_set(w->doc, v, "metadata",
                       without(w->doc, stow_karmada_get(v, "metadata"), "managedFields"));
    STOW_TRY(fill(w, item, v, err));
    STOW_TRY(stow_karmada_push(w, item, v, err));
    return warn_of_scheduler(w, item, err);
}

static int write(struct stow_karmada_work *w, struct stow_err *err)
{
    for (uint32_t i = 0; i < w->in->items; i++)
        STOW_TRY(write_item(w, &w->in->item[i], err));
    return STOW_OK;
}

/* ---- what Karmada would see -------------------------------------------------------------- */

static int check_targets(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                         const struct stow_snapshot *back, const struct stow_binding *b,
                         struct stow_err *err)
{
    uint32_t count;
    const struct stow_target *list = STOW_LIST(back, b->clusters, struct stow_target, &count);
    STOW_AUTO(stow_free_local)
    int64_t *replicas = calloc((size_t)back->text.entries + 1, sizeof(*replicas));

    if (!replicas)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        replicas[list[i].cluster] = 1 + (int64_t)list[i].replicas;
    for (uint32_t i = 0; i < item->targets; i++) {
        const struct stow_str cluster = stow_text(w->s, item->target[i].cluster);
        const stow_sym symbol = stow_intern_find(&back->text, cluster);

        if (symbol == STOW_INTERN_FAILED ||
            replicas[symbol] != 1 + (int64_t)item->target[i].replicas)
            return stow_fail(err, STOW_EWRONG, "cluster %.*s does not have its %" PRId32,
                             STOW_FMT(cluster), item->target[i].replicas);
    }
    return count == item->targets
               ? STOW_OK
               : stow_fail(err, STOW_EWRONG, "%" PRIu32 " clusters instead of %" PRIu32, count,
                           item->targets);
}

/* A scheduling that succeeded must not run again at once. */
static int check_settled(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                         const struct stow_binding *b, struct stow_err *err)
{
    if (!item->decided || item->outcome != STOW_DIVIDE_SUCCESS)
        return STOW_OK;
    if (b->placement && (b->applied != STOW_APPLIED_KNOWN || b->applied_placement != b->placement))
        return stow_fail(err, STOW_EWRONG, "the annotation is not its placement");
    if (b->last_scheduled != w->options->now)
        return stow_fail(err, STOW_EWRONG, "lastScheduledTime is not when it was decided");
    return STOW_OK;
}

static int64_t annotation_bytes(const struct stow_value *document)
{
    const struct stow_value *notes =
        stow_karmada_get(stow_karmada_get(document, "metadata"), "annotations");
    int64_t sum = 0;

    for (const struct stow_value_member *at = notes ? notes->as.list.first : NULL; at;
         at = at->next)
        sum += (int64_t)(at->key.len +
                         (at->value->kind == STOW_VALUE_TEXT ? at->value->as.text.len : 0));
    return sum;
}

static int check(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                 const struct stow_value *document, struct stow_err *err)
{
    const int64_t bytes = annotation_bytes(document);
    struct stow_snapshot *back = NULL;

    if (bytes > STOW_KARMADA_ANNOTATIONS_MAX)
        return stow_fail(err, STOW_EWRONG,
                         "annotations of %s take %" PRId64 " bytes; expected at most %d",
                         item->binding->name, bytes, STOW_KARMADA_ANNOTATIONS_MAX);

    int code = stow_karmada_read_back(document, &back, err);

    if (code >= 0 && back->bindings != 1)
        code = stow_fail(err, STOW_EWRONG, "%" PRIu32 " bindings read back; expected 1",
                         back->bindings);
    if (code >= 0)
        code = check_targets(w, item, back, &back->binding[0], err);
    if (code >= 0)
        code = check_settled(w, item, &back->binding[0], err);
    stow_snapshot_unref(back);
    return code;
}

const struct stow_karmada_writer stow_karmada_binding = {
    .name = "resource-binding",
    .write = write,
    .check = check,
};
