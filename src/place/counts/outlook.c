/* outlook.c - what a rule over several nodes tells nodes apart by. */
#include "place/counts/outlook.h"

#include "place/counts/tally.h"

void stow_outlook_topology(struct stow_outlook *to, const struct stow_topology *topology)
{
    if (topology->straight)
        return; /* nodes differ by what is counted on them, and by nothing else */
    for (uint32_t i = 0; i < to->topologies; i++)
        if (to->topology[i] == topology)
            return;
    to->beyond |= to->topologies == STOW_OUTLOOK_MAX;
    if (!to->beyond)
        to->topology[to->topologies++] = topology;
}

void stow_outlook_counter(struct stow_outlook *to, const struct stow_counter *counter)
{
    if (!counter || !counter->entries)
        return;
    if (!counter->topology->straight) {
        stow_outlook_topology(to, counter->topology);
        return;
    }
    for (uint32_t i = 0; i < to->counters; i++)
        if (to->counter[i] == counter)
            return;
    to->beyond |= to->counters == STOW_OUTLOOK_MAX || counter->crowded;
    if (!to->beyond)
        to->counter[to->counters++] = counter;
}
