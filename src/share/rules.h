/* rules.h - which texts of an object name something, and which are Kubernetes' own words. */
#ifndef STOW_SHARE_RULES_H
#define STOW_SHARE_RULES_H

#include <stdbool.h>

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
    STOW_TEXT_DRIVERS,      /* a list of drivers: they have names of their own */
    STOW_TEXT_PROVIDER,     /* of a machine: aws:///us-east-1a/i-0abc */
    STOW_TEXT_CONTAINERS,   /* a list of containers */
    STOW_TEXT_CONTAINER,    /* the name of one */
    STOW_TEXT_POOL,         /* of a disk: rbd is the one meant when none is given */
};

/* What the member `key` of a plain object is. */
enum stow_place_of_text stow_member_place(struct stow_str key);

/* Texts that stay as they are wherever they stand: numbers, quantities, times, true and false. */
bool stow_text_is_kept(struct stow_str text);

/* Beside those, where something other than the value of a label stands: words in CamelCase, which
 * no object can be called, and names that Kubernetes gives a meaning to. */
bool stow_name_is_kept(struct stow_str text);

/* Keys of labels and names of resources that are not the user's own; of some labels the values are
 * not, either. */
bool stow_key_is_kept(struct stow_str key);
bool stow_value_is_kept(struct stow_str key);
bool stow_resource_is_kept(struct stow_str name);

/* Annotations that verbs read; the others are left out.  Values of some are names. */
bool stow_annotation_is_read(struct stow_str key);
bool stow_annotation_is_kept(struct stow_str key);

/* Containers that an operator adds to, by name. */
bool stow_container_is_kept(struct stow_str name);

/* Kinds whose objects are in no namespace. */
bool stow_kind_is_cluster_wide(struct stow_str kind);

#endif
