/* stop.c - a search that the user ends: the first Ctrl-C or SIGTERM asks for the best answer so
 * far, the second one kills. */
#include "cli/stop.h"

#include <signal.h>
#include <stddef.h>

static const int signals[] = {SIGINT, SIGTERM};

#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct stow_stop *searching; /* set while there is a handler */

static void stop(int signal)
{
    (void)signal;
    stow_stop_request(searching);
}

/* A signal that is ignored stays ignored: a shell does that for what runs in the background. */
static void set_handler(int number, void (*handler)(int))
{
    /* the second signal finds no handler, and kills */
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    struct sigaction old;

    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void stow_cli_search_begin(struct stow_stop *wish)
{
    searching = wish;
    for (size_t i = 0; i < SIGNALS; i++)
        set_handler(signals[i], stop);
}

void stow_cli_search_end(void)
{
    for (size_t i = 0; i < SIGNALS; i++)
        set_handler(signals[i], SIG_DFL);
}
