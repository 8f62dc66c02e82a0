/* bound.c - the proof: why no plan can cost less than the bound.
 *
 * A leaf gives every pod a price y and every limit a price w such that nothing which one node can
 * hold is worth more than the node may cost: sum of y <= price(g) + sum of a(g) * w.  Add that up
 * over the nodes of any plan: the pods placed are worth Y = sum of y; the nodes cost at least Y
 * less what the limits allowed, and these allow no more than A * w each.  So the plan costs at
 * least Y - sum of A * w.  A split distinguishes two cases; whatever holds in both holds.
 *
 * A class that a rule shares out over zones may have a price per zone.  On a node its pods are
 * worth what they are in the node's zone, and Y has the cheapest way to share them out (shares.h).
 *
 * The sums are checked here, in whole numbers of 128 bits.  The condition over all sets of pods
 * that a node can hold is the work: hold.h.  Berths that a better berth answers for are not asked
 * about: more room, no fewer pods allowed, and allowed to be worth no more. */
#include "verify/proof/bound.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static void proving_done(struct stow_proving **proving)
{
    struct stow_proving *p = *proving;

    if (!p)
        return;
    stow_berths_done(&p->berths);
    stow_hold_work_free(p->work);
    free(p->levy);
    free(p->leader);
    free(p->leads);
    free(p->allowed);
    free(p->node_allowed);
    free(p->limit);
    free(p->has_limit);
    free(p->need);
    free(p->worth);
    free(p->room);
    free(p->dim);
    free(p->most);
    free(p->order);
    free(p);
}

/* ---- which pods count -------------------------------------------------------------------- */

