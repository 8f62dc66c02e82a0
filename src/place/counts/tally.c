/* tally.c - running counts of pods per domain, for rules over several nodes.
 *
 * Problem: whether a pod may go to a zone depends on the pods in all zones.
 * kube-scheduler therefore walks over all pods at each decision; at 5,000 nodes
 * that is most of its time.
 *
 * Idea: count once, then keep counting.  A rule registers a question when it first
 * meets a class of pods (stow_tally_watch, stow_tally_sheets) and gets a counter:
 * an array over the domains of a topology.  Placing a pod adds to the counters that
 * follow its kind (its namespace and labels, which selectors look at) and its
 * bearer (its spec, whose terms look at others).  At a decision a rule reads as many
 * numbers as there are domains.
 *
 * Questions that are asked in the same words share a counter, so a thousand pods of
 * one workload cost one.
 *
 * Invariant, checked by property tests: a counter equals what counting from the
 * pods gives.  Placing allocates nothing and cannot fail; when a registration
 * fails half-way the tally stays `failed`, and every later question with it.
 *
 * Cost: a placement, the counters that follow the pod (as a rule one or two); a
 * registration, the kinds that share the label asked for and their pods.  Memory: 4
 * bytes per counter and domain.
 *
 * Threads: a tally belongs to its state, and like it to one thread. */
#include "place/counts/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/roll.h"
#include "place/state.h"

struct stow_tally *stow_tally_new(const struct stow_snapshot *s)
{
    struct stow_tally *t = calloc(1, sizeof(*t));

    if (t)
        t->domains.s = s;
    return t;
}

static void plans_done(struct stow_plans *plans)
{
    stow_intern_done(&plans->key);
    free(plans->plan);
}

void stow_tally_free(struct stow_tally *t)
{
    if (!t)
        return;
    stow_roll_free(t->roll);
    stow_domains_done(&t->domains);
    stow_intern_done(&t->labels);
    stow_intern_done(&t->options);
    stow_intern_done(&t->watch_key);
    free(t->watch);
    plans_done(&t->spread);
    plans_done(&t->affinity);
    stow_arena_done(&t->arena);
    free(t);
}

void **stow_plans_at(struct stow_plans *plans, const void *key, size_t len)
{
    uint32_t number = stow_intern_blob(&plans->key, key, len);

    if (number == STOW_INTERN_FAILED || stow_slots_reserve(&plans->plan, &plans->cap, number) < 0)
        return NULL;
    return &plans->plan[number];
}

bool stow_tally_has_terms(struct stow_tally *t)
{
    const struct stow_snapshot *s = t->domains.s;

    if (t->looked)
        return t->has_terms;
    for (stow_spec_id i = 1; i < stow_spec_end(s) && !t->has_terms; i++) {
        const struct stow_pod_spec *spec = stow_spec(s, i);

        t->has_terms = spec->affinity_required || spec->affinity_preferred || spec->anti_required ||
                       spec->anti_preferred;
    }
    t->looked = true;
    return t->has_terms;
}

/* ---- counters ---------------------------------------------------------------------------- */

/* A domain has a pod now. */
static void list_busy(struct stow_counter *counter, uint32_t domain)
{
    if (domain == 0 || counter->crowded)
        return;
    if (counter->busy_count == STOW_BUSY_MAX)
        counter->crowded = true;
    else
        counter->busy[counter->busy_count++] = domain;
}

static void count_pod(struct stow_counter *counter, uint32_t domain)
{
    if (counter->count[domain]++ == 0)
        list_busy(counter, domain);
}

/* A sum that comes back to 0 lists its domain again, which does no harm. */
static void add_weight(struct stow_counter *counter, uint32_t domain, int64_t weight)
{
    if (counter->sum[domain] == 0)
        list_busy(counter, domain);
    counter->sum[domain] += weight;
}

static void enter(struct stow_counter *counter, const struct stow_pod *pod, stow_node_id node,
                  int64_t weight)
{
    const uint32_t domain = counter->topology->of[node];

    if ((counter->counted && !counter->counted[node]) ||
        (counter->living && (pod->flags & STOW_POD_TERMINATING)))
        return;
    if (counter->sum)
        add_weight(counter, domain, weight);
    else
        count_pod(counter, domain);
    counter->entries += domain != 0;
}

