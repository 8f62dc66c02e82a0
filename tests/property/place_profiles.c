/* place_profiles.c - random profiles, as the reference wants them and as documents.
 *
 * Three sorts: a shipped profile, a Policy from nothing, a KubeSchedulerConfiguration.  What the
 * documents leave out is the default that the rules are written down with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/text/tape.h"
#include "tests/property/place_random.h"

#define PICK(c, ...)                                    \
    (((const char *const[]){__VA_ARGS__})[chance_below( \
        (c), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))])

#define KUBE_FILTERS (REF_DEVICES + 1)

/* ---- defaults ---------------------------------------------------------------------------- */

static void set_ties(struct ref_profile *p, bool price, bool input)
{
    p->ties = 0;
    if (input)
        p->tie[p->ties++] = REF_TIE_INPUT;
    if (price) {
        p->tie[p->ties++] = REF_TIE_PRICE;
        p->tie[p->ties++] = REF_TIE_RATE;
    }
    p->tie[p->ties++] = REF_TIE_NAME;
}

static void set_mode(struct ref_ultron *u, enum ref_mode mode)
{
    bool literal = mode == REF_LITERAL || mode == REF_UPSTREAM;

    *u = (struct ref_ultron){
        .mode = mode,
        .pack = !literal,
        .price_over_median = !literal,
        .spot_only = !literal,
        .match = !literal,
        .untyped_zero = !literal,
        .neutral = !literal,
        .clamp = literal ? INFINITY : 1,
        .cap = literal ? INFINITY : 2,
        .alpha = 1,
        .beta = 0.5,
        .gamma = 0.5,
        .delta = 1,
        .epsilon = 1,
        .zeta = 0.8,
        .hours_lost = 0.5,
    };
}

static void set_defaults(struct ref_profile *p)
{
    memset(p, 0, sizeof(*p));
    p->hard_weight = 1;
    set_mode(&p->ultron, REF_CORRECTED);
    set_ties(p, true, false);
}

static void use_kube_filters(struct ref_profile *p)
{
    for (int i = 0; i < KUBE_FILTERS; i++)
        p->filter[i] = true;
}

static void use_scorer(struct ref_profile *p, enum ref_scorer which, double weight)
{
    p->scorer[which] = true;
    p->weight[which] = weight;
}

static void use_kube_scorers(struct ref_profile *p)
{
    use_scorer(p, REF_S_TAINTS, 3);
    use_scorer(p, REF_S_NODE_AFFINITY, 2);
    use_scorer(p, REF_S_SPREAD, 2);
    use_scorer(p, REF_S_POD_AFFINITY, 2);
    use_scorer(p, REF_S_DEVICES, 2);
    use_scorer(p, REF_S_LEAST, 1);
    use_scorer(p, REF_S_BALANCED, 1);
    use_scorer(p, REF_S_IMAGES, 1);
}

/* ---- shipped ----------------------------------------------------------------------------- */

static void use_gpu_cluster(struct ref_profile *p)
{
    use_kube_scorers(p);
    p->scorer[REF_S_LEAST] = p->scorer[REF_S_BALANCED] = false;
    use_scorer(p, REF_S_FIT_PLUS, 1);
    use_scorer(p, REF_S_SCARCE, 5);
    p->fit_plus_corrected = p->scarce_corrected = true;
    p->fit_plus = (struct ref_weights){{{"nvidia.com/gpu", 5, true},
                                        {"amd.com/gpu", 5, true},
                                        {"cpu", 1, false},
                                        {"memory", 1, false}},
                                       4};
    p->scarce = (struct ref_weights){{{"nvidia.com/gpu", 1, false}, {"amd.com/gpu", 1, false}}, 2};
}

static void shipped(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    static const char *const names[] = {"kube-default", "ultron", "cheapest", "gpu-cluster"};
    uint32_t which = chance_below(c, 4);

    use_kube_filters(p);
    if (which == 1 || which == 2) {
        p->filter[REF_STORAGE] = p->filter[REF_DISK_TYPE] = p->filter[REF_NETWORK_TYPE] = true;
        use_scorer(p, REF_S_ULTRON, 1);
        set_mode(&p->ultron, which == 1 ? REF_CORRECTED : REF_ECONOMIC);
    } else if (which == 0) {
        use_kube_scorers(p);
        set_ties(p, false, false);
    } else {
        use_gpu_cluster(p);
    }
    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"Policy\",\"metadata\":"
                    "{\"name\":\"ours\"},\"spec\":{\"profile\":\"%s\"}}",
                    names[which]);
}

