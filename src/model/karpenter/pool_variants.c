/* pool_variants.c - which labels of its own the nodes of a NodePool may have.
 *
 * Problem: a pool may admit many values of a label that is not the machine's: `example.com/tier In
 * [gold, silver]`, `example.com/team Exists`.  Karpenter gives a new node the value that its pods
 * ask for.  A group has one node, and so one value.
 *
 * Idea: what pods cannot tell apart is the same to a plan.  So a pool has one variant of its groups
 * for each way in which the terms of the pods can turn out for a value: every value that the
 * requirement lists or a pod names, and of all others one that stands for them.  The first of equal
 * ones is taken.  A key that no pod names has one value, and costs nothing.  Where pods are counted
 * per value (spread constraints, affinity between pods), every value that is known is one of its
 * own.
 *
 * The ordinary variant has the first value of a list; of a bound the bound; `true` where any value
 * will do; and no label where the label may be missing.  Its groups have no suffix.
 *
 * Several keys multiply.  Beyond VARIANTS_MAX only those combinations are offered that one pod asks
 * for, and a warning says so.
 *
 * Which pods: those that wait for a node, and templates of workloads; those that run as well where
 * they may be moved (s->moves_pods). */
#include "model/karpenter/pool_variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/karpenter/pool_labels.h"
#include "model/values/match.h"
#include "model/values/syntax.h"

/* Of a pool: six groups of a type, in three zones, come to 600. */
#define VARIANTS_MAX 100

/* Combinations that are looked at: 100 values of three keys. */
#define COMBINATIONS_MAX 1000000

/* Keys that are distinguished; a pool has at most 100 requirements. */
#define KEY_BITS 64

#define NUMBER_TEXT 24 /* a number and the end of it */

/* A key that the pool leaves open. */
struct open_key {
    stow_sym key;
    const struct stow_value_set *set;
    bool counted; /* pods are counted per value */
    struct stow_requirement *term;
    uint32_t terms, term_cap;
    stow_sym *value; /* ordinary first (STOW_NONE: no label), then one for each way */
    uint32_t values, value_cap;
    uint64_t *ways; /* per value: hash of how the terms turn out */
    uint32_t ways_cap, way_count;
};

struct finding {
    const struct stow_pool_offers *o;
    struct stow_snapshot *s;
    struct open_key *open;
    uint32_t opens, open_cap;
    bool *asks;      /* per spec: its pods may get new nodes */
    uint64_t *names; /* per spec: the open keys that it names, a bit each */
};

static void finding_done(struct finding *f)
{
    for (uint32_t i = 0; f->open && i < f->opens; i++) {
        free(f->open[i].term);
        free(f->open[i].value);
        free(f->open[i].ways);
    }
    free(f->open);
    free(f->asks);
    free(f->names);
}

/* ---- which pods -------------------------------------------------------------------------- */

static bool is_daemon(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(s, pod->owner, struct stow_owner, &count);

    return count && (stow_str_is(stow_text(s, owner->kind), "DaemonSet") ||
                     stow_str_is(stow_text(s, owner->kind), "Node"));
}

/* `running`: those that have a node as well. */
static int find_specs(struct finding *f, bool running)
{
    const struct stow_snapshot *s = f->s;

    f->asks = calloc(stow_spec_end(s), sizeof(*f->asks));
    f->names = calloc(stow_spec_end(s), sizeof(*f->names));
    if (!f->asks || !f->names)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->pods; i++)
        if ((!s->pod[i].node_name || running) && stow_pod_counts(&s->pod[i]) &&
            !is_daemon(s, &s->pod[i]))
            f->asks[s->pod[i].spec] = true;
    for (uint32_t i = 0; i < s->workloads; i++) {
        const struct stow_workload *w = &s->workload[i];

        if (w->template_spec != STOW_NONE && w->kind != STOW_DAEMON_SET && !w->ended)
            f->asks[w->template_spec] = true;
    }
    return STOW_OK;
}

/* ---- what they ask ----------------------------------------------------------------------- */

