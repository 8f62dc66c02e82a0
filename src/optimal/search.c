/* search.c - the best pattern of one node, by search between bounds.
 *
 * Problem.  The bounds say what a node could be worth at most.  Wanted: a pattern of whole pods
 * worth more than a threshold, or the certainty that there is none.
 *
 * Idea.  Decide class by class how many copies to take, large pods first so that small ones fill
 * what is left, and carry all partial patterns of a level along side by side: a label is what is
 * left of each resource and the value taken so far.  Of two labels with the same remainder the one
 * of lower value goes.  At each level the pods still to come can add no more than
 *
 *     row(level)[units left] + offset(level) + sum over the other resources of
 *                                              lambda * min(what is left, what they could use)
 *
 * (counted.c; there are two such tables, and the smaller of their bounds counts).  Labels that
 * cannot pass the threshold go, too.  Near the end of column generation the threshold is next to
 * the bound at the root, and few labels survive.  When more than `width` survive, those with the
 * least prospects are dropped; the best prospect dropped then limits what is known about the node.
 * So a narrow search is a heuristic that finds patterns, a wide one a proof, and each yields a true
 * bound.
 *
 * Why not depth first: a few kinds decide the whole bound (eight devices, cpu and memory both
 * tight), and there the same remainders come back a thousand times in different ways.
 *
 * Cost: width * classes * copies at most; memory width * classes * 8 bytes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimal/knapsack.h"

#define MARGIN 1e-12

/* ---- rounding
 * ------------------------------------------------------------------------------------ */

static double fitting(const struct stow_sack *s, const double *left, uint32_t i)
{
    double copies = s->u[i];

    for (uint32_t d = 0; d < s->dims; d++) {
        double need = s->need[(size_t)d * s->max + i];

        if (need > 0 && left[d] < copies * need)
            copies = floor(left[d] / need);
    }
    return copies;
}

static void take(const struct stow_sack *s, double *left, uint32_t i, double copies)
{
    for (uint32_t d = 0; d < s->dims; d++)
        left[d] -= copies * s->need[(size_t)d * s->max + i];
}

static int by_key(const void *a, const void *b, void *context)
{
    const double *key = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return key[x] != key[y] ? (key[x] > key[y] ? -1 : 1) : (x < y ? -1 : x > y);
}

static double value_of(const struct stow_sack *s, const uint32_t *count)
{
    double value = 0;

    for (uint32_t i = 0; i < s->n; i++)
        value += s->y[i] * count[i];
    return value;
}

void stow_sack_round(struct stow_sack *s)
{
    double *left = s->left;

    memcpy(left, s->cap, s->dims * sizeof(*left));
    for (uint32_t i = 0; i < s->n; i++) {
        double whole = floor(s->x[i] + 1e-6), fit = fitting(s, left, i);

        s->count[i] = (uint32_t)(whole < 0 ? 0 : whole > fit ? fit : whole);
        take(s, left, i, s->count[i]);
        s->order[i] = i;
    }
    qsort_r(s->order, s->n, sizeof(*s->order), by_key, s->y);
    for (uint32_t j = 0; j < s->n; j++) {
        uint32_t i = s->order[j];
        double more = fitting(s, left, i), room = s->u[i] - s->count[i];

        more = more < room ? more : room;
        s->count[i] += (uint32_t)more;
        take(s, left, i, more);
    }
    s->value = value_of(s, s->count);
    s->patterns = 1;
}

/* ---- searching
 * ------------------------------------------------------------------------------------- */

struct search {
    struct stow_sack *s;
    struct stow_beam *b;
    uint32_t n;     /* items that may appear */
    double best;    /* value to beat */
    double dropped; /* the best prospect that was dropped */
    double margin;  /* of rounding, in all bounds */
    uint32_t width;
    uint32_t from, to; /* labels of this level and of the next: halves of the beam's arrays */
    uint32_t count, next;
};

void stow_beam_done(struct stow_beam *b)
{
    free(b->label);
    free(b->left);
    free(b->slot);
    free(b->history);
    free(b->pick);
    memset(b, 0, sizeof(*b));
}

/* Labels of two levels, four times the width each: it is cut back when that is full. */
static int reserve(struct stow_beam *b, uint32_t width, uint32_t levels, uint32_t dims)
{
    uint32_t slots = 16;

    while (slots < width * 8)
        slots *= 2;
    if (b->width >= width && b->levels >= levels && b->dims >= dims)
        return 0;
    stow_beam_done(b);
    b->label = malloc((size_t)width * 8 * sizeof(*b->label));
    b->left = malloc((size_t)width * 8 * (dims + 1) * sizeof(*b->left));
    b->slot = malloc(slots * sizeof(*b->slot));
    b->pick = malloc((size_t)width * 4 * sizeof(*b->pick));
    b->history = malloc((size_t)width * (levels + 1) * sizeof(*b->history));
    if (!b->label || !b->left || !b->slot || !b->pick || !b->history) {
        stow_beam_done(b);
        return STOW_ENOMEM;
    }
    b->width = width;
    b->levels = levels;
    b->dims = dims;
    b->slots = slots;
    return 0;
}

