/* Unit tests of the filters that look at disks, volumes and storage of one node. */
#include "tests/unit/asking.h"

#include "place/filters/open_claim.h"

/* ---- volume-restrictions and node-volume-limits ------------------------------------------ */

#define VOLUME(labels, spec)                                                       \
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v, labels: {" labels \
    "}}\nspec: {" spec "}\n---\n"
#define CLAIM(spec) \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {" spec "}\n---\n"
#define CLAIMS POD("volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]")
#define CLASS(name, driver, rest)                                               \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: " name \
    "}\nprovisioner: " driver "\n" rest "---\n"
#define DEFAULT_CLASS                                                                          \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: usual, annotations: " \
    "{storageclass.kubernetes.io/is-default-class: 'true'}}\nprovisioner: d\n---\n"
#define CSI(node, limits)                                                  \
    "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: " node \
    "}\nspec: {drivers: [" limits "]}\n---\n"
#define LIMIT(driver, count) "{name: " driver ", allocatable: {count: " count "}}"
#define MOUNTS(volume)       "volumes: [{name: d, " volume "}]"

static void disks_are_shared_only_by_those_who_read(void **ctx)
{
    static const struct {
        const char *one, *other;
        bool together;
    } cases[] = {
        {"gcePersistentDisk: {pdName: a}", "gcePersistentDisk: {pdName: b}", true},
        {"gcePersistentDisk: {pdName: a}", "gcePersistentDisk: {pdName: a}", false},
        {"gcePersistentDisk: {pdName: a, readOnly: true}", "gcePersistentDisk: {pdName: a}", false},
        {"gcePersistentDisk: {pdName: a, readOnly: true}",
         "gcePersistentDisk: {pdName: a, readOnly: true}", true},
        {"awsElasticBlockStore: {volumeID: a, readOnly: true}",
         "awsElasticBlockStore: {volumeID: a, readOnly: true}", false},
        {"iscsi: {iqn: a, targetPortal: x}", "iscsi: {iqn: a, targetPortal: z}", false},
        {"iscsi: {iqn: a, readOnly: true}", "iscsi: {iqn: a, readOnly: true}", true},
        {"rbd: {image: a, monitors: [m, k]}", "rbd: {image: a, monitors: [o, m], pool: rbd}",
         false},
        {"rbd: {image: a, monitors: [m]}", "rbd: {image: a, monitors: [k]}", true},
        {"rbd: {image: a, monitors: [m], pool: p}", "rbd: {image: a, monitors: [m]}", true},
        {"rbd: {image: a, monitors: [m], readOnly: true}",
         "rbd: {image: a, monitors: [m], readOnly: true}", true},
        {"cinder: {volumeID: a}", "cinder: {volumeID: a}", true}, /* nobody minds */
        {"gcePersistentDisk: {pdName: a}", "awsElasticBlockStore: {volumeID: a}", true},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[800];
        struct asking a;

        snprintf(yaml, sizeof(yaml), NODE("w", "") ON("w", "q", MOUNTS("%s")) POD(MOUNTS("%s")),
                 cases[i].one, cases[i].other);
        ask(&a, &stow_filter_volume_restrictions, yaml);
        assert_int_equal(passes(&a, "w"), cases[i].together);
        if (!cases[i].together) {
            assert_string_equal(reason(&a), "node(s) had no available disk");
            assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
        }
        ask_end(&a);
    }
}

static void a_claim_for_one_pod_is_taken_wherever_that_pod_is(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_restrictions,
        NODE("w", "") NODE("v", "") CLAIM("accessModes: [ReadWriteOncePod]")
            ON("w", "q", MOUNTS("persistentVolumeClaim: {claimName: data}")) CLAIMS);
    assert_false(passes(&a, "w"));
    assert_false(passes(&a, "v"));
    assert_string_equal(reason(&a), "node(s) unavailable due to PersistentVolumeClaim with "
                                    "ReadWriteOncePod access mode already in-use by another pod");
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    ask_end(&a);
    ask(&a, &stow_filter_volume_restrictions,
        NODE("v", "") CLAIM("accessModes: [ReadWriteOncePod]")
            ON("lost", "q", MOUNTS("persistentVolumeClaim: {claimName: data}")) CLAIMS);
    assert_false(passes(&a, "v")); /* on a node that is not given */
    ask_end(&a);
    ask(&a, &stow_filter_volume_restrictions,
        NODE("w", "") CLAIM("accessModes: [ReadWriteOnce]")
            ON("w", "q", MOUNTS("persistentVolumeClaim: {claimName: data}")) CLAIMS);
    assert_true(passes(&a, "w"));
    ask_end(&a);
}

