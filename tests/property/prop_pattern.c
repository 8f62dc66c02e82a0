/* prop_pattern.c - an object that is recognised is as if it had been read.
 *
 * A list of random pods of a few forms, some of them damaged, is loaded twice: as it is, and with
 * an empty list between any two pods, behind which nothing is recognised (read/text/pattern.h).
 * Both must be refused, at the same place and for the same reason, or give the same pods. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "model/snapshot.h"
#include "read/text/extent.h"
#include "read/text/tape.h"
#include "tests/property/property.h"

#define PODS_MAX 12
#define BETWEEN  "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]},"

/* '@' and a letter stand for one of the texts of that letter. */
static const char *const forms[] = {
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"annotations\":{\"@k\":\"@t\"},"
    "\"creationTimestamp\":\"@c\",\"generateName\":\"@t\",\"labels\":{\"app\":\"@l\"},"
    "\"name\":\"@n\",\"namespace\":\"shop\",\"resourceVersion\":\"@v\",\"uid\":\"@t\"},"
    "\"spec\":{\"containers\":[{\"env\":[{\"name\":\"@t\",\"value\":\"@t\"}],\"image\":\"@l\","
    "\"name\":\"one\",\"resources\":{\"limits\":{\"memory\":\"@q\"},\"requests\":{\"cpu\":\"@q\"}}}"
    "],"
    "\"nodeName\":\"@d\",\"terminationGracePeriodSeconds\":@b,\"volumes\":[{\"name\":\"@t\","
    "\"projected\":{\"defaultMode\":@b}},{\"name\":\"@l\",\"persistentVolumeClaim\":{"
    "\"claimName\":\"@l\"}},{\"name\":\"@l\",\"emptyDir\":{\"medium\":\"@l\"}}]},"
    "\"status\":{\"conditions\":[{\"lastTransitionTime\":\"@t\",\"status\":\"@s\",\"type\":"
    "\"Ready\"}],\"containerStatuses\":[{\"name\":\"one\",\"ready\":@b,\"restartCount\":@b}],"
    "\"phase\":\"@p\",\"podIP\":\"@t\",\"@t\":@b}}",
    "{ \"kind\": \"Pod\", \"metadata\": { \"name\": \"@n\", \"resourceVersion\": @b ,"
    "  \"deletionTimestamp\": \"@t\" }, \"spec\": { \"containers\": [ { \"name\": \"@l\","
    " \"command\": [ \"@t\", @b , \"@t\" ] } ], \"priority\": @b ,\"nodeName\" : \"@d\" ,"
    " \"volumes\": [ { \"name\": \"@l\", \"ephemeral\": { \"volumeClaimTemplate\": { \"spec\": {"
    " \"storageClassName\": \"@l\" } } } } ] } }",
};

struct texts {
    char letter;
    const char *of[10];
};

/* Usual ones first. */
static const struct texts texts[] = {
    {'b', {"1", "30", "-1.5e3", "true", "null", "false", "012", "tru", "1 2", "\"x\""}},
    {'c', {"2026-11-01T00:00:00Z", "2026-11-02T10:20:30Z", "2026-11-02", "", "soon"}},
    {'d', {"node-1", "node-2", "node-17.internal", "", "n\\u006fde-1"}},
    {'k', {"note", "stowage.dev/price", "cluster-autoscaler.kubernetes.io/safe-to-evict"}},
    {'l', {"red", "green", "", "blue"}},
    {'n',
     {"web-1", "web-22", "web-333", "job-4", "a", "", "{{ .name }}", "w\\u0065b", "caf\xC3\xA9"}},
    {'p', {"Running", "Pending", "Done"}},
    {'q', {"1", "250m", "64Mi", "x"}},
    {'s', {"True", "False"}},
    {'t',
     {"10.0.0.1", "a much longer text than others", "", "x", "\xC3\xA4", "a\\\"b", "\\u00e4",
      "tab\there", "\xFF", "\\q"}},
    {'v', {"1", "22", "x", "333", ""}},
};

/* What the reader looks at is mostly the same in a list, or nothing would be recognised. */
static const char *text_for(struct chance *chance, char letter)
{
    const struct texts *list = texts;
    uint32_t count = 1;

    while (list->letter != letter)
        list++;
    while (count < sizeof(list->of) / sizeof(list->of[0]) && list->of[count])
        count++;
    if (chance_one_in(chance, 80))
        return list->of[chance_below(chance, count)];
    return list->of[strchr("klpqs", letter) ? 0 : chance_below(chance, 2)];
}

static void add_pod(struct stow_buf *to, struct chance *chance)
{
    const char *form = forms[chance_one_in(chance, 5)];
    const size_t start = to->len;

    for (const char *p = form; *p; p++)
        if (*p == '@')
            stow_buf_text(to, text_for(chance, *++p));
        else
            stow_buf_char(to, *p);
    while (chance_one_in(chance, 30)) /* damage */
        to->ptr[start + chance_below(chance, (uint32_t)(to->len - start))] =
            "\"\\{}[]:, x0-tn"[chance_below(chance, 14)];
}

/* What came of a text. */
struct outcome {
    struct stow_snapshot *s; /* NULL: refused */
    struct stow_err err;
};

enum form { AS_IS, APART, WHOLE };

/* The pods, one to a line of its own. */
static struct outcome load_list(char *const *pod, uint32_t count, enum form form)
{
    struct outcome out = {0};
    struct stow_buf text = {0};

