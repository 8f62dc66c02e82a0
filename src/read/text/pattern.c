/* pattern.c - objects that are written like one before: see pattern.h. */
#include "read/text/pattern.h"

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/vec.h"
#include "read/text/scalar.h"

/* Holes of no interest: a string, or a number, true, false, null. */
enum { HOLE_TEXT = STOW_VARIES, HOLE_BARE };

#define TEXT_MAX ((uint32_t)64 << 10) /* longer objects are not kept */

/* ---- texts ------------------------------------------------------------------------------- */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The high bit of the first byte that is zero, and perhaps of some after it. */
static inline uint64_t zero_bytes(uint64_t word)
{
    return (word - EACH(1)) & ~word & EACH(0x80);
}

/* The length of plain text at `text`: up to the first quote, or to what is not plain. */
static inline size_t plain_length(const char *text, size_t len)
{
    size_t i = 0;

    for (; i + sizeof(uint64_t) <= len; i += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, text + i, sizeof(word));
        word = le64toh(word);

        const uint64_t stops = zero_bytes(word ^ EACH('"')) | zero_bytes(word ^ EACH('\\')) |
                               zero_bytes(word & EACH(0xE0)) | (word & EACH(0x80));

        if (stops)
            return i + (size_t)__builtin_ctzll(stops) / 8;
    }
    for (; i < len; i++) {
        const unsigned char ch = (unsigned char)text[i];

        if (ch == '"' || ch == '\\' || ch < 0x20 || ch >= 0x80)
            break;
    }
    return i;
}

/* ---- patterns ---------------------------------------------------------------------------- */

static void pattern_free(struct stow_text_pattern *p)
{
    if (p) {
        free(p->text);
        free(p->at);
        free(p->passed);
        free(p->hole);
    }
    free(p);
}

void stow_patterns_done(struct stow_patterns *p)
{
    for (uint32_t i = 0; i < STOW_PATTERNS; i++)
        pattern_free(p->order[i]);
    free(p->learned);
    *p = (struct stow_patterns){0};
}

void stow_patterns_forget(struct stow_patterns *p)
{
    p->count = 0;
}

/* Where the scalar at `token` ends, without the space after it. */
static uint32_t scalar_end(const struct stow_text_pattern *p, uint32_t token)
{
    uint32_t end = p->at[token + 1]; /* the last token is a brace */

    while (stow_is_blank(p->text[end - 1]))
        end--;
    return end;
}

/* What would be open if the token became a hole. */
static struct stow_hole hole_of(const struct stow_text_pattern *p, uint32_t token, uint32_t text)
{
    const uint32_t from = p->at[token], end = scalar_end(p, token);

    return p->text[from] == '"' ? (struct stow_hole){from + 1, end - from - 2, text}
                                : (struct stow_hole){from, end - from, HOLE_BARE};
}

static bool add_hole(struct stow_text_pattern *p, struct stow_hole hole)
{
    if (!STOW_PUSH(&p->hole, &p->holes, &p->hole_cap))
        return false;

    uint32_t i = p->holes - 1;

    for (; i > 0 && p->hole[i - 1].at > hole.at; i--)
        p->hole[i] = p->hole[i - 1];
    p->hole[i] = hole;
    return true;
}

/* A text that varies must be one that a hole can take: 1, or 0 when it is not.  An annotation that
 * is none stays as it stands. */
static int open_varying(struct stow_text_pattern *p, const struct stow_trace *trace, uint32_t first)
{
    for (uint32_t what = 0; what < STOW_VARIES; what++) {
        if (!trace->vary[what])
            continue;

        const struct stow_hole hole = hole_of(p, trace->vary[what] - first, what);

        if (hole.what == HOLE_BARE || !hole.len ||
            plain_length(p->text + hole.at, hole.len) != hole.len) {
            if (what < STOW_VARY_NOTE)
                return 0;
            continue;
        }
        if (!add_hole(p, hole))
            return STOW_ENOMEM;
    }
    return 1;
}

