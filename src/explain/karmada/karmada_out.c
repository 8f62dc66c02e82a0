/* karmada_out.c - a division as objects for Karmada: the forms, and what all documents share.
 *
 * Why everything is read back
 * ---------------------------
 * The objects written here are applied by users who trust them to a control plane that moves
 * running replicas.  So no document leaves before it has been looked at as the receiver will: it is
 * rendered, read by the reader of input, which refuses what Karmada's webhooks refuse, and what was
 * read is compared with the division.  The writer and the check share no code but the reader's,
 * which has tests of its own.
 *
 * What cannot be expressed
 * ------------------------
 * Weights cannot say where no replicas go, tiers cannot say that all clusters get all of them.  One
 * such workload among a thousand should not keep the others from being written: it is left out, and
 * a warning names it.  Nothing left at all is an error, so that a pipeline stops. */
#include "explain/karmada/karmada_out.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "explain/karmada/karmada_internal.h"
#include "explain/render/render.h"
#include "model/values/syntax.h"

#define NEWEST          18
#define OBJECT_NAME_MAX 253
#define NAMESPACE_MAX   63 /* of a namespace */

static const struct stow_karmada_writer *const writers[STOW_KARMADA_FORMS] = {
    [STOW_KARMADA_POLICY] = &stow_karmada_policy,
    [STOW_KARMADA_OVERFLOW] = &stow_karmada_overflow,
    [STOW_KARMADA_BINDING] = &stow_karmada_binding,
    [STOW_KARMADA_REBALANCER] = &stow_karmada_rebalancer,
    [STOW_KARMADA_PLACEMENT_SCORE] = &stow_karmada_score,
};

bool stow_karmada_form_parse(struct stow_str text, enum stow_karmada_form *ret)
{
    for (int i = 0; i < STOW_KARMADA_FORMS; i++) {
        if (!stow_str_is(text, writers[i]->name))
            continue;
        *ret = (enum stow_karmada_form)i;
        return true;
    }
    return false;
}

/* ---- items ------------------------------------------------------------------------------- */

struct stow_karmada_item stow_karmada_item_of(const struct stow_binding *binding,
                                              const struct stow_division *division)
{
    return (struct stow_karmada_item){
        .binding = binding,
        .target = division->target,
        .targets = division->targets,
        .decided = division->trigger != STOW_TRIGGER_NONE,
        .outcome = division->outcome,
        .strategy = division->strategy,
        .unplaced = division->unplaced,
        .message = division->message,
        .observed_affinity = division->observed_affinity,
    };
}

struct stow_str stow_karmada_namespace(const struct stow_snapshot *s,
                                       const struct stow_binding *binding)
{
    return stow_text(s, binding->object_namespace ? binding->object_namespace : binding->namespace);
}

uint32_t stow_karmada_templates(const struct stow_snapshot *s, const struct stow_binding *binding)
{
    uint32_t count;

    (void)STOW_LIST(s, binding->components, struct stow_component, &count);
    return count;
}

static bool has_target(const struct stow_target *list, uint32_t count, struct stow_target wanted)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].cluster == wanted.cluster)
            return list[i].replicas == wanted.replicas;
    return false;
}

bool stow_karmada_changed(const struct stow_snapshot *s, const struct stow_karmada_item *item)
{
    uint32_t count;
    const struct stow_target *list =
        STOW_LIST(s, item->binding->clusters, struct stow_target, &count);

    for (uint32_t i = 0; i < item->targets; i++)
        if (!has_target(list, count, item->target[i]))
            return true;
    return count != item->targets;
}

struct stow_value *stow_karmada_reference(struct stow_karmada_work *w,
                                          const struct stow_binding *binding)
{
    struct stow_value *v = stow_doc_object(w->doc);
    const struct stow_str namespace = stow_karmada_namespace(w->s, binding);

    stow_value_set(w->doc, v, "apiVersion",
                   stow_doc_str(w->doc, stow_text(w->s, binding->api_version)));
    stow_value_set(w->doc, v, "kind", stow_doc_str(w->doc, stow_text(w->s, binding->kind)));
    if (namespace.len)
        stow_value_set(w->doc, v, "namespace", stow_doc_str(w->doc, namespace));
    stow_value_set(w->doc, v, "name", stow_doc_str(w->doc, stow_text(w->s, binding->object)));
    return v;
}

/* ---- warnings ---------------------------------------------------------------------------- */

/* Adds "default/web: " and the text; NULL when out of memory. */
static const char *add_warning(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                               const char *between, const char *text)
{
    struct stow_str namespace = STOW_STR(""), name = STOW_STR("");
    const char **kept = STOW_PUSH(&w->out->warning, &w->out->warnings, &w->out->warning_cap);

    if (!kept || !text)
        return NULL;
    if (item) {
        namespace = stow_karmada_namespace(w->s, item->binding);
        name = stow_text(w->s, item->binding->object);
    }
    *kept = stow_arena_printf(&w->out->arena, "%.*s%s%.*s%s%s%s", STOW_FMT(namespace),
                              namespace.len ? "/" : "", STOW_FMT(name), item ? ": " : "", between,
                              text);
    return *kept;
}

static char *format(const char *fmt, va_list args)
{
    char *text;

    return vasprintf(&text, fmt, args) < 0 ? NULL : text;
}

