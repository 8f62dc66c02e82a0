/* plan.c - from what a session bought and put to the plan that is handed out. */
#include "scale/plan.h"
#include "place/filters/open_claim.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scale/names.h"
#include "scale/session.h"
#include "scale/unpriced.h"

void stow_plan_done(struct stow_plan *plan)
{
    stow_arena_done(&plan->arena);
    memset(plan, 0, sizeof(*plan));
}

struct finishing {
    struct stow_session *session;
    struct stow_plan *plan;
    const struct stow_yard *yard;
    uint8_t *is_put;     /* per pod */
    uint32_t *first;     /* per node of the yard, one more than there are: its pods in plan->pod */
    int64_t *all, *used; /* per resource, of one node */
    struct stow_taken_names names;
};

static void finishing_done(struct finishing *f)
{
    free(f->is_put);
    free(f->first);
    free(f->all);
    free(f->used);
    stow_names_done(&f->names);
}

/* ---- pods by node ------------------------------------------------------------------------ */

static int compare_ids(const void *a, const void *b)
{
    const stow_pod_id x = *(const stow_pod_id *)a, y = *(const stow_pod_id *)b;

    return (x > y) - (x < y);
}

static void put_pod(struct finishing *f, stow_pod_id pod, uint32_t node)
{
    assert(!f->is_put[pod] && node < f->yard->nodes); /* a plan places a pod once */
    f->plan->pod[f->first[node + 1]++] = pod;
    f->is_put[pod] = 1;
}

/* first[node + 1] starts as the place of the node's first pod and ends after its last. */
static void lay_out(struct finishing *f)
{
    const struct stow_ground *ground = f->session->ground;
    uint32_t at = 0;

    for (uint32_t i = 0; i < ground->placeds; i++)
        f->first[ground->placed_on[i] + 1]++;
    for (uint32_t i = 0; i < f->session->puts; i++)
        f->first[f->session->put[i].node + 1] += f->session->put[i].count;
    for (uint32_t node = 0; node < f->yard->nodes; node++) {
        const uint32_t count = f->first[node + 1];

        f->first[node + 1] = at;
        at += count;
    }
    f->plan->pods = f->plan->placed = at;
}

static int gather_pods(struct finishing *f)
{
    const struct stow_ground *ground = f->session->ground;
    const struct stow_session *session = f->session;

    f->first = calloc((size_t)f->yard->nodes + 2, sizeof(*f->first));
    f->is_put = calloc(f->yard->s->pods + 1, 1);
    if (!f->first || !f->is_put)
        return STOW_ENOMEM;
    lay_out(f);
    f->plan->pod = stow_arena_alloc(session->arena, (f->plan->pods + 1) * sizeof(*f->plan->pod));
    if (!f->plan->pod)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < ground->placeds; i++)
        put_pod(f, ground->placed[i], ground->placed_on[i]);
    for (uint32_t i = 0; i < session->puts; i++)
        for (uint32_t n = 0; n < session->put[i].count; n++)
            put_pod(f, session->put[i].pod[n], session->put[i].node);
    for (uint32_t node = 0; node < f->yard->nodes; node++)
        qsort(f->plan->pod + f->first[node], f->first[node + 1] - f->first[node],
              sizeof(*f->plan->pod), compare_ids);
    return STOW_OK;
}

static struct stow_pod_range pods_of(const struct finishing *f, uint32_t node)
{
    return (struct stow_pod_range){f->first[node], f->first[node + 1] - f->first[node]};
}

/* ---- nodes ------------------------------------------------------------------------------- */

static stow_nano waste_of(struct finishing *f, uint32_t node, stow_group_id group, stow_nano price)
{
    const struct stow_yard *yard = f->yard;
    const stow_node_id fresh = yard->group[group].fresh;
    const struct stow_room room = {f->all, f->used, 1};

    for (stow_resource_id r = 0; r < yard->s->resources; r++) {
        f->all[r] = stow_state_allocatable(yard->state, r, fresh);
        f->used[r] = stow_state_requested(yard->state, r, fresh);
    }
    for (uint32_t d = 1; d < yard->resource_dims; d++)
        f->used[yard->resource[d]] = f->all[yard->resource[d]] - yard->free[d][node];
    return stow_waste(yard->s, f->session->scale->rate, &room, price);
}

static int add_new_nodes(struct finishing *f)
{
    const struct stow_session *session = f->session;
    const struct stow_snapshot *s = session->scale->s;
    struct stow_plan *plan = f->plan;

    plan->nodes = f->yard->nodes - f->yard->real;
    plan->node = stow_arena_alloc(session->arena, (plan->nodes + 1) * sizeof(*plan->node));
    f->all = calloc(s->resources + 1, sizeof(*f->all));
    f->used = calloc(s->resources + 1, sizeof(*f->used));
    if (!plan->node || !f->all || !f->used)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const stow_group_id group = f->yard->group_of[i];
        const stow_nano price = session->scale->price[group].price;
        struct stow_plan_node *node = &plan->node[i];

        node->group = group;
        node->price = price;
        node->source = session->scale->price[group].from;
        node->waste = waste_of(f, f->yard->real + i, group, price);
        node->pods = pods_of(f, f->yard->real + i);
        node->name = stow_names_new(&f->names, group);
        if (!node->name)
            return STOW_ENOMEM;
        stow_guesses_add(&plan->guesses, session->scale->price[group].bill);
        stow_money_sum_add(&plan->cost, price);
        stow_money_sum_add(&plan->waste, node->waste);
    }
    return STOW_OK;
}

