/* profiles.h - a file with profiles: it is read or refused, and what is read is whole. */
#ifndef TESTS_FUZZ_PROFILES_H
#define TESTS_FUZZ_PROFILES_H

/* The file at `path`, with --strict and without. */
void fuzz_profiles(const char *path);

#endif
