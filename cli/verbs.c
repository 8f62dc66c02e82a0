/* verbs.c - the verbs of the command, in the order in which help lists them: the questions of the
 * library, then the command's own. */
#include "cli/builtin.h"
#include "cli/cli.h"
#include "cli/cmd_snapshot.h"

#define OWN 4

static const struct stow_cli_verb own[OWN] = {
    {&stow_verb_completion, stow_cli_run_completion},
    {&stow_verb_help, stow_cli_run_help},
    {&stow_verb_version, stow_cli_run_version},
    {&stow_verb_man, stow_cli_run_man},
};

const struct stow_cli_verb *stow_cli_verbs(void)
{
    static struct stow_cli_verb all[STOW_CLI_VERBS_MAX];
    const struct stow_verb *verb;
    uint32_t count = 0;

    for (; (verb = stow_verb_at(count)) && count + OWN + 1 < STOW_CLI_VERBS_MAX; count++)
        all[count] = (struct stow_cli_verb){
            verb, strcmp(verb->name, "snapshot") == 0 ? stow_cli_snapshot : stow_cli_ask};
    for (uint32_t i = 0; i < OWN; i++)
        all[count++] = own[i];
    return all;
}
