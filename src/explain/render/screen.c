/* screen.c - text as a terminal shows it.
 *
 * Names come from other people's clusters, so a table has to stay a table
 * whatever bytes they hold: the width of a name is counted in terminal columns
 * and not in bytes, and a byte that would move the cursor, change colours or turn
 * the direction of writing round is spelled out instead of sent.
 *
 * wcwidth() of the C library depends on the locale of the process; a report must
 * not.  The two tables below are merged ranges: blocks of combining marks, and
 * blocks that terminals draw two columns wide.  A mark that is missing from them
 * costs a table one column of alignment and nothing else. */
#include "explain/render/screen.h"

#include <stddef.h>

struct range {
    uint32_t first, last;
};

static const struct range combining[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489},   {0x0591, 0x05BD},   {0x05BF, 0x05BF},
    {0x05C1, 0x05C2},   {0x05C4, 0x05C5},   {0x05C7, 0x05C7},   {0x0610, 0x061A},
    {0x064B, 0x065F},   {0x0670, 0x0670},   {0x06D6, 0x06DC},   {0x06DF, 0x06E4},
    {0x06E7, 0x06E8},   {0x06EA, 0x06ED},   {0x0711, 0x0711},   {0x0730, 0x074A},
    {0x07A6, 0x07B0},   {0x07EB, 0x07F3},   {0x0816, 0x082D},   {0x08CA, 0x0902},
    {0x093A, 0x093A},   {0x093C, 0x093C},   {0x0941, 0x0948},   {0x094D, 0x094D},
    {0x0951, 0x0957},   {0x0962, 0x0963},   {0x0981, 0x0981},   {0x09BC, 0x09BC},
    {0x09C1, 0x09C4},   {0x09CD, 0x09CD},   {0x0A01, 0x0A02},   {0x0A3C, 0x0A3C},
    {0x0A41, 0x0A51},   {0x0A70, 0x0A71},   {0x0A81, 0x0A82},   {0x0ABC, 0x0ABC},
    {0x0AC1, 0x0AC8},   {0x0ACD, 0x0ACD},   {0x0B01, 0x0B01},   {0x0B3C, 0x0B3C},
    {0x0B41, 0x0B44},   {0x0B4D, 0x0B56},   {0x0BC0, 0x0BC0},   {0x0BCD, 0x0BCD},
    {0x0C3E, 0x0C40},   {0x0C46, 0x0C56},   {0x0CBC, 0x0CBC},   {0x0CCC, 0x0CCD},
    {0x0D41, 0x0D44},   {0x0D4D, 0x0D4D},   {0x0DCA, 0x0DCA},   {0x0DD2, 0x0DD6},
    {0x0E31, 0x0E31},   {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E},   {0x0EB1, 0x0EB1},
    {0x0EB4, 0x0EBC},   {0x0EC8, 0x0ECE},   {0x0F18, 0x0F19},   {0x0F35, 0x0F39},
    {0x0F71, 0x0F7E},   {0x0F80, 0x0F84},   {0x0F8D, 0x0FBC},   {0x102D, 0x1030},
    {0x1032, 0x1037},   {0x1039, 0x103A},   {0x1160, 0x11FF},   {0x135D, 0x135F},
    {0x1712, 0x1714},   {0x17B4, 0x17B5},   {0x17B7, 0x17BD},   {0x17C6, 0x17C6},
    {0x17C9, 0x17D3},   {0x180B, 0x180F},   {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},
    {0x200B, 0x200D},   {0x2060, 0x2064},   {0x20D0, 0x20F0},   {0x302A, 0x302D},
    {0x3099, 0x309A},   {0xA66F, 0xA672},   {0xA674, 0xA67D},   {0xA8E0, 0xA8F1},
    {0xFB1E, 0xFB1E},   {0xFE00, 0xFE0F},   {0xFE20, 0xFE2F},   {0x1D167, 0x1D169},
    {0x1D17B, 0x1D182}, {0x1E000, 0x1E02A}, {0x1E8D0, 0x1E8D6}, {0x1F3FB, 0x1F3FF},
    {0xE0100, 0xE01EF},
};

static const struct range wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23EC},
    {0x23F0, 0x23F0},   {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},
    {0x26AA, 0x26AB},   {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},
    {0x26D4, 0x26D4},   {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},
    {0x26FA, 0x26FA},   {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},
    {0x2728, 0x2728},   {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},
    {0x3041, 0x3247},   {0x3250, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},
    {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18CFF}, {0x1AFF0, 0x1B2FF},
    {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A},
    {0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393},
    {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4},
    {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D},
    {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596},
    {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC},
    {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC},
    {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
};

/* What is hidden: C0, DEL and C1; soft hyphen; marks, embeddings and isolates of direction;
 * line and paragraph separators; tags; surrogates; byte order mark and what is not a character. */
static const struct range hidden[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C},
    {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2065, 0x206F}, {0xD800, 0xDFFF},
    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F},
};

static bool in_ranges(const struct range *ranges, size_t count, uint32_t code)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (code < ranges[middle].first)
            count = middle;
        else if (code > ranges[middle].last)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

#define IN(ranges, code) in_ranges(ranges, sizeof(ranges) / sizeof((ranges)[0]), code)

