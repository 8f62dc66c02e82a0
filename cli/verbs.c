/* verbs.c - the verbs of the command, in the order in which help lists them. */
#include "cli/builtin.h"
#include "cli/cli.h"

extern const struct stow_cli_verb stow_verb_consolidate, stow_verb_divide, stow_verb_inspect,
    stow_verb_place, stow_verb_price, stow_verb_scale, stow_verb_snapshot, stow_verb_verify;

/* clang-format off */
const struct stow_cli_verb *const stow_cli_verbs[] = {
    &stow_verb_inspect,
    &stow_verb_place,
    &stow_verb_scale,
    &stow_verb_divide,
    &stow_verb_consolidate,
    &stow_verb_verify,
    &stow_verb_price,
    &stow_verb_snapshot,
    &stow_verb_completion,
    &stow_verb_help,
    &stow_verb_version,
    &stow_verb_man,
    NULL,
};
/* clang-format on */