/* ---- options, in the words of both kinds of documents ------------------------------------ */

static void write_weights(struct stow_buf *to, const struct ref_weights *list, bool weights)
{
    stow_buf_text(to, "\"resources\":[");
    for (uint32_t i = 0; i < list->count; i++) {
        stow_buf_printf(to, "%s{\"name\":\"%s\"", i ? "," : "", list->item[i].name);
        stow_buf_printf(to, weights ? ",\"weight\":%d}" : ",\"weight\":1}",
                        (int)list->item[i].weight);
    }
    stow_buf_text(to, "]");
}

static void make_weights(struct chance *c, struct ref_weights *ret)
{
    static const char *const names[] = {"cpu", "memory", "nvidia.com/gpu", "ephemeral-storage"};

    ret->count = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (chance_one_in(c, 2))
            ret->item[ret->count++] =
                (struct ref_weight){names[i], 1 + chance_below(c, 5), chance_one_in(c, 2)};
}

/* Koordinator checks nothing: weights below 0 give points far outside 0..100. */
static void make_odd_weights(struct chance *c, struct ref_weights *ret)
{
    for (uint32_t i = 0; i < ret->count; i++)
        ret->item[i].weight = (i % 2 ? -999 : 1000) + (int64_t)chance_below(c, 3) - 1;
}

static void make_shape(struct chance *c, struct ref_profile *p)
{
    p->shape = 1 + chance_below(c, 4);
    for (uint32_t i = 0; i < p->shape; i++) {
        p->shape_x[i] = (int32_t)(i * 25 + chance_below(c, 25));
        p->shape_y[i] = (int32_t)chance_below(c, 11);
    }
}

static void write_shape(struct stow_buf *to, const struct ref_profile *p)
{
    stow_buf_text(to, "\"shape\":[");
    for (uint32_t i = 0; i < p->shape; i++)
        stow_buf_printf(to, "%s{\"utilization\":%d,\"score\":%d}", i ? "," : "", p->shape_x[i],
                        p->shape_y[i]);
    stow_buf_text(to, "]");
}

static void write_fit_plus(struct stow_buf *to, const struct ref_profile *p)
{
    stow_buf_text(to, "\"resources\":{");
    for (uint32_t i = 0; i < p->fit_plus.count; i++)
        stow_buf_printf(to, "%s\"%s\":{\"type\":\"%s\",\"weight\":%d}", i ? "," : "",
                        p->fit_plus.item[i].name,
                        p->fit_plus.item[i].most ? "MostAllocated" : "LeastAllocated",
                        (int)p->fit_plus.item[i].weight);
    stow_buf_text(to, "}");
}

static void make_scarce(struct chance *c, struct ref_profile *p)
{
    static const char *const names[] = {"nvidia.com/gpu", "example.com/fpga", "none.example/x"};

    for (uint32_t i = 0; i < 3; i++)
        if (!chance_one_in(c, 3))
            p->scarce.item[p->scarce.count++] = (struct ref_weight){names[i], 1, false};
}

static void write_scarce_names(struct stow_buf *to, const struct ref_profile *p)
{
    stow_buf_text(to, "\"resources\":[");
    for (uint32_t i = 0; i < p->scarce.count; i++)
        stow_buf_printf(to, "%s\"%s\"", i ? "," : "", p->scarce.item[i].name);
    stow_buf_text(to, "]");
}

static void make_fallbacks(struct chance *c, struct ref_profile *p)
{
    p->listed = chance_one_in(c, 4);
    p->fallbacks = p->listed ? 1 + chance_below(c, 2) : 0;
    for (uint32_t i = 0; i < p->fallbacks; i++)
        p->fallback[i] = (struct ref_default){
            .key = i ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname",
            .max_skew = 1 + (int32_t)chance_below(c, 3),
            .hard = chance_one_in(c, 2),
        };
}

static void write_fallbacks(struct stow_buf *to, const struct ref_profile *p)
{
    stow_buf_text(to, "\"defaultingType\":\"List\",\"defaultConstraints\":[");
    for (uint32_t i = 0; i < p->fallbacks; i++)
        stow_buf_printf(to,
                        "%s{\"topologyKey\":\"%s\",\"maxSkew\":%d,\"whenUnsatisfiable\":\"%s\"}",
                        i ? "," : "", p->fallback[i].key, p->fallback[i].max_skew,
                        p->fallback[i].hard ? "DoNotSchedule" : "ScheduleAnyway");
    stow_buf_text(to, "]");
}

