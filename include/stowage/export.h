/* export.h - symbol visibility and compiler attributes. */
#ifndef STOWAGE_EXPORT_H
#define STOWAGE_EXPORT_H

#define STOW_API            __attribute__((visibility("default")))
#define STOW_PRINTF(f, a)   __attribute__((format(printf, f, a)))
#define STOW_AUTO(cleanup_) __attribute__((cleanup(cleanup_)))

#endif
