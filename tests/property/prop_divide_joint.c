/* prop_divide_joint.c - the joint division, against trying everything, one by one and its bound.
 *
 * A few workloads on a few clusters with two resources, previous places, limits, spread
 * constraints, sites that share a row; so few replicas that every division can be
 * tried. */
#include <string.h>

#include "divide/joint/joint.h"
#include "tests/property/property.h"

#define WORKLOADS 4
#define CLUSTERS  4
#define SITES     (2 * CLUSTERS)
#define OPTIONS   (WORKLOADS * SITES)
#define ROWS      (2 * SITES)

struct made {
    struct stow_joint_workload workload[WORKLOADS];
    struct stow_joint_option option[OPTIONS];
    struct stow_joint_share share[WORKLOADS * CLUSTERS];
    struct stow_joint_site site[SITES];
    struct stow_joint_use use[2 * SITES];
    struct stow_joint_row row[ROWS];
    uint32_t region[CLUSTERS];
    int64_t request[WORKLOADS][2];
    struct stow_joint_problem p;
};

/* ---- random problems --------------------------------------------------------------------- */

static void make_sites(struct made *m, struct chance *c, uint32_t room)
{
    for (uint32_t i = 0; i < m->p.clusters; i++) {
        uint32_t sites = chance_one_in(c, 5) ? 2 : 1, shared = m->p.rows;

        m->region[i] = chance_below(c, m->p.regions);
        m->row[m->p.rows++] = (struct stow_joint_row){1 + chance_below(c, room), i, 1};
        for (uint32_t k = 0; k < sites; k++) {
            uint32_t n = m->p.sites++, first = 2 * n;

            m->row[m->p.rows] = (struct stow_joint_row){1 + chance_below(c, room), i, 0};
            m->use[first] = (struct stow_joint_use){m->p.rows++, 0};
            m->use[first + 1] = (struct stow_joint_use){shared, 1};
            m->site[n] = (struct stow_joint_site){i, first, 2};
        }
    }
}

static void make_shares(struct made *m, struct chance *c, struct stow_joint_workload *w)
{
    int64_t min = 0;

    w->share = w == m->workload ? 0 : w[-1].share + w[-1].shares;
    for (uint32_t i = 0; i < m->p.clusters; i++) {
        struct stow_joint_share *s = &m->share[w->share + w->shares];

        if (!chance_one_in(c, 3))
            continue;
        *s = (struct stow_joint_share){i, chance_below(c, 3), 0, INT64_MAX};
        if (chance_one_in(c, 6))
            s->max = chance_below(c, 3);
        if (chance_one_in(c, 8) && s->max > 0 && min < w->replicas) {
            s->min = 1;
            min++;
        }
        w->shares++;
    }
}

static void make_workload(struct made *m, struct chance *c, uint32_t i)
{
    struct stow_joint_workload *w = &m->workload[i];
    bool like = i > 0 && chance_one_in(c, 3);

    m->request[i][0] = like ? m->request[i - 1][0] : chance_below(c, 4);
    m->request[i][1] = like ? m->request[i - 1][1] : 1 + chance_below(c, 2);
    *w = (struct stow_joint_workload){.replicas = 1 + chance_below(c, 4),
                                      .request = m->request[i],
                                      .option = m->p.options,
                                      .cluster_max = STOW_JOINT_NO_MAX,
                                      .region_max = STOW_JOINT_NO_MAX};
    if (chance_one_in(c, 4)) {
        w->cluster_min = chance_below(c, 3);
        w->cluster_max = w->cluster_min + chance_below(c, 2);
    }
    if (chance_one_in(c, 6))
        w->region_min = chance_below(c, 3);
    for (uint32_t k = 0; k < m->p.sites; k++)
        if (like || !chance_one_in(c, 5))
            m->option[m->p.options++] =
                (struct stow_joint_option){k, chance_one_in(c, 8) ? chance_below(c, 3) : INT64_MAX,
                                           like ? 5 + k : 1 + chance_below(c, 12)};
    w->options = m->p.options - w->option;
    if (chance_one_in(c, 2))
        make_shares(m, c, w);
    else
        w->share = i ? w[-1].share + w[-1].shares : 0;
}

