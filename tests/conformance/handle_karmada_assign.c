#include "tests/conformance/karmada.h"

const struct stow_conf_handler stow_conf_karmada_assign[] = {
    {NULL, NULL, NULL},
};