/* Bytes of the sequence that this byte opens, 0 when it cannot open one. */
static uint32_t sequence_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF)
        return 3;
    return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

struct stow_rune stow_utf8_next(struct stow_str text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    const struct stow_rune broken = {bytes[0], 1, false};
    uint32_t length = sequence_length(bytes[0]);

    if (length == 1)
        return (struct stow_rune){bytes[0], 1, true};
    if (length == 0 || length > text.len)
        return broken;

    uint32_t code = bytes[0] & (0x7Fu >> length);

    for (uint32_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return broken;
        code = code << 6 | (bytes[i] & 0x3Fu);
    }
    if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return broken;
    return (struct stow_rune){code, length, true};
}

uint32_t stow_rune_width(uint32_t code)
{
    if (code < 0x300)
        return 1;
    if (IN(combining, code))
        return 0;
    return IN(wide, code) ? 2 : 1;
}

bool stow_rune_hidden(uint32_t code)
{
    if (code >= 0x20 && code < 0x7F)
        return false;
    return IN(hidden, code);
}

static struct stow_str behind(struct stow_str text, size_t bytes)
{
    return (struct stow_str){text.ptr + bytes, text.len - bytes};
}

uint32_t stow_utf8_width(struct stow_str text)
{
    uint32_t width = 0;

    while (text.len) {
        struct stow_rune rune = stow_utf8_next(text);

        width += stow_rune_width(rune.code);
        text = behind(text, rune.bytes);
    }
    return width;
}

bool stow_utf8_clean(struct stow_str text)
{
    while (text.len) {
        struct stow_rune rune = stow_utf8_next(text);

        if (!rune.valid || stow_rune_hidden(rune.code))
            return false;
        text = behind(text, rune.bytes);
    }
    return true;
}

static void spell_out(struct stow_buf *buf, struct stow_rune rune)
{
    if (rune.valid && rune.code == '\n')
        stow_buf_text(buf, "\\n");
    else if (rune.valid && rune.code == '\t')
        stow_buf_text(buf, "\\t");
    else if (rune.valid && rune.code == '\r')
        stow_buf_text(buf, "\\r");
    else if (!rune.valid || rune.code < 0x80)
        stow_buf_printf(buf, "\\x%02x", rune.code);
    else
        stow_buf_printf(buf, rune.code > 0xFFFF ? "\\U%08x" : "\\u%04x", rune.code);
}

void stow_buf_visible(struct stow_buf *buf, struct stow_str text)
{
    while (text.len) {
        struct stow_rune rune = stow_utf8_next(text);

        if (rune.valid && !stow_rune_hidden(rune.code))
            stow_buf_add(buf, (struct stow_str){text.ptr, rune.bytes});
        else
            spell_out(buf, rune);
        text = behind(text, rune.bytes);
    }
}

struct stow_str stow_utf8_cut(struct stow_str text, uint32_t columns)
{
    struct stow_str rest = text;
    uint32_t width = 0;

    while (rest.len) {
        struct stow_rune rune = stow_utf8_next(rest);

        width += stow_rune_width(rune.code);
        if (width > columns)
            break;
        rest = behind(rest, rune.bytes);
    }
    return (struct stow_str){text.ptr, text.len - rest.len};
}

/* The longest end of the text that takes at most `columns`, and starts with no combining mark. */
static struct stow_str end_of(struct stow_str text, uint32_t columns)
{
    uint32_t width = stow_utf8_width(text);

    while (text.len && (width > columns || stow_rune_width(stow_utf8_next(text).code) == 0)) {
        struct stow_rune rune = stow_utf8_next(text);

        width -= stow_rune_width(rune.code);
        text = behind(text, rune.bytes);
    }
    return text;
}

bool stow_utf8_middle(struct stow_str text, uint32_t columns, struct stow_str *start,
                      struct stow_str *end)
{
    if (stow_utf8_width(text) <= columns)
        return false;
    *start = stow_utf8_cut(text, (columns - 1) / 2);
    *end = end_of(text, columns / 2);
    return true;
}

void stow_buf_middle(struct stow_buf *buf, struct stow_str text, uint32_t columns)
{
    struct stow_str start, end;

    if (!stow_utf8_middle(text, columns, &start, &end)) {
        stow_buf_add(buf, text);
        return;
    }
    stow_buf_add(buf, start);
    stow_buf_text(buf, "…");
    stow_buf_add(buf, end);
}

/* The start of the text up to the last blank in it; empty when it is one word. */
static struct stow_str up_to_blank(struct stow_str text)
{
    while (text.len && text.ptr[text.len - 1] != ' ')
        text.len--;
    while (text.len && text.ptr[text.len - 1] == ' ')
        text.len--;
    return text;
}

struct stow_str stow_utf8_line(struct stow_str *rest, uint32_t columns)
{
    struct stow_str line = stow_utf8_cut(*rest, columns);
    struct stow_str words = line;

    if (line.len == 0)
        line.len = stow_utf8_next(*rest).bytes;
    else if (line.len < rest->len && rest->ptr[line.len] != ' ')
        words = up_to_blank(line);
    if (words.len)
        line = words;
    *rest = behind(*rest, line.len);
    while (rest->len && rest->ptr[0] == ' ')
        *rest = behind(*rest, 1);
    return line;
}