static double *left_of(const struct search *t, uint32_t half, uint32_t i)
{
    return t->b->left + ((size_t)half * t->b->width * 4 + i) * t->s->dims;
}

static struct stow_partial *label_of(const struct search *t, uint32_t half, uint32_t i)
{
    return t->b->label + (size_t)half * t->b->width * 4 + i;
}

/* What the items from each level on could use at most. */
static void fill_totals(struct search *t)
{
    struct stow_sack *s = t->s;
    double *total = s->total + (size_t)t->n * s->dims;

    memset(total, 0, s->dims * sizeof(*total));
    for (uint32_t level = t->n; level-- > 0;) {
        uint32_t i = s->order[level];

        total -= s->dims;
        for (uint32_t d = 0; d < s->dims; d++)
            total[d] = total[s->dims + d] + s->u[i] * s->need[(size_t)d * s->max + i];
    }
}

static bool hopeless(const struct search *t, uint32_t i)
{
    for (uint32_t j = 0; j < t->s->tables; j++) {
        const struct stow_sheet *table = &t->s->table[j];

        if (table->used && table->reduced[i] < 0 && table->bound + table->reduced[i] <= t->best)
            return true;
    }
    return false;
}

static void move_rows(struct stow_sack *s, uint32_t from, uint32_t to)
{
    for (uint32_t j = 0; j < s->tables; j++) {
        if (!s->table[j].used)
            continue;
        s->table[j].row[to] = s->table[j].row[from];
        s->table[j].offset[to] = s->table[j].offset[from];
    }
}

/* Leaves out the items whose first copy already costs too much: their rows are those of the next
 * item, so the rows stay right. */
static void drop_items(struct search *t)
{
    struct stow_sack *s = t->s;

    t->n = 0;
    for (uint32_t level = 0; level < s->n; level++) {
        uint32_t i = s->order[level];

        if (hopeless(t, i))
            continue;
        s->order[t->n] = i;
        move_rows(s, level, t->n++);
    }
    move_rows(s, s->n, t->n);
}

/* The most that a state at a level can come to. */
static double prospect(const struct search *t, uint32_t level, const double *left, double value)
{
    const struct stow_sack *s = t->s;
    const double *total = s->total + (size_t)level * s->dims;
    double least = INFINITY;

    for (uint32_t j = 0; j < s->tables; j++) {
        const struct stow_sheet *table = &s->table[j];

        if (!table->used)
            continue;

        double more = table->offset[level] + table->row[level][stow_sheet_cell(table, left)];

        for (uint32_t d = 0; d < s->dims; d++)
            if (table->lambda[d] > 0)
                more += table->lambda[d] * (left[d] < total[d] ? left[d] : total[d]);
        least = more < least ? more : least;
    }
    return value + least + t->margin;
}

