/* mounts.c - volumes that count against the limit of their driver.
 *
 * What a volume is, as kube-scheduler's NodeVolumeLimits has it: the driver and the
 * handle of the PersistentVolume that a claim is bound to; for a claim that is not
 * bound yet, the provisioner of its class, and the claim stands for the volume that
 * it will get.  Disks that CSI has taken over count as volumes of their driver.
 * Claims, volumes and classes that are not given do not count. */
#include "model/volumes/mounts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/volumes/volumes.h"

/* What makes two volumes the same. */
struct mount_key {
    uint32_t driver;
    uint32_t claim;  /* number of the claim that is not bound + 1; 0: it is */
    stow_sym handle; /* of one that is */
};

static_assert(sizeof(struct mount_key) == 2 * sizeof(uint32_t) + sizeof(stow_sym),
              "compared as bytes");

void stow_mounts_free(struct stow_mounts *mounts)
{
    if (!mounts)
        return;
    stow_intern_done(&mounts->key);
    free(mounts->driver);
    free(mounts->mount);
    free(mounts->user);
    free(mounts->at);
    free(mounts);
}

/* ---- what a volume is -------------------------------------------------------------------- */

static uint32_t driver_number(const struct stow_mounts *m, stow_sym driver)
{
    for (uint32_t i = 0; i < m->drivers && driver; i++)
        if (m->driver[i] == driver)
            return i;
    return STOW_NONE;
}

static bool key_of_claim(const struct stow_snapshot *s, stow_sym namespace, stow_sym name,
                         struct mount_key *ret)
{
    const struct stow_claim *claim = stow_claim_find(s, namespace, stow_text(s, name));
    const struct stow_volume *volume =
        claim && claim->volume ? stow_volume_find(s, claim->volume) : NULL;

    *ret = (struct mount_key){.driver = STOW_NONE};
    if (volume) {
        ret->driver = driver_number(s->mounts, volume->driver);
        ret->handle = volume->handle;
    } else if (claim) {
        const struct stow_storage_class *class = stow_storage_class_of(s, claim->class);

        ret->driver = class ? driver_number(s->mounts, class->driver) : STOW_NONE;
        ret->claim = (uint32_t)(claim - s->claim) + 1;
    }
    return ret->driver != STOW_NONE;
}

static bool key_of_disk(const struct stow_snapshot *s, const struct stow_disk *disk,
                        struct mount_key *ret)
{
    *ret = (struct mount_key){driver_number(s->mounts, stow_disk_driver(disk->kind)), 0, disk->id};
    return ret->driver != STOW_NONE;
}

static uint32_t driver_of_own(const struct stow_snapshot *s, const struct stow_own_claim *own)
{
    const struct stow_storage_class *class = stow_storage_class_of(s, own->class);

    return class ? driver_number(s->mounts, class->driver) : STOW_NONE;
}

/* ---- walking ----------------------------------------------------------------------------- */

struct stow_mount_walk stow_mount_walk(const struct stow_snapshot *s, stow_sym namespace,
                                       const struct stow_pod_spec *spec)
{
    struct stow_mount_walk walk = {.s = s, .namespace = namespace};

    if (!s->mounts)
        return walk;
    walk.claim = STOW_LIST(s, spec->claims, stow_sym, &walk.claims);
    walk.disk = STOW_LIST(s, spec->disks, struct stow_disk, &walk.disks);
    walk.own = STOW_LIST(s, spec->own_claims, struct stow_own_claim, &walk.owns);
    return walk;
}

/* The key of the volume at a place of the walk, own ones left aside. */
static bool key_at(const struct stow_mount_walk *w, uint32_t at, struct mount_key *ret)
{
    return at < w->claims ? key_of_claim(w->s, w->namespace, w->claim[at], ret)
                          : key_of_disk(w->s, &w->disk[at - w->claims], ret);
}

static bool came_before(const struct stow_mount_walk *w, uint32_t at, const struct mount_key *key)
{
    struct mount_key other;

    for (uint32_t i = 0; i < at; i++)
        if (key_at(w, i, &other) && memcmp(&other, key, sizeof(other)) == 0)
            return true;
    return false;
}

