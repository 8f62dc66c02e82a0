/* aws_product.c - which of AWS's products are machines for nodes, and their prices as rows. */
#include "price/importers/aws_product.h"

static const struct {
    const char *system;
    struct stow_str os;
} systems[] = {{"Linux", {"linux", 5}},
               {"Windows", {"windows", 7}},
               {"RHEL", {"rhel", 4}},
               {"SUSE", {"suse", 4}}};

static struct stow_str os_of(struct stow_str system)
{
    for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
        if (stow_str_is(system, systems[i].system))
            return systems[i].os;
    return STOW_STR("");
}

/* An attribute that is absent says nothing against it. */
static bool is_or_absent(struct stow_str text, const char *wanted)
{
    return !text.len || stow_str_is(text, wanted);
}

struct stow_str stow_aws_product_os(const struct stow_aws_product *product)
{
    const bool is_wanted = product->type.len && is_or_absent(product->tenancy, "Shared") &&
                           is_or_absent(product->software, "NA") &&
                           is_or_absent(product->status, "Used") &&
                           is_or_absent(product->market, "OnDemand") &&
                           !stow_str_is(product->license, "Bring your own license");

    return is_wanted ? os_of(product->system) : STOW_STR("");
}

static bool is_zero(struct stow_str price)
{
    for (size_t i = 0; i < price.len; i++)
        if (price.ptr[i] != '0' && price.ptr[i] != '.')
            return false;
    return true;
}

int stow_aws_price_keep(struct stow_import_run *run, uint32_t line,
                        const struct stow_aws_price *price, struct stow_err *err)
{
    const struct stow_row_texts texts = {
        .provider = STOW_STR("aws"),
        .region = price->region,
        .instance_type = price->type,
        .os = price->os,
        .currency = price->currency,
        .effective = price->since,
        .price = price->price,
        .capacity_type = STOW_CAPACITY_ON_DEMAND,
    };

    if (!price->region.len)
        return stow_import_bad(run, line, err, "%.*s has no region code", STOW_FMT(price->type));
    if (!price->price.len)
        return stow_import_bad(run, line, err, "%.*s in %.*s has no OnDemand price",
                               STOW_FMT(price->type), STOW_FMT(price->region));
    if (is_zero(price->price))
        return stow_import_bad(run, line, err, "the price of %.*s in %.*s is 0",
                               STOW_FMT(price->type), STOW_FMT(price->region));
    return stow_import_price(run, line, &texts, err);
}
