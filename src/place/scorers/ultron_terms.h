/* ultron_terms.h - the six terms of Ultron's score, under every rule that the scorer `ultron`
 * knows.
 *
 *     total = alpha * fit + beta * disk + gamma * network
 *             + delta * price - epsilon * penalty + zeta * priority
 *
 * The document that describes them contradicts itself; each contradiction is a
 * switch, and a mode is a setting of all of them (ultron.c).  Unknown is NAN
 * on the way in and never on the way out: a term that cannot be computed is
 * neutral, or what upstream's guard against zero makes of it, and says so.
 *
 * The terms are inline because they are computed for every class of pods on every
 * node; `flag` may be NULL, and is left alone when there is nothing to say. */
#ifndef STOW_PLACE_SCORERS_ULTRON_TERMS_H
#define STOW_PLACE_SCORERS_ULTRON_TERMS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "place/facts.h"

enum stow_ultron_mode {
    STOW_ULTRON_LITERAL,
    STOW_ULTRON_CORRECTED,
    STOW_ULTRON_UPSTREAM,
    STOW_ULTRON_ECONOMIC,
};

enum stow_ultron_fit { STOW_ULTRON_SPREAD, STOW_ULTRON_PACK };
enum stow_ultron_formula { STOW_ULTRON_MEDIAN_OVER_PRICE, STOW_ULTRON_PRICE_OVER_MEDIAN };
enum stow_ultron_ref { STOW_ULTRON_OWN_MEDIAN, STOW_ULTRON_ON_DEMAND, STOW_ULTRON_FLEET };
enum stow_ultron_penalty { STOW_ULTRON_PENALTY_ALL, STOW_ULTRON_PENALTY_SPOT };
enum stow_ultron_importance {
    STOW_ULTRON_IMPORTANCE_CONSTANT,
    STOW_ULTRON_IMPORTANCE_MATCH,
    STOW_ULTRON_IMPORTANCE_REQUIRED, /* scored as match; a filter does the rest */
};
enum stow_ultron_untyped { STOW_ULTRON_UNTYPED_EQUAL, STOW_ULTRON_UNTYPED_ZERO };
enum stow_ultron_unknown { STOW_ULTRON_UNKNOWN_ZERO, STOW_ULTRON_UNKNOWN_NEUTRAL };

enum stow_ultron_term {
    STOW_ULTRON_TERM_FIT,
    STOW_ULTRON_TERM_DISK,
    STOW_ULTRON_TERM_NETWORK,
    STOW_ULTRON_TERM_PRICE,
    STOW_ULTRON_TERM_PENALTY, /* subtracted */
    STOW_ULTRON_TERM_PRIORITY,
    STOW_ULTRON_TERMS,
};

/* The rules in force. */
struct stow_ultron_rules {
    enum stow_ultron_mode mode;
    enum stow_ultron_fit fit;
    enum stow_ultron_formula price_formula;
    enum stow_ultron_ref price_ref;
    enum stow_ultron_penalty penalty_on;
    enum stow_ultron_importance priority;
    enum stow_ultron_untyped untyped;
    enum stow_ultron_unknown unknown;
    double price_clamp, penalty_cap; /* INFINITY: none */
    double weight[STOW_ULTRON_TERMS];
    double hours_lost; /* per interruption; economic */
};

/* The rules of a mode, with the default weights. */
struct stow_ultron_rules stow_ultron_mode_rules(enum stow_ultron_mode mode);

/* What a term is called in explanations. */
const char *stow_ultron_term_name(enum stow_ultron_mode mode, enum stow_ultron_term term);

/* Money and risk of one node. */
struct stow_ultron_offer {
    double price, median,
        reference; /* NAN: unknown; the reference is what prices are held against */
    double rate;   /* interruptions, 0..1; NAN: unknown */
    bool spot;
};

static inline void stow_ultron_say(const char **flag, const char *text)
{
    if (flag)
        *flag = text;
}

/* What the pod leaves of one resource, or takes of it; 0 when there is none. */
static inline double stow_ultron_fit_of(enum stow_ultron_fit fit, double available,
                                        double requested, double total)
{
    double left = (available - requested) / (total > 0 ? total : 1);

    return total > 0 ? (fit == STOW_ULTRON_PACK ? 1 - left : left) : 0;
}

/* Types as texts' handles: STOW_NONE not stated, 0 empty. */
static inline double stow_ultron_type(const struct stow_ultron_rules *rules, stow_sym wanted,
                                      stow_sym has)
{
    if (wanted == STOW_NONE)
        wanted = 0;
    if (has == STOW_NONE)
        has = 0;
    if (wanted == 0 && rules->untyped == STOW_ULTRON_UNTYPED_ZERO)
        return 0;
    return wanted == has;
}

