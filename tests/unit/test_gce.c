/* Unit tests of the autoscaler's price models.  Prices are compared to the last bit. */
#include "tests/unit/load.h"

#include "model/annotations.h"
#include "price/models/gce.h"
#include "price/models/gce_number.h"
#include "price/models/gce_tables.h"

#define ANNOTATION "cluster-autoscaler/gce/"
#define TYPE       "node.kubernetes.io/instance-type: "
#define SPOT       "cloud.google.com/gke-spot: 'true'"
#define SSD        "cloud.google.com/gke-ephemeral-storage-local-ssd: 'true'"
#define BALANCED   (100 * 0.0001388888888888889) /* the boot disk that nobody asked for */

/* ---- nodes ------------------------------------------------------------------------------- */

static struct stow_snapshot *load_node(const char *labels, const char *annotations,
                                       const char *capacity)
{
    struct stow_buf text = {0};
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};

    stow_buf_printf(&text,
                    "apiVersion: v1\nkind: Node\nmetadata: {name: node, labels: {%s}, "
                    "annotations: {%s}}\nstatus: {capacity: {%s}}\n",
                    labels, annotations, capacity);
    if (stow_snapshot_load_text("test.yaml", text.ptr, text.len, NULL, &s, &err) < 0 ||
        stow_annotations_show(s, stow_gce_annotations, STOW_GCE_ANNOTATIONS) < 0)
        fail_msg("%s", err.msg);
    stow_buf_done(&text);
    return s;
}

static double price_of(const char *labels, const char *annotations, const char *capacity)
{
    struct stow_snapshot *s = load_node(labels, annotations, capacity);
    double price = stow_gce_node_price(s, &s->node[0]);

    stow_snapshot_unref(s);
    return price;
}

#define assert_price(got, want)                               \
    do {                                                      \
        double got_ = (got), want_ = (want);                  \
        if (got_ != want_) {                                  \
            print_error("%.17g is not %.17g\n", got_, want_); \
            fail();                                           \
        }                                                     \
    } while (0)

static void a_known_machine_costs_what_the_table_says_and_its_boot_disk(void **ctx)
{
    (void)ctx;
    assert_price(price_of(TYPE "n1-standard-8", "", "cpu: 8"), 0.3938888888888889);
    assert_price(price_of(TYPE "n1-standard-8, " SPOT, "", "cpu: 8"), 0.09388888888888888);
    assert_price(price_of(TYPE "n1-standard-8, cloud.google.com/gke-preemptible: 'true'", "", ""),
                 0.09388888888888888);
}

static void only_the_word_true_makes_a_machine_preemptible(void **ctx)
{
    (void)ctx;
    assert_price(price_of(TYPE "n1-standard-8, cloud.google.com/gke-spot: 'True'", "", ""),
                 0.3938888888888889);
    assert_price(price_of(TYPE "n1-standard-8, cloud.google.com/gke-spot: ''", "", ""),
                 0.3938888888888889);
}

static void the_stable_label_goes_before_the_old_one(void **ctx)
{
    (void)ctx;
    assert_price(price_of("beta.kubernetes.io/instance-type: n1-standard-8", "", ""),
                 0.3938888888888889);
    assert_price(
        price_of(TYPE "n1-standard-8, beta.kubernetes.io/instance-type: n1-standard-1", "", ""),
        0.3938888888888889);
    /* Also when it is empty: then the machine is unknown. */
    assert_price(price_of(TYPE "'', beta.kubernetes.io/instance-type: n1-standard-1", "", "cpu: 1"),
                 0.033174 + BALANCED);
}

static void an_unknown_machine_costs_its_size_at_the_rates_of_its_family(void **ctx)
{
    (void)ctx;
    assert_price(price_of(TYPE "n1-unknown", "", "cpu: 8, memory: 30Gi"), 0.3938868888888889);
    assert_price(price_of(TYPE "e2-custom", "", "cpu: 9, memory: 32Gi"), 0.3180428888888889);
    assert_price(price_of(TYPE "custom-8", "", "cpu: 8, memory: 30Gi"), 0.4126608888888889);
    /* Families that nobody listed, also of custom machines: the base rates. */
    assert_price(price_of(TYPE "a3-highgpu-8g", "", "cpu: 1"), 0.033174 + BALANCED);
    assert_price(price_of(TYPE "c2-custom-4", "", "cpu: 1"), 0.033174 + BALANCED);
    assert_price(price_of("", "", "cpu: 1, memory: 1Gi"), 0.033174 + 0.004446 + BALANCED);
    assert_price(price_of("", "", ""), BALANCED);
}

