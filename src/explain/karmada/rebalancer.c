/* rebalancer.c - `-o workload-rebalancer`: what makes Karmada divide again.
 *
 * Prices and capacity alone move nothing in Karmada.  A WorkloadRebalancer asks it to divide the
 * workloads that it lists afresh, once: applying the same object again does nothing.  So its name
 * is derived from what was decided and from the state that it was decided for: the same decision
 * has the same name, however often it is printed, and the next one has another. */
#include <inttypes.h>
#include <stdlib.h>

#include "explain/karmada/karmada_internal.h"

/* ---- the name ---------------------------------------------------------------------------- */

static void hash_bytes(uint64_t *hash, struct stow_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        *hash = (*hash ^ (unsigned char)bytes.ptr[i]) * 0x100000001B3U;
}

/* The low bytes of a number, one by one, so that every machine gives the same name. */
static void hash_number(uint64_t *hash, int64_t number, size_t width)
{
    char bytes[sizeof(number)];

    for (size_t i = 0; i < width; i++)
        bytes[i] = (char)((uint64_t)number >> (8 * i));
    hash_bytes(hash, (struct stow_str){bytes, width});
}

/* With its length, so that two texts are not one. */
static void hash_text(uint64_t *hash, struct stow_str text)
{
    hash_number(hash, (int64_t)text.len, 8);
    hash_bytes(hash, text);
}

static void hash_targets(uint64_t *hash, const struct stow_snapshot *s,
                         const struct stow_target *target, uint32_t targets)
{
    hash_number(hash, targets, 4);
    for (uint32_t i = 0; i < targets; i++) {
        hash_text(hash, stow_text(s, target[i].cluster));
        hash_number(hash, target[i].replicas, 4);
    }
}

static void hash_item(uint64_t *hash, const struct stow_snapshot *s,
                      const struct stow_karmada_item *item)
{
    const struct stow_binding *b = item->binding;
    uint32_t count;
    const struct stow_target *before = STOW_LIST(s, b->clusters, struct stow_target, &count);

    hash_text(hash, stow_text(s, b->api_version));
    hash_text(hash, stow_text(s, b->kind));
    hash_text(hash, stow_karmada_namespace(s, b));
    hash_text(hash, stow_text(s, b->object));
    hash_targets(hash, s, before, count);
    hash_targets(hash, s, item->target, item->targets);
    hash_number(hash, b->generation, 8);
    hash_number(hash, b->last_scheduled, 8);
}

/* ---- the object -------------------------------------------------------------------------- */

static bool is_moved(const struct stow_snapshot *s, const struct stow_karmada_item *item)
{
    return item->decided && item->outcome == STOW_DIVIDE_SUCCESS &&
           !(item->binding->flags & STOW_BINDING_DELETED) && stow_karmada_changed(s, item);
}

static int write(struct stow_karmada_work *w, struct stow_err *err)
{
    struct stow_value *v = stow_doc_object(w->doc), *meta = stow_doc_object(w->doc);
    struct stow_value *spec = stow_doc_object(w->doc), *list = stow_doc_array(w->doc);
    uint64_t hash = 0xCBF29CE484222325U;

    for (uint32_t i = 0; i < w->in->items; i++) {
        const struct stow_karmada_item *item = &w->in->item[i];

        if (!is_moved(w->s, item))
            continue;
        hash_item(&hash, w->s, item);
        stow_value_push(w->doc, list, stow_karmada_reference(w, item->binding));
    }
    if (w->doc->failed)
        return stow_fail_memory(err);
    if (!list->members)
        return stow_karmada_warn(w, NULL, err,
                                 "no division changes: there is nothing to rebalance");
    stow_value_set(w->doc, meta, "name", stow_doc_textf(w->doc, "stowage-%016" PRIx64, hash));
    stow_value_set(w->doc, spec, "workloads", list);
    stow_value_set(w->doc, v, "apiVersion", stow_doc_text(w->doc, "apps.karmada.io/v1alpha1"));
    stow_value_set(w->doc, v, "kind", stow_doc_text(w->doc, "WorkloadRebalancer"));
    stow_value_set(w->doc, v, "metadata", meta);
    stow_value_set(w->doc, v, "spec", spec);
    return stow_karmada_push(w, NULL, v, err);
}

/* ---- what Karmada would see -------------------------------------------------------------- */

static int check_workload(const struct stow_value *workload, struct stow_intern *seen,
                          struct stow_err *err)
{
    static const char *const needed[] = {"apiVersion", "kind", "name"};
    STOW_AUTO(stow_buf_done) struct stow_buf key = {0};
    const uint32_t before = seen->entries;

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!stow_karmada_get_text(workload, needed[i]).len)
            return stow_fail(err, STOW_EWRONG, "a workload has no %s", needed[i]);
    stow_karmada_compact(&key, workload);
    if (key.failed || stow_intern_text(seen, stow_buf_str(&key)) == STOW_INTERN_FAILED)
        return stow_fail_memory(err);
    return seen->entries > before ? STOW_OK
                                  : stow_fail(err, STOW_EWRONG, "workload %.*s is listed twice",
                                              STOW_FMT(stow_karmada_get_text(workload, "name")));
}

static int check(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                 const struct stow_value *document, struct stow_err *err)
{
    const struct stow_value *list =
        stow_karmada_get(stow_karmada_get(document, "spec"), "workloads");
    STOW_AUTO(stow_intern_done) struct stow_intern seen = {0};

    (void)w;
    (void)item;
    for (const struct stow_value_member *at = list->as.list.first; at; at = at->next)
        STOW_TRY(check_workload(at->value, &seen, err));
    return STOW_OK;
}

const struct stow_karmada_writer stow_karmada_rebalancer = {
    .name = "workload-rebalancer",
    .may_be_empty = true,
    .write = write,
    .check = check,
};
