/* scaling_advisor.c - the list that Gardener's scaling-advisor reads.
 *
 * A JSON list of {instanceType, region, os, vcpu, memory, hourlyPrice}; the letter
 * case of keys does not matter to its own reader, so not to this one.  Prices are
 * on-demand.  Sizes in the file only describe.  A row without a price is a bad
 * row: there it would read as 0. */
#include "price/importers/importers.h"

enum { TYPE, REGION, OS, PRICE, MEMBERS };

static bool recognise(const struct stow_import_look *look)
{
    return look->json && look->list && stow_look_has(look, "instanceType", true) &&
           stow_look_has(look, "hourlyPrice", true);
}

static int keep_row(struct stow_import_run *run, uint32_t line, const struct stow_import_member *m,
                    struct stow_err *err)
{
    const struct stow_row_texts texts = {
        .region = m[REGION].value,
        .instance_type = m[TYPE].value,
        .os = m[OS].value,
        .price = m[PRICE].value,
        .capacity_type = STOW_CAPACITY_ON_DEMAND,
    };

    for (int i = 0; i < MEMBERS; i++)
        if (m[i].token == STOW_TOKEN_OBJECT || m[i].token == STOW_TOKEN_ARRAY ||
            m[i].token == STOW_TOKEN_BOOL)
            return stow_import_bad(run, line, err, "%s is %s", m[i].name,
                                   stow_token_name(m[i].token));
    if (m[PRICE].token == STOW_TOKEN_END)
        return stow_import_bad(run, line, err, "hourlyPrice is missing");
    return stow_import_price(run, line, &texts, err);
}

static int read_row(struct stow_cursor *c, void *into)
{
    struct stow_import_run *run = into;
    struct stow_import_member m[MEMBERS] = {
        [TYPE] = {.name = "instanceType"},
        [REGION] = {.name = "region"},
        [OS] = {.name = "os"},
        [PRICE] = {.name = "hourlyPrice"},
    };
    uint32_t line;
    const int is_row = stow_import_row(run, c, m, MEMBERS, true, &line);

    if (is_row <= 0)
        return is_row;
    return keep_row(run, line, m, c->err);
}

static int read_document(struct stow_import_run *run, struct stow_cursor *c)
{
    return stow_cursor_items(c, read_row, run);
}

static int read(struct stow_import_run *run, struct stow_err *err)
{
    return stow_import_documents(run, read_document, err);
}

const struct stow_importer stow_importer_scaling_advisor = {
    .name = "scaling-advisor",
    .summary = "the JSON list of Gardener's scaling-advisor",
    .recognise = recognise,
    .read = read,
};