static void an_unknown_machine_pays_for_its_disk_twice(void **ctx)
{
    (void)ctx;
    assert_price(price_of(TYPE "x1-unknown", "", "ephemeral-storage: 100Gi"),
                 100 * (0.100 / 720) + BALANCED);
    assert_price(price_of(TYPE "n1-standard-8", "", "ephemeral-storage: 100Gi"),
                 0.3938888888888889);
}

static void discounts_of_unknown_machines_are_the_family_s_or_the_base_one(void **ctx)
{
    (void)ctx;
    assert_price(price_of(TYPE "custom-8, " SPOT, "", "cpu: 8, memory: 30Gi"), 0.09779280641466209);
    assert_price(price_of(TYPE "a3-x, " SPOT, "", "cpu: 1"),
                 0.033174 * 0.2104057394344969 + BALANCED);
    assert_price(price_of(TYPE "'', " SPOT, "", "cpu: 1"),
                 0.033174 * 0.2104057394344969 + BALANCED);
    /* Without a type there is none. */
    assert_price(price_of(SPOT, "", "cpu: 1"), 0.033174 + BALANCED);
    /* c3d is listed, but not as preemptible. */
    assert_price(price_of(TYPE "c3d-standard-4, " SPOT, "", "cpu: 4"),
                 4 * 0.02956 * 0.4000338294993234 + BALANCED);
}

