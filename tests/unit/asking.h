/* asking.h - a filter asked about one pod and the nodes of a document. */
#ifndef TESTS_UNIT_ASKING_H
#define TESTS_UNIT_ASKING_H

#include "tests/unit/load.h"

#include "place/rules.h"
#include "read/text/tape.h"

/* A filter asked about the pod "p" of a document. */
struct asking {
    const struct stow_filter_rule *rule;
    struct stow_snapshot *s;
    struct stow_state state;
    struct stow_arena arena;
    struct stow_subject pod;
    void *self, *prep;
    int prepared;
    struct stow_reasons why; /* of the node asked last */
};

static inline stow_pod_id pod_named(const struct stow_snapshot *s, const char *name)
{
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (strcmp(s->pod[i].name, name) == 0)
            return i;
    fail_msg("there is no pod %s", name);
    return STOW_NONE;
}

/* Reads one option from JSON; < 0 when it is refused. */
static inline int set_option(struct asking *a, const char *name, const char *json,
                             struct stow_err *err)
{
    size_t len = strlen(json);
    char *text = stow_arena_zalloc(&a->arena, len + STOW_TAPE_PADDING);
    const struct stow_rule_option *option = a->rule->options;
    struct stow_tape tape;
    struct stow_cursor c;

    assert_non_null(text);
    while (option->name && strcmp(option->name, name) != 0)
        option++;
    assert_non_null(option->name);
    memcpy(text, json, len);
    assert_true(stow_tape_open_json(&tape, "option", text, len, err) >= 0);
    stow_cursor_init(&c, &tape, err);
    c.arena = &a->arena;
    int code = option->read(&c, a->self);

    stow_cursor_done(&c);
    stow_tape_done(&tape);
    return code;
}

static inline void ask_begin(struct asking *a, const struct stow_filter_rule *rule,
                             const char *yaml, const struct stow_node_money *money)
{
    struct stow_err err = {0};

    memset(a, 0, sizeof(*a));
    a->rule = rule;
    a->s = load_yaml(yaml);
    assert_true(stow_state_init(&a->state, a->s, money, &err) >= 0);
    stow_pod_id p = pod_named(a->s, "p");

    a->pod = (struct stow_subject){a->s, &a->s->pod[p], stow_spec(a->s, a->s->pod[p].spec),
                                   &a->s->demand[a->s->pod[p].spec]};
    a->self = stow_arena_zalloc(&a->arena, rule->self_size + 1);
    a->prep = stow_arena_zalloc(&a->arena, rule->prep_size + 1);
    assert_true(a->self && a->prep);
    if (rule->defaults)
        rule->defaults(a->self);
}

static inline void ask_prepare(struct asking *a)
{
    memset(a->prep, 0, a->rule->prep_size);
    a->prepared = STOW_PREPARED;
    if (a->rule->prepare)
        a->prepared = a->rule->prepare(a->self, &a->state, &a->pod, a->prep, &a->arena);
    assert_true(a->prepared >= 0);
}

static inline void ask_end(struct asking *a)
{
    stow_state_done(&a->state);
    stow_snapshot_unref(a->s);
    stow_arena_done(&a->arena);
}

static inline void ask(struct asking *a, const struct stow_filter_rule *rule, const char *yaml)
{
    ask_begin(a, rule, yaml, NULL);
    ask_prepare(a);
}

/* Whether a node passes; if not, `why` has the reasons.  Asking alone and among all, in any order,
 * must agree. */
static inline bool passes(struct asking *a, const char *name)
{
    stow_node_id node = stow_node_find(a->s, stow_str_of(name)), all[16];
    uint8_t alone = 1, fits[16];

    assert_true(node != STOW_NONE && a->s->nodes <= 16);
    memset(&a->why, 0, sizeof(a->why));
    a->why.arena = &a->arena;
    if (a->prepared == STOW_PREPARED_SKIP)
        return true;
    for (stow_node_id i = 0; i < a->s->nodes; i++)
        all[i] = a->s->nodes - 1 - i;
    memset(fits, 1, sizeof(fits));
    a->rule->check(a->self, a->prep, &a->state, &a->pod, &node, 1, &alone);
    a->rule->check(a->self, a->prep, &a->state, &a->pod, all, a->s->nodes, fits);
    assert_int_equal(alone, fits[a->s->nodes - 1 - node]);
    if (!alone) {
        a->rule->explain(a->self, a->prep, &a->state, &a->pod, node, &a->why);
        assert_true(a->why.count > 0 && a->why.verdict != STOW_FITS);
    }
    return alone;
}

static inline const char *reason(const struct asking *a)
{
    return a->why.count ? a->why.reason[0].text : "";
}

static inline const char *detail(const struct asking *a)
{
    return a->why.count && a->why.reason[0].detail ? a->why.reason[0].detail : "";
}

#define NODE(name, rest) "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" rest "\n---\n"
#define LABELLED(name, labels) \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {" labels "}}\n---\n"
#define ON(node, name, spec)                                                                  \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\nspec: {nodeName: " node ", " spec \
    "}\n---\n"
#define POD(spec)          "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {" spec "}\n---\n"
#define ASKS(resources)    "containers: [{name: c, resources: {requests: {" resources "}}}]"
#define HAS(name, amounts) NODE(name, "status: {allocatable: {" amounts "}}")

#endif
