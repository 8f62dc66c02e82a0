/* pricing.c - for every kind: patterns worth more than the node costs, and what it is worth at
 * most.
 *
 * The two are different tasks.  Column generation goes on with any patterns that pay, and a short
 * search finds them; most kinds are settled by the multipliers of the round before.  A bound needs
 * to know that no kind is worth more than its share, and one kind that is not known well spoils it.
 * So finding comes first, for all kinds; proving only when what was found leaves hope for a better
 * bound, and only down to what that bound needs (columns.c).
 *
 * Variety.  The best patterns of a kind are nearly the same pattern.  A linear program over
 * hundreds of classes needs one for each of them, and with a few per round it takes as many rounds
 * as there are classes.  So each class gets a pattern of its own in every round: half of what a
 * node of its best kind holds of it, and what fits beside it.
 *
 * Each kind depends on nothing but the prices and what it kept from its own last round, so threads
 * share the kinds and the result is the same for any number of them. */
#include "optimal/pricing/pricing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"

/* How hard to look.  Proofs are tried without tables first, then with them. */
static const struct effort {
    uint32_t find;              /* partial patterns per level; 0: rounding only */
    uint32_t items;             /* classes looked at in finding, the most promising ones */
    uint32_t prove, prove_hard; /* partial patterns per level, without and with tables; 0: none */
    uint32_t cells;             /* of a table */
} efforts[STOW_EFFORTS] = {
    {0, 0, 0, 0, 0},
    {16, 64, 0, 0, 0},
    {64, 96, 512, 1024, 16384},
    {256, 256, 512, 4096, 16384},
    {512, UINT32_MAX, 512, 16384, 32768},
};

#define HARD_TIMES  8
#define LEAD_PART   0.5     /* of the copies that fit: what a class has in its own pattern */
#define CELLS_MAX   2000000 /* of all rows of a table */
#define HISTORY_MAX 3000000 /* steps that a search remembers */

static int allocate(struct stow_pricer *p)
{
    const struct stow_model *m = p->m;
    size_t words = (m->classes + 63) / 64 + 1;
    size_t dims = 0;

    for (uint32_t g = 0; g < m->kinds; g++)
        dims += m->scarces[g];
    p->sack = calloc(p->threads, sizeof(*p->sack));
    p->beam = calloc(p->threads, sizeof(*p->beam));
    p->cuts = calloc(p->threads, sizeof(*p->cuts));
    p->state = calloc(m->kinds + 1, sizeof(*p->state));
    p->offer = calloc(m->kinds + 1, sizeof(*p->offer));
    p->goal = calloc(m->kinds + 1, sizeof(*p->goal));
    p->at_upper = calloc((m->kinds + 1) * words, sizeof(*p->at_upper));
    p->numbers = calloc(dims * STOW_SACK_STATE_NUMBERS + 1, sizeof(*p->numbers));
    p->basis = calloc(dims + 1, sizeof(*p->basis));
    p->order = calloc(m->kinds + 1, sizeof(*p->order));
    p->lead = calloc(m->classes + 1, sizeof(*p->lead));
    p->lead_end = calloc((size_t)m->kinds + 2, sizeof(*p->lead_end));
    if (!p->sack || !p->beam || !p->cuts || !p->state || !p->offer || !p->goal || !p->at_upper ||
        !p->numbers || !p->basis || !p->order || !p->lead || !p->lead_end)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->threads; i++) {
        STOW_TRY(stow_sack_init(&p->sack[i], m->classes, m->scarce_most));
        STOW_TRY(stow_sack_init(&p->cuts[i], STOW_SACK_CUTS, m->scarce_most + 1));
    }
    dims = 0;
    for (uint32_t g = 0; g < m->kinds; g++) {
        stow_sack_state_open(&p->state[g], m->scarces[g],
                             p->numbers + dims * STOW_SACK_STATE_NUMBERS, p->basis + dims,
                             p->at_upper + g * words);
        dims += m->scarces[g];
        p->order[g] = g;
    }
    return 0;
}

int stow_pricer_init(struct stow_pricer *p, const struct stow_model *m,
                     struct stow_workers *workers)
{
    *p = (struct stow_pricer){
        .m = m, .workers = workers, .threads = workers ? stow_workers_count(workers) : 1};
    if (allocate(p) >= 0)
        return 0;
    stow_pricer_done(p);
    return STOW_ENOMEM;
}

