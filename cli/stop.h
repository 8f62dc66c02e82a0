/* stop.h - a search that the user ends: the first Ctrl-C or SIGTERM asks for the best answer so
 * far, the second one kills. */
#ifndef STOW_CLI_STOP_H
#define STOW_CLI_STOP_H

#include <stowage/ask.h>

/* Around a search, which `wish` ends.  Outside of it signals kill, as usual. */
void stow_cli_search_begin(struct stow_stop *wish);
void stow_cli_search_end(void);

#endif