static int compare_levies(const void *a, const void *b)
{
    const struct stow_levy *x = a, *y = b;

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

static int add_pod(struct stow_proving *p, uint32_t class, stow_pod_id pod)
{
    const int32_t priority = p->a->s->pod[pod].priority;
    uint32_t at = p->levies;

    while (at > 0 && p->levy[at - 1].class == class && p->levy[at - 1].priority != priority)
        at--;
    if (at == 0 || p->levy[at - 1].class != class) {
        struct stow_levy *made = STOW_PUSH(&p->levy, &p->levies, &p->levy_cap);

        if (!made)
            return STOW_ENOMEM;
        *made = (struct stow_levy){.priority = priority, .class = class};
        at = p->levies;
    }
    p->levy[at - 1].count++;
    p->levy[at - 1].placed += p->a->node_of[pod] != STOW_NONE;
    return STOW_OK;
}

static int find_levies(struct stow_proving *p)
{
    const struct stow_audit *a = p->a;

    for (uint32_t c = 0; c < a->told.classes; c++)
        for (uint32_t i = 0; i < a->told.class[c].pods.count; i++)
            STOW_TRY(add_pod(p, c, a->pod[a->told.class[c].pods.first + i]));
    if (p->levies)
        qsort(p->levy, p->levies, sizeof(*p->levy), compare_levies);
    return STOW_OK;
}

/* The smallest `wanted` of the levies from `first` to `end`, all of one priority. */
static stow_i128 smallest_sum(const struct stow_proving *p, const stow_i128 *worth, uint32_t first,
                              uint32_t end)
{
    uint64_t wanted = 0;
    stow_i128 sum = 0, floor = -1;

    for (uint32_t i = first; i < end; i++)
        wanted += p->levy[i].placed;
    while (wanted > 0) { /* one value after the other, from below */
        stow_i128 next = -1;
        uint64_t count = 0;

        for (uint32_t i = first; i < end; i++)
            if (worth[i] > floor && (next < 0 || worth[i] < next))
                next = worth[i];
        for (uint32_t i = first; i < end; i++)
            count += worth[i] == next ? p->levy[i].count : 0;
        count = count < wanted ? count : wanted;
        sum += next * (stow_i128)count;
        wanted -= count;
        floor = next;
    }
    return sum;
}

stow_i128 stow_levy_sum(const struct stow_proving *p, const stow_i128 *worth, const stow_i128 *all)
{
    stow_i128 sum = 0;

    for (uint32_t first = 0, end; first < p->levies; first = end) {
        bool every = true;

        for (end = first; end < p->levies && p->levy[end].priority == p->levy[first].priority;
             end++)
            every &= p->levy[end].placed == p->levy[end].count;
        if (!every) {
            sum += smallest_sum(p, worth, first, end);
            continue;
        }
        for (uint32_t i = first; i < end; i++)
            sum += all ? all[i] : worth[i] * (stow_i128)p->levy[i].count;
    }
    return sum;
}

/* ---- the condition ----------------------------------------------------------------------- */

static void narrow(struct stow_proving *p, uint32_t berth, stow_i128 allowed)
{
    if (berth == STOW_NONE)
        return;
    if (!p->has_limit[berth] || allowed < p->limit[berth])
        p->limit[berth] = stow_bound_clamp(allowed);
    p->has_limit[berth] = true;
}

/* A group of which no plan can buy a node in this leaf. */
static bool is_closed(const struct stow_proving *p, stow_group_id g)
{
    const struct stow_group *group = &p->a->s->group[g];

    for (uint32_t i = 0; i < p->depth; i++)
        if ((p->path[i].group == g || p->path[i].group == p->leader[g]) && p->path[i].is_le &&
            p->path[i].at == 0)
            return true;
    return group->max_nodes != STOW_NONE && group->max_nodes <= group->current_nodes;
}

/* Whether a split above says that a node is not kept. */
static bool is_away(const struct stow_proving *p, stow_node_id node)
{
    const struct stow_audit *a = p->a;

    for (uint32_t i = 0; i < p->depth; i++)
        for (uint32_t n = 0; n < p->path[i].nodes.count && p->path[i].is_le && p->path[i].at == 0;
             n++)
            if (stow_audit_node(a, a->told.name[p->path[i].nodes.first + n].text) == node)
                return true;
    return false;
}

/* Likewise, of the nodes that are there. */
static bool gather_nodes(struct stow_proving *p, const struct stow_told_tree *leaf)
{
    struct stow_audit *a = p->a;
    bool fine = true;

    for (stow_node_id i = 0; i < a->real; i++) {
        if (is_away(p, i))
            continue;
        if (p->node_allowed[i] < 0) {
            stow_audit_wrong(a, STOW_VERIFY_BOUND, leaf->token,
                             "node %s would be worth more than it may cost here, were it empty",
                             a->bare.s.node[i].name);
            fine = false;
        }
        narrow(p, p->berths.of_node[i], p->node_allowed[i]);
    }
    return fine;
}

/* What the nodes of each berth may be worth; false: some may be worth less than nothing. */
static bool gather(struct stow_proving *p, const struct stow_told_tree *leaf)
{
    struct stow_audit *a = p->a;
    bool fine = true;

    memset(p->has_limit, 0, ((size_t)p->berths.berths + 1) * sizeof(*p->has_limit));
    for (stow_group_id g = 0; g < a->s->groups; g++) {
        if (a->price[g] == STOW_MONEY_UNKNOWN || is_closed(p, g))
            continue;
        if (p->allowed[g] < 0) {
            stow_audit_wrong(a, STOW_VERIFY_BOUND, leaf->token,
                             "an empty node of %s would be worth more than it may cost here",
                             a->s->group[g].name);
            fine = false;
        }
        narrow(p, p->berths.of_group[g], p->allowed[g]);
    }
    return gather_nodes(p, leaf) && fine;
}

static bool answers_for(const struct stow_proving *p, uint32_t b, uint32_t other)
{
    const struct stow_berths *all = &p->berths;
    const struct stow_berth *x = &all->berth[b], *y = &all->berth[other];

    if (p->limit[b] > p->limit[other])
        return false;
    for (uint32_t d = 0; d < all->dims; d++)
        if (x->room[d] < y->room[d])
            return false;
    for (uint32_t i = 0; i < all->items; i++)
        if (x->most[i] < y->most[i])
            return false;
    return memcmp(x->zone, y->zone, all->keys * sizeof(*x->zone)) == 0;
}

static bool is_superfluous(const struct stow_proving *p, uint32_t berth)
{
    for (uint32_t other = 0; other < p->berths.berths; other++)
        if (other != berth && p->has_limit[other] && answers_for(p, other, berth) &&
            (other < berth || !answers_for(p, berth, other)))
            return true;
    return false;
}

/* The price of a class in a leaf, of one with prices by zone that in a zone; one that is not named
 * there is 0. */
static stow_nano price_in(const struct stow_proving *p, const struct stow_told_tree *leaf,
                          uint32_t class, stow_sym zone)
{
    const struct stow_told *told = &p->a->told;
    const struct stow_told_worth *worth = &told->price[leaf->prices.first + class];

    for (uint32_t i = 0; i < worth->zones.count && zone != STOW_NONE; i++) {
        const struct stow_told_zone *one = &told->zone[worth->zones.first + i];

        if (stow_str_eq(one->value.text, stow_text(p->a->s, zone)))
            return one->price;
    }
    return worth->by_zone ? 0 : worth->price;
}

static stow_nano price_of(const struct stow_proving *p, const struct stow_told_tree *leaf,
                          uint32_t item, uint32_t berth)
{
    const struct stow_berths *b = &p->berths;
    const uint32_t class = b->item[item].class, key = b->class_key[class];

    return price_in(p, leaf, class, key == STOW_NONE ? STOW_NONE : b->berth[berth].zone[key]);
}

/* Whether all that is worth something there can run out of a resource. */
static bool can_run_out(const struct stow_proving *p, const struct stow_told_tree *leaf,
                        uint32_t berth, uint32_t d)
{
    const struct stow_berths *all = &p->berths;
    stow_i128 sum = 0;

    for (uint32_t i = 0; i < all->items; i++)
        if (price_of(p, leaf, i, berth))
            sum += (stow_i128)all->item[i].need[d] * all->berth[berth].most[i];
    return sum > all->berth[berth].room[d];
}

/* The items that are worth something there, and what they can run out of. */
static struct stow_hold hold_of(struct stow_proving *p, const struct stow_told_tree *leaf,
                                uint32_t berth)
{
    const struct stow_berths *all = &p->berths;
    struct stow_hold hold = {.room = p->room, .need = p->need, .worth = p->worth, .most = p->most};

    for (uint32_t d = 0; d < all->dims; d++)
        if (can_run_out(p, leaf, berth, d)) {
            p->room[hold.dims] = all->berth[berth].room[d];
            p->dim[hold.dims++] = d;
        }
    for (uint32_t i = 0; i < all->items; i++) {
        const stow_nano y = price_of(p, leaf, i, berth);
        const uint32_t most = all->berth[berth].most[i];

        if (!most || !y)
            continue;
        for (uint32_t d = 0; d < hold.dims; d++)
            p->need[(size_t)hold.items * hold.dims + d] = all->item[i].need[p->dim[d]];
        p->worth[hold.items] = y;
        p->most[hold.items++] = most;
    }
    return hold;
}

static const char *shown(const char *name)
{
    return name[0] == '~' ? name + 1 : name;
}

static int check_berth(struct stow_proving *p, const struct stow_told_tree *leaf, uint32_t berth)
{
    const struct stow_hold hold = hold_of(p, leaf, berth);
    const int answer = hold.dims <= STOW_HOLD_DIMS
                           ? stow_hold_ask(p->work, &hold, p->limit[berth], p->deadline)
                           : STOW_HOLD_UNSETTLED;
    char text[STOW_MONEY_TEXT];

    if (answer == STOW_HOLD_EXCEEDS)
        stow_audit_wrong(p->a, STOW_VERIFY_BOUND, leaf->token,
                         "at these prices a node like %s can hold pods worth more than the %s per "
                         "hour that it may cost",
                         shown(p->berths.berth[berth].name),
                         stow_money_exact(p->limit[berth], text));
    if (answer == STOW_HOLD_UNSETTLED)
        stow_audit_unsettled(p->a, STOW_VERIFY_BOUND, leaf->token,
                             "not settled in time: whether a node like %s can hold pods worth more "
                             "than it may cost",
                             shown(p->berths.berth[berth].name));
    return answer < 0 ? answer : STOW_OK;
}

static int check_condition(struct stow_proving *p, const struct stow_told_tree *leaf)
{
    if (!gather(p, leaf))
        return STOW_OK;
    for (uint32_t b = 0; b < p->berths.berths; b++) {
        if (!p->has_limit[b] || is_superfluous(p, b))
            continue;
        p->a->out->kinds++;
        STOW_TRY(check_berth(p, leaf, b));
    }
    return STOW_OK;
}

/* ---- the tree ---------------------------------------------------------------------------- */

/* What one pod of a class is worth at least, and all of them. */
static int value_class(const struct stow_proving *p, const struct stow_told_tree *leaf,
                       const struct stow_levy *levy, stow_i128 *ret_one, stow_i128 *ret_all)
{
    const struct stow_proof_share *share = p->share[levy->class];
    STOW_AUTO(stow_free_local) stow_nano *price = NULL;

    *ret_one = price_in(p, leaf, levy->class, STOW_NONE);
    *ret_all = *ret_one * levy->count;
    if (!share)
        return STOW_OK;
    price = calloc((size_t)share->domains + 1, sizeof(*price));
    if (!price)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < share->domains; d++) {
        price[d] = price_in(p, leaf, levy->class, share->value[d]);
        *ret_one = d == 0 || price[d] < *ret_one ? price[d] : *ret_one;
    }
    *ret_all = stow_share_least(share, price);
    return STOW_OK;
}

