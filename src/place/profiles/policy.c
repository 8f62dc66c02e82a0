/* policy.c - our own Policy.
 *
 * A Policy changes the profile it starts from: a filter or scorer of the same name
 * is replaced in its place, another is added at the end, `enabled: false` takes
 * one out.  What it starts from is applied first, to the same profile, so that
 * nothing is ever copied; a Policy that is met while it is being applied starts
 * from itself.
 *
 * The order of work is not that of the text: what the scorer `ultron` sets
 * elsewhere (ultron.c) comes before the Policy's own filters and tie-break,
 * which may say otherwise.  Therefore the parts are noted first and read
 * afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/custom/custom.h"
#include "place/profiles/options.h"
#include "place/profiles/profile_internal.h"

#define WEIGHT_MAX 1000000.0

/* ---- the parts of a document ------------------------------------------------------------- */

/* Where the parts of a Policy are. */
struct parts {
    struct stow_place name, spec;
    struct stow_place profile, filters, scorers, tie_break, keys, threshold;
    bool elsewhere; /* has sections for other verbs */
};

#define NOTE(member)                                                \
    static int note_##member(struct stow_cursor *c, void *into)     \
    {                                                               \
        return stow_place_note(c, &((struct parts *)into)->member); \
    }

NOTE(name)
NOTE(spec)
NOTE(profile)
NOTE(filters)
NOTE(scorers)
NOTE(tie_break)
NOTE(keys)
NOTE(threshold)

static int ignore(struct stow_cursor *c, void *into)
{
    (void)into;
    return stow_cursor_skip(c);
}

static int note_elsewhere(struct stow_cursor *c, void *into)
{
    ((struct parts *)into)->elsewhere = true;
    return stow_cursor_skip(c);
}

static int read_metadata(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("name", note_name)};

    return STOW_FIELDS(c, fields, into);
}

static const struct stow_field document_fields[] = {
    STOW_FIELD("apiVersion", ignore),
    STOW_FIELD("kind", ignore),
    STOW_FIELD("metadata", read_metadata),
    STOW_FIELD("spec", note_spec),
};

/* The second half is for other verbs, which look into it. */
static const struct stow_field spec_fields[] = {
    STOW_FIELD("profile", note_profile),
    STOW_FIELD("filters", note_filters),
    STOW_FIELD("scorers", note_scorers),
    STOW_FIELD("tieBreak", note_tie_break),
    STOW_FIELD("keys", note_keys),
    STOW_FIELD("priorityThreshold", note_threshold),
    STOW_FIELD("price", note_elsewhere),
    STOW_FIELD("nru", note_elsewhere),
    STOW_FIELD("costOptimized", note_elsewhere),
    STOW_FIELD("divide", note_elsewhere),
};

/* ---- the Policies of an input ------------------------------------------------------------ */

void stow_policies_done(struct stow_policies *set)
{
    free(set->entry);
    *set = (struct stow_policies){.all = NULL};
}

struct stow_policy_entry *stow_policies_find(const struct stow_policies *set, struct stow_str name)
{
    for (uint32_t i = 0; i < set->entries; i++)
        if (stow_str_is(name, set->entry[i].name))
            return &set->entry[i];
    return NULL;
}

static int check_name(const struct stow_policies *set, struct stow_str name)
{
    if (name.len == 0 || name.len > 253 || memchr(name.ptr, '\0', name.len))
        return stow_cursor_fail(set->c, "expected a name of 1 to 253 characters");
    if (stow_policies_find(set, name))
        return stow_cursor_fail(set->c, "a second Policy %.*s", STOW_FMT(name));
    if (!set->shipped && stow_profile_is_shipped(name))
        return stow_cursor_fail(set->c, "%.*s is a built-in profile; choose another name",
                                STOW_FMT(name));
    return STOW_OK;
}

static int note_entry(struct stow_policies *set, const struct stow_place *start,
                      const struct parts *parts)
{
    struct stow_cursor *c = set->c;
    struct stow_str name;

    if (!stow_place_is(&parts->name))
        return stow_cursor_fail_at(c, start->at, "Policy has no name; expected metadata.name");
    stow_place_go(c, &parts->name);
    STOW_TRY(stow_cursor_text(c, &name));
    STOW_TRY(check_name(set, name));

    struct stow_policy_entry *entry = STOW_PUSH(&set->entry, &set->entries, &set->entry_cap);

    if (!entry)
        return stow_cursor_fail_memory(c);
    snprintf(entry->name, sizeof(entry->name), "%.*s", STOW_FMT(name));
    entry->at = *start;
    return STOW_OK;
}

