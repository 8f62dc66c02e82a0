/* compare.c - the same fleet divided in several ways, side by side.
 *
 * A division that leaves replicas out, or puts more somewhere than fits, is not a bargain.
 * The best is therefore the cheapest of those that place most and keep to capacity and
 * constraints; one with replicas of unknown price comes after those whose cost is known, and of
 * several such divisions none is the best. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "explain/division/division.h"
#include "explain/division/division_internal.h"
#include "explain/words.h"

/* What a way comes to. */
struct sums {
    int64_t unplaced, moved;
    struct stow_money_sum cost;
    uint32_t clusters, overfull, broken;
};

static bool mark(const struct stow_fleet_answer *a, bool *used, struct sums *ret)
{
    for (uint32_t i = 0; i < a->workloads; i++)
        for (uint32_t n = 0; n < a->workload[i].targets; n++) {
            const struct stow_fleet_target *t = &a->workload[i].target[n];

            if (t->cluster == STOW_NONE || t->replicas <= 0 || used[t->cluster])
                continue;
            used[t->cluster] = true;
            ret->clusters++;
        }
    return true;
}

static struct sums sum_up(const struct stow_fleet_answer *a, bool *failed)
{
    STOW_AUTO(stow_free_local) bool *used = calloc((size_t)a->s->clusters + 1, sizeof(*used));
    struct sums sums = {
        .unplaced = a->unplaced, .moved = a->moved, .cost = a->cost, .overfull = a->overfull};

    *failed |= !used || !mark(a, used, &sums);
    for (uint32_t i = 0; i < a->workloads; i++)
        sums.broken += a->workload[i].broken;
    return sums;
}

/* Keeps to capacity and constraints. */
static bool is_sound(const struct sums *s)
{
    return s->overfull == 0 && s->broken == 0;
}

static bool better(const struct sums *a, const struct sums *b)
{
    if (a->unplaced != b->unplaced)
        return a->unplaced < b->unplaced;
    if (is_sound(a) != is_sound(b))
        return is_sound(a);
    if (stow_money_sum_is_exact(&a->cost) != stow_money_sum_is_exact(&b->cost))
        return stow_money_sum_is_exact(&a->cost);
    return stow_money_sum_is_exact(&a->cost) && a->cost.amount < b->cost.amount;
}

/* Neither is better, and it is not known which is cheaper. */
static bool in_doubt(const struct sums *a, const struct sums *b)
{
    return a->unplaced == b->unplaced && is_sound(a) == is_sound(b) && a->cost.unknown &&
           b->cost.unknown;
}

static bool dearer_by(const struct sums *a, const struct sums *best, double *ret)
{
    if (!best || a->unplaced != best->unplaced || a->cost.unknown || best->cost.unknown ||
        !is_sound(a))
        return false;
    if (best->cost.amount == 0 && a->cost.amount != 0)
        return false;
    *ret = best->cost.amount
               ? (double)(a->cost.amount - best->cost.amount) / (double)best->cost.amount
               : 0;
    return true;
}

/* The best of them; NULL: which it is cannot be said. */
static const struct sums *best_of(const struct sums *list, uint32_t ways)
{
    const struct sums *best = list;

    for (uint32_t i = 1; i < ways; i++)
        if (better(&list[i], best))
            best = &list[i];
    for (uint32_t i = 0; i < ways; i++)
        if (&list[i] != best && in_doubt(&list[i], best))
            return NULL;
    return ways ? best : NULL;
}

/* Sums of all ways and the best of them, or NULL; NULL: out of memory. */
static struct sums *sum_all(const struct stow_division_way *way, uint32_t ways,
                            const struct sums **ret_best)
{
    struct sums *list = calloc((size_t)ways + 1, sizeof(*list));
    bool failed = !list;

    for (uint32_t i = 0; list && i < ways; i++)
        list[i] = sum_up(&way[i].answer, &failed);
    *ret_best = list ? best_of(list, ways) : NULL;
    if (!failed)
        return list;
    free(list);
    return NULL;
}

/* ---- as a table -------------------------------------------------------------------------- */

