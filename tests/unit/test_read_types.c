/* Unit tests of wrong types and values: each field that is read, against each type it is not.
 *
 * A case is a document with '@' in the place of the value and what is expected there.  Values of
 * other types must be refused at that place with the path; null counts as absent. */
#include "tests/unit/load.h"

enum wanted { TEXT, WHOLE, BOOLEAN, OBJECT, LIST, AMOUNT, MONEY, WANTED_COUNT };

static const struct {
    const char *expected;
    const char *wrong[9];
} types[WANTED_COUNT] = {
    [TEXT] = {"expected a string, found", {"5", "-1.5", "true", "[]", "{}"}},
    [WHOLE] = {"expected a whole number",
               {"\"5\"", "1.5", "1e3", "true", "[]", "{}", "99999999999999999999",
                "-99999999999999999999"}},
    [BOOLEAN] = {"expected true or false, found", {"\"true\"", "1", "[]", "{}"}},
    [OBJECT] = {"expected an object, found", {"[]", "\"x\"", "5", "true"}},
    [LIST] = {"expected a list, found", {"{}", "\"x\"", "5", "false"}},
    [AMOUNT] = {"expected a string or a number, found", {"true", "[]", "{}"}},
    [MONEY] = {"expected a string or a number, found", {"true", "[]", "{}"}},
};

struct place {
    enum wanted wanted;
    const char *path, *text;
};

#define META       "\"metadata\":{\"name\":\"a\"}"
#define POD(rest)  "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"," rest "}"
#define PODM(rest) POD(META "," rest)
#define SPEC(rest) PODM("\"spec\":{" rest "}")
#define CONT(rest) SPEC("\"containers\":[{},{" rest "}]")
#define STAT(rest) PODM("\"status\":{" rest "}")
#define NODE(rest) "{\"kind\":\"Node\",\"apiVersion\":\"v1\"," META "," rest "}"
#define DEPL(rest) "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\"," META "," rest "}"
#define JOB(rest)  "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\"," META "," rest "}"
#define CRON(rest) "{\"kind\":\"CronJob\",\"apiVersion\":\"batch/v1\"," META "," rest "}"
#define PDB(rest) \
    "{\"kind\":\"PodDisruptionBudget\",\"apiVersion\":\"policy/v1\"," META "," rest "}"
#define SMALL(kind, version, rest) \
    "{\"kind\":\"" kind "\",\"apiVersion\":\"" version "\"," META "," rest "}"
#define GROUP(rest)    SMALL("NodeGroup", "stowage.dev/v1alpha1", "\"spec\":{" rest "}")
#define BOOK(rest)     SMALL("PriceBook", "stowage.dev/v1alpha1", "\"spec\":{" rest "}")
#define REQUIRED       "\"requiredDuringSchedulingIgnoredDuringExecution\":"
#define PREFERRED      "\"preferredDuringSchedulingIgnoredDuringExecution\":"
#define NODE_AFF(rest) SPEC("\"affinity\":{\"nodeAffinity\":{" rest "}}")
#define POD_AFF(rest)  SPEC("\"affinity\":{\"podAntiAffinity\":{" rest "}}")
#define SPREAD(rest) \
    SPEC("\"topologySpreadConstraints\":[{\"topologyKey\":\"z\",\"maxSkew\":1," rest "}]")

