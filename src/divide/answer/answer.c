/* answer.c - the bindings of a fleet divided, each by itself or together, with what that costs. */
#include "divide/answer/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "divide/answer/answer_internal.h"
#include "divide/divide_internal.h"

/* ---- life time --------------------------------------------------------------------------- */

void stow_fleet_answer_done(struct stow_fleet_answer *answer)
{
    for (uint32_t i = 0; i < answer->workloads; i++)
        stow_division_done(&answer->workload[i].made);
    stow_joint_division_done(&answer->joint);
    free(answer->warning);
    stow_arena_done(&answer->arena);
    *answer = (struct stow_fleet_answer){0};
}

void stow_binding_workload(const struct stow_snapshot *s, const struct stow_binding *binding,
                           struct stow_buf *to)
{
    stow_sym home = binding->object_namespace;

    if (!home && !(binding->flags & STOW_BINDING_CLUSTER_WIDE))
        home = binding->namespace;
    if (home) {
        stow_buf_add(to, stow_text(s, home));
        stow_buf_char(to, '/');
    }
    if (binding->object)
        stow_buf_add(to, stow_text(s, binding->object));
    else
        stow_buf_text(to, binding->name);
}

int stow_fleet_warn(struct stow_fleet_answer *a, const struct stow_binding *of, const char *text,
                    struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf line = {0};

    if (of) {
        stow_binding_workload(a->s, of, &line);
        stow_buf_text(&line, ": ");
    }
    stow_buf_text(&line, text);
    if (line.failed)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->warnings; i++)
        if (stow_str_is(stow_buf_str(&line), a->warning[i]))
            return STOW_OK;

    const char *copy = stow_arena_text(&a->arena, stow_buf_str(&line));
    const char **kept = copy ? STOW_PUSH(&a->warning, &a->warnings, &a->warning_cap) : NULL;

    if (!kept)
        return stow_fail_memory(err);
    *kept = copy;
    return STOW_OK;
}

/* ---- what was decided -------------------------------------------------------------------- */

/* How many replicas a binding has on a cluster now. */
static int64_t held_on(const struct stow_fleet_work *k, const struct stow_binding *b, stow_sym name)
{
    uint32_t count;
    const struct stow_target *list = STOW_LIST(k->s, b->clusters, struct stow_target, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].cluster == name)
            return list[i].replicas;
    return 0;
}

static bool has_target(const struct stow_division *made, stow_sym name)
{
    for (uint32_t i = 0; i < made->targets; i++)
        if (made->target[i].cluster == name)
            return true;
    return false;
}

static int compare_targets(const void *a, const void *b, void *context)
{
    const struct stow_snapshot *s = context;

    return stow_str_cmp(stow_text(s, ((const struct stow_fleet_target *)a)->name),
                        stow_text(s, ((const struct stow_fleet_target *)b)->name));
}

/* Clusters that had replicas and have none any more. */
static void list_emptied(struct stow_fleet_work *k, struct stow_fleet_workload *w)
{
    uint32_t before;
    const struct stow_target *list =
        STOW_LIST(k->s, w->binding->clusters, struct stow_target, &before);

    for (uint32_t i = 0; i < before; i++) {
        if (list[i].replicas <= 0 || has_target(&w->made, list[i].cluster))
            continue;
        w->target[w->targets + w->emptied++] =
            (struct stow_fleet_target){.name = list[i].cluster,
                                       .cluster = stow_cluster_find(k->s, list[i].cluster),
                                       .held = list[i].replicas};
    }
    if (w->emptied)
        qsort_r(w->target + w->targets, w->emptied, sizeof(*w->target), compare_targets,
                (void *)k->s);
}

static stow_nano cost_of(const struct stow_price_list *price, const struct stow_fleet_target *t)
{
    if (t->cluster == STOW_NONE)
        return t->replicas ? STOW_MONEY_UNKNOWN : 0;
    return stow_price_list_cost(&price[t->cluster], t->held, t->replicas);
}

static int list_targets(struct stow_fleet_work *k, struct stow_fleet_workload *w,
                        struct stow_err *err)
{
    uint32_t before;

    (void)STOW_LIST(k->s, w->binding->clusters, struct stow_target, &before);
    w->target = stow_arena_zalloc(&k->ret->arena,
                                  ((size_t)w->made.targets + before + 1) * sizeof(*w->target));
    if (!w->target)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < w->made.targets; i++) {
        const struct stow_target *from = &w->made.target[i];
        struct stow_fleet_target *to = &w->target[w->targets++];

        *to = (struct stow_fleet_target){from->cluster, stow_cluster_find(k->s, from->cluster),
                                         from->replicas, held_on(k, w->binding, from->cluster), 0};
        to->cost = cost_of(k->price, to);
    }
    list_emptied(k, w);
    return STOW_OK;
}

