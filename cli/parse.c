/* parse.c - the command line against the tables of the verbs.
 *
 * getopt knows neither verbs nor choices nor suggestions, and reorders what it is
 * given; so this walks the words itself, once, from left to right.  A word is an
 * option, the value of one, the name of a verb (while the verb reached so far has
 * verbs below it) or an argument.  Options of a verb are known from its name on;
 * those that all verbs share may stand before it.  Nothing is guessed: an unknown
 * or abbreviated name, a value that is not among the choices and a second value
 * for an option that takes one are errors which say what was meant, if that is
 * clear. */
#include <stdlib.h>

#include "cli/call.h"

#define NAMES_MAX 256 /* options of a verb */

const struct stow_option stow_cli_global_options[] = {
    {.name = "help", .letter = 'h', .help = "show this help"},
    {.name = "quiet", .letter = 'q', .help = "print no warnings"},
    {.name = "color",
     .argument = "WHEN",
     .choices = "auto|always|never",
     .fallback = "auto",
     .help = "use colours in the output"},
    {.name = "no-color", .help = "the same as --color=never"},
    {.name = "version", .help = "show the version"},
    {0},
};

/* The words that are still to be read. */
struct words {
    const char *const *at;
    int left;
};

void stow_cli_done(struct stow_cli *cli)
{
    free(cli->option);
    free((void *)cli->value);
    free((void *)cli->argument);
    for (uint32_t i = 0; i < cli->parts; i++)
        free(cli->part[i]);
    free((void *)cli->part);
    cli->option = NULL;
    cli->part = NULL;
    cli->parts = 0;
    cli->value = cli->argument = NULL;
}

const struct stow_verb *stow_cli_verb(const struct stow_cli *cli)
{
    return cli->depth ? cli->path[cli->depth - 1] : NULL;
}

const struct stow_verb *stow_cli_child(const struct stow_cli *cli, const struct stow_verb *parent,
                                       uint32_t i)
{
    if (!parent)
        return cli->verbs[i].about;
    return parent->verbs && parent->verbs[i].name ? &parent->verbs[i] : NULL;
}

const struct stow_verb *stow_cli_find_verb(const struct stow_cli *cli,
                                           const struct stow_verb *parent, const char *name)
{
    const struct stow_verb *child;

    for (uint32_t i = 0; (child = stow_cli_child(cli, parent, i)); i++)
        if (strcmp(child->name, name) == 0)
            return child;
    return NULL;
}

void stow_cli_path_text(const struct stow_cli *cli, struct stow_cli_buf *out)
{
    stow_cli_buf_text(out, "stowage");
    for (uint32_t i = 0; i < cli->depth; i++)
        stow_cli_buf_printf(out, " %s", cli->path[i]->name);
}

static void hint_help(struct stow_cli *cli)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf path = {0};

    stow_cli_path_text(cli, &path);
    stow_cli_hint(cli, "'%.*s --help' shows the usage", STOW_CLI_FMT(stow_cli_buf_str(&path)));
}

static int fail_verb(struct stow_cli *cli, const char *typed, struct stow_err *err)
{
    const struct stow_verb *parent = stow_cli_verb(cli), *child;
    const char *names[STOW_CLI_VERBS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; (child = stow_cli_child(cli, parent, i)); i++)
        if (!child->hidden && count < STOW_CLI_VERBS_MAX)
            names[count++] = child->name;

    const char *meant = stow_suggest(typed, names, count);

    hint_help(cli);
    if (meant)
        stow_cli_hint(cli, "did you mean '%s'?", meant);
    if (parent)
        return stow_fail(err, STOW_EINVAL, "'%s' is not a verb of '%s'", typed, parent->name);
    return stow_fail(err, STOW_EINVAL, "'%s' is not a verb", typed);
}

static int enter_verb(struct stow_cli *cli, const char *name, struct stow_err *err)
{
    const struct stow_verb *child = stow_cli_find_verb(cli, stow_cli_verb(cli), name);

    if (!child || cli->depth == STOW_VERB_DEPTH)
        return fail_verb(cli, name, err);
    cli->path[cli->depth++] = child;
    return STOW_OK;
}

