/* devices.c - see devices.h. */
#include "model/volumes/devices.h"

#include <stdlib.h>

#include "model/values/match.h"

/* A claim takes this many pods (ResourceClaimReservedForMaxSize). */
#define USERS_MAX 256

/* ---- finding ----------------------------------------------------------------------------- */

struct wanted {
    const struct stow_snapshot *s;
    struct stow_str namespace, name;
};

static int compare(const struct wanted *w, stow_sym namespace, stow_sym name)
{
    const int order = stow_str_cmp(w->namespace, stow_text(w->s, namespace));

    return order ? order : stow_str_cmp(w->name, stow_text(w->s, name));
}

static int compare_claim(const void *key, const void *item)
{
    const struct stow_device_claim *claim = item;

    return compare(key, claim->namespace, claim->name);
}

static int compare_template(const void *key, const void *item)
{
    const struct stow_device_template *t = item;

    return compare(key, t->namespace, t->name);
}

static int compare_class(const void *key, const void *item)
{
    return compare(key, 0, ((const struct stow_device_class *)item)->name);
}

/* A snapshot has all lists sorted by name. */
const struct stow_device_claim *stow_device_claim_find(const struct stow_snapshot *s,
                                                       stow_sym namespace, stow_sym name)
{
    const struct wanted w = {s, stow_text(s, namespace), stow_text(s, name)};

    return s->device_claims ? bsearch(&w, s->device_claim, s->device_claims,
                                      sizeof(*s->device_claim), compare_claim)
                            : NULL;
}

static const struct stow_device_template *find_template(const struct stow_snapshot *s,
                                                        stow_sym namespace, stow_sym name)
{
    const struct wanted w = {s, stow_text(s, namespace), stow_text(s, name)};

    return s->device_templates ? bsearch(&w, s->device_template, s->device_templates,
                                         sizeof(*s->device_template), compare_template)
                               : NULL;
}

static bool has_class(const struct stow_snapshot *s, stow_sym name)
{
    const struct wanted w = {s, stow_text(s, 0), stow_text(s, name)};

    return s->device_classes &&
           bsearch(&w, s->device_class, s->device_classes, sizeof(*s->device_class), compare_class);
}

/* ---- judging ----------------------------------------------------------------------------- */

/* What becomes of requests that nothing is allocated for. */
static struct stow_devices_state open_requests(const struct stow_snapshot *s, stow_blob requests,
                                               const struct stow_pod_claim *entry)
{
    uint32_t count;
    const struct stow_device_request *request =
        STOW_LIST(s, requests, struct stow_device_request, &count);

    for (uint32_t i = 0; i < count && s->device_classes; i++)
        if (!has_class(s, request[i].class))
            return (struct stow_devices_state){STOW_DEVICES_NO_CLASS, entry, &request[i]};
    return (struct stow_devices_state){STOW_DEVICES_UNALLOCATED, entry, NULL};
}

static struct stow_devices_state not_made(const struct stow_snapshot *s, stow_sym namespace,
                                          const struct stow_pod_claim *entry)
{
    const struct stow_device_template *t = find_template(s, namespace, entry->template);

    if (t)
        return open_requests(s, t->requests, entry);
    return (struct stow_devices_state){
        s->device_templates ? STOW_DEVICES_NOT_MADE : STOW_DEVICES_NOT_GIVEN, entry, NULL};
}

static struct stow_devices_state claim_state(const struct stow_snapshot *s, stow_sym namespace,
                                             const struct stow_pod_claim *entry)
{
    const struct stow_device_claim *claim = stow_device_claim_find(s, namespace, entry->claim);
    struct stow_devices_state ret = {STOW_DEVICES_ALLOCATED, entry, NULL};

    if (entry->without)
        return ret;
    if (!entry->claim && entry->template)
        return not_made(s, namespace, entry);
    if (!claim)
        ret.state = s->device_claims ? STOW_DEVICES_MISSING : STOW_DEVICES_NOT_GIVEN;
    else if (claim->deleted)
        ret.state = STOW_DEVICES_DELETED;
    else if (!claim->allocated)
        return open_requests(s, claim->requests, entry);
    else if (claim->users >= USERS_MAX)
        ret.state = STOW_DEVICES_IN_USE;
    return ret;
}

/* What is sure comes before what is not known, the first of the pod's claims before others. */
struct stow_devices_state stow_pod_devices(const struct stow_snapshot *s, stow_sym namespace,
                                           stow_blob devices)
{
    uint32_t count;
    const struct stow_pod_claim *entry = STOW_LIST(s, devices, struct stow_pod_claim, &count);
    struct stow_devices_state ret = {count ? STOW_DEVICES_ALLOCATED : STOW_DEVICES_NONE, entry,
                                     NULL};

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_devices_state found = claim_state(s, namespace, &entry[i]);

        if (found.state != STOW_DEVICES_ALLOCATED && !stow_devices_unknown(found.state))
            return found;
        if (found.state != STOW_DEVICES_ALLOCATED && ret.state == STOW_DEVICES_ALLOCATED)
            ret = found;
    }
    return ret;
}

