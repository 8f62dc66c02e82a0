/* Unit tests of what a new node has beside what its document says. */
#include "tests/unit/load.h"

#include "model/build.h"

#define GROUP(name, spec)                                                            \
    "---\napiVersion: stowage.dev/v1alpha1\nkind: NodeGroup\nmetadata: {name: " name \
    "}\nspec: {" spec "}\n"

#define TYPE(type) "template: {metadata: {labels: {node.kubernetes.io/instance-type: " type "}}}"

#define NODE(name, labels, rest) \
    "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {" labels "}}\n" rest "\n"

#define MIB(n) ((int64_t)(n) << 20)

static const char *label(const struct stow_snapshot *s, const char *key)
{
    return stow_label_text(s, s->fresh[0].labels, key).ptr;
}

static int64_t amount(const struct stow_snapshot *s, stow_blob of, const char *resource)
{
    stow_sym sym = stow_intern_find(&s->text, stow_str_of(resource));

    return stow_resource_amount(s, of, stow_resource_find(s, sym));
}

static int64_t has(const struct stow_snapshot *s, const char *resource)
{
    return amount(s, s->fresh[0].capacity, resource);
}

static int64_t offers(const struct stow_snapshot *s, const char *resource)
{
    return amount(s, s->fresh[0].allocatable, resource);
}

/* Who says what a label or an amount is; NULL: a document. */
static const char *from(const struct stow_snapshot *s, enum stow_default_kind kind, const char *key)
{
    for (uint32_t i = 0; i < s->group_defaults; i++) {
        const struct stow_group_default *d = &s->group_default[i];
        stow_sym sym = kind == STOW_DEFAULT_LABEL ? d->key : d->amount.resource;

        if (d->kind == kind && stow_str_is(stow_text(s, sym), key))
            return d->from;
    }
    return NULL;
}

static void a_group_of_a_few_amounts_has_the_labels_of_every_node(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(GROUP("web", "template: {status: {capacity: {cpu: 4, memory: 8Gi}}}"));

    (void)ctx;
    assert_string_equal(label(s, "kubernetes.io/os"), "linux");
    assert_string_equal(label(s, "kubernetes.io/arch"), "amd64");
    assert_string_equal(label(s, "beta.kubernetes.io/os"), "linux");
    assert_string_equal(label(s, "beta.kubernetes.io/arch"), "amd64");
    assert_string_equal(label(s, "kubernetes.io/hostname"), "~web");
    assert_string_equal(label(s, "stowage.dev/node-group"), "web");
    assert_null(label(s, "topology.kubernetes.io/zone"));
    assert_int_equal(offers(s, "cpu"), 4000);
    assert_int_equal(offers(s, "pods"), 110);
    assert_string_equal(from(s, STOW_DEFAULT_CAPACITY, "pods"), "kubelet's default");
    assert_string_equal(from(s, STOW_DEFAULT_ALLOCATABLE, "cpu"), "capacity");
    assert_null(from(s, STOW_DEFAULT_CAPACITY, "cpu"));
    stow_snapshot_unref(s);
}

static void an_instance_type_tells_the_size(void **ctx)
{
    struct stow_snapshot *s = load_yaml(GROUP("web", TYPE("m6g.large")));

    (void)ctx;
    assert_string_equal(label(s, "kubernetes.io/arch"), "arm64");
    assert_string_equal(label(s, "beta.kubernetes.io/instance-type"), "m6g.large");
    assert_int_equal(has(s, "cpu"), 2000);
    assert_int_equal(offers(s, "cpu"), 1930);
    assert_int_equal(has(s, "memory"), MIB(8192));
    assert_int_equal(offers(s, "memory"), MIB(6844));
    assert_int_equal(offers(s, "pods"), 29);
    assert_string_equal(from(s, STOW_DEFAULT_ALLOCATABLE, "memory"), "catalogue");
    stow_snapshot_unref(s);
}

static void devices_of_the_type_are_there(void **ctx)
{
    struct stow_snapshot *s = load_yaml(GROUP("web", TYPE("g4dn.12xlarge")));

    (void)ctx;
    assert_int_equal(offers(s, "nvidia.com/gpu"), 4);
    stow_snapshot_unref(s);
    s = load_yaml(GROUP("web", TYPE("inf1.6xlarge")));
    assert_int_equal(offers(s, "aws.amazon.com/neuron"), 4);
    stow_snapshot_unref(s);
}

