/* model.c - from the problem as it is given to the one that is searched.
 *
 * Four reductions, none of which changes the answer:
 *
 *  - Classes that differ in nothing become one (not those of which a node takes only one: two such
 *    classes may share a node, one class may not).  Classes that fit nowhere drop out.
 *  - A kind's capacity is cut to what all pods that fit it together ask for.  A resource that no
 * pod there asks for becomes 0, so a GPU node is compared as a plain one when no pod wants GPUs.
 *    Capacity below 0 is 0: it excludes the pods that ask for the resource, and only those.
 *  - Amounts are divided by the greatest common divisor of what classes ask for, capacities
 *    rounded down.  That is exact (sums of needs are multiples) and keeps tables small.
 *  - Kinds that another one makes superfluous drop out (dominance.c), unless there are few: a proof
 *    that branches limits kinds, and beside a limited kind none is superfluous. */
#include "optimal/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"

/* ---- merging classes ----------------------------------------------------------------------- */

struct sorter {
    const struct stow_problem *p;
    uint64_t *signature; /* of the kinds that allow a class */
};

static uint64_t *signatures(const struct stow_problem *p)
{
    uint64_t *s = calloc(p->classes ? p->classes : 1, sizeof(*s));

    for (uint32_t g = 0; s && g < p->kinds; g++)
        for (uint32_t k = 0; p->kind[g].allowed && k < p->classes; k++)
            if (stow_problem_allows(&p->kind[g], k))
                s[k] = (s[k] ^ (g + 1)) * UINT64_C(0x9E3779B97F4A7C15);
    return s;
}

static int compare_needs(const struct stow_problem *p, uint32_t a, uint32_t b)
{
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t x = p->class[a].need[d], y = p->class[b].need[d];

        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int compare_classes(const void *pa, const void *pb, void *context)
{
    const struct sorter *s = context;
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    const struct stow_problem_class *x = &s->p->class[a], *y = &s->p->class[b];
    int order = compare_needs(s->p, a, b);

    if (order)
        return order;
    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    if (s->signature[a] != s->signature[b])
        return s->signature[a] < s->signature[b] ? -1 : 1;
    return a < b ? -1 : a > b;
}

static bool same_kinds(const struct stow_problem *p, uint32_t a, uint32_t b)
{
    for (uint32_t g = 0; g < p->kinds; g++)
        if (stow_problem_allows(&p->kind[g], a) != stow_problem_allows(&p->kind[g], b))
            return false;
    return true;
}

static bool same_class(const struct sorter *s, uint32_t a, uint32_t b)
{
    const struct stow_problem_class *x = &s->p->class[a], *y = &s->p->class[b];

    return !x->most && !y->most && !x->cap && !y->cap && x->priority == y->priority &&
           s->signature[a] == s->signature[b] && compare_needs(s->p, a, b) == 0 &&
           same_kinds(s->p, a, b);
}

/* Writes per class the first class that is like it. */
static int find_leaders(const struct stow_problem *p, uint32_t *leader)
{
    STOW_AUTO(stow_free_local) uint64_t *signature = signatures(p);
    STOW_AUTO(stow_free_local)
    uint32_t *order = malloc((p->classes ? p->classes : 1) * sizeof(*order));
    struct sorter s = {p, signature};

    if (!signature || !order)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < p->classes; k++)
        order[k] = k;
    qsort_r(order, p->classes, sizeof(*order), compare_classes, &s);
    for (uint32_t i = 0; i < p->classes; i++) {
        uint32_t before = i ? leader[order[i - 1]] : 0;

        leader[order[i]] = i && same_class(&s, before, order[i]) ? before : order[i];
    }
    return 0;
}

/* ---- fitting --------------------------------------------------------------------------------- */