static int add_term(struct open_key *key, const struct stow_requirement *term)
{
    struct stow_requirement *kept;

    for (uint32_t i = 0; i < key->terms; i++)
        if (key->term[i].op == term->op && key->term[i].values == term->values)
            return STOW_OK;
    kept = STOW_PUSH(&key->term, &key->terms, &key->term_cap);
    if (!kept)
        return STOW_ENOMEM;
    *kept = *term;
    return STOW_OK;
}

/* These two: 1: the key is named; 0: it is not. */
static int ask_selector(struct finding *f, stow_blob selector, struct open_key *key)
{
    const stow_sym value = stow_label_value(f->s, selector, key->key);
    struct stow_requirement term = {.key = key->key, .op = STOW_OP_IN};

    if (value == STOW_NONE)
        return 0;
    term.values = stow_intern_blob(&f->s->blob, &value, sizeof(value));
    return term.values == STOW_INTERN_FAILED || add_term(key, &term) < 0 ? STOW_ENOMEM : 1;
}

static int ask_terms(struct finding *f, stow_blob terms, struct open_key *key)
{
    uint32_t count, others;
    const struct stow_node_term *list = STOW_LIST(f->s, terms, struct stow_node_term, &count);
    int named = 0;

    for (uint32_t t = 0; terms != STOW_SELECTOR_NULL && t < count; t++) {
        const struct stow_requirement *each =
            STOW_LIST(f->s, list[t].expressions, struct stow_requirement, &others);

        for (uint32_t i = 0; i < others && !list[t].broken; i++) {
            if (each[i].key != key->key)
                continue;
            STOW_TRY(add_term(key, &each[i]));
            named = 1;
        }
    }
    return named;
}

static bool counts_by(const struct stow_snapshot *s, const struct stow_pod_spec *spec, stow_sym key)
{
    uint32_t spreads, counts[2];
    const struct stow_spread *spread = STOW_LIST(s, spec->spread, struct stow_spread, &spreads);
    const struct stow_pod_term *terms[2] = {
        STOW_LIST(s, spec->affinity_required, struct stow_pod_term, &counts[0]),
        STOW_LIST(s, spec->anti_required, struct stow_pod_term, &counts[1]),
    };

    for (uint32_t i = 0; i < spreads; i++)
        if ((spread[i].flags & STOW_SPREAD_HARD) && spread[i].topology_key == key)
            return true;
    for (uint32_t t = 0; t < 2; t++)
        for (uint32_t i = 0; i < counts[t]; i++)
            if (terms[t][i].topology_key == key)
                return true;
    return false;
}

static int ask_spec(struct finding *f, stow_spec_id id, uint32_t at)
{
    const struct stow_pod_spec *spec = stow_spec(f->s, id);
    struct open_key *key = &f->open[at];
    const bool counts = counts_by(f->s, spec, key->key);
    const int selects = ask_selector(f, spec->node_selector, key);
    const int requires = selects < 0 ? selects : ask_terms(f, spec->node_required, key);
    const int prefers = requires < 0 ? requires : ask_terms(f, spec->node_preferred, key);

    STOW_TRY(prefers);
    key->counted |= counts;
    if (counts || selects || requires || prefers)
        f->names[id] |= UINT64_C(1) << at % KEY_BITS;
    return STOW_OK;
}

static int ask_pods(struct finding *f, uint32_t at)
{
    const struct stow_snapshot *s = f->s;

    for (stow_spec_id i = 1; i < stow_spec_end(s); i++)
        if (f->asks[i])
            STOW_TRY(ask_spec(f, i, at));
    for (uint32_t i = 0; i < s->runtime_classes; i++)
        STOW_TRY(ask_selector(f, s->runtime_class[i].node_selector, &f->open[at]));
    return STOW_OK;
}

/* ---- values ------------------------------------------------------------------------------ */

/* What a node has that no pod asks for; {NULL, 0}: it lacks the label.  `text` has room for a
 * number.
 */
