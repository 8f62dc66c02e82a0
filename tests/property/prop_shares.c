/* prop_shares.c - the cheapest way to share pods out over domains, against trying all of them.
 *
 * The solver and the verifier each work it out in their own way; here every number of pods in every
 * domain is tried.  A way is allowed if it keeps to what a domain may take and, with maxSkew, no
 * domain that gets a pod has more than that above the smallest count of those that are there. */
#include <string.h>

#include "optimal/proof/family.h"
#include "tests/property/property.h"
#include "verify/proof/shares.h"

#define DOMAINS 4
#define PODS    9

struct case_ {
    uint32_t domains, pods;
    int64_t max_skew, floor; /* floor: of domains that take no pod */
    bool together;
    int64_t price[DOMAINS], held[DOMAINS];
    bool there[DOMAINS];
    uint32_t cap[DOMAINS];
};

static void make(struct case_ *in, struct chance *c)
{
    *in = (struct case_){.domains = 1 + chance_below(c, DOMAINS),
                         .pods = 1 + chance_below(c, PODS),
                         .max_skew = chance_one_in(c, 4) ? 0 : 1 + chance_below(c, 3),
                         .floor = chance_one_in(c, 3) ? chance_below(c, 5) : INT64_MAX};
    in->together = !in->max_skew && chance_one_in(c, 2);
    if (!in->max_skew)
        in->floor = INT64_MAX;
    for (uint32_t d = 0; d < in->domains; d++) {
        in->price[d] = chance_below(c, 20);
        in->held[d] = in->max_skew && chance_one_in(c, 2) ? chance_below(c, 6) : 0;
        in->there[d] = in->max_skew && (in->held[d] || chance_one_in(c, 2));
        in->cap[d] = chance_one_in(c, 3) && !in->together ? chance_below(c, 4) : in->pods;
    }
}

static bool is_allowed(const struct case_ *in, const uint32_t *count)
{
    int64_t least = in->floor;
    bool one = false;

    for (uint32_t d = 0; d < in->domains; d++) {
        if (count[d] > in->cap[d] || (in->together && count[d] && one))
            return false;
        one |= count[d] > 0;
        if (in->there[d] && in->held[d] + count[d] < least)
            least = in->held[d] + count[d];
    }
    for (uint32_t d = 0; d < in->domains && in->max_skew && least < INT64_MAX; d++)
        if (count[d] && in->held[d] + count[d] > least + in->max_skew)
            return false;
    return true;
}

static int64_t try_all(const struct case_ *in)
{
    uint32_t count[DOMAINS] = {0};
    int64_t best = -1;

    for (;;) {
        uint32_t pods = 0, d = 0;
        int64_t sum = 0;

        for (uint32_t i = 0; i < in->domains; i++) {
            pods += count[i];
            sum += in->price[i] * count[i];
        }
        if (pods == in->pods && (best < 0 || sum < best) && is_allowed(in, count))
            best = sum;
        while (d < in->domains && count[d] == in->pods)
            count[d++] = 0;
        if (d == in->domains)
            return best;
        count[d]++;
    }
}

static int64_t cheapest(const struct case_ *in)
{
    int64_t least = in->price[0];

    for (uint32_t d = 1; d < in->domains; d++)
        least = in->price[d] < least ? in->price[d] : least;
    return least * in->pods;
}

static bool sums_are_the_least(uint64_t seed)
{
    struct chance c = {seed};
    struct case_ in;
    stow_sym value[DOMAINS] = {0};
    uint32_t share[DOMAINS];

    make(&in, &c);

    const struct stow_problem_family family = {.classes = in.domains,
                                               .count = in.pods,
                                               .together = in.together,
                                               .max_skew = in.max_skew,
                                               .level_most = in.floor,
                                               .held = in.held,
                                               .exists = in.there};
    const struct stow_proof_share told = {in.pods, in.together, in.max_skew, in.floor, in.domains,
                                          value,   in.held,     in.there,    in.cap};
    const int64_t best = try_all(&in);
    const stow_i128 solver = stow_family_least(&family, in.price, in.cap, share);
    const stow_i128 verifier = stow_share_least(&told, in.price);

    if ((int64_t)solver != best)
        return property_fails("the solver says %lld, and it is %lld", (long long)solver,
                              (long long)best);
    if (best >= 0 && (int64_t)verifier != best)
        return property_fails("the verifier says %lld, and it is %lld", (long long)verifier,
                              (long long)best);
    return best >= 0 || (int64_t)verifier <= cheapest(&in) ||
           property_fails("the verifier says %lld, and there is no way", (long long)verifier);
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"sums-are-the-least", sums_are_the_least, 20000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
