/* risk.c - how often capacity is taken away, in one unit.
 *
 * 7.5 % is 0.000108 per hour when AWS says it (a share of a month) and 0.078 per hour
 * when Azure does (a chance per hour): a factor of 720.  So no raw value is ever
 * compared with another; each is turned into lambda first.
 *
 * A share of 1 would mean an infinite lambda.  It is taken as all but one in 10^9,
 * which is as much as the rows can say anyway (they count in billionths). */
#include "price/risk.h"

#include <math.h>

#define BILLION 1e9

static double limited(double value, double low, double high)
{
    if (!(value > low)) /* also when it is not a number */
        return low;
    return value < high ? value : high;
}

bool stow_risk_share(const struct stow_risk_row *row, double *ret)
{
    bool open = row->high >= STOW_NANO_PER_UNIT && row->low < row->high;

    if (open && row->low <= 0)
        return false;
    if (open)
        *ret = limited((double)row->low * 1.5 / BILLION, 0.0, 1.0);
    else
        *ret = limited(((double)row->low + (double)row->high) / 2.0 / BILLION, 0.0, 1.0);
    return true;
}

double stow_risk_lambda(double share, double hours)
{
    return -log1p(-limited(share, 0.0, 1.0 - 1.0 / BILLION)) / limited(hours, 1e-6, 1e12);
}

bool stow_risk_row_lambda(const struct stow_risk_row *row, double *ret)
{
    double share;

    if (!stow_risk_share(row, &share))
        return false;
    *ret = stow_risk_lambda(share, row->unit == STOW_RATE_PER_HOUR ? 1.0 : STOW_RISK_MONTH);
    return true;
}

double stow_risk_rate(double lambda, double hours)
{
    return -expm1(-limited(lambda, 0.0, 1e12) * limited(hours, 0.0, 1e12));
}
