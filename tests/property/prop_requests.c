/* prop_requests.c - what random pods ask for, against the rule as it is written down.
 *
 *     run  = sum of containers + sum of sidecars
 *     peak = largest over the init containers: of a sidecar, itself and all sidecars before it;
 *            of another one, itself and all sidecars before it
 *     req  = larger of the two, a key that nobody names is absent
 *     then what the pod itself states replaces (cpu, memory, huge pages), then overhead is added
 *
 * of the pod as it is stored: every amount rounded up to thousandths, and a container that names
 * no cpu requests its limit.
 * Every figure is computed anew for every key, from rows of optional numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "model/pods/requests.h"
#include "tests/property/property.h"

enum { CPU, MEMORY, STORAGE, HUGE, DEVICE, BARE, KEYS };

static const char *const key_names[KEYS] = {
    [CPU] = "cpu",
    [MEMORY] = "memory",
    [STORAGE] = "ephemeral-storage",
    [HUGE] = "hugepages-2Mi",
    [DEVICE] = "example.com/gpu",
    [BARE] = "gpu",
};

/* Nano-units; absent is something else than 0. */
struct amounts {
    bool has[KEYS];
    stow_i128 nano[KEYS];
};

#define CONTAINERS_MAX 5
#define CPU_LIMIT      99 /* of every container */

struct pod {
    struct amounts container[CONTAINERS_MAX], init[CONTAINERS_MAX], overhead, level;
    bool sidecar[CONTAINERS_MAX];
    uint32_t containers, inits;
    bool has_level;
};

/* ---- random pods, and their text --------------------------------------------------------- */

static struct amounts random_amounts(struct chance *c)
{
    struct amounts a = {0};

    for (int k = 0; k < KEYS; k++) {
        a.has[k] = chance_one_in(c, 2);
        if (!a.has[k] || chance_one_in(c, 6))
            continue; /* absent, or an explicit 0 */
        a.nano[k] = (stow_i128)(chance_next(c) >> (8 + chance_below(c, 53)));
        if (chance_one_in(c, 2))
            a.nano[k] *= 1000000;
    }
    return a;
}

static void random_pod(struct chance *c, struct pod *p)
{
    memset(p, 0, sizeof(*p));
    p->containers = chance_below(c, CONTAINERS_MAX);
    p->inits = chance_below(c, CONTAINERS_MAX);
    for (uint32_t i = 0; i < p->containers; i++)
        p->container[i] = random_amounts(c);
    for (uint32_t i = 0; i < p->inits; i++) {
        p->init[i] = random_amounts(c);
        p->sidecar[i] = chance_one_in(c, 2);
    }
    if (chance_one_in(c, 2))
        p->overhead = random_amounts(c);
    p->has_level = chance_one_in(c, 2);
    if (p->has_level)
        p->level = random_amounts(c);
}

static void write_nano(stow_i128 nano, struct stow_buf *to)
{
    const stow_i128 unit = 1000000000;

    if (nano >= unit)
        stow_buf_printf(to, "%lld.%09lld", (long long)(nano / unit), (long long)(nano % unit));
    else
        stow_buf_printf(to, "%lldn", (long long)nano);
}

static void write_amounts(const struct amounts *a, struct stow_buf *to)
{
    const char *comma = "";

    stow_buf_char(to, '{');
    for (int k = 0; k < KEYS; k++) {
        if (!a->has[k])
            continue;
        stow_buf_printf(to, "%s\"%s\":\"", comma, key_names[k]);
        write_nano(a->nano[k], to);
        stow_buf_char(to, '"');
        comma = ",";
    }
    stow_buf_char(to, '}');
}

static void write_containers(const char *field, const struct amounts *list, const bool *sidecar,
                             uint32_t count, struct stow_buf *to)
{
    stow_buf_printf(to, "\"%s\":[", field);
    for (uint32_t i = 0; i < count; i++) {
        stow_buf_printf(
            to, "%s{%s\"resources\":{\"limits\":{\"cpu\":\"%d\"},\"requests\":", i ? "," : "",
            sidecar && sidecar[i] ? "\"restartPolicy\":\"Always\"," : "", CPU_LIMIT);
        write_amounts(&list[i], to);
        stow_buf_text(to, "}}");
    }
    stow_buf_text(to, "],");
}