/* What the pods to place are worth. */
static int value_pods(const struct stow_proving *p, const struct stow_told_tree *leaf,
                      stow_i128 *ret)
{
    STOW_AUTO(stow_free_local) stow_i128 *one = calloc((size_t)p->levies + 1, sizeof(*one));
    STOW_AUTO(stow_free_local) stow_i128 *all = calloc((size_t)p->levies + 1, sizeof(*all));

    if (!one || !all)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->levies; i++)
        STOW_TRY(value_class(p, leaf, &p->levy[i], &one[i], &all[i]));
    *ret = stow_levy_sum(p, one, all);
    return STOW_OK;
}

/* Prices by zone are for classes that have a topologyKey, and for no others. */
static bool check_prices(struct stow_proving *p, const struct stow_told_tree *leaf)
{
    struct stow_audit *a = p->a;

    for (uint32_t i = 0; i < a->told.classes; i++) {
        const struct stow_told_worth *worth = &a->told.price[leaf->prices.first + i];

        if (worth->by_zone == (p->share[i] != NULL))
            continue;
        stow_audit_wrong(a, STOW_VERIFY_BOUND, worth->token,
                         worth->by_zone
                             ? "this class has no topologyKey: it has one price"
                             : "this class has a topologyKey: it has a price per domain");
        return false;
    }
    return true;
}

