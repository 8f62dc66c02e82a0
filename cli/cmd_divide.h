/* cmd_divide.h - what the options of `stowage divide` say, in the words of src/divide. */
#ifndef STOW_CLI_CMD_DIVIDE_H
#define STOW_CLI_CMD_DIVIDE_H

#include "cli/cluster.h"
#include "divide/answer.h"
#include "divide/roster.h"

/* Everything the options name, and what they were read from.  Zeroed is valid. */
struct stow_cli_dividing {
    struct stow_cli_cluster fleet;
    struct stow_roster roster; /* of --cluster */
    struct stow_divide_policy policy;
    struct stow_divide_costs *costs;
    struct stow_fleet_options options;
    bool *wanted; /* by binding id, of --workload */
};

/* Reads fleet, prices and policy.  The strategy and what is kept of decisions are left to the
 * caller.  `ret` is zeroed, and valid for done in any case. */
int stow_cli_dividing_open(struct stow_cli *cli, struct stow_cli_dividing *ret,
                           struct stow_err *err);
void stow_cli_dividing_done(struct stow_cli_dividing *dividing);

/* cmd_divide_out.c: whether `-o` asks for objects that others apply, and printing them. */
bool stow_cli_wants_objects(const struct stow_cli *cli);
int stow_cli_print_objects(struct stow_cli *cli, const struct stow_cli_dividing *dividing,
                           const struct stow_fleet_answer *answer, struct stow_err *err);

#endif
