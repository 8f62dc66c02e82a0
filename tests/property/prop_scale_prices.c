/* prop_scale_prices.c - every proof of `optimal` is accepted, whatever nodes cost and however many
 * priorities pods have.
 *
 * Prices go up to 100,000 per hour, with nine digits after the point; there are up to twelve
 * priorities, minNodes and maxNodes, nodes that exist, limits to all nodes and to resources that
 * leave many branches of a proof without a plan.  A plan is made, its bound is not above its cost,
 * and the verifier, which shares no code with the solver, accepts what is handed out. */
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "explain/render/render.h"
#include "explain/scaling/scaling.h"
#include "scale/scale.h"
#include "tests/property/opinion.h"
#include "tests/property/property.h"

#define QUOTAS 2

struct play {
    struct stow_buf text;
    struct stow_snapshot *s;
    struct stow_books books;
    struct stow_scale *scale;
    struct stow_quota quota[QUOTAS];
    struct stow_verify_quota told[QUOTAS];
    uint32_t quotas, total;
};

/* ---- clusters ---------------------------------------------------------------------------- */

static void write_group(struct stow_buf *to, struct chance *c, uint32_t g, uint64_t top)
{
    static const uint32_t cores[] = {4, 8, 16, 32}, gib[] = {8, 13, 32, 64, 120};
    const uint64_t price = 1 + chance_next(c) % (top * 1000000000);
    const uint32_t most = chance_below(c, 3) ? 1 + chance_below(c, 4) : 0;

    stow_buf_printf(to,
                    "{\"apiVersion\":\"stowage.dev/v1alpha1\",\"kind\":\"NodeGroup\",\"metadata\":{"
                    "\"name\":\"g%u\"},\"spec\":{\"pricePerHour\":\"%llu.%09llu\",",
                    g, (unsigned long long)(price / 1000000000),
                    (unsigned long long)(price % 1000000000));
    if (most)
        stow_buf_printf(to, "\"maxNodes\":%u,", most);
    if (chance_one_in(c, 5))
        stow_buf_printf(to, "\"minNodes\":%u,", most == 1 ? 1 : 1 + chance_below(c, 2));
    stow_buf_printf(to,
                    "\"template\":{\"status\":{\"allocatable\":{\"cpu\":\"%um\",\"memory\":\"%uGi\""
                    ",\"pods\":\"110\"}}}}},",
                    1000 * cores[chance_below(c, 4)] - 300, gib[chance_below(c, 5)]);
}

static void write_class(struct stow_buf *to, struct chance *c, uint32_t k, uint32_t levels)
{
    const uint32_t pods = 1 + chance_below(c, 6), cpu = 100 + chance_below(c, 3900),
                   gib = 1 + chance_below(c, 16), level = chance_below(c, levels);

    for (uint32_t i = 0; i < pods; i++)
        stow_buf_printf(to,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"k%u-%u\","
                        "\"namespace\":\"d\"},\"spec\":{\"priority\":%u,\"containers\":[{\"name\":"
                        "\"c\",\"resources\":{\"requests\":{\"cpu\":\"%um\",\"memory\":\"%uGi\"}}}]"
                        "},\"status\":{\"phase\":\"Pending\"}},",
                        k, i, 1000 * level, cpu, gib);
}

