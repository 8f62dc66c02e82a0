/* load.c - files, folders and archives to a finished snapshot.
 *
 * What the user names must be objects.  What is found in a folder or archive may be
 * anything: files that hold no Kubernetes objects are passed over and counted.  A
 * file that cannot be read is an error, since an answer without it would be wrong,
 * unless the user allows to leave it out.  Then every file is read twice: first into
 * a snapshot that is thrown away, so that nothing is kept of half a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "base/vec.h"
#include "model/nodes/zones.h"
#include "model/pods/sample.h"
#include "read/files/bundle.h"
#include "read/files/decode.h"
#include "read/files/input.h"
#include "read/files/tar.h"
#include "read/files/walk.h"
#include "read/kinds/reader.h"
#include "read/large.h"

struct loading {
    struct stow_reader r;
    bool skip;    /* leave out what cannot be read */
    uint64_t max; /* bytes of one input */
};

static void unref_local(struct stow_snapshot **s)
{
    stow_snapshot_unref(*s);
}

/* ---- one text ---------------------------------------------------------------------------- */

/* The text of one file, and where it is from. */
struct text {
    const char *name;
    bool inside; /* found in a folder or archive */
    struct stow_input *file;
};

static uint32_t count_lines(const char *text, size_t len)
{
    uint32_t lines = 0;

    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    return lines;
}

static int open_once(const struct text *t, size_t from, bool in_list, struct stow_tape *tape,
                     struct stow_err *err)
{
    if (!in_list)
        return stow_tape_open(tape, t->name, t->file->text + from, t->file->len - from, err);
    stow_tape_start(tape, t->name);
    return stow_tape_part(tape, (struct stow_str){t->file->text, t->file->len}, from, t->file->len,
                          err);
}

/* Opens the text from `from` on, without the logs of a dump. */
static int open_tape(const struct text *t, size_t from, bool in_list, struct stow_tape *tape,
                     struct stow_err *err)
{
    int code = open_once(t, from, in_list, tape, err);

    if (code == STOW_EPARSE && stow_dump_clear(t->file->text + from, t->file->len - from)) {
        stow_tape_done(tape);
        code = open_once(t, from, in_list, tape, err);
    }
    return stow_input_explain(t->file, "-f", code, err);
}

static int warn_twice(struct stow_reader *r, const struct stow_tape *tape)
{
    if (!tape->twice || !r->objects)
        return STOW_OK;
    return stow_snapshot_warn(r->s, "%s:%u:%u: a key is given again later%s; the last one counts",
                              tape->name, tape->twice_at.line, tape->twice_at.col,
                              tape->twice > 1 ? ", and there are more" : "");
}

/* Reads the text from *from on, up to a log, where *from is left; SIZE_MAX: to the end.  With a
 * place, *from is inside a list. */
static int read_part(struct stow_reader *r, const struct text *t, struct stow_list_place *place,
                     size_t *from, uint32_t *tokens, struct stow_err *err)
{
    STOW_AUTO(stow_tape_done) struct stow_tape tape = {0};
    size_t log;

    STOW_TRY(open_tape(t, *from, place != NULL, &tape, err));
    *tokens += tape.tokens;
    STOW_TRY(stow_read_tape(r, &tape, place, &log, err));
    if (warn_twice(r, &tape) < 0)
        return stow_fail_memory(err);
    if (log != SIZE_MAX &&
        !stow_dump_clear(t->file->text + *from + log, t->file->len - *from - log))
        return stow_text_fail(t->name, tape.text - tape.before, tape.before + tape.len,
                              tape.before + log, err, "malformed: a log starts inside a line");
    *from = log == SIZE_MAX ? SIZE_MAX : *from + log;
    return STOW_OK;
}

/* Reads the list that a text may start with; whoever takes objects wants all of the text at once.
 */
static int read_list(struct stow_reader *r, const struct text *t, struct stow_list_place *ret,
                     struct stow_err *err)
{
    const struct stow_str text = {t->file->text, t->file->len};

    *ret = (struct stow_list_place){0};
    if (r->taker || !stow_tape_is_json(t->name, text))
        return STOW_OK;
    return stow_read_items(r, t->name, text, ret, err);
}

/* Reads all documents of a text; *ret_tokens tells whether there were any. */
static int read_documents(struct stow_reader *r, const struct text *t, uint32_t *ret_tokens,
                          struct stow_err *err)
{
    struct stow_list_place place;
    size_t from = 0;

