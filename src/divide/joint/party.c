/* party.c - workloads that are alike become one.
 *
 * A thousand workloads have perhaps twenty shapes.  Two workloads with the same requests and
 * the same options at the same prices are interchangeable, and their sum is as good as
 * both: whatever the sum is given can be handed out to them afterwards.  Replicas that
 * are in place already do not change that as long as a workload has no more of them than it
 * wants: a cluster's staying replicas are handed to those who have them there, and
 * none gets too many.  So the program is over parties, and small.
 *
 * Workloads with spread constraints are parties of their own, as are those with limits
 * above what they hold.  A minimum without a constraint is settled beforehand. */
#include <stdlib.h>
#include <string.h>

#include "divide/joint/joint_internal.h"

static int64_t smallest(int64_t a, int64_t b, int64_t c)
{
    int64_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* ---- one workload ------------------------------------------------------------------------ */

static const struct stow_joint_option *options_of(const struct stow_joint *j,
                                                  const struct stow_joint_workload *w)
{
    return j->p->option + w->option;
}

static uint32_t cluster_of(const struct stow_joint *j, const struct stow_joint_option *o)
{
    return j->p->site[o->site].cluster;
}

static const struct stow_joint_share *share_of(const struct stow_joint *j,
                                               const struct stow_joint_workload *w,
                                               uint32_t cluster)
{
    for (uint32_t i = 0; i < w->shares; i++)
        if (j->p->share[w->share + i].cluster == cluster)
            return &j->p->share[w->share + i];
    return NULL;
}

static bool is_spread(const struct stow_joint *j, const struct stow_joint_workload *w)
{
    return w->cluster_min > 1 || w->region_min > 1 || w->cluster_max < j->p->clusters ||
           w->region_max < j->p->regions;
}

static bool has_several_sites(const struct stow_joint *j, const struct stow_joint_workload *w)
{
    const struct stow_joint_option *o = options_of(j, w);

    for (uint32_t i = 1; i < w->options; i++)
        if (cluster_of(j, &o[i]) == cluster_of(j, &o[i - 1]))
            return true;
    return false;
}

/* What a site holds of a workload when no other workload is there. */
static int64_t fit_alone(const struct stow_joint *j, const int64_t *request, uint32_t number)
{
    const struct stow_joint_site *site = &j->p->site[number];
    int64_t most = INT64_MAX;

    for (uint32_t u = site->use; u < site->use + site->uses; u++) {
        int64_t want = request[j->p->use[u].resource], have = j->row_free[j->p->use[u].row];

        if (want > 0 && (have > 0 ? have / want : 0) < most)
            most = have > 0 ? have / want : 0;
    }
    return most;
}

/* Whether an option's own limit says more than the rows do. */
static bool is_limited(const struct stow_joint *j, const struct stow_joint_workload *w)
{
    for (uint32_t i = 0; i < w->options; i++) {
        const struct stow_joint_option *o = &options_of(j, w)[i];

        if (o->most < w->replicas && o->most < fit_alone(j, w->request, o->site))
            return true;
    }
    for (uint32_t i = 0; i < w->shares; i++)
        if (j->p->share[w->share + i].max < w->replicas)
            return true;
    return false;
}

/* How a workload goes into the program. */
struct role {
    uint32_t workload;
    bool pattern, alone;
    int64_t replicas; /* less what is fixed */
};

static void fix_minima(struct stow_joint *j, const struct stow_joint_workload *w, struct role *r)
{
    for (uint32_t i = 0; i < w->options; i++) {
        const struct stow_joint_option *o = &options_of(j, w)[i];
        const struct stow_joint_share *share = share_of(j, w, cluster_of(j, o));
        const struct stow_joint_site *site = &j->p->site[o->site];
        int64_t min = share ? share->min : 0;

        if (min <= 0)
            continue;
        min = smallest(min, o->most, share->max); /* a minimum that cannot be kept is not */
        min = smallest(min, fit_alone(j, w->request, o->site), r->replicas);
        j->fixed[w->option + i] = min;
        r->replicas -= min;
        for (uint32_t u = site->use; u < site->use + site->uses; u++)
            j->row_free[j->p->use[u].row] -= min * w->request[j->p->use[u].resource];
    }
}

/* Replicas in place that may stay on top of what is fixed. */
static int64_t may_stay(const struct stow_joint *j, const struct stow_joint_workload *w,
                        const struct stow_joint_share *share)
{
    int64_t fixed = 0;

    if (!share || j->p->disruption == 0)
        return 0;
    for (uint32_t i = 0; i < w->options; i++)
        if (cluster_of(j, &options_of(j, w)[i]) == share->cluster)
            fixed += j->fixed[w->option + i];
    return share->held > fixed ? share->held - fixed : 0;
}

static void find_role(struct stow_joint *j, uint32_t number, struct role *r)
{
    const struct stow_joint_workload *w = &j->p->workload[number];
    bool minima = false, maxima = false;
    int64_t held = 0;

    *r = (struct role){.workload = number, .replicas = w->replicas};
    for (uint32_t i = 0; i < w->shares; i++) {
        const struct stow_joint_share *share = &j->p->share[w->share + i];

        minima |= share->min > 0;
        maxima |= share->max < w->replicas;
        held += may_stay(j, w, share);
    }
    r->pattern =
        j->apart || is_spread(j, w) || (has_several_sites(j, w) && (minima || maxima || held > 0));
    if (!r->pattern)
        fix_minima(j, w, r);
    held = 0;
    for (uint32_t i = 0; i < w->shares; i++)
        held += may_stay(j, w, &j->p->share[w->share + i]);
    r->alone = r->pattern || held > r->replicas;
}

/* ---- who is alike ------------------------------------------------------------------------ */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_options(const struct stow_joint *j, const struct stow_joint_workload *x,
                           const struct stow_joint_workload *y)
{
    int order = compare_numbers(x->options, y->options);

    for (uint32_t i = 0; !order && i < x->options; i++) {
        const struct stow_joint_option *a = &options_of(j, x)[i], *b = &options_of(j, y)[i];

        order = compare_numbers(a->site, b->site);
        if (!order)
            order = compare_numbers(a->price, b->price);
    }
    return order;
}

static int compare_roles(const void *a, const void *b, void *context)
{
    const struct stow_joint *j = context;
    const struct role *x = a, *y = b;
    const struct stow_joint_workload *v = &j->p->workload[x->workload];
    const struct stow_joint_workload *w = &j->p->workload[y->workload];
    int order = compare_numbers(x->alone, y->alone);

    for (uint32_t r = 0; !order && r < j->p->resources; r++)
        order = compare_numbers(v->request[r], w->request[r]);
    if (!order)
        order = compare_options(j, v, w);
    return order ? order : compare_numbers(x->workload, y->workload);
}

static bool are_alike(const struct stow_joint *j, const struct role *x, const struct role *y)
{
    const struct stow_joint_workload *v = &j->p->workload[x->workload];
    const struct stow_joint_workload *w = &j->p->workload[y->workload];

    if (x->alone || y->alone)
        return false;
    for (uint32_t r = 0; r < j->p->resources; r++)
        if (v->request[r] != w->request[r])
            return false;
    return compare_options(j, v, w) == 0;
}

/* ---- parties ----------------------------------------------------------------------------- */

static void add_berth(struct stow_joint *j, struct stow_joint_party *party, uint32_t cluster)
{
    j->berth[j->berths++] =
        (struct stow_joint_choice){.cluster = cluster, .cell = j->cells, .most = INT64_MAX};
    party->berths++;
}

/* Cells and berths, from the options of the first member. */
static void add_cells(struct stow_joint *j, struct stow_joint_party *party)
{
    const struct stow_joint_workload *w = party->first;

    for (uint32_t i = 0; i < w->options; i++) {
        const struct stow_joint_option *o = &options_of(j, w)[i];
        uint32_t cluster = cluster_of(j, o);
        const struct stow_joint_share *share = share_of(j, w, cluster);
        int64_t most = party->members > 1 ? INT64_MAX : o->most;

        if (i == 0 || cluster != cluster_of(j, o - 1))
            add_berth(j, party, cluster);

        struct stow_joint_choice *berth = &j->berth[j->berths - 1];

        if (share && party->pattern) {
            berth->least = share->min;
            berth->most = share->max;
        } else if (share && party->members == 1) {
            most = smallest(most, share->max, INT64_MAX);
        }
        if (party->members == 1 && !party->pattern && most < INT64_MAX)
            most -= smallest(j->fixed[w->option + i], most, INT64_MAX);
        j->cell[j->cells++] = (struct stow_joint_cell){
            o->site, j->berths - 1,
            smallest(most, fit_alone(j, party->request, o->site), party->replicas), o->price};
        berth->cells++;
        party->cells++;
    }
}

static void add_held(struct stow_joint *j, const struct stow_joint_party *party, uint32_t workload)
{
    const struct stow_joint_workload *w = &j->p->workload[workload];

    for (uint32_t i = 0; i < party->berths; i++) {
        struct stow_joint_choice *berth = &j->berth[party->berth + i];

        berth->held += may_stay(j, w, share_of(j, w, berth->cluster));
    }
}

static void add_party(struct stow_joint *j, const struct role *role, uint32_t count,
                      uint32_t *members)
{
    struct stow_joint_party *party = &j->party[j->parties];
    const struct stow_joint_workload *w = &j->p->workload[role->workload];

    *party = (struct stow_joint_party){.member = *members,
                                       .members = count,
                                       .berth = j->berths,
                                       .cell = j->cells,
                                       .request = w->request,
                                       .first = w,
                                       .pattern = role->pattern};
    for (uint32_t i = 0; i < count; i++) {
        party->replicas += role[i].replicas;
        j->member[(*members)++] = role[i].workload;
        j->party_of[role[i].workload] = j->parties;
    }
    add_cells(j, party);
    for (uint32_t i = 0; i < count; i++)
        add_held(j, party, role[i].workload);
    j->parties++;
}

static void make_parties(struct stow_joint *j, struct role *role)
{
    uint32_t count = 0, members = 0;

    for (uint32_t i = 0; i < j->p->workloads; i++) {
        struct role made;

        find_role(j, i, &made);
        j->party_of[i] = STOW_JOINT_NONE;
        if (made.replicas > 0)
            role[count++] = made;
    }
    for (uint32_t i = 0; i < count; i++) /* after all that is fixed: rows are smaller now */
        role[i].alone |= is_limited(j, &j->p->workload[role[i].workload]);
    qsort_r(role, count, sizeof(*role), compare_roles, j);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && are_alike(j, &role[i], &role[end]);)
            end++;
        add_party(j, role + i, end - i, &members);
    }
}