static void write_added(struct stow_buf *to, const struct ref_profile *p)
{
    stow_buf_text(to, "\"addedAffinity\":{");
    if (p->added_required)
        stow_buf_text(to, "\"requiredDuringSchedulingIgnoredDuringExecution\":{"
                          "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"pool\","
                          "\"operator\":\"In\",\"values\":[\"p0\",\"p1\"]}]}]}");
    if (p->added_preferred)
        stow_buf_printf(to,
                        "%s\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":30,"
                        "\"preference\":{\"matchExpressions\":[{\"key\":\"disk\",\"operator\":"
                        "\"Exists\"}]}}]",
                        p->added_required ? "," : "");
    stow_buf_text(to, "}");
}

static void write_ignored(struct stow_buf *to, const struct ref_profile *p)
{
    stow_buf_text(to, "\"ignoredResources\":[");
    if (p->ignored)
        stow_buf_printf(to, "\"%s\"", p->ignored);
    stow_buf_text(to, "],\"ignoredResourceGroups\":[");
    if (p->ignored_group)
        stow_buf_printf(to, "\"%s\"", p->ignored_group);
    stow_buf_text(to, "]");
}

/* What both kinds of documents can say. */
static void make_options(struct chance *c, struct ref_profile *p)
{
    p->ignored = chance_one_in(c, 5) ? "example.com/fpga" : NULL;
    p->ignored_group = chance_one_in(c, 6) ? "nvidia.com" : NULL;
    p->added_required = chance_one_in(c, 8);
    p->added_preferred = chance_one_in(c, 8);
    p->hard_weight = chance_one_in(c, 3) ? chance_below(c, 5) : 1;
    p->ignore_preferred = chance_one_in(c, 8);
    make_fallbacks(c, p);
    make_shape(c, p);
    if (chance_one_in(c, 2))
        make_weights(c, &p->resources);
    if (chance_one_in(c, 3))
        make_weights(c, &p->balanced);
    if (!chance_one_in(c, 4))
        make_weights(c, &p->fit_plus);
    make_scarce(c, p);
}

/* ---- Policies ---------------------------------------------------------------------------- */

static void write_word(struct stow_buf *to, const char *name, const char *word)
{
    stow_buf_printf(to, ",\"%s\":\"%s\"", name, word);
}

static void write_switches(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    struct ref_ultron *u = &p->ultron;

    if (chance_one_in(c, 5))
        write_word(to, "fit", (u->pack = chance_one_in(c, 2)) ? "pack" : "spread");
    if (chance_one_in(c, 5))
        write_word(to, "priceFormula",
                   (u->price_over_median = chance_one_in(c, 2)) ? "price-over-median"
                                                                : "median-over-price");
    if (chance_one_in(c, 2))
        write_word(to, "priceRef",
                   ((const char *const[]){"own-median", "on-demand",
                                          "fleet"})[u->price_ref = chance_below(c, 3)]);
    if (chance_one_in(c, 5))
        write_word(to, "penaltyOn", (u->spot_only = chance_one_in(c, 2)) ? "spot" : "all");
    if (chance_one_in(c, 5))
        write_word(to, "untyped", (u->untyped_zero = chance_one_in(c, 2)) ? "zero" : "equal");
    if (chance_one_in(c, 5))
        write_word(to, "unknown", (u->neutral = chance_one_in(c, 2)) ? "neutral" : "zero");
    if (chance_one_in(c, 5))
        stow_buf_printf(to, ",\"priceClamp\":%g", u->clamp = chance_one_in(c, 2) ? 0.25 : 3);
    if (chance_one_in(c, 5))
        stow_buf_printf(to, ",\"penaltyRatioCap\":%g", u->cap = chance_one_in(c, 2) ? 0.5 : 4);
    if (chance_one_in(c, 4))
        stow_buf_printf(to, ",\"hoursLostPerInterruption\":%g", u->hours_lost = 12.5);
    if (chance_one_in(c, 4))
        stow_buf_printf(to, ",\"weights\":{\"alpha\":%g,\"zeta\":%g}", u->alpha = 1.75,
                        u->zeta = 0.3);
}