void stow_tally_place(struct stow_tally *t, struct stow_state *state, stow_pod_id pod,
                      stow_node_id node)
{
    struct stow_roll *r = t->roll;

    if (!r || t->failed || !r->kind_of[pod])
        return;

    const struct stow_followers *of_kind = &r->kind[r->kind_of[pod]].followers;
    const struct stow_pod *object = &t->domains.s->pod[pod];

    stow_roll_link(r, pod);
    for (uint32_t i = 0; i < of_kind->count; i++)
        enter(of_kind->item[i].counter, object, node, of_kind->item[i].weight);
    state->epoch += of_kind->count > 0;
    if (!r->bearer_of[pod])
        return;

    const struct stow_followers *of_bearer = &r->bearer[r->bearer_of[pod]].followers;

    for (uint32_t i = 0; i < of_bearer->count; i++)
        enter(of_bearer->item[i].counter, object, node, of_bearer->item[i].weight);
}

static struct stow_counter *new_counter(struct stow_tally *t, const struct stow_topology *topology,
                                        bool weighted)
{
    const size_t domains = topology->domains;
    struct stow_counter *made = stow_arena_zalloc(&t->arena, sizeof(*made));

    if (!made)
        return NULL;
    made->topology = topology;
    if (weighted)
        made->sum = stow_arena_zalloc(&t->arena, domains * sizeof(*made->sum));
    else
        made->count = stow_arena_zalloc(&t->arena, domains * sizeof(*made->count));
    made->busy = stow_arena_alloc(&t->arena,
                                  (weighted || domains > STOW_BUSY_MAX ? STOW_BUSY_MAX : domains) *
                                      sizeof(*made->busy));
    return (made->sum || made->count) && made->busy ? made : NULL;
}

/* Lets a counter follow, and enters the pods that are there (a list through `next`). */
static int follow(const struct stow_tally *t, const struct stow_state *state,
                  struct stow_followers *followers, const struct stow_follower *follower,
                  stow_pod_id first, const stow_pod_id *next)
{
    struct stow_follower *made = STOW_PUSH(&followers->item, &followers->count, &followers->cap);

    if (!made)
        return STOW_ENOMEM;
    *made = *follower;
    for (stow_pod_id pod = first; pod != STOW_NONE; pod = next[pod])
        enter(follower->counter, &t->domains.s->pod[pod], state->node_of[pod], follower->weight);
    return STOW_OK;
}

/* ---- watches ----------------------------------------------------------------------------- */

struct watch {
    struct stow_tally *t;
    const struct stow_state *state;
    const struct stow_clause *clause;
    uint32_t clauses;
    struct stow_counter *counter;
};

static int watch_kind(const struct watch *w, uint32_t number)
{
    struct stow_kind *kind = &w->t->roll->kind[number];
    const struct stow_follower follower = {w->counter, 1};

    for (uint32_t i = 0; i < w->clauses; i++)
        if (!stow_clause_takes(w->t, &w->clause[i], kind->namespace, kind->labels))
            return STOW_OK;
    return follow(w->t, w->state, &kind->followers, &follower, kind->first, w->t->roll->next_kind);
}

static int watch_kinds(const struct watch *w)
{
    const struct stow_roll *r = w->t->roll;
    struct stow_label anchor;

    for (uint32_t i = 0; i < w->clauses; i++) {
        if (!stow_clause_anchor(w->t, &w->clause[i], &anchor))
            continue;

        uint32_t label = stow_roll_label(r, anchor);

        for (uint32_t at = label == STOW_NONE ? STOW_NONE : r->label[label].kinds; at != STOW_NONE;
             at = r->link[at].next)
            STOW_TRY(watch_kind(w, r->link[at].item));
        return STOW_OK;
    }
    for (uint32_t i = 1; i < r->kinds; i++)
        STOW_TRY(watch_kind(w, i));
    return STOW_OK;
}

/* The words of a question, so that the same one is asked once. */
static uint32_t watch_number(struct stow_tally *t, const struct stow_clause *clause, uint32_t count,
                             const uint32_t rest[3])
{
    size_t bytes = count * sizeof(*clause);
    char *key = malloc(bytes + 3 * sizeof(*rest));

    if (!key)
        return STOW_INTERN_FAILED;
    memcpy(key, clause, bytes);
    memcpy(key + bytes, rest, 3 * sizeof(*rest));

    uint32_t number = stow_intern_blob(&t->watch_key, key, bytes + 3 * sizeof(*rest));

    free(key);
    return number;
}

