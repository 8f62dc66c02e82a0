/* completion_bash.c - completion code for bash, without the bash-completion package.
 *
 * bash cuts the line into words also at the signs of COMP_WORDBREAKS, = and : among them, and what
 * is offered replaces the part after the last of these signs only.  So the function first joins
 * the parts that touch in the line: then `--name=value` is one word, and `greedy:price` another.
 * It walks the words to find the verb, which offers verbs and files, or options when a dash was
 * typed; unless the word before the cursor is an option that wants a value.  What precedes the
 * last sign is cut off the offers at the end. */
#include "cli/completion.h"

static const char head[] =
    "# bash completion for stowage\n"
    "_stowage()\n"
    "{\n"
    "    local IFS=$' \\t\\n' line=${COMP_LINE:0:COMP_POINT} word=() cur prev list= before= i\n"
    "    local path= words= options= files=\n"
    "\n"
    "    COMPREPLY=()\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        if [[ $i == 0 || $line == [[:space:]]* ]]; then\n"
    "            line=${line#\"${line%%[![:space:]]*}\"}\n"
    "            word+=('')\n"
    "        fi\n"
    "        [[ $i == \"$COMP_CWORD\" ]] && COMP_WORDS[i]=$line\n"
    "        word[${#word[@]}-1]+=${COMP_WORDS[i]}\n"
    "        line=${line#\"${COMP_WORDS[i]}\"}\n"
    "    done\n"
    "    cur=${word[${#word[@]}-1]} prev=${word[${#word[@]}-2]}\n"
    "    if [[ $cur == --*=* || $cur == -[!-]=* ]]; then\n"
    "        prev=${cur%%=*} cur=${cur#*=}\n"
    "    fi\n"
    "    for ((i = 1; i < ${#word[@]} - 1; i++)); do\n"
    "        case \"$path/${word[i]}\" in\n";

static const char middle[] = "        esac\n"
                             "    done\n"
                             "    case \"$path\" in\n";

static const char values[] = "    esac\n"
                             "    if [[ $cur == -* ]]; then\n"
                             "        words=$options files=\n"
                             "    fi\n"
                             "    case \"$path $prev\" in\n";

static const char tail[] =
    "    esac\n"
    "    if [[ $list && $cur == *,* ]]; then\n"
    "        before=${cur%,*},\n"
    "        cur=${cur##*,}\n"
    "    fi\n"
    "    if [[ $files ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        IFS=$'\\n'\n"
    "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
    "    else\n"
    "        COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"$cur\"))\n"
    "    fi\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "    cur=$before$cur\n"
    "    for i in = :; do\n"
    "        if [[ $COMP_WORDBREAKS == *$i* && $cur == *$i* ]]; then\n"
    "            before=${cur%\"${cur##*$i}\"}\n"
    "            cur=${cur#\"$before\"}\n"
    "            COMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
    "        fi\n"
    "    done\n"
    "}\n"
    "complete -F _stowage stowage\n";

/* "/price) path='price' ;;" */
static void add_step(const struct stow_cli *at, struct stow_cli_buf *out)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf key = {0};

    if (!at->depth)
        return;
    stow_cli_path_key(at, &key);
    stow_cli_buf_printf(out, "        '%s%.*s') path='%.*s' ;;\n", at->depth == 1 ? "/" : "",
                        STOW_CLI_FMT(stow_cli_buf_str(&key)), STOW_CLI_FMT(stow_cli_buf_str(&key)));
    out->failed |= key.failed;
}

static void add_value(struct stow_cli_buf *out, struct stow_cli_str key,
                      const struct stow_option *option)
{
    stow_cli_buf_text(out, "    ");
    if (option->letter)
        stow_cli_buf_printf(out, "'%.*s -%c' | ", STOW_CLI_FMT(key), option->letter);
    if (option->also)
        stow_cli_buf_printf(out, "'%.*s --%s' | ", STOW_CLI_FMT(key), option->also);
    stow_cli_buf_printf(out, "'%.*s --%s') ", STOW_CLI_FMT(key), option->name);
    if (option->optional) /* the next word may as well be another option */
        stow_cli_buf_text(out, "[[ $cur == -* ]] || ");
    stow_cli_buf_text(out, "words='");
    stow_cli_option_words(out, option);
    stow_cli_buf_text(out, stow_cli_is_path(stow_cli_str_of(option->argument)) ? "' files=yes"
                                                                               : "' files=");
    stow_cli_buf_text(out, stow_cli_is_list(option) ? " list=yes ;;\n" : " ;;\n");
}

/* Options whose value is the next word, or may be. */
static void add_values(const struct stow_cli *at, struct stow_cli_buf *out)
{
    STOW_AUTO(stow_cli_buf_done) struct stow_cli_buf key = {0};
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};

    stow_cli_path_key(at, &key);
    while ((option = stow_cli_next_option(at, &walk)))
        if (option->argument && (!option->optional || stow_cli_has_words(option)))
            add_value(out, stow_cli_buf_str(&key), option);
    out->failed |= key.failed;
}

static void add_options(const struct stow_cli *at, struct stow_cli_buf *out)
{
    const struct stow_option *option;
    struct stow_cli_walk walk = {0};

    stow_cli_buf_text(out, " options='");
    for (bool first = true; (option = stow_cli_next_option(at, &walk)); first = false) {
        stow_cli_buf_printf(out, "%s--%s", first ? "" : " ", option->name);
        if (option->also)
            stow_cli_buf_printf(out, " --%s", option->also);
    }
    stow_cli_buf_char(out, '\'');
}

/* What can come after a verb: verbs below it, words or files; and its options. */
static void add_words(const struct stow_cli *at, struct stow_cli_buf *out)
{
    const struct stow_verb *verb = stow_cli_verb(at);
    struct stow_cli_offers offers = stow_cli_offers(verb);

    stow_cli_buf_text(out, "    '");
    stow_cli_path_key(at, out);
    stow_cli_buf_text(out, "') words='");
    stow_cli_verb_words(out, at, offers.verbs ? NULL : verb);
    stow_cli_choice_words(out, offers.choices);
    stow_cli_buf_text(out, offers.paths ? "' files=yes" : "'");
    add_options(at, out);
    stow_cli_buf_text(out, " ;;\n");
}

void stow_cli_complete_bash(const struct stow_cli *cli, struct stow_cli_buf *out)
{
    stow_cli_buf_text(out, head);
    stow_cli_each_path(cli, out, add_step);
    stow_cli_buf_text(out, middle);
    stow_cli_each_path(cli, out, add_words);
    stow_cli_buf_text(out, values);
    stow_cli_each_path(cli, out, add_values);
    stow_cli_buf_text(out, tail);
}
