/* limit.c - how many nodes an estimate may add. */
#include "scale/rules/limit.h"

#include "model/snapshot.h"

stow_node_limit stow_limit_min(stow_node_limit base, stow_node_limit target)
{
    if (base < 0 || target < 0)
        return -1;
    if (base == 0 || (target > 0 && target < base))
        return target;
    return base;
}

void stow_size_room_add(struct stow_size_room *room, uint32_t max, uint32_t target)
{
    room->endless |= max == STOW_NONE;
    room->nodes += max > target ? max - target : 0;
}

stow_node_limit stow_limit_of_sizes(const struct stow_size_room *room)
{
    if (room->endless)
        return 0;
    return room->nodes > 0 ? room->nodes : -1;
}

stow_node_limit stow_limit_of_cluster(int64_t total, int64_t current)
{
    if (total == 0)
        return 0;
    return total < 0 || current >= total ? -1 : total - current;
}

void stow_limiter_narrow(struct stow_limiter *limiter, stow_node_limit nodes, int64_t nanoseconds)
{
    limiter->nodes = stow_limit_min(limiter->nodes, nodes);
    limiter->nanoseconds = stow_limit_min(limiter->nanoseconds, nanoseconds);
}

void stow_limiter_start(struct stow_limiter *limiter)
{
    limiter->added = 0;
}

bool stow_limiter_allow(struct stow_limiter *limiter, int64_t elapsed_nanoseconds)
{
    const int64_t nodes = limiter->nodes, time = limiter->nanoseconds;

    if (nodes < 0 || (nodes > 0 && limiter->added >= nodes))
        return false;
    if (time < 0 || (time > 0 && elapsed_nanoseconds > time))
        return false;
    limiter->added++;
    return true;
}
