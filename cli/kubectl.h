/* kubectl.h - the objects of a running cluster, through kubectl. */
#ifndef STOW_CLI_KUBECTL_H
#define STOW_CLI_KUBECTL_H

#include "cli/cli.h"

/* Asks kubectl (--kubectl, --kubeconfig, --context, --namespace) which kinds the cluster has, gets
 * all objects of those that some verb reads, and adds each text of objects to a list through
 * `take`.  What kubectl cannot get is warned of; an error when it gets nothing. */
int stow_kubectl_get(struct stow_cli *cli,
                     int (*take)(void *ctx, const char *name, struct stow_str text,
                                 struct stow_err *err),
                     void *ctx, struct stow_err *err);

/* The only namespace that is asked for, or NULL: all.  --all-namespaces wins, as with kubectl. */
const char *stow_kubectl_namespace(const struct stow_cli *cli);

#endif