int stow_policies_note(struct stow_policies *set, const struct stow_document_type *type)
{
    struct stow_place start = stow_place_here(set->c), behind;
    struct parts parts = {.name = {0}};

    if (strcmp(type->version, "stowage.dev/v1alpha1") != 0)
        return stow_cursor_fail_at(set->c, start.at, "Policy of version %s; expected %s",
                                   type->version, "stowage.dev/v1alpha1");
    STOW_TRY(STOW_FIELDS_STRICT(set->c, document_fields, &parts));
    behind = stow_place_here(set->c);
    STOW_TRY(note_entry(set, &start, &parts));
    stow_place_go(set->c, &behind);
    return STOW_OK;
}

/* ---- entries of `filters` and `scorers` -------------------------------------------------- */

/* One entry while it is read: a filter or a scorer. */
struct rule_in {
    struct stow_profile *p;
    struct stow_profiles *all;
    struct stow_ultron_switches *ultron;
    uint64_t *seen; /* bits of the rules that this list has named */
    bool scorer;

    struct stow_place start, name, enabled, weight;
    const char *rule; /* its name */
    const struct stow_rule_option *options;
    void *self;
};

/* Number `i` of all filters, ours and then those of the asking program; NULL after the last. */
static const struct stow_filter_rule *filter_number(const struct stow_rules *rules, uint32_t i)
{
    uint32_t ours = 0;

    while (ours < i && stow_filters[ours])
        ours++;
    if (stow_filters[ours])
        return stow_filters[ours];
    return rules && i - ours < rules->filters ? &rules->filter[i - ours]->filter_rule : NULL;
}

static const struct stow_scorer_rule *scorer_number(const struct stow_rules *rules, uint32_t i)
{
    uint32_t ours = 0;

    while (ours < i && stow_scorers[ours])
        ours++;
    if (stow_scorers[ours])
        return stow_scorers[ours];
    return rules && i - ours < rules->scorers ? &rules->scorer[i - ours]->scorer_rule : NULL;
}

static const char *rule_name(const struct rule_in *in, uint32_t i)
{
    const struct stow_scorer_rule *scorer = in->scorer ? scorer_number(in->all->rules, i) : NULL;
    const struct stow_filter_rule *filter = in->scorer ? NULL : filter_number(in->all->rules, i);

    return scorer ? scorer->name : filter ? filter->name : NULL;
}

/* The names of all rules, or of all options, for a message. */
static const char *list_names(const struct rule_in *in, bool rules, char *list, size_t size)
{
    size_t used = 0;

    list[0] = '\0';
    for (uint32_t i = 0; used < size; i++) {
        const char *name = rules ? rule_name(in, i) : in->options[i].name;

        if (!name)
            break;
        used += (size_t)snprintf(list + used, size - used, "%s%s", i ? ", " : "", name);
    }
    return list;
}

/* Which of the entry's own keys this is; NULL: it is an option. */
static struct stow_place *own_place(struct rule_in *in, struct stow_str key)
{
    if (stow_str_is(key, "name"))
        return &in->name;
    if (stow_str_is(key, "enabled"))
        return &in->enabled;
    return in->scorer && stow_str_is(key, "weight") ? &in->weight : NULL;
}

/* First walk: where name, enabled and weight are. */
static int note_entry_keys(struct stow_cursor *c, struct rule_in *in)
{
    struct stow_str key;
    int more;

    in->name = in->enabled = in->weight = (struct stow_place){.given = false};
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        struct stow_place ignored = {.given = false}, *to = own_place(in, key);

        if (to && stow_place_is(to))
            return stow_cursor_fail(c, "'%.*s' is given twice", STOW_FMT(key));
        STOW_TRY(stow_place_note(c, to ? to : &ignored));
    }
    return more;
}

