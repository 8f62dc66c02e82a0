/* search.c - the best pattern of one node, by search between bounds.
 *
 * Problem.  The relaxation says what a node could be worth at most.  Wanted: patterns of whole pods
 * worth more than a threshold, or the certainty that there is none.
 *
 * Idea.  Decide class by class how many copies to take, large pods first so that small ones fill
 * what is left, and carry the partial patterns of a level along side by side.  Three things make
 * them few.  What can still be added is bounded (prospect.c): those that cannot pass the threshold
 * go.  Of two of which one is worth no more and leaves no more, that one goes (frontier.c).  And
 * where many are left over, the remainder that promises most is asked for multipliers of its own,
 * which lower the bounds of those like it.
 *
 * When more than `width` survive, those with the least prospects are dropped; the best prospect
 * dropped then limits what is known about the node.  So a narrow search is a heuristic that finds
 * patterns, a wide one a proof, and each yields a true bound.
 *
 * Thresholds.  A search is the longer the farther its threshold is below the bound, and most of
 * what it goes through is between the threshold and the best pattern.  A proof therefore asks for a
 * little below the bound first, then for four times as much, until it finds something or has come
 * down to its goal (stow_sack_settle).
 *
 * Order.  Labels of a level are in the order of falling value throughout: copying them with one
 * more pod keeps it, and lists are merged.
 *
 * Cost: width * classes * copies at most; memory width * classes * 8 bytes. */
#include "optimal/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define LARGE      0.3 /* of a resource */
#define FEW        32  /* units of a resource: devices */
#define CROWD      32
#define PATIENT    256 /* width of a search that takes the time to learn */
#define FEW_COPIES 2
#define LESSONS    12
#define WORTH_IT   0.98
#define FRESH      4    /* levels after which the bounds of all labels are computed anew */
#define LIMIT_MAX  128  /* labels that are asked about all other items */
#define FIRST_STEP 2e-4 /* of the bound: how far below it a proof begins */
#define FURTHER    2

struct label {
    double value, bound; /* of it, and of all that can become of it */
    struct stow_step step;
    double left[]; /* per resource */
};

struct search {
    struct stow_sack *s;
    struct stow_beam *b;
    struct stow_multipliers *known;
    double best;    /* value to beat */
    double dropped; /* the best prospect that was dropped */
    uint32_t width;
};

/* ---- memory ---------------------------------------------------------------------------------- */

static void free_lists(struct stow_beam *b)
{
    void *owned[] = {b->from.at, b->to.at, b->more.at, b->bound, b->history, b->best, b->most};

    for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
        free(owned[i]);
    b->from.at = b->to.at = b->more.at = NULL;
    b->bound = NULL;
    b->history = NULL;
    b->best = b->most = NULL;
    b->width = b->levels = 0;
}

void stow_beam_done(struct stow_beam *b)
{
    stow_prospect_done(&b->prospect);
    stow_frontier_done(&b->frontier);
    free_lists(b);
    memset(b, 0, sizeof(*b));
}

/* `to` holds four times the width: it is cut back before that is full. */
static int reserve(struct stow_beam *b, uint32_t width, uint32_t levels, uint32_t dims)
{
    size_t size = sizeof(struct label) + dims * sizeof(double);

    if (b->width >= width && b->levels >= levels && b->size >= size) {
        b->size = size;
        return 0;
    }
    free_lists(b);
    b->size = sizeof(struct label) + STOW_PROBLEM_DIMS_MAX * sizeof(double);
    b->from.at = malloc((size_t)width * 4 * b->size);
    b->to.at = malloc((size_t)width * 4 * b->size);
    b->more.at = malloc(width * b->size);
    b->bound = malloc((size_t)width * 4 * sizeof(*b->bound));
    b->history = malloc((size_t)width * (levels + 1) * sizeof(*b->history));
    b->best = malloc((levels + 1) * sizeof(*b->best));
    b->most = malloc((levels + 1) * sizeof(*b->most));
    if (!b->from.at || !b->to.at || !b->more.at || !b->bound || !b->history || !b->best ||
        !b->most) {
        free_lists(b);
        return STOW_ENOMEM;
    }
    b->width = width;
    b->levels = levels;
    b->size = size;
    return 0;
}

