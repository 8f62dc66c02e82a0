/* verify_text.c - instances and plans as they are read, with one thing changed if asked for. */
#include <stdio.h>

#include "tests/property/verify_instance.h"

static void money(struct stow_buf *to, int64_t amount)
{
    const uint64_t size = amount < 0 ? (uint64_t)-amount : (uint64_t)amount;

    stow_buf_printf(to, "\"%s%llu.%09llu\"", amount < 0 ? "-" : "",
                    (unsigned long long)(size / 1000000000),
                    (unsigned long long)(size % 1000000000));
}

static void place_text(struct stow_buf *to, const struct place *p)
{
    stow_buf_printf(to,
                    "\"spec\":{\"taints\":[%s]},\"status\":{\"allocatable\":{\"cpu\":\"%lldm\","
                    "\"memory\":\"%lldGi\",\"pods\":\"%lld\"",
                    p->tainted ? "{\"key\":\"t\",\"effect\":\"NoSchedule\"}" : "",
                    (long long)p->room[CPU], (long long)p->room[MEMORY], (long long)p->room[SLOTS]);
    if (p->room[GPU])
        stow_buf_printf(to, ",\"nvidia.com/gpu\":\"%lld\"", (long long)p->room[GPU]);
    stow_buf_text(to, "}}");
}

static void group_text(struct stow_buf *to, const struct instance *in, uint32_t g)
{
    stow_buf_printf(to,
                    ",{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\","
                    "\"metadata\":{\"name\":\"g%u\"},\"spec\":{\"minNodes\":%u,",
                    g, in->group[g].min);
    if (in->group[g].max != UINT32_MAX)
        stow_buf_printf(to, "\"maxNodes\":%u,", in->group[g].max);
    if (in->group[g].overhead)
        stow_buf_printf(to, "\"daemonOverhead\":{\"cpu\":\"%lldm\"},",
                        (long long)in->group[g].overhead);
    stow_buf_text(to, "\"pricePerHour\":");
    money(to, in->group[g].price);
    stow_buf_text(to, ",\"feePerNodeHour\":");
    money(to, in->group[g].fee);
    stow_buf_printf(to, ",\"template\":{\"metadata\":{\"labels\":{\"is\":\"g%u\"}},", g);
    place_text(to, &in->group[g].place);
    stow_buf_text(to, "}}}");
}

static void pod_text(struct stow_buf *to, const struct instance *in, uint32_t k, uint32_t i)
{
    static const char *const names[] = {"cpu", "memory", "nvidia.com/gpu"};
    static const char *const units[] = {"m", "Gi", ""};
    bool any = false;

    stow_buf_printf(to,
                    ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"c%u-%u\","
                    "\"namespace\":\"default\",\"labels\":{\"app\":\"c%u\"}},\"spec\":{"
                    "\"priority\":%d,",
                    k, i, k, in->class[k].priority);
    if (in->class[k].selector >= 0)
        stow_buf_printf(to, "\"nodeSelector\":{\"is\":\"g%d\"},", in->class[k].selector);
    if (in->class[k].tolerates)
        stow_buf_text(to, "\"tolerations\":[{\"operator\":\"Exists\"}],");
    stow_buf_text(to, "\"containers\":[{\"name\":\"m\",\"image\":\"i\",");
    if (in->class[k].alone)
        stow_buf_printf(to, "\"ports\":[{\"containerPort\":80,\"hostPort\":%u}],", 8000 + k);
    stow_buf_text(to, "\"resources\":{\"requests\":{");
    for (uint32_t r = 0; r < 3; r++)
        if (in->class[k].need[r]) {
            stow_buf_printf(to, "%s\"%s\":\"%lld%s\"", any ? "," : "", names[r],
                            (long long)in->class[k].need[r], units[r]);
            any = true;
        }
    stow_buf_text(to, "}}}]}}");
}