static const struct stow_table_column columns[] = {
    {.title = "STRATEGY", .csv_name = "strategy"},
    {.title = "COST/H", .csv_name = "cost_per_hour", .align = STOW_ALIGN_POINT},
    {.title = "AGAINST BEST", .csv_name = "against_best", .align = STOW_ALIGN_RIGHT},
    {.title = "CLUSTERS", .csv_name = "clusters", .align = STOW_ALIGN_RIGHT, .spare = 2},
    {.title = "MOVED", .csv_name = "moved", .align = STOW_ALIGN_RIGHT, .spare = 1},
    {.title = "MISSING", .csv_name = "unplaced", .align = STOW_ALIGN_RIGHT},
    {.title = "OVERFULL", .csv_name = "overfull", .align = STOW_ALIGN_RIGHT},
    {.title = "BROKEN", .csv_name = "broken", .align = STOW_ALIGN_RIGHT},
    {0},
};

static void against_cell(struct stow_table *t, const struct sums *a, const struct sums *best)
{
    char shown[32], machine[32];
    double by;

    if (!dearer_by(a, best, &by)) {
        stow_table_both(t, "-", "");
        return;
    }
    snprintf(shown, sizeof(shown), by == 0 ? "best" : "%+.1f%%", by * 100);
    snprintf(machine, sizeof(machine), "%.6f", by);
    stow_table_both(t, a == best || by == 0 ? "best" : shown, machine);
    if (by == 0)
        stow_table_role(t, STOW_ROLE_GOOD);
}

void stow_division_comparison(struct stow_report *report, const struct stow_division_way *way,
                              uint32_t ways)
{
    struct stow_table *t = stow_report_table(report, NULL, columns);
    const struct sums *best;
    STOW_AUTO(stow_free_local) struct sums *sums = sum_all(way, ways, &best);

    report->failed |= !sums;
    for (uint32_t i = 0; sums && i < ways; i++) {
        stow_table_row(t);
        stow_table_text(t, way[i].name);
        stow_table_sum(t, &sums[i].cost);
        against_cell(t, &sums[i], best);
        stow_table_int(t, sums[i].clusters);
        stow_table_int(t, sums[i].moved);
        stow_table_int(t, sums[i].unplaced);
        stow_table_int(t, sums[i].overfull);
        stow_table_int(t, sums[i].broken);
    }
    if (sums && ways && !best)
        stow_report_line(report, STOW_ROLE_WARN,
                         "the cheapest is unknown: some replicas have no known price");
    stow_report_line(report, STOW_ROLE_DIM,
                     "MISSING: replicas without a place; OVERFULL: clusters with more replicas "
                     "than fit; BROKEN: violated spread constraints");
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *way_value(struct stow_doc *doc, const struct stow_division_way *way,
                                    const struct sums *sums, const struct sums *best)
{
    struct stow_value *v = stow_doc_object(doc);
    double by;

    stow_value_set(doc, v, "strategy", stow_doc_text(doc, way->name));
    stow_value_set(doc, v, "cost", stow_division_cost_value(doc, &way->answer, &sums->cost));
    stow_value_set(doc, v, "againstBest",
                   dearer_by(sums, best, &by) ? stow_doc_real(doc, by) : stow_doc_null(doc));
    stow_value_set(doc, v, "clusters", stow_doc_int(doc, sums->clusters));
    stow_value_set(doc, v, "moved", stow_doc_int(doc, sums->moved));
    stow_value_set(doc, v, "unplaced", stow_doc_int(doc, sums->unplaced));
    stow_value_set(doc, v, "overfull", stow_doc_int(doc, sums->overfull));
    stow_value_set(doc, v, "broken", stow_doc_int(doc, sums->broken));
    return v;
}

struct stow_value *stow_division_comparison_value(struct stow_doc *doc,
                                                  const struct stow_division_way *way,
                                                  uint32_t ways)
{
    struct stow_value *v = stow_doc_object(doc), *list = stow_doc_array(doc);
    const struct sums *best;
    STOW_AUTO(stow_free_local) struct sums *sums = sum_all(way, ways, &best);

    doc->failed |= !sums;
    for (uint32_t i = 0; sums && i < ways; i++)
        stow_value_push(doc, list, way_value(doc, &way[i], &sums[i], best));
    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "DivisionComparison"));
    stow_value_set(doc, v, "strategies", list);
    if (sums && ways)
        stow_value_set(doc, v, "best", stow_doc_text(doc, best ? way[best - sums].name : NULL));
    return v;
}