static void what_is_stated_stands_and_the_rest_is_filled_in(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        GROUP("web", "template: {metadata: {labels: {node.kubernetes.io/instance-type: m5.large, "
                     "kubernetes.io/os: windows, kubernetes.io/arch: x}}, "
                     "status: {capacity: {memory: 4Gi}, allocatable: {pods: 5}}}"));

    (void)ctx;
    assert_string_equal(label(s, "kubernetes.io/os"), "windows");
    assert_string_equal(label(s, "beta.kubernetes.io/os"), "windows");
    assert_string_equal(label(s, "kubernetes.io/arch"), "x");
    assert_int_equal(has(s, "memory"), MIB(4096));
    assert_int_equal(offers(s, "memory"), MIB(4096 - (8192 - 6903)));
    assert_int_equal(offers(s, "cpu"), 1930);
    assert_int_equal(offers(s, "pods"), 5);
    assert_int_equal(has(s, "pods"), 29);
    assert_null(from(s, STOW_DEFAULT_LABEL, "kubernetes.io/os"));
    stow_snapshot_unref(s);
}

static void a_zone_tells_the_region_and_both_tell_the_provider(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        GROUP("web", "template: {metadata: {labels: {node.kubernetes.io/instance-type: m5.large, "
                     "topology.kubernetes.io/zone: eu-west-1b}}}"));

    (void)ctx;
    assert_string_equal(label(s, "topology.kubernetes.io/region"), "eu-west-1");
    assert_string_equal(label(s, "failure-domain.beta.kubernetes.io/region"), "eu-west-1");
    assert_string_equal(label(s, "failure-domain.beta.kubernetes.io/zone"), "eu-west-1b");
    assert_string_equal(stow_text(s, s->fresh[0].provider_id).ptr, "aws://");
    stow_snapshot_unref(s);
    s = load_yaml(GROUP("web", "template: {metadata: {labels: {"
                               "node.kubernetes.io/instance-type: e2-standard-4}}, "
                               "spec: {providerID: \"gce://shop/europe-west9-a/new\"}}"));
    assert_string_equal(label(s, "topology.kubernetes.io/zone"), "europe-west9-a");
    assert_string_equal(label(s, "topology.kubernetes.io/region"), "europe-west9");
    stow_snapshot_unref(s);
}

/* OpenStack has an m1.large, too. */
static void a_type_alone_does_not_tell_the_provider(void **ctx)
{
    struct stow_snapshot *s = load_yaml(GROUP("web", TYPE("m1.large")));

    (void)ctx;
    assert_int_equal(s->fresh[0].provider_id, 0);
    stow_snapshot_unref(s);
    refuse_yaml(GROUP("web", "template: {metadata: {labels: {node.kubernetes.io/instance-type: "
                             "m1.large}}, spec: {providerID: \"openstack:///x\"}}"),
                "5:18", "'m1.large' is not in the catalogue of openstack");
}

#define SHOP_NODE(name, zone, rest)                                                                \
    NODE(name,                                                                                     \
         "eks.amazonaws.com/nodegroup: web, kubernetes.io/arch: arm64, "                           \
         "kubernetes.io/os: linux, node.kubernetes.io/instance-type: big, "                        \
         "topology.kubernetes.io/zone: " zone,                                                     \
         "spec: {providerID: \"aws:///" zone "/i-1\"}\nstatus: {capacity: {cpu: 8, memory: 32Gi, " \
         "pods: 58, ephemeral-storage: 20Gi}, allocatable: {cpu: 7900m, memory: 30Gi, pods: 58, "  \
         "ephemeral-storage: 18Gi}" rest "}")

static void nodes_of_the_group_tell_what_a_template_leaves_out(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(GROUP("web", "template: {metadata: {labels: {team: a}}}")
                      SHOP_NODE("n1", "us-east-1a", "") SHOP_NODE("n2", "us-east-1a", ""));

    (void)ctx;
    assert_string_equal(label(s, "eks.amazonaws.com/nodegroup"), "web");
    assert_string_equal(label(s, "kubernetes.io/arch"), "arm64");
    assert_string_equal(label(s, "node.kubernetes.io/instance-type"), "big");
    assert_string_equal(label(s, "topology.kubernetes.io/zone"), "us-east-1a");
    assert_string_equal(label(s, "topology.kubernetes.io/region"), "us-east-1");
    assert_null(label(s, "beta.kubernetes.io/os")); /* no node of the cluster has it */
    assert_string_equal(stow_text(s, s->fresh[0].provider_id).ptr, "aws://");
    assert_int_equal(offers(s, "cpu"), 7900);
    assert_int_equal(has(s, "memory"), MIB(32768));
    assert_int_equal(offers(s, "ephemeral-storage"), MIB(18432));
    assert_string_equal(from(s, STOW_DEFAULT_ALLOCATABLE, "cpu"), "node n1");
    stow_snapshot_unref(s);
}