static void boot_disks_have_a_size_and_a_type(void **ctx)
{
    static const struct {
        const char *label, *annotations;
        double price;
    } cases[] = {
        {"", ANNOTATION "boot-disk-type: pd-ssd", 100 * 0.00023611111111111112},
        {"", ANNOTATION "boot-disk-type: pd-standard, " ANNOTATION "boot-disk-size: '20'",
         20 * 5.555555555555556e-05},
        {"", ANNOTATION "boot-disk-type: ''", BALANCED},
        {"", ANNOTATION "boot-disk-type: hyperdisk-balanced", 0},
        {"", ANNOTATION "boot-disk-type: local-ssd", 0},
        {"cloud.google.com/gke-boot-disk: pd-standard", ANNOTATION "boot-disk-type: pd-ssd",
         100 * 5.555555555555556e-05},
        /* The label wins even when it is empty. */
        {"cloud.google.com/gke-boot-disk: ''", ANNOTATION "boot-disk-type: pd-ssd", BALANCED},
        {"", ANNOTATION "boot-disk-size: '0'", BALANCED},
        {"", ANNOTATION "boot-disk-size: '100.5'", BALANCED},
        {"", ANNOTATION "boot-disk-size: abc", BALANCED},
        {"", ANNOTATION "boot-disk-size: ' 50'", BALANCED},
        {"", ANNOTATION "boot-disk-size: '+50'", 50 * 0.0001388888888888889},
        {"", ANNOTATION "boot-disk-size: '-50'", -50 * 0.0001388888888888889},
        /* Never discounted. */
        {SPOT, "", BALANCED},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_price(price_of(cases[i].label, cases[i].annotations, ""), cases[i].price);
}

static void local_disks_are_counted_by_an_annotation(void **ctx)
{
    const double rate = 0.00011111111111111112, spot = 6.666666666666667e-05;
    static const char flagged[] = ANNOTATION "ephemeral-storage-local-ssd: 'true', ";

    (void)ctx;
    assert_price(price_of(SSD, ANNOTATION "local-ssd-count: '2'", ""), 2 * 375 * rate + BALANCED);
    assert_price(price_of(SSD, ANNOTATION "local-ssd-count: '1.5'", ""),
                 1.5 * 375 * rate + BALANCED);
    assert_price(price_of(SSD ", " SPOT, ANNOTATION "local-ssd-count: '2'", ""),
                 2 * 375 * spot + BALANCED);
    assert_price(price_of(SSD, ANNOTATION "local-ssd-count: x", ""), BALANCED);
    assert_price(price_of(SSD, "", ""), BALANCED);
    assert_price(price_of("", ANNOTATION "local-ssd-count: '2'", ""), BALANCED);

    struct stow_buf both = {0};

    stow_buf_printf(&both, "%s" ANNOTATION "local-ssd-count: '1'%c", flagged, '\0');
    assert_price(price_of("", both.ptr, ""), 375 * rate + BALANCED);
    stow_buf_done(&both);
}

static void devices_cost_what_their_label_says(void **ctx)
{
    static const char v100[] = TYPE "n1-standard-8, cloud.google.com/gke-accelerator: "
                                    "nvidia-tesla-v100";

    (void)ctx;
    assert_price(price_of(v100, "", "nvidia.com/gpu: 1"), 2.8738888888888887);
    assert_price(price_of(v100, "", "nvidia.com/gpu: 2"), 5.353888888888889);
    assert_price(price_of(v100, "", "nvidia.com/gpu: 0"), 0.3938888888888889);
    assert_price(price_of(v100, "", "amd.com/gpu: 1"), 0.3938888888888889);
    assert_price(price_of(TYPE "n1-standard-8", "", "nvidia.com/gpu: 1"), 0.3938888888888889 + 0.7);
    assert_price(price_of("cloud.google.com/gke-accelerator: nvidia-h100", "", "nvidia.com/gpu: 1"),
                 BALANCED + 0.7);
    assert_price(price_of("cloud.google.com/gke-accelerator: nvidia-tesla-t4, " SPOT, "",
                          "nvidia.com/gpu: 1"),
                 BALANCED + 0.11);
    /* The price of the machine has these in it. */
    assert_price(price_of("cloud.google.com/gke-accelerator: nvidia-l4", "", "nvidia.com/gpu: 8"),
                 BALANCED);
}

static void the_autoscaler_s_annotations_are_kept_without_asking(void **ctx)
{
    struct stow_snapshot *s = load_yaml("apiVersion: v1\nkind: Node\nmetadata: {name: node, "
                                        "annotations: {" ANNOTATION "boot-disk-size: '20'}}\n");

    (void)ctx;
    assert_price(stow_gce_node_price(s, &s->node[0]), 20 * 0.0001388888888888889);
    stow_snapshot_unref(s);
}

/* ---- types ------------------------------------------------------------------------------- */

static void a_type_has_a_family_before_its_first_dash(void **ctx)
{
    static const struct {
        const char *type, *family;
        bool custom;
    } cases[] = {
        {"n1-standard-8", "n1", false},
        {"n2-custom-48-184320", "n2", true},
        {"custom-8-16384", "n1", true},
        {"f1-micro", "n1", false},
        {"g1-small", "n1", false},
        {"c3d-highmem-360", "c3d", false},
        {"e2", "", false},
        {"", "", false},
        {"n2-custom-8-65536-ext", "n2", true},
        {"n2-standard-custom", "n2", false},
        {"n2-customised-8", "n2", false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct stow_gce_type type = stow_gce_type_parse(stow_str_of(cases[i].type));

        assert_text(type.family, cases[i].family);
        assert_true(type.custom == cases[i].custom);
    }
}

static void tables_are_whole_and_in_order(void **ctx)
{
    static const struct {
        const struct stow_model_price_table *table;
        uint32_t rows;
    } tables[] = {{&stow_gce_instance, 233},
                  {&stow_gce_gpu, 8},
                  {&stow_gce_boot_disk, 3},
                  {&stow_gce_local_ssd, 1},
                  {&stow_equinix_plan, 14}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(tables); i++) {
        assert_int_equal(tables[i].table->rows, tables[i].rows);
        for (uint32_t r = 1; r < tables[i].rows; r++)
            assert_true(strcmp(tables[i].table->row[r - 1].name, tables[i].table->row[r].name) < 0);
    }
    assert_int_equal(stow_gce_predefined.rows, 20);
    assert_int_equal(stow_gce_custom.rows, 6);
}

static void every_listed_machine_is_found(void **ctx)
{
    char labels[128];

    (void)ctx;
    for (uint32_t i = 0; i < stow_gce_instance.rows; i++) {
        const struct stow_model_price *row = &stow_gce_instance.row[i];

        snprintf(labels, sizeof(labels), TYPE "%s", row->name);
        assert_price(price_of(labels, "", ""), row->on_demand + BALANCED);
    }
}

/* ---- pods -------------------------------------------------------------------------------- */

static struct stow_gce_requests requests_of(const char *spec)
{
    struct stow_gce_requests requests = {0};
    struct stow_err err = {0};
    char *text = load_fill("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {@}\n", spec);
    struct stow_snapshot *s = load_yaml(text);

    free(text);
    assert_int_equal(stow_gce_requests_of(s, s->pod[0].spec, &requests, &err), STOW_OK);
    stow_snapshot_unref(s);
    return requests;
}

static double pod_price(int64_t cpu, int64_t memory, int64_t ephemeral, int64_t gpu)
{
    return stow_gce_pod_price(&stow_gce_rates,
                              &(struct stow_gce_requests){cpu, memory, ephemeral, gpu});
}

static void a_pod_costs_what_it_asks_for(void **ctx)
{
    (void)ctx;
    assert_price(pod_price(500, 524288000, 0, 0), 0.0187578984375);
    assert_price(pod_price(100, 524288000, 107374182400, 0), 0.01937718732638889);
    assert_price(pod_price(200, 1048576000, 107374182400, 0), 0.02486548576388889);
    assert_price(pod_price(100, 0, 0, 0), 0.0033174000000000003);
    assert_price(pod_price(0, 0, 107374182400, 0), 0.013888888888888888);
    assert_price(pod_price(0, 0, 0, 2000), 1.4);
    assert_price(pod_price(0, 0, 0, 0), 0);
}

static void storage_of_pods_costs_as_much_as_a_balanced_disk(void **ctx)
{
    (void)ctx;
    for (uint32_t i = 0; i < stow_gce_boot_disk.rows; i++)
        if (strcmp(stow_gce_boot_disk.row[i].name, "pd-balanced") == 0)
            assert_price(stow_gce_rates.ephemeral, stow_gce_boot_disk.row[i].on_demand);
}

static void requests_follow_the_scheduler_s_rule(void **ctx)
{
    struct stow_gce_requests r =
        requests_of("overhead: {cpu: 10m}, initContainers: [{name: i, resources: {requests: "
                    "{cpu: 2, ephemeral-storage: 1Gi}}}], containers: [{name: a, resources: "
                    "{requests: {cpu: 100m, memory: 1500m, nvidia.com/gpu: 1, amd.com/gpu: 4}}}, "
                    "{name: b, resources: {requests: {cpu: 0.2, memory: 1}}}]");

    (void)ctx;
    assert_int_equal(r.cpu_milli, 2010);
    assert_int_equal(r.memory, 3); /* 2.5 bytes, rounded once */
    assert_int_equal(r.ephemeral, 1 << 30);
    assert_int_equal(r.gpu_milli, 1000);

    r = requests_of("containers: [{name: a}]");
    assert_int_equal(r.cpu_milli + r.memory + r.ephemeral + r.gpu_milli, 0);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static void fractions_are_read_as_go_reads_them(void **ctx)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1.5", 1.5},        {".5", 0.5},
        {"5.", 5},           {"+3", 3},
        {"1e2", 100},        {"1_000", 1000},
        {"1e1_0", 1e10},     {"1_23.50_0_0e+1_2", 1.235e14},
        {"0x1p2", 4},        {"0X_1P2", 4},
        {"0x1.8p1", 3},      {"0x.8p0", 0.5},
        {"1e400", INFINITY}, {"-1e400", -INFINITY},
        {"1e-400", 0},       {"-infinity", -INFINITY},
        {"INF", INFINITY},   {"", 0},
        {" 1", 0},           {"1 ", 0},
        {"1e", 0},           {"0x1", 0},
        {"0xp1", 0},         {"0b1", 0},
        {"1__0", 0},         {"_1", 0},
        {"1_", 0},           {"1._5", 0},
        {"1_.5", 0},         {"1e_5", 0},
        {"infin", 0},        {"nan(1)", 0},
        {"+nan", 0},         {".", 0},
        {"1,5", 0},          {"--1", 0},
        {"1.2.3", 0},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_price(stow_gce_float(stow_str_of(cases[i].text)), cases[i].value);
    assert_true(isnan(stow_gce_float(STOW_STR("NaN"))));
}

static void a_fraction_of_absurd_length_is_none(void **ctx)
{
    char *digits = load_repeat("1", 5000);

    (void)ctx;
    assert_price(stow_gce_float(stow_str_of(digits)), 0);
    free(digits);
}

static void whole_numbers_are_read_as_go_reads_them(void **ctx)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"7", 7},
        {"+5", 5},
        {"-7", -7},
        {"007", 7},
        {"", 0},
        {"+", 0},
        {"-", 0},
        {"1_000", 0},
        {"0x10", 0},
        {"1e3", 0},
        {"99999999999999999999", INT64_MAX},
        {"-99999999999999999999", INT64_MIN},
        {"99999999999999999999x", 0},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_true(stow_gce_int(stow_str_of(cases[i].text)) == cases[i].value);
}

