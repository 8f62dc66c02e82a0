/* rates.c - prices of machines by what they have: cores, GiB and GPUs times rates.
 *
 * Machines in a hall of one's own have no price list.  What is known there is what a core, a GiB
 * and a GPU cost per hour, as OpenCost is told.  So a machine that no row prices costs
 *
 *     cores * cpu + GiB * memory + GPUs * gpu
 *
 * of its whole capacity, not only of what pods can use: the rest is paid for, too.  The sum is
 * exact and is rounded once, to a billionth, half up.
 *
 * Spot machines are multiplied by the spot rates.  One that is not stated is the plain rate: a bill
 * should not look better than it may be.  A machine with GPUs has no price while no rate for them
 * is stated, because a GPU does not cost 0.  GPUs are the resources whose names end in "/gpu", as
 * nvidia.com/gpu and amd.com/gpu.  A machine that offers parts of GPUs (MIG, time slices) does not
 * say how many GPUs it has, so it has no price either, unless GPUs are free.  Other devices have no
 * rate and do not count.
 *
 * A book may have a set of rates in each currency: the one asked for counts, else the first. */
#include "price/rates.h"

#include <string.h>

#include "base/int128.h"
#include "model/build.h"
#include "model/pods/requests.h"
#include "price/bill/discount.h"

#define NANO       1000000000
#define MILLI_NANO 1000000
#define GIB        ((stow_u128)1 << 30)
#define MIB_NANO   ((stow_i128)NANO << 20)

/* What a machine has, in billionths of a core, of a byte and of a device. */
struct holding {
    stow_i128 amount[STOW_UNIT_COUNT];
    bool parts; /* of GPUs: how many GPUs these are is not known */
};

bool stow_rates_at(const struct stow_books *books, uint32_t at, struct stow_rate_set *ret)
{
    for (uint32_t i = 0; i < books->count; i++) {
        const struct stow_book *book = books->book[i].book;

        if (at < book->units) {
            *ret = (struct stow_rate_set){book, &book->unit[at],
                                          stow_intern_get(&book->text, book->unit[at].currency)};
            return true;
        }
        at -= book->units;
    }
    return false;
}

/* The first set in this currency, else the first; false: there is none. */
static bool find_set(const struct stow_books *books, struct stow_str currency,
                     struct stow_rate_set *ret)
{
    struct stow_rate_set set;

    for (uint32_t i = 0; stow_rates_at(books, i, &set); i++)
        if (stow_str_eq(set.currency, currency)) {
            *ret = set;
            return true;
        }
    return stow_rates_at(books, 0, ret);
}

static stow_nano rate_of(const struct stow_unit_rates *rates, enum stow_unit unit, bool spot)
{
    return spot && rates->spot[unit] != STOW_MONEY_UNKNOWN ? rates->spot[unit] : rates->price[unit];
}

/* In units of 10^-18 / 2^30 of money; false: a rate is missing, or that does not fit. */
static bool add_unit(const struct holding *has, enum stow_unit unit, stow_nano rate, stow_u128 *to)
{
    const stow_u128 factor = unit == STOW_UNIT_MEMORY ? 1 : GIB; /* bytes are parts of a GiB */
    stow_u128 term;

    if (has->amount[unit] == 0)
        return true;
    return rate != STOW_MONEY_UNKNOWN &&
           !__builtin_mul_overflow((stow_u128)has->amount[unit], (stow_u128)rate, &term) &&
           !__builtin_mul_overflow(term, factor, &term) && !__builtin_add_overflow(*to, term, to);
}

static bool worth(const struct stow_unit_rates *rates, const struct holding *has, bool spot,
                  stow_nano *ret)
{
    const stow_u128 whole = NANO * GIB;
    stow_u128 sum = 0;

    if (has->parts && rate_of(rates, STOW_UNIT_GPU, spot) != 0)
        return false;
    for (int i = 0; i < STOW_UNIT_COUNT; i++)
        if (!add_unit(has, (enum stow_unit)i, rate_of(rates, (enum stow_unit)i, spot), &sum))
            return false;
    sum = sum / whole + (sum % whole >= whole / 2);
    *ret = (stow_nano)sum;
    return sum <= INT64_MAX;
}

