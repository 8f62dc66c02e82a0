/* answer.c - from the model back to the problem.
 *
 * Classes were merged and kinds dropped.  A plan of the model says how many pods of a merged class
 * are on a node; which of its classes they are of does not matter, so they are dealt out in order,
 * node by node. */
#include "optimal/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* ---- plans in -------------------------------------------------------------------------------- */

/* The load's pods by class of the model; false: a class that fits nowhere. */
static bool model_terms(const struct stow_model *m, const struct stow_packing *plan,
                        const struct stow_load *load, uint32_t *count)
{
    memset(count, 0, m->classes * sizeof(*count));
    for (uint32_t i = 0; i < load->terms; i++) {
        const struct stow_term *term = &plan->term[load->first + i];

        if (m->class_of[term->class] == STOW_MODEL_NONE)
            return false;
        count[m->class_of[term->class]] += term->count;
    }
    return true;
}

static uint32_t list_terms(const struct stow_model *m, const uint32_t *count,
                           struct stow_term *term)
{
    uint32_t terms = 0;

    for (uint32_t k = 0; k < m->classes; k++)
        if (count[k])
            term[terms++] = (struct stow_term){k, count[k]};
    return terms;
}

int stow_answer_import(const struct stow_task *stage, const struct stow_packing *plan,
                       struct stow_pool *pool, struct stow_draft *ret)
{
    const struct stow_model *m = stage->m;
    STOW_AUTO(stow_free_local) uint32_t *count = malloc((m->classes + 1) * sizeof(*count));
    STOW_AUTO(stow_free_local) struct stow_term *term = malloc((m->classes + 1) * sizeof(*term));

    if (!count || !term)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < plan->loads; i++) {
        const struct stow_load *load = &plan->load[i];

        if (!model_terms(m, plan, load, count))
            return 1;

        uint32_t terms = list_terms(m, count, term), kind = m->kind_of[m->leader[load->kind]];

        if (kind == STOW_MODEL_NONE && terms == 0)
            continue; /* an empty node that nothing asks for: better without */
        if (kind == STOW_MODEL_NONE)
            return 1;

        int64_t p = stow_pool_add(pool, kind, term, terms);

        if (p < 0)
            return (int)p;
        STOW_TRY(stow_draft_add(ret, (uint32_t)p, load->times));
    }
    return 0;
}

/* ---- plans out ------------------------------------------------------------------------------- */

struct dealer {
    const struct stow_model *m;
    uint32_t *rest;         /* per class of the problem: pods not dealt yet */
    uint32_t *at;           /* per class of the model: where to go on */
    uint32_t *list, *first; /* classes of the problem by class of the model */
    struct stow_term *term;
};

static void dealer_done(struct dealer *d)
{
    free(d->rest);
    free(d->at);
    free(d->list);
    free(d->first);
    free(d->term);
}

static int dealer_init(struct dealer *d, const struct stow_model *m)
{
    const struct stow_problem *p = m->problem;

    *d = (struct dealer){.m = m};
    d->rest = malloc((p->classes + 1) * sizeof(*d->rest));
    d->list = malloc((p->classes + 1) * sizeof(*d->list));
    d->term = malloc((p->classes + 1) * sizeof(*d->term));
    d->at = calloc(m->classes + 2, sizeof(*d->at));
    d->first = calloc(m->classes + 2, sizeof(*d->first));
    if (!d->rest || !d->list || !d->term || !d->at || !d->first)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < p->classes; k++) {
        d->rest[k] = p->class[k].count;
        if (m->class_of[k] != STOW_MODEL_NONE)
            d->first[m->class_of[k] + 1]++;
    }
    for (uint32_t k = 0; k < m->classes; k++) {
        d->first[k + 1] += d->first[k];
        d->at[k] = d->first[k];
    }
    for (uint32_t k = 0; k < p->classes; k++)
        if (m->class_of[k] != STOW_MODEL_NONE)
            d->list[d->at[m->class_of[k]]++] = k;
    for (uint32_t k = 0; k < m->classes; k++)
        d->at[k] = d->first[k];
    return 0;
}

/* Pods of the classes behind a class of the model; adds to the terms. */
static uint32_t deal(struct dealer *d, struct stow_term want, uint32_t terms)
{
    uint32_t k = want.class;

    while (want.count && d->at[k] < d->first[k + 1]) {
        uint32_t class = d->list[d->at[k]];
        uint32_t some = want.count < d->rest[class] ? want.count : d->rest[class];

        if (some)
            d->term[terms++] = (struct stow_term){class, some};
        d->rest[class] -= some;
        want.count -= some;
        if (d->rest[class] == 0)
            d->at[k]++;
    }
    return terms;
}

static int compare_terms(const void *a, const void *b)
{
    const struct stow_term *x = a, *y = b;

    return x->class < y->class ? -1 : x->class > y->class;
}

