/* node_ports.c - host ports that another pod on the node has already.
 *
 * Two pods conflict when a port and protocol of theirs agree and either address
 * is 0.0.0.0 or both are the same text.  Which specs conflict with the pod's is
 * worked out once; asking about a node then means looking at the specs of the
 * pods there. */
#include "place/filters/ports.h"
#include "place/rules.h"

struct prep {
    uint8_t *conflicts; /* per spec */
};

/* Ports count on containers that stay: not on init containers that end. */
static bool stays(const struct stow_container *c)
{
    return !(c->flags & STOW_CONTAINER_INIT) || (c->flags & STOW_CONTAINER_SIDECAR);
}

static bool port_conflicts(const struct stow_port *a, const struct stow_port *b)
{
    return a->port == b->port && a->protocol == b->protocol &&
           (a->ip == b->ip || a->ip == STOW_SYM_ANY_IP || b->ip == STOW_SYM_ANY_IP);
}

/* The first port of the spec that conflicts with `wanted` (NULL: the first of all), or NULL. */
static const struct stow_port *spec_port(const struct stow_snapshot *s,
                                         const struct stow_pod_spec *spec,
                                         const struct stow_port *wanted)
{
    uint32_t containers, ports;
    const struct stow_container *c =
        STOW_LIST(s, spec->containers, struct stow_container, &containers);

    for (uint32_t i = 0; i < containers; i++) {
        const struct stow_port *p = STOW_LIST(s, c[i].ports, struct stow_port, &ports);

        for (uint32_t j = 0; j < ports && stays(&c[i]); j++)
            if (!wanted || port_conflicts(&p[j], wanted))
                return &p[j];
    }
    return NULL;
}

/* The first port of `pod` that conflicts with any of `other`, or NULL. */
static const struct stow_port *specs_conflict(const struct stow_snapshot *s,
                                              const struct stow_pod_spec *pod,
                                              const struct stow_pod_spec *other)
{
    uint32_t containers, ports;
    const struct stow_container *c =
        STOW_LIST(s, pod->containers, struct stow_container, &containers);

    for (uint32_t i = 0; i < containers; i++) {
        const struct stow_port *p = STOW_LIST(s, c[i].ports, struct stow_port, &ports);

        for (uint32_t j = 0; j < ports && stays(&c[i]); j++)
            if (spec_port(s, other, &p[j]))
                return &p[j];
    }
    return NULL;
}

bool stow_ports_any(const struct stow_snapshot *s, const struct stow_pod_spec *spec)
{
    return spec_port(s, spec, NULL) != NULL;
}

bool stow_ports_conflict(const struct stow_snapshot *s, const struct stow_pod_spec *a,
                         const struct stow_pod_spec *b)
{
    return specs_conflict(s, a, b) != NULL;
}

static int prepare(const void *self, const struct stow_state *state, const struct stow_subject *pod,
                   void *prep, struct stow_arena *arena)
{
    const struct stow_snapshot *s = state->s;
    struct prep *p = prep;

    (void)self;
    if (!spec_port(s, pod->spec, NULL))
        return STOW_PREPARED_SKIP;
    p->conflicts = stow_arena_zalloc(arena, stow_spec_end(s));
    if (!p->conflicts)
        return STOW_ENOMEM;
    for (stow_spec_id i = 1; i < stow_spec_end(s); i++)
        p->conflicts[i] = specs_conflict(s, pod->spec, stow_spec(s, i)) != NULL;
    return STOW_PREPARED;
}

/* A pod on the node whose ports conflict, or STOW_NONE. */
static stow_pod_id find_conflict(const struct prep *p, const struct stow_state *state,
                                 stow_node_id node)
{
    stow_pod_id pod = state->first_on[node];

    while (pod != STOW_NONE && !p->conflicts[state->s->pod[pod].spec])
        pod = state->next_on[pod];
    return pod;
}

static void check(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  uint8_t *fits)
{
    (void)self, (void)pod;
    for (uint32_t i = 0; i < count; i++)
        fits[i] &= find_conflict(prep, state, nodes[i]) == STOW_NONE;
}

static void explain(const void *self, const void *prep, const struct stow_state *state,
                    const struct stow_subject *pod, stow_node_id node, struct stow_reasons *ret)
{
    const struct stow_snapshot *s = state->s;
    stow_pod_id other = find_conflict(prep, state, node);
    const struct stow_port *port = NULL;
    const char *detail = NULL;

    (void)self;
    if (other != STOW_NONE)
        port = specs_conflict(s, pod->spec, stow_spec(s, s->pod[other].spec));
    if (port && ret->arena)
        detail =
            stow_arena_printf(ret->arena, "port %u/%.*s is taken by %.*s/%s", port->port,
                              STOW_FMT(stow_text(s, port->protocol)),
                              STOW_FMT(stow_text(s, s->pod[other].namespace)), s->pod[other].name);
    ret->verdict = STOW_UNSCHEDULABLE;
    stow_reason_add(ret, "node(s) didn't have free ports for the requested pod ports", detail);
}

const struct stow_filter_rule stow_filter_node_ports = {
    .name = "node-ports",
    .plugin = "NodePorts",
    .summary = "host ports that are taken on the node",
    .scope = STOW_SCOPE_LOCAL,
    .prep_size = sizeof(struct prep),
    .prepare = prepare,
    .check = check,
    .explain = explain,
};