static uint32_t mount_of(const struct stow_mounts *m, const struct mount_key *key)
{
    const uint32_t handle =
        stow_intern_find(&m->key, (struct stow_str){(const char *)key, sizeof(*key)});

    return handle == STOW_INTERN_FAILED ? STOW_NONE : handle - 1;
}

bool stow_mount_next(struct stow_mount_walk *walk, struct stow_mounted *ret)
{
    const uint32_t named = walk->claims + walk->disks;

    while (walk->at < named + walk->owns) {
        const uint32_t at = walk->at++;
        struct mount_key key;

        if (at >= named) {
            *ret = (struct stow_mounted){driver_of_own(walk->s, &walk->own[at - named]), STOW_NONE};
            if (ret->driver != STOW_NONE)
                return true;
        } else if (key_at(walk, at, &key) && !came_before(walk, at, &key)) {
            *ret = (struct stow_mounted){key.driver, mount_of(walk->s->mounts, &key)};
            return true;
        }
    }
    return false;
}

/* ---- limits ------------------------------------------------------------------------------ */

int32_t stow_volume_limit(const struct stow_snapshot *s, const struct stow_node *node,
                          uint32_t driver)
{
    uint32_t count;
    const struct stow_volume_limit *limit =
        STOW_LIST(s, node->volume_limits, struct stow_volume_limit, &count);

    for (uint32_t i = 0; i < count; i++)
        if (limit[i].driver == s->mounts->driver[driver])
            return limit[i].count;
    return -1;
}

static int add_drivers(struct stow_snapshot *s, stow_blob limits, uint32_t *cap)
{
    struct stow_mounts *m = s->mounts;
    uint32_t count;
    const struct stow_volume_limit *limit = STOW_LIST(s, limits, struct stow_volume_limit, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (driver_number(m, limit[i].driver) != STOW_NONE)
            continue;

        stow_sym *made = STOW_PUSH(&m->driver, &m->drivers, cap);

        if (!made)
            return STOW_ENOMEM;
        *made = limit[i].driver;
    }
    return STOW_OK;
}

static int by_name(const void *a, const void *b, void *snapshot)
{
    return stow_str_cmp(stow_text(snapshot, *(const stow_sym *)a),
                        stow_text(snapshot, *(const stow_sym *)b));
}

/* New nodes have the limits of some that are there. */
static int find_drivers(struct stow_snapshot *s)
{
    stow_blob last = 0;
    uint32_t cap = 0;

    for (stow_node_id i = 0; i < s->nodes; i++)
        if (s->node[i].volume_limits != last) {
            last = s->node[i].volume_limits;
            STOW_TRY(add_drivers(s, last, &cap));
        }
    if (s->mounts->drivers)
        qsort_r(s->mounts->driver, s->mounts->drivers, sizeof(stow_sym), by_name, s);
    return STOW_OK;
}

/* ---- who uses what ----------------------------------------------------------------------- */

/* A use of a mount: by a pod, or on a node. */
struct use {
    uint32_t mount;
    uint32_t by;
};

struct finding {
    struct stow_snapshot *s;
    struct use *use;
    uint32_t uses, use_cap;
    uint32_t mount_cap;
};

static void finding_done(struct finding *f)
{
    free(f->use);
}

static int note_use(struct finding *f, const struct mount_key *key, uint32_t by)
{
    struct stow_mounts *m = f->s->mounts;
    const uint32_t handle = stow_intern_blob(&m->key, key, sizeof(*key));
    struct use *use = STOW_PUSH(&f->use, &f->uses, &f->use_cap);

    if (handle == STOW_INTERN_FAILED || !use)
        return STOW_ENOMEM;
    *use = (struct use){handle - 1, by};
    if (handle <= m->mounts)
        return STOW_OK;

    struct stow_mount *made = STOW_PUSH(&m->mount, &m->mounts, &f->mount_cap);

    if (!made)
        return STOW_ENOMEM;
    made->driver = key->driver;
    return STOW_OK;
}

static int note_pod(struct finding *f, stow_pod_id pod)
{
    const struct stow_pod *p = &f->s->pod[pod];
    const struct stow_mount_walk walk =
        stow_mount_walk(f->s, p->namespace, stow_spec(f->s, p->spec));
    struct mount_key key;

    for (uint32_t i = 0; i < walk.claims + walk.disks; i++)
        if (key_at(&walk, i, &key) && !came_before(&walk, i, &key))
            STOW_TRY(note_use(f, &key, pod));
    return STOW_OK;
}