/* One node; the same as the one before counts there. */
static int add_node(struct stow_packing *ret, uint32_t kind, const struct stow_term *term,
                    uint32_t terms)
{
    struct stow_load *last = ret->loads ? &ret->load[ret->loads - 1] : NULL;

    if (last && last->kind == kind && last->terms == terms &&
        (terms == 0 || memcmp(ret->term + last->first, term, terms * sizeof(*term)) == 0)) {
        last->times++;
        return 0;
    }
    return stow_packing_add(ret, kind, 1, term, terms);
}

static int deal_use(struct dealer *d, const struct stow_pool *pool,
                    const struct stow_draft_pattern *use, struct stow_packing *ret)
{
    const struct stow_pattern *p = &pool->pattern[use->pattern];
    const struct stow_term *want = stow_pool_terms(pool, use->pattern);

    for (uint32_t n = 0; n < use->times; n++) {
        uint32_t terms = 0;

        for (uint32_t i = 0; i < p->terms; i++)
            terms = deal(d, want[i], terms);
        qsort(d->term, terms, sizeof(*d->term), compare_terms);
        STOW_TRY(add_node(ret, d->m->kind_origin[p->kind], d->term, terms));
    }
    return 0;
}

/* Kinds in order, then the order in which patterns were found. */
static int compare_uses(const void *a, const void *b, void *context)
{
    const struct stow_pool *pool = *(const struct stow_pool *const *)context;
    const struct stow_draft_pattern *x = a, *y = b;
    uint32_t g = pool->pattern[x->pattern].kind, h = pool->pattern[y->pattern].kind;

    if (g != h)
        return g < h ? -1 : 1;
    return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

int stow_answer_export(const struct stow_model *m, const struct stow_pool *pool,
                       const struct stow_draft *draft, struct stow_packing *ret)
{
    struct dealer d;
    int result = dealer_init(&d, m);

    if (draft->uses)
        qsort_r(draft->use, draft->uses, sizeof(*draft->use), compare_uses, &pool);
    for (uint32_t i = 0; result >= 0 && i < draft->uses; i++)
        result = deal_use(&d, pool, &draft->use[i], ret);
    dealer_done(&d);
    return result;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static int add_limit(struct stow_proof_node *node, uint32_t *cap, struct stow_proof_limit limit)
{
    struct stow_proof_limit *made = STOW_PUSH(&node->limit, &node->limits, cap);

    if (!made)
        return STOW_ENOMEM;
    *made = limit;
    return 0;
}

static int export_leaf(const struct stow_model *m, const struct stow_branch *b,
                       struct stow_proof_node *node)
{
    const struct stow_problem *p = m->problem;
    uint32_t cap = 0;

    node->bound = b->leaf.bound;
    node->price = calloc(p->classes + 1, sizeof(*node->price));
    node->row_price = calloc(p->rows + 1, sizeof(*node->row_price));
    if (!node->price || !node->row_price)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < p->classes; k++)
        node->price[k] = m->class_of[k] == STOW_MODEL_NONE ? 0 : b->leaf.y[m->class_of[k]];
    for (uint32_t r = 0; r < p->rows; r++)
        node->row_price[r] = b->leaf.w_row[r];
    for (uint32_t g = 0; g < m->kinds; g++) {
        uint32_t origin = m->kind_origin[g];

        if (b->leaf.w_most[g])
            STOW_TRY(
                add_limit(node, &cap,
                          (struct stow_proof_limit){origin, false, b->most[g], b->leaf.w_most[g]}));
        if (b->leaf.w_least[g])
            STOW_TRY(add_limit(
                node, &cap,
                (struct stow_proof_limit){origin, true, b->least[g], b->leaf.w_least[g]}));
    }
    return 0;
}

int stow_answer_proof(const struct stow_tree *tree, struct stow_proof *ret)
{
    const struct stow_model *m = tree->stage->m;
    const uint32_t kinds = m->problem->kinds;

    ret->leader = malloc((kinds + 1) * sizeof(*ret->leader));
    if (!ret->leader)
        return STOW_ENOMEM;
    if (kinds)
        memcpy(ret->leader, m->leader, kinds * sizeof(*ret->leader));
    for (uint32_t i = 0; i < tree->branches; i++) {
        const struct stow_branch *b = &tree->branch[i];
        struct stow_proof_node *node = STOW_PUSH(&ret->node, &ret->nodes, &ret->node_cap);

        if (!node)
            return STOW_ENOMEM;
        node->is_split = b->is_split;
        if (b->is_split) {
            node->kind = m->kind_origin[b->kind];
            node->at = b->at;
            node->le = b->le;
            node->gt = b->gt;
            if (i > 0)
                continue; /* of the root, people want to see the prices */
        }
        STOW_TRY(export_leaf(m, b, node));
    }
    ret->tree_bound = stow_tree_bound(tree);
    return 0;
}

void stow_proof_done(struct stow_proof *proof)
{
    for (uint32_t i = 0; i < proof->nodes; i++) {
        free(proof->node[i].price);
        free(proof->node[i].row_price);
        free(proof->node[i].limit);
    }
    free(proof->node);
    free(proof->leader);
    memset(proof, 0, sizeof(*proof));
}
