// SPDX-License-Identifier: MIT
#include "setup.h"

static bool refuse(GError **error, const char *why)
{
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s", why);
    return false;
}

static bool take_window(Cli *cli, RwWindow *ret, GError **error)
{
    const char *last = cli_text(cli, "schedule-last"), *strategy = cli_text(cli, "strategy");
    *ret = (RwWindow){
        .number = cli_number(cli, "schedule", 0),
        .from = cli_number(cli, "schedule-from", 0),
        .until = cli_number(cli, "schedule-until", UINT64_MAX),
    };
    if (ret->number && strategy && !rw_strategy_parse(strategy, &ret->strategy))
        return refuse(error, "--strategy: of one schedule it is mixed, preempt, stall or sparse");
    if (ret->from > ret->until)
        return refuse(error, "--schedule-until is before --schedule-from");
    if (last && ret->until == UINT64_MAX)
        return refuse(error, "--schedule-last: say with --schedule-until which step is the last");
    return !last || rw_last_parse(last, ret, error);
}

static bool add_windows(Cli *cli, RwSchedule *schedule, GError **error)
{
    GPtrArray *texts = cli_texts(cli, "window");
    for (guint i = 0; texts && i < texts->len; i++) {
        RwWindow window;
        if (!rw_window_parse(texts->pdata[i], &window, error))
            return false;
        if (!rw_schedule_add_window(schedule, &window))
            return refuse(error, "--window: at most 64, in order, without overlaps");
    }
    return true;
}

static bool add_reseeds(Cli *cli, RwSchedule *schedule, GError **error)
{
    GPtrArray *texts = cli_texts(cli, "reseed");
    for (guint i = 0; texts && i < texts->len; i++) {
        RwReseed reseed;
        if (!rw_reseed_parse(texts->pdata[i], &reseed, error))
            return false;
        if (!rw_schedule_add_reseed(schedule, reseed.step, reseed.seed))
            return refuse(error, "--reseed: at most 16, in the order of their steps");
    }
    return true;
}

bool setup_holds(Cli *cli, RwSchedule *schedule, GError **error)
{
    GPtrArray *texts = cli_texts(cli, "hold");
    for (guint i = 0; texts && i < texts->len; i++) {
        RwHold hold;
        if (!rw_hold_parse(texts->pdata[i], &hold, error))
            return false;
        if (!rw_schedule_add_hold(schedule, &hold))
            return refuse(error, "--hold: at most 16, in the order of their first steps");
    }
    return true;
}

static bool add_faults(Cli *cli, RwSchedule *schedule, GError **error)
{
    GPtrArray *texts = cli_texts(cli, "fault");
    for (guint i = 0; texts && i < texts->len; i++) {
        RwFault fault;
        if (!rw_fault_parse(texts->pdata[i], &fault, error))
            return false;
        if (!rw_schedule_add_fault(schedule, &fault))
            return refuse(error, "--fault: at most 16, in the order of their first steps");
    }
    return true;
}

bool setup_schedule(Cli *cli, RwSchedule *ret, RwWindow *ret_window, GError **error)
{
    *ret = (RwSchedule){0};
    if (!take_window(cli, ret_window, error))
        return false;
    if (ret_window->number && cli_texts(cli, "window"))
        return refuse(error, "--window says which schedules there are: leave --schedule out");
    if (!rw_schedule_add_window(ret, ret_window))
        return refuse(error, "--schedule: that is no window of steps");
    return add_windows(cli, ret, error) && add_reseeds(cli, ret, error) && setup_holds(cli, ret, error) &&
           add_faults(cli, ret, error);
}
