/* version.h - the version of the command, from the build. */
#ifndef STOW_CLI_VERSION_H
#define STOW_CLI_VERSION_H

#ifndef STOW_VERSION
#define STOW_VERSION "0.1.0"
#endif

#endif