void instance_text(struct stow_buf *to, const struct instance *in)
{
    stow_buf_text(to, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[{\"apiVersion\":\"v1\","
                      "\"kind\":\"Namespace\",\"metadata\":{\"name\":\"default\"}}");
    for (uint32_t g = 0; g < in->groups; g++)
        group_text(to, in, g);
    for (uint32_t n = 0; n < in->nodes; n++) {
        stow_buf_printf(to,
                        ",{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":"
                        "\"n%u\",\"labels\":{\"kubernetes.io/hostname\":\"n%u\"}},",
                        n, n);
        place_text(to, &in->node[n]);
        stow_buf_char(to, '}');
    }
    for (uint32_t k = 0; k < in->classes; k++)
        for (uint32_t i = 0; i < in->class[k].count; i++)
            pod_text(to, in, k, i);
    stow_buf_text(to, "]}");
}

static bool change_here(struct writing *w, enum change change)
{
    if (w->change != change || w->done)
        return false;
    w->done = true;
    return true;
}

static int64_t off(struct writing *w, enum change change, int64_t amount)
{
    return change_here(w, change) ? amount + 1 : amount;
}

static void pods_of_pattern(struct writing *w, uint32_t pattern)
{
    uint32_t count[CLASSES];
    bool any = false;

    counts_of(pattern, count);
    for (uint32_t k = 0; k < w->in->classes; k++)
        for (uint32_t i = 0; i < count[k]; i++) {
            const uint32_t pod = w->next[k]++;

            if (change_here(w, POD_MISSING))
                continue;
            stow_buf_printf(w->to, "%s\"default/%s%u-%u\"", any ? "," : "",
                            change_here(w, POD_UNKNOWN) ? "x" : "c", k, pod);
            any = true;
            if (change_here(w, POD_TWICE))
                stow_buf_printf(w->to, ",\"default/c%u-%u\"", k, pod);
        }
}

static void new_name(struct writing *w, uint32_t g, uint32_t number)
{
    if (change_here(w, NEW_NAMELESS))
        return;
    if (w->in->nodes && change_here(w, NAME_TAKEN))
        stow_buf_text(w->to, "n0");
    else
        stow_buf_printf(w->to, "g%u-%u", g, number && change_here(w, SAME_NAMES) ? 0 : number);
}

static void new_nodes(struct writing *w)
{
    uint32_t number[GROUPS] = {0};

    for (uint32_t i = 0; i < w->plan->nodes; i++) {
        const uint32_t g = w->plan->node[i].group;

        stow_buf_printf(w->to, "%s{\"name\":\"", i ? "," : "");
        new_name(w, g, number[g]++);
        stow_buf_printf(w->to, "\",\"group\":\"%s%u\",\"pricePerHour\":",
                        change_here(w, GROUP_UNKNOWN) ? "x" : "g", g);
        money(w->to, off(w, PRICE_OFF, instance_price(w->in, g)));
        stow_buf_text(w->to, ",\"pods\":[");
        pods_of_pattern(w, w->plan->node[i].pattern);
        stow_buf_text(w->to, "]}");
    }
}

static void existing_nodes(struct writing *w)
{
    bool any = false;

    for (uint32_t n = 0; n < w->in->nodes; n++) {
        if (!w->plan->on_node[n])
            continue;
        stow_buf_printf(w->to, "%s{\"name\":", any ? "," : "");
        if (change_here(w, NODE_NAMELESS))
            stow_buf_text(w->to, "\"\"");
        else
            stow_buf_printf(w->to, "\"%s%u\"", change_here(w, NODE_UNKNOWN) ? "x" : "n", n);
        stow_buf_text(w->to, ",\"pods\":[");
        pods_of_pattern(w, w->plan->on_node[n]);
        stow_buf_text(w->to, "]}");
        any = true;
    }
}

static void groups(struct writing *w)
{
    bool any = false;

    for (uint32_t g = 0; g < w->in->groups; g++) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < w->plan->nodes; i++)
            count += w->plan->node[i].group == g;
        if (!count)
            continue;
        stow_buf_printf(w->to, "%s{\"group\":\"g%u\",\"from\":0,\"to\":%lld}", any ? "," : "", g,
                        (long long)off(w, SIZE_OFF, count));
        any = true;
    }
}

static void unplaced(struct writing *w)
{
    bool any = false;

    for (uint32_t k = 0; k < w->in->classes; k++)
        for (; w->next[k] < w->in->class[k].count; w->next[k]++) {
            stow_buf_printf(w->to, "%s{\"pod\":\"default/c%u-%u\",\"reasons\":[]}", any ? "," : "",
                            k, w->next[k]);
            any = true;
        }
}