int stow_karmada_warn(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                      struct stow_err *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    STOW_AUTO(stow_free_local) char *text = format(fmt, args);
    va_end(args);
    return add_warning(w, item, "", text) ? STOW_OK : stow_fail_memory(err);
}

int stow_karmada_leave_out(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                           struct stow_err *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    STOW_AUTO(stow_free_local) char *text = format(fmt, args);
    va_end(args);

    const char *kept = add_warning(w, item, "left out: ", text);

    if (!kept)
        return stow_fail_memory(err);
    if (w->left_out++ == 0)
        w->why = kept;
    return STOW_OK;
}

/* ---- documents --------------------------------------------------------------------------- */

/* Names as the API server takes them, and no object twice. */
static int check_identity(struct stow_karmada_work *w, const struct stow_value *document,
                          struct stow_err *err)
{
    const struct stow_value *meta = stow_karmada_get(document, "metadata");
    const struct stow_str name = stow_karmada_get_text(meta, "name");
    const struct stow_str namespace = stow_karmada_get_text(meta, "namespace");
    const struct stow_str kind = stow_karmada_get_text(document, "kind");
    const uint32_t before = w->names.entries;
    STOW_AUTO(stow_buf_done) struct stow_buf key = {0};

    if (name.len > OBJECT_NAME_MAX || !stow_is_domain(name))
        return stow_fail(
            err, STOW_EWRONG,
            "%.*s '%.*s': not a name; expected lower-case letters, digits, '-' and '.', at "
            "most %d",
            STOW_FMT(kind), STOW_FMT(name), OBJECT_NAME_MAX);
    if (namespace.len > NAMESPACE_MAX || (namespace.len && !stow_is_domain(namespace)) ||
        memchr(namespace.ptr, '.', namespace.len))
        return stow_fail(
            err, STOW_EWRONG,
            "%.*s '%.*s': not a namespace: '%.*s'; expected lower-case letters, digits and "
            "'-', at most %d",
            STOW_FMT(kind), STOW_FMT(name), STOW_FMT(namespace), NAMESPACE_MAX);
    stow_buf_printf(&key, "%.*s/%.*s/%.*s", STOW_FMT(kind), STOW_FMT(namespace), STOW_FMT(name));
    if (key.failed || stow_intern_text(&w->names, stow_buf_str(&key)) == STOW_INTERN_FAILED)
        return stow_fail_memory(err);
    if (w->names.entries == before)
        return stow_fail(err, STOW_EWRONG, "%.*s '%.*s' would be written twice", STOW_FMT(kind),
                         STOW_FMT(name));
    return STOW_OK;
}

int stow_karmada_push(struct stow_karmada_work *w, const struct stow_karmada_item *item,
                      struct stow_value *document, struct stow_err *err)
{
    const struct stow_karmada_writer *writer = writers[w->options->form];

    if (w->doc->failed)
        return stow_fail_memory(err);

    int code = check_identity(w, document, err);

    if (code >= 0)
        code = writer->check(w, item, document, err);
    if (code < 0)
        return code == STOW_ENOMEM ? code : stow_wrap(err, code, "-o %s", writer->name);
    stow_value_push(w->doc, w->out->documents, document);
    return STOW_OK;
}

static int write_all(struct stow_karmada_work *w, struct stow_err *err)
{
    const struct stow_karmada_writer *writer = writers[w->options->form];

    STOW_TRY(writer->write(w, err));
    if (w->doc->failed)
        return stow_fail_memory(err);
    if (w->out->documents->members || writer->may_be_empty)
        return STOW_OK;
    if (w->why)
        return stow_fail(err, STOW_EWRONG, "-o %s: nothing can be written: %s", writer->name,
                         w->why);
    return stow_fail(err, STOW_EWRONG, "-o %s: there is no workload to write", writer->name);
}

int stow_karmada_build(struct stow_doc *doc, const struct stow_karmada_input *in,
                       const struct stow_karmada_options *options, struct stow_karmada_out *ret,
                       struct stow_err *err)
{
    struct stow_karmada_work w = {
        .doc = doc,
        .s = in->s,
        .in = in,
        .options = options,
        .karmada = options->karmada ? options->karmada : NEWEST,
        .out = ret,
    };

    ret->documents = stow_doc_array(doc);
    if (doc->failed)
        return stow_fail_memory(err);

    int code = write_all(&w, err);

    stow_intern_done(&w.names);
    return code;
}

void stow_karmada_out_done(struct stow_karmada_out *out)
{
    free(out->warning);
    stow_arena_done(&out->arena);
    memset(out, 0, sizeof(*out));
}

void stow_karmada_render(struct stow_buf *to, const struct stow_value *documents)
{
    for (const struct stow_value_member *at = documents->as.list.first; at; at = at->next) {
        if (at != documents->as.list.first)
            stow_buf_text(to, "---\n");
        stow_render_yaml(to, at->value);
    }
}

int stow_karmada_text(const struct stow_karmada_input *in,
                      const struct stow_karmada_options *options, struct stow_karmada_out *ret,
                      struct stow_buf *to, struct stow_err *err)
{
    STOW_AUTO(stow_doc_done) struct stow_doc doc = {0};
    int code = stow_karmada_build(&doc, in, options, ret, err);

    if (code >= 0) {
        stow_karmada_render(to, ret->documents);
        code = to->failed ? stow_fail_memory(err) : STOW_OK;
    }
    ret->documents = NULL;
    return code;
}