/* Second walk: the options, each read by the rule. */
static int read_option(struct stow_cursor *c, struct rule_in *in, struct stow_str key,
                       uint64_t *given)
{
    int i = stow_option_find(in->options, key);
    struct stow_place value = stow_place_here(c);
    int is_switch = 0;
    char list[300];

    if (in->scorer && strcmp(in->rule, "ultron") == 0) {
        char name[32];

        snprintf(name, sizeof(name), "%.*s", STOW_FMT(key));
        STOW_TRY(is_switch = stow_ultron_switch_read(c, stow_str_of(name), in->ultron));
    }
    if (i < 0 && is_switch)
        return STOW_OK;
    if (i < 0 && !in->options)
        return stow_cursor_fail_at(c, c->at - 2, "%s has no options", in->rule);
    if (i < 0)
        return stow_cursor_fail_at(c, c->at - 2, "%s has no option '%.*s'; expected %s", in->rule,
                                   STOW_FMT(key), list_names(in, false, list, sizeof(list)));
    if (*given & (UINT64_C(1) << (i & 63)))
        return stow_cursor_fail_at(c, c->at - 2, "'%.*s' is given twice", STOW_FMT(key));
    *given |= UINT64_C(1) << (i & 63);
    stow_place_go(c, &value);
    return in->options[i].read(c, in->self);
}

static int read_options(struct stow_cursor *c, struct rule_in *in)
{
    uint64_t given = 0;
    struct stow_str key;
    int more;

    stow_place_go(c, &in->start);
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        if (own_place(in, key) || stow_cursor_peek(c) == STOW_TOKEN_NULL)
            STOW_TRY(stow_cursor_skip(c));
        else
            STOW_TRY(read_option(c, in, key, &given));
    }
    return more;
}

/* Beside `enabled: false` nothing else makes sense. */
static int check_alone(struct stow_cursor *c, struct rule_in *in)
{
    struct stow_str key;
    int more;

    stow_place_go(c, &in->start);
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        if (!stow_str_is(key, "name") && !stow_str_is(key, "enabled"))
            return stow_cursor_fail(c, "'%.*s' has no effect with enabled: false", STOW_FMT(key));
        STOW_TRY(stow_cursor_skip(c));
    }
    return more;
}

static int warn_nothing_removed(struct stow_cursor *c, struct rule_in *in)
{
    return stow_profiles_warn(in->all,
                              "%s: %s %s is not in the profile; there is nothing to remove",
                              in->p->name, in->scorer ? "scorer" : "filter", in->rule) < 0
               ? stow_cursor_fail_memory(c)
               : STOW_OK;
}

static int open_filter(struct stow_cursor *c, struct rule_in *in,
                       const struct stow_filter_rule *rule, bool enabled)
{
    in->options = rule->options;
    if (!enabled)
        return stow_profile_drop_filter(in->p, rule) ? STOW_OK : warn_nothing_removed(c, in);

    struct stow_profile_filter *f = stow_profile_put_filter(in->p, rule);

    if (!f)
        return stow_cursor_fail_memory(c);
    in->self = f->self;
    STOW_TRY(stow_profile_seed(c, in->p, in->options, f->self));
    STOW_TRY(read_options(c, in));
    return stow_filter_check(c, &in->start, f);
}

static int open_scorer(struct stow_cursor *c, struct rule_in *in,
                       const struct stow_scorer_rule *rule, bool enabled)
{
    in->options = rule->options;
    if (!enabled)
        return stow_profile_drop_scorer(in->p, rule) ? STOW_OK : warn_nothing_removed(c, in);

    struct stow_profile_scorer *f = stow_profile_put_scorer(in->p, rule);

    if (!f)
        return stow_cursor_fail_memory(c);
    in->self = f->self;
    if (strcmp(rule->name, "ultron") == 0)
        in->ultron->present = true;
    if (stow_place_is(&in->weight)) {
        stow_place_go(c, &in->weight);
        STOW_TRY(stow_option_real(c, 0, WEIGHT_MAX, &f->weight));
    }
    STOW_TRY(stow_profile_seed(c, in->p, in->options, f->self));
    STOW_TRY(read_options(c, in));
    return stow_scorer_check(c, &in->start, f);
}

/* The rule that an entry names: its number in the list of all rules. */
static int find_rule(struct stow_cursor *c, struct rule_in *in, uint32_t *ret)
{
    struct stow_str name;
    char list[300];
    uint32_t i = 0;

    if (!stow_place_is(&in->name))
        return stow_cursor_fail_at(c, in->start.at, "a %s without a name",
                                   in->scorer ? "scorer" : "filter");
    stow_place_go(c, &in->name);
    STOW_TRY(stow_cursor_text(c, &name));
    while ((in->rule = rule_name(in, i)) && !stow_str_is(name, in->rule))
        i++;
    *ret = i;
    if (in->rule)
        return STOW_OK;
    return stow_cursor_fail(c, "there is no %s '%.*s'; expected one of %s",
                            in->scorer ? "scorer" : "filter", STOW_FMT(name),
                            list_names(in, true, list, sizeof(list)));
}

