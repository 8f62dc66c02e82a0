/* Unit tests of pseudonyms, and of what stays as it is. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "share/pseudonym.h"
#include "share/rules.h"

static const char *const names[] = {
    "a",
    "a-1",
    "a-10",
    "a-2",
    "a.b",
    "a0",
    "ab",
    "kube",
    "kube-dns",
    "web",
    "web-0",
    "web-10",
    "web-7d4f",
    "web-7d4f-x2x9z",
    "web-9",
    "web.v1",
    "web2",
    "web2-0",
    "x",
    "zone_a",
    "0a1b2c3d-0000-1111-2222-333344445555",
    "ip-10-0-1-2.us-west-2.compute.internal.example.com",
};

#define NAMES (sizeof(names) / sizeof(names[0]))

static void replace_all(char made[NAMES][256])
{
    struct stow_pseudonyms p = {.failed = false};
    struct stow_err err;

    for (size_t i = 0; i < NAMES; i++)
        stow_pseudonyms_note(&p, stow_str_of(names[i]));
    assert_int_equal(stow_pseudonyms_settle(&p, &err), STOW_OK);
    for (size_t i = 0; i < NAMES; i++) {
        struct stow_buf out = {0};

        stow_pseudonym(&p, stow_str_of(names[i]), &out);
        snprintf(made[i], 256, "%.*s", (int)out.len, out.ptr);
        stow_buf_done(&out);
    }
    stow_pseudonyms_done(&p);
}

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

static void names_keep_their_order(void **ctx)
{
    char made[NAMES][256];

    (void)ctx;
    replace_all(made);
    for (size_t i = 0; i < NAMES; i++)
        for (size_t k = 0; k < NAMES; k++)
            assert_int_equal(sign(strcmp(made[i], made[k])), sign(strcmp(names[i], names[k])));
}

static void names_that_start_alike_still_do(void **ctx)
{
    char made[NAMES][256];
    size_t web = 9, replica_set = 12, pod = 13;

    (void)ctx;
    replace_all(made);
    assert_memory_equal(made[replica_set], made[web], strlen(made[web]));
    assert_int_equal(made[replica_set][strlen(made[web])], '-');
    assert_memory_equal(made[pod], made[replica_set], strlen(made[replica_set]));
}

static void long_names_and_uids_are_one_word(void **ctx)
{
    char made[NAMES][256];

    (void)ctx;
    replace_all(made);
    assert_null(strpbrk(made[NAMES - 1], "-."));
    assert_null(strpbrk(made[NAMES - 2], "-."));
    assert_true(strlen(made[0]) <= 6);
}

static const char *replaced(struct stow_pseudonyms *p, const char *text)
{
    static char made[256];
    struct stow_buf out = {0};

    stow_pseudonym(p, stow_str_of(text), &out);
    snprintf(made, sizeof(made), "%.*s", (int)out.len, out.ptr);
    stow_buf_done(&out);
    return made;
}

/* Words before, between and after those of the operator, alone and in front of others. */
static void words_of_an_operator_stay_and_keep_their_places(void **ctx)
{
    static const char *const words[] = {
        "9",     "Zoo",          "abc",      "agent",  "agents",     "ahead",
        "alert", "alertmanager", "main",     "op",     "operator",   "ops",
        "pro",   "prom",         "prom2",    "promet", "prometheus", "prometheus2",
        "rule",  "ruler",        "rulers",   "s",      "shard",      "shards",
        "t",     "thanos",       "thanos_x", "web",    "z"};
    const size_t count = sizeof(words) / sizeof(words[0]);
    struct stow_pseudonyms p = {.operated = true};
    struct stow_err err;

    (void)ctx;
    for (size_t i = 0; i < count; i++)
        stow_pseudonyms_note(&p, stow_str_of(words[i]));
    assert_int_equal(stow_pseudonyms_settle(&p, &err), STOW_OK);
    for (size_t i = 0; i < 2 * count; i++)
        for (size_t k = 0; k < 2 * count; k++) {
            char text[2][64], first[256];

            snprintf(text[0], 64, "%s%s", words[i / 2], i % 2 ? "-main" : "");
            snprintf(text[1], 64, "%s%s", words[k / 2], k % 2 ? "-main" : "");
            snprintf(first, sizeof(first), "%s", replaced(&p, text[0]));
            assert_int_equal(sign(strcmp(first, replaced(&p, text[1]))),
                             sign(strcmp(text[0], text[1])));
        }
    assert_string_equal(replaced(&p, "thanos-ruler"), "thanos-ruler");
    assert_string_equal(replaced(&p, "prometheus-shard-1"), "prometheus-shard-1");
    stow_pseudonyms_done(&p);
}

