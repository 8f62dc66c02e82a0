/* cmd_price.h - what the verbs below `stowage price` share: which offerings are asked for. */
#ifndef STOW_CLI_CMD_PRICE_H
#define STOW_CLI_CMD_PRICE_H

#include "cli/cli.h"
#include "cli/output.h"
#include "price/pricing.h"

extern const struct stow_cli_verb stow_verb_price;

int stow_price_list(struct stow_cli *cli, struct stow_err *err);
int stow_price_get(struct stow_cli *cli, struct stow_err *err);
int stow_price_history(struct stow_cli *cli, struct stow_err *err);
int stow_price_import(struct stow_cli *cli, struct stow_err *err);

/* The prices that the options name. */
struct stow_price_sources {
    struct stow_snapshot *documents; /* of -f, or NULL */
    struct stow_pricing pricing;
};

int stow_price_open(struct stow_cli *cli, struct stow_price_sources *ret, struct stow_err *err);
void stow_price_close(struct stow_price_sources *sources);

/* What the options ask for: empty texts and STOW_CAPACITY_ANY are not asked. */
struct stow_price_asked {
    struct stow_offer_texts offer;
    stow_time at;   /* --at, else now */
    int64_t window; /* seconds */
};

int stow_price_asked_read(const struct stow_cli *cli, struct stow_price_asked *ret,
                          struct stow_err *err);

/* Offerings that fit what is asked, with their prices now. */
struct stow_price_offers {
    struct stow_books_row *item;
    uint32_t count, cap;
};

/* All offerings of the instance type asked, in order of their texts; STOW_ENOTFOUND and a hint when
 * there are none. */
int stow_price_offers_find(struct stow_cli *cli, const struct stow_pricing *pricing,
                           const struct stow_price_asked *asked, struct stow_price_offers *ret,
                           struct stow_err *err);
void stow_price_offers_done(struct stow_price_offers *offers);

/* The order of offerings: provider, type, region, zone, os, capacity type. */
int stow_price_offer_cmp(const struct stow_offer_texts *a, const struct stow_offer_texts *b);

/* The head of an answer, and the fields that name an offering and its price. */
struct stow_value *stow_price_answer(struct stow_doc *doc, const char *kind);
void stow_price_value(struct stow_doc *doc, struct stow_value *object,
                      const struct stow_books_row *found);
struct stow_value *stow_price_text(struct stow_doc *doc, struct stow_str text); /* empty: null */
struct stow_value *stow_price_time(struct stow_doc *doc, stow_time at);         /* always: null */

#endif