static void a_node_takes_so_many_volumes_of_a_driver(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_volume_limits,
        NODE("full", "") NODE("room", "") NODE("free", "") NODE("other", "")
            CSI("full", LIMIT("d", "0")) CSI("room", LIMIT("d", "1")) CSI("free", "{name: d}")
                CSI("other", LIMIT("e", "0")) VOLUME("", "csi: {driver: d, volumeHandle: h}")
                    CLAIM("volumeName: v") CLAIMS);
    assert_false(passes(&a, "full"));
    assert_string_equal(reason(&a), "node(s) exceed max volume count");
    assert_string_equal(a.why.reason[0].detail, "1 more of d, has 0 of 0");
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    assert_true(passes(&a, "room"));
    assert_true(passes(&a, "free"));
    assert_true(passes(&a, "other"));
    ask_end(&a);
}

static void a_volume_that_is_there_does_not_count_again(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_node_volume_limits,
        NODE("pod", "") NODE("attached", "") NODE("neither", "") CSI("pod", LIMIT("d", "1")) CSI(
            "attached", LIMIT("d", "1")) CSI("neither", LIMIT("d", "0"))
            VOLUME("", "csi: {driver: d, volumeHandle: h}") CLAIM("volumeName: v") ON(
                "pod", "q",
                MOUNTS(
                    "persistentVolumeClaim: {claimName: data}")) "apiVersion: "
                                                                 "storage.k8s.io/v1\nkind: "
                                                                 "VolumeAttachment\n"
                                                                 "metadata: {name: x}\nspec: "
                                                                 "{attacher: d, nodeName: "
                                                                 "attached, "
                                                                 "source: {persistentVolumeName: "
                                                                 "v}}\n---\n" CLAIMS);
    assert_true(passes(&a, "pod"));
    assert_true(passes(&a, "attached"));
    assert_false(passes(&a, "neither"));
    ask_end(&a);
}