struct stow_counter *stow_tally_watch(struct stow_tally *t, const struct stow_state *state,
                                      const struct stow_clause *clause, uint32_t count,
                                      const struct stow_topology *topology,
                                      const struct stow_node_set *set, bool living)
{
    const uint32_t rest[] = {topology->number, set && set->has ? set->number : 0, living};

    if (stow_roll_take(t, state) < 0)
        return NULL;

    uint32_t number = watch_number(t, clause, count, rest);

    if (number == STOW_INTERN_FAILED || stow_slots_reserve(&t->watch, &t->watch_cap, number) < 0)
        return NULL;
    if (t->watch[number])
        return t->watch[number];

    struct watch w = {t, state, clause, count, new_counter(t, topology, false)};

    if (!w.counter)
        return NULL;
    w.counter->counted = set ? set->has : NULL;
    w.counter->living = living;
    if (watch_kinds(&w) < 0) {
        t->failed = true;
        return NULL;
    }
    return t->watch[number] = w.counter;
}

/* ---- sheets ------------------------------------------------------------------------------ */

static struct stow_count_sheet *sheet_of(struct stow_sheets *sheets,
                                         const struct stow_topology *topology)
{
    for (uint32_t i = 0; i < sheets->count; i++)
        if (sheets->sheet[i].topology == topology)
            return &sheets->sheet[i];

    struct stow_count_sheet *made = STOW_PUSH(&sheets->sheet, &sheets->count, &sheets->cap);

    if (made)
        made->topology = topology;
    return made;
}

static struct stow_counter *counter_of(struct stow_tally *t, struct stow_count_sheet *sheet,
                                       uint32_t role)
{
    struct stow_counter **counter = role == STOW_TERM_REPELS  ? &sheet->repelled
                                    : role == STOW_TERM_DRAWS ? &sheet->drawn
                                                              : &sheet->liked;

    if (!*counter)
        *counter = new_counter(t, sheet->topology, role == STOW_TERM_LIKES);
    return *counter;
}

/* All pods that have this term are followed by the sheets of a kind that the term takes. */
static int follow_carrier(struct stow_tally *t, const struct stow_state *state, uint32_t number,
                          struct stow_kind *kind)
{
    struct stow_roll *r = t->roll;
    const struct stow_carrier *carrier = &r->carrier[number];

    if (!stow_clause_takes(t, &carrier->clause, kind->namespace, kind->labels))
        return STOW_OK;
    for (uint32_t at = carrier->first_use; at != STOW_NONE; at = r->use[at].next) {
        const struct stow_use *use = &r->use[at];
        struct stow_bearer *bearer = &r->bearer[use->bearer];
        struct stow_count_sheet *sheet = sheet_of(kind->sheets, carrier->topology);
        struct stow_follower follower = {sheet ? counter_of(t, sheet, use->role) : NULL,
                                         use->weight};

        if (!follower.counter ||
            follow(t, state, &bearer->followers, &follower, bearer->first, r->next_bearer) < 0)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

/* The carriers that ask for one of the kind's labels, and those that ask for none. */
static int follow_carriers(struct stow_tally *t, const struct stow_state *state,
                           struct stow_kind *kind)
{
    const struct stow_roll *r = t->roll;
    uint32_t count;
    const struct stow_label *list =
        STOW_LIST(t->domains.s, kind->labels, struct stow_label, &count);

    for (uint32_t i = 0; i <= count; i++) {
        uint32_t label = i < count ? stow_roll_label(r, list[i]) : 0;

        if (label >= r->labels)
            continue;
        for (uint32_t at = r->label[label].carriers; at != STOW_NONE; at = r->link[at].next)
            STOW_TRY(follow_carrier(t, state, r->link[at].item, kind));
    }
    return STOW_OK;
}

const struct stow_sheets *stow_tally_sheets(struct stow_tally *t, const struct stow_state *state,
                                            stow_sym namespace, stow_blob labels)
{
    uint32_t number = stow_roll_take(t, state) < 0 ? 0 : stow_roll_kind(t, namespace, labels);

    if (!number)
        return NULL;

    struct stow_kind *kind = &t->roll->kind[number];

    if (kind->sheets)
        return kind->sheets;
    kind->sheets = stow_arena_zalloc(&t->arena, sizeof(*kind->sheets));
    if (!kind->sheets)
        return NULL;
    if (follow_carriers(t, state, kind) < 0) {
        t->failed = true;
        return NULL;
    }
    return kind->sheets;
}