/* How many pods of class k a node of kind g holds, by the given numbers. */
static uint32_t copies_of(const struct stow_problem *p, uint32_t g, uint32_t k, uint32_t count)
{
    const struct stow_problem_class *class = &p->class[k];
    int64_t copies = class->most && count > class->most ? class->most : count;

    if (!stow_problem_allows(&p->kind[g], k) || p->kind[g].most == 0)
        return 0;
    for (uint32_t d = 0; d < p->dims; d++) {
        int64_t has = p->kind[g].capacity[d] > 0 ? p->kind[g].capacity[d] : 0;

        if (class->need[d] > 0 && has / class->need[d] < copies)
            copies = has / class->need[d];
    }
    return (uint32_t)copies;
}

static bool fits_somewhere(const struct stow_problem *p, uint32_t k)
{
    for (uint32_t g = 0; g < p->kinds; g++)
        if (copies_of(p, g, k, 1))
            return true;
    return false;
}

/* Numbers the classes of the model; `origin` per model class, the leader. */
static int number_classes(struct stow_model *m, uint32_t **ret_origin)
{
    const struct stow_problem *p = m->problem;
    STOW_AUTO(stow_free_local)
    uint32_t *leader = malloc((p->classes ? p->classes : 1) * sizeof(*leader));
    uint32_t *origin = stow_arena_zalloc(&m->arena, p->classes * sizeof(*origin));

    m->class_of = stow_arena_alloc(&m->arena, p->classes * sizeof(*m->class_of));
    m->count = stow_arena_zalloc(&m->arena, p->classes * sizeof(*m->count));
    m->demand = stow_arena_zalloc(&m->arena, p->classes * sizeof(*m->demand));
    if (!leader || !origin || !m->class_of || !m->count || !m->demand ||
        find_leaders(p, leader) < 0)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < p->classes; k++) {
        m->class_of[k] = STOW_MODEL_NONE;
        if (p->class[k].count == 0 && p->class[k].cap == 0)
            continue;
        if (leader[k] != k && m->class_of[leader[k]] != STOW_MODEL_NONE) {
            m->class_of[k] = m->class_of[leader[k]];
        } else if (fits_somewhere(p, k)) {
            origin[m->classes] = k;
            m->class_of[k] = m->class_of[leader[k]] = m->classes++;
        } else {
            continue;
        }
        m->demand[m->class_of[k]] += p->class[k].count;
        m->count[m->class_of[k]] += p->class[k].cap ? p->class[k].cap : p->class[k].count;
    }
    *ret_origin = origin;
    return 0;
}

/* ---- filling in ------------------------------------------------------------------------------ */

static int fill_classes(struct stow_model *m, const uint32_t *origin)
{
    const struct stow_problem *p = m->problem;
    size_t cells = (size_t)m->classes * m->dims;

    m->need = stow_arena_alloc(&m->arena, cells * sizeof(*m->need));
    m->need_by_dim = stow_arena_alloc(&m->arena, cells * sizeof(*m->need_by_dim));
    m->priority = stow_arena_alloc(&m->arena, m->classes * sizeof(*m->priority));
    if (!m->need || !m->need_by_dim || !m->priority)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < m->classes; k++) {
        m->priority[k] = p->class[origin[k]].priority;
        for (uint32_t d = 0; d < m->dims; d++)
            m->need[(size_t)k * m->dims + d] = p->class[origin[k]].need[d];
    }
    return 0;
}

/* Divides needs and capacities of one resource by what all needs have in common. */
static void scale_dim(struct stow_model *m, uint32_t d)
{
    int64_t unit = 0;

    for (uint32_t k = 0; k < m->classes; k++)
        unit = stow_gcd(unit, m->need[(size_t)k * m->dims + d]);
    if (unit == 0)
        unit = 1;
    for (uint32_t k = 0; k < m->classes; k++) {
        m->need[(size_t)k * m->dims + d] /= unit;
        m->need_by_dim[(size_t)d * m->classes + k] = (double)m->need[(size_t)k * m->dims + d];
    }
    for (uint32_t g = 0; g < m->kinds; g++)
        m->capacity[(size_t)g * m->dims + d] /= unit;
}