/* What a pod mounts, against a node that takes no volume of the driver. */
static void volumes_count_by_what_they_will_be(void **ctx)
{
    static const struct {
        const char *objects, *volume;
        bool counts;
    } cases[] = {
        {CLASS("c", "d", "") CLAIM("storageClassName: c"),
         "persistentVolumeClaim: {claimName: data}", true},
        {DEFAULT_CLASS CLAIM(""), "persistentVolumeClaim: {claimName: data}", true},
        {CLASS("c", "d", "") CLAIM("storageClassName: other"),
         "persistentVolumeClaim: {claimName: data}", false},
        {DEFAULT_CLASS CLAIM("storageClassName: ''"), "persistentVolumeClaim: {claimName: data}",
         false},
        {"", "persistentVolumeClaim: {claimName: data}", false}, /* not given */
        {CLASS("c", "d", ""), "ephemeral: {volumeClaimTemplate: {spec: {storageClassName: c}}}",
         true},
        {VOLUME("", "csi: {driver: e, volumeHandle: h}") CLASS(
             "c", "d", "") "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p-d}\n"
                           "spec: {volumeName: v}\n---\n",
         "ephemeral: {volumeClaimTemplate: {spec: {storageClassName: c}}}", false},
        {VOLUME("", "nfs: {path: /}") CLAIM("volumeName: v"),
         "persistentVolumeClaim: {claimName: data}", false},
        {"", "csi: {driver: d}", false}, /* in-line: nothing is attached */
        {"", "emptyDir: {}", false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[1200];
        struct asking a;

        snprintf(yaml, sizeof(yaml), NODE("w", "") CSI("w", LIMIT("d", "0")) "%s" POD(MOUNTS("%s")),
                 cases[i].objects, cases[i].volume);
        ask(&a, &stow_filter_node_volume_limits, yaml);
        if (passes(&a, "w") == cases[i].counts) {
            print_error("case %zu\n", i);
            fail();
        }
        ask_end(&a);
    }
}

static void disks_count_for_the_driver_that_took_them_over(void **ctx)
{
    static const char *const cases[][3] = {
        {"ebs.csi.aws.com", "kubernetes.io/aws-ebs", "awsElasticBlockStore: {volumeID: a}"},
        {"pd.csi.storage.gke.io", "kubernetes.io/gce-pd", "gcePersistentDisk: {pdName: a}"},
        {"disk.csi.azure.com", "kubernetes.io/azure-disk", "azureDisk: {diskURI: a}"},
        {"cinder.csi.openstack.org", "kubernetes.io/cinder", "cinder: {volumeID: a}"},
        {"pxd.portworx.com", "kubernetes.io/portworx-volume", "portworxVolume: {volumeID: a}"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (uint32_t form = 0; form < 3; form++) {
            char yaml[1200];
            struct asking a;

            snprintf(yaml, sizeof(yaml),
                     NODE("w", "") CSI("w", LIMIT("%s", "0")) CLASS("c", "%s", "") VOLUME("", "%s")
                         CLAIM("%s") POD(MOUNTS("%s")),
                     cases[i][0], cases[i][1], cases[i][2],
                     form == 0 ? "volumeName: v" : "storageClassName: c",
                     form == 2 ? cases[i][2] : "persistentVolumeClaim: {claimName: data}");
            ask(&a, &stow_filter_node_volume_limits, yaml);
            assert_false(passes(&a, "w"));
            ask_end(&a);
        }
}

/* ---- volume-zone ------------------------------------------------------------------------- */

#define ZONED                                                    \
    LABELLED("a", "topology.kubernetes.io/zone: a")              \
    LABELLED("b", "topology.kubernetes.io/zone: b")              \
    LABELLED("old", "failure-domain.beta.kubernetes.io/zone: a") \
    LABELLED("region", "topology.kubernetes.io/region: r") NODE("bare", "")

static void a_bound_volume_holds_the_pod_in_its_zones(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_zone,
        ZONED VOLUME("topology.kubernetes.io/zone: a__c", "") CLAIM("volumeName: v") CLAIMS);
    assert_true(passes(&a, "a"));
    assert_false(passes(&a, "b"));
    assert_string_equal(reason(&a), "node(s) had no available volume zone");
    assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
    assert_false(passes(&a, "old"));    /* today's label of the volume is not looked up as beta */
    assert_false(passes(&a, "region")); /* has zones, but not this label */
    assert_true(passes(&a, "bare"));
    ask_end(&a);
}

static void a_beta_label_of_the_volume_finds_the_label_of_today(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_zone,
        ZONED VOLUME("failure-domain.beta.kubernetes.io/zone: a", "") CLAIM("volumeName: v")
            CLAIMS);
    assert_true(passes(&a, "a"));
    assert_true(passes(&a, "old"));
    assert_false(passes(&a, "b"));
    ask_end(&a);
}

static void a_volume_may_name_its_nodes(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_zone,
        ZONED VOLUME("", "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
                         "topology.kubernetes.io/zone, operator: In, values: [b]}]}]}}")
            CLAIM("volumeName: v") CLAIMS);
    assert_true(passes(&a, "b"));
    assert_false(passes(&a, "a"));
    assert_string_equal(reason(&a), "node(s) didn't match PersistentVolume's node affinity");
    assert_false(passes(&a, "bare"));
    ask_end(&a);
}

static void a_claim_that_is_bound_at_once_keeps_the_pod_waiting(void **ctx)
{
    static const char *const waiting[] = {
        ZONED CLASS("at-once", "d", "") CLAIM("storageClassName: at-once") CLAIMS,
        ZONED CLASS("at-once", "d", "volumeBindingMode: Immediate\n")
            CLAIM("storageClassName: at-once") CLAIMS,
        ZONED CLASS("at-once", "d", "") DEFAULT_CLASS CLAIM("") CLAIMS,
        ZONED "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
              "spec: {storageClassName: ''}\nstatus: {phase: Pending}\n---\n" CLAIMS,
    };
    struct asking a;

    (void)ctx;
    for (size_t i = 0; i < COUNT(waiting); i++) {
        ask(&a, &stow_filter_volume_zone, waiting[i]);
        assert_false(passes(&a, "bare"));
        assert_string_equal(reason(&a), "pod has unbound immediate PersistentVolumeClaims");
        assert_int_equal(a.why.verdict, STOW_UNRESOLVABLE);
        ask_end(&a);
    }
}

static void claims_that_are_not_bound_restrict_nothing(void **ctx)
{
    static const char *const documents[] = {
        ZONED VOLUME("topology.kubernetes.io/zone: a", "") CLAIM("") CLAIMS,
        ZONED VOLUME("topology.kubernetes.io/zone: a", "") CLAIMS,
        ZONED CLAIM("volumeName: v") CLAIMS,
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(documents); i++) {
        struct asking a;

        ask(&a, &stow_filter_volume_zone, documents[i]);
        assert_int_equal(a.prepared, STOW_PREPARED_SKIP);
        assert_text(stow_text(a.s, stow_pod_open_claim(a.s, a.pod.pod).name), "data");
        ask_end(&a);
    }
}