void stow_pricer_done(struct stow_pricer *p)
{
    for (uint32_t i = 0; p->sack && i < p->threads; i++)
        stow_sack_done(&p->sack[i]);
    for (uint32_t i = 0; p->cuts && i < p->threads; i++)
        stow_sack_done(&p->cuts[i]);
    for (uint32_t i = 0; p->beam && i < p->threads; i++)
        stow_beam_done(&p->beam[i]);
    for (uint32_t g = 0; p->offer && g < p->m->kinds; g++) {
        free(p->offer[g].term);
        free(p->offer[g].end);
    }
    free(p->beam);
    free(p->sack);
    free(p->cuts);
    free(p->state);
    free(p->offer);
    free(p->goal);
    free(p->at_upper);
    free(p->numbers);
    free(p->basis);
    free(p->order);
    free(p->lead);
    free(p->lead_end);
    memset(p, 0, sizeof(*p));
}

/* ---- one kind -------------------------------------------------------------------------------- */

/* A kind in the hands of a thread. */
struct job {
    struct stow_pricer *p;
    const struct stow_pricing_round *round;
    const struct effort *effort;
    struct stow_sack *sack;
    struct stow_beam *beam;
    struct stow_sack_state *state;
    struct stow_priced_pattern *offer;
    uint32_t thread;
};

static struct job job_of(void *context, uint32_t thread, uint32_t g)
{
    const struct stow_pricing_round *round = ((void **)context)[0];
    struct stow_pricer *p = ((void **)context)[1];

    return (struct job){.p = p,
                        .round = round,
                        .effort = &efforts[round->effort],
                        .sack = &p->sack[thread],
                        .beam = &p->beam[thread],
                        .state = &p->state[g],
                        .offer = &p->offer[g],
                        .thread = thread};
}

static struct stow_sack_input input_of(const struct job *j, uint32_t g)
{
    const struct stow_model *m = j->p->m;

    return (struct stow_sack_input){.classes = m->classes,
                                    .dims = m->scarces[g],
                                    .dim = m->scarce + (size_t)g * m->dims,
                                    .need_by_dim = m->need_by_dim,
                                    .capacity = m->capacity + (size_t)g * m->dims,
                                    .copies = stow_model_copies(m, g),
                                    .demand = j->round->stage->demand,
                                    .y = j->round->y};
}

/* Lack of memory here and below only means that less is known. */
static void take_pattern(struct stow_priced_pattern *offer, const struct stow_sack *sack,
                         const uint32_t *count)
{
    const uint32_t before = offer->terms;

    for (uint32_t item = 0; item < sack->n; item++) {
        if (!count[item])
            continue;

        struct stow_term *made = STOW_PUSH(&offer->term, &offer->terms, &offer->term_cap);

        if (!made) {
            offer->terms = before;
            return;
        }
        *made = (struct stow_term){sack->class[item], count[item]};
    }

    uint32_t *end = STOW_PUSH(&offer->end, &offer->patterns, &offer->end_cap);

    if (end)
        *end = offer->terms;
    else
        offer->terms = before;
}

/* Adds the sack's patterns to the offer. */
static void take_patterns(const struct job *j)
{
    const struct stow_sack *sack = j->sack;

    if (sack->value > j->offer->value)
        j->offer->value = sack->value;
    for (uint32_t i = 0; i < sack->patterns && i < j->round->patterns; i++)
        take_pattern(j->offer, sack, sack->count + (size_t)i * sack->max);
}

static void forget_patterns(struct stow_sack *sack)
{
    sack->value = 0;
    sack->patterns = 0;
}

/* No wider than memory allows for the history of this many levels. */
static uint32_t width_for(const struct stow_sack *sack, uint32_t width)
{
    uint32_t most = HISTORY_MAX / (sack->n + 1);

    most = most ? most : 1;
    return width < most ? width : most;
}

static int search(const struct job *j, double above, uint32_t width)
{
    return stow_sack_search(j->sack, j->beam, &j->state->known, above, width_for(j->sack, width));
}

static bool tighten(const struct job *j)
{
    uint32_t most = CELLS_MAX / (j->sack->n + 1);
    uint32_t cells = j->effort->cells < most ? j->effort->cells : most;

    return stow_sack_tighten(j->sack, j->state, &j->p->cuts[j->thread], cells) >= 0;
}

