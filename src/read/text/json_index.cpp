/* json_index.cpp - simdjson's structural index behind a C interface.
 *
 * simdjson works in two stages: the first finds, with vector instructions, where
 * every token starts and checks UTF-8; the second builds a tree or walks values.
 * We use the first stage alone and walk the tokens ourselves (cursor.c), because
 *
 *  - its tree (dom) refuses a file with an integer beyond 64 bits;
 *  - its lazy walk (ondemand) does not check what it skips, and most of a Pod is
 *    skipped: a broken file would be accepted;
 *  - a walk in C over plain offsets serves YAML as well, can start at any token,
 *    and checks everything it passes at more than a gigabyte per second. */
#include "read/text/json_index.h"

#include <simdjson.h>

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <memory>
#include <new>

struct stow_json_index {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

/* The index of a large file is itself large; with small pages the kernel would be busy with page
 * faults longer than simdjson with the text. */
static void use_huge_pages(uint32_t *tokens, size_t count)
{
    const size_t page = 4096, huge = size_t(2) << 20;
    const size_t bytes = count * sizeof(*tokens);
    const size_t ahead = (page - reinterpret_cast<uintptr_t>(tokens) % page) % page;

    if (bytes > 4 * huge)
        madvise(reinterpret_cast<char *>(tokens) + ahead, (bytes - page) & ~(page - 1),
                MADV_HUGEPAGE);
}

/* simdjson makes a list of its implementations when it is asked for the best one first.  That
 * allocates a few texts where nothing may be thrown: without memory the program would end.  So the
 * memory is tried first.  What the allocator takes back it has at hand for the texts. */
static const simdjson::implementation *choose()
{
    void *tried = malloc(4096);

    if (!tried)
        return nullptr;
    free(tried);
    return simdjson::get_available_implementations().detect_best_supported();
}

static const simdjson::implementation *best_implementation()
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    static const simdjson::implementation *best;

    pthread_mutex_lock(&one_at_a_time);
    if (!best)
        best = choose();
    pthread_mutex_unlock(&one_at_a_time);
    return best;
}

/* An index that was used before has room for texts as long as before. */
static bool make_room(stow_json_index &index, size_t len)
{
    auto implementation = best_implementation();

    if (!implementation)
        return false;
    if (index.parser && index.parser->capacity() >= len)
        return true;
    if (implementation->create_dom_parser_implementation(len, 1, index.parser)) {
        index.parser.reset();
        return false;
    }
    use_huge_pages(index.parser->structural_indexes.get(), len);
    return true;
}

static enum stow_json_result build(const char *text, size_t len, stow_json_index &index)
{
    if (!make_room(index, len))
        return STOW_JSON_NO_MEMORY;

    auto error = index.parser->stage1(reinterpret_cast<const uint8_t *>(text), len,
                                      simdjson::stage1_mode::regular);

    if (error == simdjson::EMPTY)
        index.parser->n_structural_indexes = 0;
    else if (error)
        return STOW_JSON_BAD_TEXT;
    return STOW_JSON_OK;
}

extern "C" enum stow_json_result stow_json_index_build(const char *text, size_t len,
                                                       struct stow_json_index **index)
{
    if (len >= UINT32_MAX - 64)
        return STOW_JSON_TOO_LARGE;
    if (!*index)
        *index = new (std::nothrow) stow_json_index;
    if (!*index)
        return STOW_JSON_NO_MEMORY;
    try { /* simdjson's choice of an implementation allocates, and throws when it cannot */
        return build(text, len, **index);
    } catch (...) {
        return STOW_JSON_NO_MEMORY;
    }
}

extern "C" const uint32_t *stow_json_index_tokens(const struct stow_json_index *index,
                                                  uint32_t *ret_count)
{
    *ret_count = index->parser->n_structural_indexes;
    return index->parser->structural_indexes.get();
}

extern "C" void stow_json_index_free(struct stow_json_index *index)
{
    delete index;
}
