/* handle_karpenter_budgets.c - how many nodes of a pool may be disrupted (family karpenter). */
#include <stdio.h>

#include "model/karpenter/disruption.h"
#include "tests/conformance/conformance.h"
#include "tests/conformance/names.h"

/* A pool with the budgets of the case. */
static int load_pool(struct stow_conf_case *c, struct stow_snapshot **ret, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_buf_printf(&text,
                    "{\"apiVersion\":\"karpenter.sh/v1\",\"kind\":\"NodePool\",\"metadata\":{"
                    "\"name\":\"x\"},\"spec\":{\"template\":{\"spec\":{\"requirements\":[],"
                    "\"nodeClassRef\":{\"group\":\"karpenter.k8s.aws\",\"kind\":\"EC2NodeClass\","
                    "\"name\":\"x\"}}},\"disruption\":{\"budgets\":%.*s}}}",
                    STOW_FMT(stow_view_raw(stow_conf_get(c, "budgets"))));
    if (text.failed)
        return stow_fail_memory(err);
    return stow_snapshot_load_text("pool.json", text.ptr, text.len, &stow_conf_as_given, ret, err);
}

static int run_budgets(struct stow_conf_case *c, struct stow_err *err)
{
    const struct stow_view expected = stow_conf_get(c, "expected");
    struct stow_snapshot *s = NULL;
    int64_t nodes = 0, disrupting = 0;
    stow_time now;

    stow_view_int(stow_conf_get(c, "nodes"), &nodes);
    stow_view_int(stow_conf_get(c, "disrupting"), &disrupting);
    if (!stow_time_parse(stow_conf_text(c, stow_conf_get(c, "now")), &now))
        return stow_fail(err, STOW_EPARSE, "now is no time");
    STOW_TRY(load_pool(c, &s, err));
    for (uint32_t i = 0; s && i < STOW_DISRUPTION_REASONS; i++) {
        const struct stow_view of = stow_view_get(expected, stow_disruption_reason_name[i]);
        const struct stow_disruption got = stow_disruption_of(
            s, s->node_pool[0].budgets, (uint32_t)nodes, (uint32_t)disrupting, i, now);

        stow_conf_same_int(c, "allowed", stow_view_get(of, "allowed"), got.allowed);
        stow_conf_same_int(c, "remaining", stow_view_get(of, "remaining"), got.remaining);
    }
    stow_snapshot_unref(s);
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_karpenter_budgets[] = {
    {"budgets", "karpenter", run_budgets},
    {NULL, NULL, NULL},
};
