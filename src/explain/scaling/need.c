/* need.c - what is said when nothing is bought, and how to let a plan buy more.
 *
 * Nothing to buy may be good news, or may mean that the input does not say what can be bought.  The
 * two must not look alike; where something is missing, the answer shows what to give. */
#include <stowage/export.h>

#include "explain/scaling/scaling_internal.h"
#include "explain/words.h"
#include "model/volumes/devices.h"

#define NAMES_SHOWN 4

static bool is_gated(const struct stow_plan *plan, uint32_t number)
{
    return plan->s->pod[plan->unplaced[number].pod].flags & STOW_POD_GATED;
}

static bool awaits_devices(const struct stow_plan *plan, uint32_t number)
{
    return !is_gated(plan, number) &&
           stow_pod_waits_for_devices(plan->s, &plan->s->pod[plan->unplaced[number].pod]);
}

/* Pods that are left and would run if they had a node. */
static uint32_t in_need(const struct stow_plan *plan)
{
    uint32_t pods = 0;

    for (uint32_t i = 0; i < plan->unplaceds; i++)
        pods += !plan->unplaced[i].fits && !is_gated(plan, i) && !awaits_devices(plan, i);
    return pods;
}

/* Pods of which it is not known what they would run on. */
static uint32_t not_simulated(const struct stow_plan *plan)
{
    uint32_t pods = 0;

    for (uint32_t i = 0; i < plan->unplaceds; i++)
        pods += awaits_devices(plan, i);
    return pods;
}

static uint32_t gated_pods(const struct stow_plan *plan)
{
    uint32_t pods = 0;

    for (uint32_t i = 0; i < plan->unplaceds; i++)
        pods += is_gated(plan, i);
    return pods;
}

static bool is_document(const struct stow_group *group)
{
    return !group->implied;
}

static bool can_grow(const struct stow_group *group)
{
    return !group->implied && group->has_fresh;
}

/* Groups that a document named after them would let grow. */
static bool lacks_document(const struct stow_group *group)
{
    return group->implied && group->has_fresh && group->name[0] != '(';
}

static uint32_t count_groups(const struct stow_plan *plan, bool (*is)(const struct stow_group *))
{
    uint32_t count = 0;

    for (stow_group_id i = 0; i < plan->s->groups; i++)
        count += is(&plan->s->group[i]);
    return count;
}

/* What users call what can be bought. */
static const char *group_word(const struct stow_plan *plan)
{
    return plan->s->node_pools ? "offer of a NodePool" : "NodeGroup";
}

/* ---- the first line ---------------------------------------------------------------------- */

static void report_none_needed(struct stow_report *report, const struct stow_plan *plan)
{
    const uint32_t pending = stow_plan_pending(plan), gated = gated_pods(plan),
                   waiting = not_simulated(plan);

    if (waiting)
        stow_report_line(report, STOW_ROLE_HEADING,
                         "What to buy is unknown: %u pending pod%s for devices "
                         "(" STOW_DEVICES_NOT_SIMULATED ")",
                         waiting, waiting == 1 ? " waits" : "s wait");
    else if (pending == 0)
        stow_report_line(report, STOW_ROLE_HEADING, "Nothing to buy: %s",
                         stow_none_pending(plan->s));
    else if (gated)
        stow_report_line(report, STOW_ROLE_HEADING,
                         "Nothing to buy: %u pending pod%s %s scheduling gates", gated,
                         stow_plural(gated), gated == 1 ? "has" : "have");
    else
        stow_report_line(report, STOW_ROLE_HEADING, "Nothing to buy: %s fit%s existing nodes",
                         pending == 1 ? "the pending pod" : "all pending pods",
                         pending == 1 ? "s" : "");
}

void stow_report_nothing(struct stow_report *report, const struct stow_plan *plan)
{
    const uint32_t pods = in_need(plan);
    const char *verb = pods == 1 ? "needs" : "need";

    if (pods == 0)
        report_none_needed(report, plan);
    else if (!count_groups(plan, is_document) && plan->s->node_pools)
        stow_report_line(report, STOW_ROLE_HEADING,
                         "%u pod%s %s a node, but no NodePool has an offer: nothing can be bought",
                         pods, stow_plural(pods), verb);
    else if (!count_groups(plan, is_document))
        stow_report_line(report, STOW_ROLE_HEADING,
                         "%u pod%s %s a node, but no NodeGroup is given: nothing can be bought",
                         pods, stow_plural(pods), verb);
    else if (!count_groups(plan, can_grow))
        stow_report_line(report, STOW_ROLE_HEADING,
                         "%u pod%s %s a node, but no NodeGroup that is given can grow", pods,
                         stow_plural(pods), verb);
    else
        stow_report_line(report, STOW_ROLE_HEADING, "%u pod%s %s a node, and no %s%s takes %s",
                         pods, stow_plural(pods), verb, group_word(plan),
                         plan->lacks_price ? " with a known price" : "", pods == 1 ? "it" : "them");
}