static void classes(struct writing *w)
{
    bool any = false;

    for (uint32_t k = 0; k < w->in->classes; k++) {
        bool first = true;

        if (!w->in->taken[k])
            continue;
        stow_buf_printf(w->to, "%s{\"pods\":[", any ? "," : "");
        any = true;
        for (uint32_t i = 0; i < w->in->class[k].count; i++) {
            if (change_here(w, CLASS_SHORT))
                continue;
            stow_buf_printf(w->to, "%s\"default/c%u-%u\"", first ? "" : ",", k, i);
            first = false;
            if (change_here(w, CLASS_TWICE))
                stow_buf_printf(w->to, ",\"default/c%u-%u\"", k, i);
        }
        stow_buf_char(w->to, ']');
        if (w->change != Y_RAISED) { /* that must be found where it is */
            const bool known = !w->proof->split;

            stow_buf_text(w->to, ",\"pricePerHour\":");
            money(w->to, w->proof->leaf[0].y[k] + (known && change_here(w, CLASS_PRICE_OFF)));
        }
        stow_buf_char(w->to, '}');
    }
}

/* A row of limits; none without a price. */
static void limit(struct writing *w, const char *start, int64_t amount, int64_t price, bool *any)
{
    if (!price)
        return;
    stow_buf_printf(w->to, "%s{%s,\"amount\":%lld,\"pricePerHour\":", *any ? "," : "", start,
                    (long long)off(w, AMOUNT_OFF, amount));
    money(w->to, amount ? off(w, LIMIT_PRICE_OFF, price) : price); /* 0 times a price is 0 */
    stow_buf_char(w->to, '}');
    *any = true;
}

static void group_limits(struct writing *w, const struct leaf *l, bool *any)
{
    char start[64];

    for (uint32_t g = 0; g < w->in->groups; g++) {
        snprintf(start, sizeof(start), "\"limit\":\"maxNodes\",\"group\":\"g%u\"", g);
        limit(w, start, w->in->group[g].max, l->w_max[g], any);
        snprintf(start, sizeof(start), "\"limit\":\"minNodes\",\"group\":\"g%u\"", g);
        limit(w, start, -(int64_t)w->in->group[g].min, l->w_min[g], any);
    }
    for (uint32_t n = 0; n < w->in->nodes; n++) {
        snprintf(start, sizeof(start), "\"limit\":\"node\",\"nodes\":[\"n%u\"]", n);
        if (l->w_node[n] && change_here(w, LIMIT_NAMELESS))
            snprintf(start, sizeof(start), "\"limit\":\"node\",\"nodes\":[\"\"]");
        limit(w, start, 1, l->w_node[n], any);
    }
}

static void limits(struct writing *w, const struct leaf *l, int side)
{
    char start[64];
    bool any = false;

    group_limits(w, l, &any);
    limit(w, "\"limit\":\"nodesTotal\"", (int64_t)w->in->total - w->in->nodes, l->w_total, &any);
    if (l->w_quota) {
        stow_buf_printf(w->to,
                        "%s{\"limit\":\"quota\",\"resource\":\"%s\",\"amount\":\"%lld%s\","
                        "\"pricePerHour\":",
                        any ? "," : "", w->in->of_memory ? "memory" : "cpu",
                        (long long)instance_quota(w->in), w->in->of_memory ? "Mi" : "m");
        money(w->to, l->w_quota);
        stow_buf_char(w->to, '}');
        any = true;
    }
    snprintf(start, sizeof(start), "\"limit\":\"%s\",\"group\":\"g%u\"",
             side == 0 ? "atMost" : "atLeast", w->proof->group);
    if (side >= 0)
        limit(w, start, side == 0 ? (int64_t)w->proof->at : -(int64_t)w->proof->at - 1,
              side == 0 ? l->w_most : l->w_least, &any);
}

