/* extent.c - where an object of JSON ends.
 *
 * 64 bytes at a time as bits of a word: quotes that are not escaped switch between inside and
 * outside of strings, which is a running exclusive or; outside, brackets are counted.  Nothing is
 * checked: who reads the object does that. */
#include "read/text/extent.h"

#include <stdbool.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define BLOCK 64

struct stow_json_bits stow_json_bits_plain(const char *block)
{
    struct stow_json_bits bits = {0};

    for (int i = 0; i < BLOCK; i++) {
        const char ch = block[i];

        bits.quote |= (uint64_t)(ch == '"') << i;
        bits.backslash |= (uint64_t)(ch == '\\') << i;
        bits.open |= (uint64_t)(ch == '{' || ch == '[') << i;
        bits.close |= (uint64_t)(ch == '}' || ch == ']') << i;
    }
    return bits;
}

#if defined(__SSE2__)

static inline uint64_t where(__m128i bytes, char ch)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(ch)));
}

/* Brackets and braces differ by one bit, 0x20, and nothing else is that near. */
struct stow_json_bits stow_json_bits(const char *block)
{
    struct stow_json_bits bits = {0};

    for (int i = 0; i < BLOCK; i += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        const __m128i braces = _mm_or_si128(bytes, _mm_set1_epi8(0x20));

        bits.quote |= where(bytes, '"') << i;
        bits.backslash |= where(bytes, '\\') << i;
        bits.open |= where(braces, '{') << i;
        bits.close |= where(braces, '}') << i;
    }
    return bits;
}

#else

struct stow_json_bits stow_json_bits(const char *block)
{
    return stow_json_bits_plain(block);
}

#endif

/* Between blocks. */
struct scan {
    uint64_t inside; /* all ones: the block starts inside a string */
    bool escaped;    /* its first byte is */
    size_t depth;
};

/* The bytes after a backslash that is not itself after one. */
static uint64_t find_escaped(struct scan *s, uint64_t backslash)
{
    uint64_t escaped = s->escaped;

    backslash &= ~escaped;
    s->escaped = false;
    while (backslash) {
        const int at = __builtin_ctzll(backslash);

        s->escaped = at == BLOCK - 1;
        escaped |= UINT64_C(2) << at;
        backslash &= ~(UINT64_C(3) << at);
    }
    return escaped;
}

/* Bit i is the exclusive or of all bits up to i. */
static inline uint64_t running_xor(uint64_t bits)
{
    for (int shift = 1; shift < BLOCK; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* The place where the depth comes to 0, or -1. */
static int count_brackets(struct scan *s, uint64_t open, uint64_t close)
{
    if ((size_t)__builtin_popcountll(close) < s->depth) {
        s->depth += (size_t)__builtin_popcountll(open) - (size_t)__builtin_popcountll(close);
        return -1;
    }
    for (uint64_t all = open | close; all; all &= all - 1) {
        const uint64_t bit = all & -all;

        s->depth += open & bit ? 1 : SIZE_MAX;
        if (!s->depth)
            return __builtin_ctzll(bit);
    }
    return -1;
}

size_t stow_json_extent(struct stow_str text)
{
    struct scan s = {0};

    for (size_t i = 0; i < text.len; i += BLOCK) {
        const struct stow_json_bits bits = stow_json_bits(text.ptr + i);
        const uint64_t quote = bits.quote & ~find_escaped(&s, bits.backslash);
        const uint64_t strings = running_xor(quote) ^ s.inside;
        const int end = count_brackets(&s, bits.open & ~strings, bits.close & ~strings);

        if (end >= 0)
            return i + (size_t)end < text.len ? i + (size_t)end + 1 : 0;
        s.inside = -(strings >> 63);
    }
    return 0;
}
