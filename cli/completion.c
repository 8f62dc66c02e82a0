/* completion.c - `stowage completion SHELL`, from the tables of the verbs.
 *
 * The code that a shell loads is complete in itself and never calls the command
 * back: completing costs no process, and an old script cannot confuse a new
 * command.  Each shell has a file of its own; what they share is here. */
#include "cli/completion.h"

#include "cli/builtin.h"

static void visit_below(struct stow_cli *at, struct stow_cli_buf *out,
                        void (*visit)(const struct stow_cli *at, struct stow_cli_buf *out))
{
    const struct stow_verb *parent = stow_cli_verb(at), *child;

    visit(at, out);
    if (at->depth == STOW_VERB_DEPTH)
        return;
    for (uint32_t i = 0; (child = stow_cli_child(at, parent, i)); i++) {
        if (child->hidden)
            continue;
        at->path[at->depth++] = child;
        visit_below(at, out, visit);
        at->depth--;
    }
}

void stow_cli_each_path(const struct stow_cli *cli, struct stow_cli_buf *out,
                        void (*visit)(const struct stow_cli *at, struct stow_cli_buf *out))
{
    struct stow_cli at = {.verbs = cli->verbs};

    visit_below(&at, out, visit);
}

void stow_cli_path_key(const struct stow_cli *cli, struct stow_cli_buf *out)
{
    for (uint32_t i = 0; i < cli->depth; i++)
        stow_cli_buf_printf(out, "%s%s", i ? "/" : "", cli->path[i]->name);
}

void stow_cli_single_quoted(struct stow_cli_buf *out, const char *text, char shell)
{
    for (; *text; text++) {
        if (*text == '\'')
            stow_cli_buf_text(out, shell == 'f' ? "\\'" : "'\\''");
        else if (*text == '\\' && shell == 'f')
            stow_cli_buf_text(out, "\\\\");
        else
            stow_cli_buf_char(out, *text);
    }
}

void stow_cli_choice_words(struct stow_cli_buf *out, struct stow_cli_str choices)
{
    struct stow_cli_str one;

    for (bool first = true; stow_cli_next_choice(&choices, &one); first = false) {
        if (!first)
            stow_cli_buf_char(out, ' ');
        stow_cli_buf_add(out, one);
    }
}

bool stow_cli_is_list(const struct stow_option *option)
{
    return option->argument && strchr(option->argument, ',');
}

bool stow_cli_has_words(const struct stow_option *option)
{
    return option->choices || option->offers;
}

void stow_cli_option_words(struct stow_cli_buf *out, const struct stow_option *option)
{
    stow_cli_choice_words(out, stow_cli_str_of(option->choices));
    for (uint32_t i = 0; option->offers && option->offers[i]; i++)
        stow_cli_buf_printf(out, "%s%s", i ? " " : "", option->offers[i]);
}

void stow_cli_verb_words(struct stow_cli_buf *out, const struct stow_cli *cli,
                         const struct stow_verb *parent)
{
    const struct stow_verb *child;
    const char *blank = "";

    for (uint32_t i = 0; (child = stow_cli_child(cli, parent, i)); i++) {
        if (child->hidden)
            continue;
        stow_cli_buf_printf(out, "%s%s", blank, child->name);
        blank = " ";
    }
}

struct stow_cli_offers stow_cli_offers(const struct stow_verb *verb)
{
    const char *rest = verb && verb->arguments ? verb->arguments : "";
    struct stow_cli_offers offers = {0};
    struct stow_cli_word word;

    while (stow_cli_next_word(&rest, &word)) {
        if (memchr(word.name.ptr, '|', word.name.len))
            offers.choices = word.name;
        offers.paths |= stow_cli_is_path(word.name);
        offers.verbs |= stow_cli_str_is(word.name, "VERB");
    }
    return offers;
}

int stow_cli_run_completion(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf text = {0};
    const char *shell = cli->argument[0];

    if (strcmp(shell, "bash") == 0)
        stow_cli_complete_bash(cli, &text);
    else if (strcmp(shell, "zsh") == 0)
        stow_cli_complete_zsh(cli, &text);
    else
        stow_cli_complete_fish(cli, &text);
    if (text.failed)
        return stow_fail_memory(err);
    return stow_cli_print(cli, stow_cli_buf_str(&text), err);
}

const struct stow_verb stow_verb_completion = {
    .name = "completion",
    .summary = "write a completion script for a shell",
    .arguments = "bash|zsh|fish",
    .description = "Writes a script that completes verbs, options and their values.",
    .examples =
        (const struct stow_example[]){
            {"source <(stowage completion bash)", "in this bash"},
            {"stowage completion zsh > \"${fpath[1]}/_stowage\"", "in every new zsh"},
            {"stowage completion fish > ~/.config/fish/completions/stowage.fish",
             "in every new fish"},
            {0},
        },
};