static struct stow_str ordinary_value(const struct stow_value_set *set, char text[NUMBER_TEXT])
{
    const int64_t bound = set->has_lower ? set->lower : set->upper;

    if (!set->complement)
        return set->values ? set->value[0] : (struct stow_str){NULL, 0};
    if (stow_value_set_may_lack(set))
        return (struct stow_str){NULL, 0};
    if (!set->has_lower && !set->has_upper)
        return STOW_STR("true");
    if (bound < 0) /* no label can be that */
        return (struct stow_str){NULL, 0};
    snprintf(text, NUMBER_TEXT, "%lld", (long long)bound);
    return stow_str_of(text);
}

/* How all terms turn out for a value, as a number. */
static uint64_t way_of(const struct stow_snapshot *s, const struct open_key *key, stow_sym value)
{
    uint64_t way[2] = {key->counted ? value : 0, 0};

    for (uint32_t i = 0; i < key->terms; i++) {
        way[1] = stow_requirement_holds(s, &key->term[i], value);
        way[0] = stow_hash(way, sizeof(way));
    }
    return way[0];
}

/* A value, unless one that is there will do. */
static int add_value(struct finding *f, struct open_key *key, stow_sym value)
{
    const uint64_t way = way_of(f->s, key, value);
    stow_sym *kept;
    uint64_t *known;

    for (uint32_t i = 0; i < key->way_count; i++)
        if (key->ways[i] == way)
            return STOW_OK;
    kept = STOW_PUSH(&key->value, &key->values, &key->value_cap);
    known = STOW_PUSH(&key->ways, &key->way_count, &key->ways_cap);
    if (!kept || !known)
        return STOW_ENOMEM;
    *kept = value;
    *known = way;
    return STOW_OK;
}

static int try_value(struct finding *f, struct open_key *key, struct stow_str text)
{
    stow_sym value;

    if (!text.len || !stow_is_label_value(text) || !stow_value_set_has(key->set, text))
        return STOW_OK;
    value = stow_intern_text(&f->s->text, text);
    return value == STOW_INTERN_FAILED ? STOW_ENOMEM : add_value(f, key, value);
}

/* Whether the pool's requirement or a pod's names the value itself. */
static bool is_named(const struct finding *f, const struct open_key *key, struct stow_str text)
{
    for (uint32_t i = 0; i < key->set->values; i++)
        if (stow_str_eq(key->set->value[i], text))
            return true;
    for (uint32_t i = 0; i < key->terms; i++) {
        uint32_t count;
        const stow_sym *value = STOW_LIST(f->s, key->term[i].values, stow_sym, &count);

        for (uint32_t v = 0; v < count; v++)
            if (stow_str_eq(stow_text(f->s, value[v]), text))
                return true;
    }
    return false;
}

/* The first number from `from` on, upwards or downwards, that no pod names. */
static int try_number(struct finding *f, struct open_key *key, int64_t from, int64_t step)
{
    char text[NUMBER_TEXT];

    for (int64_t at = from; at >= 0; at += step) {
        snprintf(text, sizeof(text), "%lld", (long long)at);
        if (!is_named(f, key, stow_str_of(text)))
            return try_value(f, key, stow_str_of(text));
        if (at == INT64_MAX)
            break;
    }
    return STOW_OK;
}

/* Numbers on both sides of a bound. */
static int try_around(struct finding *f, struct open_key *key, int64_t bound)
{
    if (bound < INT64_MAX)
        STOW_TRY(try_number(f, key, bound + 1, 1));
    return bound > 0 ? try_number(f, key, bound - 1, -1) : STOW_OK;
}

/* A text for all values that no pod names. */
static int try_other(struct finding *f, struct open_key *key)
{
    char text[NUMBER_TEXT] = "true";

    for (uint32_t i = 1; is_named(f, key, stow_str_of(text)); i++)
        snprintf(text, sizeof(text), i == 1 ? "other" : "other-%u", i);
    return try_value(f, key, stow_str_of(text));
}

static int compare_texts(const void *a, const void *b)
{
    return stow_str_cmp(*(const struct stow_str *)a, *(const struct stow_str *)b);
}

