/* cmd_inspect.c - `stowage inspect`: what is in these files and what it costs. */
#include "cli/cluster.h"
#include "cli/output.h"
#include "explain/inspection.h"

#define WORST 10 /* nodes shown in a plain table */

static const struct stow_cli_option options[] = {STOW_CLI_CLUSTER, STOW_CLI_CHOICE("pods"), {0}};

static const struct stow_cli_example examples[] = {
    {"stowage inspect -f examples/shop", "the bill of the example"},
    {"kubectl get nodes,pods -A -o json | stowage inspect -f -", "the bill of a running cluster"},
    {"stowage inspect -f cluster.yaml -o csv > nodes.csv", "every node with its price and waste"},
    {0},
};

/* What the answer is made of, freed together. */
struct inspection {
    struct stow_cli_cluster cluster;
    struct stow_bill bill;
    struct stow_doc doc;
    struct stow_report report;
};

static void inspection_done(struct inspection *in)
{
    stow_doc_done(&in->doc);
    stow_report_done(&in->report);
    stow_bill_done(&in->bill);
    stow_cli_cluster_done(&in->cluster);
}

static int answer(struct stow_cli *cli, struct inspection *in, struct stow_err *err)
{
    const struct stow_snapshot *s = in->cluster.snapshot;
    enum stow_cli_form form = stow_cli_form(cli);
    struct stow_value *root = NULL;

    if (stow_cli_wants_value(cli))
        root = stow_inspection_value(&in->doc, s, &in->bill);
    else if (form == STOW_FORM_CSV)
        stow_inspection_nodes(&in->report, s, &in->bill);
    else
        stow_inspection_report(&in->report, s, &in->bill, stow_cli_wants_all(cli) ? 0 : WORST);
    return stow_cli_answer(cli, &in->doc, root, &in->report, err);
}

static int run(struct stow_cli *cli, struct stow_err *err)
{
    STOW_AUTO(inspection_done) struct inspection in = {0};

    STOW_TRY(stow_cli_cluster_load(cli, NULL, &in.cluster, err));
    STOW_TRY(stow_cli_cluster_choose(cli, &in.cluster, err));
    STOW_TRY(stow_bill_make(in.cluster.snapshot, &in.cluster.pricing.books, &in.cluster.bill,
                            &in.bill, err));
    return answer(cli, &in, err);
}

extern const struct stow_cli_verb stow_verb_inspect;
const struct stow_cli_verb stow_verb_inspect = {
    .name = "inspect",
    .summary = "what is in these files and what it costs",
    .description =
        "Reads nodes, pods, workloads, node groups and prices, and shows what the nodes cost per "
        "hour, what pods have requested of them, and what the rest, which nobody has requested, "
        "costs.\n\n"
        "A node's price is its own or its group's, else that of its instance type, region and "
        "capacity type in the PriceBook documents, the imported price book and the built-in "
        "catalogue, in this order. A node whose price is not known is listed as such and not "
        "counted as free.\n\n"
        "Waste is the price of a node divided over its cores, GiB and devices in the ratio of "
        "what the price book says they are worth, counted as far as pods have not requested them.",
    .options = options,
    .examples = examples,
    .run = run,
};