/* Nothing is known about replicas on clusters that are not given. */
static int warn_of_unknown(struct stow_fleet_work *k, const struct stow_fleet_workload *w,
                           struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_buf_text(&text, "it has replicas on clusters that do not exist: ");

    size_t start = text.len;

    for (uint32_t i = 0; i < w->targets + w->emptied; i++)
        if (w->target[i].cluster == STOW_NONE)
            stow_buf_printf(&text, "%s%s", text.len > start ? ", " : "",
                            stow_text(k->s, w->target[i].name).ptr);

    bool found = text.len > start;

    stow_buf_char(&text, '\0');
    if (text.failed)
        return stow_fail_memory(err);
    return found ? stow_fleet_warn(k->ret, w->binding, text.ptr, err) : STOW_OK;
}

/* ---- sums -------------------------------------------------------------------------------- */

static void sum_workload(struct stow_fleet_workload *w)
{
    for (uint32_t i = 0; i < w->targets + w->emptied; i++) {
        const struct stow_fleet_target *t = &w->target[i];

        stow_money_sum_add_parts(&w->cost, t->cost, t->replicas);
        w->moved += t->held > t->replicas ? t->held - t->replicas : 0;
    }
    w->unplaced = w->made.unplaced;
}

static void count_overfull(const struct stow_fleet_work *k, struct stow_fleet_workload *w)
{
    const struct stow_divide_cluster *c = w->made.cluster;

    for (uint32_t i = 0; c && i < k->s->clusters; i++)
        if (c[i].replicas > 0 && c[i].replicas > c[i].available) {
            w->overfull++;
            k->overfull[i] = true;
        }
}

static void add_up(struct stow_fleet_answer *a)
{
    for (uint32_t i = 0; i < a->workloads; i++) {
        const struct stow_fleet_workload *w = &a->workload[i];

        stow_money_sum_add_sum(&a->cost, &w->cost);
        a->moved += w->moved;
        a->unplaced += w->unplaced;
        a->replicas += w->binding->replicas;
    }
}

/* ---- one binding ------------------------------------------------------------------------- */

/* Unknown prices that the policy gives a price. */
static void assume_prices(const struct stow_fleet_work *k, struct stow_price_list *list)
{
    const struct stow_divide_costs *costs = k->options->costs;

    for (uint32_t i = 0; costs->unknown == STOW_UNKNOWN_ASSUME && i < k->s->clusters; i++)
        for (uint32_t n = 0; n < list[i].steps; n++)
            if (list[i].step[n].price == STOW_MONEY_UNKNOWN)
                ((struct stow_price_step *)list[i].step)[n].price = costs->assumed;
}

/* Prices in the answer when they are kept, else in memory that the next workload takes. */
int stow_fleet_price(struct stow_fleet_work *k, struct stow_fleet_workload *w, struct stow_err *err)
{
    struct stow_arena *arena = k->options->keep ? &k->ret->arena : &k->scratch;

    stow_arena_reset(&k->scratch);
    STOW_TRY(stow_divide_prices(k->options->costs, w->binding, arena, &k->price, err));
    assume_prices(k, k->price);
    if (k->options->keep)
        w->price = k->price;
    return STOW_OK;
}

int stow_fleet_decide(struct stow_fleet_work *k, const struct stow_binding *b,
                      struct stow_divide_options *o, struct stow_division *ret,
                      struct stow_err *err)
{
    STOW_TRY(stow_divide_room(o->costs, b, k->room, err));
    o->estimate = k->room;
    o->estimate_decides = true;
    return stow_divide(k->divider, b, o, ret, err);
}

static const char *copy_text(struct stow_fleet_work *k, const char *text, bool *failed)
{
    const char *copy = text ? stow_arena_text(&k->ret->arena, stow_str_of(text)) : NULL;

    *failed |= text && !copy;
    return copy;
}

/* The result of a decision without how it came about, in the memory of the answer. */
static int keep_result(struct stow_fleet_work *k, struct stow_division *made, struct stow_err *err)
{
    bool failed = false;
    struct stow_target *target =
        stow_arena_copy(&k->ret->arena, made->targets ? made->target : (const void *)"",
                        made->targets * sizeof(*made->target));
    struct stow_division slim = *made;

    slim.target = target;
    slim.message = copy_text(k, made->message, &failed);
    slim.select_error = copy_text(k, made->select_error, &failed);
    slim.cluster = NULL;
    slim.order = slim.selected = NULL;
    slim.region = NULL;
    slim.orders = slim.selections = slim.regions = slim.warnings = slim.warning_cap = 0;
    slim.warning = NULL;
    slim.arena = (struct stow_arena){0};
    k->made = *made; /* its memory is used again */
    *made = slim;
    return failed || !target ? stow_fail_memory(err) : STOW_OK;
}

