/* syntax.c - which texts Kubernetes takes as label keys and values, and which requirements it takes
 * as selectors at all. */
#include "model/values/syntax.h"

#include "model/snapshot.h"

#define NAME_MAX_LEN   63
#define DOMAIN_MAX_LEN 253

static bool is_alnum(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool stow_is_word(struct stow_str text, const char *extra)
{
    if (text.len == 0 || !is_alnum(text.ptr[0]) || !is_alnum(text.ptr[text.len - 1]))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (!is_alnum(text.ptr[i]) && (!text.ptr[i] || !strchr(extra, text.ptr[i])))
            return false;
    return true;
}

bool stow_is_domain(struct stow_str text)
{
    while (text.ptr) {
        struct stow_str rest, part = stow_str_cut(text, '.', &rest);

        if (!stow_is_word(part, "-"))
            return false;
        for (size_t i = 0; i < part.len; i++)
            if (part.ptr[i] >= 'A' && part.ptr[i] <= 'Z')
                return false;
        text = rest;
    }
    return true;
}

bool stow_is_label_key(struct stow_str text)
{
    struct stow_str name, domain = stow_str_cut(text, '/', &name);

    if (!name.ptr)
        return text.len <= NAME_MAX_LEN && stow_is_word(text, "-_.");
    return domain.len <= DOMAIN_MAX_LEN && stow_is_domain(domain) && name.len <= NAME_MAX_LEN &&
           stow_is_word(name, "-_.");
}

bool stow_is_label_value(struct stow_str text)
{
    return text.len == 0 || (text.len <= NAME_MAX_LEN && stow_is_word(text, "-_."));
}

bool stow_requirement_takes(uint32_t op, uint32_t values)
{
    switch ((enum stow_operator)op) {
    case STOW_OP_IN:
    case STOW_OP_NOT_IN:
        return values > 0;
    case STOW_OP_EXISTS:
    case STOW_OP_NOT_EXISTS:
        return values == 0;
    case STOW_OP_GT:
    case STOW_OP_LT:
        return values == 1;
    case STOW_OP_UNKNOWN:
        break;
    }
    return false;
}

bool stow_requirement_takes_value(uint32_t op, struct stow_str value)
{
    int64_t number;

    if ((op == STOW_OP_GT || op == STOW_OP_LT) && !stow_str_int(value, &number))
        return false;
    return stow_is_label_value(value);
}