/* Filters and ties that a mode of Ultron, or a switch, stands for. */
static void write_hard_switches(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    struct ref_ultron *u = &p->ultron;
    enum ref_mode mode = u->mode;

    p->filter[REF_DISK_TYPE] = p->filter[REF_NETWORK_TYPE] = mode != REF_UPSTREAM;
    p->filter[REF_LIMITS] = mode == REF_LITERAL;
    set_ties(p, mode == REF_CORRECTED || mode == REF_ECONOMIC,
             mode == REF_LITERAL || mode == REF_UPSTREAM);
    if (chance_one_in(c, 3))
        write_word(to, "diskMode",
                   (p->filter[REF_DISK_TYPE] = chance_one_in(c, 2)) ? "hard" : "soft");
    if (chance_one_in(c, 3))
        write_word(to, "networkMode",
                   (p->filter[REF_NETWORK_TYPE] = chance_one_in(c, 2)) ? "hard" : "soft");
    if (chance_one_in(c, 4))
        write_word(to, "fitBasis",
                   (p->filter[REF_LIMITS] = chance_one_in(c, 2)) ? "limits" : "requests");
    if (chance_one_in(c, 4)) {
        uint32_t which = chance_below(c, 3);

        u->match = which == 1;
        u->required = which == 2;
        p->filter[REF_DURABILITY] = u->required;
        write_word(to, "priority", ((const char *const[]){"constant", "match", "required"})[which]);
    }
    if (chance_one_in(c, 4)) {
        set_ties(p, false, false);
        write_word(to, "tie", "name");
    }
}

static void write_ultron(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    static const char *const modes[] = {"literal", "corrected", "upstream", "economic"};

    set_mode(&p->ultron, (enum ref_mode)chance_below(c, 4));
    write_word(to, "mode", modes[p->ultron.mode]);
    write_switches(c, p, to);
    write_hard_switches(c, p, to);
}

static void write_scarce_options(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    stow_buf_text(to, ",");
    p->scarce_corrected = chance_one_in(c, 2);
    if (!p->scarce_corrected || chance_one_in(c, 2)) {
        write_scarce_names(to, p);
    } else {
        stow_buf_text(to, "\"resources\":{");
        for (uint32_t i = 0; i < p->scarce.count; i++)
            stow_buf_printf(to, "%s\"%s\":%d", i ? "," : "", p->scarce.item[i].name,
                            (int)(p->scarce.item[i].weight = 1 + chance_below(c, 4)));
        stow_buf_text(to, "}");
    }
    write_word(to, "rules", p->scarce_corrected ? "corrected" : "upstream");
}

static void write_scorer_options(struct chance *c, struct ref_profile *p, enum ref_scorer which,
                                 struct stow_buf *to)
{
    if (which == REF_S_ULTRON) {
        write_ultron(c, p, to);
    } else if (which == REF_S_FIT_PLUS) {
        stow_buf_text(to, ",");
        p->fit_plus_corrected = chance_one_in(c, 2);
        if (!p->fit_plus_corrected && chance_one_in(c, 3))
            make_odd_weights(c, &p->fit_plus);
        write_fit_plus(to, p);
        write_word(to, "rules", p->fit_plus_corrected ? "corrected" : "upstream");
    } else if (which == REF_S_SCARCE) {
        write_scarce_options(c, p, to);
    } else if (which == REF_S_LEAST || which == REF_S_MOST || which == REF_S_RATIO) {
        stow_buf_text(to, ",");
        write_weights(to, &p->resources, true);
        if (which == REF_S_RATIO) {
            stow_buf_text(to, ",");
            write_shape(to, p);
        }
    } else if (which == REF_S_BALANCED) {
        stow_buf_text(to, ",");
        write_weights(to, &p->balanced, false);
        p->balanced_1_35 = chance_one_in(c, 3);
        write_word(to, "rules", p->balanced_1_35 ? "1.35" : "1.36");
    } else if (which == REF_S_NODE_AFFINITY && p->added_preferred) {
        stow_buf_text(to, ",");
        write_added(to, p);
    } else if (which == REF_S_SPREAD && p->listed) {
        stow_buf_text(to, ",");
        write_fallbacks(to, p);
    } else if (which == REF_S_POD_AFFINITY) {
        stow_buf_printf(to,
                        ",\"hardPodAffinityWeight\":%d,\"ignorePreferredTermsOfExistingPods\":%s",
                        (int)p->hard_weight, p->ignore_preferred ? "true" : "false");
    }
}