static int name_real(struct finishing *f)
{
    const struct stow_scale *scale = f->session->scale;
    const char **name = stow_arena_alloc(f->session->arena, (f->yard->real + 1) * sizeof(char *));

    if (!name)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < f->yard->real; i++)
        name[i] =
            i < scale->s->nodes ? scale->s->node[i].name : f->names.upcoming[i - scale->s->nodes];
    f->plan->real_name = name;
    return STOW_OK;
}

static int add_existing(struct finishing *f)
{
    struct stow_plan *plan = f->plan;

    STOW_TRY(name_real(f));
    plan->existing =
        stow_arena_alloc(f->session->arena, (f->yard->real + 1) * sizeof(*plan->existing));
    if (!plan->existing)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < f->yard->real; i++) {
        const struct stow_pod_range pods = pods_of(f, i);

        if (pods.count)
            plan->existing[plan->existings++] = (struct stow_plan_existing){
                plan->real_name[i], i >= f->session->scale->s->nodes, i, pods};
    }
    return STOW_OK;
}

static int add_groups(struct finishing *f)
{
    const struct stow_snapshot *s = f->session->scale->s;
    struct stow_plan *plan = f->plan;

    plan->group = stow_arena_alloc(f->session->arena, (s->groups + 1) * sizeof(*plan->group));
    if (!plan->group)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        if (f->session->size[g] != s->group[g].current_nodes)
            plan->group[plan->groups++] =
                (struct stow_plan_group){g, s->group[g].current_nodes, f->session->size[g]};
    return STOW_OK;
}

static int keep_rounds(struct finishing *f)
{
    if (!f->plan->rounds)
        return STOW_OK;
    f->plan->round = stow_arena_copy(f->session->arena, f->session->round,
                                     f->plan->rounds * sizeof(*f->plan->round));
    return f->plan->round ? STOW_OK : STOW_ENOMEM;
}

/* Whether pods are put that may be refused where they are once others have come. */
static bool order_matters(const struct stow_session *session)
{
    for (uint32_t i = 0; i < session->puts; i++) {
        const struct stow_yard *yard = session->yard;
        const struct stow_yard_class *class = &yard->class[yard->class_of[session->put[i].pod[0]]];

        if (class->spreads || class->attracts)
            return true;
    }
    return false;
}

static int add_order(struct finishing *f)
{
    const struct stow_session *session = f->session;
    stow_pod_id *pod;
    uint32_t at = 0;

    if (!session->in_order || !order_matters(session))
        return STOW_OK;
    pod = stow_arena_alloc(session->arena, (f->plan->pods + 1) * sizeof(*pod));
    if (!pod)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < session->puts; i++) {
        memcpy(pod + at, session->put[i].pod, session->put[i].count * sizeof(*pod));
        at += session->put[i].count;
    }
    f->plan->order = pod;
    return STOW_OK;
}

/* The warnings of all plans, and one of its own where prices that matter are missing. */
static int add_warnings(struct finishing *f)
{
    STOW_AUTO(stow_unpriced_done) struct stow_unpriced list = {0};
    const struct stow_scale *scale = f->session->scale;
    struct stow_plan *plan = f->plan;
    const char **all, *names;

    plan->warning = scale->warning;
    plan->warnings = scale->warnings;
    if (!plan->has_bound || !plan->unpriceds)
        return STOW_OK;
    stow_unpriced_add_groups(&list, scale->s, plan->unpriced, plan->unpriceds);
    names = stow_unpriced_text(&list, f->session->arena);
    all = stow_arena_alloc(f->session->arena, ((size_t)scale->warnings + 1) * sizeof(*all));
    if (!names || !all)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < scale->warnings; i++)
        all[i] = scale->warning[i];
    all[plan->warnings++] = stow_arena_printf(
        f->session->arena,
        plan->weight ? "a cheaper plan may exist: pending pods fit %s, and no price is known"
                     : "pods are left that fit %s: nothing is bought there, because no price is "
                       "known",
        names);
    plan->warning = all;
    return all[plan->warnings - 1] ? STOW_OK : STOW_ENOMEM;
}

static uint32_t count_open_claims(const struct finishing *f)
{
    const struct stow_snapshot *s = f->session->scale->s;
    uint32_t count = 0;

    for (stow_pod_id i = 0; i < s->pods; i++)
        count += f->is_put[i] && stow_pod_open_claim(s, &s->pod[i]).name != 0;
    return count;
}

int stow_session_finish(struct stow_session *session, bool one_round, struct stow_err *err)
{
    STOW_AUTO(finishing_done)
    struct finishing f = {.session = session, .plan = session->plan, .yard = session->yard};
    struct stow_scale *scale = session->scale;

    session->plan->s = scale->s;
    session->plan->currency = scale->bill.currency;
    if (session->failed || stow_session_use_committed(session) < 0 || gather_pods(&f) < 0 ||
        stow_names_open(&f.names, scale->s, session->arena) < 0 || add_new_nodes(&f) < 0 ||
        add_existing(&f) < 0 || add_groups(&f) < 0 || keep_rounds(&f) < 0 || add_order(&f) < 0 ||
        add_warnings(&f) < 0)
        return stow_fail_memory(err);
    session->plan->open_claims = count_open_claims(&f);
    if (!session->measured_only && !(session->deadline > 0 && stow_session_is_late(session)))
        STOW_TRY(stow_session_unplaced(session, f.is_put, one_round, err));
    if (session->plan->lacks_price && !session->plan->nodes)
        session->plan->cost.unknown = session->plan->waste.unknown = 1;
    return STOW_OK;
}
