/* reader.h - what the readers of kinds share: the snapshot being filled and its scratch lists. */
#ifndef STOW_READ_KINDS_READER_H
#define STOW_READ_KINDS_READER_H

#include "base/intern.h"
#include "model/build.h"
#include "model/pods/stored.h"
#include "read/files/found.h"
#include "read/text/cursor.h"
#include "read/text/pattern.h"

/* Bytes of a name. */
#define STOW_NAME_MAX 253

/* More kinds than are read (object.c has the table). */
#define STOW_KINDS_MAX 64

/* What is said of something that is written in a chart and not rendered. */
#define STOW_IS_TEMPLATE                                                                      \
    "'{{' in a name: is this a Helm template? render the chart first: helm template CHART | " \
    "stowage ... -f -"

/* An object without a name is an error, or passed over; FOUND: it was, just now. */
enum stow_unnamed { STOW_UNNAMED_WRONG, STOW_UNNAMED_FINE, STOW_UNNAMED_FOUND };

enum stow_book_list {
    STOW_BOOK_PRICES,
    STOW_BOOK_RISKS,
    STOW_BOOK_RATES,
    STOW_BOOK_CLUSTERS,
    STOW_BOOK_CLUSTER_RATES,
    STOW_BOOK_DISCOUNTS,
    STOW_BOOK_COMMITMENTS,
    STOW_BOOK_LISTS,
};

/* Where the rows of one PriceBook start in the snapshot's book; the next one's start is their end.
 */
struct stow_book_part {
    stow_sym name;
    uint32_t start[STOW_BOOK_LISTS];
};

/* Who takes objects as they are written, instead of reading them into a snapshot: of every kind
 * that is read, with the cursor at the object. */
struct stow_taker {
    int (*take)(void *ctx, struct stow_cursor *c, const char *group, const char *kind);
    void *ctx;
};

/* What an object says it is.  The texts are copies: the cursor's own do not last. */
struct stow_object_type {
    char group[64], kind[64];
    bool has_group, has_kind, has_metadata, has_items, list;
    bool has_prices; /* a key that files of prices have */
    bool loose;      /* what has another kind of kind is no Kubernetes object */
};

/* How far a list was read (large.h). */
struct stow_list_place {
    struct stow_object_type type; /* of items that do not say */
    struct stow_page page;        /* what its metadata say */
    bool has_metadata;
    uint32_t items; /* read so far */
    size_t end;     /* where they end in the text */
};

struct stow_reader {
    struct stow_snapshot *s;
    const struct stow_taker *taker; /* or NULL */
    const struct stow_load_options *options;
    /* Lists being collected, kept between objects so that they are allocated once. */
    struct stow_collect labels, syms, amounts, requirements, terms, taints, tolerations, spreads;
    struct stow_collect pod_terms, ports, images, statuses, claims, volume_images, limit_items;
    struct stow_collect disks, own_claims, claim_templates, limits;
    struct stow_collect devices, device_statuses, device_requests;
    struct stow_collect pool_requirements, pool_budgets, class_disks, class_zones;
    struct stow_collect class_reservations;
    struct stow_manifest manifest; /* the pod being read */
    struct stow_intern generated;  /* names made from generateName, as "kind/namespace/name" */
    struct stow_book_part *book;   /* the PriceBooks read so far */
    uint32_t books, book_cap;
    bool has_keys;               /* a Policy's `keys` were read */
    uint32_t object;             /* the token where the object being read starts */
    const char *kind;            /* of the object being read, where it decides nothing else */
    uint32_t allocatable;        /* the token where status.allocatable read last starts */
    struct stow_version version; /* of the object being read */
    enum stow_unnamed unnamed;   /* what becomes of it when it has no name */
    /* The file being read. */
    bool inside; /* found in a folder or archive: what is no Kubernetes object is passed over */
    const char *place_group, *place_kind; /* of objects that state no kind, by its path; or NULL */
    uint32_t strays;                      /* what was passed over so */
    uint32_t objects;                     /* in it, of all kinds */
    uint32_t read_count[STOW_KINDS_MAX];  /* objects read, by kind */
    struct stow_found found;
    struct stow_trace trace;       /* of the pod being read in a list */
    struct stow_patterns patterns; /* of the list being read */
};

void stow_reader_done(struct stow_reader *r);

/* Reads the documents of a tape into r->s.  With a place, the tape starts there, inside a list.
 * Where a log stands among the documents (bundle.h), *ret_log is its place in the text and the rest
 * is not read, else SIZE_MAX. */