static void look_for_patterns(const struct job *j, double enough)
{
    struct stow_sack *sack = j->sack;
    struct stow_priced_pattern *offer = j->offer;

    stow_sack_trim(sack, enough);

    bool all = !stow_sack_focus(sack, j->effort->items);

    stow_sack_order(sack);

    int ended = search(j, enough, j->effort->find);

    if (all && ended >= 0 && sack->bound < offer->worth)
        offer->worth = ceil(sack->bound);
    take_patterns(j);
}

/* Once one kind is late all the others are. */
static bool is_late(const struct job *j)
{
    if (j->round->whole || (!__atomic_load_n(&j->p->late, __ATOMIC_RELAXED) &&
                            !stow_clock_is_over(j->round->deadline)))
        return false;
    __atomic_store_n(&j->p->late, true, __ATOMIC_RELAXED);
    return true;
}

static void find_kind(void *context, uint32_t thread, uint32_t g)
{
    struct job j = job_of(context, thread, g);
    struct stow_sack_input in = input_of(&j, g);
    double enough = j.round->cost[g] * (1 + j.round->tolerance);

    j.offer->value = 0;
    j.offer->patterns = j.offer->terms = 0;
    if (is_late(&j))
        return;
    if (j.state->warm) {
        j.offer->worth = ceil(stow_sack_check(&in, j.state->lambda));
        if (j.offer->worth <= enough)
            return;
    }
    stow_sack_load(j.sack, &in);
    stow_sack_relax(j.sack, j.state);
    j.offer->worth = ceil(j.sack->bound);
    if (j.offer->worth <= enough)
        return;
    stow_sack_round(j.sack);
    if (j.sack->value > enough)
        take_patterns(&j);
    j.offer->value = j.sack->value;
    forget_patterns(j.sack);
    if (j.effort->find && j.offer->value < j.round->good * j.offer->worth)
        look_for_patterns(&j, enough);
}

/* ---- a pattern for every class --------------------------------------------------------------- */

/* What a node of a kind with a pod of a class could be worth, over what it costs. */
static double promise_of(const struct stow_pricer *p, const struct stow_pricing_round *round,
                         uint32_t k, uint32_t g)
{
    const struct stow_model *m = p->m;
    double gain = round->y[k];

    for (uint32_t d = 0; d < m->scarces[g]; d++)
        gain -= p->state[g].lambda[d] *
                m->need_by_dim[(size_t)m->scarce[(size_t)g * m->dims + d] * m->classes + k];
    return (p->offer[g].worth + fmin(gain, 0)) / (round->cost[g] + 1);
}

/* The kind that promises most for a class; STOW_MODEL_NONE: none promises enough. */
static uint32_t leading_kind(const struct stow_pricer *p, const struct stow_pricing_round *round,
                             uint32_t k)
{
    const struct stow_task *s = round->stage;
    uint32_t best = STOW_MODEL_NONE;
    double most = 1 + round->tolerance;

    for (uint32_t g = 0; s->demand[k] && round->y[k] > 0 && g < p->m->kinds; g++) {
        if (!stow_model_copies(p->m, g)[k] || !s->most[g])
            continue;

        const double promise = promise_of(p, round, k, g);

        if (promise > most) {
            most = promise;
            best = g;
        }
    }
    return best;
}

/* Sorts the classes by their kinds: those of kind g end at lead_end[g]. */
static void sort_leaders(struct stow_pricer *p, const struct stow_pricing_round *round,
                         uint32_t *kind)
{
    const struct stow_model *m = p->m;

    memset(p->lead_end, 0, ((size_t)m->kinds + 2) * sizeof(*p->lead_end));
    for (uint32_t k = 0; k < m->classes; k++) {
        kind[k] = leading_kind(p, round, k);
        if (kind[k] != STOW_MODEL_NONE)
            p->lead_end[kind[k] + 1]++;
    }
    for (uint32_t g = 0; g < m->kinds; g++)
        p->lead_end[g + 1] += p->lead_end[g];
    for (uint32_t k = 0; k < m->classes; k++)
        if (kind[k] != STOW_MODEL_NONE)
            p->lead[p->lead_end[kind[k]]++] = k;
}

static void vary_kind(void *context, uint32_t thread, uint32_t g)
{
    struct job j = job_of(context, thread, g);
    const struct stow_sack_input in = input_of(&j, g);
    const double enough = j.round->cost[g] * (1 + j.round->tolerance);
    uint32_t at = g ? j.p->lead_end[g - 1] : 0;

    if (at == j.p->lead_end[g])
        return;
    stow_sack_load(j.sack, &in);
    for (; at < j.p->lead_end[g] && !is_late(&j); at++) {
        const uint32_t item = j.sack->item_of[j.p->lead[at]];
        const double copies = floor(LEAD_PART * j.sack->u[item]);

        stow_sack_round_with(j.sack, item, copies < 1 ? 1 : copies);
        if (j.sack->value > enough)
            take_patterns(&j);
    }
    forget_patterns(j.sack);
}

