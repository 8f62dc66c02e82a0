/* given.c - the names that an input gives, for reports that shorten names. */
#include "explain/given.h"

static void add_text(struct stow_report *report, const char *name)
{
    stow_report_given(report, stow_str_of(name));
}

/* As tables write it: with its namespace, if it has one. */
static void add_namespaced(struct stow_report *report, struct stow_str namespace, const char *name)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_buf_add(&text, namespace);
    if (namespace.len)
        stow_buf_char(&text, '/');
    stow_buf_text(&text, name);
    stow_report_given(report, stow_buf_str(&text));
    report->failed |= text.failed;
}

void stow_report_all_given(struct stow_report *report, const struct stow_snapshot *s)
{
    for (stow_node_id i = 0; i < s->nodes; i++)
        add_text(report, s->node[i].name);
    for (stow_group_id i = 0; i < s->groups; i++)
        add_text(report, s->group[i].name);
    for (stow_pod_id i = 0; i < s->pods; i++)
        add_namespaced(report, stow_text(s, s->pod[i].namespace), s->pod[i].name);
    for (stow_cluster_id i = 0; i < s->clusters; i++)
        add_text(report, s->cluster[i].name);
    for (stow_binding_id i = 0; i < s->bindings; i++)
        add_namespaced(report, stow_text(s, s->binding[i].object_namespace),
                       stow_text(s, s->binding[i].object).ptr);
}