int stow_cli_find_path(struct stow_cli *cli, uint32_t names, const char *const *name,
                       struct stow_err *err)
{
    cli->depth = 0;
    for (uint32_t i = 0; i < names; i++)
        STOW_TRY(enter_verb(cli, name[i], err));
    return STOW_OK;
}

/* The tables in force, nearest first: of the verb, of the verbs above it, of all. */
static const struct stow_option *table_at(const struct stow_cli *cli, uint32_t i)
{
    static const struct stow_option none[] = {{0}};

    if (i > cli->depth)
        return NULL;
    if (i == cli->depth)
        return stow_cli_global_options;

    const struct stow_option *table = cli->path[cli->depth - 1 - i]->options;

    return table ? table : none;
}

const struct stow_option *stow_cli_next_option(const struct stow_cli *cli,
                                               struct stow_cli_walk *walk)
{
    const struct stow_option *table;

    while ((table = table_at(cli, walk->table))) {
        walk->global = walk->table == cli->depth;
        if (table[walk->row].name)
            return &table[walk->row++];
        walk->table++;
        walk->row = 0;
    }
    return NULL;
}

static const struct stow_option *find_long(const struct stow_cli *cli, struct stow_cli_str name)
{
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};

    while ((option = stow_cli_next_option(cli, &walk)))
        if (stow_cli_str_is(name, option->name) ||
            (option->also && stow_cli_str_is(name, option->also)))
            return option;
    return NULL;
}

static const struct stow_option *find_letter(const struct stow_cli *cli, char letter)
{
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};

    while ((option = stow_cli_next_option(cli, &walk)))
        if (option->letter == letter)
            return option;
    return NULL;
}

static int fail_option(struct stow_cli *cli, struct stow_cli_str name, struct stow_err *err)
{
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};
    const char *names[NAMES_MAX];
    uint32_t count = 0;
    char typed[80];

    while ((option = stow_cli_next_option(cli, &walk)) && count < NAMES_MAX)
        names[count++] = option->name;
    snprintf(typed, sizeof(typed), "%.*s", STOW_CLI_FMT(name));

    const char *meant = stow_suggest(typed, names, count);

    hint_help(cli);
    if (meant)
        stow_cli_hint(cli, "did you mean --%s?", meant);
    else if (!cli->depth)
        stow_cli_hint(cli, "options of a verb come after it: 'stowage help' lists the verbs");
    return stow_fail(err, STOW_EINVAL, "unknown option --%.*s", STOW_CLI_FMT(name));
}

bool stow_cli_next_choice(struct stow_cli_str *rest, struct stow_cli_str *ret)
{
    if (!rest->ptr)
        return false;
    *ret = stow_cli_str_cut(*rest, '|', rest);
    return true;
}

void stow_cli_list_choices(struct stow_cli_buf *out, struct stow_cli_str choices)
{
    struct stow_cli_str rest = choices, one;
    bool first = true;

    while (stow_cli_next_choice(&rest, &one)) {
        if (!first)
            stow_cli_buf_text(out, rest.ptr ? ", " : " or ");
        stow_cli_buf_add(out, one);
        first = false;
    }
}

static int check_choice(struct stow_cli *cli, const char *choices, const char *value,
                        const char *what, struct stow_err *err)
{
    const int code = stow_choice_check(choices, value, what, err);

    if (code == STOW_EINVAL && !err->hint[0])
        hint_help(cli);
    return code;
}

/* Puts the value after the others of its option, so that they stay together. */
static int insert(struct stow_cli *cli, const struct stow_option *option, const char *value,
                  struct stow_err *err)
{
    uint32_t at = cli->given;