static void write_pod(const struct pod *p, struct stow_buf *to)
{
    stow_buf_text(
        to, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\"},\"spec\":{");
    write_containers("initContainers", p->init, p->sidecar, p->inits, to);
    write_containers("containers", p->container, NULL, p->containers, to);
    if (p->has_level) {
        stow_buf_text(to, "\"resources\":{\"requests\":");
        write_amounts(&p->level, to);
        stow_buf_text(to, "},");
    }
    stow_buf_text(to, "\"overhead\":");
    write_amounts(&p->overhead, to);
    stow_buf_text(to, "}}");
}

/* ---- as it is stored ----------------------------------------------------------------------- */

static void round_up(struct amounts *a)
{
    const stow_i128 thousandth = 1000000;

    for (int k = 0; k < KEYS; k++)
        a->nano[k] = (a->nano[k] + thousandth - 1) / thousandth * thousandth;
}

static void store_container(struct amounts *a)
{
    if (!a->has[CPU])
        a->nano[CPU] = CPU_LIMIT * (stow_i128)1000000000;
    a->has[CPU] = true;
    round_up(a);
}

static void store(struct pod *p)
{
    for (uint32_t i = 0; i < p->containers; i++)
        store_container(&p->container[i]);
    for (uint32_t i = 0; i < p->inits; i++)
        store_container(&p->init[i]);
    round_up(&p->overhead);
    round_up(&p->level);
}

/* ---- the rule as written ----------------------------------------------------------------- */

static struct amounts with_defaults(struct amounts a, bool defaults)
{
    static const stow_i128 fallback[] = {[CPU] = 100000000, [MEMORY] = 209715200000000000};

    for (int k = CPU; defaults && k <= MEMORY; k++)
        if (!a.has[k]) {
            a.has[k] = true;
            a.nano[k] = fallback[k];
        }
    return a;
}

static void add(struct amounts *to, const struct amounts *what)
{
    for (int k = 0; k < KEYS; k++) {
        to->has[k] |= what->has[k];
        to->nano[k] += what->nano[k];
    }
}

static void larger(struct amounts *to, const struct amounts *what)
{
    for (int k = 0; k < KEYS; k++) {
        if (what->has[k] && (!to->has[k] || what->nano[k] > to->nano[k]))
            to->nano[k] = what->nano[k];
        to->has[k] |= what->has[k];
    }
}

/* What runs while init container `last` does. */
static struct amounts during(const struct pod *p, uint32_t last, bool defaults)
{
    struct amounts sum = with_defaults(p->init[last], defaults);

    for (uint32_t i = 0; i < last; i++)
        if (p->sidecar[i]) {
            struct amounts one = with_defaults(p->init[i], defaults);

            add(&sum, &one);
        }
    return sum;
}

static struct amounts effective(const struct pod *p, struct stow_request_rules rules)
{
    struct amounts req = {0};

    for (uint32_t i = 0; i < p->containers; i++) {
        struct amounts one = with_defaults(p->container[i], rules.defaults);

        add(&req, &one);
    }
    for (uint32_t i = 0; i < p->inits; i++)
        if (p->sidecar[i]) {
            struct amounts one = with_defaults(p->init[i], rules.defaults);

            add(&req, &one);
        }
    for (uint32_t i = 0; i < p->inits; i++) {
        struct amounts peak = during(p, i, rules.defaults);

        larger(&req, &peak);
    }
    for (int k = 0; k < KEYS && p->has_level && !rules.skip_pod_level; k++)
        if (p->level.has[k] && (k == CPU || k == MEMORY || k == HUGE)) {
            req.has[k] = true;
            req.nano[k] = p->level.nano[k];
        }
    if (!rules.skip_overhead)
        add(&req, &p->overhead);
    return req;
}

