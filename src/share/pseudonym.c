/* pseudonym.c - words and the words that stand for them.
 *
 * Decisions depend on names in two ways: which are equal, and which comes first (pods are taken and
 * ties are settled by name).  Some also depend on how names are made: the Deployment of a
 * ReplicaSet web-7d4f is web.  So names are replaced word by word, where words end at signs, and
 * the pseudonyms of all words are in the order of the words: x and the word's place among all of
 * them, with as many digits for each.  Signs sort before letters and digits, so names keep their
 * order.
 *
 * A place in an order cannot be turned back into the word by trying words, as a hash could.  It
 * does show which names share a word, and which word comes before which.
 *
 * Pods and claims of a StatefulSet are found by their names, so the ordinal at the end stays.  The
 * Prometheus operator calls what it makes prometheus-NAME and the like; where it is at work, its
 * few words stay, and the other words get pseudonyms that keep their places between them: those
 * before "agent" start with a0, those between "alertmanager" and "operator" with m, and so on.
 *
 * A text of many words that can be a label's value becomes one word, since that has at most 63
 * characters; and so do uids. */
#include "share/pseudonym.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define LABEL_MAX   63 /* characters of a label's value */
#define WORDS_MAX   9  /* of six characters with signs between them: 62 */
#define UID_LEN     36
#define ORDINAL_LEN 6 /* digits */

void stow_pseudonyms_done(struct stow_pseudonyms *p)
{
    stow_intern_done(&p->word);
    stow_intern_done(&p->set);
    free(p->rank);
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Takes the next word off the text, with the signs before it. */
static struct stow_str next_word(struct stow_str *rest, struct stow_str *ret_signs)
{
    size_t from = 0, to;

    while (from < rest->len && !in_word(rest->ptr[from]))
        from++;
    for (to = from; to < rest->len && in_word(rest->ptr[to]);)
        to++;
    *ret_signs = (struct stow_str){rest->ptr, from};

    const struct stow_str word = {rest->ptr + from, to - from};

    *rest = (struct stow_str){rest->ptr + to, rest->len - to};
    return word;
}

static bool is_uid(struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? text.ptr[i] != '-'
                                                    : !isxdigit((unsigned char)text.ptr[i]))
            return false;
    return text.len == UID_LEN;
}

static bool is_one(struct stow_str text)
{
    struct stow_str rest = text, signs;
    uint32_t words = 0;

    if (is_uid(text))
        return true;
    while (rest.len)
        words += next_word(&rest, &signs).len > 0;
    return words > WORDS_MAX && text.len <= LABEL_MAX && !memchr(text.ptr, '/', text.len);
}

/* ---- what is kept ------------------------------------------------------------------------ */

/* Words of the operator in order, and how pseudonyms of words before each begin. */
static const struct {
    const char *word, *before;
} operators[] = {
    {"agent", "a0"},         {"alertmanager", "ak"}, {"operator", "m"}, {"prom", "pa"},
    {"prometheus", "prom0"}, {"ruler", "q"},         {"shard", "s0"},   {"thanos", "sx"},
};

static bool is_operators(const struct stow_pseudonyms *p, struct stow_str word)
{
    for (size_t i = 0; p->operated && i < sizeof(operators) / sizeof(operators[0]); i++)
        if (stow_str_is(word, operators[i].word))
            return true;
    return false;
}

static const char *prefix_of(const struct stow_pseudonyms *p, struct stow_str word)
{
    for (size_t i = 0; p->operated && i < sizeof(operators) / sizeof(operators[0]); i++)
        if (stow_str_cmp(word, stow_str_of(operators[i].word)) < 0)
            return operators[i].before;
    return "x";
}

/* 0, 17; not 007, nor a number that no ordinal reaches. */
static bool is_ordinal(struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!isdigit((unsigned char)text.ptr[i]))
            return false;
    return text.len > 0 && text.len <= ORDINAL_LEN && (text.len == 1 || text.ptr[0] != '0');
}

/* An image without a tag is that with the tag "latest".  Of a Prometheus with shards the number of
 * each is in the names of its objects. */
static bool is_kept(const struct stow_pseudonyms *p, struct stow_str signs, struct stow_str before,
                    struct stow_str word)
{
    if (signs.len && signs.ptr[signs.len - 1] == ':' && stow_str_is(word, "latest"))
        return true;
    return is_operators(p, word) ||
           (p->operated && stow_str_is(before, "shard") && is_ordinal(word));
}

