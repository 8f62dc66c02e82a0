/* A plugin of an ABI that there is no longer. */
#include <stowage/rule.h>

STOW_API extern const uint32_t stowage_plugin_abi;
const uint32_t stowage_plugin_abi = 0;
STOW_API int stowage_plugin_open(struct stow_rules *rules, struct stow_err *err);
int stowage_plugin_open(struct stow_rules *rules, struct stow_err *err)
{
    (void)rules;
    return stow_fail(err, STOW_EWRONG, "nobody should call this");
}
