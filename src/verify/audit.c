/* audit.c - the order in which a plan is checked, and how findings are noted. */
#include "verify/audit.h"
#include "verify/cordon.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/pods/requests.h"

#define FINDINGS_MAX 100
#define TEXT_MAX     512

/* ---- findings ---------------------------------------------------------------------------- */

static const char *kept(struct stow_audit *a, const char *text)
{
    return stow_arena_text(&a->out->arena, stow_str_of(text));
}

static void note(struct stow_audit *a, struct stow_finding finding, uint32_t token)
{
    struct stow_verdicts *out = a->out;
    const enum stow_verify_state state =
        finding.unsettled ? STOW_VERIFY_UNSETTLED : STOW_VERIFY_WRONG;

    if (state > out->state[finding.part])
        out->state[finding.part] = state;
    if (out->findings == FINDINGS_MAX) {
        out->more++;
        return;
    }

    struct stow_finding *made = STOW_PUSH(&out->finding, &out->findings, &out->finding_cap);

    if (!made || !finding.text) {
        a->failed = true;
        return;
    }
    *made = finding;
    if (token != UINT32_MAX) {
        const struct stow_position at = stow_tape_mark(a->tape, token);

        made->line = at.line;
        made->col = at.col;
    }
}

void stow_audit_wrong(struct stow_audit *a, enum stow_verify_part part, uint32_t token,
                      const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    note(a, (struct stow_finding){.part = part, .text = kept(a, text)}, token);
}

void stow_audit_unsettled(struct stow_audit *a, enum stow_verify_part part, uint32_t token,
                          const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    note(a, (struct stow_finding){.part = part, .unsettled = true, .text = kept(a, text)}, token);
}

void stow_audit_holds(struct stow_audit *a, enum stow_verify_part part, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;

    if (!stow_audit_fine(a, part))
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    a->out->state[part] = STOW_VERIFY_HOLDS;
    a->out->said[part] = kept(a, text);
    a->failed |= !a->out->said[part];
}

/* ---- looking up -------------------------------------------------------------------------- */

const char *stow_audit_pod_name(struct stow_audit *a, stow_pod_id pod)
{
    const struct stow_pod *p = &a->s->pod[pod];
    const char *text =
        stow_arena_printf(&a->arena, "%.*s/%s", STOW_FMT(stow_text(a->s, p->namespace)), p->name);

    return text ? text : p->name;
}