/* Values that pods name, and where pods are counted per value those of the nodes, by name. */
static int try_named(struct finding *f, struct open_key *key)
{
    const struct stow_snapshot *s = f->s;
    size_t most = key->counted ? s->nodes : 0, made = 0;
    struct stow_str *list;
    uint32_t count;

    for (uint32_t i = 0; i < key->terms; i++) {
        STOW_LIST(s, key->term[i].values, stow_sym, &count);
        most += count;
    }
    list = stow_arena_alloc(f->o->arena, (most + 1) * sizeof(*list));
    if (!list)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < key->terms; i++) {
        const stow_sym *value = STOW_LIST(s, key->term[i].values, stow_sym, &count);

        for (uint32_t v = 0; v < count; v++)
            list[made++] = stow_text(s, value[v]);
    }
    for (uint32_t i = 0; key->counted && i < s->nodes; i++) {
        const stow_sym value = stow_label_value(s, s->node[i].labels, key->key);

        if (value != STOW_NONE)
            list[made++] = stow_text(s, value);
    }
    qsort(list, made, sizeof(*list), compare_texts);
    for (size_t i = 0; i < made; i++)
        STOW_TRY(try_value(f, key, list[i]));
    return STOW_OK;
}

static int try_bounds(struct finding *f, struct open_key *key)
{
    const struct stow_value_set *set = key->set;

    if (set->has_lower && set->lower > INT64_MIN)
        STOW_TRY(try_around(f, key, set->lower - 1));
    if (set->has_upper && set->upper < INT64_MAX)
        STOW_TRY(try_around(f, key, set->upper + 1));
    for (uint32_t i = 0; i < key->terms; i++) {
        uint32_t count;
        const stow_sym *value = STOW_LIST(f->s, key->term[i].values, stow_sym, &count);
        int64_t bound;

        if ((key->term[i].op == STOW_OP_GT || key->term[i].op == STOW_OP_LT) && count == 1 &&
            stow_str_int(stow_text(f->s, value[0]), &bound))
            STOW_TRY(try_around(f, key, bound));
    }
    return STOW_OK;
}

/* The values of a key that matter. */
static int find_values(struct finding *f, struct open_key *key)
{
    char number[NUMBER_TEXT];
    const struct stow_str ordinary = ordinary_value(key->set, number);
    const stow_sym first = ordinary.ptr ? stow_intern_text(&f->s->text, ordinary) : STOW_NONE;

    if (ordinary.ptr && first == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    STOW_TRY(add_value(f, key, first));
    if (!key->terms && !key->counted)
        return STOW_OK;
    for (uint32_t i = 0; !key->set->complement && i < key->set->values; i++)
        STOW_TRY(try_value(f, key, key->set->value[i]));
    if (!key->set->complement)
        return STOW_OK;
    STOW_TRY(try_other(f, key));
    STOW_TRY(try_named(f, key));
    return try_bounds(f, key);
}

static bool is_in_template(const struct finding *f, stow_sym key)
{
    return stow_label_value(f->s, f->o->pool->labels, key) != STOW_NONE;
}

/* In order of their names. */
static int compare_open(const void *a, const void *b)
{
    const struct open_key *x = a, *y = b;

    return stow_str_cmp(x->set->key, y->set->key);
}

static int find_open(struct finding *f)
{
    const struct stow_value_sets *sets = &f->o->sets;

    f->open = calloc((size_t)sets->count + 1, sizeof(*f->open));
    if (!f->open)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < sets->count; i++) {
        const struct stow_value_set *set = &sets->set[i];
        const stow_sym key = stow_intern_text(&f->s->text, set->key);

        if (key == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
        if ((!set->complement && !set->values) || is_in_template(f, key) ||
            stow_label_is_known_to(f->o->form, set->key))
            continue;
        f->open[f->opens++] = (struct open_key){.key = key, .set = set};
    }
    qsort(f->open, f->opens, sizeof(*f->open), compare_open);
    return STOW_OK;
}

/* ---- combinations ------------------------------------------------------------------------ */

/* The value of a key in a combination: digits of its number, the first key the last digit. */
static uint32_t digit_of(const struct finding *f, uint64_t number, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        number /= f->open[i].values;
    return (uint32_t)(number % f->open[at].values);
}

static uint64_t count_all(const struct finding *f)
{
    uint64_t all = 1;

    for (uint32_t i = 0; i < f->opens; i++)
        if (__builtin_mul_overflow(all, f->open[i].values, &all))
            return UINT64_MAX;
    return all;
}

/* "tier" of "example.com/tier", unless another key has the same last part. */
static struct stow_str short_key(const struct finding *f, uint32_t at)
{
    struct stow_str name, other;
    const struct stow_str whole = f->open[at].set->key;

    stow_str_cut(whole, '/', &name);
    for (uint32_t i = 0; i < f->opens && name.ptr; i++) {
        const struct stow_str first = stow_str_cut(f->open[i].set->key, '/', &other);

        if (i != at && stow_str_eq(other.ptr ? other : first, name))
            return whole;
    }
    return name.ptr ? name : whole;
}

static const char *suffix_of(const struct finding *f, uint64_t number)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    for (uint32_t i = 0; i < f->opens; i++) {
        const uint32_t digit = digit_of(f, number, i);

        if (digit)
            stow_buf_printf(&text, ",%.*s=%.*s", STOW_FMT(short_key(f, i)),
                            STOW_FMT(stow_text(f->s, f->open[i].value[digit])));
    }
    return text.failed ? NULL : text.len ? stow_arena_text(f->o->arena, stow_buf_str(&text)) : "";
}

