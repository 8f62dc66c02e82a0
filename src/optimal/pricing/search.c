/* search.c - the best pattern of one node, by search between bounds.
 *
 * Problem.  The relaxation says what a node could be worth at most.  Wanted: patterns of whole pods
 * worth more than a threshold, or the certainty that there is none.
 *
 * Idea.  Decide class by class how many copies to take, large pods first so that small ones fill
 * what is left, and carry the partial patterns of a level along side by side.  Three things make
 * them few.  What can still be added is bounded (prospect.c): those that cannot pass the threshold
 * go.  Of two of which one is worth no more and leaves no more, that one goes (frontier.c).  And of
 * those left over the one that promises most is asked for multipliers of its own, which lower the
 * bounds of those like it, then the next, as long as that shuts out some.  A lesson costs as much
 * as a thousand labels and is worth it from a handful on: those shut out early have no offspring.
 *
 * When more than `width` survive, those with the least prospects are dropped; the best prospect
 * dropped then limits what is known about the node.  So a narrow search is a heuristic that finds
 * patterns, a wide one a proof, and each yields a true bound.
 *
 * Thresholds.  A search is the longer the farther its threshold is below the bound, and most of
 * what it goes through is between the threshold and the best pattern.  A proof therefore asks for a
 * little below the bound first, then for twice as much, until it finds something or has come down
 * to its goal (stow_sack_settle).
 *
 * Order.  Labels of a level are in the order of falling value throughout: copying them with one
 * more pod keeps it, and lists are merged.  What is merged and thinned out is a list of values and
 * places; the labels stay where they were made until those that go on are known.
 *
 * Cost: width * classes * copies at most; memory width * classes * 8 bytes. */
#include "optimal/pricing/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"

#define LARGE      0.3  /* of a resource */
#define FEW        32   /* units of a resource: devices */
#define CROWD      4    /* labels from which on one is asked for multipliers */
#define POOR       3    /* lessons in a row that shut out few labels: enough */
#define PART       16   /* of the labels, that a lesson should shut out */
#define PATIENT    256  /* width of a search that takes the time to learn */
#define FEW_COPIES 2    /* that every search tries */
#define FRESH      4    /* levels after which the bounds of all labels are recomputed */
#define LIMIT_MAX  128  /* labels that are asked about all other items */
#define FIRST_STEP 2e-4 /* of the bound: how far below it a proof begins */
#define FURTHER    2    /* times as far, the next time */

#define DIMS_USUAL 8 /* resources that can run out on a node: memory for this many at once */

struct label {
    double value, bound; /* of it, and of all that can become of it */
    struct stow_search_step step;
    uint64_t asked; /* for multipliers of its own, at this level or before */
    double left[];  /* per resource */
};

struct search {
    struct stow_sack *s;
    struct stow_beam *b;
    struct stow_multipliers *known;
    double best;    /* value to beat */
    double dropped; /* the best prospect that was dropped */
    uint32_t width;
    bool late;
};

/* ---- memory ---------------------------------------------------------------------------------- */

static void free_lists(struct stow_beam *b)
{
    void *owned[] = {b->from.at, b->to.at,   b->spare.at, b->ranks.at, b->more.at,
                     b->bound,   b->history, b->best,     b->most};

    for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
        free(owned[i]);
    b->from.at = b->to.at = b->spare.at = NULL;
    b->ranks.at = b->more.at = NULL;
    b->bound = NULL;
    b->history = NULL;
    b->best = b->most = NULL;
    b->width = b->levels = b->dims = 0;
}

void stow_beam_done(struct stow_beam *b)
{
    stow_prospect_done(&b->prospect);
    stow_frontier_done(&b->frontier);
    free_lists(b);
    memset(b, 0, sizeof(*b));
}

/* `to` holds four times the width: it is cut back before
 * that is full; the three lists take turns. */
static bool allocate(struct stow_beam *b, size_t width, size_t levels, size_t dims)
{
    const size_t size = sizeof(struct label) + dims * sizeof(double);

    b->from.at = malloc(width * 4 * size);
    b->to.at = malloc(width * 4 * size);
    b->spare.at = malloc(width * 4 * size);
    b->ranks.at = malloc(width * 4 * sizeof(*b->ranks.at));
    b->more.at = malloc(width * sizeof(*b->more.at));
    b->bound = malloc(width * 4 * sizeof(*b->bound));
    b->history = malloc(width * (levels + 1) * sizeof(*b->history));
    b->best = malloc((levels + 1) * sizeof(*b->best));
    b->most = malloc((levels + 1) * sizeof(*b->most));
    return b->from.at && b->to.at && b->spare.at && b->ranks.at && b->more.at && b->bound &&
           b->history && b->best && b->most;
}

