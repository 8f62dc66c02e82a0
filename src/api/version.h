/* version.h - the version of the library, from the build. */
#ifndef STOW_API_VERSION_H
#define STOW_API_VERSION_H

#if __has_include("api/build_version.h")
#include "api/build_version.h"
#endif

#ifndef STOW_VERSION
#define STOW_VERSION "0.1.0"
#endif

#endif