static void a_zone_that_nodes_do_not_share_is_not_known(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(GROUP("web", "template: {metadata: {labels: {team: a}}}")
                      SHOP_NODE("n1", "us-east-1a", "") SHOP_NODE("n2", "us-east-1b", ""));

    (void)ctx;
    assert_null(label(s, "topology.kubernetes.io/zone"));
    assert_string_equal(label(s, "kubernetes.io/arch"), "arm64");
    stow_snapshot_unref(s);
}

/* As without a template. */
static void of_nodes_of_several_types_the_first_is_the_model(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        GROUP("web", "template: {metadata: {labels: {team: a}}}") SHOP_NODE("n1", "us-east-1a", "")
            NODE("n2",
                 "eks.amazonaws.com/nodegroup: web, node.kubernetes.io/instance-type: m5.large",
                 "status: {capacity: {cpu: 2}}"));

    (void)ctx;
    assert_string_equal(label(s, "node.kubernetes.io/instance-type"), "big");
    assert_int_equal(offers(s, "cpu"), 7900);
    stow_snapshot_unref(s);
}

static void another_type_is_of_another_size(void **ctx)
{
    struct stow_snapshot *s =
        load_yaml(GROUP("web", TYPE("m5.large")) SHOP_NODE("n1", "us-east-1a", ""));

    (void)ctx;
    assert_int_equal(offers(s, "cpu"), 1930);
    assert_string_equal(label(s, "kubernetes.io/arch"), "amd64");
    stow_snapshot_unref(s);
}

static void a_template_that_its_selector_does_not_match_is_warned_of(void **ctx)
{
    struct stow_snapshot *s = load_yaml(
        GROUP("web", "nodeSelector: {pool: a, tier: b}, template: {metadata: {labels: {pool: x}}, "
                     "status: {capacity: {cpu: 1, memory: 1Gi}}}"));

    (void)ctx;
    assert_string_equal(label(s, "pool"), "x");
    assert_string_equal(label(s, "tier"), "b");
    assert_null(label(s, "stowage.dev/node-group"));
    assert_int_equal(s->warnings, 1);
    assert_non_null(strstr(s->warning[0], "a new node would not belong to the group"));
    stow_snapshot_unref(s);
}

static void daemons_that_select_on_os_count(void **ctx)
{
    struct stow_snapshot *s = load_yaml(GROUP(
        "web", TYPE("m5.large")) "---\napiVersion: apps/v1\nkind: DaemonSet\n"
                                 "metadata: {name: d}\nspec: {template: {spec: {nodeSelector: "
                                 "{kubernetes.io/os: linux}, containers: [{name: c, "
                                 "resources: {requests: {cpu: 100m}}}]}}}\n");

    (void)ctx;
    assert_int_equal(s->overhead[(size_t)STOW_RESOURCE_CPU * s->groups], 100);
    stow_snapshot_unref(s);
}

static void a_size_that_nobody_knows_is_asked_for(void **ctx)
{
    struct stow_snapshot *s;

    (void)ctx;
    refuse_yaml(GROUP("web", TYPE("x9.huge")), "5:18",
                "'web': the template has no cpu, and the instance type 'x9.huge' is not in the "
                "catalogue; expected template.status.capacity");
    refuse_yaml(GROUP("web", "template: {status: {capacity: {cpu: 0}}}"), "5:18",
                "has no cpu, and it names no instance type");
    s = load_yaml(GROUP("web", "template: {status: {capacity: {cpu: 1}}}"));
    assert_int_equal(s->warnings, 1);
    assert_non_null(strstr(s->warning[0], "give template.status.capacity.memory"));
    stow_snapshot_unref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_of_a_few_amounts_has_the_labels_of_every_node),
        cmocka_unit_test(an_instance_type_tells_the_size),
        cmocka_unit_test(devices_of_the_type_are_there),
        cmocka_unit_test(what_is_stated_stands_and_the_rest_is_filled_in),
        cmocka_unit_test(a_zone_tells_the_region_and_both_tell_the_provider),
        cmocka_unit_test(a_type_alone_does_not_tell_the_provider),
        cmocka_unit_test(nodes_of_the_group_tell_what_a_template_leaves_out),
        cmocka_unit_test(a_zone_that_nodes_do_not_share_is_not_known),
        cmocka_unit_test(of_nodes_of_several_types_the_first_is_the_model),
        cmocka_unit_test(another_type_is_of_another_size),
        cmocka_unit_test(a_template_that_its_selector_does_not_match_is_warned_of),
        cmocka_unit_test(daemons_that_select_on_os_count),
        cmocka_unit_test(a_size_that_nobody_knows_is_asked_for),
    };

    return cmocka_run_group_tests_name("model/fresh_node", tests, NULL, NULL);
}