/* No more than all pods that fit could ask for. */
static int64_t useful(const struct stow_model *m, uint32_t g, uint32_t d, int64_t has)
{
    const uint32_t *copies = stow_model_copies(m, g);
    stow_i128 asked = 0;

    for (uint32_t k = 0; k < m->classes; k++)
        asked += (stow_i128)copies[k] * m->need[(size_t)k * m->dims + d];
    if (has < 0)
        has = 0;
    return asked < has ? (int64_t)asked : has;
}

static int allocate_kinds(struct stow_model *m, uint32_t kinds)
{
    struct stow_arena *a = &m->arena;

    m->capacity = stow_arena_alloc(a, (size_t)kinds * m->dims * sizeof(*m->capacity));
    m->price = stow_arena_alloc(a, kinds * sizeof(*m->price));
    m->least = stow_arena_alloc(a, kinds * sizeof(*m->least));
    m->most = stow_arena_alloc(a, kinds * sizeof(*m->most));
    m->at_once = stow_arena_alloc(a, kinds * sizeof(*m->at_once));
    m->copies = stow_arena_alloc(a, (size_t)kinds * m->classes * sizeof(*m->copies));
    m->amount = stow_arena_alloc(a, (size_t)m->rows * kinds * sizeof(*m->amount));
    m->kind_of = stow_arena_alloc(a, kinds * sizeof(*m->kind_of));
    m->kind_origin = stow_arena_alloc(a, kinds * sizeof(*m->kind_origin));
    m->leader = stow_arena_alloc(a, kinds * sizeof(*m->leader));
    return m->capacity && m->price && m->least && m->most && m->at_once && m->copies && m->amount &&
                   m->kind_of && m->kind_origin && m->leader
               ? 0
               : STOW_ENOMEM;
}

static void fill_kind(struct stow_model *m, uint32_t g, const uint32_t *origin)
{
    const struct stow_problem_kind *kind = &m->problem->kind[g];

    m->kind_of[g] = m->kind_origin[g] = m->leader[g] = g;
    m->price[g] = kind->price;
    m->least[g] = kind->least;
    m->most[g] = kind->most;
    m->at_once[g] = kind->at_once;
    for (uint32_t k = 0; k < m->classes; k++)
        m->copies[(size_t)g * m->classes + k] = copies_of(m->problem, g, origin[k], m->count[k]);
    for (uint32_t d = 0; d < m->dims; d++)
        m->capacity[(size_t)g * m->dims + d] = useful(m, g, d, kind->capacity[d]);
    for (uint32_t r = 0; r < m->rows; r++)
        m->amount[(size_t)r * m->kinds + g] = m->problem->row[r].amount[g];
}

static int fill_rows(struct stow_model *m)
{
    m->limit = stow_arena_alloc(&m->arena, m->rows * sizeof(*m->limit));
    m->row_unit = stow_arena_alloc(&m->arena, m->rows * sizeof(*m->row_unit));
    m->in_proof = stow_arena_alloc(&m->arena, m->rows * sizeof(*m->in_proof));
    if (!m->limit || !m->row_unit || !m->in_proof)
        return STOW_ENOMEM;
    for (uint32_t r = 0; r < m->rows; r++) {
        m->limit[r] = m->problem->row[r].limit;
        m->row_unit[r] = m->problem->row[r].unit > 0 ? m->problem->row[r].unit : 1;
        m->in_proof[r] = m->problem->row[r].in_proof;
    }
    return 0;
}

/* ---- what can run out ------------------------------------------------------------------------ */

/* Whether a node runs out of resource e before it runs out of d: no pod takes a larger part of d.
 */
