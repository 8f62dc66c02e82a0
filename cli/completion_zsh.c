/* completion_zsh.c - completion code for zsh: one function per verb, each a call of _arguments. */
#include "cli/completion.h"

static const char tail[] = "if [ \"${funcstack[1]}\" = _stowage ]; then\n"
                           "    _stowage \"$@\"\n"
                           "else\n"
                           "    compdef _stowage stowage\n"
                           "fi\n";

/* Help inside '...[here]...': brackets and colons mean something to _arguments. */
static void add_help(struct stow_cli_buf *out, const char *text)
{
    char one[2] = {0};

    for (; *text; text++) {
        if (strchr("[]:\\", *text))
            stow_cli_buf_char(out, '\\');
        one[0] = *text;
        stow_cli_single_quoted(out, one, 's');
    }
}

/* Words among which some wait for more after them (label=): no blank follows these. */
static void add_open_words(struct stow_cli_buf *out, const char *words)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf open = {0}, whole = {0};
    struct stow_cli_str rest = stow_cli_str_of(words);

    while (rest.ptr) {
        const struct stow_cli_str word = stow_cli_str_cut(rest, ' ', &rest);
        const bool is_open = word.len && word.ptr[word.len - 1] == '=';

        stow_cli_buf_printf(is_open ? &open : &whole, " %.*s", STOW_CLI_FMT(word));
    }
    stow_cli_buf_printf(out, "{compadd -S \"\" -%.*s; compadd -%.*s}",
                        STOW_CLI_FMT(stow_cli_buf_str(&open)),
                        STOW_CLI_FMT(stow_cli_buf_str(&whole)));
    out->failed |= open.failed || whole.failed;
}

/* (a b), where a colon would end the words; several of them, separated by commas; or ... */
static void add_words(struct stow_cli_buf *out, const struct stow_option *option)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf words = {0};

    stow_cli_option_words(&words, option);
    stow_cli_buf_char(&words, '\0');
    out->failed |= words.failed;
    if (words.failed)
        return;
    if (stow_cli_is_list(option)) {
        stow_cli_buf_printf(out, "_values -s , value %s", words.ptr);
    } else if (strchr(words.ptr, '=')) {
        add_open_words(out, words.ptr);
    } else {
        stow_cli_buf_char(out, '(');
        add_help(out, words.ptr);
        stow_cli_buf_char(out, ')');
    }
}

static void add_argument(struct stow_cli_buf *out, const struct stow_option *option)
{
    stow_cli_buf_text(out, option->optional ? "::" : ":");
    add_help(out, option->argument);
    stow_cli_buf_char(out, ':');
    if (stow_cli_has_words(option)) {
        add_words(out, option);
    } else {
        stow_cli_buf_text(out,
                          stow_cli_is_path(stow_cli_str_of(option->argument)) ? "_files" : " ");
    }
}

/* One form of an option: '(-o --output)'-o+'[help]:FORMAT:(table wide)' */
static void add_form(struct stow_cli_buf *out, const struct stow_option *option, const char *form)
{
    stow_cli_buf_text(out, " \\\n        '");
    if (option->repeats)
        stow_cli_buf_char(out, '*');
    else if (option->letter)
        stow_cli_buf_printf(out, "(-%c --%s)", option->letter, option->name);
    stow_cli_buf_printf(out, "%s[", form);
    add_help(out, option->help);
    stow_cli_buf_char(out, ']');
    if (option->argument)
        add_argument(out, option);
    stow_cli_buf_char(out, '\'');
}

static void add_long(struct stow_cli_buf *out, const struct stow_option *option, const char *name)
{
    char form[80];

    snprintf(form, sizeof(form), "--%s%s", name,
             option->optional   ? "=-"
             : option->argument ? "="
                                : "");
    add_form(out, option, form);
}

static void add_option(struct stow_cli_buf *out, const struct stow_option *option)
{
    char form[80];

    if (option->letter) {
        snprintf(form, sizeof(form), "-%c%s", option->letter, option->argument ? "+" : "");
        add_form(out, option, form);
    }
    add_long(out, option, option->name);
    if (option->also)
        add_long(out, option, option->also);
}

static void function_name(const struct stow_cli *at, struct stow_cli_buf *out)
{
    stow_cli_buf_text(out, "_stowage");
    for (uint32_t i = 0; i < at->depth; i++)
        stow_cli_buf_printf(out, "_%s", at->path[i]->name);
}

/* The verbs below this one: which there are, and the function that goes on from each. */
static void add_verbs(const struct stow_cli *at, struct stow_cli_buf *out)
{
    const struct stow_verb *parent = stow_cli_verb(at), *child;

    stow_cli_buf_text(out,
                      " \\\n        '1: :->verb' '*:: :->rest'\n    case $state in\n    verb)\n"
                      "        verbs=(\n");
    for (uint32_t i = 0; (child = stow_cli_child(at, parent, i)); i++) {
        if (child->hidden)
            continue;
        stow_cli_buf_printf(out, "            '%s:", child->name);
        stow_cli_single_quoted(out, child->summary, 's');
        stow_cli_buf_text(out, "'\n");
    }
    stow_cli_buf_text(out, "        )\n        _describe verb verbs\n        ;;\n    rest)\n"
                           "        case $words[1] in\n");
    for (uint32_t i = 0; (child = stow_cli_child(at, parent, i)); i++) {
        if (child->hidden)
            continue;
        stow_cli_buf_printf(out, "        %s) ", child->name);
        function_name(at, out);
        stow_cli_buf_printf(out, "_%s ;;\n", child->name);
    }
    stow_cli_buf_text(out, "        esac\n        ;;\n    esac\n");
}

static void add_arguments(const struct stow_cli *at, struct stow_cli_buf *out)
{
    struct stow_cli_offers offers = stow_cli_offers(stow_cli_verb(at));

    if (offers.verbs) {
        stow_cli_buf_text(out, " \\\n        '*:VERB:(");
        stow_cli_verb_words(out, at, NULL);
        stow_cli_buf_text(out, ")'");
    } else if (offers.choices.ptr || offers.paths) {
        stow_cli_buf_text(out, offers.choices.ptr ? " \\\n        '1:word:("
                                                  : " \\\n        '*:FILE:_files");
        stow_cli_choice_words(out, offers.choices);
        stow_cli_buf_text(out, offers.choices.ptr ? ")'" : "'");
    }
    stow_cli_buf_char(out, '\n');
}

static void add_function(const struct stow_cli *at, struct stow_cli_buf *out)
{
    const struct stow_verb *verb = stow_cli_verb(at);
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};

    function_name(at, out);
    stow_cli_buf_text(out,
                      "() {\n    local curcontext=\"$curcontext\" state line\n    local -a verbs\n"
                      "    typeset -A opt_args\n\n    _arguments -C -s");
    while ((option = stow_cli_next_option(at, &walk)))
        add_option(out, option);
    if (!verb || verb->verbs)
        add_verbs(at, out);
    else
        add_arguments(at, out);
    stow_cli_buf_text(out, "}\n\n");
}

void stow_cli_complete_zsh(const struct stow_cli *cli, struct stow_cli_buf *out)
{
    stow_cli_buf_text(out, "#compdef stowage\n# zsh completion for stowage\n\n");
    stow_cli_each_path(cli, out, add_function);
    stow_cli_buf_text(out, tail);
}