static int reserve(struct stow_beam *b, uint32_t width, uint32_t levels, uint32_t dims)
{
    b->size = sizeof(struct label) + dims * sizeof(double);
    if (b->width >= width && b->levels >= levels && b->dims >= dims)
        return 0;
    dims = dims > DIMS_USUAL ? dims : DIMS_USUAL;
    free_lists(b);
    if (!allocate(b, width, levels, dims)) {
        free_lists(b);
        return STOW_ENOMEM;
    }
    b->width = width;
    b->levels = levels;
    b->dims = dims;
    return 0;
}

static struct label *label_at(const struct search *t, const struct stow_labels *list, uint32_t i)
{
    return (struct label *)(void *)(list->at + i * t->b->size);
}

/* The label of `to` that has this place in the order. */
static struct label *ranked_label(const struct search *t, uint32_t i)
{
    return label_at(t, &t->b->to, t->b->ranks.at[i].label);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The largest part of a resource that an item takes. */
static double share(const struct stow_sack *s, uint32_t i)
{
    double most = 0;

    for (uint32_t d = 0; d < s->dims; d++) {
        double need = s->need[(size_t)d * s->max + i];

        if (need > 0 && need / s->cap[d] > most)
            most = need / s->cap[d];
    }
    return most;
}

/* Large ones first; among the others those first that ask for the scarcest units. */
void stow_sack_order(struct stow_sack *s)
{
    uint32_t last = s->dims ? s->dims - 1 : 0;
    bool few = s->dims && s->cap[last] <= FEW;

    s->small = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        double part = share(s, i);

        s->order[i] = i;
        s->small += part > LARGE;
        s->key[i] = part + (few ? s->need[(size_t)last * s->max + i] : 0);
        s->key[i] += part > LARGE ? 2 * FEW : 0;
    }
    qsort_r(s->order, s->n, sizeof(*s->order), stow_sack_by_key, s->key);
}

/* ---- one level ------------------------------------------------------------------------------- */

/* What is left without this many copies of an item; false: there is no room for them. */
static bool take(const double *from, const double *copies, uint32_t dims, double *left)
{
    bool fits = true;

    for (uint32_t d = 0; d < dims; d++) {
        left[d] = from[d] - copies[d];
        fits &= left[d] >= 0;
    }
    return fits;
}

static void needs_of(const struct stow_sack *s, uint32_t i, double copies, double *need)
{
    for (uint32_t d = 0; d < s->dims; d++)
        need[d] = copies * s->need[(size_t)d * s->max + i];
}

/* Adds to `to` what becomes of the labels of `from` with this many copies of an item, and lists it
 * in order; false: there is room for them in none. */
static bool take_copies(struct search *t, uint32_t level, uint32_t copies, struct stow_ranks *list)
{
    struct stow_labels *to = &t->b->to;
    uint32_t i = t->s->order[level], dims = t->s->dims;
    double need[STOW_SCARCE_MAX], gain = copies * t->s->y[i];
    bool room = false;

    needs_of(t->s, i, copies, need);
    list->count = 0;
    for (uint32_t f = 0; f < t->b->from.count; f++) {
        const struct label *from = label_at(t, &t->b->from, f);
        struct label *made = label_at(t, to, to->count);

        if (!take(from->left, need, dims, made->left))
            continue;
        room = true;
        made->value = from->value + gain;
        made->bound = made->value + stow_prospect_of(&t->b->prospect, level + 1, made->left,
                                                     t->best - made->value);
        if (made->bound > from->bound)
            made->bound = from->bound; /* nothing becomes of it that was not there before */
        if (made->bound <= t->best)
            continue;
        made->step = (struct stow_search_step){f, copies};
        made->asked = copies ? 0 : from->asked;
        list->at[list->count++] = (struct stow_rank){made->value, to->count++};
    }
    return room;
}

/* Merges the few into the many, from the end. */
static void merge(struct stow_ranks *to, const struct stow_ranks *more)
{
    const struct stow_rank *x = to->at + to->count, *y = more->at + more->count;
    struct stow_rank *z = to->at + to->count + more->count;

    to->count += more->count;
    while (x > to->at && y > more->at) {
        if (x[-1].value < y[-1].value)
            *--z = *--x;
        else
            *--z = *--y;
    }
    while (y > more->at)
        *--z = *--y;
}