static bool price(const struct stow_books *books, const struct holding *has,
                  const struct stow_offer_texts *offer, struct stow_resolved *ret)
{
    struct stow_rate_set set;
    stow_nano list;

    if (!find_set(books, offer->currency, &set) || has->amount[STOW_UNIT_CPU] <= 0 ||
        has->amount[STOW_UNIT_MEMORY] <= 0 || has->amount[STOW_UNIT_GPU] < 0 ||
        !worth(set.rates, has, offer->capacity_type == STOW_CAPACITY_SPOT, &list))
        return false;
    *ret = (struct stow_resolved){
        .list = list,
        .discount = stow_discount_find(books, offer),
        .currency = set.currency,
        .layer = STOW_LAYER_IMPORTED,
        .source = STOW_STR(STOW_RATES_SOURCE),
        .book = set.book,
        .effective = STOW_TIME_ALWAYS,
        .by_rates = true,
    };
    ret->price = stow_discounted(list, ret->discount);
    return true;
}

/* ---- what a machine has -------------------------------------------------------------------- */

static bool is_gpu(struct stow_str resource)
{
    static const struct stow_str tail = {"/gpu", 4};

    return resource.len > tail.len &&
           stow_str_eq((struct stow_str){resource.ptr + resource.len - tail.len, tail.len}, tail);
}

/* Slices of a GPU (nvidia.com/mig-1g.5gb), shares of it (nvidia.com/gpu.shared) and its memory
 * (aliyun.com/gpu-mem). */
static bool is_gpu_part(struct stow_str resource)
{
    static const char *const starts[] = {"mig-", "gpu.", "gpu-"};
    const char *slash = memchr(resource.ptr, '/', resource.len);

    if (!slash)
        return false;

    const struct stow_str name = {slash + 1, resource.len - (size_t)(slash + 1 - resource.ptr)};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (stow_str_starts(name, stow_str_of(starts[i])))
            return true;
    return false;
}

static void add_amounts(const struct stow_snapshot *s, stow_blob amounts, struct holding *to)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, amounts, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++) {
        const stow_i128 nano = stow_exact_nano(&list[i]);

        to->parts |= nano > 0 && is_gpu_part(stow_text(s, list[i].resource));
        if (list[i].resource == STOW_SYM_CPU)
            to->amount[STOW_UNIT_CPU] = nano;
        else if (list[i].resource == STOW_SYM_MEMORY)
            to->amount[STOW_UNIT_MEMORY] = nano;
        else if (is_gpu(stow_text(s, list[i].resource)) &&
                 __builtin_add_overflow(to->amount[STOW_UNIT_GPU], nano,
                                        &to->amount[STOW_UNIT_GPU]))
            to->amount[STOW_UNIT_GPU] = -1;
    }
}

static struct holding holding_of(const struct stow_snapshot *s, const struct stow_node *node)
{
    struct holding has = {0};

    add_amounts(s, node->capacity ? node->capacity : node->allocatable, &has);
    return has;
}

const char *stow_rates_missing(const struct stow_books *books, const struct stow_snapshot *s,
                               const struct stow_node *node, const struct stow_offer_texts *offer)
{
    const struct holding has = holding_of(s, node);
    struct stow_rate_set set;

    if (!find_set(books, offer->currency, &set))
        return NULL;
    if (has.amount[STOW_UNIT_CPU] <= 0 || has.amount[STOW_UNIT_MEMORY] <= 0)
        return "no price of its own, and its capacity does not state cpu and memory, for "
               "the " STOW_RATES_SOURCE;
    if (has.parts)
        return "no price of its own, and it offers parts of GPUs: how many GPUs "
               "the " STOW_RATES_SOURCE " should count is not known";
    if (has.amount[STOW_UNIT_GPU] != 0 && set.rates->price[STOW_UNIT_GPU] == STOW_MONEY_UNKNOWN)
        return "no price of its own, and the " STOW_RATES_SOURCE " have none per GPU";
    return NULL;
}

bool stow_rates_node_price(const struct stow_books *books, const struct stow_snapshot *s,
                           const struct stow_node *node, const struct stow_offer_texts *offer,
                           struct stow_resolved *ret)
{
    const struct holding has = holding_of(s, node);

    return price(books, &has, offer, ret);
}

bool stow_rates_size_price(const struct stow_books *books, const struct stow_size *size,
                           const struct stow_offer_texts *offer, struct stow_resolved *ret)
{
    const bool gpus = size->gpus > 0 && is_gpu(stow_str_of(size->gpu_resource));
    const struct holding has = {.amount = {
                                    [STOW_UNIT_CPU] = (stow_i128)size->cpu_milli * MILLI_NANO,
                                    [STOW_UNIT_MEMORY] = (stow_i128)size->memory_mib * MIB_NANO,
                                    [STOW_UNIT_GPU] = gpus ? (stow_i128)size->gpus * NANO : 0,
                                }};

    return price(books, &has, offer, ret);
}
