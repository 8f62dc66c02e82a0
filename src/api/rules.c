/* rules.c - where filters that the asking program brought cannot hold.
 *
 * `place` asks every filter about every node.  The other verbs work out for themselves what pods
 * and nodes have in common, from what the built-in filters look at: which nodes that could be
 * bought are alike, which pods are, and what that proves.  A filter that looks at something else
 * would be asked about one of several that it tells apart.  So they refuse it; to leave it out in
 * silence would be another answer.  Scorers are not used there, ours or others. */
#include <string.h>

#include "api/call.h"
#include "api/cluster.h"

int stow_call_rules_check(struct stow_call *call, const struct stow_profiles *profiles,
                          struct stow_err *err)
{
    const char *verb = call->path[0]->name;

    if (strcmp(verb, "place") == 0)
        return STOW_OK;
    for (uint32_t i = 0; i < profiles->count; i++) {
        const char *filter = stow_profile_custom_filter(&profiles->profile[i]);

        if (!filter)
            continue;
        stow_call_hint(call, "give %s a Policy without it", verb);
        return stow_fail(err, STOW_EINVAL,
                         "profile %s has the filter %s, which is not built in: only place can "
                         "apply it, not %s",
                         profiles->profile[i].name, filter, verb);
    }
    return STOW_OK;
}