/* With upstream's guards: unknown counts as 0, and 0 below the line gives 0. */
static inline double stow_ultron_price_guarded(const struct stow_ultron_rules *rules, double price,
                                               double reference, const char **flag)
{
    bool upside_down = rules->price_formula == STOW_ULTRON_MEDIAN_OVER_PRICE;
    double over, under;

    if (isnan(price)) {
        stow_ultron_say(flag, "price unknown: counts as 0");
        price = 0;
    } else if (isnan(reference)) {
        stow_ultron_say(flag, "median unknown: counts as 0");
    }
    reference = isnan(reference) ? 0 : reference;
    over = upside_down ? reference : price;
    under = upside_down ? price : reference;
    return under > 0 ? 1 - over / under : 0;
}

static inline double stow_ultron_price_neutral(const struct stow_ultron_rules *rules, double price,
                                               double reference, const char **flag)
{
    if (isnan(price)) {
        stow_ultron_say(flag, "price unknown: neutral");
        return 0;
    }
    if (price <= 0) {
        stow_ultron_say(flag, "free");
        return rules->price_formula == STOW_ULTRON_PRICE_OVER_MEDIAN;
    }
    if (isnan(reference) || reference <= 0) {
        stow_ultron_say(flag, "median unknown: neutral");
        return 0;
    }
    return rules->price_formula == STOW_ULTRON_PRICE_OVER_MEDIAN ? 1 - price / reference
                                                                 : 1 - reference / price;
}

static inline double stow_ultron_price(const struct stow_ultron_rules *rules, double price,
                                       double reference, const char **flag)
{
    double value = rules->unknown == STOW_ULTRON_UNKNOWN_ZERO
                       ? stow_ultron_price_guarded(rules, price, reference, flag)
                       : stow_ultron_price_neutral(rules, price, reference, flag);

    if (value > rules->price_clamp)
        return rules->price_clamp;
    return value < -rules->price_clamp ? -rules->price_clamp : value;
}

/* As Ultron's code has it since the rate moved below the line. */
static inline double stow_ultron_penalty_upstream(const struct stow_ultron_offer *o,
                                                  const char **flag)
{
    if (isnan(o->price) || isnan(o->median))
        stow_ultron_say(flag, "price or median unknown: counts as 0");
    else if (isnan(o->rate))
        stow_ultron_say(flag, "interruption rate unknown: counts as none");
    /* Comparisons with NAN are false, so unknown ends here too. */
    if (!(o->price > 0) || !(o->median > 0) || !(o->rate >= 0))
        return 0;
    return o->price / (o->median + o->rate);
}

/* The price against its median; what is not known counts as the usual price, or as 0. */
static inline double stow_ultron_price_ratio(const struct stow_ultron_rules *rules,
                                             const struct stow_ultron_offer *o, const char **flag)
{
    bool zero = rules->unknown == STOW_ULTRON_UNKNOWN_ZERO;

    if (isnan(o->price) || !(o->median > 0)) {
        stow_ultron_say(flag, zero ? "price or median unknown: counts as 0"
                                   : "price or median unknown: counts as the usual price");
        return zero ? 0 : 1;
    }
    return o->price / o->median;
}

static inline double stow_ultron_penalty_of(const struct stow_ultron_rules *rules,
                                            const struct stow_ultron_offer *o, const char **flag)
{
    double ratio;

    if (rules->mode == STOW_ULTRON_UPSTREAM)
        return stow_ultron_penalty_upstream(o, flag);
    if (rules->penalty_on == STOW_ULTRON_PENALTY_SPOT && !o->spot)
        return 0;
    if (isnan(o->rate)) {
        stow_ultron_say(flag, "interruption rate unknown: counts as 0");
        return 0;
    }
    ratio = stow_ultron_price_ratio(rules, o, flag);
    return o->rate * (ratio > rules->penalty_cap ? rules->penalty_cap : ratio);
}

static inline double stow_ultron_priority_of(const struct stow_ultron_rules *rules, bool high,
                                             bool spot)
{
    return rules->priority == STOW_ULTRON_IMPORTANCE_CONSTANT ? high : high != spot;
}

/* What an hour on the node costs with the work that interruptions lose, per hour; NAN: unknown. */
static inline double stow_ultron_effective_price(const struct stow_ultron_rules *rules,
                                                 const struct stow_ultron_offer *o,
                                                 const char **flag)
{
    double rate = o->spot ? o->rate : 0;

    if (isnan(o->price))
        stow_ultron_say(flag, "price unknown: after every priced node");
    else if (isnan(rate))
        stow_ultron_say(flag, "interruption rate unknown: counts as 0");
    if (isnan(rate))
        rate = 0;
    rate = rate > 0.999999 ? 0.999999 : rate;
    return o->price * (1 + -log1p(-rate) / 720 * rules->hours_lost);
}

#endif