/* The last sign, or the length of the text. */
static size_t last_dash(struct stow_str text)
{
    for (size_t i = text.len; i-- > 0;)
        if (text.ptr[i] == '-')
            return i;
    return text.len;
}

static bool has_ordinal(struct stow_str text)
{
    const size_t dash = last_dash(text);

    return dash < text.len &&
           is_ordinal((struct stow_str){text.ptr + dash + 1, text.len - dash - 1});
}

/* Where the name of a StatefulSet starts in "db-0" or "data-db-0"; SIZE_MAX: in none. */
static size_t find_set(const struct stow_pseudonyms *p, struct stow_str text)
{
    const size_t end = has_ordinal(text) ? last_dash(text) : 0;

    for (size_t i = 0; i < end; i++)
        if ((i == 0 || text.ptr[i - 1] == '-') &&
            stow_intern_find(&p->set, (struct stow_str){text.ptr + i, end - i}) !=
                STOW_INTERN_FAILED)
            return i;
    return SIZE_MAX;
}

/* ---- noting ------------------------------------------------------------------------------ */

static void note(struct stow_pseudonyms *p, struct stow_str word)
{
    p->failed |= word.len && stow_intern_text(&p->word, word) == STOW_INTERN_FAILED;
}

void stow_pseudonyms_note(struct stow_pseudonyms *p, struct stow_str text)
{
    struct stow_str rest = text, signs;

    if (is_one(text)) {
        note(p, text);
        if (!has_ordinal(text)) /* it may turn out to be a StatefulSet's */
            return;
    }
    while (rest.len)
        note(p, next_word(&rest, &signs));
}

void stow_pseudonyms_note_set(struct stow_pseudonyms *p, struct stow_str name)
{
    p->failed |= stow_intern_text(&p->set, name) == STOW_INTERN_FAILED;
}

/* ---- the order --------------------------------------------------------------------------- */

struct entry {
    struct stow_str text;
    uint32_t handle;
};

static int compare_entries(const void *a, const void *b)
{
    return stow_str_cmp(((const struct entry *)a)->text, ((const struct entry *)b)->text);
}

int stow_pseudonyms_settle(struct stow_pseudonyms *p, struct stow_err *err)
{
    const uint32_t count = p->word.entries;
    STOW_AUTO(stow_free_local) struct entry *entry = calloc((size_t)count + 1, sizeof(*entry));

    p->rank = calloc((size_t)count + 1, sizeof(*p->rank));
    if (!entry || !p->rank || p->failed)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        entry[i] = (struct entry){stow_intern_get(&p->word, i), i};
    if (count)
        qsort(entry, count, sizeof(*entry), compare_entries);
    for (uint32_t i = 0; i < count; i++)
        p->rank[entry[i].handle] = i;
    p->digits = 1;
    for (uint64_t most = 36; most < count; most *= 36)
        p->digits++;
    return STOW_OK;
}

static void add_word(const struct stow_pseudonyms *p, struct stow_str word, struct stow_buf *out)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    const uint32_t handle = stow_intern_find(&p->word, word);
    char text[16];

    if (!word.len || handle == STOW_INTERN_FAILED)
        return;
    for (uint32_t i = p->digits, left = p->rank[handle]; i > 0; i--, left /= 36)
        text[i - 1] = digits[left % 36];
    stow_buf_text(out, prefix_of(p, word));
    stow_buf_add(out, (struct stow_str){text, p->digits});
}

static void add_text(const struct stow_pseudonyms *p, struct stow_str text, struct stow_buf *out)
{
    struct stow_str rest = text, signs, before = {NULL, 0};

    if (is_one(text) && stow_intern_find(&p->word, text) != STOW_INTERN_FAILED) {
        add_word(p, text, out);
        return;
    }
    while (rest.len) {
        const struct stow_str word = next_word(&rest, &signs);

        stow_buf_add(out, signs);
        if (is_kept(p, signs, before, word))
            stow_buf_add(out, word);
        else
            add_word(p, word, out);
        before = word;
    }
}

void stow_pseudonym(const struct stow_pseudonyms *p, struct stow_str text, struct stow_buf *out)
{
    const size_t set = is_uid(text) ? SIZE_MAX : find_set(p, text);

    if (set == SIZE_MAX) {
        add_text(p, text, out);
        return;
    }

    const size_t end = last_dash(text);

    if (set) {
        add_text(p, (struct stow_str){text.ptr, set - 1}, out);
        stow_buf_char(out, '-');
    }
    add_text(p, (struct stow_str){text.ptr + set, end - set}, out);
    stow_buf_add(out, (struct stow_str){text.ptr + end, text.len - end});
}