static int settle(const struct job *j, double goal, uint32_t width)
{
    return stow_sack_settle(j->sack, j->beam, &j->state->known, goal, width_for(j->sack, width));
}

/* Without tables, then with them; kinds that needed them are not tried without for some time. */
static int settle_kind(const struct job *j, double goal)
{
    if (j->state->hard && j->effort->prove_hard) {
        j->state->hard--;
    } else {
        int ended = settle(j, goal, j->effort->prove);

        if (ended)
            return ended;
        j->state->hard = HARD_TIMES;
    }
    return j->effort->prove_hard && tighten(j) ? settle(j, goal, j->effort->prove_hard) : 0;
}

static void prove_kind(void *context, uint32_t thread, uint32_t g)
{
    struct job j = job_of(context, thread, g);
    struct stow_sack_input in = input_of(&j, g);
    uint32_t effort = j.round->effort + j.state->level;
    double goal = j.p->goal[g];
    int ended;

    j.effort = &efforts[effort < STOW_EFFORTS ? effort : STOW_EFFORTS - 1];
    if (j.offer->worth <= goal || j.effort->prove == 0 || is_late(&j))
        return;
    stow_sack_load(j.sack, &in);
    stow_sack_relax(j.sack, j.state);
    stow_sack_trim(j.sack, goal);
    stow_sack_order(j.sack);
    forget_patterns(j.sack);
    j.beam->deadline = j.round->deadline;
    ended = settle_kind(&j, goal);
    j.beam->deadline = 0;
    if (ended < 0)
        return; /* out of memory: less is known, and nothing wrong */
    if (j.sack->bound < j.offer->worth)
        j.offer->worth = ceil(j.sack->bound);
    take_patterns(&j);
}

/* By places in the order of proofs; notes how long it took. */
static void prove_in_order(void *context, uint32_t thread, uint32_t i)
{
    const struct stow_pricer *p = ((void **)context)[1];
    const double since = stow_clock();

    prove_kind(context, thread, p->order[i]);
    p->state[p->order[i]].took = stow_clock() - since;
}

static int longest_first(const void *a, const void *b, void *context)
{
    const struct stow_sack_state *state = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return state[x].took != state[y].took ? (state[x].took > state[y].took ? -1 : 1)
                                          : (x < y ? -1 : x > y);
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static void run(struct stow_pricer *p, const struct stow_pricing_round *round,
                void (*work)(void *context, uint32_t thread, uint32_t g))
{
    const void *context[] = {round, p};

    p->late = false;

    if (p->workers) {
        stow_workers_run(p->workers, p->m->kinds, work, context);
        return;
    }
    for (uint32_t g = 0; g < p->m->kinds; g++)
        work(context, 0, g);
}

void stow_pricer_find(struct stow_pricer *p, const struct stow_pricing_round *round)
{
    run(p, round, find_kind);
}

void stow_pricer_vary(struct stow_pricer *p, const struct stow_pricing_round *round)
{
    STOW_AUTO(stow_free_local) uint32_t *kind = malloc((p->m->classes + 1) * sizeof(*kind));

    if (!kind)
        return;
    sort_leaders(p, round, kind);
    run(p, round, vary_kind);
}

void stow_pricer_prove(struct stow_pricer *p, const struct stow_pricing_round *round)
{
    qsort_r(p->order, p->m->kinds, sizeof(*p->order), longest_first, p->state);
    run(p, round, prove_in_order);
}

bool stow_pricer_promote(struct stow_pricer *p, const double *cost, uint32_t effort)
{
    uint32_t worst = UINT32_MAX;
    double most = 1 + 1e-5;

    for (uint32_t g = 0; g < p->m->kinds; g++)
        if (p->offer[g].worth > most * cost[g] &&
            p->offer[g].worth > (1 + 1e-6) * p->offer[g].value) {
            most = p->offer[g].worth / cost[g];
            worst = g;
        }
    if (worst == UINT32_MAX || effort + p->state[worst].level >= STOW_EFFORTS - 1)
        return false;
    p->state[worst].level++;
    return true;
}
