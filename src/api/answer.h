/* answer.h - an answer: what was asked, and what the verb has found. */
#ifndef STOW_API_ANSWER_H
#define STOW_API_ANSWER_H

#include <stdatomic.h>

#include "api/call.h"

#define STOW_ANSWER_ALIVE UINT32_C(0x73746f77)

struct stow_answer {
    uint32_t alive; /* STOW_ANSWER_ALIVE; else it is none, or freed */
    atomic_uint refs;
    struct stow_call call;
    const struct stow_verb_work *work;
    void *state;
    struct stow_rules *rules; /* a reference: writing may ask them again; or NULL */
    struct stow_figures figures;
    int status;
    struct stow_err why; /* of a status below 0 */
};

/* Works out the figures of an answer that was just found. */
void stow_answer_figure(struct stow_answer *answer);

/* Half-made ones, too. */
void stow_answer_free(struct stow_answer *answer);

#endif
