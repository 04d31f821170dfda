// SPDX-License-Identifier: MIT
//
// Both sides of what decides: who was held where, until whom had passed what. Or whose system call was
// answered how.
#include "check-view.h"

#include "holds.h"
#include "rw-error.h"
#include "rw-sides.h"
#include "setup.h"

#include <stdio.h>

// What the failing run, or the one that passes, tells of them.
static GPtrArray *explain(const CheckView *view, const RwCheckSummary *summary)
{
    g_autoptr(GError) error = NULL;
    const RwRecorded *with = summary->turned ? summary->passing : summary->failing;
    CliRun run = {.hold = -1};
    RwAgain again = {0};
    GPtrArray *explained = NULL;
    if (cli_open_run_named(view->cli, with->path, false, &run, &error) &&
        cli_again_open(view->cli, &run, &again, &error))
        explained = rw_explain_holds(&again, summary->answers, view->cli->cancellable, &error);
    if (explained) // for the app, and for whom the run is sent to
        rw_sides_save(summary->answers, explained, with->path, NULL);
    rw_again_close(&again);
    cli_close_run(&run);
    if (error && !g_error_matches(error, RW_ERROR, RW_ERROR_CANCELLED))
        fprintf(stderr, "rewind: where in their programs they were is not known: %s\n", error->message);
    return explained;
}

static const char *outcome(const RwCheckSummary *summary)
{
    return !summary->passes ? "ends so" : summary->turned ? "passes" : "fails";
}

void check_view_print_holds(const CheckView *view, const RwCheckSummary *summary)
{
    g_autoptr(GPtrArray) all = explain(view, summary);
    holds_print(summary->answers, all, outcome(summary));
}

void check_view_add_holds(const CheckView *view, JsonObject *object, const RwCheckSummary *summary)
{
    g_autoptr(GPtrArray) all = summary->answers ? explain(view, summary) : NULL;
    json_object_set_array_member(object, "holds", holds_to_json(summary->answers, all));
}