static int check_leaf(struct stow_proving *p, const struct stow_told_tree *leaf, stow_i128 *ret)
{
    struct stow_audit *a = p->a;
    stow_i128 value;
    char is[STOW_MONEY_TEXT];

    *ret = leaf->per_hour.amount;
    a->out->leaves++;
    if (leaf->prices.count != a->told.classes) {
        stow_audit_wrong(a, STOW_VERIFY_BOUND, leaf->token,
                         "there are %u classes, and %u prices in this leaf", a->told.classes,
                         leaf->prices.count);
        return STOW_OK;
    }
    if (!check_prices(p, leaf) || !stow_leaf_limits(p, leaf))
        return STOW_OK;
    STOW_TRY(value_pods(p, leaf, &value));
    value -= p->paid;
    if (value < leaf->per_hour.amount || (!p->berths.keys && value > leaf->per_hour.amount))
        stow_audit_wrong(a, STOW_VERIFY_BOUND, leaf->per_hour.token,
                         "the prices and limits of this leaf come to %s per hour",
                         stow_money_exact(stow_bound_clamp(value), is));
    *ret = value < leaf->per_hour.amount ? value : leaf->per_hour.amount;
    return check_condition(p, leaf);
}

static int check_tree(struct stow_proving *p, uint32_t at, stow_i128 *ret);

static int check_branch(struct stow_proving *p, const struct stow_told_tree *tree, bool is_le,
                        stow_i128 *ret)
{
    const stow_group_id group =
        tree->nodes.count ? STOW_NONE : stow_audit_group(p->a, tree->group.text);
    int code;

    p->path[p->depth++] = (struct stow_proof_branch){group, tree->nodes, tree->at, is_le};
    code = check_tree(p, is_le ? tree->le : tree->gt, ret);
    p->depth--;
    return code;
}

