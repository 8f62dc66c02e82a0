/* pricing.c - for every kind: settled by its multipliers, by its relaxation, or by a search.
 *
 * Each kind depends on nothing but the prices and what it kept from its own last round, so threads
 * share the kinds and the result is the same for any number of them. */
#include "optimal/pricing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORT 16 /* width of the search for kinds that are not in focus */

static int allocate(struct stow_pricer *p)
{
    const struct stow_model *m = p->m;
    size_t words = (m->classes + 63) / 64 + 1;

    p->sack = calloc(p->threads, sizeof(*p->sack));
    p->beam = calloc(p->threads, sizeof(*p->beam));
    p->cuts = calloc(p->threads, sizeof(*p->cuts));
    p->count = calloc((size_t)p->threads * m->classes + 1, sizeof(*p->count));
    p->spare = calloc(p->threads * words, sizeof(*p->spare));
    p->state = calloc(m->kinds + 1, sizeof(*p->state));
    p->offer = calloc(m->kinds + 1, sizeof(*p->offer));
    p->at_upper = calloc((m->kinds + 1) * words, sizeof(*p->at_upper));
    p->term = malloc(((size_t)m->kinds * m->classes * STOW_SACK_PATTERNS + 1) * sizeof(*p->term));
    if (!p->sack || !p->beam || !p->cuts || !p->count || !p->spare || !p->state || !p->offer ||
        !p->at_upper || !p->term)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->threads; i++) {
        STOW_TRY(stow_sack_init(&p->sack[i], m->classes, m->dims));
        STOW_TRY(stow_sack_init(&p->cuts[i], STOW_SACK_CUTS, m->dims + 1));
    }
    for (uint32_t g = 0; g < m->kinds; g++) {
        p->state[g].at_upper = p->at_upper + g * words;
        p->offer[g].term = p->term + (size_t)g * m->classes * STOW_SACK_PATTERNS;
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
    free(p->beam);
    free(p->sack);
    free(p->cuts);
    free(p->count);
    free(p->spare);
    free(p->state);
    free(p->offer);
    free(p->at_upper);
    free(p->term);
    memset(p, 0, sizeof(*p));
}

static void take_patterns(const struct stow_sack *sack, struct stow_offer *offer)
{
    uint32_t terms = 0;

    offer->value = sack->value;
    for (offer->patterns = 0; offer->patterns < sack->patterns; offer->patterns++) {
        const uint32_t *count = sack->count + (size_t)offer->patterns * sack->max;

        for (uint32_t i = 0; i < sack->n; i++)
            if (count[i])
                offer->term[terms++] = (struct stow_term){sack->class[i], count[i]};
        offer->end[offer->patterns] = terms;
    }
}

/* Rounds the relaxation, tightens the bound, then searches. */
static void look_for_pattern(struct stow_pricer *p, const struct stow_pricing_round *round,
                             double enough, uint32_t thread, uint32_t g)
{
    struct stow_sack *sack = &p->sack[thread];
    struct stow_offer *offer = &p->offer[g];

    stow_sack_round(sack);
    if (round->width &&
        stow_sack_tighten(sack, &p->state[g], &p->cuts[thread], enough, round->cells) >= 0) {
        int ended = stow_sack_search(sack, &p->beam[thread], enough, round->width);
        double least = sack->value > enough ? sack->value : enough;

        if (sack->bound < offer->worth)
            offer->worth = ceil(sack->bound);
        offer->settled = ended == 1;
        if (ended == 1 && least < offer->worth)
            offer->worth = ceil(least);
    }
    take_patterns(sack, offer);
}

/* Adds the pattern found case by case, as the first one. */
static void take_split(const struct stow_split *split, struct stow_offer *offer)
{
    uint32_t terms = 0;

    for (uint32_t k = 0; k < split->in->classes; k++)
        if (split->count[k])
            offer->term[terms++] = (struct stow_term){k, split->count[k]};
    offer->value = split->value;
    offer->patterns = 1;
    offer->end[0] = terms;
}

static void look_case_by_case(struct stow_pricer *p, const struct stow_pricing_round *round,
                              const struct stow_sack_input *in, double enough, uint32_t thread,
                              uint32_t g)
{
    struct stow_offer *offer = &p->offer[g];
    size_t words = (in->classes + 63) / 64 + 1;
    struct stow_split split = {.in = in,
                               .sack = &p->sack[thread],
                               .cuts = &p->cuts[thread],
                               .beam = &p->beam[thread],
                               .state = {.at_upper = p->spare + thread * words},
                               .cells = round->cells / 8,
                               .worth = offer->worth,
                               .width = round->width,
                               .count = p->count + (size_t)thread * in->classes};
    double best = offer->value > enough ? offer->value : enough;
    int ended = stow_sack_split(&split, best);

    if (ended < 0)
        return;
    if (split.value > best)
        take_split(&split, offer);
    offer->settled = ended == 1;
    if (split.value > best)
        best = split.value;
    if (ended == 1 && best < offer->worth)
        offer->worth = ceil(best);
    else if (split.worth < offer->worth)
        offer->worth = ceil(split.worth);
}

static void price_kind(void *context, uint32_t thread, uint32_t g)
{
    const struct stow_pricing_round *asked = ((void **)context)[0];
    struct stow_pricing_round round_here = *asked, *round = &round_here;
    struct stow_pricer *p = ((void **)context)[1];
    const struct stow_model *m = p->m;
    struct stow_sack *sack = &p->sack[thread];
    struct stow_offer *offer = &p->offer[g];
    struct stow_sack_input in = {m->classes,
                                 m->dims,
                                 m->need_by_dim,
                                 m->capacity + (size_t)g * m->dims,
                                 stow_model_copies(m, g),
                                 round->stage->demand,
                                 round->y};
    double enough = round->cost[g] * (1 + round->tolerance);

    if (asked->only && !asked->only[g]) {
        round->width = SHORT;
        round->cells = 0;
        round->split = false;
    }
    offer->heavy = round->cells > 0;
    offer->value = 0;
    offer->patterns = 0;
    offer->settled = true;
    if (p->state[g].warm) {
        offer->worth = ceil(stow_sack_check(&in, p->state[g].lambda));
        if (offer->worth <= enough)
            return;
    }
    stow_sack_load(sack, &in);
    stow_sack_relax(sack, &p->state[g]);
    offer->worth = ceil(sack->bound);
    if (offer->worth <= enough)
        return;
    offer->settled = false;
    look_for_pattern(p, round, enough, thread, g);
    if (round->split && !offer->settled && offer->value <= enough)
        look_case_by_case(p, round, &in, enough, thread, g);
}

void stow_pricer_run(struct stow_pricer *p, const struct stow_pricing_round *round)
{
    const void *context[] = {round, p};

    if (p->workers) {
        stow_workers_run(p->workers, p->m->kinds, price_kind, context);
        return;
    }
    for (uint32_t g = 0; g < p->m->kinds; g++)
        price_kind(context, 0, g);
}
