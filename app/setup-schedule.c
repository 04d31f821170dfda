// SPDX-License-Identifier: MIT
#include "setup.h"

static gboolean refuse(GError **error, const char *why)
{
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s", why);
    return FALSE;
}

static gboolean take_window(Cli *cli, RwWindow *ret, GError **error)
{
    const char *last = cli_text(cli, "schedule-last");
    *ret = (RwWindow){
        .number = cli_number(cli, "schedule", 0),
        .from = cli_number(cli, "schedule-from", 0),
        .until = cli_number(cli, "schedule-until", UINT64_MAX),
    };
    if (cli_text(cli, "strategy"))
        rw_strategy_parse(cli_text(cli, "strategy"), &ret->strategy);
    if (ret->from > ret->until)
        return refuse(error, "--schedule-until is before --schedule-from");
    if (last && ret->until == UINT64_MAX)
        return refuse(error, "--schedule-last: say with --schedule-until which step is the last");
    return !last || rw_last_parse(last, ret, error);
}

static gboolean add_windows(Cli *cli, RwSchedule *schedule, GError **error)
{
    GPtrArray *texts = cli_texts(cli, "window");
    for (guint i = 0; texts && i < texts->len; i++) {
        RwWindow window;
        if (!rw_window_parse(texts->pdata[i], &window, error))
            return FALSE;
        if (!rw_schedule_add_window(schedule, &window))
            return refuse(error, "--window: at most 64, in order, without overlaps");
    }
    return TRUE;
}

static gboolean add_reseeds(Cli *cli, RwSchedule *schedule, GError **error)
{
    GPtrArray *texts = cli_texts(cli, "reseed");
    for (guint i = 0; texts && i < texts->len; i++) {
        RwReseed reseed;
        if (!rw_reseed_parse(texts->pdata[i], &reseed, error))
            return FALSE;
        if (!rw_schedule_add_reseed(schedule, reseed.step, reseed.seed))
            return refuse(error, "--reseed: at most 16, in the order of their steps");
    }
    return TRUE;
}

gboolean setup_schedule(Cli *cli, RwSchedule *ret, RwWindow *ret_window, GError **error)
{
    *ret = (RwSchedule){0};
    if (!take_window(cli, ret_window, error))
        return FALSE;
    if (ret_window->number && cli_texts(cli, "window"))
        return refuse(error, "--window says which schedules there are: leave --schedule out");
    rw_schedule_add_window(ret, ret_window);
    return add_windows(cli, ret, error) && add_reseeds(cli, ret, error);
}
