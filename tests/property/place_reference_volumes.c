/* place_reference_volumes.c - volumes: where they can be reached, how many a node takes, and who
 * may share them.  A volume is a text that says what it is; nodes have sets of them. */
#include <stdio.h>
#include <string.h>

#include "tests/property/place_reference.h"

#define VOLUMES_MAX 256

struct volumes {
    char text[VOLUMES_MAX][160]; /* "driver what" */
    uint32_t count;
};

/* ---- finding ----------------------------------------------------------------------------- */

static const struct stow_claim *claim_of(const struct ref_question *q, stow_sym namespace,
                                         stow_sym name)
{
    for (uint32_t i = 0; i < q->s->claims; i++)
        if (q->s->claim[i].name == name && q->s->claim[i].namespace == namespace)
            return &q->s->claim[i];
    return NULL;
}

static const struct stow_volume *volume_of(const struct ref_question *q, stow_sym name)
{
    for (uint32_t i = 0; i < q->s->volumes && name; i++)
        if (q->s->volume[i].name == name)
            return &q->s->volume[i];
    return NULL;
}

static const struct stow_storage_class *class_of(const struct ref_question *q, stow_sym name)
{
    for (uint32_t i = 0; i < q->s->storage_classes; i++) {
        const struct stow_storage_class *class = &q->s->storage_class[i];

        if (name && (name == STOW_NONE ? class->is_default : class->name == name))
            return class;
    }
    return NULL;
}

/* ---- where volumes can be reached -------------------------------------------------------- */

/* One of a set joined by "__". */
static bool among_zones(struct stow_str set, struct stow_str zone)
{
    char text[64];

    snprintf(text, sizeof(text), "%.*s", (int)set.len, set.ptr);
    for (char *at = text, *next; at; at = next) {
        next = strstr(at, "__");
        if (next) {
            *next = '\0';
            next += 2;
        }
        if (strlen(at) == zone.len && memcmp(at, zone.ptr, zone.len) == 0)
            return true;
    }
    return false;
}

static bool volume_reachable(const struct ref_question *q, const struct stow_volume *v,
                             stow_node_id node)
{
    static const stow_sym keys[] = {STOW_SYM_ZONE, STOW_SYM_REGION};
    const stow_blob labels = q->s->node[node].labels;
    bool zoned = false, terms_ok = v->node_required == STOW_SELECTOR_NULL;
    uint32_t count;
    const struct stow_node_term *t =
        STOW_LIST(q->s, v->node_required, struct stow_node_term, &count);

    for (uint32_t i = 0; i < count && !terms_ok; i++)
        terms_ok = ref_term_matches(q->s, &t[i], node);
    for (uint32_t i = 0; i < 2; i++)
        zoned |= ref_label(q->s, labels, keys[i]) != STOW_NONE;
    for (uint32_t i = 0; i < 2 && zoned && terms_ok; i++) {
        stow_sym wanted = ref_label(q->s, v->labels, keys[i]);
        stow_sym has = ref_label(q->s, labels, keys[i]);

        if (wanted != STOW_NONE &&
            (has == STOW_NONE || !among_zones(stow_text(q->s, wanted), stow_text(q->s, has))))
            return false;
    }
    return terms_ok;
}

/* A claim of a class that is bound at once, and is not. */
static bool is_unbound_immediate(const struct ref_question *q, const struct stow_claim *claim)
{
    const struct stow_storage_class *class = class_of(q, claim->class);

    if (claim->volume)
        return false;
    return class ? !class->for_first : claim->class == 0 && claim->waiting;
}

bool ref_volumes_missing(const struct ref_question *q)
{
    uint32_t count;
    const stow_sym *name = STOW_LIST(q->s, q->spec->claims, stow_sym, &count);

    for (uint32_t i = 0; i < count && q->s->claims; i++) {
        const struct stow_claim *claim = claim_of(q, q->pod->namespace, name[i]);

        if (!claim || claim->deleted || (claim->volume && !volume_of(q, claim->volume)))
            return true;
    }
    return false;
}

static bool any_term_matches(const struct ref_question *q, stow_blob terms, stow_node_id node)
{
    uint32_t count;
    const struct stow_node_term *t = STOW_LIST(q->s, terms, struct stow_node_term, &count);

    for (uint32_t i = 0; i < count; i++)
        if (ref_term_matches(q->s, &t[i], node))
            return true;
    return false;
}

/* Where a volume of the class can be made, or waits for a claim. */
static bool class_has_volumes(const struct ref_question *q, stow_sym name, bool free_ones,
                              uint32_t modes, stow_node_id node)
{
    const struct stow_storage_class *class = class_of(q, name);

    if (!class || !class->allowed || any_term_matches(q, class->allowed, node))
        return true;
    for (uint32_t i = 0; i < q->s->volumes && free_ones; i++) {
        const struct stow_volume *v = &q->s->volume[i];

        if (!v->claimed && v->class == class->name && (v->modes & modes) == modes &&
            (v->node_required == STOW_SELECTOR_NULL || any_term_matches(q, v->node_required, node)))
            return true;
    }
    return false;
}