static void write_cluster(struct stow_buf *to, struct chance *c)
{
    static const uint64_t tops[] = {10, 100, 1000, 10000, 100000};
    static const uint32_t levels[] = {1, 2, 3, 8, 12};
    const uint64_t top = tops[chance_below(c, 5)];
    const uint32_t groups = 1 + chance_below(c, 5), classes = 1 + chance_below(c, 9),
                   nodes = chance_one_in(c, 3) ? 1 + chance_below(c, 3) : 0,
                   level = levels[chance_below(c, 5)];

    stow_buf_text(to, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    for (uint32_t g = 0; g < groups; g++)
        write_group(to, c, g, top);
    for (uint32_t k = 0; k < classes; k++)
        write_class(to, c, k, level);
    for (uint32_t i = 0; i < nodes; i++)
        stow_buf_printf(to,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n%u\"},"
                        "\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"16Gi\",\"pods\":"
                        "\"20\"},\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}},",
                        i);
    stow_buf_text(to, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"d\"}}"
                      "]}");
}

/* ---- playing ----------------------------------------------------------------------------- */

static void add_quota(struct play *p, stow_sym sym, const char *name, int64_t amount)
{
    p->quota[p->quotas] = (struct stow_quota){sym, stow_str_of(name), amount};
    p->told[p->quotas++] = (struct stow_verify_quota){sym, stow_str_of(name), amount};
}

static void choose_limits(struct play *p, struct chance *c)
{
    if (chance_one_in(c, 3))
        p->total = 2 + chance_below(c, 11);
    if (chance_one_in(c, 3))
        add_quota(p, STOW_SYM_CPU, "cpu", INT64_C(1000) * (8 + chance_below(c, 53)));
    if (chance_one_in(c, 5))
        add_quota(p, STOW_SYM_MEMORY, "memory", (INT64_C(8) + chance_below(c, 293)) << 30);
}

static bool play_open(struct play *p, uint64_t seed)
{
    static const struct stow_bill_options bill;
    struct chance c = {seed};
    struct stow_scale_options options = {.threads = 1, .gap = 0.0001};
    struct stow_err err;

    memset(p, 0, sizeof(*p));
    stow_books_init(&p->books);
    write_cluster(&p->text, &c);
    choose_limits(p, &c);
    options.max_nodes_total = p->total;
    options.quota = p->quota;
    options.quotas = p->quotas;
    if (p->text.failed)
        abort();
    if (stow_snapshot_load_text("cluster.json", p->text.ptr, p->text.len, NULL, &p->s, &err) < 0)
        return property_fails("%s", err.msg);

    const struct stow_scale_input input = {.s = p->s, .books = &p->books, .bill = &bill};

    return stow_scale_new(&input, &options, &p->scale, &err) >= 0 || property_fails("%s", err.msg);
}

static void play_done(struct play *p)
{
    stow_scale_free(p->scale);
    stow_books_done(&p->books);
    stow_snapshot_unref(p->s);
    stow_buf_done(&p->text);
}

static bool is_verified(const struct play *p, const struct stow_plan *plan)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_verify_options options = opinion_plain;
    struct stow_doc doc = {0};
    char why[256];

    options.max_nodes_total = p->total;
    options.quota = p->told;
    options.quotas = p->quotas;
    stow_render_json(&text, stow_scaling_value(&doc, plan, true));
    stow_doc_done(&doc);
    if (text.failed)
        abort();
    return opinion_of(p->s, &p->books, &options, stow_buf_str(&text), why, sizeof(why)) ==
               STOW_OK ||
           property_fails("verify: %s", why);
}

/* Limits that leave no room for minNodes are an answer, too. */
static bool every_proof_is_accepted(uint64_t seed)
{
    struct stow_strategy optimal;
    struct stow_plan plan = {0};
    struct stow_err err = {0};
    struct play p;
    bool good = play_open(&p, seed);

    if (good && stow_strategy_parse("optimal", &optimal, &err) >= 0) {
        const int code = stow_scale_plan(p.scale, &optimal, NULL, &plan, &err);

        good = code == STOW_EINVAL || code >= 0 || property_fails("optimal: %s", err.msg);
        if (good && code >= 0 && plan.has_bound && plan.bound > plan.cost.amount)
            good = property_fails("the bound is above the cost");
        good = good && (code < 0 || is_verified(&p, &plan));
        stow_plan_done(&plan);
    }
    play_done(&p);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"every-proof-is-accepted", every_proof_is_accepted, 120},
    };

    return property_main(list, 1, argc, argv);
}
