/* take.c - values that go as they are to a place in the structure being filled.
 *
 * A row of a table names the place by its offset, so that three hundred members need no function
 * of their own.  The structure starts with the reader, whose lists and texts most values need. */
#include "read/kinds/reader.h"

#define READER (*(struct stow_reader **)into)
#define TO     ((void *)((char *)into + field->at))

int stow_take_sym(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_sym(c, READER, TO);
}

int stow_take_labels(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_labels(c, READER, TO);
}

int stow_take_annotations(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_annotations(c, READER, TO);
}

int stow_take_syms(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_syms(c, READER, TO);
}

int stow_take_amounts(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_amounts(c, READER, TO);
}

int stow_take_meta(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_meta(c, READER, TO);
}

int stow_take_identity(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_identity(c, READER, TO);
}

int stow_take_selector(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_selector(c, READER, TO);
}

int stow_take_tolerations(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_tolerations(c, READER, TO);
}

int stow_take_taints(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_taints(c, READER, TO);
}

int stow_take_node_selector(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_node_selector(c, READER, TO);
}

int stow_take_resources(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_resources(c, READER, TO);
}

int stow_take_time(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_time(c, TO);
}

int stow_take_money(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_money(c, TO);
}

int stow_take_fraction(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_fraction(c, TO);
}

int stow_take_int32(struct stow_cursor *c, void *into, const struct stow_field *field)
{
    return stow_read_int32(c, field->least, TO);
}