static void write_scorers(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    static const double weights[] = {1, 1, 2, 3, 0.5, 20, 1.1};
    bool any = false, whole = chance_one_in(c, 2);

    stow_buf_text(to, "\"scorers\":[");
    for (int i = 0; i < REF_SCORERS; i++) {
        if (!chance_one_in(c, 3) && (any || i + 1 < REF_SCORERS))
            continue;
        use_scorer(p, (enum ref_scorer)i, weights[chance_below(c, whole ? 4 : 7)]);
        stow_buf_printf(to, "%s{\"name\":\"%s\",\"weight\":%g", any ? "," : "", ref_scorer_name[i],
                        p->weight[i]);
        write_scorer_options(c, p, (enum ref_scorer)i, to);
        stow_buf_text(to, "}");
        any = true;
    }
    stow_buf_text(to, "]");
}

static void write_filter_options(struct chance *c, struct ref_profile *p, enum ref_filter which,
                                 struct stow_buf *to)
{
    if (which == REF_FIT) {
        stow_buf_text(to, ",");
        write_ignored(to, p);
    } else if (which == REF_NODE_AFFINITY && p->added_required) {
        stow_buf_text(to, ",");
        write_added(to, p);
    } else if (which == REF_SPREAD && p->listed) {
        stow_buf_text(to, ",");
        write_fallbacks(to, p);
    } else if (which == REF_LIMITS) {
        p->limits_taken = chance_one_in(c, 2);
        write_word(to, "taken", p->limits_taken ? "limits" : "requests");
    } else if (which == REF_MAX_INTERRUPTION) {
        p->max_rate = 100000000;
        stow_buf_text(to, ",\"rate\":0.1");
    } else if (which == REF_MAX_PRICE) {
        p->max_price = 100000000;
        stow_buf_text(to, ",\"perHour\":\"0.1\"");
    }
}

static void write_filters(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    bool any = false;

    stow_buf_text(to, ",\"filters\":[");
    for (int i = 0; i < REF_FILTERS; i++) {
        bool ultrons =
            i == REF_DISK_TYPE || i == REF_NETWORK_TYPE || i == REF_LIMITS || i == REF_DURABILITY;

        if (ultrons && p->scorer[REF_S_ULTRON])
            continue; /* the scorer has set them */
        if (i < KUBE_FILTERS ? chance_one_in(c, 6) : !chance_one_in(c, 5))
            continue;
        p->filter[i] = true;
        stow_buf_printf(to, "%s{\"name\":\"%s\"", any ? "," : "", ref_filter_name[i]);
        write_filter_options(c, p, (enum ref_filter)i, to);
        stow_buf_text(to, "}");
        any = true;
    }
    stow_buf_text(to, "]");
}

static void policy(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    make_options(c, p);
    stow_buf_text(to, "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"Policy\",\"metadata\":"
                      "{\"name\":\"ours\"},\"spec\":{");
    if (chance_one_in(c, 3)) {
        p->has_threshold = true;
        p->threshold = 500;
        stow_buf_text(to, "\"priorityThreshold\":500,");
    }
    write_scorers(c, p, to);
    write_filters(c, p, to);
    if (chance_one_in(c, 4)) {
        set_ties(p, false, true);
        stow_buf_text(to, ",\"tieBreak\":[\"input-order\"]");
    }
    stow_buf_text(to, "}}");
}

/* ---- KubeSchedulerConfigurations --------------------------------------------------------- */

static void write_args(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    static const char *const types[] = {"LeastAllocated", "MostAllocated",
                                        "RequestedToCapacityRatio"};
    uint32_t type = chance_below(c, 3);

    p->scorer[REF_S_LEAST] = false;
    use_scorer(p, (enum ref_scorer)(REF_S_LEAST + type), 1);
    stow_buf_text(to, "\"pluginConfig\":[{\"name\":\"NodeResourcesFit\",\"args\":{");
    write_ignored(to, p);
    stow_buf_printf(to, ",\"scoringStrategy\":{\"type\":\"%s\",", types[type]);
    write_weights(to, &p->resources, true);
    if (type == 2) {
        stow_buf_text(to, ",\"requestedToCapacityRatio\":{");
        write_shape(to, p);
        stow_buf_text(to, "}");
    }
    stow_buf_printf(to,
                    "}}},{\"name\":\"InterPodAffinity\",\"args\":{\"hardPodAffinityWeight\":%d,"
                    "\"ignorePreferredTermsOfExistingPods\":%s}}",
                    (int)p->hard_weight, p->ignore_preferred ? "true" : "false");
    if (p->listed) {
        stow_buf_text(to, ",{\"name\":\"PodTopologySpread\",\"args\":{");
        write_fallbacks(to, p);
        stow_buf_text(to, "}}");
    }
    if (p->added_required || p->added_preferred) {
        stow_buf_text(to, ",{\"name\":\"NodeAffinity\",\"args\":{");
        write_added(to, p);
        stow_buf_text(to, "}}");
    }
    stow_buf_text(to, ",{\"name\":\"NodeResourcesBalancedAllocation\",\"args\":{");
    write_weights(to, &p->balanced, false);
    stow_buf_text(to, "}}");
}

