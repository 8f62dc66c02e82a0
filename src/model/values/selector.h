/* selector.h - label selectors as kubectl writes them: a=b,c!=d,e in (x,y),!f,g. */
#ifndef STOW_MODEL_VALUES_SELECTOR_H
#define STOW_MODEL_VALUES_SELECTOR_H

#include "model/snapshot.h"

/* Makes a selector of the text, in the snapshot's tables; an empty text selects everything.  The
 * error says what was expected where.  The grammar is that of apimachinery's labels.Parse: also
 * ==, notin, x>1 and x<1, blanks anywhere between words. */
int stow_selector_parse(struct stow_snapshot *s, struct stow_str text, stow_blob *ret,
                        struct stow_err *err);

#endif
