/* prop_pool_labels.c - labels that a NodePool leaves open: new nodes have the values that their
 * pods ask for.
 *
 * Random pools of one machine with random requirements on two labels of their own, and pods that
 * ask for values of them in every way there is.  The reference knows no variants of groups: a node
 * may have every value of a small world of values that the pool admits, and its pods cross values
 * out. */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "tests/property/planned.h"
#include "tests/property/property.h"

#define KEYS     2
#define PODS     8
#define EACH     3  /* pods that a node has room for */
#define NUMBERS  14 /* 0 to 13: beyond all bounds */
#define WORDS    4  /* a, b, c, and one that is named nowhere */
#define LACKS    (NUMBERS + WORDS)
#define WORLD    (LACKS + 1)
#define BOUND    9 /* bounds are below it */
#define SETS_MAX (1u << PODS)

enum form { ABSENT, IN, NOT_IN, EXISTS, NOT_EXISTS, GT, LT, BETWEEN, SELECTS, FORMS };

/* What a pool or a pod asks of one label. */
struct ask {
    enum form form;
    uint32_t value[2], values; /* of the world; bounds */
};

struct made {
    struct stow_buf text;
    struct ask pool[KEYS], pod[PODS][KEYS];
    uint32_t pods;
};

static const char *const keys[KEYS] = {"example.com/tier", "team"};

/* ---- random pools and pods --------------------------------------------------------------- */

static const char *text_of(uint32_t value)
{
    static const char *const texts[LACKS] = {"0", "1",  "2",  "3",  "4",  "5", "6", "7", "8",
                                             "9", "10", "11", "12", "13", "a", "b", "c", "unheard"};

    return texts[value];
}

static uint32_t some_value(struct chance *c)
{
    return chance_one_in(c, 3) ? chance_below(c, BOUND) : NUMBERS + chance_below(c, WORDS - 1);
}

static struct ask some_ask(struct chance *c, const enum form *forms, uint32_t count)
{
    struct ask a = {
        .form = forms[chance_below(c, count)],
        .value = {some_value(c), some_value(c)},
        .values = 1 + chance_below(c, 2),
    };

    if (a.form == SELECTS)
        a.values = 1;
    if (a.form == GT || a.form == LT || a.form == BETWEEN) {
        a.value[0] = 1 + chance_below(c, BOUND - 1); /* below 0 there is no label */
        a.value[1] = a.value[0] + 2 + chance_below(c, 4);
        a.values = 1;
    }
    return a;
}

static void write_expression(struct stow_buf *to, const char *key, const char *op,
                             const uint32_t *value, uint32_t values)
{
    stow_buf_printf(to, "{\"key\":\"%s\",\"operator\":\"%s\"", key, op);
    for (uint32_t i = 0; i < values; i++)
        stow_buf_printf(to, "%s\"%s\"", i ? "," : ",\"values\":[", text_of(value[i]));
    stow_buf_text(to, values ? "]}" : "}");
}

static void write_ask(struct stow_buf *to, const char *key, const struct ask *a)
{
    static const char *const names[FORMS] = {
        [IN] = "In", [NOT_IN] = "NotIn", [EXISTS] = "Exists", [NOT_EXISTS] = "DoesNotExist",
        [GT] = "Gt", [LT] = "Lt",        [BETWEEN] = "Gt",
    };
    const bool bare = a->form == EXISTS || a->form == NOT_EXISTS;

    write_expression(to, key, names[a->form], a->value, bare ? 0 : a->values);
    if (a->form == BETWEEN) {
        stow_buf_char(to, ',');
        write_expression(to, key, "Lt", a->value + 1, 1);
    }
}

static void write_pool(struct made *m)
{
    stow_buf_text(
        &m->text,
        "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":"
        "\"karpenter.sh/v1alpha1\",\"kind\":\"NodeOverlay\",\"metadata\":{\"name\":\"o\"},"
        "\"spec\":{\"requirements\":[{\"key\":\"kubernetes.io/os\",\"operator\":\"In\","
        "\"values\":[\"linux\"]}],\"price\":\"1\"}},{\"apiVersion\":\"karpenter.sh/v1\","
        "\"kind\":\"NodePool\",\"metadata\":{\"name\":\"p\"},\"spec\":{\"template\":"
        "{\"spec\":{\"nodeClassRef\":{\"group\":\"karpenter.k8s.aws\",\"kind\":"
        "\"EC2NodeClass\",\"name\":\"c\"},\"requirements\":[{\"key\":"
        "\"node.kubernetes.io/instance-type\",\"operator\":\"In\",\"values\":"
        "[\"m6i.large\"]},{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\","
        "\"values\":[\"on-demand\"]},{\"key\":\"topology.kubernetes.io/zone\","
        "\"operator\":\"In\",\"values\":[\"us-east-1a\"]}");
    for (uint32_t k = 0; k < KEYS; k++)
        if (m->pool[k].form != ABSENT) {
            stow_buf_char(&m->text, ',');
            write_ask(&m->text, keys[k], &m->pool[k]);
        }
    stow_buf_text(&m->text, "]}}}}");
}