static int note_pods(struct finding *f)
{
    for (stow_pod_id i = 0; i < f->s->pods; i++)
        if (stow_pod_counts(&f->s->pod[i]))
            STOW_TRY(note_pod(f, i));
    return STOW_OK;
}

/* Uses become lists per mount, in the order in which they were noted. */
static int list_users(struct finding *f)
{
    struct stow_mounts *m = f->s->mounts;
    uint32_t first = 0;

    m->user = calloc(f->uses + 1, sizeof(*m->user));
    if (!m->user)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < f->uses; i++)
        m->mount[f->use[i].mount].users++;
    for (uint32_t i = 0; i < m->mounts; i++) {
        m->mount[i].first_user = first;
        first += m->mount[i].users;
        m->mount[i].users = 0;
    }
    for (uint32_t i = 0; i < f->uses; i++) {
        struct stow_mount *mount = &m->mount[f->use[i].mount];

        m->user[mount->first_user + mount->users++] = f->use[i].by;
    }
    f->uses = 0;
    return STOW_OK;
}

static bool used_there(const struct stow_snapshot *s, uint32_t mount, stow_sym node)
{
    const struct stow_mount *m = &s->mounts->mount[mount];

    for (uint32_t i = 0; i < m->users; i++)
        if (s->pod[s->mounts->user[m->first_user + i]].node_name == node)
            return true;
    return false;
}

/* An attachment that a pod on the node explains goes with the pod. */
static int note_attachment(struct finding *f, const struct stow_attachment *a)
{
    const struct stow_volume *volume = stow_volume_find(f->s, a->volume);
    const struct mount_key key = {driver_number(f->s->mounts, a->driver), 0,
                                  volume ? volume->handle : 0};
    const uint32_t mount = mount_of(f->s->mounts, &key);

    if (!volume || key.driver == STOW_NONE ||
        (mount != STOW_NONE && used_there(f->s, mount, a->node)))
        return STOW_OK;
    return note_use(f, &key, a->node);
}

static int note_attachments(struct finding *f)
{
    for (uint32_t i = 0; i < f->s->attachments; i++)
        STOW_TRY(note_attachment(f, &f->s->attachment[i]));
    return STOW_OK;
}

static bool is_at(const struct stow_mounts *m, const struct stow_mount *mount, stow_sym node)
{
    for (uint32_t i = 0; i < mount->ats; i++)
        if (m->at[mount->first_at + i] == node)
            return true;
    return false;
}

static int list_ats(struct finding *f)
{
    struct stow_mounts *m = f->s->mounts;
    uint32_t first = 0;

    m->at = calloc(f->uses + 1, sizeof(*m->at));
    if (!m->at)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < f->uses; i++)
        m->mount[f->use[i].mount].ats++;
    for (uint32_t i = 0; i < m->mounts; i++) {
        m->mount[i].first_at = first;
        first += m->mount[i].ats;
        m->mount[i].ats = 0;
    }
    for (uint32_t i = 0; i < f->uses; i++) {
        struct stow_mount *mount = &m->mount[f->use[i].mount];

        if (!is_at(m, mount, f->use[i].by)) /* attached twice is once */
            m->at[mount->first_at + mount->ats++] = f->use[i].by;
    }
    return STOW_OK;
}

static int find_uses(struct stow_snapshot *s)
{
    STOW_AUTO(finding_done) struct finding f = {.s = s};

    STOW_TRY(note_pods(&f));
    STOW_TRY(list_users(&f));
    STOW_TRY(note_attachments(&f));
    return list_ats(&f);
}

int stow_find_mounts(struct stow_snapshot *s)
{
    if (s->csi_nodes == 0)
        return STOW_OK;
    s->mounts = calloc(1, sizeof(*s->mounts));
    if (!s->mounts)
        return STOW_ENOMEM;
    STOW_TRY(find_drivers(s));
    if (s->mounts->drivers)
        return find_uses(s);
    stow_mounts_free(s->mounts);
    s->mounts = NULL;
    return STOW_OK;
}