static uint32_t hash_of(const double *left, uint32_t dims)
{
    uint64_t h = 0, bits;

    for (uint32_t d = 0; d < dims; d++) {
        memcpy(&bits, &left[d], sizeof(bits));
        h = (h ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

/* Where a remainder is, or would be, in the table of the next level. */
static uint32_t *find(const struct search *t, const double *left)
{
    uint32_t at = hash_of(left, t->s->dims) & (t->b->slots - 1);

    while (t->b->slot[at] != UINT32_MAX &&
           memcmp(left_of(t, t->to, t->b->slot[at]), left, t->s->dims * sizeof(*left)) != 0)
        at = (at + 1) & (t->b->slots - 1);
    return &t->b->slot[at];
}

/* More prospects first; the order of equals does not matter, but must be the same each time. */
static bool ahead(const struct stow_partial *label, uint32_t x, uint32_t y)
{
    return label[x].bound != label[y].bound ? label[x].bound > label[y].bound : x < y;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t keep = *a;

    *a = *b;
    *b = keep;
}

/* Moves the `keep` labels with the best prospects to the front of `pick`, by quickselect. */
static void select_best(uint32_t *pick, uint32_t n, uint32_t keep, const struct stow_partial *label)
{
    uint32_t low = 0, high = n;

    while (high - low > 1) {
        uint32_t pivot = pick[low + (high - low) / 2], i = low, j = high - 1;

        for (;;) {
            while (ahead(label, pick[i], pivot))
                i++;
            while (ahead(label, pivot, pick[j]))
                j--;
            if (i >= j)
                break;
            swap(&pick[i++], &pick[j--]);
        }
        if (j + 1 == low || j + 1 == high)
            return; /* cannot be: both sides hold something */
        if (keep <= j + 1)
            high = j + 1;
        else
            low = j + 1;
        if (keep == high || keep == low)
            return;
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Keeps the `width` labels with the best prospects, in their order. */
static void cut_back(struct search *t)
{
    struct stow_beam *b = t->b;
    struct stow_partial *label = label_of(t, t->to, 0);
    uint32_t keep = t->width;

    if (t->next <= keep)
        return;
    for (uint32_t i = 0; i < t->next; i++)
        b->pick[i] = i;
    select_best(b->pick, t->next, keep, label);
    for (uint32_t i = keep; i < t->next; i++)
        if (label[b->pick[i]].bound > t->dropped)
            t->dropped = label[b->pick[i]].bound;
    qsort(b->pick, keep, sizeof(*b->pick), by_number);
    for (uint32_t i = 0; i < keep; i++) {
        label[i] = label[b->pick[i]];
        memmove(left_of(t, t->to, i), left_of(t, t->to, b->pick[i]), t->s->dims * sizeof(double));
    }
    t->next = keep;
    memset(b->slot, 0xFF, b->slots * sizeof(*b->slot));
    for (uint32_t i = 0; i < keep; i++)
        *find(t, left_of(t, t->to, i)) = i;
}

/* A label of the next level, unless one of the same remainder is as good. */
static void add_label(struct search *t, const double *left, const struct stow_partial *made)
{
    if (t->next == t->width * 4)
        cut_back(t);

    uint32_t *slot = find(t, left);

    if (*slot == UINT32_MAX) {
        memcpy(left_of(t, t->to, t->next), left, t->s->dims * sizeof(*left));
        *slot = t->next++;
    } else if (label_of(t, t->to, *slot)->value >= made->value) {
        return;
    }
    *label_of(t, t->to, *slot) = *made;
}

/* All numbers of copies of a level's item on top of one label. */
static void extend(struct search *t, uint32_t level, uint32_t from)
{
    const struct stow_sack *s = t->s;
    uint32_t i = s->order[level];
    const double *left = left_of(t, t->from, from);
    double value = label_of(t, t->from, from)->value, next[STOW_PROBLEM_DIMS_MAX];

    for (uint32_t copies = (uint32_t)fitting(s, left, i) + 1; copies-- > 0;) {
        double q = copies;

        for (uint32_t d = 0; d < s->dims; d++)
            next[d] = left[d] - q * s->need[(size_t)d * s->max + i];

        struct stow_partial made = {value + q * s->y[i], 0, {from, copies}};

        made.bound = prospect(t, level + 1, next, made.value);
        if (made.bound > t->best)
            add_label(t, next, &made);
    }
}

static void run_level(struct search *t, uint32_t level)
{
    struct stow_beam *b = t->b;

    t->next = 0;
    memset(b->slot, 0xFF, b->slots * sizeof(*b->slot));
    for (uint32_t i = 0; i < t->count; i++)
        extend(t, level, i);
    cut_back(t);
    for (uint32_t i = 0; i < t->next; i++)
        b->history[(size_t)level * b->width + i] = label_of(t, t->to, i)->step;
    t->count = t->next;
    t->from = t->to;
    t->to = !t->to;
}

/* Writes the pattern of a label of the last level. */
static void write_pattern(struct search *t, uint32_t label, uint32_t *count)
{
    const struct stow_sack *s = t->s;

    memset(count, 0, s->n * sizeof(*count));
    for (uint32_t level = t->n; level-- > 0;) {
        struct stow_extension step = t->b->history[(size_t)level * t->b->width + label];

        count[s->order[level]] = step.copies;
        label = step.parent;
    }
}

static int by_value(const void *a, const void *b, void *context)
{
    const struct stow_partial *label = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (label[x].value != label[y].value)
        return label[x].value > label[y].value ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* The best labels of the last level become the patterns; what there was before is no better. */
static void keep_best(struct search *t)
{
    struct stow_sack *s = t->s;
    uint32_t *pick = t->b->pick, keep = 0;

    for (uint32_t i = 0; i < t->count; i++)
        pick[i] = i;
    qsort_r(pick, t->count, sizeof(*pick), by_value, label_of(t, t->from, 0));
    while (keep < t->count && keep < STOW_SACK_PATTERNS &&
           label_of(t, t->from, pick[keep])->value > t->best)
        keep++;
    if (keep == 0)
        return;
    for (uint32_t i = 0; i < keep; i++)
        write_pattern(t, pick[i], s->count + (size_t)i * s->max);
    s->patterns = keep;
    s->value = t->best = label_of(t, t->from, pick[0])->value;
}

int stow_sack_search(struct stow_sack *s, struct stow_beam *b, double above, uint32_t width)
{
    struct search t = {.s = s, .b = b, .width = width, .to = 1};

    t.best = s->value > above ? s->value : above;
    if (s->bound <= t.best)
        return 1;
    STOW_TRY(reserve(b, width, s->n + 1, s->dims));
    t.margin = s->bound * MARGIN * (s->n + 4.0);
    drop_items(&t);
    fill_totals(&t);
    memcpy(left_of(&t, 0, 0), s->cap, s->dims * sizeof(double));
    *label_of(&t, 0, 0) = (struct stow_partial){0};
    t.count = 1;
    for (uint32_t level = 0; level < t.n && t.count; level++)
        run_level(&t, level);
    keep_best(&t);
    if (t.dropped > t.best && t.dropped < s->bound)
        s->bound = t.dropped;
    return t.dropped <= t.best;
}
