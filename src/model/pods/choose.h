/* choose.h - which pods a question is about.
 *
 * The others are set aside (STOW_POD_ASIDE): they occupy their nodes, keep their rules and stay
 * where they are; those without a node are left without. */
#ifndef STOW_MODEL_PODS_CHOOSE_H
#define STOW_MODEL_PODS_CHOOSE_H

#include "model/snapshot.h"

struct stow_choice_of_pods {
    const char *namespace; /* NULL: of all */
    const char *selector;  /* kubectl's syntax (selector.h); NULL: any labels */
};

/* Sets aside what is not chosen, of a snapshot that was just loaded and is not shared yet; warns of
 * pending pods among it.  STOW_ENOTFOUND: nothing is chosen, and what there is. */
int stow_snapshot_choose(struct stow_snapshot *s, const struct stow_choice_of_pods *choice,
                         struct stow_err *err);

/* Warns where no chosen pod has a label of this key, and says which there are. */
int stow_snapshot_note_label(struct stow_snapshot *s, struct stow_str key, struct stow_err *err);

#endif
