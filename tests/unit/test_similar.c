/* Unit tests of similar groups, and of nodes divided over them. */
#include "tests/unit/unit.h"

#include "scale/rules/similar.h"
#include "tests/unit/load.h"

/* ---- similar ----------------------------------------------------------------------------- */

#define BASE                                                   \
    "labels: {arch: amd64}\n"                                  \
    "capacity: {cpu: \"4\", memory: 16Gi, pods: \"110\"}\n"    \
    "allocatable: {cpu: \"4\", memory: 16Gi, pods: \"110\"}\n" \
    "requests: {}"

/* A template in four lines: labels, capacity, allocatable, requests of its daemon pod. */
static void write_template(struct stow_buf *out, const char *name, const char *lines)
{
    struct stow_str rest = stow_str_of(lines);
    const struct stow_str labels = stow_str_cut(rest, '\n', &rest);
    const struct stow_str capacity = stow_str_cut(rest, '\n', &rest);
    const struct stow_str allocatable = stow_str_cut(rest, '\n', &rest);

    stow_buf_printf(out,
                    "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: %s\n  %.*s\n"
                    "status:\n  %.*s\n  %.*s\n",
                    name, STOW_FMT(labels), STOW_FMT(capacity), STOW_FMT(allocatable));
    stow_buf_printf(out,
                    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n"
                    "  containers:\n  - name: c\n    resources:\n      %.*s\n",
                    name, STOW_FMT(rest));
}

static struct stow_similar_node template_of(const struct stow_snapshot *s, uint32_t i)
{
    uint32_t count;
    stow_blob list = stow_spec(s, s->pod[i].spec)->containers;
    const struct stow_container *container = STOW_LIST(s, list, struct stow_container, &count);

    return (struct stow_similar_node){.node = &s->node[i], .daemons = container->requests};
}

static struct stow_snapshot *load_two(const char *a, const char *b)
{
    struct stow_buf text = {0};

    write_template(&text, "a", a);
    write_template(&text, "b", b);
    assert_false(text.failed);

    struct stow_snapshot *s = load_str("two.yaml", stow_buf_str(&text));

    stow_buf_done(&text);
    return s;
}

/* Both ways round: the rule knows no first. */
static bool similar(const char *a, const char *b)
{
    struct stow_snapshot *s = load_two(a, b);
    const struct stow_similar_node x = template_of(s, 0), y = template_of(s, 1);
    const bool forth = stow_similar(s, x, y, NULL), back = stow_similar(s, y, x, NULL);

    stow_snapshot_unref(s);
    assert_int_equal(forth, back);
    return forth;
}

/* BASE with one of its lines replaced. */
static bool similar_with(const char *line)
{
    struct stow_buf text = {0};
    struct stow_str rest = STOW_STR(BASE), key = stow_str_of(line);

    key = stow_str_cut(key, ':', &(struct stow_str){0});
    while (rest.ptr) {
        struct stow_str old = stow_str_cut(rest, '\n', &rest);
        const bool replaced = stow_str_starts(old, key);

        stow_buf_printf(&text, "%s%.*s", text.len ? "\n" : "",
                        STOW_FMT(replaced ? stow_str_of(line) : old));
    }
    stow_buf_char(&text, '\0');

    const bool result = similar(BASE, text.ptr);

    stow_buf_done(&text);
    return result;
}

static void equal_templates_are_similar(void **ctx)
{
    (void)ctx;
    assert_true(similar(BASE, BASE));
}

static void capacity_is_equal_but_for_a_little_memory(void **ctx)
{
    (void)ctx;
    assert_false(similar_with("capacity: {cpu: 4001m, memory: 16Gi, pods: \"110\"}"));
    assert_false(similar_with("capacity: {cpu: \"4\", memory: 16Gi, pods: \"111\"}"));
    assert_true(similar_with("capacity: {cpu: \"4\", memory: 15.9Gi, pods: \"110\"}"));
    assert_true(similar_with("capacity: {cpu: \"4\", memory: 15.76Gi, pods: \"110\"}"));
    assert_false(similar_with("capacity: {cpu: \"4\", memory: 15.75Gi, pods: \"110\"}"));
    assert_false(similar_with("capacity: {cpu: \"4\", memory: 16.3Gi, pods: \"110\"}"));
}

static void capacity_has_the_same_names(void **ctx)
{
    (void)ctx;
    assert_false(similar_with("capacity: {cpu: \"4\", memory: 16Gi}"));
    assert_false(
        similar_with("capacity: {cpu: \"4\", memory: 16Gi, pods: \"110\", nvidia.com/gpu: \"0\"}"));
}

