// SPDX-License-Identifier: MIT
#include "lines.h"

#include "place.h"

#include <stdio.h>

#define EVENTS_MAX 1000u // each of them costs a look into the run

bool lines_open(Cli *cli, const CliRun *run, Lines *ret, GError **error)
{
    *ret = (Lines){.cli = cli, .ticks = run->manifest->inputs->clock == RW_CLOCK_INSTRUCTIONS};
    if (!cli_again_open(cli, run, &ret->again, error))
        return false;
    ret->explainer = rw_explainer_new(&ret->again, cli->cancellable, error);
    return ret->explainer != NULL;
}

void lines_close(Lines *lines)
{
    g_clear_pointer(&lines->explainer, rw_explainer_free);
    rw_again_close(&lines->again);
    lines->cli = NULL;
}

bool lines_find(Lines *lines, const RwTraceItem *item, RwExplainedSide *ret, GError **error)
{
    RwPosition position = {item->at, lines->ticks && item->at_known ? item->after_ticks : 0};
    *ret = (RwExplainedSide){0};
    if (!lines->explainer || item->is_step || !item->record.tid ||
        !rw_explainer_covers(lines->explainer, &position))
        return true;
    if (lines->found++ < EVENTS_MAX)
        return rw_explainer_find(lines->explainer, &position, item->record.tid,
                                 item->record.type == REWIND_RECORD_EXIT, ret, error);
    fflush(stdout);
    fprintf(stderr,
            "rewind: --where: of the first %u events only; --from, --to, --pid and --kind choose others\n",
            EVENTS_MAX);
    lines_close(lines);
    return true;
}

void lines_print(const RwExplainedSide *found, int indent)
{
    g_autofree char *text = place_dup_explained(found);
    if (text)
        printf("%*s%s\n", indent, "", text);
}

void lines_add_json(const RwExplainedSide *found, JsonObject *object)
{
    if (!found->n)
        return;
    JsonObject *where = json_object_new();
    place_explained_to_json(found, where);
    json_object_set_object_member(object, "where", where);
}