static int make_variant(const struct finding *f, uint64_t number, struct stow_pool_variant *ret)
{
    struct stow_label *all = stow_arena_alloc(f->o->arena, (f->opens + 1) * sizeof(*all));
    struct stow_label *chosen = stow_arena_alloc(f->o->arena, (f->opens + 1) * sizeof(*chosen));
    uint32_t chosens = 0;

    *ret = (struct stow_pool_variant){.suffix = suffix_of(f, number), .label = all};
    if (!all || !chosen || !ret->suffix)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < f->opens; i++) {
        const uint32_t digit = digit_of(f, number, i);
        const struct stow_label label = {f->open[i].key, f->open[i].value[digit]};

        if (label.value != STOW_NONE)
            all[ret->labels++] = label;
        if (digit)
            chosen[chosens++] = label;
    }
    stow_labels_sort(all, ret->labels);
    stow_labels_sort(chosen, chosens);
    ret->chosen = stow_intern_blob(&f->s->blob, chosen, chosens * sizeof(*chosen));
    return ret->chosen == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* The keys in which a combination differs from the ordinary one, a bit each. */
static uint64_t chosen_keys(const struct finding *f, uint64_t number)
{
    uint64_t chosen = 0;

    for (uint32_t i = 0; i < f->opens; i++)
        if (digit_of(f, number, i))
            chosen |= UINT64_C(1) << i % KEY_BITS;
    return chosen;
}

/* Whether one pod names all of these keys; one key alone is some pod's. */
static bool is_asked_at_once(const struct finding *f, uint64_t chosen)
{
    if (!(chosen & (chosen - 1)))
        return true;
    for (stow_spec_id i = 1; i < stow_spec_end(f->s); i++)
        if (!(chosen & ~f->names[i]))
            return true;
    return false;
}

static int combine(const struct finding *f, struct stow_pool_variants *ret)
{
    const uint64_t all = count_all(f), most = all < COMBINATIONS_MAX ? all : COMBINATIONS_MAX;
    uint64_t last = 0;
    bool asked = true;

    for (uint64_t i = 0; i < most; i++) {
        const uint64_t chosen = chosen_keys(f, i);
        struct stow_pool_variant *made;

        if (all > VARIANTS_MAX && chosen != last)
            asked = is_asked_at_once(f, chosen);
        last = chosen;
        if (!asked)
            continue;
        made = STOW_PUSH(&ret->variant, &ret->count, &ret->cap);
        if (!made || make_variant(f, i, made) < 0)
            return STOW_ENOMEM;
    }
    if (ret->count == all)
        return STOW_OK;
    return stow_snapshot_warn(f->s,
                              "NodePool '%s': pods name too many values of its labels: only "
                              "combinations that a single pod requires are offered: %u",
                              f->o->pool->name, ret->count);
}