static bool runs_out_before(const struct stow_model *m, uint32_t g, uint32_t e, uint32_t d)
{
    const uint32_t *copies = stow_model_copies(m, g);
    const int64_t *has = m->capacity + (size_t)g * m->dims;

    for (uint32_t k = 0; k < m->classes; k++) {
        const int64_t *need = m->need + (size_t)k * m->dims;

        if (copies[k] && (stow_i128)need[d] * has[e] > (stow_i128)need[e] * has[d])
            return false;
    }
    return true;
}

static bool can_run_out(const struct stow_model *m, uint32_t g, uint32_t d, const bool *out)
{
    int64_t has = m->capacity[(size_t)g * m->dims + d];

    if (useful(m, g, d, INT64_MAX) <= has)
        return false;
    for (uint32_t e = 0; e < m->dims; e++)
        if (e != d && !out[e] && m->capacity[(size_t)g * m->dims + e] > 0 &&
            runs_out_before(m, g, e, d))
            return false;
    return true;
}

/* The resources of a kind that can run out, those with the most units first. */
static void list_scarce(struct stow_model *m, uint32_t g, bool *out)
{
    const int64_t *has = m->capacity + (size_t)g * m->dims;
    uint32_t *list = m->scarce + (size_t)g * m->dims;
    uint32_t n = 0;

    memset(out, 0, m->dims * sizeof(*out));

    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t at = n;

        if (!can_run_out(m, g, d, out)) {
            out[d] = true;
            continue;
        }
        for (; at > 0 && has[list[at - 1]] < has[d]; at--)
            list[at] = list[at - 1];
        list[at] = d;
        n++;
    }
    m->scarces[g] = n;
    m->scarce_most = n > m->scarce_most ? n : m->scarce_most;
}

static int find_scarce(struct stow_model *m)
{
    m->scarce = stow_arena_alloc(&m->arena, (size_t)m->kinds * m->dims * sizeof(*m->scarce));
    m->scarces = stow_arena_alloc(&m->arena, m->kinds * sizeof(*m->scarces));
    bool *out = stow_arena_alloc(&m->arena, (m->dims + 1) * sizeof(*out));

    if (!m->scarce || !m->scarces || !out)
        return STOW_ENOMEM;
    for (uint32_t g = 0; g < m->kinds; g++)
        list_scarce(m, g, out);
    return 0;
}

static double pods_most(const struct stow_model *m)
{
    double most = 0;

    for (uint32_t g = 0; g < m->kinds; g++) {
        const uint32_t *copies = stow_model_copies(m, g);
        double pods = 0;

        for (uint32_t k = 0; k < m->classes; k++)
            pods += copies[k];
        most = pods > most ? pods : most;
    }
    return most;
}

/* ---- dropping kinds -------------------------------------------------------------------------- */

static bool useless(const struct stow_model *m, uint32_t g)
{
    const uint32_t *copies = stow_model_copies(m, g);

    if (m->least[g] > 0)
        return false;
    for (uint32_t k = 0; k < m->classes; k++)
        if (copies[k])
            return false;
    return true;
}

static void move_kind(struct stow_model *m, uint32_t from, uint32_t to)
{
    m->kind_of[m->kind_origin[from]] = to;
    m->kind_origin[to] = m->kind_origin[from];
    m->price[to] = m->price[from];
    m->least[to] = m->least[from];
    m->most[to] = m->most[from];
    m->at_once[to] = m->at_once[from];
    memmove(m->copies + (size_t)to * m->classes, m->copies + (size_t)from * m->classes,
            m->classes * sizeof(*m->copies));
    memmove(m->capacity + (size_t)to * m->dims, m->capacity + (size_t)from * m->dims,
            m->dims * sizeof(*m->capacity));
}

/* Keeps the kinds that are not out; rows are laid out again, as there are fewer columns. */
static void drop_kinds(struct stow_model *m, const bool *out)
{
    uint32_t kept = 0, before = m->kinds;

    for (uint32_t g = 0; g < before; g++)
        if (out[g])
            m->kind_of[m->kind_origin[g]] = STOW_MODEL_NONE;
        else
            move_kind(m, g, kept++);
    m->kinds = kept;
    for (uint32_t r = 0; r < m->rows; r++)
        for (uint32_t g = 0; g < kept; g++)
            m->amount[(size_t)r * kept + g] = m->problem->row[r].amount[m->kind_origin[g]];
}