static bool copy_tokens(struct stow_text_pattern *p, const struct stow_tape *tape,
                        struct stow_span object)
{
    const uint32_t base = tape->at[object.from];

    p->len = tape->at[object.to - 1] + 1 - base;
    p->tokens = object.to - object.from;
    if (stow_vec_reserve(&p->text, &p->text_cap, p->len, 1) < 0 ||
        stow_vec_reserve(&p->at, &p->at_cap, p->tokens, sizeof(*p->at)) < 0)
        return false;
    memcpy(p->text, tape->text + base, p->len);
    for (uint32_t i = 0; i < p->tokens; i++)
        p->at[i] = tape->at[object.from + i] - base;
    return true;
}

static bool copy_trace(struct stow_text_pattern *p, const struct stow_trace *trace, uint32_t first)
{
    p->holes = 0;
    p->passes = trace->passes;
    if (stow_vec_reserve(&p->passed, &p->pass_cap, p->passes, sizeof(*p->passed)) < 0)
        return false;
    for (uint32_t i = 0; i < p->passes; i++)
        p->passed[i] =
            (struct stow_span){trace->passed[i].from - first, trace->passed[i].to - first};
    return true;
}

static void to_front(struct stow_patterns *p, uint32_t place)
{
    struct stow_text_pattern *used = p->order[place];

    for (; place > 0; place--)
        p->order[place] = p->order[place - 1];
    p->order[0] = used;
}

int stow_patterns_keep(struct stow_patterns *p, const struct stow_tape *tape,
                       const struct stow_trace *trace, struct stow_span object,
                       struct stow_like like)
{
    const uint32_t place = p->count < STOW_PATTERNS ? p->count : STOW_PATTERNS - 1;

    if (trace->failed)
        return STOW_ENOMEM;
    if (tape->at[object.to - 1] - tape->at[object.from] >= TEXT_MAX)
        return STOW_OK;
    if (!p->order[place])
        p->order[place] = calloc(1, sizeof(*p->order[place]));

    struct stow_text_pattern *made = p->order[place];

    p->count = place; /* until it is good */
    if (!made || !copy_tokens(made, tape, object) || !copy_trace(made, trace, object.from))
        return STOW_ENOMEM;

    const int suited = open_varying(made, trace, object.from);

    if (suited <= 0)
        return suited;
    made->like = like;
    p->count = place + 1;
    to_front(p, place);
    return STOW_OK;
}

/* ---- matching ---------------------------------------------------------------------------- */

/* How far an object has been compared: so much of the pattern, so much of the text. */
struct progress {
    uint32_t pattern;
    size_t text;
};

/* The length of what is in a hole, at the start of `text`; SIZE_MAX when it is nothing that may be
 * there. */
static size_t hole_length(uint32_t what, struct stow_str text)
{
    const size_t len =
        what == HOLE_BARE ? stow_bare_length(text.ptr) : plain_length(text.ptr, text.len);

    if (what == HOLE_BARE)
        return len && len <= text.len ? len : SIZE_MAX;
    return len < text.len && text.ptr[len] == '"' ? len : SIZE_MAX;
}

static bool fill_hole(const struct stow_hole *hole, struct stow_str text, struct progress *at,
                      struct stow_str *vary)
{
    const struct stow_str rest = {text.ptr + at->text, text.len - at->text};
    const size_t len = hole_length(hole->what, rest);

    if (len == SIZE_MAX || (!len && hole->what < STOW_VARIES))
        return false;
    if (vary && hole->what < STOW_VARIES)
        vary[hole->what] = (struct stow_str){rest.ptr, len};
    at->pattern += hole->len;
    at->text += len;
    return true;
}

static bool is_passed(const struct stow_text_pattern *p, uint32_t token)
{
    for (uint32_t i = 0; i < p->passes && p->passed[i].from <= token; i++)
        if (token < p->passed[i].to)
            return true;
    return false;
}

