/* aws_product.h - what AWS's price lists say of a product, whatever the form of the file.
 *
 * Kept are machines as Kubernetes nodes buy them: on-demand, shared tenancy, nothing installed
 * beforehand, capacity in use. */
#ifndef STOW_PRICE_IMPORTERS_AWS_PRODUCT_H
#define STOW_PRICE_IMPORTERS_AWS_PRODUCT_H

#include "price/importers/importers.h"

/* Attributes that decide; an empty one is not stated. */
struct stow_aws_product {
    struct stow_str type, region, system, tenancy, software, status, license, market;
};

/* The os of a machine that is kept; empty: the product is another one. */
struct stow_str stow_aws_product_os(const struct stow_aws_product *product);

/* A machine and its on-demand price, as texts. */
struct stow_aws_price {
    struct stow_str type, region, os, price, currency, since;
};

/* Keeps a price as a row; one without a region, without a price or with the price 0 is bad. */
int stow_aws_price_keep(struct stow_import_run *run, uint32_t line,
                        const struct stow_aws_price *price, struct stow_err *err);

#endif