    if (stow_cli_reserve(&cli->option, &cli->option_cap, at + 1, sizeof(*cli->option)) < 0 ||
        stow_cli_reserve((void *)&cli->value, &cli->value_cap, at + 1, sizeof(*cli->value)) < 0)
        return stow_fail_memory(err);
    while (at > 0 && cli->option[at - 1].row != option)
        at--;
    if (at == 0)
        at = cli->given;
    for (uint32_t i = cli->given; i > at; i--) {
        cli->option[i] = cli->option[i - 1];
        cli->value[i] = cli->value[i - 1];
    }
    cli->option[at].row = option;
    cli->value[at] = value;
    cli->given++;
    return STOW_OK;
}

/* Takes the next part of a,b,"c,d" off `*rest`: what stands in quotation marks keeps its commas,
 * and two of them are one.  NULL: out of memory. */
static char *next_part(const char **rest)
{
    const char *at = *rest;
    const bool quoted = *at == '"';
    char *part = calloc(strlen(at) + 1, 1), *to = part;

    if (!part)
        return NULL;
    for (at += quoted; *at && (quoted || *at != ','); *to++ = *at++)
        if (quoted && *at == '"' && *++at != '"')
            break;
    *rest = *at == ',' ? at + 1 : NULL;
    return part;
}

static int insert_part(struct stow_cli *cli, const struct stow_option *option, char *part,
                       struct stow_err *err)
{
    if (!part || stow_cli_reserve((void *)&cli->part, &cli->part_cap, cli->parts + 1,
                                  sizeof(*cli->part)) < 0) {
        free(part);
        return stow_fail_memory(err);
    }
    cli->part[cli->parts++] = part;
    return insert(cli, option, part, err);
}

/* Commas separate values, as they do for kubectl. */
static int insert_list(struct stow_cli *cli, const struct stow_option *option, const char *value,
                       struct stow_err *err)
{
    if (!strpbrk(value, ",\""))
        return insert(cli, option, value, err);
    for (const char *rest = value; rest;) {
        char *part = next_part(&rest);

        if (part && !*part) {
            free(part);
            stow_cli_hint(cli,
                          "commas separate files; put a name that contains a comma in quotation "
                          "marks: --%s '\"a,b.yaml\"'",
                          option->name);
            return stow_fail(err, STOW_EINVAL, "option --%s: a file name is empty in '%s'",
                             option->name, value);
        }
        STOW_TRY(insert_part(cli, option, part, err));
    }
    return STOW_OK;
}

static int give(struct stow_cli *cli, const struct stow_option *option, const char *value,
                struct stow_err *err)
{
    bool before = stow_cli_given(cli, option->name);
    char what[80];

    if (before && !option->argument)
        return STOW_OK;
    if (before && !option->repeats) {
        stow_cli_hint(cli, "it takes one value; leave one of them out");
        return stow_fail(err, STOW_EINVAL, "option --%s is given twice: '%s' and '%s'",
                         option->name, stow_cli_value(cli, option->name), value);
    }
    snprintf(what, sizeof(what), "option --%s", option->name);
    if (option->choices && (*value || !option->optional))
        STOW_TRY(check_choice(cli, option->choices, value, what, err));
    return option->commas ? insert_list(cli, option, value, err) : insert(cli, option, value, err);
}

/* A word that can be a value: not an option, unless it is - or a negative number. */
static bool is_value(const char *word)
{
    return word[0] != '-' || word[1] == '\0' || (word[1] >= '0' && word[1] <= '9');
}

/* Whether the next word can only be the value of an option that need not have one: the verb takes
 * no arguments of its own. */
static bool next_is_value(const struct stow_cli *cli, const struct words *words)
{
    const struct stow_verb *verb = stow_cli_verb(cli);

    return words->left > 0 && words->at[0][0] != '-' && verb && !verb->arguments && !verb->verbs;
}

