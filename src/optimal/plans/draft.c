/* draft.c - bookkeeping of plans in the making. */
#include "optimal/plans/draft.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"

#define LEVELS 64

void stow_draft_done(struct stow_draft *draft)
{
    free(draft->use);
    memset(draft, 0, sizeof(*draft));
}

int stow_draft_add(struct stow_draft *draft, uint32_t pattern, uint32_t times)
{
    struct stow_draft_pattern *use = NULL;

    for (uint32_t i = draft->uses; !use && i-- > 0;)
        if (draft->use[i].pattern == pattern)
            use = &draft->use[i];
    if (!use)
        use = STOW_PUSH(&draft->use, &draft->uses, &draft->use_cap);
    if (!use)
        return STOW_ENOMEM;
    use->pattern = pattern;
    use->times += times;
    return 0;
}

int stow_draft_copy(struct stow_draft *to, const struct stow_draft *from)
{
    to->uses = 0;
    if (stow_vec_reserve(&to->use, &to->use_cap, from->uses + 1, sizeof(*to->use)) < 0)
        return STOW_ENOMEM;
    if (from->uses)
        memcpy(to->use, from->use, from->uses * sizeof(*to->use));
    to->uses = from->uses;
    return 0;
}

/* ---- comparing ------------------------------------------------------------------------------- */

void stow_draft_score(const struct stow_draft *draft, const struct stow_pool *pool,
                      const struct stow_task *stage, struct stow_score *ret)
{
    const struct stow_model *m = stage->m;

    memset(ret, 0, sizeof(*ret));
    for (uint32_t k = 0; k < m->classes; k++)
        ret->left[stage->level_of[k] < LEVELS ? stage->level_of[k] : LEVELS - 1] +=
            stage->demand[k];
    for (uint32_t i = 0; i < draft->uses; i++) {
        const struct stow_draft_pattern *use = &draft->use[i];
        const struct stow_pattern *p = &pool->pattern[use->pattern];
        const struct stow_term *term = stow_pool_terms(pool, use->pattern);

        assert(use->pattern < pool->patterns && p->kind < m->kinds && m->price[p->kind] >= 0);
        ret->cost += m->price[p->kind] * use->times;
        ret->nodes += use->times;
        ret->order += (uint64_t)use->times * m->kind_origin[p->kind];
        for (uint32_t j = 0; j < p->terms; j++) {
            uint32_t level = stage->level_of[term[j].class];

            assert(term[j].class < m->classes);
            ret->left[level < LEVELS ? level : LEVELS - 1] -= (uint64_t)term[j].count * use->times;
        }
    }
}

int stow_score_compare(const struct stow_score *a, const struct stow_score *b)
{
    for (uint32_t l = 0; l < LEVELS; l++)
        if (a->left[l] != b->left[l])
            return a->left[l] < b->left[l] ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* ---- taking nodes ---------------------------------------------------------------------------- */

void stow_task_take(struct stow_task *s, const struct stow_pool *pool, uint32_t pattern,
                    uint32_t times)
{
    const struct stow_model *m = s->m;
    const struct stow_pattern *p = &pool->pattern[pattern];
    const struct stow_term *term = stow_pool_terms(pool, pattern);

    assert(pattern < pool->patterns && p->kind < m->kinds);
    for (uint32_t i = 0; i < p->terms; i++) {
        uint64_t gone = (uint64_t)term[i].count * times;

        s->demand[term[i].class] -=
            gone < s->demand[term[i].class] ? (uint32_t)gone : s->demand[term[i].class];
    }
    uint32_t due = times < s->least[p->kind] ? times : s->least[p->kind];

    s->least[p->kind] -= due;
    if (s->most[p->kind] != STOW_PROBLEM_UNLIMITED)
        s->most[p->kind] -= times < s->most[p->kind] ? times : s->most[p->kind];
    for (uint32_t r = 0; r < m->rows; r++) {
        int64_t amount = m->amount[(size_t)r * m->kinds + p->kind];

        s->limit[r] -= amount * (int64_t)times;
        s->reserved[r] -= amount * (int64_t)due;
    }
}

uint32_t stow_task_room(const struct stow_task *s, uint32_t kind)
{
    const struct stow_model *m = s->m;
    int64_t room = s->most[kind];

    for (uint32_t r = 0; r < m->rows; r++) {
        int64_t amount = m->amount[(size_t)r * m->kinds + kind];

        int64_t left = s->limit[r] - s->reserved[r] + amount * (int64_t)s->least[kind];

        if (amount > 0 && (left < 0 ? 0 : left / amount) < room)
            room = left < 0 ? 0 : left / amount;
    }
    return room < 0 ? 0 : (uint32_t)room;
}

static bool holds(const struct stow_model *m, uint32_t kind, const struct stow_term *term,
                  uint32_t terms)
{
    const uint32_t *copies = stow_model_copies(m, kind);

    for (uint32_t i = 0; i < terms; i++)
        if (copies[term[i].class] < term[i].count)
            return false;
    for (uint32_t d = 0; d < m->dims; d++) {
        int64_t left = m->capacity[(size_t)kind * m->dims + d];

        for (uint32_t i = 0; i < terms; i++)
            left -= m->need[(size_t)term[i].class * m->dims + d] * term[i].count;
        if (left < 0)
            return false;
    }
    return true;
}

uint32_t stow_task_best_kind(const struct stow_task *s, const struct stow_term *term,
                             uint32_t terms, uint32_t kind)
{
    uint32_t best = kind;

    for (uint32_t g = 0; g < s->m->kinds; g++)
        if ((best == STOW_MODEL_NONE || s->price[g] < s->price[best] ||
             (g < best && s->price[g] == s->price[best])) &&
            holds(s->m, g, term, terms) && stow_task_room(s, g) > 0)
            best = g;
    return best;
}