    stow_buf_printf(&text, "{\"%s\":[" BETWEEN "\n", form == WHOLE ? "it\\u0065ms" : "items");
    for (uint32_t i = 0; i < count; i++)
        stow_buf_printf(&text, "%s%s%s\n", form == APART ? BETWEEN "\n" : "", pod[i],
                        i + 1 < count ? "," : "");
    stow_buf_text(&text, "],\"kind\":\"List\",\"apiVersion\":\"v1\"}");

    const size_t len = text.len;

    stow_buf_repeat(&text, '\0', 1);
    if (stow_snapshot_load_text("list.json", text.ptr, len, NULL, &out.s, &out.err) >= 0)
        out.err = (struct stow_err){0};
    stow_buf_done(&text);
    return out;
}

static bool same_pods(const struct stow_snapshot *a, const struct stow_snapshot *b)
{
    if (a->pods != b->pods || a->spec.entries != b->spec.entries ||
        a->text.entries != b->text.entries || a->blob.entries != b->blob.entries ||
        a->warnings != b->warnings)
        return property_fails("%u pods, %u specs, %u texts; expected %u, %u, %u", a->pods,
                              a->spec.entries, a->text.entries, b->pods, b->spec.entries,
                              b->text.entries);
    for (uint32_t i = 0; i < a->pods; i++) {
        struct stow_pod one = a->pod[i], other = b->pod[i];

        if (strcmp(one.name, other.name) != 0)
            return property_fails("pod %u is %s, expected %s", i, one.name, other.name);
        one.name = other.name = NULL;
        if (memcmp(&one, &other, sizeof(one)) != 0)
            return property_fails("pod %s is another", b->pod[i].name);
    }
    return true;
}

/* Lines and the path in the message differ by the lists between. */
static bool same_error(const struct stow_err *a, const struct stow_err *b)
{
    const char *why = strchr(a->msg, ']'), *other = strchr(b->msg, ']');

    if (a->code != b->code || a->col != b->col || (b->line + 2) / 2 != a->line)
        return property_fails("%u:%u %s; expected %u:%u %s", a->line, a->col, a->msg, b->line,
                              b->col, b->msg);
    if (why && other && strcmp(why, other) != 0)
        return property_fails("%s; expected %s", a->msg, b->msg);
    return true;
}

/* Of a text that is bad in two places, another may be told. */
static bool same_outcome(const struct outcome *a, const struct outcome *b, bool exactly)
{
    if (!a->s != !b->s)
        return property_fails("%s; expected %s", a->err.msg, b->err.msg);
    if (a->s)
        return same_pods(a->s, b->s);
    return !exactly || same_error(&a->err, &b->err);
}

static bool holds(uint64_t seed)
{
    struct chance chance = {seed};
    const uint32_t count = 2 + chance_below(&chance, PODS_MAX - 1);
    char *pod[PODS_MAX];

    for (uint32_t i = 0; i < count; i++) {
        struct stow_buf text = {0};

        add_pod(&text, &chance);
        stow_buf_char(&text, '\0');
        pod[i] = text.ptr;
    }

    struct outcome fast = load_list(pod, count, AS_IS), slow = load_list(pod, count, APART);
    struct outcome whole = load_list(pod, count, WHOLE);
    bool fine = same_outcome(&fast, &slow, true) && same_outcome(&fast, &whole, false);

    for (uint32_t i = 0; i < count; i++)
        free(pod[i]);
    stow_snapshot_unref(fast.s);
    stow_snapshot_unref(slow.s);
    stow_snapshot_unref(whole.s);
    return fine;
}

/* ---- extents ----------------------------------------------------------------------------- */

#define TEXT_MAX 300

/* A backslash outside of strings, which JSON does not have, hides quotes too. */
static size_t slow_extent(const char *text, size_t len)
{
    size_t depth = 0;
    bool inside = false, escaped = false;

    for (size_t i = 0; i < len; i++) {
        inside ^= text[i] == '"' && !escaped;
        escaped = text[i] == '\\' && !escaped;
        if (!inside && strchr("{[", text[i]))
            depth++;
        else if (!inside && strchr("}]", text[i]) && --depth == 0)
            return i + 1;
    }
    return 0;
}

static bool same_bits(const char *block)
{
    const struct stow_json_bits fast = stow_json_bits(block), slow = stow_json_bits_plain(block);

    return fast.quote == slow.quote && fast.backslash == slow.backslash && fast.open == slow.open &&
           fast.close == slow.close;
}

static bool extent_holds(uint64_t seed)
{
    struct chance chance = {seed};
    char text[TEXT_MAX + STOW_TAPE_PADDING], any[64];
    const uint32_t len = 1 + chance_below(&chance, TEXT_MAX);
    const uint32_t letters = 6 + chance_below(&chance, 9);

    memset(text, chance_one_in(&chance, 2) ? 0 : '}', sizeof(text));
    for (uint32_t i = 0; i < len; i++)
        text[i] = "{[}]\"\\abcdefghij"[chance_below(&chance, letters)];
    text[0] = '{';
    for (size_t i = 0; i < sizeof(any); i++)
        any[i] = (char)chance_below(&chance, 256);
    if (!same_bits(any) || !same_bits(text))
        return property_fails("bits differ");

    const size_t fast = stow_json_extent((struct stow_str){text, len});
    const size_t slow = slow_extent(text, len);

    return fast == slow || property_fails("%.*s: %zu, expected %zu", (int)len, text, fast, slow);
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"recognised-is-as-if-read", holds, 20000},
        {"extent-is-that-of-a-slow-scan", extent_holds, 100000},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
