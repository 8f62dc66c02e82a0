/* prop_divide_cheapest.c - the cheapest division of one workload, against trying everything.
 *
 * A few clusters in a few regions, prices in steps, minima, maxima, clusters that must be
 * used; few replicas, so that every division can be tried. */
#include "divide/cost/cheapest.h"
#include "tests/property/property.h"

#define PLACES_MAX 5
#define STEPS_MAX  2

struct made {
    struct stow_cheap_place place[PLACES_MAX];
    struct stow_cheap_step step[PLACES_MAX * STEPS_MAX];
    struct stow_cheap_problem p;
};

static void make_place(struct made *m, struct chance *c, uint32_t i)
{
    struct stow_cheap_place *place = &m->place[i];
    int64_t price = (int64_t)chance_below(c, 6) - (chance_one_in(c, 4) ? 3 : 0), room = 0;

    *place = (struct stow_cheap_place){
        .step = i * STEPS_MAX,
        .steps = 1 + chance_below(c, STEPS_MAX),
        .region = chance_below(c, m->p.regions),
        .least = 1,
    };
    for (uint32_t k = 0; k < place->steps; k++) {
        m->step[place->step + k] = (struct stow_cheap_step){chance_below(c, 6), price};
        room += m->step[place->step + k].capacity;
        price += chance_below(c, 4);
    }
    place->most = chance_one_in(c, 4) ? chance_below(c, (uint32_t)room + 1) : room;
    if (place->most > 0 && chance_one_in(c, 6)) {
        place->forced = true;
        place->least = 1 + chance_below(c, (uint32_t)place->most);
    }
}

static void make(struct made *m, struct chance *c)
{
    *m = (struct made){.p = {.places = 1 + chance_below(c, PLACES_MAX),
                             .regions = 1 + chance_below(c, 3),
                             .replicas = 1 + chance_below(c, 12),
                             .place_min = chance_below(c, 4),
                             .place_max = STOW_CHEAP_NO_MAX,
                             .region_min = chance_one_in(c, 2) ? chance_below(c, 4) : 0,
                             .region_max = STOW_CHEAP_NO_MAX,
                             .ties = true,
                             .states_max = STOW_CHEAP_STATES}};
    if (!chance_one_in(c, 3))
        m->p.place_max = m->p.place_min + chance_below(c, 3);
    if (chance_one_in(c, 3))
        m->p.region_max = m->p.region_min + chance_below(c, 2);
    for (uint32_t i = 0; i < m->p.places; i++)
        make_place(m, c, i);
    m->p.place = m->place;
    m->p.step = m->step;
}

static int64_t cost_at(const struct made *m, uint32_t i, int64_t replicas)
{
    int64_t cost = 0;

    for (uint32_t k = 0; k < m->place[i].steps; k++) {
        const struct stow_cheap_step *step = &m->step[m->place[i].step + k];
        int64_t here = step->capacity < replicas ? step->capacity : replicas;

        cost += here * step->price;
        replicas -= here;
    }
    return cost;
}

/* Cost and order of a division; false: it breaks a rule. */
static bool judge(const struct made *m, const int64_t *replicas, int64_t ret[2])
{
    uint32_t places = 0, regions = 0, seen = 0;
    int64_t sum = 0;

    ret[0] = ret[1] = 0;
    for (uint32_t i = 0; i < m->p.places; i++) {
        if (replicas[i] > m->place[i].most || (m->place[i].forced && !replicas[i]) ||
            (replicas[i] && replicas[i] < m->place[i].least))
            return false;
        sum += replicas[i];
        places += replicas[i] > 0;
        if (replicas[i] && !(seen >> m->place[i].region & 1)) {
            seen |= 1u << m->place[i].region;
            regions++;
        }
        ret[0] += cost_at(m, i, replicas[i]);
        ret[1] += i * replicas[i];
    }
    return sum == m->p.replicas && places >= m->p.place_min && places <= m->p.place_max &&
           regions >= m->p.region_min && regions <= m->p.region_max;
}

static bool try_all(const struct made *m, int64_t *replicas, uint32_t i, int64_t best[2])
{
    int64_t cost[2];
    bool found = false;

    if (i == m->p.places) {
        found = judge(m, replicas, cost);
        if (found && (cost[0] < best[0] || (cost[0] == best[0] && cost[1] < best[1]))) {
            best[0] = cost[0];
            best[1] = cost[1];
        }
        return found;
    }
    for (replicas[i] = 0; replicas[i] <= m->place[i].most && replicas[i] <= m->p.replicas;
         replicas[i]++)
        found |= try_all(m, replicas, i + 1, best);
    return found;
}

static bool check(const struct made *m, int found, const struct stow_cheap_answer *answer)
{
    int64_t replicas[PLACES_MAX] = {0}, best[2] = {INT64_MAX, INT64_MAX}, got[2];
    bool exists = try_all(m, replicas, 0, best);

    if (exists != (found == 1))
        return property_fails("there is %s division, but %d was returned", exists ? "a" : "no",
                              found);
    if (!exists)
        return true;
    if (!judge(m, answer->replicas, got))
        return property_fails("the division breaks a rule");
    if (got[0] != (int64_t)answer->cost || answer->bound > answer->cost)
        return property_fails("costs %lld and not %lld", (long long)got[0],
                              (long long)answer->cost);
    if ((int64_t)answer->bound > best[0])
        return property_fails("bound %lld above %lld", (long long)answer->bound,
                              (long long)best[0]);
    if (m->p.states_max && (got[0] != best[0] || !answer->exact || answer->bound != answer->cost))
        return property_fails("costs %lld, the cheapest %lld", (long long)got[0],
                              (long long)best[0]);
    if (m->p.states_max && got[1] != best[1])
        return property_fails("order %lld, the first %lld", (long long)got[1], (long long)best[1]);
    return true;
}

static bool solve(uint64_t seed, bool table)
{
    struct chance c = {seed};
    struct made m;
    struct stow_arena arena = {0};
    struct stow_cheap_answer answer;
    struct stow_err err = {0};

    make(&m, &c);
    if (!table)
        m.p.states_max = 0;

    int found = stow_cheapest(&m.p, &arena, &answer, &err);
    bool holds = found >= 0 ? check(&m, found, &answer) : property_fails("%s", err.msg);

    stow_arena_done(&arena);
    return holds;
}

static bool no_division_is_cheaper(uint64_t seed)
{
    return solve(seed, true);
}

static bool the_bound_is_one(uint64_t seed)
{
    return solve(seed, false);
}

int main(int argc, char **argv)
{
    const struct property list[] = {
        {"no-division-is-cheaper", no_division_is_cheaper, 20000},
        {"the-bound-of-a-division-is-one", the_bound_is_one, 20000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
