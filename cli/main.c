/* main.c - the command. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/call.h"
#include "cli/reserve.h"

/* With stdin, stdout or stderr closed, the next file opened would take its number and receive what
 * was meant for it: put a file there that cannot be written. */
static int keep_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0)
        return -1;
    return close(fd);
}

int main(int argc, char **argv)
{
    if (keep_standard_streams() < 0)
        return EXIT_FAILURE;
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away is seen when writing */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow any more */
    stow_cli_reserve_memory();
    return stow_cli_main(stow_cli_verbs(), argc > 0 ? argc - 1 : 0, (const char *const *)argv + 1,
                         stdout, stderr);
}