/* Goes as deep as the input nests, which the tape limits. */
static int check_tree(struct stow_proving *p, uint32_t at, stow_i128 *ret)
{
    struct stow_audit *a = p->a;
    const struct stow_told_tree *tree = &a->told.tree[at];
    stow_i128 le, gt;

    *ret = 0;
    if (tree->is_leaf)
        return check_leaf(p, tree, ret);
    if (tree->le == STOW_TOLD_NONE || tree->gt == STOW_TOLD_NONE) {
        stow_audit_wrong(a, STOW_VERIFY_BOUND, tree->token, "a branch of this split is missing");
        return STOW_OK;
    }
    if (!tree->nodes.count && stow_audit_group(a, tree->group.text) == STOW_NONE) {
        stow_audit_wrong(a, STOW_VERIFY_BOUND, tree->group.token,
                         "there is no group %.*s in the input that could grow",
                         STOW_FMT(tree->group.text));
        return STOW_OK;
    }
    STOW_TRY(check_branch(p, tree, true, &le));
    STOW_TRY(check_branch(p, tree, false, &gt));
    *ret = le < gt ? le : gt;
    if (tree->per_hour.given && tree->per_hour.amount != *ret)
        stow_audit_wrong(a, STOW_VERIFY_BOUND, tree->per_hour.token,
                         "this is not the smaller of the two branches");
    return STOW_OK;
}

/* ---- all of it --------------------------------------------------------------------------- */

static bool is_named(const struct stow_audit *a, const char *group)
{
    const struct stow_told_range range = a->told.unpriced_groups;

    for (uint32_t i = 0; i < range.count; i++)
        if (stow_str_is(a->told.name[range.first + i].text, group))
            return true;
    return false;
}

/* Groups without a price that could take a pending pod: what is proved holds without them, and has
 * to say so.  What costs nothing cannot be undercut, but leave pods that they would take. */
static void check_unpriced(struct stow_proving *p)
{
    struct stow_audit *a = p->a;
    const stow_nano paid = a->told.weighed.given ? a->told.weighed.amount : a->out->cost.amount;

    a->out->priced_only = stow_audit_is_priced_only(a);
    for (stow_group_id g = 0; g < a->s->groups; g++)
        if ((paid > 0 ? p->berths.unpriced[g] : p->berths.unpriced_left[g]) &&
            !(a->out->priced_only && is_named(a, a->s->group[g].name)))
            stow_audit_wrong(a, STOW_VERIFY_BOUND, a->told.bound_token,
                             "group %s could take a pending pod, and its price is not known: the "
                             "bound is for priced-groups, and has to name it in unpricedGroups",
                             a->s->group[g].name);
}

static void check_for(struct stow_proving *p)
{
    struct stow_audit *a = p->a;
    const struct stow_told_text *told = &a->told.bound_for;
    bool all = true;

    for (uint32_t i = 0; i < p->levies; i++)
        all &= p->levy[i].placed == p->levy[i].count;
    a->out->as_many = !all;
    check_unpriced(p);
    if (all ? told->text.ptr && !stow_str_is(told->text, "all") &&
                  !stow_str_is(told->text, "priced-groups")
            : !told->text.ptr || (!stow_str_is(told->text, "as-many") &&
                                  !stow_str_is(told->text, "as-many-priced-groups")))
        stow_audit_wrong(a, STOW_VERIFY_BOUND, told->text.ptr ? told->token : a->told.bound_token,
                         "the bound is for %s",
                         all ? "all: every pod that fits somewhere is placed"
                             : "as-many: pods that fit somewhere are left out");
}

/* A bound for plans that keep the order of groups: the plan has every pod on the first groups that
 * take it (a node that is there is as good as the first of all).  No plan can have more on any step
 * of the order without having fewer further up, so one that is as good has them there, too. */
static void check_order(struct stow_proving *p)
{
    struct stow_audit *a = p->a;
    const struct stow_told_text *told = &a->told.bound_order;

    if (!told->text.ptr)
        return;
    if (!stow_str_is(told->text, "groups") || a->options->priority_price != STOW_MONEY_UNKNOWN) {
        stow_audit_wrong(a, STOW_VERIFY_BOUND, told->token,
                         stow_str_is(told->text, "groups")
                             ? "groups have no order: --priority-price is given"
                             : "the order that a bound may be for is groups");
        return;
    }
    for (uint32_t i = 0; i < a->pendings; i++) {
        const stow_pod_id pod = a->pending[i];
        const stow_node_id node = a->node_of[pod];

        if (!p->berths.taken[pod] || (node != STOW_NONE && node < a->real) ||
            (node != STOW_NONE &&
             p->berths.tier[a->group_of[node - a->real]] == p->berths.home[pod]))
            continue;
        stow_audit_wrong(a, STOW_VERIFY_BOUND, told->token,
                         "pod %s is not on the first groups that take it: the bound cannot be for "
                         "plans that have all pods there",
                         stow_audit_pod_name(a, pod));
        return;
    }
}

