/* hint.c - hints name only options that exist.
 *
 * A hint is often written where several verbs pass, and a verb among them may lack the option that
 * it names.  So every hint is held against the tables of the verb before it is handed out: "--name"
 * must be an option of the verb that was asked, or, after "stowage VERB", of that verb.  Only
 * builds with assertions look, and all tests of wrong input run in one. */
#include "api/hint.h"

#include <stdio.h>
#include <string.h>

#define BETWEEN " `'\"|;,()"

struct reading {
    const struct stow_verb *path[STOW_VERB_DEPTH]; /* of the command that the text quotes */
    uint32_t depth;
    char verb[64]; /* its words so far */
    bool command;  /* right after "stowage" and words of a verb */
};

static void read_word(struct reading *r, const char *word)
{
    const struct stow_verb *path[STOW_VERB_DEPTH];
    char verb[sizeof(r->verb)];
    uint32_t depth;

    snprintf(verb, sizeof(verb), "%.40s%s%.20s", r->verb, r->verb[0] ? " " : "", word);
    depth = stow_verb_path(verb, path);
    r->command = depth > 0;
    if (!depth)
        return;
    memcpy(r->verb, verb, sizeof(verb));
    for (uint32_t i = 0; i < depth; i++)
        r->path[i] = path[i];
    r->depth = depth;
}

static bool has_option(const struct stow_verb *const *path, uint32_t depth, const char *name)
{
    for (uint32_t i = 0; i < depth; i++)
        if (stow_verb_option(path[i], name))
            return true;
    return false;
}

bool stow_hint_names_options(const struct stow_verb *const *path, uint32_t depth, const char *text)
{
    struct reading r = {.depth = 0};
    char word[64];

    if (strncmp(text, STOW_HINT_OTHER_PROGRAM, strlen(STOW_HINT_OTHER_PROGRAM)) == 0)
        return true;
    for (text += strspn(text, BETWEEN); *text; text += strspn(text, BETWEEN)) {
        const size_t len = strcspn(text, BETWEEN);

        snprintf(word, sizeof(word), "%.*s", (int)len, text);
        text += len;
        if (strcmp(word, "stowage") == 0)
            r = (struct reading){.command = true};
        else if (r.command)
            read_word(&r, word);
        if (strncmp(word, "--", 2) != 0)
            continue;
        word[2 + strcspn(word + 2, "=:.")] = '\0';
        if (!has_option(r.depth ? r.path : path, r.depth ? r.depth : depth, word + 2))
            return false;
    }
    return true;
}