static int read_rule(struct stow_cursor *c, void *into)
{
    struct rule_in *in = into;
    uint32_t which = 0;
    bool enabled = true;

    in->start = stow_place_here(c);
    STOW_TRY(note_entry_keys(c, in));
    struct stow_place behind = stow_place_here(c);

    STOW_TRY(find_rule(c, in, &which));
    if (*in->seen & (UINT64_C(1) << (which & 63)))
        return stow_cursor_fail(c, "%s is in the list twice", in->rule);
    *in->seen |= UINT64_C(1) << (which & 63);
    if (stow_place_is(&in->enabled)) {
        stow_place_go(c, &in->enabled);
        STOW_TRY(stow_cursor_bool(c, &enabled));
    }
    if (!enabled)
        STOW_TRY(check_alone(c, in));
    if (in->scorer)
        STOW_TRY(open_scorer(c, in, scorer_number(in->all->rules, which), enabled));
    else
        STOW_TRY(open_filter(c, in, filter_number(in->all->rules, which), enabled));
    stow_place_go(c, &behind);
    return STOW_OK;
}

/* ---- tie-break, threshold -------------------------------------------------------------------- */

static int read_tie(struct stow_cursor *c, void *into)
{
    static const char *const words[] = {"price", "interruption-rate", "name", "input-order", NULL};
    struct stow_profile *p = into;
    uint32_t word;

    STOW_TRY(stow_option_word(c, words, &word));
    for (uint32_t i = 0; i < p->ties; i++)
        if (p->tie[i] == (enum stow_tie)word)
            return stow_cursor_fail(c, "%s is in the list twice", words[word]);
    p->tie[p->ties++] = (enum stow_tie)word;
    return STOW_OK;
}

static int read_ties(struct stow_cursor *c, struct stow_profile *p)
{
    bool named = false;

    p->ties = 0;
    STOW_TRY(stow_cursor_items(c, read_tie, p));
    for (uint32_t i = 0; i < p->ties; i++)
        named |= p->tie[i] == STOW_TIE_NAME;
    if (!named)
        p->tie[p->ties++] = STOW_TIE_NAME;
    return STOW_OK;
}

/* Rules that the Policy starts from hear of it here, its own when they are opened. */
static int read_threshold(struct stow_cursor *c, struct stow_profile *p)
{
    int64_t value;

    STOW_TRY(stow_cursor_int(c, INT32_MIN, INT32_MAX, &value));
    p->has_priority_threshold = true;
    p->priority_threshold = (int32_t)value;
    for (uint32_t i = 0; i < p->filters; i++)
        STOW_TRY(stow_profile_seed(c, p, p->filter[i].rule->options, p->filter[i].self));
    for (uint32_t i = 0; i < p->scorers; i++)
        STOW_TRY(stow_profile_seed(c, p, p->scorer[i].rule->options, p->scorer[i].self));
    return STOW_OK;
}

/* ---- a whole Policy ---------------------------------------------------------------------- */

/* One Policy being applied. */
struct applying {
    struct stow_policies *set;
    struct stow_profile *p;
    struct parts parts;
    struct stow_ultron_switches ultron;
    uint64_t filters_named;
};

static int fail_unknown_profile(struct applying *a, struct stow_str name)
{
    char list[300] = "";
    size_t used = 0;

    for (uint32_t i = 0; stow_profile_names[i]; i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "",
                                 stow_profile_names[i]);
    for (uint32_t i = 0; i < a->set->entries && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, ", %s", a->set->entry[i].name);
    return stow_cursor_fail(a->set->c, "there is no profile %.*s; expected one of %s",
                            STOW_FMT(name), list);
}

static int apply_parent(struct applying *a)
{
    struct stow_str name;

    if (!stow_place_is(&a->parts.profile))
        return STOW_OK;
    stow_place_go(a->set->c, &a->parts.profile);
    STOW_TRY(stow_cursor_text(a->set->c, &name));
    struct stow_policy_entry *parent = stow_policies_find(a->set, name);

    if (parent && parent->open)
        return stow_cursor_fail(a->set->c, "the Policy %s starts from itself", parent->name);
    if (parent)
        return stow_policy_apply(a->set, parent, a->p);
    if (a->set->shipped || !stow_profile_is_shipped(name))
        return fail_unknown_profile(a, name);
    return stow_profile_apply_shipped(a->set->all, a->p, name, a->set->c->err);
}

