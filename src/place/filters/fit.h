/* fit.h - resources that a profile does not look at (ignoredResources of NodeResourcesFit). */
#ifndef STOW_PLACE_FILTERS_FIT_H
#define STOW_PLACE_FILTERS_FIT_H

#include "place/profiles/names.h"
#include "place/profiles/profile.h"

/* From now on these, which must live as long as the profile, and no others by name. */
void stow_fit_ignore(struct stow_profile *profile, const struct stow_name_list *names);

bool stow_fit_ignores(const struct stow_profile *profile, struct stow_str resource);

#endif
