/* scale_reference.c - what is there, which pods wait, what each group would need to take them. */
#include "tests/property/scale_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

/* ---- worlds ------------------------------------------------------------------------------ */

void sref_copy(struct sref_world *to, const struct sref_world *from)
{
    memcpy(to, from, sizeof(*to));
    to->view.node = to->node;
    to->c.s = &to->view;
}

/* The labels of a model with another host name. */
static stow_blob labels_with(struct stow_snapshot *s, stow_blob labels, stow_sym host)
{
    struct stow_label list[16];
    uint32_t count;
    const struct stow_label *had = STOW_LIST(s, labels, struct stow_label, &count);

    if (count > 16)
        abort();
    for (uint32_t i = 0; i < count; i++)
        list[i] =
            (struct stow_label){had[i].key, had[i].key == STOW_SYM_HOSTNAME ? host : had[i].value};
    return stow_intern_blob(&s->blob, list, count * sizeof(*list));
}

bool sref_add_node(struct sref *r, struct sref_world *w, uint32_t group, const char *name)
{
    const uint32_t at = w->view.nodes;
    const int64_t *daemons = r->input->group[group].daemons;
    static const char *const names[] = {"cpu", "memory", "nvidia.com/gpu"};

    if (at == REF_NODES) {
        r->too_large = true;
        return false;
    }
    w->node[at] = r->model[group];
    w->node[at].symbol = stow_intern_text(&r->s->text, stow_str_of(name));
    w->node[at].name = stow_text(r->s, w->node[at].symbol).ptr;
    w->node[at].labels = labels_with(r->s, r->model[group].labels, w->node[at].symbol);
    w->view.text = r->world.view.text = r->bare.view.text = r->s->text;
    w->view.blob = r->world.view.blob = r->bare.view.blob = r->s->blob;
    w->group[at] = group;
    w->view.nodes++;
    ref_measure_node(&w->c, at);
    for (uint32_t i = 0; i < 3; i++) {
        const int number = ref_resource(&w->c, names[i]);

        w->c.used[at][number < 0 ? 0 : number] += number < 0 ? 0 : daemons[i];
        if (i < 2)
            w->c.used_nonzero[at][i] = daemons[i];
    }
    w->c.pods_on[at] = daemons[3];
    return true;
}

bool sref_fits(const struct sref *r, const struct sref_world *w, stow_pod_id pod, uint32_t node)
{
    return ref_dropped_by(&w->c, &r->profile, pod, node) == -1;
}

/* ---- what is there ----------------------------------------------------------------------- */

/* New nodes take as many volumes as those of the group that say so, if all of them agree. */
static void limit_volumes(struct sref *r)
{
    const struct sref_world *w = &r->world;

    for (uint32_t g = 0; g < r->input->groups; g++) {
        stow_blob limits = 0;
        bool agree = true;

        for (uint32_t i = 0; i < w->view.nodes; i++)
            for (uint32_t k = 0; k < r->s->csi_nodes; k++) {
                const struct stow_csi_node *csi = &r->s->csi_node[k];

                if (w->group[i] != g || csi->name != w->node[i].symbol || !csi->limits)
                    continue;
                agree &= !limits || limits == csi->limits;
                limits = csi->limits;
            }
        r->model[g].volume_limits = agree ? limits : 0;
    }
}

static bool add_given(struct sref *r)
{
    struct sref_world *w = &r->world;

    w->view = *r->s;
    w->view.node = w->node;
    w->view.nodes = 0;
    for (stow_node_id i = 0; i < r->s->nodes; i++) {
        const struct stow_node *node = &r->s->node[i];

        if (node->name[0] == '~') {
            r->model[node->name[2] - '0'] = *node;
            continue;
        }
        w->group[w->view.nodes] = SCALE_NONE;
        w->node[w->view.nodes++] = *node;
    }
    r->given = w->view.nodes;
    for (uint32_t i = 0; i < w->view.nodes; i++)
        for (uint32_t g = 0; g < r->input->groups; g++) {
            const stow_sym pool = ref_label_named(r->s, w->node[i].labels, "pool");
            const char text[] = {'p', (char)('0' + g), '\0'};

            if (r->input->group[g].selects && pool != STOW_NONE && ref_is(r->s, pool, text))
                w->group[i] = g;
        }
    limit_volumes(r);
    return ref_open(&w->c, &w->view, NULL);
}

static bool add_upcoming(struct sref *r)
{
    for (uint32_t g = 0; g < r->input->groups; g++)
        for (uint32_t i = r->input->group[g].given; i < r->input->group[g].current; i++) {
            char name[24];

            snprintf(name, sizeof(name), "~%s-%u", r->input->group[g].name,
                     i - r->input->group[g].given);
            if (!sref_add_node(r, &r->world, g, name))
                return false;
        }
    return true;
}

