/* stowage.h - the whole of the library.
 *
 * Thread rules.  Prices and answers never change and may be used by any number of threads;
 * references are counted atomically.  A snapshot may be read by any number of threads, and asked
 * about by one at a time.  A question runs on the thread that asks it, and on threads that it
 * starts and ends itself.  A stow_stop may be used by any thread.  There is no global state: no
 * output, no exit, no signal handler, no environment variable is looked at. */
#ifndef STOWAGE_STOWAGE_H
#define STOWAGE_STOWAGE_H

#include <stowage/answer.h>
#include <stowage/ask.h>
#include <stowage/error.h>
#include <stowage/pricebook.h>
#include <stowage/rule.h>
#include <stowage/snapshot.h>
#include <stowage/text.h>
#include <stowage/verbs.h>

#endif