static void leaf(struct writing *w, const struct leaf *l, int side)
{
    int64_t more = 0;
    bool any = false;

    stow_buf_text(w->to, "{\"prices\":[");
    for (uint32_t k = 0; k < w->in->classes; k++) {
        if (!w->in->taken[k])
            continue;

        const bool tight = l->y[k] < PRICE_MAX && !plan_leaves_out(w->plan);
        const int64_t raise = tight && change_here(w, Y_RAISED);

        stow_buf_text(w->to, any ? "," : "");
        any = true;
        money(w->to, l->y[k] + raise);
        more += raise * w->in->class[k].count;
    }
    stow_buf_text(w->to, "],\"limits\":[");
    limits(w, l, side);
    stow_buf_text(w->to, "],\"perHour\":");
    money(w->to, off(w, LEAF_OFF, l->value + more));
    stow_buf_char(w->to, '}');
}

static void tree(struct writing *w)
{
    const struct proof *p = w->proof;

    if (!p->split) {
        leaf(w, &p->leaf[0], -1);
        return;
    }
    stow_buf_printf(w->to, "{\"split\":{\"group\":\"g%u\",\"at\":%u},\"le\":", p->group,
                    (uint32_t)off(w, SPLIT_OFF, p->at));
    leaf(w, &p->leaf[0], 0);
    if (!change_here(w, BRANCH_MISSING)) {
        stow_buf_text(w->to, ",\"gt\":");
        leaf(w, &p->leaf[1], 1);
    }
    stow_buf_char(w->to, '}');
}

static void proof(struct writing *w)
{
    const struct proof *p = w->proof;

    stow_buf_text(w->to, ",\"proof\":{\"classes\":[");
    classes(w);
    stow_buf_text(w->to, "],\"tree\":");
    tree(w);
    if (p->has_lift) {
        stow_buf_printf(w->to, ",\"lift\":{\"rule\":\"%s\",",
                        p->reachable ? "reachable" : "common-divisor");
        if (!p->reachable) {
            stow_buf_text(w->to, "\"unit\":");
            money(w->to, off(w, UNIT_OFF, p->unit));
            stow_buf_char(w->to, ',');
        }
        stow_buf_text(w->to, "\"perHour\":");
        money(w->to, off(w, LIFT_OFF, p->lifted));
        stow_buf_char(w->to, '}');
    }
    stow_buf_text(w->to, ",\"resources\":{\"prices\":{\"cpu\":");
    money(w->to, off(w, CORES_OFF, p->core_price));
    stow_buf_text(w->to, ",\"memory\":\"0\"},\"perHour\":");
    money(w->to, off(w, RESOURCES_OFF, p->resources));
    stow_buf_text(w->to, "}}");
}

static void bound(struct writing *w)
{
    const int64_t value = w->proof->lifted > 0 ? w->proof->lifted : 0;
    const int64_t told = off(w, BOUND_OFF, value);
    const bool all = !plan_leaves_out(w->plan) ^ change_here(w, FOR_OFF);

    stow_buf_text(w->to, ",\"bound\":{\"perHour\":");
    money(w->to, told);
    if (value > 0)
        stow_buf_printf(w->to, ",\"gap\":%.7f",
                        (double)(w->plan->cost - value) / (double)value +
                            (change_here(w, GAP_OFF) ? 0.0001 : 0));
    stow_buf_printf(w->to, ",\"method\":\"pattern-lp\",\"for\":\"%s\"}", all ? "all" : "as-many");
    if (!change_here(w, NO_PROOF))
        proof(w);
}

void plan_text(struct writing *w)
{
    stow_buf_text(w->to, "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"ScalePlan\","
                         "\"strategy\":\"optimal\",\"cost\":{\"perHour\":");
    money(w->to, off(w, COST_OFF, w->plan->cost));
    stow_buf_printf(w->to, ",\"currency\":\"%s\"},\"newNodes\":[",
                    change_here(w, CURRENCY_OFF) ? "EUR" : "USD");
    new_nodes(w);
    stow_buf_text(w->to, "],\"existingNodes\":[");
    existing_nodes(w);
    stow_buf_text(w->to, "],\"groups\":[");
    groups(w);
    stow_buf_text(w->to, "],\"unplaced\":[");
    unplaced(w);
    stow_buf_char(w->to, ']');
    bound(w);
    stow_buf_char(w->to, '}');
}