/* The value of an option is what is attached to it, else the next word. */
static int take_value(struct stow_cli *cli, const struct stow_option *option, const char *attached,
                      struct words *words, struct stow_err *err)
{
    if (attached)
        return give(cli, option, attached, err);
    if (!option->argument || (option->optional && !next_is_value(cli, words)))
        return give(cli, option, "", err);
    if (words->left > 0 && is_value(words->at[0])) {
        words->left--;
        return give(cli, option, *words->at++, err);
    }
    hint_help(cli);
    if (words->left > 0)
        stow_cli_hint(cli, "attach a value that begins with -: --%s=%s", option->name,
                      words->at[0]);
    return stow_fail(err, STOW_EINVAL, "option --%s needs an argument %s", option->name,
                     option->argument);
}

static int fail_flag(struct stow_cli *cli, const struct stow_option *option, struct stow_err *err)
{
    hint_help(cli);
    return stow_fail(err, STOW_EINVAL, "option --%s takes no argument", option->name);
}

static int read_long(struct stow_cli *cli, const char *word, struct words *words,
                     struct stow_err *err)
{
    struct stow_cli_str value, name = stow_cli_str_cut(stow_cli_str_of(word + 2), '=', &value);
    const struct stow_option *option = find_long(cli, name);

    if (!option)
        return fail_option(cli, name, err);
    if (value.ptr && !option->argument)
        return fail_flag(cli, option, err);
    return take_value(cli, option, value.ptr, words, err);
}

/* What is attached to a letter, with or without a sign between them; or NULL. */
static const char *attached_to(const char *letter)
{
    if (letter[1] == '=')
        return letter + 2;
    return letter[1] ? letter + 1 : NULL;
}

/* -q, -qf FILE, -fFILE, -f=FILE: letters of flags, then at most one with an argument. */
static int read_letters(struct stow_cli *cli, const char *word, struct words *words,
                        struct stow_err *err)
{
    if (word[2] && find_long(cli, stow_cli_str_of(word + 1))) {
        stow_cli_hint(cli, "did you mean -%s?", word);
        return stow_fail(err, STOW_EINVAL, "a long option needs two dashes: %s", word);
    }
    for (const char *at = word + 1; *at; at++) {
        const struct stow_option *option = find_letter(cli, *at);

        if (!option) {
            hint_help(cli);
            return stow_fail(err, STOW_EINVAL, "unknown option -%c", *at);
        }
        if (option->argument)
            return take_value(cli, option, attached_to(at), words, err);
        if (at[1] == '=')
            return fail_flag(cli, option, err);
        STOW_TRY(give(cli, option, "", err));
    }
    return STOW_OK;
}

static int read_argument(struct stow_cli *cli, const char *word, struct stow_err *err)
{
    const struct stow_verb *verb = stow_cli_verb(cli);

    if (!verb || verb->verbs)
        return enter_verb(cli, word, err);
    if (stow_cli_reserve((void *)&cli->argument, &cli->argument_cap, cli->arguments + 1,
                         sizeof(*cli->argument)) < 0)
        return stow_fail_memory(err);
    cli->argument[cli->arguments++] = word;
    return STOW_OK;
}

static int read_word(struct stow_cli *cli, struct words *words, struct stow_err *err)
{
    const char *word = *words->at++;

    words->left--;
    if (cli->options_ended || word[0] != '-' || word[1] == '\0')
        return read_argument(cli, word, err);
    if (strcmp(word, "--") == 0) {
        cli->options_ended = true;
        return STOW_OK;
    }
    return word[1] == '-' ? read_long(cli, word, words, err) : read_letters(cli, word, words, err);
}

bool stow_cli_next_word(const char **rest, struct stow_cli_word *ret)
{
    const char *at = *rest + strspn(*rest, " ");
    struct stow_cli_str name = {at, strcspn(at, " ")};

    if (!name.len)
        return false;
    *rest = at + name.len;
    *ret = (struct stow_cli_word){.optional = at[0] == '['};
    if (ret->optional)
        name = (struct stow_cli_str){name.ptr + 1, name.len - 2};
    ret->many = name.len > 3 && memcmp(name.ptr + name.len - 3, "...", 3) == 0;
    if (ret->many)
        name.len -= 3;
    ret->name = name;
    return true;
}

bool stow_cli_is_path(struct stow_cli_str argument)
{
    return stow_cli_str_is(argument, "FILE") || stow_cli_str_is(argument, "DIR");
}

