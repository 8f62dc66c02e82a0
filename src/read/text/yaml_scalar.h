/* yaml_scalar.h - what a plain YAML scalar means, the way kubectl reads it. */
#ifndef STOW_READ_TEXT_YAML_SCALAR_H
#define STOW_READ_TEXT_YAML_SCALAR_H

#include "base/str.h"

enum stow_yaml_kind {
    STOW_YAML_TEXT,
    STOW_YAML_NULL,
    STOW_YAML_TRUE,
    STOW_YAML_FALSE,
    STOW_YAML_NUMBER,
    STOW_YAML_NOT_FINITE,
};

/* Decides what `plain` (not quoted, no tag) is.  For a number, writes it as JSON into `number`. */
enum stow_yaml_kind stow_yaml_resolve(struct stow_str plain, struct stow_buf *number);

#endif