static struct label *label_at(const struct search *t, const struct stow_labels *list, uint32_t i)
{
    return (struct label *)(void *)(list->at + i * t->b->size);
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

/* Fills `to` with what becomes of the labels of `from` with so many copies of an item; false: there
 * is room for them in none. */
static bool take_copies(struct search *t, uint32_t level, uint32_t copies, struct stow_labels *to)
{
    const struct stow_sack *s = t->s;
    uint32_t i = s->order[level];
    double q = copies;
    bool room = false;

    to->count = 0;
    for (uint32_t f = 0; f < t->b->from.count; f++) {
        const struct label *from = label_at(t, &t->b->from, f);
        struct label *made = label_at(t, to, to->count);
        bool fits = true;

        for (uint32_t d = 0; d < s->dims; d++) {
            made->left[d] = from->left[d] - q * s->need[(size_t)d * s->max + i];
            fits &= made->left[d] >= 0;
        }
        if (!fits)
            continue;
        room = true;
        made->value = from->value + q * s->y[i];
        made->bound = made->value + stow_prospect_of(&t->b->prospect, level + 1, made->left,
                                                     t->best - made->value);
        if (made->bound > from->bound)
            made->bound = from->bound; /* nothing becomes of it that was not there before */
        if (made->bound <= t->best)
            continue;
        made->step = (struct stow_step){f, copies};
        to->count++;
    }
    return room;
}

/* Merges the few into the many, from the end. */
static void merge(const struct search *t, struct stow_labels *to, const struct stow_labels *more)
{
    uint32_t x = to->count, y = more->count, z = x + y;

    to->count = z;
    while (y) {
        const struct label *a = x ? label_at(t, to, x - 1) : NULL, *b = label_at(t, more, y - 1);

        if (a && a->value < b->value) {
            memcpy(label_at(t, to, --z), a, t->b->size);
            x--;
        } else {
            memcpy(label_at(t, to, --z), b, t->b->size);
            y--;
        }
    }
}

/* The `rank`-th largest number, by quickselect; the array is mixed up. */
static double ranked(double *list, uint32_t n, uint32_t rank)
{
    uint32_t low = 0, high = n;

    while (high - low > 1) {
        double pivot = list[low + (high - low) / 2];
        uint32_t i = low, j = low, k = high;

        while (j < k) { /* larger | equal | not seen | smaller */
            double x = list[j];

            if (x > pivot) {
                list[j++] = list[i];
                list[i++] = x;
            } else if (x < pivot) {
                list[j] = list[--k];
                list[k] = x;
            } else {
                j++;
            }
        }
        if (rank < i)
            high = i;
        else if (rank >= k)
            low = k;
        else
            return pivot;
    }
    return list[low];
}

/* Keeps the `width` labels with the best prospects, in their order. */
static void cut_back(struct search *t, struct stow_labels *list)
{
    uint32_t kept = 0, equals = 0;
    double least;

    if (list->count <= t->width)
        return;
    for (uint32_t i = 0; i < list->count; i++)
        t->b->bound[i] = label_at(t, list, i)->bound;
    least = ranked(t->b->bound, list->count, t->width);
    for (uint32_t i = 0; i < list->count; i++)
        equals += label_at(t, list, i)->bound > least;
    equals = t->width - equals; /* so many of the equals are kept, too */
    for (uint32_t i = 0; i < list->count; i++) {
        const struct label *label = label_at(t, list, i);

        if (label->bound < least || (label->bound == least && equals == 0)) {
            t->dropped = label->bound > t->dropped ? label->bound : t->dropped;
            continue;
        }
        equals -= label->bound == least;
        memmove(label_at(t, list, kept++), label, t->b->size);
    }
    list->count = kept;
}

static void forget_superfluous(struct search *t, struct stow_labels *list)
{
    uint32_t kept = 0;

    stow_frontier_clear(&t->b->frontier);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct label *label = label_at(t, list, i);

        if (stow_frontier_admit(&t->b->frontier, label->left))
            memmove(label_at(t, list, kept++), label, t->b->size);
    }
    list->count = kept;
}

static uint32_t most_promising(const struct search *t, const struct stow_labels *list)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < list->count; i++)
        if (label_at(t, list, i)->bound > label_at(t, list, best)->bound)
            best = i;
    return best;
}

