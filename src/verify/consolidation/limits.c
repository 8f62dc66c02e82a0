/* consolidation_limits.c - whether the steps of a consolidation are as small as it says, and as the
 * options ask.
 *
 * Before the nodes of a step go, no more nodes and no more cost are there than allowed above the
 * beginning; no step moves more pods than allowed; and where there is such a limit, no step leaves
 * a higher cost than there was in the beginning. */
#include "verify/consolidation/limits.h"

static uint32_t share_of(int64_t nano, uint32_t all)
{
    return (uint32_t)(((stow_i128)nano * all + STOW_NANO_PER_UNIT - 1) / STOW_NANO_PER_UNIT);
}

static uint32_t running_pods(const struct stow_snapshot *s)
{
    uint32_t count = 0;

    for (stow_pod_id i = 0; i < s->pods; i++)
        count += stow_pod_counts(&s->pod[i]) && s->pod[i].node != STOW_NONE;
    return count;
}

static void narrow(int64_t *limit, int64_t to)
{
    if (*limit < 0 || to < *limit)
        *limit = to;
}

/* What the options ask for, in numbers of this cluster. */
static void narrow_to(const struct stow_allowance *asked, uint32_t all, int64_t *count,
                      int64_t *money)
{
    switch (asked->kind) {
    case STOW_ALLOW_COUNT:
        narrow(count, asked->amount);
        break;
    case STOW_ALLOW_SHARE:
        narrow(count, share_of(asked->amount, all));
        break;
    case STOW_ALLOW_MONEY:
        narrow(money, asked->amount);
        break;
    case STOW_ALLOW_ANY:
        break;
    }
}

void stow_pace_open(struct stow_pace *pace, const struct stow_audit *a)
{
    const struct stow_told *told = &a->told;
    int64_t none = -1;

    *pace = (struct stow_pace){
        .most_nodes = told->surge_nodes,
        .most_cost = told->surge_cost.given ? told->surge_cost.amount : -1,
        .most_moves = told->moves_per_step,
        .most_in_all = told->moves_all,
    };
    narrow_to(&a->options->surge, a->s->nodes, &pace->most_nodes, &pace->most_cost);
    narrow_to(&a->options->moves, running_pods(a->s), &pace->most_moves, &none);
    narrow_to(&a->options->moves_all, running_pods(a->s), &pace->most_in_all, &none);
    if (pace->most_moves == 0)
        pace->most_moves = 1; /* a share of none */
}

void stow_pace_add(const struct stow_pace *pace, struct stow_audit *a,
                   const struct stow_told_change *step, stow_i128 added)
{
    const int64_t nodes = pace->nodes + step->add.count;
    char is[STOW_MONEY_TEXT], most[STOW_MONEY_TEXT];

    if (pace->most_nodes >= 0 && step->add.count && nodes > pace->most_nodes)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, step->token,
                         "there are %lld more nodes than before at this point, and at most %lld "
                         "are allowed (--max-surge)",
                         (long long)nodes, (long long)pace->most_nodes);
    if (pace->most_cost >= 0 && step->add.count && pace->cost + added > pace->most_cost)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, step->token,
                         "the nodes cost %s per hour more than before at this point, and at most "
                         "%s is allowed (--max-surge)",
                         stow_money_short((stow_nano)(pace->cost + added), is),
                         stow_money_short(pace->most_cost, most));
    if (pace->most_moves >= 0 && step->move.count > pace->most_moves)
        stow_audit_wrong(
            a, STOW_VERIFY_LIMITS, step->token,
            "%u pods move in this step, and at most %lld are allowed (--max-moves-per-step)",
            step->move.count, (long long)pace->most_moves);
}

void stow_pace_end(struct stow_pace *pace, struct stow_audit *a,
                   const struct stow_told_change *step, stow_i128 saving)
{
    pace->nodes += (int64_t)step->add.count - step->remove.count;
    pace->cost -= saving;
    if ((pace->most_nodes >= 0 || pace->most_cost >= 0) && pace->cost > 0)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, step->token,
                         "after this step the nodes cost more than before the first one, and "
                         "--max-surge does not allow that");
}

void stow_pace_close(const struct stow_pace *pace, struct stow_audit *a)
{
    if (pace->most_in_all >= 0 && a->told.moves > pace->most_in_all)
        stow_audit_wrong(
            a, STOW_VERIFY_LIMITS, a->told.moved_token,
            "%u pods move in all steps together, and at most %lld are allowed (--max-moves)",
            a->told.moves, (long long)pace->most_in_all);
}