static const struct place places[] = {
    {OBJECT, ".metadata", POD("\"metadata\":@")},
    {TEXT, ".metadata.name", POD("\"metadata\":{\"name\":@}")},
    {TEXT, ".metadata.namespace", POD("\"metadata\":{\"name\":\"a\",\"namespace\":@}")},
    {OBJECT, ".metadata.labels", POD("\"metadata\":{\"name\":\"a\",\"labels\":@}")},
    {TEXT, ".metadata.labels.x", POD("\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":@}}")},
    {OBJECT, ".metadata.annotations", POD("\"metadata\":{\"name\":\"a\",\"annotations\":@}")},
    {TEXT, ".metadata.creationTimestamp",
     POD("\"metadata\":{\"name\":\"a\",\"creationTimestamp\":@}")},
    {LIST, ".metadata.ownerReferences", POD("\"metadata\":{\"name\":\"a\",\"ownerReferences\":@}")},
    {BOOLEAN, ".metadata.ownerReferences[0].controller",
     POD("\"metadata\":{\"name\":\"a\",\"ownerReferences\":[{\"controller\":@}]}")},
    {TEXT, ".metadata.ownerReferences[0].name",
     POD("\"metadata\":{\"name\":\"a\",\"ownerReferences\":[{\"name\":@}]}")},
    {OBJECT, ".spec", PODM("\"spec\":@")},
    {OBJECT, ".status", PODM("\"status\":@")},
    {TEXT, ".spec.nodeName", SPEC("\"nodeName\":@")},
    {OBJECT, ".spec.nodeSelector", SPEC("\"nodeSelector\":@")},
    {TEXT, ".spec.nodeSelector.x", SPEC("\"nodeSelector\":{\"x\":@}")},
    {BOOLEAN, ".spec.hostNetwork", SPEC("\"hostNetwork\":@")},
    {WHOLE, ".spec.priority", SPEC("\"priority\":@")},
    {TEXT, ".spec.priorityClassName", SPEC("\"priorityClassName\":@")},
    {TEXT, ".spec.schedulerName", SPEC("\"schedulerName\":@")},
    {LIST, ".spec.schedulingGates", SPEC("\"schedulingGates\":@")},
    {OBJECT, ".spec.overhead", SPEC("\"overhead\":@")},
    {AMOUNT, ".spec.overhead.cpu", SPEC("\"overhead\":{\"cpu\":@}")},
    {OBJECT, ".spec.resources", SPEC("\"resources\":@")},
    {OBJECT, ".spec.resources.requests", SPEC("\"resources\":{\"requests\":@}")},
    {LIST, ".spec.containers", SPEC("\"containers\":@")},
    {LIST, ".spec.initContainers", SPEC("\"initContainers\":@")},
    {OBJECT, ".spec.containers[1].resources", CONT("\"resources\":@")},
    {OBJECT, ".spec.containers[1].resources.requests", CONT("\"resources\":{\"requests\":@}")},
    {AMOUNT, ".spec.containers[1].resources.requests.memory",
     CONT("\"resources\":{\"requests\":{\"memory\":@}}")},
    {AMOUNT, ".spec.containers[1].resources.limits.cpu",
     CONT("\"resources\":{\"limits\":{\"cpu\":@}}")},
    {TEXT, ".spec.containers[1].name", CONT("\"name\":@")},
    {TEXT, ".spec.containers[1].image", CONT("\"image\":@")},
    {TEXT, ".spec.containers[1].restartPolicy", CONT("\"restartPolicy\":@")},
    {LIST, ".spec.containers[1].ports", CONT("\"ports\":@")},
    {WHOLE, ".spec.containers[1].ports[0].hostPort", CONT("\"ports\":[{\"hostPort\":@}]")},
    {TEXT, ".spec.containers[1].ports[0].hostIP", CONT("\"ports\":[{\"hostIP\":@}]")},
    {LIST, ".spec.tolerations", SPEC("\"tolerations\":@")},
    {TEXT, ".spec.tolerations[0].key", SPEC("\"tolerations\":[{\"key\":@}]")},
    {TEXT, ".spec.tolerations[0].operator", SPEC("\"tolerations\":[{\"operator\":@}]")},
    {TEXT, ".spec.tolerations[0].effect", SPEC("\"tolerations\":[{\"effect\":@}]")},
    {LIST, ".spec.volumes", SPEC("\"volumes\":@")},
    {OBJECT, ".spec.volumes[0].persistentVolumeClaim",
     SPEC("\"volumes\":[{\"persistentVolumeClaim\":@}]")},
    {TEXT, ".spec.volumes[0].persistentVolumeClaim.claimName",
     SPEC("\"volumes\":[{\"persistentVolumeClaim\":{\"claimName\":@}}]")},
    {OBJECT, ".spec.affinity", SPEC("\"affinity\":@")},
    {OBJECT, ".spec.affinity.nodeAffinity", SPEC("\"affinity\":{\"nodeAffinity\":@}")},
    {OBJECT, "Execution", NODE_AFF(REQUIRED "@")},
    {LIST, ".nodeSelectorTerms", NODE_AFF(REQUIRED "{\"nodeSelectorTerms\":@}")},
    {LIST, ".nodeSelectorTerms[0].matchExpressions",
     NODE_AFF(REQUIRED "{\"nodeSelectorTerms\":[{\"matchExpressions\":@}]}")},
    {LIST, ".matchFields[0].values",
     NODE_AFF(REQUIRED "{\"nodeSelectorTerms\":[{\"matchFields\":[{\"values\":@}]}]}")},
    {TEXT, ".matchExpressions[0].values[1]",
     NODE_AFF(REQUIRED
              "{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"values\":[\"a\",@]}]}]}")},
    {WHOLE, "[0].weight", NODE_AFF(PREFERRED "[{\"weight\":@}]")},
    {OBJECT, "[0].preference", NODE_AFF(PREFERRED "[{\"preference\":@}]")},
    {LIST, "Execution", POD_AFF(REQUIRED "@")},
    {OBJECT, "[0].labelSelector", POD_AFF(REQUIRED "[{\"labelSelector\":@}]")},
    {OBJECT, "[0].labelSelector.matchLabels",
     POD_AFF(REQUIRED "[{\"labelSelector\":{\"matchLabels\":@}}]")},
    {TEXT, "[0].topologyKey", POD_AFF(REQUIRED "[{\"topologyKey\":@}]")},
    {LIST, "[0].namespaces", POD_AFF(REQUIRED "[{\"namespaces\":@}]")},
    {WHOLE, "[0].maxSkew", SPEC("\"topologySpreadConstraints\":[{\"maxSkew\":@}]")},
    {OBJECT, "[0].labelSelector", SPREAD("\"labelSelector\":@")},
    {TEXT, "[0].whenUnsatisfiable", SPREAD("\"whenUnsatisfiable\":@")},
    {TEXT, ".status.phase", STAT("\"phase\":@")},
    {TEXT, ".status.nominatedNodeName", STAT("\"nominatedNodeName\":@")},
    {LIST, ".status.containerStatuses", STAT("\"containerStatuses\":@")},
    {OBJECT, ".status.containerStatuses[0].allocatedResources",
     STAT("\"containerStatuses\":[{\"allocatedResources\":@}]")},
    {OBJECT, ".status.allocatable", NODE("\"status\":{\"allocatable\":@}")},
    {AMOUNT, ".status.allocatable.cpu", NODE("\"status\":{\"allocatable\":{\"cpu\":@}}")},
    {OBJECT, ".status.capacity", NODE("\"status\":{\"capacity\":@}")},
    {LIST, ".status.images", NODE("\"status\":{\"images\":@}")},
    {WHOLE, ".status.images[0].sizeBytes", NODE("\"status\":{\"images\":[{\"sizeBytes\":@}]}")},
    {LIST, ".status.images[0].names", NODE("\"status\":{\"images\":[{\"names\":@}]}")},
    {LIST, ".status.conditions", NODE("\"status\":{\"conditions\":@}")},
    {LIST, ".spec.taints", NODE("\"spec\":{\"taints\":@}")},
    {TEXT, ".spec.taints[0].key", NODE("\"spec\":{\"taints\":[{\"key\":@}]}")},
    {BOOLEAN, ".spec.unschedulable", NODE("\"spec\":{\"unschedulable\":@}")},
    {TEXT, ".spec.providerID", NODE("\"spec\":{\"providerID\":@}")},
    {WHOLE, ".spec.replicas", DEPL("\"spec\":{\"replicas\":@}")},
    {OBJECT, ".spec.selector", DEPL("\"spec\":{\"selector\":@}")},
    {OBJECT, ".spec.template", DEPL("\"spec\":{\"template\":@}")},
    {OBJECT, ".spec.template.spec", DEPL("\"spec\":{\"template\":{\"spec\":@}}")},
    {WHOLE, ".spec.parallelism", JOB("\"spec\":{\"parallelism\":@}")},
    {WHOLE, ".spec.completions", JOB("\"spec\":{\"completions\":@}")},
    {BOOLEAN, ".spec.suspend", JOB("\"spec\":{\"suspend\":@}")},
    {OBJECT, ".spec.jobTemplate", CRON("\"spec\":{\"jobTemplate\":@}")},
    {WHOLE, ".status.disruptionsAllowed", PDB("\"status\":{\"disruptionsAllowed\":@}")},
    {WHOLE, ".value", SMALL("PriorityClass", "scheduling.k8s.io/v1", "\"value\":@")},
    {BOOLEAN, ".globalDefault",
     SMALL("PriorityClass", "scheduling.k8s.io/v1", "\"globalDefault\":@")},
    {OBJECT, ".spec.selector", SMALL("Service", "v1", "\"spec\":{\"selector\":@}")},
    {TEXT, ".spec.volumeName", SMALL("PersistentVolumeClaim", "v1", "\"spec\":{\"volumeName\":@}")},
    {WHOLE, ".spec.minNodes", GROUP("\"minNodes\":@")},
    {WHOLE, ".spec.maxNodes", GROUP("\"maxNodes\":@")},
    {WHOLE, ".spec.currentNodes", GROUP("\"currentNodes\":@")},
    {BOOLEAN, ".spec.exists", GROUP("\"exists\":@")},
    {OBJECT, ".spec.priority", GROUP("\"priority\":@")},
    {WHOLE, ".spec.priority.pool", GROUP("\"priority\":{\"pool\":@}")},
    {TEXT, ".spec.scaling", GROUP("\"scaling\":@")},
    {TEXT, ".spec.capacityType", GROUP("\"capacityType\":@")},
    {MONEY, ".spec.pricePerHour", GROUP("\"pricePerHour\":@")},
    {MONEY, ".spec.feePerNodeHour", GROUP("\"feePerNodeHour\":@")},
    {MONEY, ".spec.interruptionRate", GROUP("\"interruptionRate\":@")},
    {OBJECT, ".spec.daemonOverhead", GROUP("\"daemonOverhead\":@")},
    {OBJECT, ".spec.template", GROUP("\"template\":@")},
    {OBJECT, ".spec.nodeSelector", GROUP("\"nodeSelector\":@")},
    {TEXT, ".spec.currency", BOOK("\"currency\":@")},
    {LIST, ".spec.prices", BOOK("\"prices\":@")},
    {MONEY, ".spec.prices[0].pricePerHour", BOOK("\"prices\":[{\"pricePerHour\":@}]")},
    {TEXT, ".spec.prices[0].effectiveAt", BOOK("\"prices\":[{\"effectiveAt\":@}]")},
    {TEXT, ".spec.prices[0].instanceType", BOOK("\"prices\":[{\"instanceType\":@}]")},
    {LIST, ".spec.interruptions", BOOK("\"interruptions\":@")},
    {MONEY, ".spec.interruptions[0].rate", BOOK("\"interruptions\":[{\"rate\":@}]")},
    {OBJECT, ".spec.resources", BOOK("\"resources\":@")},
    {MONEY, ".spec.resources.cpu", BOOK("\"resources\":{\"cpu\":@}")},
    {LIST, ".spec.clusters", BOOK("\"clusters\":@")},
};

