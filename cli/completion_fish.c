/* completion_fish.c - completion code for fish: one line per verb and option. */
#include "cli/completion.h"

static const char head[] = "# fish completion for stowage\n"
                           "function __stowage_path\n"
                           "    set -l path\n"
                           "    for word in (commandline -opc)[2..-1]\n"
                           "        switch \"$path/$word\"\n";

static const char middle[] = "        end\n"
                             "    end\n"
                             "    echo $path\n"
                             "end\n"
                             "\n"
                             "function __stowage_at\n"
                             "    set -l path (__stowage_path)\n"
                             "    test \"$path\" = \"$argv[1]\"\n"
                             "end\n"
                             "\n"
                             "# words after those that were typed, separated by commas\n"
                             "function __stowage_list\n"
                             "    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline "
                             "-ct))\n"
                             "    set -l before (string match -r '.*,' -- $typed)\n"
                             "    for word in $argv\n"
                             "        echo \"$before$word\"\n"
                             "    end\n"
                             "end\n"
                             "\n"
                             "complete -c stowage -f\n";

static void add_step(const struct stow_cli *at, struct stow_cli_buf *out)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf key = {0};

    if (!at->depth)
        return;
    stow_cli_path_key(at, &key);
    stow_cli_buf_printf(out, "            case '%s%.*s'\n                set path %.*s\n",
                        at->depth == 1 ? "/" : "", STOW_CLI_FMT(stow_cli_buf_str(&key)),
                        STOW_CLI_FMT(stow_cli_buf_str(&key)));
    out->failed |= key.failed;
}

/* Every line is for one place: the words before the cursor must lead to this verb. */
static void start_line(const struct stow_cli *at, struct stow_cli_buf *out)
{
    stow_cli_buf_text(out, "complete -c stowage -n '__stowage_at \"");
    stow_cli_path_key(at, out);
    stow_cli_buf_text(out, "\"'");
}

static void end_line(struct stow_cli_buf *out, const char *help)
{
    if (help) {
        stow_cli_buf_text(out, " -d '");
        stow_cli_single_quoted(out, help, 'f');
        stow_cli_buf_char(out, '\'');
    }
    stow_cli_buf_char(out, '\n');
}

static void add_option(const struct stow_cli *at, struct stow_cli_buf *out,
                       const struct stow_option *option)
{
    start_line(at, out);
    if (option->letter)
        stow_cli_buf_printf(out, " -s %c", option->letter);
    stow_cli_buf_printf(out, " -l %s", option->name);
    if (option->also)
        stow_cli_buf_printf(out, " -l %s", option->also);
    if (stow_cli_has_words(option)) {
        stow_cli_buf_text(out, option->optional ? " -f -a '" : " -x -a '");
        stow_cli_buf_text(out, stow_cli_is_list(option) ? "(__stowage_list " : "");
        stow_cli_option_words(out, option);
        stow_cli_buf_text(out, stow_cli_is_list(option) ? ")'" : "'");
    } else if (option->argument && !option->optional) {
        stow_cli_buf_text(out,
                          stow_cli_is_path(stow_cli_str_of(option->argument)) ? " -r -F" : " -x");
    }
    end_line(out, option->help);
}

static void add_verbs(const struct stow_cli *at, struct stow_cli_buf *out,
                      const struct stow_verb *parent)
{
    const struct stow_verb *child;

    for (uint32_t i = 0; (child = stow_cli_child(at, parent, i)); i++) {
        if (child->hidden)
            continue;
        start_line(at, out);
        stow_cli_buf_printf(out, " -a %s", child->name);
        end_line(out, child->summary);
    }
}

static void add_words(const struct stow_cli *at, struct stow_cli_buf *out)
{
    const struct stow_verb *verb = stow_cli_verb(at);
    struct stow_cli_offers offers = stow_cli_offers(verb);

    add_verbs(at, out, offers.verbs ? NULL : verb);
    if (!offers.choices.ptr && !offers.paths)
        return;
    start_line(at, out);
    if (offers.choices.ptr) {
        stow_cli_buf_text(out, " -a '");
        stow_cli_choice_words(out, offers.choices);
        stow_cli_buf_char(out, '\'');
    }
    if (offers.paths)
        stow_cli_buf_text(out, " -F");
    end_line(out, NULL);
}

static void add_place(const struct stow_cli *at, struct stow_cli_buf *out)
{
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};

    add_words(at, out);
    while ((option = stow_cli_next_option(at, &walk)))
        add_option(at, out, option);
}

void stow_cli_complete_fish(const struct stow_cli *cli, struct stow_cli_buf *out)
{
    stow_cli_buf_text(out, head);
    stow_cli_each_path(cli, out, add_step);
    stow_cli_buf_text(out, middle);
    stow_cli_each_path(cli, out, add_place);
}