/* What a replica without a place counts: much more than any place, and little enough to compute. */
static stow_nano price_of_none(const struct stow_joint_problem *p)
{
    stow_nano dearest = STOW_NANO_PER_UNIT / 1000;

    for (uint32_t i = 0; i < p->options; i++)
        if (p->option[i].price > dearest)
            dearest = p->option[i].price;
    if (p->disruption > dearest)
        dearest = p->disruption;
    return dearest > INT64_MAX / 4096 ? INT64_MAX / 64 : 64 * dearest;
}

int stow_joint_open(struct stow_joint *j, struct stow_err *err)
{
    const struct stow_joint_problem *p = j->p;
    struct role *role = stow_arena_alloc(j->arena, (p->workloads + 1) * sizeof(*role));

    j->party = stow_arena_alloc(j->arena, (p->workloads + 1) * sizeof(*j->party));
    j->berth = stow_arena_alloc(j->arena, (p->options + 1) * sizeof(*j->berth));
    j->cell = stow_arena_alloc(j->arena, (p->options + 1) * sizeof(*j->cell));
    j->member = stow_arena_alloc(j->arena, (p->workloads + 1) * sizeof(*j->member));
    j->party_of = stow_arena_alloc(j->arena, (p->workloads + 1) * sizeof(*j->party_of));
    j->fixed = stow_arena_zalloc(j->arena, (p->options + 1) * sizeof(*j->fixed));
    j->row_free = stow_arena_alloc(j->arena, (p->rows + 1) * sizeof(*j->row_free));
    j->room = stow_arena_alloc(j->arena, (p->options + 1) * sizeof(*j->room));
    if (!role || !j->room || !j->party || !j->berth || !j->cell || !j->member || !j->party_of ||
        !j->fixed || !j->row_free)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < p->rows; i++)
        j->row_free[i] = p->row[i].free;
    j->left_out = price_of_none(p);
    make_parties(j, role);
    return STOW_OK;
}