static int64_t units(int key, stow_i128 nano)
{
    const stow_i128 unit = key == CPU ? 1000000 : 1000000000;

    return (int64_t)((nano + unit - 1) / unit);
}

/* As the node counts it: beside pod-level requests a default is for what nobody names. */
static int64_t nonzero(const struct pod *p, int key)
{
    struct amounts filled = effective(p, (struct stow_request_rules){.defaults = true});
    struct amounts plain = effective(p, (struct stow_request_rules){0});
    bool level_named = false;

    for (int k = 0; k < KEYS; k++)
        level_named |= p->has_level && p->level.has[k] && (k == CPU || k == MEMORY || k == HUGE);
    return units(key, level_named && plain.has[key] ? plain.nano[key] : filled.nano[key]);
}

/* ---- comparing --------------------------------------------------------------------------- */

static bool same_exact(const struct stow_snapshot *s, const struct pod *p,
                       struct stow_request_rules rules)
{
    struct amounts want = effective(p, rules);
    struct stow_collect got = {0};
    uint32_t wanted = 0;
    bool same = stow_requests_exact(s, stow_spec(s, s->pod[0].spec), rules, &got) >= 0;

    for (int k = 0; k < KEYS && same; k++) {
        stow_sym sym = stow_intern_find(&s->text, stow_str_of(key_names[k]));
        stow_i128 nano = 0;
        bool has = sym != STOW_INTERN_FAILED && stow_exact_find(got.items, got.count, sym, &nano);

        wanted += want.has[k];
        if (has != want.has[k] || nano != want.nano[k])
            same = property_fails("%s: %d expected, got %d, or another amount", key_names[k],
                                  want.has[k], has);
    }
    if (same && got.count != wanted)
        same = property_fails("%u keys expected, got %u", wanted, got.count);
    free(got.items);
    return same;
}

static bool same_units(const struct stow_snapshot *s, const struct pod *p)
{
    struct amounts want = effective(p, (struct stow_request_rules){0});
    const struct stow_demand *d = &s->demand[s->pod[0].spec];

    for (int k = 0; k < BARE; k++) {
        stow_sym sym = stow_intern_find(&s->text, stow_str_of(key_names[k]));
        stow_resource_id r = sym == STOW_INTERN_FAILED ? STOW_NONE : stow_resource_find(s, sym);
        int64_t got = r == STOW_NONE ? 0 : stow_snapshot_pod_request(s, 0, r);

        if (got != units(k, want.nano[k]))
            return property_fails("%s: %lld units expected, got %lld", key_names[k],
                                  (long long)units(k, want.nano[k]), (long long)got);
    }
    if (d->nonzero_cpu != nonzero(p, CPU) || d->nonzero_memory != nonzero(p, MEMORY))
        return property_fails("with defaults %lld and %lld expected, got %lld and %lld",
                              (long long)nonzero(p, CPU), (long long)nonzero(p, MEMORY),
                              (long long)d->nonzero_cpu, (long long)d->nonzero_memory);
    return true;
}

static bool requests_hold(uint64_t seed)
{
    struct chance c = {seed};
    struct pod p;
    struct stow_buf text = {0};
    struct stow_snapshot *s = NULL;
    struct stow_err err = {0};
    bool same = true;

    random_pod(&c, &p);
    write_pod(&p, &text);
    store(&p);
    if (stow_snapshot_load_text("p.json", text.ptr, text.len, NULL, &s, &err) < 0)
        same = property_fails("%s", err.msg);
    for (unsigned rules = 0; rules < 8 && same; rules++)
        same = same_exact(s, &p, (struct stow_request_rules){rules & 1, rules & 2, rules & 4});
    same = same && same_units(s, &p);
    if (!same)
        property_fails("of %.*s", STOW_FMT(stow_buf_str(&text)));
    stow_snapshot_unref(s);
    stow_buf_done(&text);
    return same;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"pods-ask-for-what-the-rule-says", requests_hold, 15000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