/* ---- money ------------------------------------------------------------------------------- */

static void money_is_rounded_once_half_to_even(void **ctx)
{
    (void)ctx;
    assert_true(stow_nano_of_double(0.1) == 100000000);
    assert_true(stow_nano_of_double(0.3938888888888889) == 393888889);
    assert_true(stow_nano_of_double(1.0 / 1024) == 976562); /* 976562.5 */
    assert_true(stow_nano_of_double(3.0 / 1024) == 2929688);
    assert_true(stow_nano_of_double(-1.0 / 1024) == -976562);
    /* 0.5 and a bit less: times 10^9 it would round to the half and then up. */
    assert_true(stow_nano_of_double(nextafter(3.0 / 1024, 0)) == 2929687);
    assert_true(stow_nano_of_double(0) == 0);
    assert_true(stow_nano_of_double(-0.0) == 0);
    assert_true(stow_nano_of_double(5e-324) == 0);
    assert_true(stow_nano_of_double(9e9) == 9000000000000000000);
}

static void what_is_no_money_is_unknown(void **ctx)
{
    (void)ctx;
    assert_true(stow_nano_of_double(1e10) == STOW_MONEY_UNKNOWN);
    assert_true(stow_nano_of_double(-1e10) == STOW_MONEY_UNKNOWN);
    assert_true(stow_nano_of_double(INFINITY) == STOW_MONEY_UNKNOWN);
    assert_true(stow_nano_of_double(NAN) == STOW_MONEY_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_machine_costs_what_the_table_says_and_its_boot_disk),
        cmocka_unit_test(only_the_word_true_makes_a_machine_preemptible),
        cmocka_unit_test(the_stable_label_goes_before_the_old_one),
        cmocka_unit_test(an_unknown_machine_costs_its_size_at_the_rates_of_its_family),
        cmocka_unit_test(an_unknown_machine_pays_for_its_disk_twice),
        cmocka_unit_test(discounts_of_unknown_machines_are_the_family_s_or_the_base_one),
        cmocka_unit_test(boot_disks_have_a_size_and_a_type),
        cmocka_unit_test(local_disks_are_counted_by_an_annotation),
        cmocka_unit_test(devices_cost_what_their_label_says),
        cmocka_unit_test(the_autoscaler_s_annotations_are_kept_without_asking),
        cmocka_unit_test(a_type_has_a_family_before_its_first_dash),
        cmocka_unit_test(tables_are_whole_and_in_order),
        cmocka_unit_test(every_listed_machine_is_found),
        cmocka_unit_test(a_pod_costs_what_it_asks_for),
        cmocka_unit_test(storage_of_pods_costs_as_much_as_a_balanced_disk),
        cmocka_unit_test(requests_follow_the_scheduler_s_rule),
        cmocka_unit_test(fractions_are_read_as_go_reads_them),
        cmocka_unit_test(a_fraction_of_absurd_length_is_none),
        cmocka_unit_test(whole_numbers_are_read_as_go_reads_them),
        cmocka_unit_test(money_is_rounded_once_half_to_even),
        cmocka_unit_test(what_is_no_money_is_unknown),
    };

    return cmocka_run_group_tests_name("price/gce", tests, NULL, NULL);
}
