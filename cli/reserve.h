/* reserve.h - memory for the moment when there is none. */
#ifndef STOW_CLI_RESERVE_H
#define STOW_CLI_RESERVE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps some memory back, and gives it to the first allocation of C++ that fails.  That is a
 * setting of the whole process, and therefore the program's business and not the library's. */
void stow_cli_reserve_memory(void);

#ifdef __cplusplus
}
#endif

#endif
