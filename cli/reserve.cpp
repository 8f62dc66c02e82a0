/* reserve.cpp - memory for the moment when there is none.
 *
 * RE2 and simdjson, which are written in C++, end the process at a few places where an allocation
 * fails.  The library asks for the memory beforehand, and that suffices unless another thread takes
 * it in between.  The command goes one step further: it keeps memory back and gives it to the first
 * allocation that fails; the next one throws as usual, and the library reports it.  The memory is
 * not touched before, so that it costs a range of addresses only. */
#include "cli/reserve.h"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<void *> kept;

static void give_back()
{
    void *memory = kept.exchange(nullptr);

    if (!memory)
        throw std::bad_alloc();
    free(memory);
}

extern "C" void stow_cli_reserve_memory(void)
{
    kept = malloc(size_t(8) << 20);
    std::set_new_handler(give_back);
}
