/* pseudonym.h - words and the words that stand for them.
 *
 *     for all texts: stow_pseudonyms_note(&p, text);
 *     stow_pseudonyms_settle(&p, err);
 *     for all texts: stow_pseudonym(&p, text, &out);
 *
 * While texts are noted, stow_pseudonyms_note_set tells of the names of StatefulSets, and
 * `operated` that there are objects of the Prometheus operator.
 */
#ifndef STOW_SHARE_PSEUDONYM_H
#define STOW_SHARE_PSEUDONYM_H

#include <stowage/error.h>

#include "base/intern.h"
#include "base/str.h"

struct stow_pseudonyms {
    struct stow_intern word; /* by handle */
    struct stow_intern set;  /* names of StatefulSets: a number after one is an ordinal */
    uint32_t *rank;          /* by handle: place in the order of all words */
    uint32_t digits;         /* of a pseudonym */
    bool operated;           /* words that the Prometheus operator makes names of are kept */
    bool failed;
};

void stow_pseudonyms_done(struct stow_pseudonyms *p);

/* Notes the words of a text. */
void stow_pseudonyms_note(struct stow_pseudonyms *p, struct stow_str text);

void stow_pseudonyms_note_set(struct stow_pseudonyms *p, struct stow_str name);

/* Once all are noted: gives out the pseudonyms. */
int stow_pseudonyms_settle(struct stow_pseudonyms *p, struct stow_err *err);

/* Adds the text with its words replaced. */
void stow_pseudonym(const struct stow_pseudonyms *p, struct stow_str text, struct stow_buf *out);

#endif