static void write_selector(struct made *m, const struct ask *asks)
{
    const char *before = ",\"nodeSelector\":{";

    for (uint32_t k = 0; k < KEYS; k++)
        if (asks[k].form == SELECTS) {
            stow_buf_printf(&m->text, "%s\"%s\":\"%s\"", before, keys[k],
                            text_of(asks[k].value[0]));
            before = ",";
        }
    stow_buf_text(&m->text, *before == ',' && !before[1] ? "}" : "");
}

static void write_affinity(struct made *m, const struct ask *asks)
{
    const char *before = ",\"affinity\":{\"nodeAffinity\":{\"requiredDuringScheduling"
                         "IgnoredDuringExecution\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[";

    for (uint32_t k = 0; k < KEYS; k++)
        if (asks[k].form != SELECTS && asks[k].form != ABSENT) {
            stow_buf_text(&m->text, before);
            write_ask(&m->text, keys[k], &asks[k]);
            before = ",";
        }
    stow_buf_text(&m->text, before[1] ? "" : "]}]}}}");
}

static void write_pod(struct made *m, uint32_t i)
{
    stow_buf_printf(&m->text,
                    ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%u\"},"
                    "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":"
                    "{\"cpu\":\"600m\"}}}]",
                    i);
    write_selector(m, m->pod[i]);
    write_affinity(m, m->pod[i]);
    stow_buf_text(&m->text, "}}");
}

static void make(struct made *m, struct chance *c)
{
    static const enum form of_pools[] = {ABSENT, IN, IN, NOT_IN, EXISTS, EXISTS, GT, LT, BETWEEN};
    static const enum form of_pods[] = {ABSENT, ABSENT, ABSENT,     SELECTS, SELECTS, IN,
                                        NOT_IN, EXISTS, NOT_EXISTS, GT,      LT,      BETWEEN};

    memset(m, 0, sizeof(*m));
    for (uint32_t k = 0; k < KEYS; k++)
        m->pool[k] = some_ask(c, of_pools, sizeof(of_pools) / sizeof(of_pools[0]));
    write_pool(m);
    m->pods = 1 + chance_below(c, PODS);
    for (uint32_t i = 0; i < m->pods; i++) {
        for (uint32_t k = 0; k < KEYS; k++)
            m->pod[i][k] = some_ask(c, of_pods, sizeof(of_pods) / sizeof(of_pods[0]));
        write_pod(m, i);
    }
    stow_buf_text(&m->text, "]}");
}

/* ---- the reference ----------------------------------------------------------------------- */

static bool is_listed(const struct ask *a, uint32_t value)
{
    return a->value[0] == value || (a->values > 1 && a->value[1] == value);
}

/* Whether a pod accepts a value, by the rules of kube-scheduler. */
static bool accepts(const struct ask *a, uint32_t value)
{
    const bool number = value < NUMBERS;

    switch (a->form) {
    case IN:
    case SELECTS:
        return is_listed(a, value);
    case NOT_IN:
        return !is_listed(a, value);
    case EXISTS:
        return value != LACKS;
    case NOT_EXISTS:
        return value == LACKS;
    case GT:
        return number && value > a->value[0];
    case LT:
        return number && value < a->value[0];
    case BETWEEN:
        return number && value > a->value[0] && value < a->value[1];
    default:
        return true;
    }
}

/* A pool that says nothing of a label gives none; else as a pod would accept it. */
static bool admits(const struct ask *a, uint32_t value)
{
    return a->form == ABSENT ? value == LACKS : accepts(a, value);
}

/* Whether one node could have all pods of a set, as far as labels go. */
static bool go_together(const struct made *m, uint32_t set)
{
    for (uint32_t k = 0; k < KEYS; k++) {
        bool any = false;

        for (uint32_t v = 0; v < WORLD && !any; v++) {
            any = admits(&m->pool[k], v);
            for (uint32_t i = 0; i < m->pods; i++)
                any &= !(set >> i & 1) || accepts(&m->pod[i][k], v);
        }
        if (!any)
            return false;
    }
    return true;
}

