/* storage.c - how much storage a pod takes on its node. */
#include "place/storage.h"

#include "model/values/quantity.h"
#include "place/facts.h"

#define GIB ((stow_i128)1 << 30)

/* Rounded up to bytes; a plain number counts GiB. */
static bool parse(struct stow_str text, int64_t *ret)
{
    struct stow_quantity q;
    bool plain = text.len > 0 && (text.ptr[text.len - 1] == '.' ||
                                  (text.ptr[text.len - 1] >= '0' && text.ptr[text.len - 1] <= '9'));

    if (stow_quantity_parse(text, &q) != STOW_QUANTITY_OK || q.nano < 0)
        return false;
    if (!plain)
        *ret = stow_nano_value(q.nano, NULL);
    else if (q.nano > STOW_I128_MAX / GIB)
        *ret = INT64_MAX;
    else
        *ret = stow_nano_value(q.nano * GIB, NULL);
    return true;
}

static int64_t ephemeral_request(const struct stow_snapshot *s, stow_spec_id spec)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(s, s->demand[spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource == STOW_RESOURCE_EPHEMERAL)
            return list[i].value;
    return 0;
}

static bool states(const struct stow_snapshot *s, stow_blob labels, stow_blob annotations,
                   int64_t *ret)
{
    stow_sym value = stow_fact(s, s->keys.storage, labels, annotations);

    return value != STOW_NONE && parse(stow_text(s, value), ret);
}

int64_t stow_pod_storage(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    int64_t bytes;

    return states(s, pod->labels, pod->annotations, &bytes) ? bytes
                                                            : ephemeral_request(s, pod->spec);
}

bool stow_storage_stated(const struct stow_snapshot *s)
{
    int64_t bytes;

    for (stow_pod_id i = 0; i < s->pods; i++) {
        const struct stow_pod *pod = &s->pod[i];
        bool repeats =
            i > 0 && pod->labels == pod[-1].labels && pod->annotations == pod[-1].annotations;

        if (!repeats && states(s, pod->labels, pod->annotations, &bytes))
            return true;
    }
    return false;
}
