/* equinix.c - the price model of the Cluster Autoscaler for Equinix Metal. */
#include "tests/conformance/equinix.h"

#include "price/models/gce_tables.h"

const struct stow_gce_rates stow_conf_equinix_rates = {.cpu = 0.005208, .memory = 0.003815};

double stow_conf_equinix_node_price(const struct stow_snapshot *s, const struct stow_node *node)
{
    stow_sym plan = stow_label_value(s, node->labels, STOW_SYM_INSTANCE_TYPE_BETA);

    for (uint32_t i = 0; plan != STOW_NONE && i < stow_equinix_plan.rows; i++)
        if (stow_str_is(stow_text(s, plan), stow_equinix_plan.row[i].name))
            return stow_equinix_plan.row[i].on_demand;
    return 0;
}
