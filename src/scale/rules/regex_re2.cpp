/* regex_re2.cpp - RE2 expressions behind a C interface.
 *
 * The maps of priorities that people have are written for Go's regexp, whose
 * syntax is RE2's: no look-ahead and no back references, but a search takes time
 * in proportion to the text, whatever the expression.  So RE2 itself is asked, and
 * what it refuses Go refuses, too.  Of the few differences one could bite: \C (any
 * byte) is RE2's alone and is refused here; (?<name>...), in Go since 1.22, is not
 * yet in the RE2 of Debian 12, which wants (?P<name>...).
 *
 * What is asked for comes from a user, therefore: a limit for the text, a limit
 * for the memory of each expression, no message on stderr, and no exception that
 * leaves this file. */
#include "scale/rules/regex.h"

#include <re2/re2.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

static const int64_t max_memory = 8 << 20; /* of one expression and its searches */

/* RE2's parser does not survive every exception: where it unwinds, half-built expressions are
 * walked over.  So before it compiles, as much memory as it may take is asked for, in pieces that
 * the allocator does not return to the system at once, and given back to the allocator.  The last
 * piece is kept until RE2 is done: memory below it stays with the process. */
class reserve
{
    static const size_t piece_size = 64 << 10, piece_count = max_memory / piece_size;
    void *piece[piece_count];

    void give_back(size_t first, size_t end)
    {
        for (size_t i = first; i < end; i++)
            free(piece[i]);
    }

  public:
    reserve()
    {
        for (size_t i = 0; i < piece_count; i++) {
            piece[i] = malloc(piece_size);
            if (!piece[i]) {
                give_back(0, i);
                throw std::bad_alloc();
            }
        }
        give_back(0, piece_count - 1);
    }
    ~reserve()
    {
        give_back(piece_count - 1, piece_count);
    }
    reserve(const reserve &) = delete;
    reserve &operator=(const reserve &) = delete;
};

struct stow_regex {
    explicit stow_regex(const re2::StringPiece &text, const RE2::Options &options)
        : re2(text, options)
    {
    }
    RE2 re2;
};

/* \C outside of \Q...\E, where it is two letters. */
static bool has_any_byte(const char *text, size_t len)
{
    bool quoted = false;

    for (size_t i = 0; i + 1 < len; i++) {
        if (text[i] != '\\')
            continue;
        const char next = text[++i];

        if (quoted && next != 'E')
            i--; /* that backslash stands for itself, the next one may not */
        else if (next == 'Q' || next == 'E')
            quoted = next == 'Q';
        else if (next == 'C')
            return true;
    }
    return false;
}

static enum stow_regex_result refuse(char *why, size_t why_size, const char *what)
{
    snprintf(why, why_size, "%s", what);
    return STOW_REGEX_BAD;
}

static enum stow_regex_result compile(const char *text, size_t len,
                                      std::unique_ptr<stow_regex> &made, char *why, size_t why_size)
{
    reserve kept;
    RE2::Options options(RE2::Quiet);

    options.set_max_mem(max_memory);
    made.reset(new stow_regex(re2::StringPiece(text, len), options));
    if (!made->re2.ok())
        return refuse(why, why_size, made->re2.error().c_str());
    return STOW_REGEX_OK;
}

extern "C" enum stow_regex_result stow_regex_new(const char *text, size_t len,
                                                 struct stow_regex **ret, char *why,
                                                 size_t why_size)
{
    std::unique_ptr<stow_regex> made;

    if (len > STOW_REGEX_MAX_TEXT)
        return refuse(why, why_size, "longer than 65536 bytes");
    if (has_any_byte(text, len))
        return refuse(why, why_size, "invalid escape sequence: \\C");
    try {
        auto result = compile(text, len, made, why, why_size);

        if (result == STOW_REGEX_OK)
            *ret = made.release();
        return result;
    } catch (...) {
        return STOW_REGEX_NO_MEMORY;
    }
}

extern "C" void stow_regex_free(struct stow_regex *regex)
{
    delete regex;
}

extern "C" int stow_regex_search(const struct stow_regex *regex, const char *text, size_t len)
{
    try {
        return RE2::PartialMatch(re2::StringPiece(text, len), regex->re2) ? 1 : 0;
    } catch (...) {
        return -1;
    }
}