bool ref_volumes_reachable(const struct ref_question *q, stow_node_id node)
{
    uint32_t count, owns;
    const stow_sym *name = STOW_LIST(q->s, q->spec->claims, stow_sym, &count);
    const struct stow_own_claim *own =
        STOW_LIST(q->s, q->spec->own_claims, struct stow_own_claim, &owns);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_claim *claim = claim_of(q, q->pod->namespace, name[i]);
        const struct stow_volume *volume = claim ? volume_of(q, claim->volume) : NULL;

        if (claim && is_unbound_immediate(q, claim))
            return false;
        if (volume && !volume_reachable(q, volume, node))
            return false;
        if (!claim || claim->volume)
            continue;
        if (claim->selected && claim->selected != q->s->node[node].symbol)
            return false;
        if (!class_has_volumes(q, claim->class, !claim->selected, claim->modes, node))
            return false;
    }
    for (uint32_t i = 0; i < owns; i++)
        if (!class_has_volumes(q, own[i].class, true, 0, node))
            return false;
    return true;
}

/* ---- how many ---------------------------------------------------------------------------- */

static bool has_volume(const struct volumes *set, const char *text)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (strcmp(set->text[i], text) == 0)
            return true;
    return false;
}

static void add_volume(const struct ref_question *q, struct volumes *set, stow_sym driver,
                       const char *what)
{
    char text[160];

    snprintf(text, sizeof(text), "%s %s", stow_text(q->s, driver).ptr, what);
    if (driver && !has_volume(set, text) && set->count < VOLUMES_MAX)
        memcpy(set->text[set->count++], text, sizeof(text));
}

static void add_claim(const struct ref_question *q, struct volumes *set,
                      const struct stow_claim *claim)
{
    const struct stow_volume *volume = volume_of(q, claim->volume);
    const struct stow_storage_class *class = class_of(q, claim->class);
    char what[128];

    snprintf(what, sizeof(what), "claim %s %s", stow_text(q->s, claim->namespace).ptr,
             stow_text(q->s, claim->name).ptr);
    if (volume)
        add_volume(q, set, volume->driver, stow_text(q->s, volume->handle).ptr);
    else if (class)
        add_volume(q, set, class->driver, what);
}

static void add_disks(const struct ref_question *q, struct volumes *set,
                      const struct stow_pod_spec *spec)
{
    static const char *const drivers[] = {
        [STOW_DISK_GCE] = "pd.csi.storage.gke.io", [STOW_DISK_EBS] = "ebs.csi.aws.com",
        [STOW_DISK_AZURE] = "disk.csi.azure.com",  [STOW_DISK_CINDER] = "cinder.csi.openstack.org",
        [STOW_DISK_PORTWORX] = "pxd.portworx.com",
    };
    uint32_t count;
    const struct stow_disk *disk = STOW_LIST(q->s, spec->disks, struct stow_disk, &count);

    for (uint32_t i = 0; i < count; i++)
        if (drivers[disk[i].kind]) {
            const stow_sym driver =
                stow_intern_find(&q->s->text, stow_str_of(drivers[disk[i].kind]));

            add_volume(q, set, driver, stow_text(q->s, disk[i].id).ptr);
        }
}

static void add_pod(const struct ref_question *q, struct volumes *set, stow_pod_id pod)
{
    const struct stow_pod *p = &q->s->pod[pod];
    const struct stow_pod_spec *spec = stow_spec(q->s, p->spec);
    uint32_t count, owns;
    const stow_sym *name = STOW_LIST(q->s, spec->claims, stow_sym, &count);
    const struct stow_own_claim *own =
        STOW_LIST(q->s, spec->own_claims, struct stow_own_claim, &owns);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_claim *claim = claim_of(q, p->namespace, name[i]);

        if (claim)
            add_claim(q, set, claim);
    }
    add_disks(q, set, spec);
    for (uint32_t i = 0; i < owns; i++) {
        const struct stow_storage_class *class = class_of(q, own[i].class);
        char what[64];

        snprintf(what, sizeof(what), "own %u %u", pod, i);
        if (class)
            add_volume(q, set, class->driver, what);
    }
}

