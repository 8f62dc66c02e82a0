/* typed.c - what the filters disk-type and network-type have in common. */
#include "place/filters/typed.h"

#include "place/facts.h"
#include "place/profiles/options.h"

static int read_mode(struct stow_cursor *c, void *self)
{
    static const char *const words[] = {"hard", "soft", NULL};

    return stow_option_word(c, words, &((struct stow_typed *)self)->soft);
}

const struct stow_rule_option stow_typed_options[] = {
    {"mode", read_mode, "hard: drop nodes of another type; soft: leave that to the scores"},
    {0},
};

int stow_typed_prepare(const struct stow_typed *self, const struct stow_subject *pod,
                       stow_blob keys, struct stow_typed_prep *ret)
{
    stow_sym wanted = stow_fact(pod->s, keys, pod->pod->labels, pod->pod->annotations);

    if (self->soft || wanted == STOW_NONE || wanted == 0)
        return STOW_PREPARED_SKIP;
    ret->wanted = wanted;
    return STOW_PREPARED;
}

void stow_typed_explain(const struct stow_typed_prep *prep, const struct stow_snapshot *s,
                        const char *text, stow_sym has, struct stow_reasons *ret)
{
    const char *detail = NULL;
    struct stow_str wanted = stow_text(s, prep->wanted);

    if (ret->arena && (has == STOW_NONE || has == 0))
        detail =
            stow_arena_printf(ret->arena, "wants %.*s, the node states none", STOW_FMT(wanted));
    else if (ret->arena)
        detail = stow_arena_printf(ret->arena, "wants %.*s, the node has %.*s", STOW_FMT(wanted),
                                   STOW_FMT(stow_text(s, has)));
    ret->verdict = STOW_UNRESOLVABLE;
    stow_reason_add(ret, text, detail);
}