int stow_read_tape(struct stow_reader *r, const struct stow_tape *tape,
                   struct stow_list_place *place, size_t *ret_log, struct stow_err *err);

/* 1 when the tape starts with a list, what it says before its items is read and the cursor is at
 * them; else 0. */
int stow_list_starts(struct stow_cursor *c, struct stow_reader *r, struct stow_list_place *place);

/* Reads one item of a list of this type, or a document (NULL). */
int stow_read_item(struct stow_cursor *c, struct stow_reader *r,
                   const struct stow_object_type *list);

/* 1 when the text starts with an object that is like one before it in the list (pattern.h), and is
 * read then; else 0. */
struct stow_repeated {
    size_t len;
    uint32_t tokens;
};

int stow_repeat_object(struct stow_reader *r, struct stow_str text, uint32_t depth,
                       struct stow_repeated *ret);

/* Whether objects are taken as they are given, nothing filled in. */
bool stow_reader_as_given(const struct stow_reader *r);

/* Hands all objects of the paths (as stow_snapshot_load takes them) to `taker`.  What there is to
 * warn of is in the snapshot, which has no objects; the caller owns it. */
int stow_objects_take(const char *const *paths, uint32_t count,
                      const struct stow_load_options *options, const struct stow_taker *taker,
                      struct stow_snapshot **ret, struct stow_err *err);

/* The same of a text; `name` is for messages. */
int stow_objects_take_text(const char *name, struct stow_str text, const struct stow_taker *taker,
                           struct stow_err *err);

/* The name of a kind that is read, by its place in read_count; NULL after the last. */
const char *stow_kind_name(uint32_t kind);

/* ---- parts (parts.c): each reads the value at the cursor --------------------------------- */

int stow_read_sym(struct stow_cursor *c, struct stow_reader *r, stow_sym *ret);
int stow_read_syms(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);
int stow_read_int32(struct stow_cursor *c, int32_t min, int32_t *ret);
int stow_read_time(struct stow_cursor *c, stow_time *ret);
int stow_read_money(struct stow_cursor *c, stow_nano *ret);

/* A fraction from 0 to 1, in billionths. */
int stow_read_fraction(struct stow_cursor *c, int64_t *ret);

/* One of the words (the array ends with NULL): its index, or an error that lists them. */
int stow_read_word(struct stow_cursor *c, const char *const *words, uint32_t *ret);

/* One condition of a status: whether it is of one of the types and has the reason asked for (which
 * may be NULL), and whether it holds. */
struct stow_condition {
    const char *types[4], *reason;
    bool is_type, is_reason, holds;
};

int stow_read_condition(struct stow_cursor *c, struct stow_condition *in);

/* Maps of strings.  Of annotations, those that a rule can mean (model/annotations.h). */
int stow_read_labels(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);
int stow_read_annotations(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);

/* A resource list: quantities that are not negative and fit 64 bits in their unit. */
int stow_read_amounts(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);

/* The place of a token, for what is judged when all is read. */
int stow_read_mark(struct stow_cursor *c, struct stow_reader *r, uint32_t token,
                   struct stow_mark *ret);

/* Ends a list: what was collected as one blob. */
int stow_read_blob(struct stow_cursor *c, struct stow_reader *r, const struct stow_collect *list,
                   size_t size, stow_blob *ret);

/* ---- selectors (selectors.c) ------------------------------------------------------------- */

int stow_read_selector(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);
int stow_read_match_labels(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);
int stow_read_node_selector(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);
int stow_read_topologies(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);
int stow_read_affinity(struct stow_cursor *c, struct stow_reader *r, struct stow_pod_spec *spec);
int stow_read_spreads(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);
int stow_read_tolerations(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);
int stow_read_taints(struct stow_cursor *c, struct stow_reader *r, stow_blob *ret);

/* ---- metadata (meta.c) ------------------------------------------------------------------- */

struct stow_meta {
    struct stow_reader *r;
    const char *name; /* in the snapshot's arena; NULL when absent */
    stow_sym namespace;
    stow_blob labels, annotations, owner;
    stow_time created;
    bool deleted;
    bool stored;       /* it has a uid or a creationTimestamp: the API server gave it out */
    uint32_t generate; /* the token of generateName, 0: none */
    uint32_t uid_at;   /* the token of uid, 0: none; by stow_read_meta only */
    stow_sym uid;      /* these two by stow_read_identity only */
    int64_t generation;
};

int stow_read_meta(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *ret);

/* The same with uid and generation. */
int stow_read_identity(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *ret);