/* ---- the baseline ------------------------------------------------------------------------ */

static bool comes_first(const struct stow_snapshot *s, stow_pod_id a, stow_pod_id b)
{
    const struct stow_pod *x = &s->pod[a], *y = &s->pod[b];

    if (x->priority != y->priority)
        return x->priority > y->priority;
    return x->created != y->created ? x->created < y->created : a < b;
}

bool sref_waits(const struct sref *r, stow_pod_id pod)
{
    const struct stow_pod *p = &r->s->pod[pod];

    return p->node_name == 0 && p->phase != STOW_PHASE_SUCCEEDED && p->phase != STOW_PHASE_FAILED &&
           !(p->flags & (STOW_POD_GATED | STOW_POD_TERMINATING));
}

/* Pods by priority, each to the node that it fills most. */
static void place_what_fits(struct sref *r)
{
    struct ref_answer *answer = malloc(sizeof(*answer));
    struct ref_profile packing = r->profile;
    bool asked[REF_PODS] = {false};

    if (!answer)
        abort();
    packing.scorer[REF_S_MOST] = true;
    packing.weight[REF_S_MOST] = 1;
    packing.tie[0] = REF_TIE_NAME;
    packing.ties = 1;
    for (uint32_t n = 0; n < r->s->pods; n++) {
        stow_pod_id next = STOW_NONE;

        for (stow_pod_id i = 0; i < r->s->pods; i++)
            if (!asked[i] && sref_waits(r, i) && (next == STOW_NONE || comes_first(r->s, i, next)))
                next = i;
        if (next == STOW_NONE)
            break;
        asked[next] = true;
        ref_decide(&r->world.c, &packing, next, answer);
        if (answer->best != STOW_NONE)
            ref_place(&r->world.c, next, answer->best);
    }
    free(answer);
}

/* ---- equivalence groups ------------------------------------------------------------------ */

static const struct stow_owner *controller_of(const struct sref *r, stow_pod_id pod)
{
    uint32_t count;
    const struct stow_owner *owner =
        STOW_LIST(r->s, r->s->pod[pod].owner, struct stow_owner, &count);

    return count && !ref_is(r->s, owner->kind, "DaemonSet") ? owner : NULL;
}

static bool same_controller(const struct sref *r, stow_pod_id a, stow_pod_id b)
{
    const struct stow_owner *x = controller_of(r, a), *y = controller_of(r, b);

    if (!x || !y || x->uid != y->uid)
        return false;
    return !ref_is(r->s, x->uid, "") || (x->kind == y->kind && x->name == y->name &&
                                         r->s->pod[a].namespace == r->s->pod[b].namespace);
}

static bool alike(const struct sref *r, stow_pod_id a, stow_pod_id b)
{
    const struct stow_pod *x = &r->s->pod[a], *y = &r->s->pod[b];

    return same_controller(r, a, b) && x->labels == y->labels && x->spec == y->spec &&
           x->priority == y->priority;
}

/* The run that a pod joins, or SCALE_NONE: of each controller the first ten kinds are remembered.
 */
static uint32_t run_of(const struct sref *r, stow_pod_id pod)
{
    uint32_t kinds = 0;

    for (uint32_t i = 0; i < r->runs; i++) {
        const stow_pod_id first = r->pending[r->run[i].pod[0]];

        if (!same_controller(r, first, pod))
            continue;
        if (kinds++ == 10)
            break;
        if (alike(r, first, pod))
            return i;
    }
    return SCALE_NONE;
}

static void make_runs(struct sref *r)
{
    for (stow_pod_id i = 0; i < r->s->pods; i++)
        if (sref_waits(r, i) && r->world.c.on[i] == STOW_NONE)
            r->pending[r->pendings++] = i;
    for (uint32_t i = 0; i < r->pendings; i++) {
        uint32_t at = run_of(r, r->pending[i]);

        if (at == SCALE_NONE)
            at = r->runs++;
        r->run[at].pod[r->run[at].pods++] = i;
    }
}

/* ---- which group can help which pods ----------------------------------------------------- */

static void ask_groups(struct sref *r)
{
    struct sref_world *w = malloc(sizeof(*w));

    if (!w)
        abort();
    for (uint32_t g = 0; g < r->input->groups; g++) {
        sref_copy(w, &r->world);
        if (!sref_add_node(r, w, g, "~fresh"))
            break;
        for (uint32_t i = 0; i < r->runs; i++)
            r->can[g][i] = sref_fits(r, w, r->pending[r->run[i].pod[0]], w->view.nodes - 1);
    }
    free(w);
}