static void allocatable_may_differ_by_a_twentieth(void **ctx)
{
    (void)ctx;
    assert_true(similar_with("allocatable: {cpu: 3800m, memory: 16Gi, pods: \"110\"}"));
    assert_false(similar_with("allocatable: {cpu: 3799m, memory: 16Gi, pods: \"110\"}"));
    assert_true(similar_with("allocatable: {cpu: \"4\", memory: 16Gi, pods: \"105\"}"));
    assert_false(similar_with("allocatable: {cpu: \"4\", memory: 16Gi, pods: \"104\"}"));
    assert_false(similar_with("allocatable: {cpu: \"4\", memory: 16Gi}"));
}

static void free_is_what_daemons_leave(void **ctx)
{
    (void)ctx;
    assert_true(similar_with("requests: {cpu: 200m}"));
    assert_false(similar_with("requests: {cpu: 201m}"));
    assert_false(similar_with("requests: {memory: 1Gi}"));
    assert_true(similar_with("requests: {pods: \"50\"}"));    /* daemon pods take none */
    assert_true(similar_with("requests: {example: \"50\"}")); /* nor what the scheduler ignores */
}

static void scalars_are_asked_for_on_both_or_neither(void **ctx)
{
    const char *with = "labels: {}\n"
                       "capacity: {cpu: \"1\", x.com/y: \"100\"}\n"
                       "allocatable: {cpu: \"1\", x.com/y: \"100\"}\n";
    char *none = load_fill("@requests: {}", with),
         *some = load_fill("@requests: {x.com/y: \"2\"}", with),
         *more = load_fill("@requests: {x.com/y: \"6\"}", with),
         *most = load_fill("@requests: {x.com/y: \"7\"}", with);

    (void)ctx;
    assert_false(similar(none, some));
    assert_true(similar(some, some));
    assert_true(similar(some, more)); /* 98 and 94 */
    assert_false(similar(some, most));
    free(none);
    free(some);
    free(more);
    free(most);
}

/* Nothing below zero is within 5 % of anything. */
static void more_than_there_is_is_like_nothing(void **ctx)
{
    const char *node = "labels: {}\n"
                       "capacity: {cpu: \"1\"}\n"
                       "allocatable: {cpu: \"1\"}\n"
                       "requests: {cpu: \"2\"}";
    const char *absent = "labels: {}\n"
                         "capacity: {cpu: \"1\"}\n"
                         "allocatable: {cpu: \"1\"}\n"
                         "requests: {memory: 1Gi}";

    (void)ctx;
    assert_false(similar(node, node));
    assert_false(similar(absent, absent));
}

static void labels_are_equal_but_for_place_and_old_keys(void **ctx)
{
    (void)ctx;
    assert_true(similar_with("labels: {arch: amd64, topology.kubernetes.io/zone: z, "
                             "kubernetes.io/hostname: h, topology.kubernetes.io/region: r, "
                             "failure-domain.beta.kubernetes.io/zone: z, "
                             "failure-domain.beta.kubernetes.io/region: r, "
                             "kops.k8s.io/instancegroup: i, "
                             "beta.kubernetes.io/fluentd-ds-ready: \"true\"}"));
    assert_false(similar_with("labels: {arch: arm64}"));
    assert_false(similar_with("labels: {}"));
    assert_false(similar_with("labels: {arch: amd64, team: \"\"}"));
    assert_false(similar_with("labels: {arch: amd64, topology.ebs.csi.aws.com/zone: z}"));
}

static const char *const red = "labels: {pool: red, size: s, zone: a}\n"
                               "capacity: {cpu: \"1\"}\nallocatable: {cpu: \"1\"}\nrequests: {}";
static const char *const blue = "labels: {pool: blue, size: s, zone: a}\n"
                                "capacity: {cpu: \"1\"}\nallocatable: {cpu: \"1\"}\nrequests: {}";
static const char *const huge = "labels: {pool: red, size: l}\n"
                                "capacity: {cpu: \"9\"}\nallocatable: {cpu: \"9\"}\nrequests: {}";

static bool similar_by(const char *a, const char *b, const char *ignored, const char *balancing)
{
    struct stow_snapshot *s = load_two(a, b);
    const stow_sym keys[] = {
        stow_intern_find(&s->text, stow_str_of(ignored ? ignored : "")),
        stow_intern_find(&s->text, stow_str_of(balancing ? balancing : "")),
    };
    const struct stow_similar_options options = {&keys[0], ignored ? 1 : 0, &keys[1],
                                                 balancing ? 1 : 0};
    const bool result = stow_similar(s, template_of(s, 0), template_of(s, 1), &options);

    stow_snapshot_unref(s);
    return result;
}

static void users_name_more_labels_that_may_differ(void **ctx)
{
    (void)ctx;
    assert_false(similar_by(red, blue, NULL, NULL));
    assert_true(similar_by(red, blue, "pool", NULL));
    assert_false(similar_by(red, blue, "size", NULL));
}