/* JSON is YAML, too: both readers must say the same of it. */
static void refuse_value(const struct place *p, const char *value)
{
    static const char *const names[] = {"test.json", "test.yaml"};
    const char *at = strchr(p->text, '@');
    char *text = load_fill(p->text, value), place[16];

    snprintf(place, sizeof(place), "1:%d", (int)(at - p->text) + 1);
    for (size_t i = 0; i < COUNT(names); i++) {
        refuse_at(names[i], stow_str_of(text), place, p->path);
        refuse_at(names[i], stow_str_of(text), place, types[p->wanted].expected);
    }
    free(text);
}

static void a_wrong_type_is_refused_in_its_place(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(places); i++)
        for (size_t k = 0; types[places[i].wanted].wrong[k]; k++)
            refuse_value(&places[i], types[places[i].wanted].wrong[k]);
}

/* Null is as good as absent; where something has to be there, it is said to be missing. */
static void null_counts_as_absent(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(places); i++) {
        char *text = load_fill(places[i].text, "null");
        struct stow_snapshot *s = NULL;
        struct stow_err err = {0};

        if (stow_snapshot_load_text("test.json", text, strlen(text), NULL, &s, &err) < 0 &&
            !strstr(err.msg, "missing") && !strstr(err.msg, "has no name") &&
            !strstr(err.msg, "found null")) {
            print_error("%s: %s\n", text, err.msg);
            fail();
        }
        stow_snapshot_unref(s);
        free(text);
    }
}