/* Of all pods on the node, and what is attached to it. */
static void add_node(const struct ref_question *q, struct volumes *set, stow_node_id node)
{
    for (stow_pod_id i = 0; i < q->s->pods; i++)
        if (q->c->on[i] == node)
            add_pod(q, set, i);
    for (uint32_t i = 0; i < q->s->attachments; i++) {
        const struct stow_attachment *a = &q->s->attachment[i];
        const struct stow_volume *volume = volume_of(q, a->volume);

        if (a->node == q->s->node[node].symbol && volume)
            add_volume(q, set, a->driver, stow_text(q->s, volume->handle).ptr);
    }
}

/* What the CSINode of the node says; a node that is not there yet has the limits of its group. */
static stow_blob limits_of(const struct ref_question *q, stow_node_id node)
{
    for (uint32_t i = 0; i < q->s->csi_nodes; i++)
        if (q->s->csi_node[i].name == q->s->node[node].symbol)
            return q->s->csi_node[i].limits;
    return q->s->node[node].name[0] == '~' ? q->s->node[node].volume_limits : 0;
}

static uint32_t count_of(const struct volumes *set, const char *driver, const struct volumes *less)
{
    const size_t len = strlen(driver);
    uint32_t count = 0;

    for (uint32_t i = 0; i < set->count; i++)
        count += strncmp(set->text[i], driver, len) == 0 && set->text[i][len] == ' ' &&
                 !(less && has_volume(less, set->text[i]));
    return count;
}

bool ref_volumes_fit(const struct ref_question *q, stow_node_id node)
{
    static struct volumes there, own;
    uint32_t count;
    const struct stow_volume_limit *limit =
        STOW_LIST(q->s, limits_of(q, node), struct stow_volume_limit, &count);

    there.count = own.count = 0;
    add_node(q, &there, node);
    add_pod(q, &own, q->id);
    for (uint32_t i = 0; i < count; i++) {
        const char *driver = stow_text(q->s, limit[i].driver).ptr;
        const uint32_t more = count_of(&own, driver, &there);

        if (more && count_of(&there, driver, NULL) + more > (uint32_t)limit[i].count)
            return false;
    }
    return true;
}

/* ---- who may share them ------------------------------------------------------------------ */

static bool disks_clash(const struct ref_question *q, const struct stow_disk *a,
                        const struct stow_disk *b)
{
    const bool both_read = a->read_only && b->read_only;
    uint32_t n, m;
    const stow_sym *x = STOW_LIST(q->s, a->monitors, stow_sym, &n);
    const stow_sym *y = STOW_LIST(q->s, b->monitors, stow_sym, &m);

    if (a->kind != b->kind || a->id != b->id)
        return false;
    switch ((enum stow_disk_kind)a->kind) {
    case STOW_DISK_EBS:
        return true;
    case STOW_DISK_GCE:
    case STOW_DISK_ISCSI:
        return !both_read;
    case STOW_DISK_RBD:
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < m; j++)
                if (x[i] == y[j] && a->pool == b->pool && !both_read)
                    return true;
        return false;
    default:
        return false;
    }
}

static bool pods_clash(const struct ref_question *q, stow_pod_id other)
{
    uint32_t n, m;
    const struct stow_disk *x = STOW_LIST(q->s, q->spec->disks, struct stow_disk, &n);
    const struct stow_disk *y =
        STOW_LIST(q->s, stow_spec(q->s, q->s->pod[other].spec)->disks, struct stow_disk, &m);

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < m; j++)
            if (disks_clash(q, &x[i], &y[j]))
                return true;
    return false;
}

static bool uses_claim(const struct ref_question *q, stow_pod_id pod,
                       const struct stow_claim *claim)
{
    const struct stow_pod *p = &q->s->pod[pod];
    uint32_t count;
    const stow_sym *name = STOW_LIST(q->s, stow_spec(q->s, p->spec)->claims, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++)
        if (name[i] == claim->name && p->namespace == claim->namespace)
            return true;
    return false;
}

/* A claim for one pod that somebody has, be it on a node that is not given. */
static bool sole_claim_taken(const struct ref_question *q)
{
    for (uint32_t i = 0; i < q->s->claims; i++) {
        const struct stow_claim *claim = &q->s->claim[i];

        if (!(claim->modes & STOW_READ_WRITE_ONCE_POD) || !uses_claim(q, q->id, claim))
            continue;
        for (stow_pod_id p = 0; p < q->s->pods; p++) {
            const struct stow_pod *pod = &q->s->pod[p];
            const bool lost =
                pod->node == STOW_NONE && pod->node_name && stow_pod_counts(pod) && p != q->id;

            if ((q->c->on[p] != STOW_NONE || lost) && uses_claim(q, p, claim))
                return true;
        }
    }
    return false;
}

bool ref_volumes_shareable(const struct ref_question *q, stow_node_id node)
{
    for (stow_pod_id i = 0; i < q->s->pods; i++)
        if (q->c->on[i] == node && pods_clash(q, i))
            return false;
    return !sole_claim_taken(q);
}
