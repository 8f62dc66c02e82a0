/* shares.h - classes of the proof that have a price per domain. */
#ifndef STOW_VERIFY_PROOF_SHARES_H
#define STOW_VERIFY_PROOF_SHARES_H

#include "base/int128.h"
#include "verify/proof/berths.h"

/* How the pods of a class can be over the domains of its topology key. */
struct stow_proof_share {
    uint32_t pods;
    bool together;    /* all in one domain; else: */
    int64_t max_skew; /* 0: any number in each, up to `cap` */
    int64_t floor;    /* the smallest count is at most that; INT64_MAX: as far as is known */
    uint32_t domains; /* that can take one: */
    stow_sym *value;  /* of the label */
    int64_t *held;    /* pods there that count already */
    bool *there;      /* the domain has a node that counts, whatever is bought */
    uint32_t *cap;    /* this many at most */
};

/* What the rules of the input say about every class that has a topologyKey; `ret` per class of the
 * proof, lies in the arena of `berths`.  Says what is wrong. */
int stow_shares_make(struct stow_audit *a, struct stow_berths *berths,
                     struct stow_proof_share ***ret, struct stow_err *err);

/* The least that all its pods are worth, however they are shared out; `price` per domain. */
stow_i128 stow_share_least(const struct stow_proof_share *share, const stow_nano *price);

#endif