static bool allocate(struct stow_proving *p)
{
    const struct stow_audit *a = p->a;
    const size_t items = (size_t)p->berths.items + 1, berths = (size_t)p->berths.berths + 1;

    p->work = stow_hold_work_new();
    p->allowed = calloc(a->s->groups + 1, sizeof(*p->allowed));
    p->node_allowed = calloc((size_t)a->real + 1, sizeof(*p->node_allowed));
    p->limit = calloc(berths, sizeof(*p->limit));
    p->has_limit = calloc(berths, sizeof(*p->has_limit));
    p->need = calloc(items * (p->berths.dims + 1), sizeof(*p->need));
    p->worth = calloc(items, sizeof(*p->worth));
    p->room = calloc((size_t)p->berths.dims + 1, sizeof(*p->room));
    p->dim = calloc((size_t)p->berths.dims + 1, sizeof(*p->dim));
    p->most = calloc(items, sizeof(*p->most));
    p->order = calloc(items, sizeof(*p->order));
    return p->work && p->allowed && p->node_allowed && p->limit && p->has_limit && p->need &&
           p->worth && p->room && p->dim && p->most && p->order;
}

/* Limits have prices, too: what one more pod costs may be less than the tree says.  Then it is
 * nothing, or what a node of its own weighs. */
static bool is_lower(const struct stow_audit *a, stow_nano shown, stow_nano price)
{
    bool known = shown == 0;

    for (stow_group_id g = 0; g < a->s->groups; g++)
        known |= a->weight[g] != STOW_MONEY_UNKNOWN && a->weight[g] == shown;
    return known && shown < price;
}

/* The prices that people are shown are those of the tree, when it is one leaf; above a split they
 * are prices that the proof does not need, and they cannot be checked. */
static void check_shown_prices(struct stow_proving *p)
{
    struct stow_audit *a = p->a;
    const struct stow_told_tree *root = &a->told.tree[a->told.root];
    char is[STOW_MONEY_TEXT];

    if (!root->is_leaf || root->prices.count != a->told.classes)
        return;
    for (uint32_t i = 0; i < a->told.classes; i++) {
        const struct stow_told_money *shown_price = &a->told.class[i].price;
        stow_i128 price = 0, all;

        if (value_class(p, root, &(struct stow_levy){.class = i}, &price, &all))
            continue;
        if (shown_price->given && shown_price->amount != price &&
            !is_lower(a, shown_price->amount, stow_bound_clamp(price)))
            stow_audit_wrong(a, STOW_VERIFY_BOUND, shown_price->token,
                             "the price of this class in the tree is %s per hour",
                             stow_money_exact(stow_bound_clamp(price), is));
    }
}

/* What the tree and its lift come to. */
static int value_tree(struct stow_proving *p, stow_i128 *ret, struct stow_err *err)
{
    struct stow_audit *a = p->a;

    if (check_tree(p, a->told.root, ret) < 0 || stow_bound_lift(p, ret) < 0)
        return stow_fail_memory(err);
    a->out->searched = stow_hold_searches(p->work);
    return STOW_OK;
}

static bool has_tree(struct stow_audit *a)
{
    if (a->told.root == STOW_TOLD_NONE)
        stow_audit_wrong(a, STOW_VERIFY_BOUND, a->told.proof_token, "the proof has no tree");
    return a->told.root != STOW_TOLD_NONE;
}