const char *stow_nothing_bought(const struct stow_plan *plan)
{
    if (!in_need(plan))
        return not_simulated(plan) ? "no group grows: the reasons are below"
                                   : "no group has to grow";
    return count_groups(plan, can_grow) ? "no group grows: the reasons are below"
                                        : "no group can grow";
}

/* ---- what to give ------------------------------------------------------------------------ */

/* "a", "a and b", "a, b, c, d and 3 more". */
static void write_names(struct stow_buf *out, const struct stow_plan *plan, uint32_t count)
{
    const uint32_t shown = count <= NAMES_SHOWN ? count : NAMES_SHOWN;
    uint32_t seen = 0;

    for (stow_group_id i = 0; i < plan->s->groups && seen < shown; i++) {
        if (!lacks_document(&plan->s->group[i]))
            continue;
        stow_buf_printf(out, "%s%s",
                        seen == 0                             ? ""
                        : shown == count && seen + 1 == shown ? " and "
                                                              : ", ",
                        plan->s->group[i].name);
        seen++;
    }
    if (count > shown)
        stow_buf_printf(out, " and %u more", count - shown);
}

/* The largest one, of equals the first by name. */
static const char *example_name(const struct stow_plan *plan)
{
    const struct stow_group *best = NULL;

    for (stow_group_id i = 0; i < plan->s->groups; i++) {
        const struct stow_group *group = &plan->s->group[i];

        if (lacks_document(group) && (!best || group->current_nodes > best->current_nodes))
            best = group;
    }
    return best ? best->name : "";
}

static void yaml(struct stow_report *report, const char *line)
{
    stow_report_line(report, STOW_ROLE_PLAIN, "  %s", line);
}

static void yaml_head(struct stow_report *report, const char *name)
{
    yaml(report, "apiVersion: stowage.dev/v1alpha1");
    yaml(report, "kind: NodeGroup");
    stow_report_line(report, STOW_ROLE_PLAIN, "  metadata: {name: \"%s\"}", name);
}

static void report_groups_there(struct stow_report *report, const struct stow_plan *plan,
                                uint32_t count)
{
    STOW_AUTO(stow_buf_done) struct stow_buf names = {0};

    write_names(&names, plan, count);
    report->failed |= names.failed;
    if (count_groups(plan, is_document)) {
        stow_report_line(report, STOW_ROLE_DIM, "%.*s ha%s no NodeGroup and cannot grow",
                         STOW_FMT(stow_buf_str(&names)), count == 1 ? "s" : "ve");
        return;
    }
    stow_report_line(report, STOW_ROLE_PLAIN,
                     "%.*s cannot grow without a NodeGroup; give one with -f, such as",
                     STOW_FMT(stow_buf_str(&names)));
    yaml_head(report, example_name(plan));
    yaml(report, "spec: {maxNodes: 10}");
}

static void report_template(struct stow_report *report)
{
    stow_report_line(report, STOW_ROLE_PLAIN,
                     "a NodeGroup says what can be bought; give one with -f, such as");
    yaml_head(report, "general");
    yaml(report, "spec:");
    yaml(report, "  maxNodes: 10");
    yaml(report, "  template:");
    yaml(report, "    metadata:");
    yaml(report, "      labels:");
    yaml(report, "        node.kubernetes.io/instance-type: m5.xlarge");
    yaml(report, "        topology.kubernetes.io/zone: us-east-1a");
    stow_report_line(report, STOW_ROLE_DIM,
                     "size and price follow from these; for a type that is not in the catalogue, "
                     "give template.status.capacity and pricePerHour");
}

void stow_report_offer(struct stow_report *report, const struct stow_plan *plan)
{
    const uint32_t lacking = count_groups(plan, lacks_document);

    if (!in_need(plan) || (!lacking && count_groups(plan, is_document)) || plan->s->node_pools)
        return;
    if (lacking)
        report_groups_there(report, plan, lacking);
    else
        report_template(report);
}
