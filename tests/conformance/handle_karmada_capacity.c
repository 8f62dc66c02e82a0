#include "tests/conformance/karmada.h"

const struct stow_conf_handler stow_conf_karmada_capacity[] = {
    {NULL, NULL, NULL},
};
