/* known.h - words that everybody has: of Kubernetes' API, of providers and of drivers.
 *
 * A text that is in one of these lists says nothing about its owner. */
#ifndef STOW_SHARE_KNOWN_H
#define STOW_SHARE_KNOWN_H

#include <stdbool.h>

#include "base/str.h"

/* Whether `text` is in a list that is ended by NULL. */
bool stow_is_listed(struct stow_str text, const char *const *list);

/* Phases, policies, types of conditions, kinds: CamelCase words of the API. */
bool stow_is_api_word(struct stow_str text);

/* v1, apps/v1, karmada.io's and other public groups. */
bool stow_is_public_api(struct stow_str version);

/* Domains of label keys and resources: of Kubernetes, of a provider or of a device. */
bool stow_is_public_domain(struct stow_str domain);

/* What stands before :// in a machine's providerID, or is called a provider. */
bool stow_is_public_provider(struct stow_str name);

/* Names of storage drivers and provisioners. */
bool stow_is_public_driver(struct stow_str name);

/* Of node-role.kubernetes.io/ROLE. */
bool stow_is_public_role(struct stow_str role);

#endif
