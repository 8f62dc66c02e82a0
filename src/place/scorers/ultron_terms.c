/* ultron_terms.c - the modes of Ultron's score, and what its terms are called. */
#include "place/scorers/ultron_terms.h"

#define DEFAULT_WEIGHTS              \
    {                                \
        1.0, 0.5, 0.5, 1.0, 1.0, 0.8 \
    }

/* To the letter of the document, with upstream's guards against zero. */
static const struct stow_ultron_rules literal = {
    .mode = STOW_ULTRON_LITERAL,
    .fit = STOW_ULTRON_SPREAD,
    .price_formula = STOW_ULTRON_MEDIAN_OVER_PRICE,
    .price_ref = STOW_ULTRON_OWN_MEDIAN,
    .penalty_on = STOW_ULTRON_PENALTY_ALL,
    .priority = STOW_ULTRON_IMPORTANCE_CONSTANT,
    .untyped = STOW_ULTRON_UNTYPED_EQUAL,
    .unknown = STOW_ULTRON_UNKNOWN_ZERO,
    .price_clamp = INFINITY,
    .penalty_cap = INFINITY,
    .weight = DEFAULT_WEIGHTS,
    .hours_lost = 0.5,
};

/* What the document means by its own words. */
static const struct stow_ultron_rules corrected = {
    .mode = STOW_ULTRON_CORRECTED,
    .fit = STOW_ULTRON_PACK,
    .price_formula = STOW_ULTRON_PRICE_OVER_MEDIAN,
    .price_ref = STOW_ULTRON_OWN_MEDIAN,
    .penalty_on = STOW_ULTRON_PENALTY_SPOT,
    .priority = STOW_ULTRON_IMPORTANCE_MATCH,
    .untyped = STOW_ULTRON_UNTYPED_ZERO,
    .unknown = STOW_ULTRON_UNKNOWN_NEUTRAL,
    .price_clamp = 1,
    .penalty_cap = 2,
    .weight = DEFAULT_WEIGHTS,
    .hours_lost = 0.5,
};

struct stow_ultron_rules stow_ultron_mode_rules(enum stow_ultron_mode mode)
{
    bool to_the_letter = mode == STOW_ULTRON_LITERAL || mode == STOW_ULTRON_UPSTREAM;
    struct stow_ultron_rules rules = to_the_letter ? literal : corrected;

    rules.mode = mode;
    return rules;
}

const char *stow_ultron_term_name(enum stow_ultron_mode mode, enum stow_ultron_term term)
{
    static const char *const ours[STOW_ULTRON_TERMS] = {
        "resource_fit",         "disk_type",        "network_type", "price",
        "interruption_penalty", "workload_priority"};
    static const char *const documents[STOW_ULTRON_TERMS] = {
        "ResourceFitScore", "DiskTypeScore",      "NetworkTypeScore",
        "PriceScore",       "NodeStabilityScore", "WorkloadPriorityScore"};
    static const char *const codes[STOW_ULTRON_TERMS] = {
        "ResourceScore", "StorageScore", "NetworkScore", "PriceScore", "NodeScore", "PodScore"};

    if (mode == STOW_ULTRON_LITERAL)
        return documents[term];
    return mode == STOW_ULTRON_UPSTREAM ? codes[term] : ours[term];
}