static void write_koordinator_args(struct stow_buf *to, const struct ref_profile *p)
{
    stow_buf_text(to, ",{\"name\":\"NodeResourcesFitPlus\",\"args\":{");
    write_fit_plus(to, p);
    stow_buf_text(to, "}},{\"name\":\"ScarceResourceAvoidance\",\"args\":{");
    write_scarce_names(to, p);
    stow_buf_text(to, "}}");
}

static void write_plugins(struct chance *c, struct ref_profile *p, bool koordinator,
                          struct stow_buf *to)
{
    stow_buf_text(to, "\"plugins\":{\"multiPoint\":{\"disabled\":[");
    if (chance_one_in(c, 4)) {
        stow_buf_text(to, "{\"name\":\"ImageLocality\"}");
        p->scorer[REF_S_IMAGES] = false;
    }
    stow_buf_text(to, "]},\"filter\":{\"disabled\":[");
    if (chance_one_in(c, 4)) {
        stow_buf_text(to, "{\"name\":\"NodePorts\"}");
        p->filter[REF_NODE_PORTS] = false;
    }
    stow_buf_text(to, "]},\"score\":{\"disabled\":[{\"name\":\"TaintToleration\"}],\"enabled\":[");
    p->weight[REF_S_TAINTS] = 1 + chance_below(c, 4);
    stow_buf_printf(to, "{\"name\":\"TaintToleration\",\"weight\":%g}", p->weight[REF_S_TAINTS]);
    if (koordinator) {
        use_scorer(p, REF_S_FIT_PLUS, 1 + chance_below(c, 400));
        use_scorer(p, REF_S_SCARCE, 1 + chance_below(c, 4));
        stow_buf_printf(to,
                        ",{\"name\":\"NodeResourcesFitPlus\",\"weight\":%g},"
                        "{\"name\":\"ScarceResourceAvoidance\",\"weight\":%g}]},\"preScore\":{"
                        "\"enabled\":[{\"name\":\"NodeResourcesFitPlus\"},"
                        "{\"name\":\"ScarceResourceAvoidance\"}",
                        p->weight[REF_S_FIT_PLUS], p->weight[REF_S_SCARCE]);
    }
    stow_buf_text(to, "]}},");
}

static void kube(struct chance *c, struct ref_profile *p, struct stow_buf *to)
{
    bool koordinator = chance_one_in(c, 2);

    make_options(c, p);
    use_kube_filters(p);
    use_kube_scorers(p);
    set_ties(p, false, false);
    stow_buf_text(to, "{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\",\"kind\":"
                      "\"KubeSchedulerConfiguration\",\"profiles\":[{\"schedulerName\":"
                      "\"default-scheduler\",");
    write_plugins(c, p, koordinator, to);
    write_args(c, p, to);
    if (koordinator)
        write_koordinator_args(to, p);
    stow_buf_text(to, "]}]}");
}

/* ---- all of them ------------------------------------------------------------------------- */

void random_profile(struct chance *c, struct ref_profile *ret, struct stow_buf *text)
{
    uint32_t sort = chance_below(c, 8);

    set_defaults(ret);
    if (sort < 2)
        shipped(c, ret, text);
    else if (sort < 6)
        policy(c, ret, text);
    else
        kube(c, ret, text);
}

bool random_profile_read(const struct stow_buf *text, struct stow_profiles *ret)
{
    char *copy = calloc(text->len + STOW_TAPE_PADDING, 1);
    struct stow_tape tape = {0};
    struct stow_cursor c = {0};
    struct stow_err err = {0};
    int code;

    if (!copy)
        abort();
    memcpy(copy, text->ptr, text->len);
    code = stow_tape_open_json(&tape, "profile.json", copy, text->len, &err);
    if (code >= 0) {
        stow_cursor_init(&c, &tape, &err);
        code = stow_profiles_read_document(&c, ret);
        stow_cursor_done(&c);
    }
    stow_tape_done(&tape);
    free(copy);
    return code >= 0 ||
           property_fails("%u: %s in %.*s", err.col, err.msg, (int)text->len, text->ptr);
}