stow_group_id stow_audit_group(const struct stow_audit *a, struct stow_str name)
{
    uint32_t low = 0, high = a->s->groups;

    while (low < high) { /* groups are in order of names */
        const uint32_t middle = low + (high - low) / 2;
        const int order = stow_str_cmp(stow_str_of(a->s->group[middle].name), name);

        if (order == 0)
            return a->grows[middle] ? middle : STOW_NONE;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return STOW_NONE;
}

stow_group_id stow_audit_part(const struct stow_audit *a, struct stow_str name, bool committed)
{
    const stow_group_id found = committed ? STOW_NONE : stow_audit_group(a, name);

    if (!committed) /* a committed part is no group to its user */
        return found == STOW_NONE || a->s->group[found].commitment ? STOW_NONE : found;
    for (stow_group_id g = 0; g < a->s->groups; g++)
        if (a->s->group[g].commitment && a->grows[g] &&
            stow_str_is(name, a->s->group[a->s->group[g].listed].name))
            return g;
    return STOW_NONE;
}

stow_node_id stow_audit_node(const struct stow_audit *a, struct stow_str name)
{
    const stow_sym handle = stow_intern_find(&a->node_name, name);

    /* no text has handle 0, whether it was added or not: no object has an empty name */
    return handle == STOW_INTERN_FAILED || handle == 0 ? STOW_NONE : a->node_by_name[handle];
}

int64_t stow_audit_capacity(const struct stow_audit *a, const struct stow_node *node,
                            stow_sym resource)
{
    const stow_blob lists[] = {node->capacity, node->allocatable};
    stow_i128 nano;

    for (uint32_t i = 0; i < 2 && resource != STOW_NONE; i++) {
        uint32_t count;
        const struct stow_exact *list = STOW_LIST(a->s, lists[i], struct stow_exact, &count);

        if (stow_exact_find(list, count, resource, &nano))
            return stow_resource_units(
                resource == STOW_SYM_CPU ? STOW_RESOURCE_CPU : STOW_RESOURCE_FIXED, nano);
    }
    return resource == STOW_NONE ? 1 : 0;
}

/* ---- opening ----------------------------------------------------------------------------- */

static int choose_profile(struct stow_audit *a, struct stow_err *err)
{
    if (a->in->profiles && a->in->profiles->count) {
        a->profile = &a->in->profiles->profile[0];
        return STOW_OK;
    }
    STOW_TRY(stow_profiles_builtin("kube-default", &a->kube, err));
    a->profile = &a->kube.profile[0];
    return STOW_OK;
}

static int allocate(struct stow_audit *a)
{
    const struct stow_snapshot *s = a->s;
    const struct stow_told *told = &a->told;
    struct stow_arena *arena = &a->arena;

    a->grows = stow_arena_zalloc(arena, (s->groups + 1) * sizeof(*a->grows));
    a->price = stow_arena_zalloc(arena, (s->groups + 1) * sizeof(*a->price));
    a->weight = stow_arena_zalloc(arena, (s->groups + 1) * sizeof(*a->weight));
    a->bought = stow_arena_zalloc(arena, (s->groups + 1) * sizeof(*a->bought));
    a->pod = stow_arena_alloc(arena, ((size_t)told->pods + 1) * sizeof(*a->pod));
    a->group_of = stow_arena_alloc(arena, ((size_t)told->nodes + 1) * sizeof(*a->group_of));
    a->existing = stow_arena_alloc(arena, ((size_t)told->existings + 1) * sizeof(*a->existing));
    a->node_of = stow_arena_alloc(arena, ((size_t)s->pods + 1) * sizeof(*a->node_of));
    a->place_token = stow_arena_zalloc(arena, ((size_t)s->pods + 1) * sizeof(*a->place_token));
    a->is_left = stow_arena_zalloc(arena, ((size_t)s->pods + 1) * sizeof(*a->is_left));
    a->pending = stow_arena_alloc(arena, ((size_t)s->pods + 1) * sizeof(*a->pending));
    return a->grows && a->price && a->weight && a->bought && a->pod && a->group_of && a->existing &&
                   a->node_of && a->place_token && a->is_left && a->pending
               ? STOW_OK
               : STOW_ENOMEM;
}

static void look_over(struct stow_audit *a)
{
    const struct stow_snapshot *s = a->s;

    for (stow_group_id g = 0; g < s->groups; g++)
        a->grows[g] = !s->group[g].implied && s->group[g].has_fresh;
    for (stow_pod_id i = 0; i < s->pods; i++) {
        a->node_of[i] = STOW_NONE;
        if (stow_pod_pending(&s->pod[i]) && !(s->pod[i].flags & STOW_POD_GATED))
            a->pending[a->pendings++] = i;
    }
}

int stow_audit_open(struct stow_audit *a, struct stow_err *err)
{
    if (allocate(a) < 0)
        return stow_fail_memory(err);
    look_over(a);
    STOW_TRY(choose_profile(a, err));
    /* before copies of the snapshot are made: these add texts */
    if (a->told.is_consolidation && stow_audit_find_cordons(a) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_audit_names(a, err));
    STOW_TRY(stow_extend(a->s, true, &a->bare, err));
    STOW_TRY(stow_bill_make(&a->bare.s, a->in->books, a->in->bill, &a->bill, err));
    return stow_audit_price_groups(a, err);
}

void stow_audit_done(struct stow_audit *a)
{
    stow_told_done(&a->told);
    stow_profiles_done(&a->kube);
    stow_bill_done(&a->bill);
    stow_extension_done(&a->bare);
    stow_extension_done(&a->all);
    stow_intern_done(&a->node_name);
    free(a->node_by_name);
    free(a->coming);
    free(a->cordon);
    free(a->money);
    stow_arena_done(&a->arena);
    stow_intern_done(&a->own.text);
    stow_intern_done(&a->own.blob);
}

/* ---- all of it --------------------------------------------------------------------------- */

/* Where pods go is looked at only when it is clear which pods and which nodes are meant. */
static int check_places(struct stow_audit *a, struct stow_err *err)
{
    STOW_TRY(stow_audit_pods(a, err));
    if (!stow_audit_fine(a, STOW_VERIFY_PODS))
        return STOW_OK;
    STOW_TRY(stow_audit_filters(a, err));
    return stow_audit_group_order(a, err);
}

static int check_plan(struct stow_audit *a, struct stow_err *err)
{
    STOW_TRY(check_places(a, err));
    STOW_TRY(stow_audit_limits(a, err));
    STOW_TRY(stow_audit_cost(a, err));
    return stow_audit_proof(a, err);
}

static int check(struct stow_audit *a, struct stow_err *err)
{
    STOW_TRY(stow_audit_open(a, err));
    STOW_TRY(a->told.is_consolidation ? stow_audit_consolidation(a, err) : check_plan(a, err));
    return a->failed ? stow_fail_memory(err) : STOW_OK;
}

/* Names of the plan's nodes are added to the texts: to our own. */
static int own_texts(struct stow_audit *a, struct stow_err *err)
{
    a->s = &a->own;
    a->own.text = a->own.blob = (struct stow_intern){0};
    if (stow_intern_fork(&a->in->s->text, &a->own.text) < 0 ||
        stow_intern_fork(&a->in->s->blob, &a->own.blob) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

static const char *copy_of(struct stow_arena *arena, struct stow_str text)
{
    return text.ptr ? stow_arena_text(arena, text) : "";
}

int stow_verify(const struct stow_verify_input *input, const struct stow_verify_options *options,
                const struct stow_tape *plan, struct stow_verdicts *ret, struct stow_err *err)
{
    STOW_AUTO(stow_audit_done)
    struct stow_audit a = {
        .in = input, .options = options, .tape = plan, .out = ret, .own = *input->s};

    *ret = (struct stow_verdicts){
        .cost = {0, 0, 1},
        .weighed = STOW_MONEY_UNKNOWN,
        .bound = STOW_MONEY_UNKNOWN,
        .proved = STOW_MONEY_UNKNOWN,
        .resources_bound = STOW_MONEY_UNKNOWN,
        .gap = -1,
    };
    STOW_TRY(own_texts(&a, err));
    STOW_TRY(stow_told_read(plan, &a.told, err));
    ret->kind = copy_of(&ret->arena, a.told.kind.text);
    ret->strategy = copy_of(&ret->arena, a.told.strategy.text);
    if (!ret->kind || !ret->strategy)
        return stow_fail_memory(err);
    STOW_TRY(check(&a, err));

    const char *currency = copy_of(&ret->arena, a.bill.currency);

    if (!currency)
        return stow_fail_memory(err);
    ret->currency = stow_str_of(currency);
    return STOW_OK;
}

void stow_verdicts_done(struct stow_verdicts *verdicts)
{
    free(verdicts->finding);
    stow_arena_done(&verdicts->arena);
    memset(verdicts, 0, sizeof(*verdicts));
}

int stow_verdicts_code(const struct stow_verdicts *verdicts)
{
    bool unsettled = false;

    for (uint32_t i = 0; i < STOW_VERIFY_PARTS; i++) {
        if (verdicts->state[i] == STOW_VERIFY_WRONG)
            return STOW_EWRONG;
        unsettled |= verdicts->state[i] == STOW_VERIFY_UNSETTLED;
    }
    return unsettled ? STOW_ETIME : STOW_OK;
}
