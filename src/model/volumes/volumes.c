/* volumes.c - finding claims, volumes and storage classes, and getting pods' volumes ready.
 *
 * A pod may have claims of its own, made for it: ephemeral volumes, and the claim
 * templates of a StatefulSet.  Pods of one template are one spec, so their names
 * are not in it.  Where such a claim is given, the pod is unlike its siblings (its
 * volume may be elsewhere), and gets a spec of its own that names the claim;
 * where it is not, what counts is how many claims of which class a pod brings. */
#include "model/volumes/volumes.h"

#include <stdlib.h>

#include "base/vec.h"

/* ---- finding ----------------------------------------------------------------------------- */

struct wanted {
    const struct stow_snapshot *s;
    struct stow_str namespace, name;
};

static int compare_claim(const void *key, const void *item)
{
    const struct wanted *w = key;
    const struct stow_claim *claim = item;
    int order = stow_str_cmp(w->namespace, stow_text(w->s, claim->namespace));

    return order ? order : stow_str_cmp(w->name, stow_text(w->s, claim->name));
}

static int compare_volume(const void *key, const void *item)
{
    const struct wanted *w = key;

    return stow_str_cmp(w->name, stow_text(w->s, ((const struct stow_volume *)item)->name));
}

/* A snapshot has all lists sorted by name. */
const struct stow_claim *stow_claim_find(const struct stow_snapshot *s, stow_sym namespace,
                                         struct stow_str name)
{
    struct wanted w = {s, stow_text(s, namespace), name};

    return s->claims ? bsearch(&w, s->claim, s->claims, sizeof(*s->claim), compare_claim) : NULL;
}

const struct stow_volume *stow_volume_find(const struct stow_snapshot *s, stow_sym name)
{
    struct wanted w = {.s = s, .name = stow_text(s, name)};

    return s->volumes ? bsearch(&w, s->volume, s->volumes, sizeof(*s->volume), compare_volume)
                      : NULL;
}

/* Of several the newest, and of those the first by name. */
static const struct stow_storage_class *default_class(const struct stow_snapshot *s)
{
    const struct stow_storage_class *best = NULL;

    for (uint32_t i = 0; i < s->storage_classes; i++) {
        const struct stow_storage_class *class = &s->storage_class[i];

        if (class->is_default && (!best || class->created > best->created))
            best = class;
    }
    return best;
}

int stow_warn_of_defaults(struct stow_snapshot *s)
{
    const struct stow_storage_class *used = default_class(s);

    for (uint32_t i = 0; i < s->storage_classes; i++)
        if (s->storage_class[i].is_default && &s->storage_class[i] != used)
            return stow_snapshot_warn(
                s, "StorageClasses %s and %s are both the default: %s, the newest, is used",
                stow_text(s, s->storage_class[i].name).ptr, stow_text(s, used->name).ptr,
                stow_text(s, used->name).ptr);
    return STOW_OK;
}

const struct stow_storage_class *stow_storage_class_of(const struct stow_snapshot *s,
                                                       stow_sym class)
{
    if (class == STOW_NONE)
        return default_class(s);
    for (uint32_t i = 0; i < s->storage_classes && class; i++)
        if (s->storage_class[i].name == class)
            return &s->storage_class[i];
    return NULL;
}

const struct stow_volume *stow_claim_volume(const struct stow_snapshot *s, stow_sym namespace,
                                            stow_sym claim)
{
    const struct stow_claim *found = stow_claim_find(s, namespace, stow_text(s, claim));

    return found && found->volume ? stow_volume_find(s, found->volume) : NULL;
}

/* ---- drivers ----------------------------------------------------------------------------- */

stow_sym stow_disk_driver(enum stow_disk_kind kind)
{
    switch (kind) {
    case STOW_DISK_EBS:
        return STOW_SYM_DRIVER_EBS;
    case STOW_DISK_GCE:
        return STOW_SYM_DRIVER_GCE;
    case STOW_DISK_AZURE:
        return STOW_SYM_DRIVER_AZURE;
    case STOW_DISK_CINDER:
        return STOW_SYM_DRIVER_CINDER;
    case STOW_DISK_PORTWORX:
        return STOW_SYM_DRIVER_PORTWORX;
    case STOW_DISK_ISCSI:
    case STOW_DISK_RBD:
        break;
    }
    return 0;
}

