/* opencost_json.c - OpenCost's custom pricing: what a core, a GiB and a GPU cost per hour.
 *
 * The file that OpenCost reads for clusters without a price list (default.json): one object with
 * CPU, RAM, GPU, spotCPU, spotRAM and spotGPU, each a text or a number, of which an empty text
 * states nothing.  They price nodes that no row prices (rates.c).  Rates of storage and of the
 * network are not part of a node's price.  Values of OpenCost's Helm chart are per month, and not
 * in this form. */
#include "price/importers/importers.h"

enum { CPU, RAM, GPU, SPOT_CPU, SPOT_RAM, SPOT_GPU, CURRENCY, DISCOUNT, NEGOTIATED, MEMBERS };

static bool recognise(const struct stow_import_look *look)
{
    return look->json && !look->list && stow_look_has(look, "CPU", false) &&
           stow_look_has(look, "RAM", false);
}

/* A member that is there is a text or a number. */
static const struct stow_import_member *wrong_member(const struct stow_import_member *m)
{
    for (int i = 0; i <= CURRENCY; i++)
        if (m[i].token != STOW_TOKEN_TEXT && m[i].token != STOW_TOKEN_NUMBER &&
            m[i].token != STOW_TOKEN_END)
            return &m[i];
    return NULL;
}

/* "30%" is one, "", "0%" and "0.0" are none. */
static bool is_discount(struct stow_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] >= '1' && text.ptr[i] <= '9')
            return true;
    return false;
}

static int warn_discounts(struct stow_import_run *run, const struct stow_import_member *m,
                          struct stow_err *err)
{
    const bool plain = is_discount(m[DISCOUNT].value), agreed = is_discount(m[NEGOTIATED].value);
    const struct stow_import_member *one = &m[plain ? DISCOUNT : NEGOTIATED];

    if (plain && agreed)
        return stow_import_warn(run, err,
                                "discount %.*s and negotiatedDiscount %.*s are not used; state "
                                "them as discounts in a PriceBook",
                                STOW_FMT(m[DISCOUNT].value), STOW_FMT(m[NEGOTIATED].value));
    return plain || agreed
               ? stow_import_warn(run, err,
                                  "%s %.*s is not used; state it as a discount in a PriceBook",
                                  one->name, STOW_FMT(one->value))
               : STOW_OK;
}

static int keep_rates(struct stow_import_run *run, uint32_t line,
                      const struct stow_import_member *m, struct stow_err *err)
{
    const struct stow_import_member *wrong = wrong_member(m);
    struct stow_unit_texts texts[STOW_UNIT_COUNT];

    if (wrong)
        return stow_import_bad(run, wrong->line, err, "%s is %s, and not a number", wrong->name,
                               stow_token_name(wrong->token));
    for (int i = 0; i < STOW_UNIT_COUNT; i++)
        texts[i] = (struct stow_unit_texts){
            .plain = {m[CPU + i].name, m[CPU + i].value, m[CPU + i].line},
            .spot = {m[SPOT_CPU + i].name, m[SPOT_CPU + i].value, m[SPOT_CPU + i].line}};
    STOW_TRY(warn_discounts(run, m, err));
    return stow_import_units(run, line, m[CURRENCY].value, texts, err);
}

static int read_document(struct stow_import_run *run, struct stow_cursor *c)
{
    struct stow_import_member m[MEMBERS] = {
        [CPU] = {.name = "CPU"},
        [RAM] = {.name = "RAM"},
        [GPU] = {.name = "GPU"},
        [SPOT_CPU] = {.name = "spotCPU"},
        [SPOT_RAM] = {.name = "spotRAM"},
        [SPOT_GPU] = {.name = "spotGPU"},
        [CURRENCY] = {.name = "currencyCode"},
        [DISCOUNT] = {.name = "discount"},
        [NEGOTIATED] = {.name = "negotiatedDiscount"},
    };
    uint32_t line;
    const int is_row = stow_import_row(run, c, m, MEMBERS, false, &line);

    if (is_row <= 0)
        return is_row;
    return keep_rates(run, line, m, c->err);
}

static int read(struct stow_import_run *run, struct stow_err *err)
{
    return stow_import_documents(run, read_document, err);
}

const struct stow_importer stow_importer_opencost_json = {
    .name = "opencost-json",
    .summary = "OpenCost's custom pricing: rates per core, GiB and GPU",
    .recognise = recognise,
    .read = read,
};
