/* rule.h - one scorer on a small cluster: load documents, read options, ask. */
#ifndef TESTS_UNIT_RULE_H
#define TESTS_UNIT_RULE_H

#include "tests/unit/load.h"

#include "place/rules.h"
#include "place/state.h"

/* A scorer with its options, on the first pending pod of a snapshot. */
struct rule_case {
    struct stow_snapshot *s;
    struct stow_state state;
    struct stow_subject pod;
    const struct stow_scorer_rule *rule;
    struct stow_arena arena;
    void *self, *prep;
    int prepared;
};

/* Reads options ({} of the rule's options) into `self`; what reading says. */
static inline int rule_read(const struct stow_scorer_rule *rule, const char *options,
                            struct stow_arena *arena, void *self, struct stow_err *err)
{
    size_t len = strlen(options);
    char *text = calloc(len + STOW_TAPE_PADDING, 1);
    struct stow_tape tape = {0};
    struct stow_cursor c;
    struct stow_str key;
    int more = 0;

    memcpy(text, options, len);
    assert_int_equal(stow_tape_open_json(&tape, "options", text, len, err), STOW_OK);
    stow_cursor_init(&c, &tape, err);
    c.arena = arena;
    assert_int_equal(stow_cursor_enter(&c, '{'), STOW_OK);
    while (more >= 0 && (more = stow_cursor_key(&c, &key)) > 0) {
        const struct stow_rule_option *o = rule->options;

        while (o->name && !stow_str_is(key, o->name))
            o++;
        assert_non_null(o->name);
        more = o->read(&c, self);
    }
    stow_cursor_done(&c);
    stow_tape_done(&tape);
    free(text);
    return more;
}

static inline stow_pod_id rule_pending(const struct stow_snapshot *s)
{
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (stow_pod_pending(&s->pod[i]))
            return i;
    fail_msg("no pending pod");
    return 0;
}

/* Opens, reads, checks and prepares; the caller calls rule_done. */
static inline void rule_open(struct rule_case *r, const struct stow_scorer_rule *rule,
                             const char *options, const char *yaml,
                             const struct stow_node_money *money)
{
    struct stow_err err = {0};

    memset(r, 0, sizeof(*r));
    r->s = load_yaml(yaml);
    assert_int_equal(stow_state_init(&r->state, r->s, money, &err), STOW_OK);

    const struct stow_pod *pod = &r->s->pod[rule_pending(r->s)];

    r->pod = (struct stow_subject){r->s, pod, stow_spec(r->s, pod->spec), &r->s->demand[pod->spec]};
    r->self = stow_arena_zalloc(&r->arena, rule->self_size + 1);
    if (rule->defaults)
        rule->defaults(r->self);
    if (rule_read(rule, options, &r->arena, r->self, &err) < 0 ||
        (rule->check_options && rule->check_options(r->self, &err) < 0))
        fail_msg("%s: %s", options, err.msg);
    r->rule = rule->variant ? rule->variant(r->self) : rule;
    r->prep = stow_arena_zalloc(&r->arena, r->rule->prep_size + 1);
    r->prepared = STOW_PREPARED;
    if (r->rule->prepare)
        r->prepared = r->rule->prepare(r->self, &r->state, &r->pod, r->prep, &r->arena);
    assert_true(r->prepared >= 0);
}

static inline void rule_done(struct rule_case *r)
{
    stow_state_done(&r->state);
    stow_arena_done(&r->arena);
    stow_snapshot_unref(r->s);
}

/* All nodes, normalised, by node id; `score` has room for them. */
static inline void rule_score(const struct rule_case *r, double *score)
{
    stow_node_id node[64];

    assert_true(r->s->nodes <= 64);
    for (stow_node_id i = 0; i < r->s->nodes; i++)
        node[i] = i;
    r->rule->score(r->self, r->prep, &r->state, &r->pod, node, r->s->nodes, score);
    if (r->rule->normalise)
        r->rule->normalise(r->self, r->prep, &r->state, &r->pod, node, r->s->nodes, score);
}

/* Scores of a document: `expected` by node in order of names. */
static inline void rule_scores(const struct stow_scorer_rule *rule, const char *options,
                               const char *yaml, const double *expected, uint32_t count)
{
    struct rule_case r;
    double score[64];

    rule_open(&r, rule, options, yaml, NULL);
    assert_int_equal(r.s->nodes, count);
    rule_score(&r, score);
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs(score[i] - expected[i]) < 1e-9))
            fail_msg("%s with %s: node %s scores %.12g, expected %.12g", rule->name, options,
                     r.s->node[i].name, score[i], expected[i]);
    rule_done(&r);
}

/* Options that must be refused, by reading them or by the check behind it, with these words. */
static inline void rule_refuses(const struct stow_scorer_rule *rule, const char *options,
                                const char *says)
{
    struct stow_arena arena = {0};
    struct stow_err err = {0};
    void *self = stow_arena_zalloc(&arena, rule->self_size + 1);
    int code;

    if (rule->defaults)
        rule->defaults(self);
    code = rule_read(rule, options, &arena, self, &err);
    if (code >= 0 && rule->check_options)
        code = rule->check_options(self, &err);
    if (code >= 0 || !strstr(err.msg, says))
        fail_msg("%s: code %d, \"%s\", expected \"%s\"", options, code, err.msg, says);
    stow_arena_done(&arena);
}

#endif
