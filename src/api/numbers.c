/* numbers.c - options that are numbers: counts, money, fractions, times. */
#include "api/numbers.h"

#include "model/values/quantity.h"

#define ONE INT64_C(1000000000)

int stow_call_whole(const struct stow_call *call, const char *option, int64_t max, int64_t *ret,
                    struct stow_err *err)
{
    const char *text = stow_call_value(call, option);

    if (!text)
        return STOW_OK;
    if (!stow_str_int(stow_str_of(text), ret) || *ret < 0 || *ret > max)
        return stow_fail(err, STOW_EINVAL, "--%s takes a whole number of 0 or more, not '%s'",
                         option, text);
    return STOW_OK;
}

int stow_call_money(const struct stow_call *call, const char *option, stow_nano *ret,
                    struct stow_err *err)
{
    const char *text = stow_call_value(call, option);
    struct stow_err why;

    if (!text || stow_money_parse(stow_str_of(text), ret, &why) >= 0)
        return STOW_OK;
    return stow_fail(err, STOW_EINVAL, "--%s takes an amount per hour such as 12.50, not '%s': %s",
                     option, text, why.msg);
}

int stow_call_fraction(const struct stow_call *call, const char *option, int64_t max, int64_t *ret,
                       struct stow_err *err)
{
    const char *text = stow_call_value(call, option);
    char most[STOW_MONEY_TEXT];
    struct stow_err why;

    if (!text)
        return STOW_OK;
    if (stow_money_parse(stow_str_of(text), ret, &why) < 0 || *ret > max)
        return stow_fail(err, STOW_EINVAL, "--%s takes a number from 0 to %s, not '%s'", option,
                         stow_money_short(max, most), text);
    return STOW_OK;
}

int stow_call_share(const struct stow_call *call, const char *option, int64_t *ret,
                    struct stow_err *err)
{
    const char *text = stow_call_value(call, option);
    struct stow_str number = stow_str_of(text);
    const bool percent = number.len && number.ptr[number.len - 1] == '%';
    struct stow_err why;
    int64_t value = 0;

    if (!text)
        return STOW_OK;
    number.len -= percent;
    if (stow_money_parse(number, &value, &why) < 0 || value > (percent ? 100 : 1) * ONE)
        return stow_fail(err, STOW_EINVAL,
                         "--%s takes a share from 0 to 1 or from 0%% to 100%%, not '%s'", option,
                         text);
    *ret = percent ? value / 100 : value;
    return STOW_OK;
}

/* The text before an ending; false: it does not end so. */
static bool ends_in(struct stow_str text, const char *ending, struct stow_str *ret)
{
    const struct stow_str end = stow_str_of(ending);

    if (text.len <= end.len ||
        !stow_str_eq((struct stow_str){text.ptr + text.len - end.len, end.len}, end))
        return false;
    *ret = (struct stow_str){text.ptr, text.len - end.len};
    return true;
}

static bool read_allowance(struct stow_str text, bool money, struct stow_allowance *ret)
{
    struct stow_str number;
    struct stow_err why;

    *ret = (struct stow_allowance){.kind = STOW_ALLOW_ANY};
    if (stow_str_is(text, "none"))
        return true;
    if (ends_in(text, "%", &number)) {
        ret->kind = STOW_ALLOW_SHARE;
        if (stow_money_parse(number, &ret->amount, &why) < 0)
            return false;
        ret->amount = (ret->amount + 99) / 100;
        return true;
    }
    if (ends_in(text, "/h", &number)) {
        ret->kind = STOW_ALLOW_MONEY;
        return money && stow_money_parse(number, &ret->amount, &why) >= 0;
    }
    ret->kind = STOW_ALLOW_COUNT;
    return stow_str_int(text, &ret->amount) && ret->amount >= 0 && ret->amount < UINT32_MAX;
}

int stow_call_allowance(const struct stow_call *call, const char *option, const char *of,
                        bool money, struct stow_allowance *ret, struct stow_err *err)
{
    const char *text = stow_call_value(call, option);

    if (!text || read_allowance(stow_str_of(text), money, ret))
        return STOW_OK;
    return stow_fail(err, STOW_EINVAL,
                     "--%s takes a number of %s (3), a share of them (10%%)%s or none, not '%s'",
                     option, of, money ? ", a cost per hour (4.50/h)" : "", text);
}

/* How many nano-units of a second one of this is; 0: no such unit. */
static double unit_of(struct stow_str unit)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (stow_str_is(unit, units[i].name))
            return units[i].seconds;
    return 0;
}

int stow_call_seconds(const struct stow_call *call, const char *option, double *ret,
                      struct stow_err *err)
{
    const char *text = stow_call_value(call, option);
    struct stow_str number, unit;
    struct stow_err why;
    stow_nano amount = 0;

    if (!text)
        return STOW_OK;
    number = unit = stow_str_of(text);
    while (number.len && (number.ptr[number.len - 1] < '0' || number.ptr[number.len - 1] > '9'))
        number.len--;
    unit.ptr += number.len;
    unit.len -= number.len;
    if (!number.len || stow_money_parse(number, &amount, &why) < 0 || unit_of(unit) == 0)
        return stow_fail(err, STOW_EINVAL, "--%s takes a time such as 10s, 500ms or 2m, not '%s'",
                         option, text);
    *ret = (double)amount * 1e-9 * unit_of(unit);
    return STOW_OK;
}

int stow_call_bad_quota(const char *text, const char *why, struct stow_err *err)
{
    return stow_fail(err, STOW_EINVAL,
                     "--quota takes a resource and an amount (cpu=64, memory=256Gi, nodes=20), "
                     "not '%s': %s",
                     text, why);
}

int stow_call_bytes(const struct stow_call *call, const char *option, int64_t *ret,
                    struct stow_err *err)
{
    const stow_i128 unit = 1000000000;
    const char *text = stow_call_value(call, option);
    struct stow_quantity size;

    if (!text)
        return STOW_OK;
    if (stow_quantity_parse(stow_str_of(text), &size) || size.nano < unit ||
        size.nano / unit > INT64_MAX)
        return stow_fail(err, STOW_EINVAL, "--%s takes a size such as 500Mi or 16Gi, not '%s'",
                         option, text);
    *ret = (int64_t)(size.nano / unit);
    return STOW_OK;
}

int stow_call_quota(const char *text, struct stow_str *ret_name, int64_t *ret_amount,
                    struct stow_err *err)
{
    struct stow_quantity amount;
    struct stow_str value;
    const struct stow_str name = stow_str_cut(stow_str_of(text), '=', &value);
    const stow_i128 unit = stow_str_is(name, "cpu") ? 1000000 : 1000000000;
    enum stow_quantity_error wrong;

    if (name.len == 0 || !value.ptr)
        return stow_call_bad_quota(text, "expected RESOURCE=AMOUNT", err);
    wrong = stow_quantity_parse(value, &amount);
    if (wrong)
        return stow_call_bad_quota(text, stow_quantity_error_text(wrong), err);
    if (amount.nano < 0)
        return stow_call_bad_quota(text, "the amount is below 0", err);
    if (stow_str_is(name, "nodes") && amount.nano % unit)
        return stow_call_bad_quota(text, "the number of nodes must be whole", err);
    *ret_name = name;
    *ret_amount = amount.nano / unit > INT64_MAX ? INT64_MAX : (int64_t)(amount.nano / unit);
    return STOW_OK;
}