static bool fit_together(const struct made *m, uint32_t set)
{
    return __builtin_popcount(set) <= EACH && go_together(m, set);
}

static uint32_t count_hopeless(const struct made *m)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < m->pods; i++)
        count += !go_together(m, 1u << i);
    return count;
}

/* The least number of nodes for all pods that can have one. */
static uint32_t fewest(const struct made *m)
{
    static uint32_t least[SETS_MAX];
    uint32_t all = 0;

    for (uint32_t i = 0; i < m->pods; i++)
        all |= go_together(m, 1u << i) ? 1u << i : 0;
    least[0] = 0;
    for (uint32_t set = 1; set <= all; set++) {
        least[set] = PODS + 1;
        for (uint32_t part = set; part; part = (part - 1) & set)
            if (fit_together(m, part) && least[set & ~part] + 1 < least[set])
                least[set] = least[set & ~part] + 1;
    }
    return least[all];
}

/* Karpenter's rule: each pod goes to the planned node with the fewest pods that will have it. */
static uint32_t plan_slowly(const struct made *m, uint32_t node[PODS])
{
    uint32_t nodes = 0;

    for (uint32_t i = 0; i < m->pods; i++) {
        const uint32_t pod = 1u << i;
        uint32_t at = 0;

        for (uint32_t a = 1; a < nodes; a++) /* a stable sort */
            for (uint32_t b = a;
                 b > 0 && __builtin_popcount(node[b]) < __builtin_popcount(node[b - 1]); b--) {
                const uint32_t kept = node[b];

                node[b] = node[b - 1];
                node[b - 1] = kept;
            }
        while (at < nodes && !fit_together(m, node[at] | pod))
            at++;
        if (at < nodes)
            node[at] |= pod;
        else if (go_together(m, pod))
            node[nodes++] = pod;
    }
    return nodes;
}

/* ---- the same plan ----------------------------------------------------------------------- */

static uint32_t pods_of(const struct stow_plan *plan, struct stow_pod_range range)
{
    uint32_t set = 0;

    for (uint32_t i = 0; i < range.count; i++)
        set |= 1u << atoi(plan->s->pod[plan->pod[range.first + i]].name + 1);
    return set;
}

static bool plans_like_karpenter(const struct made *m, const struct stow_plan *plan)
{
    uint32_t node[PODS];
    const uint32_t nodes = plan_slowly(m, node);

    if (plan->nodes != nodes)
        return property_fails("%u nodes; the reference has %u", plan->nodes, nodes);
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t set = pods_of(plan, plan->node[i].pods);
        bool found = false;

        for (uint32_t n = 0; n < nodes; n++)
            found |= node[n] == set;
        if (!found)
            return property_fails("the reference has no node with the pods %#x", set);
    }
    return true;
}

static bool plans_fewest(const struct made *m, const struct stow_plan *plan)
{
    if (plan->nodes != fewest(m))
        return property_fails("%u nodes; %u will do", plan->nodes, fewest(m));
    for (uint32_t i = 0; i < plan->nodes; i++)
        if (!fit_together(m, pods_of(plan, plan->node[i].pods)))
            return property_fails("node %u has pods that do not go together", i);
    return true;
}

static bool plan_it(const struct made *m, struct stow_snapshot *s, const char *name,
                    bool (*is_right)(const struct made *m, const struct stow_plan *plan))
{
    const struct stow_scale_options options = {0};
    STOW_AUTO(planned_done) struct planned got;

    if (!planned_make(s, &options, name, &got))
        return property_fails("%s: %s", name, got.err.msg);
    if (got.plan.unplaceds != count_hopeless(m))
        return property_fails("%s: %u pods left, %u no node can have", name, got.plan.unplaceds,
                              count_hopeless(m));
    return is_right(m, &got.plan);
}

static bool pods_get_the_labels_they_ask_for(uint64_t seed)
{
    struct chance c = {seed};
    struct made m;
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};
    bool good;

    make(&m, &c);
    good = stow_snapshot_load_text("random.json", m.text.ptr, m.text.len, NULL, &s, &err) >= 0;
    good = good ? plan_it(&m, s, "karpenter", plans_like_karpenter) &&
                      plan_it(&m, s, "optimal", plans_fewest)
                : property_fails("%s", err.msg);
    if (!good && getenv("STOWAGE_TEST_SHOW"))
        property_fails("%s", m.text.ptr);
    stow_snapshot_unref(s);
    stow_buf_done(&m.text);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"pods-get-the-labels-they-ask-for", pods_get_the_labels_they_ask_for, 2000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