    r->inside = t->inside;
    r->strays = r->objects = 0;
    r->place_kind = NULL;
    stow_bundle_kind(t->name, &r->place_group, &r->place_kind);
    *ret_tokens = 0;
    STOW_TRY(read_list(r, t, &place, err));
    if (place.end) {
        from = place.end;
        STOW_TRY(read_part(r, t, &place, &from, ret_tokens, err));
    }
    while (from != SIZE_MAX) {
        const uint32_t lines = count_lines(t->file->text, from);
        const int code = read_part(r, t, NULL, &from, ret_tokens, err);

        if (code < 0 && err && err->line)
            err->line += lines;
        STOW_TRY(code);
    }
    return STOW_OK;
}

/* Whether the text can be read, and what is wrong with it if not. */
static int try_documents(const struct stow_reader *like, const struct text *t, struct stow_err *err)
{
    STOW_AUTO(unref_local) struct stow_snapshot *s = stow_snapshot_new();
    STOW_AUTO(stow_reader_done) struct stow_reader r = {.s = s, .options = like->options};
    uint32_t tokens;

    return s ? read_documents(&r, t, &tokens, err) : stow_fail_memory(err);
}

/* Files without objects.  An empty list in a folder is one kind of which there are none. */
static int note(struct stow_reader *r, const struct text *t, uint32_t tokens)
{
    if (!t->inside)
        return r->objects ? STOW_OK : stow_found_name(&r->found.empty, t->name);
    return tokens && !r->strays ? STOW_OK : stow_found_name(&r->found.strange, t->name);
}

/* ---- files ------------------------------------------------------------------------------- */

static int leave_out(struct loading *l, const char *name, const struct stow_err *why,
                     struct stow_err *err)
{
    struct stow_snapshot *s = l->r.s;
    struct stow_left_out *made = STOW_PUSH(&s->left_out, &s->left_outs, &s->left_out_cap);

    if (!made)
        return stow_fail_memory(err);
    made->file = stow_arena_text(&s->arena, stow_str_of(name));
    made->reason = why->line
                       ? stow_arena_printf(&s->arena, "%u:%u: %s", why->line, why->col, why->msg)
                       : stow_arena_text(&s->arena, stow_str_of(why->msg));
    return made->file && made->reason ? STOW_OK : stow_fail_memory(err);
}

/* What becomes of a file that could not be read. */
static int settle(struct loading *l, const char *name, int code, const struct stow_err *why,
                  struct stow_err *err)
{
    if (code >= 0)
        return STOW_OK;
    if (code != STOW_ENOMEM && l->skip)
        return leave_out(l, name, why, err);
    if (err)
        *err = *why;
    return code;
}

static int read_text(struct loading *l, const struct text *t, struct stow_err *err)
{
    uint32_t tokens;

    if (l->skip)
        STOW_TRY(try_documents(&l->r, t, err));
    STOW_TRY(read_documents(&l->r, t, &tokens, err));
    l->r.s->input_bytes += t->file->len;
    return note(&l->r, t, tokens) < 0 ? stow_fail_memory(err) : STOW_OK;
}

static int decode_and_read(struct loading *l, const struct text *t, struct stow_err *err)
{
    struct stow_err why = {0};
    int code = stow_decode(t->name, l->max, t->file, &why);

    if (code >= 0)
        code = read_text(l, t, &why);
    return settle(l, t->name, code, &why, err);
}

/* What builds objects from other files is none itself. */
static bool is_overlay(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    return strcmp(name, "kustomization.yaml") == 0 || strcmp(name, "kustomization.yml") == 0;
}

static bool is_archive(const char *path)
{
    static const char *const endings[] = {".tar", ".tar.gz", ".tgz"};
    const size_t len = strlen(path);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        if (len > strlen(endings[i]) && strcmp(path + len - strlen(endings[i]), endings[i]) == 0)
            return true;
    return false;
}

