/* realize.h - from how many pods of a class go to which type of node to nodes with pods on them,
 * with every rule held. */
#ifndef STOW_SCALE_CHEAPEST_REALIZE_H
#define STOW_SCALE_CHEAPEST_REALIZE_H

#include "scale/cheapest/sketch.h"

/* All that a session has bought and put, in order. */
int stow_sketch_of_session(const struct stow_session *session, struct stow_sketch *ret);

/* To what a session has already, buys the nodes and puts the pods, each where it is meant to be if
 * the rules over several pods allow it there, else on another node, else on a node bought for it.
 * Every pod is put when all nodes are there, and all spread constraints hold in the end.
 * For a sketch that is closed nothing is bought beside its own nodes.
 * Nodes that end up empty are not bought, but for what the groups' minNodes ask.  Pods that find no
 * place are left.  1: the deadline of the options passed, and what the session has is of no use. */
int stow_realize(struct stow_session *session, const struct stow_sketch *sketch,
                 const struct stow_formulate_options *options);

#endif