static int check_word(struct stow_cli *cli, const struct stow_cli_word *word, const char *value,
                      struct stow_err *err)
{
    char what[80], choices[80];

    if (!memchr(word->name.ptr, '|', word->name.len))
        return STOW_OK;
    snprintf(what, sizeof(what), "'%s'", stow_cli_verb(cli)->name);
    snprintf(choices, sizeof(choices), "%.*s", STOW_CLI_FMT(word->name));
    return check_choice(cli, choices, value, what, err);
}

static int fail_missing(struct stow_cli *cli, const struct stow_cli_word *word,
                        struct stow_err *err)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf names = {0};

    stow_cli_list_choices(&names, word->name);
    hint_help(cli);
    return stow_fail(err, STOW_EINVAL, "'%s' needs an argument: %.*s", stow_cli_verb(cli)->name,
                     STOW_CLI_FMT(stow_cli_buf_str(&names)));
}

/* As many arguments as the verb's `arguments` say, and the right words. */
static int check_arguments(struct stow_cli *cli, struct stow_err *err)
{
    const struct stow_verb *verb = stow_cli_verb(cli);
    const char *rest = verb->arguments ? verb->arguments : "";
    struct stow_cli_word word;
    uint32_t at = 0;

    while (stow_cli_next_word(&rest, &word)) {
        if (at == cli->arguments && !word.optional)
            return fail_missing(cli, &word, err);
        for (bool first = true; at < cli->arguments && (first || word.many); first = false)
            STOW_TRY(check_word(cli, &word, cli->argument[at++], err));
    }
    if (at == cli->arguments)
        return STOW_OK;
    hint_help(cli);
    if (at == 0)
        return stow_fail(err, STOW_EINVAL, "'%s' takes no arguments: '%s'", verb->name,
                         cli->argument[0]);
    return stow_fail(err, STOW_EINVAL, "one argument too many for '%s': '%s'", verb->name,
                     cli->argument[at]);
}

static int fail_no_verb(struct stow_cli *cli, const struct stow_verb *parent, struct stow_err *err)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf names = {0};
    const struct stow_verb *child;

    for (uint32_t i = 0; (child = stow_cli_child(cli, parent, i)); i++)
        if (!child->hidden)
            stow_cli_buf_printf(&names, "%s%s", names.len ? ", " : "", child->name);
    hint_help(cli);
    return stow_fail(err, STOW_EINVAL, "'%s' needs a verb: %.*s", parent->name,
                     STOW_CLI_FMT(stow_cli_buf_str(&names)));
}

int stow_cli_parse(struct stow_cli *cli, int words, const char *const *word, struct stow_err *err)
{
    struct words left = {word, words};

    while (left.left > 0)
        STOW_TRY(read_word(cli, &left, err));
    if (stow_cli_given(cli, "help") || stow_cli_given(cli, "version") || !cli->depth)
        return STOW_OK;

    const struct stow_verb *verb = stow_cli_verb(cli);

    return verb->verbs ? fail_no_verb(cli, verb, err) : check_arguments(cli, err);
}

uint32_t stow_cli_values(const struct stow_cli *cli, const char *option, const char *const **ret)
{
    uint32_t first = 0, count = 0;

    while (first < cli->given && strcmp(cli->option[first].row->name, option) != 0)
        first++;
    while (first + count < cli->given && cli->option[first + count].row == cli->option[first].row)
        count++;
    *ret = count ? cli->value + first : NULL;
    return count;
}

bool stow_cli_given(const struct stow_cli *cli, const char *option)
{
    const char *const *values;

    return stow_cli_values(cli, option, &values) > 0;
}

const char *stow_cli_value(const struct stow_cli *cli, const char *option)
{
    const char *const *values;
    uint32_t count = stow_cli_values(cli, option, &values);

    if (count)
        return values[count - 1];

    const struct stow_option *row = find_long(cli, stow_cli_str_of(option));

    return row ? row->fallback : NULL;
}
