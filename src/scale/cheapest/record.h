/* record.h - what a session has bought and put, to be done again without asking anybody. */
#ifndef STOW_SCALE_CHEAPEST_RECORD_H
#define STOW_SCALE_CHEAPEST_RECORD_H

#include "scale/session.h"

/* Zeroed is a record of nothing. */
struct stow_record {
    stow_group_id *group; /* per node bought, in order */
    struct stow_put *put;
    uint32_t nodes, puts;
};

void stow_record_done(struct stow_record *record);

/* All that the session has; `ret` is replaced.  < 0: out of memory. */
int stow_record_take(const struct stow_session *session, struct stow_record *ret);

/* The same again, node by node and pod by pod, in a session of the same yard that has nothing. */
int stow_record_replay(const struct stow_record *record, struct stow_session *session);

#endif
