// SPDX-License-Identifier: MIT
//
// The events around where the two runs part, with the programs' lines where these are asked for.
#include "check-view.h"

#include "rw-error.h"

#include <stdio.h>

typedef struct {
    CliRun run;
    Lines lines;
} Twin;

// What cannot be looked into has no lines.
static void open_twin(const CheckView *view, const RwRecorded *recorded, Twin *ret)
{
    g_autoptr(GError) error = NULL;
    *ret = (Twin){.run = {.hold = -1}};
    if (view->where && (!cli_open_run_named(view->cli, recorded->path, true, &ret->run, &error) ||
                        !lines_open(view->cli, &ret->run, &ret->lines, &error)))
        fprintf(stderr, "rewind: %s\n", error->message);
}

static void close_twin(Twin *twin)
{
    lines_close(&twin->lines);
    cli_close_run(&twin->run);
}

static JsonArray *with_lines(const CheckView *view, const RwCheckSummary *summary,
                             const RwComparison *comparison, const char *other, bool json)
{
    Twin failing, passing;
    JsonArray *array = NULL;
    open_twin(view, summary->failing, &failing);
    open_twin(view, summary->passing, &passing);
    CompareLines what = {"failing", other, &failing.lines, &passing.lines};
    if (json)
        array = compare_lines_to_json(comparison, &what);
    else
        print_compare_lines(comparison, &what);
    close_twin(&failing);
    close_twin(&passing);
    return array;
}

void check_view_print_lines(const CheckView *view, const RwCheckSummary *summary,
                            const RwComparison *comparison)
{
    with_lines(view, summary, comparison, summary->passes ? "passing" : "other", false);
}

JsonArray *check_view_lines_to_json(const CheckView *view, const RwCheckSummary *summary,
                                    const RwComparison *comparison)
{
    return with_lines(view, summary, comparison, "passing", true);
}
