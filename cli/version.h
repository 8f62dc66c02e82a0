/* version.h - the version of the command, from the build. */
#ifndef STOW_CLI_VERSION_H
#define STOW_CLI_VERSION_H

#if __has_include("cli/build_version.h")
#include "cli/build_version.h"
#endif

#ifndef STOW_VERSION
#define STOW_VERSION "0.1.0"
#endif

#endif
