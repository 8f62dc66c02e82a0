/* plugin.c - shared libraries with filters and scorers, loaded for one call.
 *
 * This is the only place that loads code, and only what --plugin names: no folder is searched, no
 * variable is read, and the library itself never does it.  A plugin calls the functions of
 * <stowage/rule.h> and <stowage/error.h> in the program that loads it (plugin.list), so it need not
 * be linked with libstowage, and if it is, it gets these and not a second library. */
#include "cli/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef int open_function(struct stow_rules *rules, struct stow_err *err);

/* A name without a slash would be looked for in the folders of the system. */
static int load(const char *file, void **ret, struct stow_err *err)
{
    char *path = realpath(file, NULL);

    if (!path && errno == ENOMEM)
        return stow_fail_memory(err);
    if (!path)
        return stow_fail(err, STOW_EIO, "cannot read the plugin %s: %s", file, strerror(errno));
    *ret = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(path);
    if (*ret)
        return STOW_OK;

    const char *why = dlerror();

    return stow_fail(err, STOW_EIO, "cannot load the plugin %s: %s", file, why ? why : "unknown");
}

static int fail_symbol(struct stow_cli *cli, const char *file, const char *symbol,
                       struct stow_err *err)
{
    stow_cli_hint(cli, "docs/plugins.md shows how to write a plugin");
    return stow_fail(err, STOW_EINVAL, "%s is not a plugin of stowage: it does not define %s", file,
                     symbol);
}

static int check_abi(struct stow_cli *cli, const char *file, const uint32_t *abi,
                     struct stow_err *err)
{
    if (!abi)
        return fail_symbol(cli, file, "stowage_plugin_abi", err);
    if (*abi == STOW_PLUGIN_ABI)
        return STOW_OK;
    stow_cli_hint(cli, "compile the plugin again with the headers of this version");
    return stow_fail(err, STOW_EINVAL,
                     "the plugin %s is of plugin ABI %u; this version of stowage has ABI %u", file,
                     *abi, STOW_PLUGIN_ABI);
}

static int open_plugin(struct stow_cli *cli, const char *file, void *handle,
                       struct stow_rules *rules, struct stow_err *err)
{
    open_function *open;
    void *symbol;
    int code;

    STOW_TRY(check_abi(cli, file, dlsym(handle, "stowage_plugin_abi"), err));
    symbol = dlsym(handle, "stowage_plugin_open");
    if (!symbol)
        return fail_symbol(cli, file, "stowage_plugin_open", err);
    memcpy(&open, &symbol, sizeof(open)); /* C has no cast from one to the other; POSIX has */
    code = open(rules, err);
    if (code < 0 && !err->msg[0])
        stow_fail(err, code, "%s", stow_code_text(code));
    return code < 0 ? stow_wrap(err, code, "plugin %s", file) : STOW_OK;
}

int stow_cli_plugins_load(struct stow_cli *cli, struct stow_cli_plugins *ret, struct stow_err *err)
{
    const char *const *files;
    const uint32_t count = stow_cli_values(cli, "plugin", &files);

    if (!count)
        return STOW_OK;
    ret->handle = calloc(count, sizeof(*ret->handle));
    ret->rules = stow_rules_new();
    if (!ret->handle || !ret->rules)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        STOW_TRY(load(files[i], &ret->handle[ret->count], err));
        ret->count++;
        STOW_TRY(open_plugin(cli, files[i], ret->handle[i], ret->rules, err));
    }
    return STOW_OK;
}

void stow_cli_plugins_done(struct stow_cli_plugins *plugins)
{
    stow_rules_unref(plugins->rules);
    for (uint32_t i = plugins->count; i-- > 0;)
        dlclose(plugins->handle[i]);
    free(plugins->handle);
}