static int check_bound(struct stow_proving *p, struct stow_err *err)
{
    struct stow_audit *a = p->a;
    stow_i128 value;
    char is[STOW_MONEY_TEXT], said[STOW_MONEY_TEXT];

    if (!has_tree(a))
        return STOW_OK;
    check_for(p);
    check_order(p);
    check_shown_prices(p);
    STOW_TRY(value_tree(p, &value, err));
    a->out->proved = stow_bound_clamp(value);
    if (a->told.bound.amount > value && a->told.bound.amount > 0)
        stow_audit_wrong(a, STOW_VERIFY_BOUND, a->told.bound.token,
                         "the proof comes to %s per hour, and the bound says %s",
                         stow_money_exact(stow_bound_clamp(value), is),
                         stow_money_exact(a->told.bound.amount, said));
    stow_audit_holds(
        a, STOW_VERIFY_BOUND,
        "no plan%s that places %s%s costs less than %s per hour: %u %s, %u kind%s of nodes",
        a->out->priced_only ? " of priced groups" : "",
        a->out->as_many ? "as many pods" : "all pods",
        a->told.bound_order.text.ptr ? " in the order of groups" : "",
        stow_money_short(a->told.bound.amount, is), a->out->leaves,
        a->out->leaves == 1 ? "leaf" : "leaves", a->out->kinds, a->out->kinds == 1 ? "" : "s");
    return STOW_OK;
}

/* Pods that are left: which of them something could take. */
static void report_left(struct stow_proving *p)
{
    struct stow_audit *a = p->a;
    uint32_t could = 0;

    for (uint32_t i = 0; i < a->pendings; i++)
        could += a->is_left[a->pending[i]] && p->berths.taken[a->pending[i]];
    if (a->told.unplaced.count)
        stow_audit_holds(a, STOW_VERIFY_LEFT_OUT,
                         "%u pod%s not placed: %u that no node or group could take alone, or that "
                         "%s gated, and %u others",
                         a->told.unplaced.count, a->told.unplaced.count == 1 ? " is" : "s are",
                         a->told.unplaced.count - could,
                         a->told.unplaced.count - could == 1 ? "is" : "are", could);
}

/* Which pods may be where, and what is asked about; nothing of it where something is wrong. */
static int open_proof(struct stow_proving *p, struct stow_err *err)
{
    struct stow_audit *a = p->a;

    p->deadline = a->options->seconds > 0 ? stow_hold_clock() + a->options->seconds : 0;
    STOW_TRY(stow_berths_make(a, &p->berths, err));
    if (!a->told.has_proof || !stow_audit_fine(a, STOW_VERIFY_BOUND))
        return STOW_OK;
    STOW_TRY(stow_shares_make(a, &p->berths, &p->share, err));
    if (!stow_audit_fine(a, STOW_VERIFY_BOUND))
        return STOW_OK;
    return allocate(p) && find_levies(p) >= 0 && stow_proof_sets(p) >= 0 ? STOW_OK
                                                                         : stow_fail_memory(err);
}

static int prove(struct stow_proving *p, struct stow_err *err)
{
    struct stow_audit *a = p->a;

    STOW_TRY(open_proof(p, err));
    report_left(p);
    if (!a->told.has_proof || !stow_audit_fine(a, STOW_VERIFY_BOUND))
        return STOW_OK;
    if (a->told.has_bound)
        STOW_TRY(check_bound(p, err));
    return a->told.has_resources ? stow_audit_resources(p, err) : STOW_OK;
}

int stow_audit_proof(struct stow_audit *a, struct stow_err *err)
{
    STOW_AUTO(proving_done) struct stow_proving *p = calloc(1, sizeof(*p)); /* large */

    if (!p)
        return stow_fail_memory(err);
    p->a = a;
    if (a->told.has_bound && !a->told.has_proof)
        stow_audit_unsettled(a, STOW_VERIFY_BOUND, a->told.bound_token,
                             "not settled: there is a bound, and no proof of it");
    if ((!a->told.has_proof && !a->told.unplaced.count) || !stow_audit_fine(a, STOW_VERIFY_PODS))
        return STOW_OK;
    return prove(p, err);
}

int stow_audit_tree(struct stow_audit *a, stow_nano *ret, struct stow_err *err)
{
    STOW_AUTO(proving_done) struct stow_proving *p = calloc(1, sizeof(*p)); /* large */
    stow_i128 value = 0;

    *ret = 0;
    if (!p)
        return stow_fail_memory(err);
    p->a = a;
    if (!has_tree(a))
        return STOW_OK;
    STOW_TRY(open_proof(p, err));
    if (!stow_audit_fine(a, STOW_VERIFY_BOUND))
        return STOW_OK;
    STOW_TRY(value_tree(p, &value, err));
    *ret = stow_bound_clamp(value);
    return STOW_OK;
}