static int reduce_kinds(struct stow_model *m)
{
    STOW_AUTO(stow_free_local) bool *out = malloc((m->kinds + 1) * sizeof(*out));
    STOW_AUTO(stow_free_local) uint32_t *by = malloc((m->kinds + 1) * sizeof(*by));

    if (!out || !by)
        return STOW_ENOMEM;
    for (uint32_t g = 0; g < m->kinds; g++)
        out[g] = useless(m, g);
    drop_kinds(m, out);
    STOW_TRY(stow_model_dominate(m, by));
    for (uint32_t g = 0; g < m->kinds; g++) {
        out[g] = by[g] != g;
        m->mixed |= out[g] && m->most[g] != STOW_PROBLEM_UNLIMITED;
        m->leader[m->kind_origin[g]] = m->kind_origin[by[g]];
    }
    drop_kinds(m, out);
    return 0;
}

/* ---- all together ---------------------------------------------------------------------------- */

static int make(struct stow_model *m)
{
    uint32_t *origin;

    STOW_TRY(number_classes(m, &origin));
    STOW_TRY(fill_classes(m, origin));
    STOW_TRY(fill_rows(m));
    STOW_TRY(allocate_kinds(m, m->problem->kinds));
    m->kinds = m->problem->kinds;
    for (uint32_t g = 0; g < m->kinds; g++)
        fill_kind(m, g, origin);
    for (uint32_t d = 0; d < m->dims; d++)
        scale_dim(m, d);
    STOW_TRY(reduce_kinds(m));
    for (uint32_t g = 0; g < m->kinds; g++)
        m->blocks += m->at_once[g];
    m->pods_most = pods_most(m);
    return find_scarce(m);
}

static const char *defect(const struct stow_problem *p)
{
    for (uint32_t g = 0; g < p->kinds; g++)
        if (p->kind[g].price < 0 || p->kind[g].least > p->kind[g].most)
            return "has a kind with a price below 0 or limits that cross";
    for (uint32_t g = 0; g < p->kinds; g++)
        if (p->kind[g].at_once && p->kind[g].most == STOW_PROBLEM_UNLIMITED)
            return "has a kind that is bought all at once, and no limit to how many that is";
    for (uint32_t k = 0; k < p->classes; k++)
        for (uint32_t d = 0; d < p->dims; d++)
            if (p->class[k].need[d] < 0)
                return "has a class that asks for less than nothing";
    return NULL;
}

int stow_model_make(const struct stow_problem *problem, struct stow_model *ret,
                    struct stow_err *err)
{
    const char *why = defect(problem);

    memset(ret, 0, sizeof(*ret));
    if (why)
        return stow_fail(err, STOW_EINVAL, "the problem %s", why);
    ret->problem = problem;
    ret->dims = problem->dims;
    ret->rows = problem->rows;
    if (make(ret) < 0) {
        stow_model_done(ret);
        return stow_fail_memory(err);
    }
    if (ret->scarce_most >= STOW_SCARCE_MAX) {
        stow_model_done(ret);
        return stow_fail(err, STOW_ELIMIT, "more than %d resources can run out on one node",
                         STOW_SCARCE_MAX - 1);
    }
    return 0;
}

void stow_model_done(struct stow_model *model)
{
    stow_arena_done(&model->arena);
    memset(model, 0, sizeof(*model));
}

bool stow_model_unlimited(const struct stow_model *m)
{
    for (uint32_t g = 0; g < m->kinds; g++)
        if (m->most[g] != STOW_PROBLEM_UNLIMITED)
            return false;
    return m->rows == 0;
}
