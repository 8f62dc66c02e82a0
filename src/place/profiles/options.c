/* options.c - reading options of rules: the shapes that several rules share. */
#include "place/profiles/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/kinds/reader.h"

#define ITEMS_MAX 1024 /* no sensible input lists more resources */

void *stow_option_push(struct stow_cursor *c, void *items, uint32_t *count, uint32_t *cap,
                       size_t size)
{
    void *list;

    memcpy(&list, items, sizeof(list));
    if (*count == *cap) {
        uint32_t wanted = *cap ? *cap * 2 : 4;
        void *grown = stow_arena_zalloc(c->arena, wanted * size);

        if (!grown)
            return NULL;
        if (*count)
            memcpy(grown, list, *count * size);
        memcpy(items, &grown, sizeof(grown));
        *cap = wanted;
        list = grown;
    }
    return (char *)list + (*count)++ * size;
}

static int push_weighted(struct stow_cursor *c, struct stow_weighted_list *list,
                         struct stow_weighted item)
{
    if (list->count == ITEMS_MAX)
        return stow_cursor_fail(c, "more than %d entries", ITEMS_MAX);

    struct stow_weighted *made =
        stow_option_push(c, &list->item, &list->count, &list->cap, sizeof(*made));

    if (!made || !item.name)
        return stow_cursor_fail_memory(c);
    *made = item;
    return STOW_OK;
}

/* ---- lists of weighted names ------------------------------------------------------------- */

static int read_name(struct stow_cursor *c, void *into)
{
    struct stow_weighted *item = into;
    struct stow_str name;

    STOW_TRY(stow_cursor_text(c, &name));
    item->name = stow_arena_text(c->arena, name);
    return item->name ? STOW_OK : stow_cursor_fail_memory(c);
}

static int read_weight(struct stow_cursor *c, void *into)
{
    struct stow_weighted *item = into;

    return stow_cursor_int(c, INT64_MIN, INT64_MAX, &item->weight);
}

static const struct stow_field weighted_fields[] = {
    STOW_FIELD("name", read_name),
    STOW_FIELD("weight", read_weight),
};

static int read_weighted(struct stow_cursor *c, void *into)
{
    struct stow_weighted item = {0};
    uint32_t start = c->at;

    if (stow_cursor_peek(c) == STOW_TOKEN_TEXT)
        STOW_TRY(read_name(c, &item));
    else
        STOW_TRY(STOW_FIELDS_STRICT(c, weighted_fields, &item));
    if (!item.name)
        return stow_cursor_fail_at(c, start, "a resource without a name");
    if (item.weight == 0)
        item.weight = 1;
    return push_weighted(c, into, item);
}

int stow_option_weighted(struct stow_cursor *c, struct stow_weighted_list *ret)
{
    int null = stow_cursor_null(c);

    *ret = (struct stow_weighted_list){0};
    return null ? (null < 0 ? null : STOW_OK) : stow_cursor_items(c, read_weighted, ret);
}

static int read_bare_name(struct stow_cursor *c, void *into)
{
    struct stow_weighted item = {.weight = 1};

    STOW_TRY(read_name(c, &item));
    return push_weighted(c, into, item);
}

static int read_weight_map(struct stow_cursor *c, struct stow_weighted_list *ret)
{
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        struct stow_weighted item = {.name = stow_arena_text(c->arena, key)};

        STOW_TRY(read_weight(c, &item));
        STOW_TRY(push_weighted(c, ret, item));
    }
    return more;
}

int stow_option_weights_or_names(struct stow_cursor *c, struct stow_weighted_list *ret)
{
    int null = stow_cursor_null(c);

    *ret = (struct stow_weighted_list){0};
    if (null)
        return null < 0 ? null : STOW_OK;
    if (stow_cursor_peek(c) == STOW_TOKEN_OBJECT)
        return read_weight_map(c, ret);
    return stow_cursor_items(c, read_bare_name, ret);
}

/* ---- scalars ----------------------------------------------------------------------------- */

int stow_option_real(struct stow_cursor *c, double min, double max, double *ret)
{
    struct stow_str digits;
    char text[64], *end;

    STOW_TRY(stow_cursor_number(c, &digits));
    if (digits.len >= sizeof(text))
        return stow_cursor_fail(c, "a number of more than %zu digits", sizeof(text) - 1);
    memcpy(text, digits.ptr, digits.len);
    text[digits.len] = '\0';

    double value = strtod(text, &end);

    if (*end || !isfinite(value) || value < min || value > max)
        return stow_cursor_fail(c, "expected a number from %.15g to %.15g, found %s", min, max,
                                text);
    *ret = value;
    return STOW_OK;
}

int stow_option_word(struct stow_cursor *c, const char *const *words, uint32_t *ret)
{
    return stow_read_word(c, words, ret);
}