static void with_balancing_labels_nothing_else_counts(void **ctx)
{
    (void)ctx;
    assert_true(similar_by(red, huge, NULL, "pool"));
    assert_false(similar_by(red, blue, NULL, "pool"));
    assert_false(similar_by(red, huge, NULL, "zone")); /* one lacks it */
    assert_false(similar_by(huge, red, NULL, "zone"));
    assert_false(similar_by(red, red, NULL, "nobody-has-it"));
    assert_false(similar_by(red, blue, "pool", "pool"));
}

/* ---- balance ----------------------------------------------------------------------------- */

#define SHARE(n, m, c)                                         \
    {                                                          \
        .name = (n), .max = (m), .current = (c), .target = 999 \
    }

/* The sizes afterwards, as text. */
static void balances(struct stow_group_share *shares, uint32_t count, uint32_t nodes,
                     uint32_t given, const char *want)
{
    struct stow_buf text = {0};

    assert_int_equal(stow_balance(shares, count, nodes), given);
    for (uint32_t i = 0; i < count; i++)
        stow_buf_printf(&text, "%s%u", i ? " " : "", shares[i].target);
    stow_buf_char(&text, '\0');
    assert_false(text.failed);
    if (strcmp(text.ptr, want) != 0)
        fail_msg("%u nodes: expected %s, got %s", nodes, want, text.ptr);
    stow_buf_done(&text);
}

static void the_smallest_group_grows_first(void **ctx)
{
    struct stow_group_share s[] = {SHARE("a", 10, 1), SHARE("b", 10, 3), SHARE("c", 10, 5)};

    (void)ctx;
    balances(s, 3, 0, 0, "1 3 5");
    balances(s, 3, 2, 2, "3 3 5");
    balances(s, 3, 3, 3, "4 3 5");
    balances(s, 3, 6, 6, "5 5 5");
    balances(s, 3, 7, 7, "6 5 5");
    balances(s, 3, 8, 8, "6 6 5");
}

static void equals_grow_in_order_of_names(void **ctx)
{
    struct stow_group_share s[] = {SHARE("c", 10, 2), SHARE("a", 10, 2), SHARE("b", 10, 2)};

    (void)ctx;
    balances(s, 3, 1, 1, "2 3 2");
    balances(s, 3, 2, 2, "2 3 3");
    balances(s, 3, 4, 4, "3 4 3");
}

static void full_groups_drop_out(void **ctx)
{
    struct stow_group_share s[] = {SHARE("a", 3, 1), SHARE("b", 10, 3), SHARE("c", 7, 5),
                                   SHARE("d", 2, 2), SHARE("e", 2, 9)};

    (void)ctx;
    balances(s, 5, 9, 9, "3 8 7 2 9");
    balances(s, 5, 900, 11, "3 10 7 2 9");
    balances(s, 5, UINT32_MAX, 11, "3 10 7 2 9");
}

/* `b` is full in the second round and changes places with `a`, which then is behind it. */
static void a_group_that_fills_up_gives_its_place_to_the_first(void **ctx)
{
    struct stow_group_share s[] = {SHARE("a", 10, 0), SHARE("b", 1, 0), SHARE("c", 10, 0)};

    (void)ctx;
    balances(s, 3, 4, 4, "2 1 1");
    balances(s, 3, 5, 5, "2 1 2");
    balances(s, 3, 6, 6, "3 1 2");
}

static void nothing_grows_where_nothing_can(void **ctx)
{
    struct stow_group_share s[] = {SHARE("a", 3, 3)};

    (void)ctx;
    balances(s, 1, 5, 0, "3");
    assert_int_equal(stow_balance(NULL, 0, 5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_templates_are_similar),
        cmocka_unit_test(capacity_is_equal_but_for_a_little_memory),
        cmocka_unit_test(capacity_has_the_same_names),
        cmocka_unit_test(allocatable_may_differ_by_a_twentieth),
        cmocka_unit_test(free_is_what_daemons_leave),
        cmocka_unit_test(scalars_are_asked_for_on_both_or_neither),
        cmocka_unit_test(more_than_there_is_is_like_nothing),
        cmocka_unit_test(labels_are_equal_but_for_place_and_old_keys),
        cmocka_unit_test(users_name_more_labels_that_may_differ),
        cmocka_unit_test(with_balancing_labels_nothing_else_counts),
        cmocka_unit_test(the_smallest_group_grows_first),
        cmocka_unit_test(equals_grow_in_order_of_names),
        cmocka_unit_test(full_groups_drop_out),
        cmocka_unit_test(a_group_that_fills_up_gives_its_place_to_the_first),
        cmocka_unit_test(nothing_grows_where_nothing_can),
    };

    return cmocka_run_group_tests_name("scale/similar", tests, NULL, NULL);
}
