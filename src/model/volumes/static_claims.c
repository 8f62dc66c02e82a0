/* static_claims.c - claims whose volumes are not provisioned. */
#include "model/volumes/static_claims.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/pods/requests.h"
#include "model/values/match.h"
#include "model/volumes/volumes.h"

/* Above this many pairs of claims and volumes nothing is matched: all such claims are contested. */
#define PAIRS_MAX 4000000

bool stow_class_is_static(const struct stow_snapshot *s, const struct stow_storage_class *class)
{
    return class && stow_str_is(stow_text(s, class->driver), "kubernetes.io/no-provisioner");
}

/* ---- one claim and one volume ------------------------------------------------------------ */

static stow_i128 amount_of(const struct stow_snapshot *s, stow_blob amounts, stow_i128 otherwise)
{
    const stow_sym storage = stow_intern_find(&s->text, STOW_STR("storage"));
    stow_i128 found = otherwise;
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, amounts, struct stow_exact, &count);

    if (storage != STOW_INTERN_FAILED)
        stow_exact_find(list, count, storage, &found);
    return found;
}

/* A volume that does not state its size may have any. */
static bool is_large_enough(const struct stow_snapshot *s, const struct stow_claim *claim,
                            const struct stow_volume *volume)
{
    const stow_i128 wanted = amount_of(s, claim->request, 0);

    return amount_of(s, volume->capacity, wanted) >= wanted;
}

static bool is_free_for(const struct stow_claim *claim, const struct stow_volume *volume)
{
    if (!volume->claimed)
        return !volume->unavailable;
    return volume->claim_name == claim->name && volume->claim_namespace == claim->namespace;
}

bool stow_volume_suits(const struct stow_snapshot *s, const struct stow_claim *claim,
                       const struct stow_volume *volume)
{
    const struct stow_storage_class *class = stow_storage_class_of(s, claim->class);

    return class && volume->class == class->name && is_free_for(claim, volume) &&
           volume->block == claim->block && (claim->modes & ~volume->modes) == 0 &&
           is_large_enough(s, claim, volume) &&
           stow_selector_matches(s, claim->selector, volume->labels);
}

/* ---- all of them ------------------------------------------------------------------------- */

struct matching {
    struct stow_snapshot *s;
    uint32_t *claim; /* those that wait for a volume, in order of names */
    uint32_t claims;
    uint32_t *owner; /* per volume: place of its claim; STOW_NONE: free */
    uint32_t *got;   /* per place: its volume, or STOW_NONE */
    uint32_t *from;  /* per volume: the place that asks for it; STOW_NONE: not asked for */
    uint32_t *queue; /* of places */
};

static void matching_done(struct matching *m)
{
    free(m->claim);
    free(m->owner);
    free(m->got);
    free(m->from);
    free(m->queue);
}

static bool waits(const struct stow_snapshot *s, const struct stow_claim *claim)
{
    const struct stow_storage_class *class = stow_storage_class_of(s, claim->class);

    return !claim->volume && !claim->deleted && class && class->for_first &&
           stow_class_is_static(s, class);
}

static int prepare(struct matching *m)
{
    const struct stow_snapshot *s = m->s;

    m->claim = calloc((size_t)s->claims + 1, sizeof(*m->claim));
    m->got = calloc((size_t)s->claims + 1, sizeof(*m->got));
    m->queue = calloc((size_t)s->claims + 1, sizeof(*m->queue));
    m->owner = calloc((size_t)s->volumes + 1, sizeof(*m->owner));
    m->from = calloc((size_t)s->volumes + 1, sizeof(*m->from));
    if (!m->claim || !m->got || !m->queue || !m->owner || !m->from)
        return STOW_ENOMEM;
    memset(m->got, 0xff, ((size_t)s->claims + 1) * sizeof(*m->got));
    memset(m->owner, 0xff, ((size_t)s->volumes + 1) * sizeof(*m->owner));
    for (uint32_t i = 0; i < s->claims; i++)
        if (waits(s, &s->claim[i]))
            m->claim[m->claims++] = i;
    return STOW_OK;
}

static bool suits(const struct matching *m, uint32_t place, uint32_t volume)
{
    return stow_volume_suits(m->s, &m->s->claim[m->claim[place]], &m->s->volume[volume]);
}

/* Everyone on the way takes the volume that the next one has. */
static void take(struct matching *m, uint32_t volume)
{
    while (volume != STOW_NONE) {
        const uint32_t place = m->from[volume], had = m->got[place];

        m->owner[volume] = place;
        m->got[place] = volume;
        volume = had;
    }
}

/* Finds a volume for a claim, others giving up theirs for another one if need be. */
static void find_volume(struct matching *m, uint32_t place)
{
    uint32_t first = 0, count = 0;

    memset(m->from, 0xff, ((size_t)m->s->volumes + 1) * sizeof(*m->from));
    m->queue[count++] = place;
    while (first < count) {
        const uint32_t asks = m->queue[first++];

        for (uint32_t v = 0; v < m->s->volumes; v++) {
            if (m->from[v] != STOW_NONE || !suits(m, asks, v))
                continue;
            m->from[v] = asks;
            if (m->owner[v] == STOW_NONE) {
                take(m, v);
                return;
            }
            m->queue[count++] = m->owner[v];
        }
    }
}

/* `from` counts the claims that a volume suits. */
static void find_contested(struct matching *m)
{
    memset(m->from, 0, ((size_t)m->s->volumes + 1) * sizeof(*m->from));
    for (uint32_t i = 0; i < m->claims; i++)
        for (uint32_t v = 0; v < m->s->volumes; v++)
            m->from[v] += suits(m, i, v);
    for (uint32_t i = 0; i < m->claims; i++)
        for (uint32_t v = 0; v < m->s->volumes; v++)
            m->s->claim[m->claim[i]].contested |= m->from[v] > 1 && suits(m, i, v);
}

int stow_match_static_claims(struct stow_snapshot *s)
{
    STOW_AUTO(matching_done) struct matching m = {.s = s};

    if (!s->volumes || !s->claims)
        return STOW_OK;
    STOW_TRY(prepare(&m));
    if ((uint64_t)m.claims * s->volumes > PAIRS_MAX) {
        for (uint32_t i = 0; i < m.claims; i++)
            s->claim[m.claim[i]].contested = true;
        return STOW_OK;
    }
    for (uint32_t i = 0; i < m.claims; i++)
        find_volume(&m, i);
    for (uint32_t i = 0; i < m.claims; i++)
        s->claim[m.claim[i]].unserved = m.got[i] == STOW_NONE;
    find_contested(&m);
    return STOW_OK;
}
