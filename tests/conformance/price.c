/* price.c - what the handlers of prices share: comparing doubles, and nodes of GCE. */
#include "tests/conformance/price.h"

#include <math.h>

#include "model/annotations.h"

void stow_conf_same_double(struct stow_conf_case *c, const char *what, struct stow_view expected,
                           double got, double tolerance)
{
    double want;

    if (!stow_view_given(expected))
        return;
    if (!stow_view_real(expected, &want) || (want != got && !(isnan(want) && isnan(got)) &&
                                             !(fabs(want - got) <= tolerance * fabs(want))))
        stow_conf_differ(c, what, "expected %.*s, got %.17g", STOW_FMT(stow_view_raw(expected)),
                         got);
}

int64_t stow_conf_whole(struct stow_view object, const char *name, int64_t otherwise)
{
    int64_t value;

    return stow_view_int(stow_view_get(object, name), &value) ? value : otherwise;
}

double stow_conf_pod_price(struct stow_view pod)
{
    const struct stow_gce_requests requests = {
        .cpu_milli = stow_conf_whole(pod, "cpu_milli", 0),
        .memory = stow_conf_whole(pod, "memory", 0),
        .ephemeral = stow_conf_whole(pod, "ephemeral_storage", 0),
        .gpu_milli = stow_conf_whole(pod, "gpu", 0) * 1000,
    };

    return stow_gce_pod_price(&stow_gce_rates, &requests);
}

int stow_conf_price_load(struct stow_conf_case *c, struct stow_str object,
                         struct stow_snapshot **ret, struct stow_err *err)
{
    (void)c;
    STOW_TRY(
        stow_snapshot_load_text("the case", object.ptr, object.len, &stow_conf_as_given, ret, err));
    if (stow_annotations_show(*ret, stow_gce_annotations, STOW_GCE_ANNOTATIONS) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

/* ---- nodes of GCE ------------------------------------------------------------------------ */

static bool is_true(struct stow_view v)
{
    bool value;

    return stow_view_bool(v, &value) && value;
}

/* , "KEY": VALUE, the value as it stands in the case; numbers become texts. */
static void write_text(struct stow_buf *out, const char *key, struct stow_view value)
{
    if (stow_view_type(value) == STOW_TOKEN_TEXT)
        stow_buf_printf(out, ", \"%s\": %.*s", key, STOW_FMT(stow_view_raw(value)));
    else if (stow_view_given(value))
        stow_buf_printf(out, ", \"%s\": \"%.*s\"", key, STOW_FMT(stow_view_raw(value)));
}

static void write_flag(struct stow_buf *out, const char *key, struct stow_view value)
{
    if (is_true(value))
        stow_buf_printf(out, ", \"%s\": \"true\"", key);
}

static void write_labels(struct stow_buf *out, struct stow_view node)
{
    stow_buf_text(out, "\"labels\": {\"kubernetes.io/os\": \"linux\"");
    write_text(out, "node.kubernetes.io/instance-type", stow_view_get(node, "instance_type"));
    write_text(out, "cloud.google.com/gke-accelerator", stow_view_get(node, "gpu_type"));
    write_flag(out, "cloud.google.com/gke-preemptible", stow_view_get(node, "preemptible"));
    write_flag(out, "cloud.google.com/gke-spot", stow_view_get(node, "spot"));
    write_flag(out, "cloud.google.com/gke-ephemeral-storage-local-ssd",
               stow_view_get(node, "local_ssd_label"));
    stow_buf_text(out, "}");
}

static void write_annotations(struct stow_buf *out, struct stow_view node)
{
    stow_buf_text(out, ", \"annotations\": {\"example.com/note\": \"a node of a case\"");
    write_text(out, "cluster-autoscaler/gce/local-ssd-count",
               stow_view_get(node, "local_ssd_count"));
    write_text(out, "cluster-autoscaler/gce/boot-disk-type", stow_view_get(node, "boot_disk_type"));
    write_text(out, "cluster-autoscaler/gce/boot-disk-size", stow_view_get(node, "boot_disk_gb"));
    stow_buf_text(out, "}");
}

static void write_amounts(struct stow_buf *out, const char *name, struct stow_view node)
{
    int64_t gpus = stow_conf_whole(node, "gpu_count", stow_conf_whole(node, "gpu", 0));

    stow_buf_printf(out, "\"%s\": {\"cpu\": \"%lldm\"", name,
                    (long long)stow_conf_whole(node, "cpu_milli", 0));
    write_text(out, "memory", stow_view_get(node, "memory"));
    write_text(out, "ephemeral-storage", stow_view_get(node, "ephemeral"));
    if (gpus)
        stow_buf_printf(out, ", \"nvidia.com/gpu\": \"%lld\"", (long long)gpus);
    stow_buf_text(out, "}");
}

int stow_conf_gce_node(struct stow_conf_case *c, struct stow_view node, struct stow_snapshot **ret,
                       struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_buf_text(&text, "{\"apiVersion\": \"v1\", \"kind\": \"Node\", "
                         "\"metadata\": {\"name\": \"node\", ");
    write_labels(&text, node);
    write_annotations(&text, node);
    stow_buf_text(&text, "}, \"status\": {");
    write_amounts(&text, "capacity", node);
    stow_buf_text(&text, ", ");
    write_amounts(&text, "allocatable", node);
    stow_buf_text(&text, "}}");
    return text.failed ? stow_fail_memory(err)
                       : stow_conf_price_load(c, stow_buf_str(&text), ret, err);
}