/* ---- handing out ------------------------------------------------------------------------- */

struct hands {
    struct stow_joint *j;
    const struct stow_joint_party *party;
    int64_t *cell; /* what is left to hand out, by cell of the party */
    int64_t *ret;  /* by option */
};

static void hand(const struct hands *h, uint32_t workload, uint32_t k, int64_t replicas,
                 int64_t *wants)
{
    h->ret[h->j->p->workload[workload].option + k] += replicas;
    h->cell[k] -= replicas;
    *wants -= replicas;
}

/* Replicas that stay go to those who have them there. */
static void hand_stays(const struct hands *h, uint32_t workload, int64_t *wants)
{
    const struct stow_joint *j = h->j;
    const struct stow_joint_workload *w = &j->p->workload[workload];

    for (uint32_t k = 0; k < h->party->cells; k++) {
        uint32_t cluster = j->p->site[j->cell[h->party->cell + k].site].cluster;
        int64_t stay = may_stay(j, w, share_of(j, w, cluster));

        hand(h, workload, k, smallest(stay, h->cell[k], *wants), wants);
    }
}

static int hand_out_party(struct stow_joint *j, const struct stow_joint_party *party,
                          const int64_t *plan, int64_t *ret, struct stow_err *err)
{
    int64_t *wants = stow_arena_alloc(&j->scratch, (party->members + 1) * sizeof(*wants));
    struct hands h = {j, party, stow_arena_alloc(&j->scratch, (party->cells + 1) * sizeof(*h.cell)),
                      ret};

    if (!wants || !h.cell)
        return stow_fail_memory(err);
    memcpy(h.cell, plan + party->cell, party->cells * sizeof(*h.cell));
    for (uint32_t i = 0; i < party->members; i++) {
        const struct stow_joint_workload *w = &j->p->workload[j->member[party->member + i]];

        wants[i] = w->replicas;
        for (uint32_t k = 0; k < w->options; k++)
            wants[i] -= j->fixed[w->option + k];
        if (party->members > 1)
            hand_stays(&h, j->member[party->member + i], &wants[i]);
    }
    for (uint32_t i = 0; i < party->members; i++)
        for (uint32_t k = 0; k < party->cells && wants[i] > 0; k++)
            hand(&h, j->member[party->member + i], k, h.cell[k] < wants[i] ? h.cell[k] : wants[i],
                 &wants[i]);
    return STOW_OK;
}