/* The name must be there, or is made from generateName; `what` is the kind, for the message. */
int stow_check_name(struct stow_cursor *c, struct stow_meta *m, const char *what);

/* The same, and the name as a handle. */
int stow_read_name_symbol(struct stow_cursor *c, struct stow_reader *r, struct stow_meta *m,
                          const char *what, stow_sym *ret);

/* A resourceVersion as a number; 0 when it is none. */
int64_t stow_order_of(struct stow_str text);

/* The namespace, "default" when the object states none. */
stow_sym stow_meta_namespace(const struct stow_meta *m);

/* ---- typed rows of tables (take.c): what is read into starts with a struct stow_reader * --- */

typedef stow_sym stow_taken_sym;
int stow_take_sym(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_blob stow_taken_labels;
int stow_take_labels(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_blob stow_taken_annotations;
int stow_take_annotations(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_blob stow_taken_syms;
int stow_take_syms(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_blob stow_taken_amounts;
int stow_take_amounts(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef struct stow_meta stow_taken_meta;
int stow_take_meta(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef struct stow_meta stow_taken_identity;
int stow_take_identity(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_blob stow_taken_selector;
int stow_take_selector(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_blob stow_taken_tolerations;
int stow_take_tolerations(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_blob stow_taken_taints;
int stow_take_taints(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_blob stow_taken_node_selector;
int stow_take_node_selector(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef struct stow_container stow_taken_resources;
int stow_take_resources(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_time stow_taken_time;
int stow_take_time(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef stow_nano stow_taken_money;
int stow_take_money(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef int64_t stow_taken_fraction;
int stow_take_fraction(struct stow_cursor *c, void *into, const struct stow_field *field);
typedef int32_t stow_taken_int32;
int stow_take_int32(struct stow_cursor *c, void *into, const struct stow_field *field);

/* ---- kinds: each reads one object at the cursor ------------------------------------------ */

int stow_read_pod(struct stow_cursor *c, struct stow_reader *r);

/* Adds a pod like that at place `like` of the snapshot but for these texts (pattern.h): 1, or 0
 * when it must be read in full. */
int stow_repeat_pod(struct stow_reader *r, const struct stow_like *like,
                    const struct stow_str vary[STOW_VARIES]);
int stow_read_node(struct stow_cursor *c, struct stow_reader *r);
int stow_read_deployment(struct stow_cursor *c, struct stow_reader *r);
int stow_read_stateful_set(struct stow_cursor *c, struct stow_reader *r);
int stow_read_replica_set(struct stow_cursor *c, struct stow_reader *r);
int stow_read_daemon_set(struct stow_cursor *c, struct stow_reader *r);
int stow_read_replication_controller(struct stow_cursor *c, struct stow_reader *r);
int stow_read_job(struct stow_cursor *c, struct stow_reader *r);
int stow_read_cron_job(struct stow_cursor *c, struct stow_reader *r);
int stow_read_rollout(struct stow_cursor *c, struct stow_reader *r);
int stow_read_clone_set(struct stow_cursor *c, struct stow_reader *r);
int stow_read_deployment_config(struct stow_cursor *c, struct stow_reader *r);
int stow_read_prometheus(struct stow_cursor *c, struct stow_reader *r);
int stow_read_prometheus_agent(struct stow_cursor *c, struct stow_reader *r);
int stow_read_alertmanager(struct stow_cursor *c, struct stow_reader *r);
int stow_read_thanos_ruler(struct stow_cursor *c, struct stow_reader *r);

/* Passes over an object of an unknown kind; a workload if it has replicas and the
 * template of a pod.  That is then read by the second. */
int stow_skip_object(struct stow_cursor *c, bool *ret_workload);
int stow_read_other_workload(struct stow_cursor *c, struct stow_reader *r);
int stow_read_namespace(struct stow_cursor *c, struct stow_reader *r);
int stow_read_priority_class(struct stow_cursor *c, struct stow_reader *r);
int stow_read_limit_range(struct stow_cursor *c, struct stow_reader *r);
int stow_read_runtime_class(struct stow_cursor *c, struct stow_reader *r);
int stow_read_service(struct stow_cursor *c, struct stow_reader *r);
int stow_read_volume(struct stow_cursor *c, struct stow_reader *r);
int stow_read_claim(struct stow_cursor *c, struct stow_reader *r);
int stow_read_storage_class(struct stow_cursor *c, struct stow_reader *r);
int stow_read_csi_node(struct stow_cursor *c, struct stow_reader *r);
int stow_read_csi_driver(struct stow_cursor *c, struct stow_reader *r);
int stow_read_attachment(struct stow_cursor *c, struct stow_reader *r);
int stow_read_resource_claim(struct stow_cursor *c, struct stow_reader *r);
int stow_read_resource_claim_template(struct stow_cursor *c, struct stow_reader *r);
int stow_read_device_class(struct stow_cursor *c, struct stow_reader *r);
int stow_read_resource_slice(struct stow_cursor *c, struct stow_reader *r);
int stow_read_budget(struct stow_cursor *c, struct stow_reader *r);
int stow_read_config_map(struct stow_cursor *c, struct stow_reader *r);
int stow_read_scaling_constraint(struct stow_cursor *c, struct stow_reader *r);
int stow_read_cluster(struct stow_cursor *c, struct stow_reader *r);
int stow_read_propagation_policy(struct stow_cursor *c, struct stow_reader *r);
int stow_read_cluster_propagation_policy(struct stow_cursor *c, struct stow_reader *r);
int stow_read_resource_binding(struct stow_cursor *c, struct stow_reader *r);
int stow_read_cluster_resource_binding(struct stow_cursor *c, struct stow_reader *r);
int stow_read_node_group(struct stow_cursor *c, struct stow_reader *r);
int stow_read_price_book(struct stow_cursor *c, struct stow_reader *r);
int stow_read_policy(struct stow_cursor *c, struct stow_reader *r);
int stow_read_node_pool(struct stow_cursor *c, struct stow_reader *r);
int stow_read_ec2_node_class(struct stow_cursor *c, struct stow_reader *r);
int stow_read_aks_node_class(struct stow_cursor *c, struct stow_reader *r);
int stow_read_gce_node_class(struct stow_cursor *c, struct stow_reader *r);
int stow_read_node_claim(struct stow_cursor *c, struct stow_reader *r);
int stow_read_node_overlay(struct stow_cursor *c, struct stow_reader *r);

/* A pod's spec, as in a Pod or in a template; flags: enum stow_pod_flags. */
struct stow_pod_parts {
    struct stow_reader *r;
    struct stow_pod_spec spec;
    stow_sym node_name, runtime_class;
    int32_t priority;
    uint32_t volumes; /* stow_pod.volumes */
    stow_blob intake;
    uint16_t flags;
    bool host_network;
    bool is_new;  /* set by whoever asks for defaults: admission acts on it */
    bool is_like; /* fields of a pod beside others: `resources` among them are not the pod's */
};

int stow_read_pod_spec(struct stow_cursor *c, struct stow_reader *r, struct stow_pod_parts *ret);

/* The same of a spec that has fields of a pod beside its own. */
int stow_read_pod_like(struct stow_cursor *c, struct stow_reader *r, struct stow_pod_parts *ret);

/* Its claims for devices, and what the status says was made for them (device.c); end puts both
 * into the spec. */
int stow_read_pod_devices(struct stow_cursor *c, struct stow_reader *r);
int stow_read_device_statuses(struct stow_cursor *c, struct stow_reader *r);
int stow_end_pod_devices(struct stow_cursor *c, struct stow_pod_parts *p);

/* Its volumes, into the lists of the reader (pod_volumes.c). */
int stow_read_pod_volumes(struct stow_cursor *c, struct stow_pod_parts *p);

/* A disk that a pod or a volume names itself. */
int stow_read_disk(struct stow_cursor *c, struct stow_reader *r, enum stow_disk_kind kind,
                   struct stow_disk *ret);

/* The claim templates of a StatefulSet, into r->claim_templates. */
int stow_read_claim_templates(struct stow_cursor *c, struct stow_reader *r);

/* Requests and limits, as a container states them. */
int stow_read_resources(struct stow_cursor *c, struct stow_reader *r, struct stow_container *ret);

/* Adds the tolerations that the DaemonSet controller gives to its pods. */
int stow_tolerate_like_daemons(struct stow_cursor *c, struct stow_pod_parts *p);

/* Fills in what the API server would, before the status is looked at; nothing where objects are
 * taken as they are given. */
int stow_default_pod_spec(struct stow_cursor *c, struct stow_pod_parts *p);

/* Closes the spec once everything of the pod is read; then p->intake is known too. */
int stow_end_pod_spec(struct stow_cursor *c, struct stow_pod_parts *p, stow_spec_id *ret);

/* A Node's metadata, spec and status, as in a Node or in a NodeGroup's template. */
int stow_read_node_body(struct stow_cursor *c, struct stow_reader *r, struct stow_node *ret);

#endif
