/* price.c - what parties would do if the rows had prices.
 *
 * With a price for every unit of every row, workloads have nothing to do with one another any
 * more: each goes where its own price and that of the room it takes are least, which is
 * the question of cheapest.h.  What all of them pay together, less what the rows are
 * worth, is a lower bound for any prices that are not negative.
 *
 * A replica's part of the rows is rounded down to a nano-unit.  That can only lower the
 * bound, and everything stays in integers. */
#include <stdlib.h>
#include <string.h>

#include "divide/joint/joint_internal.h"

static stow_nano add_price(stow_nano price, stow_i128 extra)
{
    const stow_i128 limit = INT64_MAX / 8;
    stow_i128 sum = price + (extra >> STOW_JOINT_PRICE_BITS);

    return sum > limit ? (stow_nano)limit : (stow_nano)sum;
}

void stow_joint_price_cells(const struct stow_joint *j, const stow_i128 *row_price, stow_nano *ret)
{
    for (uint32_t i = 0; i < j->parties; i++) {
        const struct stow_joint_party *party = &j->party[i];

        for (uint32_t c = party->cell; c < party->cell + party->cells; c++) {
            const struct stow_joint_site *site = &j->p->site[j->cell[c].site];
            stow_i128 extra = 0;

            for (uint32_t u = site->use; u < site->use + site->uses; u++)
                extra += row_price[j->p->use[u].row] * party->request[j->p->use[u].resource];
            ret[c] = add_price(j->cell[c].price, extra);
        }
    }
}

/* ---- berths as places -------------------------------------------------------------------- */

/* The cells of a berth, cheapest first. */
static void sort_cells(const struct stow_joint_choice *berth, const stow_nano *price, uint32_t *ret)
{
    for (uint32_t i = 0; i < berth->cells; i++) {
        uint32_t cell = berth->cell + i, at = i;

        for (; at > 0 && price[ret[at - 1]] > price[cell]; at--)
            ret[at] = ret[at - 1];
        ret[at] = cell;
    }
}

/* The steps of a berth: replicas that may stay are cheaper by D. */
static uint32_t make_steps(const struct stow_joint *j, const struct stow_party_question *q,
                           const struct stow_joint_choice *berth, const uint32_t *order,
                           struct stow_cheap_step *ret)
{
    int64_t stays = berth->held;
    uint32_t made = 0;

    for (uint32_t i = 0; i < berth->cells; i++) {
        int64_t room = q->room[order[i]];
        int64_t stay = stays < room ? stays : room;
        stow_nano price = q->price[order[i]];

        if (stay > 0)
            ret[made++] = (struct stow_cheap_step){stay, price - j->p->disruption};
        if (room > stay)
            ret[made++] = (struct stow_cheap_step){room - stay, price};
        stays -= stay;
    }
    return made;
}

struct form {
    struct stow_cheap_place *place;
    struct stow_cheap_step *step;
    uint32_t *order; /* cells, by berth */
    struct stow_cheap_problem p;
};

static void fill_place(const struct stow_joint *j, const struct stow_party_question *q, uint32_t i,
                       struct form *f, uint32_t *steps)
{
    const struct stow_joint_choice *berth = &j->berth[q->party->berth + i];
    uint32_t *order = f->order + (berth->cell - q->party->cell);
    int64_t room = 0;

    sort_cells(berth, q->price, order);
    f->place[i] = (struct stow_cheap_place){
        .step = *steps,
        .steps = make_steps(j, q, berth, order, f->step + *steps),
        .region = j->p->region[berth->cluster],
        .forced = berth->least > 0 && !q->partial,
        .least = berth->least > 0 && !q->partial ? berth->least : 1,
    };
    *steps += f->place[i].steps;
    for (uint32_t k = 0; k < berth->cells; k++)
        stow_add_clamped(&room, q->room[berth->cell + k]);
    f->place[i].most = room < berth->most ? room : berth->most;
}

static int make_form(struct stow_joint *j, const struct stow_party_question *q, struct form *f,
                     struct stow_err *err)
{
    const struct stow_joint_party *party = q->party;
    const struct stow_joint_workload *w = party->first;
    uint32_t steps = 0, places = party->berths;

    f->place = stow_arena_alloc(&j->scratch, (places + 1) * sizeof(*f->place));
    f->step = stow_arena_alloc(&j->scratch, (places + party->cells + 1) * sizeof(*f->step));
    f->order = stow_arena_alloc(&j->scratch, (party->cells + 1) * sizeof(*f->order));
    if (!f->place || !f->step || !f->order)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < places; i++)
        fill_place(j, q, i, f, &steps);
    f->p = (struct stow_cheap_problem){.place = f->place,
                                       .step = f->step,
                                       .places = places,
                                       .regions = j->p->regions,
                                       .replicas = q->replicas,
                                       .place_max = STOW_CHEAP_NO_MAX,
                                       .region_max = STOW_CHEAP_NO_MAX,
                                       .states_max = q->exact ? STOW_CHEAP_STATES / 8 : 0};
    if (q->partial) {
        f->step[steps] = (struct stow_cheap_step){q->replicas, j->left_out};
        f->place[f->p.places++] =
            (struct stow_cheap_place){.step = steps, .steps = 1, .least = 1, .most = q->replicas};
    } else if (party->pattern) {
        f->p.place_min = w->cluster_min;
        f->p.place_max = w->cluster_max;
        f->p.region_min = w->region_min;
        f->p.region_max = w->region_max;
    }
    return STOW_OK;
}

/* From replicas per berth to replicas per cell. */
static int spread_cells(struct stow_joint *j, const struct stow_party_question *q,
                        const struct form *f, const int64_t *replicas,
                        struct stow_party_answer *ret, struct stow_err *err)
{
    const struct stow_joint_party *party = q->party;

    ret->replicas = stow_arena_zalloc(&j->scratch, (party->cells + 1) * sizeof(*ret->replicas));
    if (!ret->replicas)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < party->berths; i++) {
        const struct stow_joint_choice *berth = &j->berth[party->berth + i];
        int64_t left = replicas[i];

        for (uint32_t k = 0; k < berth->cells && left > 0; k++) {
            uint32_t cell = f->order[berth->cell - party->cell + k];
            int64_t here = q->room[cell] < left ? q->room[cell] : left;

            ret->replicas[cell - party->cell] = here;
            left -= here;
        }
    }
    return 1;
}

int stow_party_ask(struct stow_joint *j, const struct stow_party_question *q,
                   struct stow_party_answer *ret, struct stow_err *err)
{
    struct form f;
    struct stow_cheap_answer answer;

    stow_arena_reset(&j->scratch);
    *ret = (struct stow_party_answer){0};
    STOW_TRY(make_form(j, q, &f, err));
    if (q->replicas == 0) {
        ret->replicas =
            stow_arena_zalloc(&j->scratch, (q->party->cells + 1) * sizeof(*ret->replicas));
        return ret->replicas ? 1 : stow_fail_memory(err);
    }

    int found = stow_cheapest(&f.p, &j->scratch, &answer, err);

    ret->room = answer.room;
    if (found != 1)
        return found;
    ret->cost = answer.cost;
    ret->bound = answer.bound;
    return spread_cells(j, q, &f, answer.replicas, ret, err);
}
