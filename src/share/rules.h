/* rules.h - which texts of an object name something, and which are Kubernetes' own words. */
#ifndef STOW_SHARE_RULES_H
#define STOW_SHARE_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* What a value is, by the members that lead to it. */
enum stow_place_of_text {
    STOW_TEXT_PLAIN,        /* names, unless the text itself shows that it is none */
    STOW_TEXT_KEPT,         /* with all below it: words of Kubernetes, providers and prices */
    STOW_TEXT_DROPPED,      /* free text that no verb reads */
    STOW_TEXT_LABELS,       /* a map of labels */
    STOW_TEXT_SELECTOR,     /* a label selector, or a map of labels */
    STOW_TEXT_ANNOTATIONS,  /* a map of annotations */
    STOW_TEXT_AMOUNTS,      /* a map from resources */
    STOW_TEXT_RESOURCE,     /* the name of a resource */
    STOW_TEXT_KEY,          /* the key of a label, or a list of them */
    STOW_TEXT_REQUIREMENTS, /* a list of {key, operator, values}, or of taints and tolerations */
    STOW_TEXT_VALUE,        /* the value of a label, or a list of them */
    STOW_TEXT_HASH,       /* the same that ends the name of a ReplicaSet, also if it is a number */
    STOW_TEXT_DRIVERS,    /* a list of drivers: they have names of their own */
    STOW_TEXT_PROVIDER,   /* of a machine: aws:///us-east-1a/i-0abc */
    STOW_TEXT_CONTAINERS, /* a list of containers */
    STOW_TEXT_CONTAINER,  /* the name of one */
    STOW_TEXT_POOL,       /* of a disk: rbd is the one meant when none is given */
    STOW_TEXT_DRIVER,     /* the name of a driver of volumes */
    STOW_TEXT_CLOUD,      /* the name of a provider */
    STOW_TEXT_INDEXES,    /* of a Job that are done, or failed */
    STOW_TEXT_SETTING,    /* of Karpenter's objects: stow_is_setting */
    STOW_TEXT_PAID,       /* how a node is paid for, or something else */
    STOW_TEXT_API,        /* a group and version */
    STOW_TEXT_APIS,       /* what a cluster's API server knows: versions with their kinds */
    STOW_TEXT_RANGES,     /* a list of {name of a resource, min, max} */
    STOW_TEXT_FOREIGN,    /* the spec of a kind that is only known by its pod template */
};

/* What the member `key` of a plain object is. */
enum stow_place_of_text stow_member_place(struct stow_str key);

/* Texts that stay as they are wherever they stand: numbers, quantities, times, true and false. */
bool stow_text_is_kept(struct stow_str text);

/* Beside those, where something other than the value of a label stands: words of the API, and names
 * that Kubernetes gives a meaning to. */
bool stow_name_is_kept(struct stow_str text);

/* How much of the start of a label's key, or of a resource's name, is not the user's own: all of
 * it, nothing, or node-role.kubernetes.io/ and the like.  Of some labels the values are not,
 * either. */
size_t stow_key_kept(struct stow_str key);
size_t stow_resource_kept(struct stow_str name);
bool stow_value_is_kept(struct stow_str key);

/* A number with a unit, a duration, a cron line, or a word that only Karpenter has; words of the
 * API are told by stow_name_is_kept. */
bool stow_is_setting(struct stow_str text);

/* The labels whose value is the last word of a ReplicaSet's name. */
bool stow_label_is_hash(struct stow_str key);

/* Whether a label of people's own may say how a node is paid for, and whether a value says it. */
bool stow_label_is_of_payment(struct stow_str key);
bool stow_is_payment(struct stow_str text);

/* Whether a key is that of zones by a driver of their own: topology.DRIVER/zone. */
bool stow_key_names_zone(struct stow_str key);

/* Whether a text is a list of indexes of a Job: 1,3-5. */
bool stow_is_indexes(struct stow_str text);

/* Annotations that verbs read; the others are left out.  Values of some are names. */
bool stow_annotation_is_read(struct stow_str key);
bool stow_annotation_is_kept(struct stow_str key);

/* Containers that an operator adds to, by name. */
bool stow_container_is_kept(struct stow_str name);

/* Members that are not read of a kind that is only known by its pod template. */
bool stow_member_is_foreign(struct stow_str key);

/* Kinds that the Prometheus operator makes StatefulSets of. */
bool stow_kind_is_operated(struct stow_str kind);

/* Kinds whose objects are in no namespace. */
bool stow_kind_is_cluster_wide(struct stow_str kind);

#endif