static void make(struct made *m, struct chance *c)
{
    memset(m, 0, sizeof(*m));
    m->p = (struct stow_joint_problem){.workload = m->workload,
                                       .option = m->option,
                                       .share = m->share,
                                       .site = m->site,
                                       .use = m->use,
                                       .row = m->row,
                                       .region = m->region,
                                       .workloads = 1 + chance_below(c, WORKLOADS - 1),
                                       .clusters = 1 + chance_below(c, CLUSTERS - 1),
                                       .regions = 1 + chance_below(c, 2),
                                       .resources = 2,
                                       .disruption = chance_one_in(c, 2) ? chance_below(c, 6) : 0};
    make_sites(m, c, 4 + chance_below(c, 12));
    for (uint32_t i = 0; i < m->p.workloads; i++)
        make_workload(m, c, i);
}

/* ---- the rules, plainly ------------------------------------------------------------------ */

static int64_t on_cluster(const struct made *m, const struct stow_joint_workload *w,
                          const int64_t *replicas, uint32_t cluster)
{
    int64_t sum = 0;

    for (uint32_t k = w->option; k < w->option + w->options; k++)
        if (m->site[m->option[k].site].cluster == cluster)
            sum += replicas[k];
    return sum;
}

/* Whether the division of one workload keeps its own rules. */
static bool is_allowed(const struct made *m, const struct stow_joint_workload *w,
                       const int64_t *replicas)
{
    uint32_t clusters = 0, regions = 0, seen = 0;
    int64_t sum = 0;

    for (uint32_t i = 0; i < m->p.clusters; i++) {
        int64_t here = on_cluster(m, w, replicas, i);

        sum += here;
        clusters += here > 0;
        regions += here > 0 && !(seen >> m->region[i] & 1);
        seen |= here > 0 ? 1u << m->region[i] : 0;
    }
    for (uint32_t i = w->share; i < w->share + w->shares; i++) {
        int64_t here = on_cluster(m, w, replicas, m->share[i].cluster);

        if (here < m->share[i].min || here > m->share[i].max)
            return false;
    }
    for (uint32_t k = w->option; k < w->option + w->options; k++)
        if (replicas[k] > m->option[k].most)
            return false;
    return sum == w->replicas && clusters >= w->cluster_min && clusters <= w->cluster_max &&
           regions >= w->region_min && regions <= w->region_max;
}

static bool rows_hold(const struct made *m, const int64_t *replicas)
{
    int64_t used[ROWS] = {0};

    for (uint32_t i = 0; i < m->p.workloads; i++) {
        const struct stow_joint_workload *w = &m->workload[i];

        for (uint32_t k = w->option; k < w->option + w->options; k++) {
            const struct stow_joint_site *site = &m->site[m->option[k].site];

            for (uint32_t u = site->use; u < site->use + site->uses; u++)
                used[m->use[u].row] += replicas[k] * w->request[m->use[u].resource];
        }
    }
    for (uint32_t i = 0; i < m->p.rows; i++)
        if (used[i] > m->row[i].free)
            return false;
    return true;
}

static int64_t cost_of(const struct made *m, const int64_t *replicas)
{
    int64_t cost = 0;

    for (uint32_t i = 0; i < m->p.workloads; i++) {
        const struct stow_joint_workload *w = &m->workload[i];

        for (uint32_t k = w->option; k < w->option + w->options; k++)
            cost += replicas[k] * m->option[k].price;
        for (uint32_t s = w->share; s < w->share + w->shares; s++) {
            int64_t here = on_cluster(m, w, replicas, m->share[s].cluster);

            cost += m->share[s].held > here ? (m->share[s].held - here) * m->p.disruption : 0;
        }
    }
    return cost;
}

/* ---- trying everything ------------------------------------------------------------------- */

struct all {
    const struct made *m;
    int64_t replicas[OPTIONS];
    int64_t best;
    uint64_t tries;
};

#define TRIES_MAX 400000