static void amounts_are_neither_negative_nor_absurd(void **ctx)
{
    static const char *const bad[][2] = {
        {"-1", "is negative; expected an amount of 0 or more"},
        {"\"-1m\"", "is negative"},
        {"\"-0.0000000001n\"", "is negative"},
        {"1e30", "is too large"},
        {"\"9E\"", "is too large"},
        {"99999999999999999999", "is too large"},
        {"\"1e2147483647\"", "is too large"},
        {"\"\"", "is not a quantity"},
        {"\"1 Gi\"", "is not a quantity"},
        {"\"1ki\"", "unknown suffix"},
        {"\"1K\"", "unknown suffix"},
        {"\"Pi\"", "it has no digits"},
        {"\"NaN\"", "is not a quantity"},
        {"\"1,5\"", "is not a quantity"},
        {"\"\\u0661\"", "is not a quantity"},
    };
    static const char *const where[] = {NODE("\"status\":{\"allocatable\":{\"cpu\":@}}"),
                                        SPEC("\"overhead\":{\"memory\":@}"),
                                        CONT("\"resources\":{\"requests\":{\"nvidia.com/gpu\":@}}"),
                                        GROUP("\"daemonOverhead\":{\"cpu\":@}")};

    (void)ctx;
    for (size_t w = 0; w < COUNT(where); w++)
        for (size_t i = 0; i < COUNT(bad); i++) {
            char *text = load_fill(where[w], bad[i][0]);

            assert_mentions(refuse_str("test.json", stow_str_of(text)).msg, bad[i][1]);
            free(text);
        }
}

