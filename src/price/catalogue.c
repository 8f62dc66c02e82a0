/* catalogue.c - the built-in prices and sizes of widely used instance types.
 *
 * The catalogue is plain CSV so that a person can read, compare and correct it; it
 * goes through the same reader as a user's files when the program starts.  That
 * costs about a millisecond for 3,300 rows, because fields are views and texts
 * repeat; verbs that need no prices do not open it. */
#include "price/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "price/columns.h"
#include "price/importers.h"

/* Made by tools/embed.py. */
extern const char stow_embedded_catalogue_prices[], stow_embedded_catalogue_sizes[];
extern const size_t stow_embedded_catalogue_prices_len, stow_embedded_catalogue_sizes_len;

enum {
    PROVIDER,
    TYPE,
    CPU,
    MEMORY,
    GPU,
    GPU_NAME,
    ARCH,
    ALLOCATABLE_CPU,
    ALLOCATABLE_MEMORY,
    ALLOCATABLE_PODS,
    COLUMNS
};

static const char *const names[COLUMNS] = {
    [PROVIDER] = "provider",
    [TYPE] = "instance_type",
    [CPU] = "cpu_milli",
    [MEMORY] = "memory_mib",
    [GPU] = "gpu",
    [GPU_NAME] = "gpu_name",
    [ARCH] = "arch",
    [ALLOCATABLE_CPU] = "allocatable_cpu_milli",
    [ALLOCATABLE_MEMORY] = "allocatable_memory_mib",
    [ALLOCATABLE_PODS] = "allocatable_pods",
};

/* A defect here is one of the build: the tests read the whole catalogue. */
static int whole(const struct stow_import *import, struct stow_err *err)
{
    if (import->bads == 0)
        return STOW_OK;
    return stow_fail(err, STOW_EPARSE, "the built-in catalogue is damaged: line %u: %s",
                     import->bad[0].line, import->bad[0].reason);
}

static int64_t number(const struct stow_csv_columns *columns, uint32_t column)
{
    int64_t value;

    return stow_str_int(stow_csv_columns_text(columns, column), &value) ? value : -1;
}

static int read_size(struct stow_import_run *run, const struct stow_csv_columns *columns,
                     void *into, struct stow_err *err)
{
    struct stow_catalogue *catalogue = into;
    struct stow_size size = {
        .cpu_milli = number(columns, CPU),
        .memory_mib = number(columns, MEMORY),
        .gpus = number(columns, GPU),
        .allocatable_cpu_milli = number(columns, ALLOCATABLE_CPU),
        .allocatable_memory_mib = number(columns, ALLOCATABLE_MEMORY),
        .allocatable_pods = number(columns, ALLOCATABLE_PODS),
    };

    if (size.cpu_milli <= 0 || size.memory_mib <= 0)
        return stow_import_bad(run, columns->csv.line, err, "the size is not a number");
    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, PROVIDER), &size.provider, err));
    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, TYPE), &size.instance_type, err));
    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, GPU_NAME), &size.gpu_name, err));
    STOW_TRY(stow_import_text(run, stow_csv_columns_text(columns, ARCH), &size.arch, err));

    struct stow_size *made = STOW_PUSH(&catalogue->size, &catalogue->sizes, &catalogue->size_cap);

    if (!made)
        return stow_fail_memory(err);
    *made = size;
    return STOW_OK;
}

static int read_sizes(struct stow_import_run *run, struct stow_err *err)
{
    const struct stow_csv_columns_form form = {names, COLUMNS, (1u << COLUMNS) - 1, read_size};

    return stow_csv_columns_read(run, &form, run->import->into, err);
}

static const struct stow_importer sizes_importer = {
    .name = "sizes.csv",
    .summary = "sizes of instance types",
    .read = read_sizes,
};

/* The texts of the sizes join those of the prices in one book. */
static int open_both(struct stow_catalogue *catalogue, struct stow_import *import,
                     struct stow_err *err)
{
    import->importer = &stow_importer_stowage_csv;
    STOW_TRY(stow_import_add(import, "catalogue/prices.csv", stow_embedded_catalogue_prices,
                             stow_embedded_catalogue_prices_len, err));
    import->importer = &sizes_importer;
    import->into = catalogue;
    STOW_TRY(stow_import_add(import, "catalogue/sizes.csv", stow_embedded_catalogue_sizes,
                             stow_embedded_catalogue_sizes_len, err));
    return whole(import, err);
}

int stow_catalogue_open(struct stow_catalogue *ret, struct stow_err *err)
{
    STOW_AUTO(stow_import_done) struct stow_import import = {.source = "catalogue"};

    memset(ret, 0, sizeof(*ret));

    int code = open_both(ret, &import, err);

    if (code < 0) {
        stow_catalogue_close(ret);
        return code;
    }
    stow_book_move(&ret->book, &import.book);
    return STOW_OK;
}

void stow_catalogue_close(struct stow_catalogue *catalogue)
{
    stow_book_done(&catalogue->book);
    free(catalogue->size);
    memset(catalogue, 0, sizeof(*catalogue));
}

const struct stow_size *stow_catalogue_size(const struct stow_catalogue *catalogue,
                                            struct stow_str provider, struct stow_str instance_type)
{
    stow_sym type = stow_intern_find(&catalogue->book.text, instance_type);
    stow_sym of = stow_intern_find(&catalogue->book.text, provider);

    for (uint32_t i = 0; type && i < catalogue->sizes; i++)
        if (catalogue->size[i].instance_type == type &&
            (of == 0 || catalogue->size[i].provider == of))
            return &catalogue->size[i];
    return NULL;
}