stow_sym stow_provisioner_driver(struct stow_str provisioner)
{
    static const struct {
        const char *name;
        stow_sym driver;
    } taken_over[] = {
        {"kubernetes.io/aws-ebs", STOW_SYM_DRIVER_EBS},
        {"kubernetes.io/gce-pd", STOW_SYM_DRIVER_GCE},
        {"kubernetes.io/azure-disk", STOW_SYM_DRIVER_AZURE},
        {"kubernetes.io/cinder", STOW_SYM_DRIVER_CINDER},
        {"kubernetes.io/portworx-volume", STOW_SYM_DRIVER_PORTWORX},
    };

    for (size_t i = 0; i < sizeof(taken_over) / sizeof(taken_over[0]); i++)
        if (stow_str_is(provisioner, taken_over[i].name))
            return taken_over[i].driver;
    return 0;
}

/* ---- limits ------------------------------------------------------------------------------ */

void stow_assign_volume_limits(struct stow_snapshot *s)
{
    for (uint32_t i = 0; i < s->csi_nodes; i++) {
        const stow_node_id node = stow_node_find(s, stow_text(s, s->csi_node[i].name));

        if (node != STOW_NONE)
            s->node[node].volume_limits = s->csi_node[i].limits;
    }
}

/* ---- own claims -------------------------------------------------------------------------- */

struct naming {
    struct stow_snapshot *s;
    struct stow_buf name;
    struct stow_collect claims, own; /* what the pod's spec comes to */
};

static void naming_done(struct naming *n)
{
    stow_buf_done(&n->name);
    free(n->claims.items);
    free(n->own.items);
}

static int keep_claim(struct naming *n, stow_sym name)
{
    stow_sym *kept = STOW_COLLECT(&n->claims, stow_sym);

    if (!kept)
        return STOW_ENOMEM;
    *kept = name;
    return STOW_OK;
}

static int sort_out(struct naming *n, const struct stow_pod *pod, const struct stow_own_claim *own)
{
    const struct stow_str volume = stow_text(n->s, own->volume), name = stow_str_of(pod->name);
    const bool behind = own->form == STOW_OWN_TEMPLATE;

    n->name.len = 0;
    stow_buf_add(&n->name, behind ? volume : name);
    stow_buf_char(&n->name, '-');
    stow_buf_add(&n->name, behind ? name : volume);
    if (n->name.failed)
        return STOW_ENOMEM;

    const struct stow_claim *given = stow_claim_find(n->s, pod->namespace, stow_buf_str(&n->name));

    if (given)
        return keep_claim(n, given->name);

    struct stow_own_claim *kept = STOW_COLLECT(&n->own, struct stow_own_claim);

    if (!kept)
        return STOW_ENOMEM;
    *kept = *own;
    return STOW_OK;
}

/* The pod's spec with the claims that are given among the named ones. */
static int make_spec(struct naming *n, struct stow_pod *pod)
{
    struct stow_snapshot *s = n->s;
    struct stow_pod_spec spec = *stow_spec(s, pod->spec);

    spec.claims = stow_intern_blob(&s->blob, n->claims.items, n->claims.count * sizeof(stow_sym));
    spec.own_claims =
        stow_intern_blob(&s->blob, n->own.items, n->own.count * sizeof(struct stow_own_claim));
    if (spec.claims == STOW_INTERN_FAILED || spec.own_claims == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    pod->spec = stow_intern_blob(&s->spec, &spec, sizeof(spec));
    return pod->spec == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int name_claims(struct naming *n, struct stow_pod *pod)
{
    const struct stow_pod_spec *spec = stow_spec(n->s, pod->spec);
    uint32_t claims, owns;
    const stow_sym *claim = STOW_LIST(n->s, spec->claims, stow_sym, &claims);
    const struct stow_own_claim *own =
        STOW_LIST(n->s, spec->own_claims, struct stow_own_claim, &owns);

    n->claims.count = n->own.count = 0;
    for (uint32_t i = 0; i < claims; i++)
        STOW_TRY(keep_claim(n, claim[i]));
    for (uint32_t i = 0; i < owns; i++)
        STOW_TRY(sort_out(n, pod, &own[i]));
    return n->own.count < owns ? make_spec(n, pod) : STOW_OK;
}

int stow_name_own_claims(struct stow_snapshot *s)
{
    STOW_AUTO(naming_done) struct naming n = {.s = s};

    for (stow_pod_id i = 0; i < s->pods && s->claims; i++)
        if (stow_spec(s, s->pod[i].spec)->own_claims)
            STOW_TRY(name_claims(&n, &s->pod[i]));
    return STOW_OK;
}
