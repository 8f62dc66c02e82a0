/* disruption.c - disruption budgets of NodePools, as Karpenter counts them.
 *
 * The smallest of the budgets counts that are active and name the reason or none.  A share of the
 * nodes is rounded up.  A budget with a schedule is active from each of its times on, as long as
 * its duration; one whose schedule cannot be read, or never comes, is always: what is not
 * understood must not let more go. */
#include "model/karpenter/disruption.h"

#include "base/int128.h"
#include "model/karpenter/schedule.h"

const char *const stow_disruption_reason_name[STOW_DISRUPTION_REASONS] = {"Empty", "Underutilized",
                                                                          "Drifted"};

static bool applies(const struct stow_snapshot *s, const struct stow_pool_budget *budget,
                    enum stow_disruption_reason reason)
{
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, budget->reasons, stow_sym, &count);

    if (!budget->has_reasons)
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (stow_str_is(stow_text(s, list[i]), stow_disruption_reason_name[reason]))
            return true;
    return false;
}

/* What it allows of this many nodes; STOW_DISRUPTION_ANY: it is not active. */
static int64_t allows(const struct stow_snapshot *s, const struct stow_pool_budget *budget,
                      uint32_t nodes, stow_time now)
{
    struct stow_schedule schedule;

    if (budget->schedule) {
        if (!stow_schedule_parse(stow_text(s, budget->schedule), &schedule))
            return 0;
        if (stow_schedule_next(&schedule, now - budget->duration.seconds) > now)
            return STOW_DISRUPTION_ANY;
    }
    return budget->is_percent ? ((int64_t)budget->number * nodes + 99) / 100 : budget->number;
}

struct stow_disruption stow_disruption_of(const struct stow_snapshot *s, stow_blob budgets,
                                          uint32_t nodes, uint32_t disrupting,
                                          enum stow_disruption_reason reason, stow_time now)
{
    struct stow_disruption ret = {.allowed = STOW_DISRUPTION_ANY};
    uint32_t count;
    const struct stow_pool_budget *list = STOW_LIST(s, budgets, struct stow_pool_budget, &count);

    for (uint32_t i = 0; i < count; i++) {
        const int64_t allowed =
            applies(s, &list[i], reason) ? allows(s, &list[i], nodes, now) : STOW_DISRUPTION_ANY;

        if (allowed >= ret.allowed)
            continue;
        ret.allowed = allowed;
        ret.budget = &list[i];
    }
    ret.remaining = ret.allowed > disrupting ? ret.allowed - disrupting : 0;
    return ret;
}

/* ---- pods -------------------------------------------------------------------------------- */

static int64_t unit_nanos(struct stow_str unit)
{
    static const struct {
        const char *name;
        int64_t nanos;
    } units[] = {{"ns", 1},       {"us", 1000},      {"\xc2\xb5s", 1000}, {"\xce\xbcs", 1000},
                 {"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000},  {"h", 3600000000000}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (stow_str_is(unit, units[i].name))
            return units[i].nanos;
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One number with its unit, off the front of the text; false: it is none. */
static bool take_part(struct stow_str *text, stow_i128 *sum)
{
    stow_i128 digits = 0, scale = 1;
    size_t at = 0, counted = 0, unit;
    bool fraction = false;

    for (; at < text->len && (is_digit(text->ptr[at]) || (text->ptr[at] == '.' && !fraction));
         at++) {
        fraction |= text->ptr[at] == '.';
        if (text->ptr[at] == '.' || counted > 25) /* more than that counts nothing */
            continue;
        digits = digits * 10 + (text->ptr[at] - '0');
        scale *= fraction ? 10 : 1;
        counted++;
    }
    for (unit = at; unit < text->len && !is_digit(text->ptr[unit]) && text->ptr[unit] != '.';)
        unit++;

    const int64_t nanos = unit_nanos((struct stow_str){text->ptr + at, unit - at});

    if (!counted || !nanos || digits / scale > INT64_MAX / nanos)
        return false;
    *sum += digits * nanos / scale;
    *text = (struct stow_str){text->ptr + unit, text->len - unit};
    return true;
}

/* "1h30m", "90s", "-5m", "0": Go's durations, in seconds rounded up. */
static bool parse_duration(struct stow_str text, int64_t *ret)
{
    const bool negative = text.len && text.ptr[0] == '-';
    stow_i128 sum = 0;

    if (text.len && (negative || text.ptr[0] == '+'))
        text = (struct stow_str){text.ptr + 1, text.len - 1};
    *ret = 0;
    if (stow_str_is(text, "0"))
        return true;
    if (!text.len)
        return false;
    while (text.len)
        if (!take_part(&text, &sum) || sum > INT64_MAX)
            return false;
    *ret = (int64_t)(negative ? -(sum / STOW_NANO_PER_UNIT)
                              : (sum + STOW_NANO_PER_UNIT - 1) / STOW_NANO_PER_UNIT);
    return true;
}

bool stow_disruption_forbids(const struct stow_snapshot *s, const struct stow_pod *pod,
                             stow_time now)
{
    const struct stow_str rule = stow_label_text(s, pod->annotations, STOW_DO_NOT_DISRUPT);
    int64_t seconds;
    stow_time start;

    if (!rule.ptr || stow_str_is(rule, "true"))
        return rule.ptr;
    if (!parse_duration(rule, &seconds))
        return false;
    if (!pod->started || !stow_time_parse(stow_text(s, pod->started), &start))
        return true;
    return now - start < seconds;
}

/* ---- what a disruption costs ------------------------------------------------------------- */

#define MOST_EVICTION (10 * STOW_EVICTION) /* and, below 0, the least */

static int64_t clamp(int64_t cost)
{
    return cost > MOST_EVICTION ? MOST_EVICTION : cost < -MOST_EVICTION ? -MOST_EVICTION : cost;
}

int64_t stow_disruption_cost(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    struct stow_str text = stow_label_text(s, pod->annotations, STOW_DISRUPTION_COST);
    int64_t stated = 0;

    if (!text.ptr)
        text = stow_label_text(s, pod->annotations, STOW_POD_DELETION_COST);
    if (!text.ptr || !stow_str_int(text, &stated))
        stated = 0;
    /* 2^27 of the annotation weigh as much as 2^25 of the priority. */
    return clamp(STOW_EVICTION + clamp(stated) + 4 * (int64_t)pod->priority);
}

bool stow_disruption_is_balanced(const struct stow_balance *balance)
{
    return balance->saving > 0 &&
           2 * balance->saving * balance->most >= balance->disrupted * balance->cost;
}

/* ---- nodes ------------------------------------------------------------------------------- */

const struct stow_machine_claim *stow_disruption_claim(const struct stow_snapshot *s,
                                                       stow_node_id node)
{
    for (uint32_t i = 0; i < s->node_claims; i++)
        if (s->node_claim[i].node_name && s->node_claim[i].node_name == s->node[node].symbol)
            return &s->node_claim[i];
    return NULL;
}

bool stow_disruption_is_ready_for(const struct stow_snapshot *s, stow_node_id node)
{
    return stow_str_is(stow_label_text(s, s->node[node].labels, "karpenter.sh/initialized"),
                       "true");
}

stow_time stow_disruption_last_event(const struct stow_machine_claim *claim, stow_time known)
{
    if (claim && claim->last_pod_event != STOW_TIME_ALWAYS)
        return claim->last_pod_event;
    return claim && claim->initialized != STOW_TIME_ALWAYS ? claim->initialized : known;
}
