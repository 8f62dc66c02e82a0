/* A plugin that lacks the function. */
#include <stowage/rule.h>

STOW_API extern const uint32_t stowage_plugin_abi;
const uint32_t stowage_plugin_abi = STOW_PLUGIN_ABI;
