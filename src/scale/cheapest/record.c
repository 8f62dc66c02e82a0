/* record.c - what a session has bought and put, to be done again without asking anybody.
 *
 * Realizing asks the rules for every pod, several times over.  What came out needs no asking: the
 * same nodes and pods in the same order are accepted as they were. */
#include "scale/cheapest/record.h"

#include <stdlib.h>
#include <string.h>

void stow_record_done(struct stow_record *record)
{
    free(record->group);
    free(record->put);
    memset(record, 0, sizeof(*record));
}

int stow_record_take(const struct stow_session *session, struct stow_record *ret)
{
    const struct stow_yard *yard = session->yard;

    stow_record_done(ret);
    ret->nodes = yard->nodes - yard->real;
    ret->puts = session->puts;
    ret->group = malloc(((size_t)ret->nodes + 1) * sizeof(*ret->group));
    ret->put = malloc(((size_t)ret->puts + 1) * sizeof(*ret->put));
    if (!ret->group || !ret->put)
        return STOW_ENOMEM;
    if (ret->nodes)
        memcpy(ret->group, yard->group_of, ret->nodes * sizeof(*ret->group));
    if (ret->puts)
        memcpy(ret->put, session->put, ret->puts * sizeof(*ret->put));
    return STOW_OK;
}

/* Buys until the yard has this many nodes. */
static int buy_up_to(const struct stow_record *record, struct stow_session *session, uint32_t nodes)
{
    const struct stow_yard *yard = session->yard;

    while (yard->nodes < nodes)
        if (stow_session_buy(session, record->group[yard->nodes - yard->real]) == STOW_NONE)
            return STOW_ENOMEM;
    return STOW_OK;
}

int stow_record_replay(const struct stow_record *record, struct stow_session *session)
{
    for (uint32_t i = 0; i < record->puts; i++) {
        const struct stow_put *put = &record->put[i];

        STOW_TRY(buy_up_to(record, session, put->nodes));
        STOW_TRY(stow_session_put(session, put->pod, put->count, put->node));
        session->class_put[session->yard->class_of[put->pod[0]]] += put->count;
    }
    return buy_up_to(record, session, session->yard->real + record->nodes);
}