static int note_other(void *ctx, const char *path, struct stow_err *err)
{
    struct stow_found *found = &((struct loading *)ctx)->r.found;
    const int code =
        is_archive(path) ? stow_found_name(&found->archives, path) : stow_found_ending(found, path);

    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

static int note_overlay(struct loading *l, const char *path, struct stow_err *err)
{
    return stow_found_name(&l->r.found.overlays, path) < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* ---- archives ---------------------------------------------------------------------------- */

static int note_outside(struct loading *l, const char *path, struct stow_err *err)
{
    return stow_found_name(&l->r.found.outside, path) < 0 ? stow_fail_memory(err) : STOW_OK;
}

static int read_member(struct loading *l, struct stow_tar *tar, struct stow_err *err)
{
    STOW_AUTO(stow_input_done) struct stow_input file = {0};
    STOW_AUTO(stow_free_local) char *path = NULL;

    if (asprintf(&path, "%s/%s", tar->in.name, tar->path.ptr) < 0) {
        path = NULL;
        return stow_fail_memory(err);
    }
    if (stow_walk_hides(tar->path.ptr))
        return STOW_OK;
    if (is_overlay(path))
        return note_overlay(l, path, err);
    if (!stow_walk_wants(path))
        return note_other(l, path, err);
    if (stow_walk_leads_out(tar->path.ptr))
        return note_outside(l, path, err);
    STOW_TRY(stow_tar_read(tar, &file, err));
    return decode_and_read(l, &(struct text){path, true, &file}, err);
}

/* An archive that breaks off keeps what was read of it until then. */
static int read_archive(struct loading *l, struct stow_tar *tar, struct stow_err *err)
{
    struct stow_err why = {0};
    int more;

    while ((more = stow_tar_next(tar, &why)) > 0) {
        more = read_member(l, tar, &why);
        if (more < 0)
            break;
    }
    return settle(l, tar->in.name, more, &why, err);
}

/* ---- paths ------------------------------------------------------------------------------- */

static int fail_path(void *ctx, const char *path, int code, struct stow_err *err)
{
    const struct stow_err why = err ? *err : (struct stow_err){0};

    return settle(ctx, path, code, &why, err);
}

/* A file that was found in a folder. */
static int read_found(struct loading *l, const char *path, struct stow_err *err)
{
    STOW_AUTO(stow_input_done) struct stow_input file = {0};
    struct stow_err why = {0};

    if (is_overlay(path))
        return note_overlay(l, path, err);

    const int code = stow_input_bytes(path, l->max, &file, &why);

    if (code == STOW_EIO)
        stow_file_fail(path, code, &why, "cannot be read: %s", strerror(errno));
    return code < 0 ? settle(l, path, code, &why, err)
                    : decode_and_read(l, &(struct text){path, true, &file}, err);
}

/* What the user has named: an archive, or the text of one file. */
static int read_named(struct loading *l, const char *name, struct stow_input *file,
                      struct stow_err *err)
{
    STOW_AUTO(stow_tar_done) struct stow_tar tar = {0};
    struct stow_err why = {0};
    const int packed = stow_tar_open(&tar, name, file->text, file->len, &why);

    if (packed < 0)
        return settle(l, name, packed, &why, err);
    return packed ? read_archive(l, &tar, err)
                  : decode_and_read(l, &(struct text){name, false, file}, err);
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static int read_path(void *ctx, const char *path, bool inside, struct stow_err *err)
{
    STOW_AUTO(stow_input_done) struct stow_input file = {0};
    struct loading *l = ctx;

    if (inside)
        return read_found(l, path, err);
    STOW_TRY(stow_input_bytes(path, l->max, &file, err));
    return read_named(l, name_of(path), &file, err);
}

/* What the caller knows of new nodes; false: out of memory. */
static bool keep_given(struct stow_reader *r)
{
    const struct stow_load_options *options = r->options;
    struct stow_snapshot *s = r->s;

    if (options && options->provider)
        s->given_provider =
            stow_intern_text(&s->text, stow_provider_name(stow_str_of(options->provider)));
    if (options && options->region)
        s->given_region = stow_intern_text(&s->text, stow_str_of(options->region));
    s->moves_pods = options && options->moves_pods;
    return s->given_provider != STOW_INTERN_FAILED && s->given_region != STOW_INTERN_FAILED;
}

static int finish(struct stow_reader *r, struct stow_err *err)
{
    if (stow_found_tell(r) < 0 || !keep_given(r))
        return stow_fail_memory(err);
    return stow_snapshot_finish(r->s, err);
}

/* The options as this version knows them; NULL: all are 0. */
static int take_options(const struct stow_load_options *options, struct stow_load_options *ret,
                        struct stow_err *err)
{
    *ret = (struct stow_load_options){.size = sizeof(*ret)};
    if (!options)
        return STOW_OK;
    if (options->size < sizeof(*ret) || options->size > 4 * sizeof(*ret))
        return stow_fail(err, STOW_EINVAL,
                         "the size of struct stow_load_options is %zu, expected %zu", options->size,
                         sizeof(*ret));
    *ret = *options;
    return STOW_OK;
}

static void loading_done(struct loading *l)
{
    stow_reader_done(&l->r);
}

static struct loading start(struct stow_snapshot *s, const struct stow_load_options *options)
{
    return (struct loading){.r = {.s = s, .options = options},
                            .skip = options && options->skip_unreadable,
                            .max = options && options->max_input ? options->max_input
                                                                 : STOW_INPUT_MAX};
}

static int read_sample(struct stow_reader *r, const struct stow_walker *walker, const char *path,
                       struct stow_err *err)
{
    STOW_AUTO(stow_found_kinds_done) struct stow_found_kinds before = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf kinds = {0};
    const uint32_t pods = r->s->pods, workloads = r->s->workloads;

    if (stow_found_kinds(r, &before) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_walk(path, walker, err));
    if (stow_found_since(r, &before, &kinds) < 0)
        return stow_fail_memory(err);
    return stow_sample_take(
        r->s, pods, workloads,
        &(struct stow_sample_source){.file = name_of(path), .kinds = stow_buf_str(&kinds)}, err);
}

/* What follows the inputs: the sample, and what makes a snapshot of it all. */
static int complete(struct loading *l, const struct stow_walker *walker,
                    const struct stow_load_options *options, struct stow_err *err)
{
    if (stow_found_keep(&l->r) < 0)
        return stow_fail_memory(err);
    if (options->sample)
        STOW_TRY(read_sample(&l->r, walker, options->sample, err));
    return finish(&l->r, err);
}

static int load_paths(const char *const *paths, uint32_t count,
                      const struct stow_load_options *options, struct stow_snapshot **ret,
                      struct stow_err *err)
{
    STOW_AUTO(unref_local) struct stow_snapshot *s = stow_snapshot_new();
    STOW_AUTO(loading_done) struct loading l = start(s, options);
    const struct stow_walker walker = {read_path, note_other, fail_path, &l};

    if (!s)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(stow_walk(paths[i], &walker, err));
    STOW_TRY(complete(&l, &walker, options, err));
    *ret = stow_take(&s);
    return STOW_OK;
}

int stow_snapshot_load(const char *const *paths, uint32_t count,
                       const struct stow_load_options *options, struct stow_snapshot **ret,
                       struct stow_err *err)
{
    struct stow_load_options taken;

    STOW_TRY(take_options(options, &taken, err));
    return load_paths(paths, count, &taken, ret, err);
}

int stow_objects_take(const char *const *paths, uint32_t count,
                      const struct stow_load_options *options, const struct stow_taker *taker,
                      struct stow_snapshot **ret, struct stow_err *err)
{
    STOW_AUTO(unref_local) struct stow_snapshot *s = stow_snapshot_new();
    STOW_AUTO(loading_done) struct loading l = start(s, options);
    const struct stow_walker walker = {read_path, note_other, fail_path, &l};

    if (!s)
        return stow_fail_memory(err);
    l.r.taker = taker;
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(stow_walk(paths[i], &walker, err));
    if (stow_found_keep(&l.r) < 0 || stow_found_tell(&l.r) < 0)
        return stow_fail_memory(err);
    *ret = stow_take(&s);
    return STOW_OK;
}

/* A text in memory, followed by what readers look at beyond the end. */
static int read_copy(struct loading *l, const char *name, struct stow_str text,
                     struct stow_err *err)
{
    STOW_AUTO(stow_input_done) struct stow_input file = {0};

    STOW_TRY(stow_input_copy(text.ptr, text.len, &file, err));
    return read_named(l, name, &file, err);
}

int stow_objects_take_text(const char *name, struct stow_str text, const struct stow_taker *taker,
                           struct stow_err *err)
{
    STOW_AUTO(unref_local) struct stow_snapshot *s = stow_snapshot_new();
    STOW_AUTO(loading_done) struct loading l = start(s, NULL);

    if (!s)
        return stow_fail_memory(err);
    l.r.taker = taker;
    return read_copy(&l, name, text, err);
}

static int load_text(const char *name, struct stow_str text,
                     const struct stow_load_options *options, struct stow_snapshot **ret,
                     struct stow_err *err)
{
    STOW_AUTO(unref_local) struct stow_snapshot *s = stow_snapshot_new();
    STOW_AUTO(loading_done) struct loading l = start(s, options);
    const struct stow_walker walker = {read_path, note_other, fail_path, &l};

    if (!s)
        return stow_fail_memory(err);
    STOW_TRY(read_copy(&l, name, text, err));
    STOW_TRY(complete(&l, &walker, options, err));
    *ret = stow_take(&s);
    return STOW_OK;
}

int stow_snapshot_load_text(const char *name, const char *text, size_t len,
                            const struct stow_load_options *options, struct stow_snapshot **ret,
                            struct stow_err *err)
{
    struct stow_load_options taken;

    STOW_TRY(take_options(options, &taken, err));
    return load_text(name, (struct stow_str){text, len}, &taken, ret, err);
}