/* The labels that are left, in order: the spare list takes them, and the place of `list`. */
static void collect(struct search *t, struct stow_labels *list)
{
    struct stow_beam *b = t->b;
    struct stow_labels old = *list;

    for (uint32_t i = 0; i < b->ranks.count; i++) {
        memcpy(label_at(t, &b->spare, i), ranked_label(t, i), b->size);
        b->ranks.at[i].label = i;
    }
    *list = b->spare;
    list->count = b->ranks.count;
    b->spare = old;
}

static void swap(double *a, double *b)
{
    double x = *b;

    *b = *a;
    *a = x;
}

/* The `rank`-th largest number, by quickselect; the array is mixed up.  Each number is swapped
 * whether it must be or not, since that cannot be guessed. */
static double ranked(double *list, uint32_t n, uint32_t rank)
{
    uint32_t low = 0, high = n;

    while (high - low > 1) { /* larger | equal | smaller */
        double pivot = list[low + (high - low) / 2];
        uint32_t equal = low, smaller;

        for (uint32_t i = low; i < high; i++) {
            swap(&list[equal], &list[i]);
            equal += list[equal] > pivot;
        }
        if (rank < equal) {
            high = equal;
            continue;
        }
        smaller = equal;
        for (uint32_t i = equal; i < high; i++) {
            swap(&list[smaller], &list[i]);
            smaller += list[smaller] == pivot;
        }
        if (rank < smaller)
            return pivot;
        low = smaller;
    }
    return list[low];
}

/* Keeps the `width` labels with the best prospects, in their order. */
static void cut_back(struct search *t)
{
    struct stow_ranks *list = &t->b->ranks;
    uint32_t kept = 0, equals = t->width;
    double least;

    if (list->count <= t->width)
        return;
    for (uint32_t i = 0; i < list->count; i++)
        t->b->bound[i] = ranked_label(t, i)->bound;
    least = ranked(t->b->bound, list->count, t->width);
    for (uint32_t i = 0; i < list->count; i++)
        equals -= ranked_label(t, i)->bound > least; /* this many of the equals are kept, too */
    for (uint32_t i = 0; i < list->count; i++) {
        double bound = ranked_label(t, i)->bound;

        if (bound < least || (bound == least && equals == 0)) {
            t->dropped = bound > t->dropped ? bound : t->dropped;
            continue;
        }
        equals -= bound == least;
        list->at[kept++] = list->at[i];
    }
    list->count = kept;
}

static void forget_superfluous(struct search *t)
{
    struct stow_ranks *list = &t->b->ranks;
    uint32_t kept = 0;

    stow_frontier_clear(&t->b->frontier);
    for (uint32_t i = 0; i < list->count; i++)
        if (stow_frontier_admit(&t->b->frontier, ranked_label(t, i)->left))
            list->at[kept++] = list->at[i];
    list->count = kept;
}

/* Of those that were not asked; NULL: all were. */
static struct label *most_promising(const struct search *t)
{
    struct label *best = NULL;

    for (uint32_t i = 0; i < t->b->ranks.count; i++) {
        struct label *label = ranked_label(t, i);

        if (!label->asked && (!best || label->bound > best->bound))
            best = label;
    }
    return best;
}

/* Lowers all bounds by the multipliers at a place; those that fall below the threshold go. */
static void lower_bounds(struct search *t, uint32_t level, uint32_t place)
{
    struct stow_ranks *list = &t->b->ranks;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        struct label *label = ranked_label(t, i);
        double bound = label->value + stow_prospect_by(&t->b->prospect, place, level, label->left);

        label->bound = bound < label->bound ? bound : label->bound;
        if (label->bound > t->best)
            list->at[kept++] = list->at[i];
    }
    list->count = kept;
}

/* Better multipliers, as long as they shut out some labels. */
static void learn(struct search *t, uint32_t level)
{
    const struct stow_ranks *list = &t->b->ranks;

    if (level >= t->s->n || t->width < PATIENT)
        return;
    for (uint32_t poor = 0; poor < POOR && list->count >= CROWD;) {
        struct label *best = most_promising(t);
        uint32_t before = list->count, place;

        if (!best)
            return;
        best->asked = 1;
        place = stow_prospect_learn(&t->b->prospect, t->known, level, best->left);
        lower_bounds(t, level, place);
        if (list->count < before)
            t->known->used[place] = ++t->known->uses;
        poor = before - list->count <= before / PART ? poor + 1 : 0;
    }
}