/* Refused with `value` in the place of '@', and there. */
static void refuse_here(const char *pattern, const char *value, const char *says)
{
    char *text = load_fill(pattern, value), place[16];

    snprintf(place, sizeof(place), "1:%d", (int)(strchr(pattern, '@') - pattern) + 1);
    refuse_json(text, place, says);
    free(text);
}

static void numbers_out_of_range_say_the_range(void **ctx)
{
    (void)ctx;
    refuse_here(DEPL("\"spec\":{\"replicas\":@}"), "-1", "from 0 to 1000000, found -1");
    refuse_here(DEPL("\"spec\":{\"replicas\":@}"), "1000001", "from 0 to 1000000");
    refuse_here(CONT("\"ports\":[{\"hostPort\":@}]"), "65536", "from 0 to 65535, found 65536");
    refuse_here(SPEC("\"priority\":@"), "2147483648", "from -2147483648 to 2147483647");
    refuse_here(SPREAD("\"minDomains\":@"), "0", "expected a whole number from 1");
}

static void words_out_of_the_list_say_the_list(void **ctx)
{
    (void)ctx;
    refuse_here(SPEC("\"tolerations\":[{\"operator\":@}]"), "\"equals\"",
                "expected one of Equal, Exists, Lt, Gt, found \"equals\"");
    refuse_here(NODE("\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":@}]}"), "\"No\"",
                "expected one of NoSchedule, PreferNoSchedule, NoExecute, found \"No\"");
    refuse_here(STAT("\"phase\":@"), "\"running\"", "expected one of Pending, Running");
    refuse_here(SPREAD("\"whenUnsatisfiable\":@"), "\"x\"", "ScheduleAnyway, DoNotSchedule");
    refuse_here(PDB("\"spec\":{\"minAvailable\":@}"), "\"5\"",
                "expected a count or a percentage such as \"25%\"");
    refuse_here(PDB("\"spec\":{\"maxUnavailable\":@}"), "\"101%\"", "expected a count");
    refuse_here(POD("\"metadata\":{\"name\":\"a\",\"creationTimestamp\":@}"), "\"yesterday\"",
                "expected a time such as \"2026-11-01T00:00:00Z\", found \"yesterday\"");
}

static void what_has_to_be_there_is_missed_at_its_object(void **ctx)
{
    (void)ctx;
    refuse_here(NODE("\"spec\":{\"taints\":[@]}"), "{\"key\":\"k\"}",
                ".spec.taints[0]: effect of a taint is missing");
    refuse_here(NODE("\"spec\":{\"taints\":[@]}"), "{\"effect\":\"NoExecute\"}",
                "key of a taint is missing");
    refuse_here(POD_AFF(REQUIRED "[@]"), "{}", "topologyKey is missing");
    refuse_here(POD_AFF(PREFERRED "[@]"), "{\"weight\":1}", "topologyKey is missing");
    refuse_here(SPEC("\"topologySpreadConstraints\":[@]"), "{\"topologyKey\":\"z\"}",
                "maxSkew is missing");
    refuse_here(NODE_AFF(REQUIRED "{\"nodeSelectorTerms\":[{\"matchExpressions\":[@]}]}"),
                "{\"key\":\"k\"}", "operator is missing; expected In, NotIn");
    refuse_here(BOOK("\"prices\":[@]"), "{\"pricePerHour\":1}",
                "instanceType of a price is missing");
    refuse_here(BOOK("\"prices\":[@]"), "{\"instanceType\":\"a\"}", "pricePerHour of a price");
    refuse_here(BOOK("\"interruptions\":[@]"), "{\"instanceType\":\"a\"}",
                "rate of an interruption");
    refuse_here(BOOK("\"clusters\":[@]"), "{}", "cluster is missing; expected its name");
    refuse_here(BOOK("\"clusters\":[@]"), "{\"cluster\":\"a\"}",
                "expected either pricePerReplicaHour or resources");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_type_is_refused_in_its_place),
        cmocka_unit_test(null_counts_as_absent),
        cmocka_unit_test(amounts_are_neither_negative_nor_absurd),
        cmocka_unit_test(numbers_out_of_range_say_the_range),
        cmocka_unit_test(words_out_of_the_list_say_the_list),
        cmocka_unit_test(what_has_to_be_there_is_missed_at_its_object),
    };

    return cmocka_run_group_tests_name("read/types", tests, NULL, NULL);
}