int stow_joint_hand_out(struct stow_joint *j, const int64_t *plan, int64_t *ret,
                        struct stow_err *err)
{
    memcpy(ret, j->fixed, j->p->options * sizeof(*ret));
    for (uint32_t i = 0; i < j->parties; i++) {
        stow_arena_reset(&j->scratch);
        STOW_TRY(hand_out_party(j, &j->party[i], plan, ret, err));
    }
    return STOW_OK;
}

/* ---- adding up --------------------------------------------------------------------------- */

static int64_t count_moved(const struct stow_joint_problem *p, const struct stow_joint_workload *w,
                           const int64_t *replicas)
{
    int64_t moved = 0;

    for (uint32_t i = 0; i < w->shares; i++) {
        const struct stow_joint_share *share = &p->share[w->share + i];
        int64_t here = 0;

        for (uint32_t k = w->option; k < w->option + w->options; k++)
            if (p->site[p->option[k].site].cluster == share->cluster)
                here += replicas[k];
        moved += share->held > here ? share->held - here : 0;
    }
    return moved;
}

void stow_joint_add_up(const struct stow_joint_problem *p, const int64_t *replicas,
                       struct stow_joint_cost *ret)
{
    *ret = (struct stow_joint_cost){0};
    for (uint32_t i = 0; i < p->workloads; i++) {
        const struct stow_joint_workload *w = &p->workload[i];

        ret->left_out += w->replicas;
        for (uint32_t k = w->option; k < w->option + w->options; k++) {
            ret->left_out -= replicas[k];
            ret->price += (stow_i128)p->option[k].price * replicas[k];
        }
        ret->moved += count_moved(p, w, replicas);
    }
    ret->total = ret->price + (stow_i128)ret->moved * p->disruption;
}
