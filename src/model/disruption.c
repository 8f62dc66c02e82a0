/* disruption.c - disruption budgets of NodePools, as Karpenter counts them.
 *
 * The smallest of the budgets counts that are active and name the reason or none.  A share of the
 * nodes is rounded up.  A budget with a schedule is active from each of its times on, as long as
 * its duration; one whose schedule cannot be read, or never comes, is always: what is not
 * understood must not let more go. */
#include "model/disruption.h"

#include "model/schedule.h"

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

/* What it allows of so many nodes; STOW_DISRUPTION_ANY: it is not active. */
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
