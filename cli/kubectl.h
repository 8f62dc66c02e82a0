/* kubectl.h - the objects of a running cluster, through kubectl. */
#ifndef STOW_CLI_KUBECTL_H
#define STOW_CLI_KUBECTL_H

#include "cli/cli.h"
#include "cli/program.h"

/* What kubectl has got, as texts of objects.  Zeroed is valid for done. */
struct stow_kubectl {
    struct stow_program objects, expander; /* expander: the one ConfigMap that is read */
    bool has_expander;
};

/* Asks kubectl (--kubectl, --kubeconfig, --context, --namespace) which kinds the cluster has, and
 * gets all objects of those that some verb reads.  What kubectl cannot get is warned of; an error
 * when it gets nothing. */
int stow_kubectl_get(struct stow_cli *cli, struct stow_kubectl *ret, struct stow_err *err);
void stow_kubectl_done(struct stow_kubectl *got);

/* The only namespace that is asked for, or NULL: all.  --all-namespaces wins, as with kubectl. */
const char *stow_kubectl_namespace(const struct stow_cli *cli);

#endif