/* Lowers all bounds by the multipliers at a place; those that fall below the threshold go. */
static void lower_bounds(struct search *t, struct stow_labels *list, uint32_t level, uint32_t place)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        struct label *label = label_at(t, list, i);
        double bound = label->value + stow_prospect_by(&t->b->prospect, place, level, label->left);

        label->bound = bound < label->bound ? bound : label->bound;
        if (label->bound > t->best)
            memmove(label_at(t, list, kept++), label, t->b->size);
    }
    list->count = kept;
}

/* Better multipliers where labels have become many since the last time. */
static void learn(struct search *t, struct stow_labels *list, uint32_t level)
{
    uint32_t crowd = level == t->s->small ? 1 : CROWD;

    if (list->count < crowd || level >= t->s->n || t->width < PATIENT)
        return;
    for (uint32_t i = 0; i < LESSONS && list->count >= crowd; i++) {
        uint32_t before = list->count;
        const struct label *top = label_at(t, list, most_promising(t, list));
        uint32_t place = stow_prospect_learn(&t->b->prospect, t->known, level, top->left);

        lower_bounds(t, list, level, place);
        if (list->count > WORTH_IT * before)
            break;
    }
}

/* Whether some label can still become something with so many copies of an item. */
static bool worth_trying(const struct search *t, const struct stow_labels *list, uint32_t i,
                         double copies)
{
    const struct stow_sack *s = t->s;
    double left[STOW_PROBLEM_DIMS_MAX];

    for (uint32_t f = 0; f < list->count; f++) {
        const struct label *from = label_at(t, list, f);
        double value = from->value + copies * s->y[i];
        bool fits = true;

        for (uint32_t d = 0; d < s->dims; d++) {
            left[d] = from->left[d] - copies * s->need[(size_t)d * s->max + i];
            fits &= left[d] >= 0;
        }
        if (fits &&
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
        t->b->history[(size_t)level * t->b->width + i] = (struct stow_step){i, 0};
}

/* The labels as they are, with none of the item.  Their bounds come down little from one level to
 * the next, so they are looked at again now and then only. */
static void take_none(struct search *t, uint32_t level)
{
    struct stow_beam *b = t->b;

    if (level % FRESH == 0 || level + 1 == t->s->small) {
        take_copies(t, level, 0, &b->to);
        return;
    }
    memcpy(b->to.at, b->from.at, b->from.count * b->size);
    b->to.count = b->from.count;
    for (uint32_t i = 0; i < b->to.count; i++)
        label_at(t, &b->to, i)->step = (struct stow_step){i, 0};
}

/* A hurried search tries a few copies, and about as many as the relaxation has. */
static bool is_passed_over(struct search *t, uint32_t level, uint32_t copies)
{
    double wanted = t->s->x[t->s->order[level]];

    if (t->width >= PATIENT || copies <= FEW_COPIES || fabs(copies - wanted) <= FEW_COPIES)
        return false;
    t->dropped = t->s->bound; /* nobody knows */
    return true;
}

static void run_level(struct search *t, uint32_t level)
{
    struct stow_beam *b = t->b;
    uint32_t most = b->most[level];
    struct stow_labels done;

    if (most == 0) {
        skip_level(t, level);
        return;
    }

    take_none(t, level);
    for (uint32_t copies = 1; copies <= most; copies++) {
        if (is_passed_over(t, level, copies))
            continue;
        if (!take_copies(t, level, copies, &b->more))
            break;
        merge(t, &b->to, &b->more);
        if (b->to.count > 3 * t->width)
            cut_back(t, &b->to);
    }
    forget_superfluous(t, &b->to);
    learn(t, &b->to, level + 1);
    cut_back(t, &b->to);
    for (uint32_t i = 0; i < b->to.count; i++)
        b->history[(size_t)level * b->width + i] = label_at(t, &b->to, i)->step;
    done = b->from;
    b->from = b->to;
    b->to = done;
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void write_pattern(const struct search *t, uint32_t label, uint32_t *count)
{
    const struct stow_sack *s = t->s;

    memset(count, 0, s->n * sizeof(*count));
    for (uint32_t level = s->n; level-- > 0;) {
        struct stow_step step = t->b->history[(size_t)level * t->b->width + label];

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
    for (uint32_t level = 0; level < end && t->b->from.count; level++) {
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