/* ---- the estimate ------------------------------------------------------------------------ */

struct estimate {
    struct sref *r;
    struct sref_world w;
    uint32_t group;
    uint32_t first;         /* new nodes from here on */
    int64_t limit;          /* of nodes; 0: none, < 0: not a single one */
    uint32_t added;         /* nodes that the limiter allowed */
    bool refused;           /* it said no */
    uint32_t cursor;        /* who took a pod in step a last; SCALE_NONE: nobody yet */
    uint32_t on[REF_NODES]; /* pods of this estimate */
};

static double share(const struct estimate *e, const struct sref_run *run)
{
    const stow_pod_id pod = e->r->pending[run->pod[0]];
    struct sref_world *w = &e->r->world;
    double sum = 0;

    for (uint32_t i = 0; i < 2; i++) {
        stow_i128 nano = 0;

        ref_amount(e->r->s, e->r->model[e->group].allocatable, w->c.resource[i], &nano);

        const int64_t all = ref_units(w->c.resource[i], nano);

        if (all > 0)
            sum += (double)w->c.need[pod][i] / (double)all;
    }
    return sum;
}

/* Runs by their share, largest first, in their own order where it is the same. */
static void order_runs(const struct estimate *e, uint32_t *order)
{
    for (uint32_t i = 0; i < e->r->runs; i++) {
        uint32_t at = i;

        for (; at > 0 && share(e, &e->r->run[order[at - 1]]) < share(e, &e->r->run[i]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void put(struct estimate *e, stow_pod_id pod, uint32_t node)
{
    ref_place(&e->w.c, pod, node);
    e->on[node]++;
}

/* Step a: a node that this estimate has made. */
static bool put_on_made(struct estimate *e, stow_pod_id pod)
{
    const uint32_t made = e->w.view.nodes - e->first;
    const uint32_t start = e->cursor == SCALE_NONE ? made - 1 : e->cursor + 1;

    for (uint32_t i = 0; i < made; i++) {
        const uint32_t at = (start + i) % made;

        if (!sref_fits(e->r, &e->w, pod, e->first + at))
            continue;
        put(e, pod, e->first + at);
        e->cursor = at;
        return true;
    }
    return false;
}

static bool has_host_spread(const struct sref *r, stow_pod_id pod)
{
    uint32_t count;
    const struct stow_spread *list =
        STOW_LIST(r->s, stow_spec(r->s, r->s->pod[pod].spec)->spread, struct stow_spread, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].topology_key == STOW_SYM_HOSTNAME)
            return true;
    return false;
}

/* The last node, or, where only spreading keeps the pod off it, any other: new ones first. */
static bool put_on_last(struct estimate *e, stow_pod_id pod)
{
    const uint32_t last = e->w.view.nodes - 1;
    int why;

    if (e->w.view.nodes == e->first)
        return false;
    why = ref_dropped_by(&e->w.c, &e->r->profile, pod, last);
    if (why == -1) {
        put(e, pod, last);
        return true;
    }
    if (why != REF_SPREAD || !has_host_spread(e->r, pod))
        return false;
    for (uint32_t i = 0; i < last; i++) {
        const uint32_t at = (e->first + i) % last;

        if (sref_fits(e->r, &e->w, pod, at)) {
            put(e, pod, at);
            return true;
        }
    }
    return false;
}

static bool allowed(struct estimate *e)
{
    if (e->limit < 0 || (e->limit > 0 && e->added >= e->limit)) {
        e->refused = true;
        return false;
    }
    e->added++;
    return true;
}

/* Step b for one pod; false: the run is at its end. */
static bool put_on_new(struct estimate *e, stow_pod_id pod)
{
    char name[24];

    if (put_on_last(e, pod))
        return true;
    if (e->w.view.nodes > e->first && e->on[e->w.view.nodes - 1] == 0)
        return false;
    snprintf(name, sizeof(name), "~new-%u", e->added);
    if (!allowed(e) || !sref_add_node(e->r, &e->w, e->group, name) ||
        !sref_fits(e->r, &e->w, pod, e->w.view.nodes - 1))
        return false;
    put(e, pod, e->w.view.nodes - 1);
    return true;
}

static uint32_t pack_run(struct estimate *e, const struct sref_run *run)
{
    uint32_t taken = 0;

    while (taken < run->pods && put_on_made(e, e->r->pending[run->pod[taken]]))
        taken++;
    while (taken < run->pods && !e->refused && put_on_new(e, e->r->pending[run->pod[taken]]))
        taken++;
    return taken;
}

/* Requests, and the price of pods added up one by one: 1.5 of the reference. */
static void describe(const struct sref *r, stow_pod_id pod, struct sref_option *o)
{
    const struct ref_cluster *c = &r->world.c;
    const int disk = ref_resource(c, "ephemeral-storage"), gpu = ref_resource(c, "nvidia.com/gpu");
    const double gib = 1024.0 * 1024 * 1024;
    double price = (double)c->need[pod][0] / 1000.0 * 0.033174;

    price += (double)c->need[pod][1] / gib * 0.004446;
    price += (double)(disk < 0 ? 0 : c->need[pod][disk]) / gib * (0.100 / 720);
    price += (double)(gpu < 0 ? 0 : c->need[pod][gpu] * 1000) / 1000.0 * 0.70;
    o->pod_cost += price;
    o->cpu += c->need[pod][0];
    o->memory += c->need[pod][1];
}

static void estimate(struct sref *r, uint32_t group, int64_t limit, struct sref_option *ret)
{
    struct estimate *e = calloc(1, sizeof(*e));
    uint32_t order[REF_PODS] = {0};

    if (!e)
        abort();
    *ret = (struct sref_option){.group = group};
    e->r = r;
    e->group = group;
    e->limit = limit;
    e->cursor = SCALE_NONE;
    sref_copy(&e->w, &r->world);
    e->first = e->w.view.nodes;
    order_runs(e, order);
    for (uint32_t i = 0; i < r->runs && !r->too_large; i++) {
        const struct sref_run *run = &r->run[order[i]];

        if (!r->can[group][order[i]])
            continue;
        ret->taken[order[i]] = pack_run(e, run);
        ret->pods += ret->taken[order[i]];
        for (uint32_t n = 0; n < ret->taken[order[i]]; n++)
            describe(r, r->pending[run->pod[n]], ret);
    }
    for (uint32_t i = r->input->strict ? 0 : e->first; i < e->w.view.nodes; i++)
        ret->nodes += e->on[i] > 0; /* upstream's slip: old nodes that took a pod are counted */
    free(e);
}

/* ---- options ----------------------------------------------------------------------------- */

static int64_t min_limit(int64_t a, int64_t b)
{
    if (a < 0 || b < 0)
        return -1;
    return a == 0 || (b > 0 && b < a) ? b : a;
}

static int64_t limit_of(const struct sref *r, uint32_t group)
{
    uint32_t similar[SCALE_GROUPS], count = sref_similar(r, group, similar);
    int64_t room = 0, limit = r->input->per_scaleup, there = r->world.view.nodes;
    bool bounded = true;

    for (uint32_t i = 0; i < count; i++) {
        const struct scale_group *g = &r->input->group[similar[i]];

        bounded &= g->max != SCALE_NONE;
        room += g->max > g->current ? (int64_t)g->max - g->current : 0;
    }
    if (bounded)
        limit = min_limit(limit, room ? room : -1);
    if (r->input->max_nodes_total) {
        const int64_t left = (int64_t)r->input->max_nodes_total - there;

        limit = min_limit(limit, left > 0 ? left : -1);
    }
    return limit;
}

static void make_options(struct sref *r)
{
    for (uint32_t g = 0; g < r->input->groups; g++) {
        struct sref_option *o = &r->option[r->options];
        const struct scale_group *group = &r->input->group[g];

        if (!sref_may_grow(r, g))
            continue;
        estimate(r, g, limit_of(r, g), o);
        if (!o->pods || !o->nodes || (r->input->all_or_nothing && o->pods < r->pendings))
            continue;
        if (group->at_once)
            o->nodes = r->input->strict ? group->max : group->max - group->current;
        r->options++;
    }
}

/* ------------------------------------------------------------------------------------------ */

bool sref_open(struct sref *r, const struct scale_case *input)
{
    memset(r, 0, sizeof(*r));
    r->input = input;
    r->s = scale_random_load_models(input);
    if (!r->s)
        return false;
    for (int i = REF_NODE_UNSCHEDULABLE; i <= REF_DEVICES; i++)
        r->profile.filter[i] = true;
    if (r->s->pods > REF_PODS || r->s->nodes > REF_NODES || !add_given(r) || !add_upcoming(r)) {
        r->too_large = true;
        return true;
    }
    memcpy(r->left, input->extra, sizeof(r->left));
    sref_copy(&r->bare, &r->world);
    place_what_fits(r);
    make_runs(r);
    ask_groups(r);
    make_options(r);
    return true;
}

void sref_done(struct sref *r)
{
    stow_snapshot_unref(r->s);
}