void stow_pool_variants_done(struct stow_pool_variants *variants)
{
    free(variants->variant);
}

int stow_pool_variants_find(const struct stow_pool_offers *o, struct stow_pool_variants *ret)
{
    STOW_AUTO(finding_done) struct finding f = {.o = o, .s = o->s};

    STOW_TRY(find_open(&f));
    if (f.opens)
        STOW_TRY(find_specs(&f, o->s->moves_pods));
    for (uint32_t i = 0; i < f.opens; i++) {
        STOW_TRY(ask_pods(&f, i));
        STOW_TRY(find_values(&f, &f.open[i]));
    }
    return combine(&f, ret);
}

/* ---- whether pods that run ask for more --------------------------------------------------- */

static bool leaves_open(const struct stow_snapshot *s, const struct stow_node_pool *pool,
                        stow_sym key)
{
    const struct stow_str text = stow_text(s, key);

    return stow_label_value(s, pool->labels, key) == STOW_NONE &&
           !(pool->class_at == STOW_NONE
                 ? stow_label_is_well_known(text)
                 : stow_label_is_known_to(s->node_class[pool->class_at].form, text));
}

static bool is_listed(const struct finding *f, stow_sym key)
{
    for (uint32_t i = 0; i < f->opens; i++)
        if (f->open[i].key == key)
            return true;
    return false;
}

/* The keys that some pool leaves open. */
static int list_open(struct finding *f)
{
    const struct stow_snapshot *s = f->s;
    uint32_t count;

    for (uint32_t p = 0; p < s->node_pools; p++) {
        const struct stow_pool_requirement *list =
            STOW_LIST(s, s->node_pool[p].requirements, struct stow_pool_requirement, &count);

        for (uint32_t i = 0; i < count && s->node_pool[p].pool_id != STOW_NONE; i++) {
            struct open_key *made;

            if (is_listed(f, list[i].key) || !leaves_open(s, &s->node_pool[p], list[i].key))
                continue;
            made = STOW_PUSH(&f->open, &f->opens, &f->open_cap);
            if (!made)
                return STOW_ENOMEM;
            made->key = list[i].key;
        }
    }
    return STOW_OK;
}

static int ask_all(struct finding *f, bool running)
{
    STOW_TRY(list_open(f));
    if (f->opens)
        STOW_TRY(find_specs(f, running));
    for (uint32_t i = 0; i < f->opens; i++)
        STOW_TRY(ask_pods(f, i));
    return STOW_OK;
}

/* Whether pods name keys together that those of `waiting` do not. */
static bool combine_more(const struct finding *waiting, const struct finding *all)
{
    if (!all->names || !all->asks || !waiting->asks)
        return false; /* no key is open */
    for (stow_spec_id i = 1; i < stow_spec_end(all->s); i++)
        if (all->asks[i] && !waiting->asks[i] && !is_asked_at_once(waiting, all->names[i]))
            return true;
    return false;
}

int stow_pool_variants_differ(struct stow_snapshot *s, bool *ret)
{
    STOW_AUTO(finding_done) struct finding waiting = {.s = s};
    STOW_AUTO(finding_done) struct finding all = {.s = s};

    STOW_TRY(ask_all(&waiting, false));
    STOW_TRY(ask_all(&all, true));
    *ret = combine_more(&waiting, &all);
    if (!waiting.open || !all.open)
        return STOW_OK;
    for (uint32_t i = 0; i < all.opens; i++)
        *ret |= all.open[i].terms > waiting.open[i].terms ||
                all.open[i].counted != waiting.open[i].counted;
    return STOW_OK;
}