static void a_set_with_an_empty_zone_is_passed_over(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_volume_zone,
        ZONED VOLUME("topology.kubernetes.io/zone: a__", "") CLAIM("volumeName: v") CLAIMS);
    assert_true(passes(&a, "b"));
    assert_int_equal(stow_pod_open_claim(a.s, a.pod.pod).name, 0);
    ask_end(&a);
}

/* ---- storage ----------------------------------------------------------------------------- */

#define STATES(name, key, value, spec)                                                   \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", annotations: {ultron.io/" key \
    ": \"" value "\"}}\nspec: {" spec "}\n---\n"
#define TEN_GIB HAS("w", "ephemeral-storage: 10Gi")

static bool stores(const char *pod)
{
    char *yaml = load_fill(TEN_GIB "@", pod);
    struct asking a;

    ask(&a, &stow_filter_storage, yaml);
    bool yes = passes(&a, "w");

    ask_end(&a);
    free(yaml);
    return yes;
}

static void storage_is_stated_in_gib_or_requested(void **ctx)
{
    (void)ctx;
    assert_true(stores(STATES("p", "storage-size-gb", "10", "")));
    assert_false(stores(STATES("p", "storage-size-gb", "10.000000001", "")));
    assert_false(stores(STATES("p", "storage-size", "11", "")));
    assert_true(stores(STATES("p", "storage-size", "10Gi", "")));
    assert_false(stores(STATES("p", "storage-size", "11Gi", "")));
    assert_false(stores(STATES("p", "storage-size-gb", "1e30", "")));
    assert_false(stores(POD(ASKS("ephemeral-storage: 11Gi"))));
    assert_true(stores(STATES("p", "storage-size-gb", "1", ASKS("ephemeral-storage: 11Gi"))));
}

static void a_text_that_is_no_size_says_nothing(void **ctx)
{
    (void)ctx;
    assert_true(stores(STATES("p", "storage-size-gb", "plenty", "")));
    assert_false(stores(STATES("p", "storage-size-gb", "plenty", ASKS("ephemeral-storage: 11Gi"))));
    assert_false(stores(STATES("p", "storage-size-gb", "-1", ASKS("ephemeral-storage: 11Gi"))));
}

static void storage_of_placed_pods_is_subtracted(void **ctx)
{
    struct asking a;

    (void)ctx;
    ask(&a, &stow_filter_storage,
        TEN_GIB ON("w", "r", ASKS("ephemeral-storage: 2Gi")) STATES("q", "storage-size-gb", "5", "")
            STATES("p", "storage-size-gb", "4", ""));
    assert_true(passes(&a, "w"));
    stow_state_place(&a.state, pod_named(a.s, "q"), 0);
    assert_false(passes(&a, "w"));
    assert_int_equal(a.why.verdict, STOW_UNSCHEDULABLE);
    assert_int_equal(a.why.reason[0].wanted, 4LL << 30);
    assert_int_equal(a.why.reason[0].free, 3LL << 30);
    assert_int_equal(a.why.reason[0].used, 7LL << 30);
    ask_end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disks_are_shared_only_by_those_who_read),
        cmocka_unit_test(a_claim_for_one_pod_is_taken_wherever_that_pod_is),
        cmocka_unit_test(a_node_takes_so_many_volumes_of_a_driver),
        cmocka_unit_test(a_volume_that_is_there_does_not_count_again),
        cmocka_unit_test(volumes_count_by_what_they_will_be),
        cmocka_unit_test(disks_count_for_the_driver_that_took_them_over),
        cmocka_unit_test(a_claim_that_is_bound_at_once_keeps_the_pod_waiting),
        cmocka_unit_test(a_bound_volume_holds_the_pod_in_its_zones),
        cmocka_unit_test(a_beta_label_of_the_volume_finds_the_label_of_today),
        cmocka_unit_test(a_volume_may_name_its_nodes),
        cmocka_unit_test(claims_that_are_not_bound_restrict_nothing),
        cmocka_unit_test(a_set_with_an_empty_zone_is_passed_over),
        cmocka_unit_test(storage_is_stated_in_gib_or_requested),
        cmocka_unit_test(a_text_that_is_no_size_says_nothing),
        cmocka_unit_test(storage_of_placed_pods_is_subtracted),
    };

    return cmocka_run_group_tests_name("place/filters_volumes", tests, NULL, NULL);
}