static void try_options(struct all *a, uint32_t workload, uint32_t option, int64_t left)
{
    const struct stow_joint_workload *w = &a->m->workload[workload];

    if (a->tries++ > TRIES_MAX)
        return;
    if (option == w->option + w->options) {
        if (left > 0 || !is_allowed(a->m, w, a->replicas) || !rows_hold(a->m, a->replicas))
            return;
        if (workload + 1 < a->m->p.workloads) {
            try_options(a, workload + 1, w[1].option, w[1].replicas);
        } else {
            int64_t cost = cost_of(a->m, a->replicas);

            a->best = cost < a->best ? cost : a->best;
        }
        return;
    }
    for (int64_t n = 0; n <= left; n++) {
        a->replicas[option] = n;
        try_options(a, workload, option + 1, left - n);
    }
    a->replicas[option] = 0;
}

/* ---- statements -------------------------------------------------------------------------- */

static bool is_sound(const struct made *m, const struct stow_joint_answer *answer)
{
    if (!rows_hold(m, answer->replicas))
        return property_fails("more than fits");
    if (answer->cost.left_out == 0)
        for (uint32_t i = 0; i < m->p.workloads; i++)
            if (!is_allowed(m, &m->workload[i], answer->replicas))
                return property_fails("workload %u breaks a rule", i);
    if (cost_of(m, answer->replicas) != (int64_t)answer->cost.total)
        return property_fails("costs %lld and not %lld", (long long)cost_of(m, answer->replicas),
                              (long long)answer->cost.total);
    if (answer->bounded && answer->bound > answer->cost.total)
        return property_fails("the bound is above the cost");
    if (answer->cost.left_out > answer->one_by_one.left_out)
        return property_fails("leaves out more than one by one");
    if (answer->cost.left_out == answer->one_by_one.left_out &&
        answer->cost.total > answer->one_by_one.total)
        return property_fails("dearer than one by one: %lld, %lld", (long long)answer->cost.total,
                              (long long)answer->one_by_one.total);
    return true;
}

static bool is_best(const struct made *m, const struct stow_joint_answer *answer)
{
    struct all a = {.m = m, .best = INT64_MAX};

    try_options(&a, 0, 0, m->workload[0].replicas);
    if (a.tries > TRIES_MAX || a.best == INT64_MAX)
        return true;
    if (answer->cost.left_out)
        return property_fails("%lld left out, but all fit", (long long)answer->cost.left_out);
    if ((int64_t)answer->bound > a.best)
        return property_fails("bound %lld above %lld", (long long)answer->bound, (long long)a.best);
    if ((int64_t)answer->cost.total != a.best)
        return property_fails("costs %lld, the cheapest %lld", (long long)answer->cost.total,
                              (long long)a.best);
    return true;
}

/* Limits that cannot be kept are broken; nothing is said of those. */
static bool minima_fit(const struct made *m)
{
    int64_t replicas[OPTIONS] = {0};

    for (uint32_t i = 0; i < m->p.workloads; i++) {
        const struct stow_joint_workload *w = &m->workload[i];

        for (uint32_t s = w->share; s < w->share + w->shares; s++) {
            uint32_t k = w->option;

            while (k < w->option + w->options &&
                   m->site[m->option[k].site].cluster != m->share[s].cluster)
                k++;
            if (k < w->option + w->options)
                replicas[k] = m->share[s].min;
            else if (m->share[s].min > 0)
                return false;
        }
    }
    return rows_hold(m, replicas);
}

static bool solve(uint64_t seed,
                  bool (*holds)(const struct made *m, const struct stow_joint_answer *answer))
{
    struct chance c = {seed};
    struct made m;
    struct stow_joint_answer answer;
    struct stow_err err = {0};

    make(&m, &c);
    if (!minima_fit(&m))
        return true;
    if (stow_joint_solve(&m.p, &answer, &err) < 0)
        return property_fails("%s", err.msg);

    bool fine = holds(&m, &answer);

    stow_joint_answer_done(&answer);
    return fine;
}

static bool joint_divisions_are_sound(uint64_t seed)
{
    return solve(seed, is_sound);
}

static bool small_ones_are_the_cheapest(uint64_t seed)
{
    return solve(seed, is_best);
}

int main(int argc, char **argv)
{
    const struct property list[] = {
        {"joint-divisions-are-sound", joint_divisions_are_sound, 3000},
        {"small-joint-divisions-are-the-cheapest", small_ones_are_the_cheapest, 3000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