static int apply_rules(struct applying *a, const struct stow_place *list, bool scorers)
{
    uint64_t seen = 0;
    struct rule_in in = {
        .p = a->p,
        .all = a->set->all,
        .ultron = &a->ultron,
        .seen = scorers ? &seen : &a->filters_named,
        .scorer = scorers,
    };

    if (!stow_place_is(list))
        return STOW_OK;
    stow_place_go(a->set->c, list);
    return stow_cursor_items(a->set->c, read_rule, &in);
}

/* A switch of `ultron` and an entry for the filter that it sets: one of them is superfluous, or
 * they contradict each other. */
static int check_said_once(struct applying *a)
{
    for (int i = 0; i < STOW_SWITCH_COUNT; i++) {
        const char *filter = stow_ultron_switch_filter((enum stow_ultron_switch)i);
        bool named = false;

        if (!a->ultron.value[i] || !filter)
            continue;
        for (uint32_t k = 0; stow_filters[k] && !named; k++)
            named = strcmp(stow_filters[k]->name, filter) == 0 &&
                    (a->filters_named & (UINT64_C(1) << (k & 63)));
        if (!named)
            continue;
        stow_place_go(a->set->c, &a->ultron.at[i]);
        return stow_cursor_fail_at(
            a->set->c, a->ultron.at[i].at,
            "%s of ultron and the filter %s are both given; state one of them",
            stow_ultron_switch_name((enum stow_ultron_switch)i), filter);
    }
    return STOW_OK;
}

static int apply_rest(struct applying *a)
{
    struct stow_cursor *c = a->set->c;

    if (stow_place_is(&a->parts.tie_break)) {
        stow_place_go(c, &a->parts.tie_break);
        STOW_TRY(read_ties(c, a->p));
    }
    if (stow_place_is(&a->parts.keys)) {
        stow_place_go(c, &a->parts.keys);
        STOW_TRY(stow_profile_keys_read(c, &a->p->keys));
    }
    return STOW_OK;
}

static uint32_t rank(const struct stow_profile_filter *f)
{
    uint32_t i = 0;

    while (stow_filters[i] && strcmp(stow_filters[i]->name, f->rule->name) != 0)
        i++;
    return i;
}

/* Filters are asked in the order of the list of all filters (those of the asking program after it,
 * as Policies name them), so that the reason for a dropped node
 * does not depend on who added which filter when. */
static void sort_filters(struct stow_profile *p)
{
    for (uint32_t i = 1; i < p->filters; i++) {
        struct stow_profile_filter moved = p->filter[i];
        uint32_t to = i;

        for (; to > 0 && rank(&p->filter[to - 1]) > rank(&moved); to--)
            p->filter[to] = p->filter[to - 1];
        p->filter[to] = moved;
    }
}

static int note_parts(struct applying *a, const struct stow_place *start)
{
    struct stow_cursor *c = a->set->c;

    stow_place_go(c, start);
    STOW_TRY(STOW_FIELDS_STRICT(c, document_fields, &a->parts));
    if (!stow_place_is(&a->parts.spec))
        return STOW_OK;
    stow_place_go(c, &a->parts.spec);
    STOW_TRY(STOW_FIELDS_STRICT(c, spec_fields, &a->parts));
    a->p->elsewhere |= a->parts.elsewhere;
    return STOW_OK;
}

static int apply_threshold(struct applying *a)
{
    if (!stow_place_is(&a->parts.threshold))
        return STOW_OK;
    stow_place_go(a->set->c, &a->parts.threshold);
    return read_threshold(a->set->c, a->p);
}

static int apply_document(struct applying *a, const struct stow_place *start)
{
    STOW_TRY(note_parts(a, start));
    STOW_TRY(apply_parent(a));
    STOW_TRY(apply_threshold(a));
    STOW_TRY(apply_rules(a, &a->parts.scorers, true));
    if (a->ultron.present)
        STOW_TRY(stow_ultron_switches_apply(a->set->c, &a->ultron, a->p));
    STOW_TRY(apply_rules(a, &a->parts.filters, false));
    STOW_TRY(check_said_once(a));
    sort_filters(a->p);
    return apply_rest(a);
}

int stow_policy_apply(struct stow_policies *set, struct stow_policy_entry *entry,
                      struct stow_profile *p)
{
    struct applying a = {.set = set, .p = p};

    entry->open = true;
    int code = apply_document(&a, &entry->at);

    entry->open = false;
    return code;
}