static void ordinals_of_sets_stay(void **ctx)
{
    static const char *const texts[] = {"db",
                                        "db-0",
                                        "data",
                                        "data-db-10",
                                        "web-0",
                                        "db-007",
                                        "one-two-three-four-five-six",
                                        "a-b-c-d-e",
                                        "a-b-c-d-e-one-two-three-four-five-six-3"};
    struct stow_pseudonyms p = {.failed = false};
    struct stow_err err;
    char claim[256], want[600];

    (void)ctx;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        stow_pseudonyms_note(&p, stow_str_of(texts[i]));
    stow_pseudonyms_note_set(&p, STOW_STR("db"));
    stow_pseudonyms_note_set(&p, STOW_STR("one-two-three-four-five-six"));
    assert_int_equal(stow_pseudonyms_settle(&p, &err), STOW_OK);

    snprintf(want, sizeof(want), "%s-0", replaced(&p, "db"));
    assert_string_equal(replaced(&p, "db-0"), want);
    snprintf(claim, sizeof(claim), "%s", replaced(&p, "data"));
    snprintf(want, sizeof(want), "%s-%s-10", claim, replaced(&p, "db"));
    assert_string_equal(replaced(&p, "data-db-10"), want);
    snprintf(claim, sizeof(claim), "%s", replaced(&p, "a-b-c-d-e"));
    snprintf(want, sizeof(want), "%s-%s-3", claim, replaced(&p, "one-two-three-four-five-six"));
    assert_string_equal(replaced(&p, "a-b-c-d-e-one-two-three-four-five-six-3"), want);
    assert_null(strstr(replaced(&p, "web-0"), "-0"));
    assert_null(strstr(replaced(&p, "db-007"), "-007"));
    stow_pseudonyms_done(&p);
}

static bool kept(const char *text)
{
    return stow_text_is_kept(stow_str_of(text));
}

static void amounts_and_times_stay(void **ctx)
{
    static const char *const stay[] = {"",
                                       "true",
                                       "8",
                                       "-3",
                                       "0.5",
                                       "1500m",
                                       "16Gi",
                                       "1e3",
                                       "25%",
                                       "10k",
                                       "1e-3",
                                       "2025-10-01T08:00:00Z",
                                       "2025-10-01T08:00:00.5+02:00"};
    static const char *const go[] = {"web", "10.0.0.1", "8x",
                                     "Gi",  ".",        "2025-10-01",
                                     "v1",  "m",        "2025-10-01T08:00:00-payments"};

    (void)ctx;
    for (size_t i = 0; i < sizeof(stay) / sizeof(stay[0]); i++)
        assert_true(kept(stay[i]));
    for (size_t i = 0; i < sizeof(go) / sizeof(go[0]); i++)
        assert_false(kept(go[i]));
}

static size_t key_kept(const char *key)
{
    return stow_key_kept(stow_str_of(key));
}

static size_t resource_kept(const char *name)
{
    return stow_resource_kept(stow_str_of(name));
}

static void keys_of_others_stay(void **ctx)
{
    (void)ctx;
    assert_int_equal(key_kept("app.kubernetes.io/name"), 22);
    assert_int_equal(key_kept("eks.amazonaws.com/nodegroup"), 27);
    assert_int_equal(key_kept("node-role.kubernetes.io/control-plane"), 37);
    assert_int_equal(key_kept("node-role.kubernetes.io/payments"), 24);
    assert_int_equal(key_kept("node-restriction.kubernetes.io/payments"), 0);
    assert_int_equal(key_kept("payments.kubernetes.io/x"), 0);
    assert_int_equal(key_kept("app"), 0);
    assert_int_equal(key_kept("example.com/kubernetes.io"), 0);
    assert_int_equal(key_kept("notkubernetes.io/x"), 0);
    assert_true(stow_value_is_kept(STOW_STR("topology.kubernetes.io/zone")));
    assert_false(stow_value_is_kept(STOW_STR("kubernetes.io/hostname")));
}

static void resources_of_others_stay(void **ctx)
{
    (void)ctx;
    assert_int_equal(resource_kept("cpu"), 3);
    assert_int_equal(resource_kept("nvidia.com/gpu"), 14);
    assert_int_equal(resource_kept("hugepages-2Mi"), 13);
    assert_int_equal(resource_kept("example.com/fpga"), 0);
    assert_int_equal(resource_kept("payments"), 0);
    assert_int_equal(resource_kept("attachable-volumes-aws-ebs"), 26);
    assert_int_equal(resource_kept("attachable-volumes-csi-ebs.csi.aws.com"), 38);
    assert_int_equal(resource_kept("attachable-volumes-csi-x.example.com"), 23);
}

static void words_of_the_api_stay(void **ctx)
{
    static const char *const stay[] = {"Ready", "Deployment", "NoSchedule", "default-scheduler"};
    static const char *const go[] = {"Payments", "PaymentsScheduler", "Acme", "web"};

    (void)ctx;
    for (size_t i = 0; i < sizeof(stay) / sizeof(stay[0]); i++)
        assert_true(stow_name_is_kept(stow_str_of(stay[i])));
    for (size_t i = 0; i < sizeof(go) / sizeof(go[0]); i++)
        assert_false(stow_name_is_kept(stow_str_of(go[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_keep_their_order),
        cmocka_unit_test(names_that_start_alike_still_do),
        cmocka_unit_test(long_names_and_uids_are_one_word),
        cmocka_unit_test(words_of_an_operator_stay_and_keep_their_places),
        cmocka_unit_test(ordinals_of_sets_stay),
        cmocka_unit_test(amounts_and_times_stay),
        cmocka_unit_test(keys_of_others_stay),
        cmocka_unit_test(resources_of_others_stay),
        cmocka_unit_test(words_of_the_api_stay),
    };

    return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