/* Whether some label can still become something with this many copies of an item. */
static bool worth_trying(const struct search *t, const struct stow_labels *list, uint32_t i,
                         double copies)
{
    const struct stow_sack *s = t->s;
    double need[STOW_SCARCE_MAX], left[STOW_SCARCE_MAX];

    needs_of(s, i, copies, need);
    for (uint32_t f = 0; f < list->count; f++) {
        const struct label *from = label_at(t, list, f);
        double value = from->value + copies * s->y[i];

        if (take(from->left, need, s->dims, left) &&
            value + stow_prospect_of(&t->b->prospect, s->small, left, t->best - value) > t->best)
            return true;
    }
    return false;
}

/* Once all large items are decided few labels are left, and all of them together tell which of the
 * others can matter at all: no label need try the rest, level by level. */
static void limit_copies(struct search *t, const struct stow_labels *list)
{
    const struct stow_sack *s = t->s;

    if (list->count > LIMIT_MAX)
        return;
    for (uint32_t level = s->small; level < s->n; level++) {
        uint32_t i = s->order[level], copies = 0;

        while (copies < t->b->most[level] && worth_trying(t, list, i, copies + 1))
            copies++;
        t->b->most[level] = copies;
    }
}

/* Every label goes on as it is. */
static void skip_level(struct search *t, uint32_t level)
{
    for (uint32_t i = 0; i < t->b->from.count; i++)
        t->b->history[(size_t)level * t->b->width + i] = (struct stow_search_step){i, 0};
}

/* The labels as they are, with none of the item.  Their bounds come down little from one level to
 * the next, so they are looked at again now and then only. */
static void take_none(struct search *t, uint32_t level)
{
    struct stow_beam *b = t->b;

    if (level % FRESH == 0 || level + 1 == t->s->small) {
        take_copies(t, level, 0, &b->ranks);
        return;
    }
    memcpy(b->to.at, b->from.at, b->from.count * b->size);
    b->to.count = b->ranks.count = b->from.count;
    for (uint32_t i = 0; i < b->to.count; i++) {
        struct label *label = label_at(t, &b->to, i);

        label->step = (struct stow_search_step){i, 0};
        b->ranks.at[i] = (struct stow_rank){label->value, i};
    }
}

/* A hurried search tries a few copies, and about as many as the relaxation has. */
static bool is_passed_over(struct search *t, uint32_t level, uint32_t copies)
{
    double wanted = t->s->x[t->s->order[level]];

    if (t->width >= PATIENT || copies <= FEW_COPIES || fabs(copies - wanted) <= FEW_COPIES)
        return false;
    t->dropped = t->s->bound; /* unknown */
    return true;
}

/* All that becomes of the labels of `from`, in order. */
static void take_item(struct search *t, uint32_t level)
{
    struct stow_beam *b = t->b;

    b->to.count = 0;
    take_none(t, level);
    for (uint32_t copies = 1; copies <= b->most[level]; copies++) {
        if (is_passed_over(t, level, copies))
            continue;
        if (!take_copies(t, level, copies, &b->more))
            return;
        merge(&b->ranks, &b->more);
        if (b->ranks.count > 3 * t->width) {
            cut_back(t);
            collect(t, &b->to);
        }
    }
}

