/* cmd_snapshot.c - `stowage snapshot`: objects of a running cluster, or of files, in one list. */
#include "cli/cmd_snapshot.h"

#include <string.h>

#include "cli/kubectl.h"

/* Files are taken as they are: nothing of a cluster is asked for. */
static int check_options(struct stow_cli *cli, struct stow_err *err)
{
    static const char *const only[] = {"namespace", "context", "kubeconfig", "kubectl", NULL};

    for (uint32_t i = 0; only[i]; i++)
        if (stow_cli_given(cli, only[i]))
            return stow_fail(err, STOW_EINVAL, "--%s cannot be combined with -f", only[i]);
    return STOW_OK;
}

static int ask(struct stow_cli *cli, const struct stow_kubectl *got, struct stow_err *err)
{
    const struct stow_setting text[] = {
        {.name = "file",
         .value = "kubectl get",
         .text = got->objects.out.ptr,
         .len = got->objects.out.len},
        {.name = "file",
         .value = "kubectl get configmaps",
         .text = got->expander.out.ptr,
         .len = got->expander.out.len},
    };
    const int code = stow_cli_ask_with(cli, text, got->has_expander ? 2 : 1, err);

    if (code == STOW_EPARSE && !err->file[0])
        snprintf(err->hint, sizeof(err->hint),
                 "kubectl found none; check its current context: kubectl config current-context");
    return code;
}

int stow_cli_snapshot(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(stow_kubectl_done) struct stow_kubectl got = {.has_expander = false};

    if (stow_cli_given(cli, "file")) {
        STOW_TRY(check_options(cli, err));
        return stow_cli_ask(cli, err);
    }
    STOW_TRY(stow_kubectl_get(cli, &got, err));
    if (stow_kubectl_namespace(cli))
        stow_cli_warn(cli,
                      "pods of other namespaces are missing: nodes look emptier than they are");
    return ask(cli, &got, err);
}
