/* buy.c - what to buy so that the pending pods run: buy FILE... */
#include <stdio.h>
#include <stowage/stowage.h>

int main(int argc, char **argv)
{
    struct stow_setting budget = {.name = "budget", .value = "12.50"};
    struct stow_question ask = {.size = sizeof(ask), .setting = &budget, .settings = 1};
    struct stow_node_row node = {.size = sizeof(node)};
    char price[STOW_AMOUNT_TEXT];
    struct stow_answer *answer;
    struct stow_err err;

    if (stow_snapshot_load((const char *const *)argv + 1, (uint32_t)argc - 1, NULL, &ask.snapshot,
                           &err) < 0 ||
        stow_ask_scale(&ask, &answer, &err) < 0)
        return fprintf(stderr, "%s\n", err.msg), 1;
    for (uint32_t i = 0; stow_answer_node(answer, i, &node) >= 0; i++)
        printf("buy %s for %s %s per hour\n", node.group, stow_amount_text(node.price, price),
               stow_answer_currency(answer));
    stow_answer_unref(answer);
    stow_snapshot_unref(ask.snapshot);
}