static void run_level(struct search *t, uint32_t level)
{
    struct stow_beam *b = t->b;

    if (b->most[level] == 0) {
        skip_level(t, level);
        return;
    }
    take_item(t, level);
    forget_superfluous(t);
    learn(t, level + 1);
    cut_back(t);
    for (uint32_t i = 0; i < b->ranks.count; i++)
        b->history[(size_t)level * b->width + i] = ranked_label(t, i)->step;
    collect(t, &b->from);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void write_pattern(const struct search *t, uint32_t label, uint32_t *count)
{
    const struct stow_sack *s = t->s;

    memset(count, 0, s->n * sizeof(*count));
    for (uint32_t level = s->n; level-- > 0;) {
        struct stow_search_step step = t->b->history[(size_t)level * t->b->width + label];

        count[s->order[level]] = step.copies;
        label = step.parent;
    }
}

/* Whether a pattern has more of some item than all those kept; it is added to what they have. */
static bool brings_news(const struct search *t, const uint32_t *count)
{
    bool news = false;

    for (uint32_t i = 0; i < t->s->n; i++)
        if (count[i] > t->b->best[i]) {
            t->b->best[i] = count[i];
            news = true;
        }
    return news;
}

/* The best labels of the last level become the patterns, each with something the others lack. */
static void keep_best(struct search *t)
{
    struct stow_sack *s = t->s;
    uint32_t kept = 0;

    memset(t->b->best, 0, s->n * sizeof(*t->b->best));
    for (uint32_t i = 0; i < t->b->from.count && kept < STOW_SACK_PATTERNS; i++) {
        if (label_at(t, &t->b->from, i)->value <= t->best)
            break;
        write_pattern(t, i, s->count + (size_t)kept * s->max);
        kept += brings_news(t, s->count + (size_t)kept * s->max);
    }
    if (kept == 0)
        return;
    s->patterns = kept;
    s->value = t->best = label_at(t, &t->b->from, 0)->value;
}

/* ---- all levels ------------------------------------------------------------------------------ */

static void start(struct search *t)
{
    struct stow_beam *b = t->b;
    struct label *root = label_at(t, &b->from, 0);

    *root = (struct label){.bound = t->s->bound};
    memcpy(root->left, t->s->cap, t->s->dims * sizeof(double));
    b->from.count = 1;
    for (uint32_t level = 0; level < t->s->n; level++)
        b->most[level] = (uint32_t)t->s->u[t->s->order[level]];
    stow_frontier_open(&b->frontier, t->s->dims, t->s->cap);
}

static int open_search(struct search *t, double above)
{
    struct stow_sack *s = t->s;

    t->best = s->value > above ? s->value : above;
    if (s->bound <= t->best)
        return 1;
    STOW_TRY(reserve(t->b, t->width, s->n + 1, s->dims));
    STOW_TRY(stow_prospect_open(&t->b->prospect, s, t->known));
    start(t);
    return 0;
}

/* All levels before `end`. */
static void run_levels(struct search *t, uint32_t end)
{
    for (uint32_t level = 0; level < end && t->b->from.count && !t->late; level++) {
        t->late = stow_clock_is_over(t->b->deadline);
        if (level == t->s->small)
            limit_copies(t, &t->b->from);
        run_level(t, level);
    }
}

static void lower_to(struct stow_sack *s, double worth)
{
    s->bound = worth < s->bound ? worth : s->bound;
}

int stow_sack_search(struct stow_sack *s, struct stow_beam *b, struct stow_multipliers *known,
                     double above, uint32_t width)
{
    struct search t = {.s = s, .b = b, .known = known, .width = width};
    int opened = open_search(&t, above);

    if (opened)
        return opened;
    run_levels(&t, s->n);
    if (t.late)
        return 0;
    keep_best(&t);
    lower_to(s, t.dropped > t.best ? t.dropped : t.best);
    return t.dropped <= t.best;
}

/* Lowers the bound to what the large items leave possible; as above. */
static int look_ahead(struct search *t, double goal)
{
    int opened = open_search(t, goal);
    double worth = t->best;

    if (opened)
        return opened;
    run_levels(t, t->s->small);
    if (t->late)
        return 0;
    for (uint32_t i = 0; i < t->b->from.count; i++) {
        const struct label *label = label_at(t, &t->b->from, i);
        double bound =
            label->value + stow_prospect_of(&t->b->prospect, t->s->small, label->left, 0);

        bound = bound < label->bound ? bound : label->bound;
        worth = bound > worth ? bound : worth;
    }
    lower_to(t->s, t->dropped > worth ? t->dropped : worth);
    return t->s->bound <= t->best;
}

int stow_sack_settle(struct stow_sack *s, struct stow_beam *b, struct stow_multipliers *known,
                     double goal, uint32_t width)
{
    struct search t = {.s = s, .b = b, .known = known, .width = width};
    int ended = look_ahead(&t, goal);

    for (double step = FIRST_STEP; ended == 0; step *= FURTHER) {
        double best = s->value > goal ? s->value : goal, above = s->bound * (1 - step);

        ended = stow_sack_search(s, b, known, above > best ? above : best, width);
        if (ended < 0)
            return ended;
        best = s->value > goal ? s->value : goal;
        if (s->bound <= best)
            return 1;
        if (ended == 0)
            return 0;
        ended = 0;
    }
    return ended;
}