bool stow_pod_waits_for_devices(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    return stow_devices_unknown(
        stow_pod_devices(s, pod->namespace, stow_spec(s, pod->spec)->devices).state);
}

/* Whether a claim that is not allocated asks for anything. */
static bool asks_for_devices(const struct stow_snapshot *s, const struct stow_pod *pod,
                             const struct stow_pod_claim *entry)
{
    const struct stow_device_claim *claim = stow_device_claim_find(s, pod->namespace, entry->claim);
    const struct stow_device_template *made =
        claim ? NULL : find_template(s, pod->namespace, entry->template);
    uint32_t count = 0;

    if (claim || made)
        (void)STOW_LIST(s, claim ? claim->requests : made->requests, struct stow_device_request,
                        &count);
    return count > 0;
}

static bool covers(const struct stow_snapshot *s, const struct stow_device_slice *slice,
                   const struct stow_node *node)
{
    if (slice->anywhere)
        return true;
    if (slice->node)
        return stow_str_is(stow_text(s, slice->node), node->name);
    return slice->node_required != STOW_SELECTOR_NULL &&
           stow_node_terms_match(s, slice->node_required, node);
}

bool stow_pod_may_get_devices(const struct stow_snapshot *s, const struct stow_pod *pod,
                              const struct stow_node *node)
{
    const struct stow_devices_state devices =
        stow_pod_devices(s, pod->namespace, stow_spec(s, pod->spec)->devices);

    if (!s->device_slices || devices.state != STOW_DEVICES_UNALLOCATED ||
        !asks_for_devices(s, pod, devices.entry))
        return true;
    for (uint32_t i = 0; i < s->device_slices; i++)
        if (covers(s, &s->device_slice[i], node))
            return true;
    return false;
}

/* ---- saying so --------------------------------------------------------------------------- */

/* Pods that wait for an allocation, or workloads where these make no pods. */
struct waiting {
    const char *name;
    stow_sym namespace;
    struct stow_devices_state state; /* these of the first */
    uint32_t count;
};

static void note(const struct stow_snapshot *s, stow_sym namespace, const char *name,
                 stow_spec_id spec, struct waiting *w)
{
    const struct stow_devices_state state =
        stow_pod_devices(s, namespace, stow_spec(s, spec)->devices);

    if (stow_devices_unknown(state.state) && w->count++ == 0)
        *w = (struct waiting){name, namespace, state, 1};
}

static int warn(struct stow_snapshot *s, const struct waiting *w, const char *what,
                const char *then)
{
    const struct stow_pod_claim *entry = w->state.entry;

    if (!w->count)
        return STOW_OK;

    const bool made = entry->template && !entry->claim;

    return stow_snapshot_warn(
        s,
        STOW_DEVICES_NOT_SIMULATED ": %s with claims for devices that are not allocated: %u (the "
                                   "first is '%s/%s', %s '%s'%s)%s",
        what, w->count, stow_text(s, w->namespace).ptr, w->name,
        made ? "ResourceClaimTemplate" : "ResourceClaim",
        stow_text(s, made ? entry->template : entry->claim).ptr,
        w->state.state == STOW_DEVICES_NOT_GIVEN ? ", which is not given; see kubectl get "
                                                   "resourceclaims,resourceclaimtemplates"
                                                 : "",
        then);
}

uint32_t stow_devices_waiting(const struct stow_snapshot *s)
{
    uint32_t count = 0;

    for (stow_pod_id i = 0; i < s->pods; i++)
        count += stow_pod_pending(&s->pod[i]) && stow_pod_waits_for_devices(s, &s->pod[i]);
    return count;
}

int stow_warn_of_devices(struct stow_snapshot *s)
{
    struct waiting pods = {.count = 0}, workloads = {.count = 0};

    for (stow_pod_id i = 0; i < s->pods; i++)
        if (stow_pod_pending(&s->pod[i]))
            note(s, s->pod[i].namespace, s->pod[i].name, s->pod[i].spec, &pods);
    for (uint32_t i = 0; i < s->workloads && s->clusters; i++)
        if (s->workload[i].template_spec != STOW_NONE)
            note(s, s->workload[i].namespace, s->workload[i].name, s->workload[i].template_spec,
                 &workloads);
    STOW_TRY(warn(s, &pods, "pending pods", "; they get no node"));
    return warn(s, &workloads, "workloads", "");
}