static int tell_warnings(struct stow_fleet_work *k, const struct stow_fleet_workload *w,
                         struct stow_err *err)
{
    for (uint32_t i = 0; i < w->made.warnings; i++)
        STOW_TRY(stow_fleet_warn(k->ret, w->binding, w->made.warning[i], err));
    return STOW_OK;
}

static int decide_one(struct stow_fleet_work *k, struct stow_fleet_workload *w,
                      struct stow_err *err)
{
    struct stow_divide_options o = k->options->each;

    o.costs = k->options->costs;
    if (w->joint) { /* only for what it says of the clusters */
        o.strategy = STOW_DIVIDE_AGGREGATED;
        o.always = true;
    }
    w->made = k->made;
    k->made = (struct stow_division){0};
    STOW_TRY(stow_fleet_decide(k, w->binding, &o, &w->made, err));
    STOW_TRY(tell_warnings(k, w, err));
    if (w->joint)
        STOW_TRY(stow_fleet_joint_result(k, w, err));
    count_overfull(k, w);
    return k->options->keep ? STOW_OK : keep_result(k, &w->made, err);
}

static int divide_one(struct stow_fleet_work *k, struct stow_fleet_workload *w,
                      struct stow_err *err)
{
    STOW_TRY(stow_fleet_price(k, w, err));
    STOW_TRY(decide_one(k, w, err));
    STOW_TRY(list_targets(k, w, err));
    STOW_TRY(warn_of_unknown(k, w, err));
    if (w->joint)
        stow_fleet_joint_costs(k, w);
    sum_workload(w);
    stow_fleet_check_spread(k, w);
    return k->options->spread_costs ? stow_fleet_spread_costs(k, w, err) : STOW_OK;
}

/* ---- all of them ------------------------------------------------------------------------- */

static int find_workloads(struct stow_fleet_work *k, struct stow_err *err)
{
    struct stow_fleet_answer *a = k->ret;

    a->workload = stow_arena_zalloc(&a->arena, ((size_t)k->s->bindings + 1) * sizeof(*a->workload));
    if (!a->workload)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < k->s->bindings; i++)
        if (!(k->s->binding[i].flags & STOW_BINDING_DELETED) &&
            (!k->options->wanted || k->options->wanted[i]))
            a->workload[a->workloads++].binding = &k->s->binding[i];
    return STOW_OK;
}

/* Prices for clusters that do not exist are usually a mistake. */
static int warn_of_prices(struct stow_fleet_work *k, struct stow_err *err)
{
    const struct stow_book *book = &k->s->book;
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    for (uint32_t i = 0; i < book->clusters; i++) {
        struct stow_str name = stow_intern_get(&book->text, book->cluster[i].cluster);
        stow_sym symbol = stow_intern_find(&k->s->text, name);

        if (symbol != STOW_INTERN_FAILED && stow_cluster_find(k->s, symbol) != STOW_NONE)
            continue;
        text.len = 0;
        stow_buf_printf(&text,
                        "PriceBook: clusters: there is no cluster '%.*s': its price is not used",
                        STOW_FMT(name));
        stow_buf_char(&text, '\0');
        if (text.failed)
            return stow_fail_memory(err);
        STOW_TRY(stow_fleet_warn(k->ret, NULL, text.ptr, err));
    }
    return STOW_OK;
}

static int divide_all(struct stow_fleet_work *k, struct stow_err *err)
{
    struct stow_fleet_answer *a = k->ret;

    k->room = stow_arena_alloc(&a->arena, ((size_t)k->s->clusters + 1) * sizeof(*k->room));
    k->overfull = stow_arena_zalloc(&a->arena, (size_t)k->s->clusters + 1);
    if (!k->room || !k->overfull)
        return stow_fail_memory(err);
    STOW_TRY(stow_divider_new(k->s, &k->divider, err));
    STOW_TRY(find_workloads(k, err));
    STOW_TRY(warn_of_prices(k, err));
    if (k->options->joint)
        STOW_TRY(stow_fleet_jointly(k, err));
    for (uint32_t i = 0; i < a->workloads; i++)
        STOW_TRY(divide_one(k, &a->workload[i], err));
    add_up(a);
    return stow_fleet_check_room(k, err);
}

static void work_done(struct stow_fleet_work *k)
{
    stow_division_done(&k->made);
    stow_divider_free(k->divider);
    stow_arena_done(&k->scratch);
}

int stow_fleet_divide(const struct stow_snapshot *s, const struct stow_fleet_options *options,
                      struct stow_fleet_answer *ret, struct stow_err *err)
{
    STOW_AUTO(work_done) struct stow_fleet_work k = {.s = s, .options = options, .ret = ret};

    *ret = (struct stow_fleet_answer){.s = s,
                                      .costs = options->costs,
                                      .karmada = options->each.karmada ? options->each.karmada
                                                                       : STOW_KARMADA_NEWEST,
                                      .disruption = options->disruption};

    int code = divide_all(&k, err);

    if (code < 0)
        stow_fleet_answer_done(ret);
    return code;
}
