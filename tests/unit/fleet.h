/* fleet.h - a fleet that is open while a test divides it. */
#ifndef TESTS_UNIT_FLEET_H
#define TESTS_UNIT_FLEET_H

#include "tests/unit/load.h"

#include "divide/cost/price.h"

static struct stow_snapshot *s;
static struct stow_divider *divider;
static struct stow_divide_costs *costs;
static struct stow_err err;

static void close_fleet(void)
{
    stow_divide_costs_free(costs);
    stow_divider_free(divider);
    stow_snapshot_unref(s);
    costs = NULL;
    divider = NULL;
    s = NULL;
}

static void open_fleet(const char *text, const struct stow_divide_policy *policy)
{
    close_fleet();
    s = load_yaml(text);
    assert_int_equal(stow_divider_new(s, &divider, &err), 0);
    assert_int_equal(stow_divide_costs_new(s, policy, &costs, &err), 0);
}

#endif
