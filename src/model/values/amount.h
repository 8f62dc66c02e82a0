/* amount.h - amounts of resources as text. */
#ifndef STOW_MODEL_VALUES_AMOUNT_H
#define STOW_MODEL_VALUES_AMOUNT_H

#include "model/snapshot.h"

#define STOW_AMOUNT_TEXT 32

/* A quantity as Kubernetes writes it: "1930m", "7281Mi", "4". */
const char *stow_amount_exact(const struct stow_snapshot *s, stow_resource_id resource,
                              int64_t amount, char text[STOW_AMOUNT_TEXT]);

/* For people: cores as "1.93", bytes as "7.1Gi", devices as "4". */
const char *stow_amount_short(const struct stow_snapshot *s, stow_resource_id resource,
                              int64_t amount, char text[STOW_AMOUNT_TEXT]);

#endif