static bool is_scalar(char first)
{
    return !strchr("{}[]:,", first);
}

/* The last token that starts at `offset` or before. */
static uint32_t token_at(const struct stow_text_pattern *p, uint32_t offset)
{
    uint32_t low = 0, high = p->tokens;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (p->at[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The hole for what differs at `offset`; of length 0 at 0: none may be there.  The first byte that
 * differs may be after a number, where the other one goes on. */
static struct stow_hole hole_at(const struct stow_text_pattern *p, uint32_t offset)
{
    uint32_t token = token_at(p, offset);

    if (token > 0 && !is_scalar(p->text[p->at[token]]) && scalar_end(p, token - 1) == offset)
        token--;
    if (!is_scalar(p->text[p->at[token]]) || !is_passed(p, token))
        return (struct stow_hole){0};

    const struct stow_hole hole = hole_of(p, token, HOLE_TEXT);
    const uint32_t end = hole.at + hole.len; /* of a text, the quote after it */

    return offset >= hole.at && offset <= end ? hole : (struct stow_hole){0};
}

/* Compares up to `end` of the pattern, over what can be a hole. */
static bool learn(struct stow_patterns *all, const struct stow_text_pattern *p,
                  struct stow_str text, uint32_t end, struct progress *at)
{
    uint32_t closed = at->pattern; /* no hole starts before it */

    while (at->pattern < end) {
        if (at->text < text.len && p->text[at->pattern] == text.ptr[at->text]) {
            at->pattern++;
            at->text++;
            continue;
        }

        const struct stow_hole hole = hole_at(p, at->pattern);

        if (hole.at <= closed)
            return false;

        struct stow_hole *kept = STOW_PUSH(&all->learned, &all->learns, &all->learn_cap);

        all->failed |= !kept;
        if (!kept)
            return false;
        *kept = hole;
        at->text -= at->pattern - hole.at;
        at->pattern = hole.at;
        if (!fill_hole(&hole, text, at, NULL))
            return false;
        closed = at->pattern;
    }
    return true;
}

static bool compare(struct stow_patterns *all, const struct stow_text_pattern *p,
                    struct stow_str text, uint32_t end, struct progress *at)
{
    const uint32_t len = end - at->pattern;

    if (text.len - at->text < len || memcmp(p->text + at->pattern, text.ptr + at->text, len) != 0)
        return learn(all, p, text, end, at);
    at->pattern += len;
    at->text += len;
    return true;
}

static bool match(struct stow_patterns *all, const struct stow_text_pattern *p,
                  struct stow_str text, struct stow_str *vary, size_t *ret_len)
{
    struct progress at = {0, 0};

    all->learns = 0;
    for (uint32_t i = 0; i < p->holes; i++)
        if (!compare(all, p, text, p->hole[i].at, &at) || !fill_hole(&p->hole[i], text, &at, vary))
            return false;
    if (!compare(all, p, text, p->len, &at))
        return false;
    *ret_len = at.text;
    return true;
}

/* Only now: an object that is of no pattern teaches nothing. */
static void keep_learned(struct stow_patterns *all, struct stow_text_pattern *p)
{
    for (uint32_t i = 0; i < all->learns; i++)
        all->failed |= !add_hole(p, all->learned[i]);
}

const struct stow_text_pattern *stow_patterns_find(struct stow_patterns *p, struct stow_str text,
                                                   uint32_t depth,
                                                   struct stow_str vary[STOW_VARIES],
                                                   size_t *ret_len)
{
    for (uint32_t i = 0; i < p->count; i++) {
        memset(vary, 0, STOW_VARIES * sizeof(*vary));
        if (p->order[i]->like.depth != depth || !match(p, p->order[i], text, vary, ret_len))
            continue;
        keep_learned(p, p->order[i]);
        to_front(p, i);
        return p->order[0];
    }
    return NULL;
}
