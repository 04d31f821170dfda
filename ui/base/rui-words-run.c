// SPDX-License-Identifier: MIT
//
// How runs ended and what disturbed them, in the user's language. The command's output has its own words
// for the same, which do not change.
#include "rui-words.h"

#include <glib/gi18n.h>
#include <sys/wait.h>

// ---- Endings ----

char *rui_dup_end(const RwEnd *end)
{
    static const char *const names[] = {
        [RW_END_NONE] = N_("not finished"),
        [RW_END_POWEROFF] = N_("powered off"),
        [RW_END_REBOOT] = N_("rebooted"),
        [RW_END_PANIC] = N_("kernel panic"),
        [RW_END_INIT] = N_("the job could not be started"),
        [RW_END_STALLED] = N_("stalled"),
        [RW_END_HALTED] = N_("halted"),
        [RW_END_SHUTDOWN] = N_("triple fault"),
        [RW_END_TIMED_OUT] = N_("timed out"),
        [RW_END_CANCELLED] = N_("cancelled"),
        [RW_END_UNSUPPORTED] = N_("did what the machine does not support"),
        [RW_END_LOST] = N_("lost its files"),
        [RW_END_OUTPUT] = N_("printed more than allowed"),
    };
    if (!end->job_exited)
        return g_strdup(end->kind < G_N_ELEMENTS(names) ? _(names[end->kind]) : "");
    if (WIFSIGNALED(end->job_status)) {
        g_autofree char *name = rw_signal_dup_name(WTERMSIG(end->job_status));
        // Translators: %s is a signal, such as SIGSEGV.
        return g_strdup_printf(_("killed by %s"), name);
    }
    if (!WEXITSTATUS(end->job_status))
        return g_strdup(_("passed"));
    // Translators: %d is the exit status of the job.
    return g_strdup_printf(_("exited with %d"), WEXITSTATUS(end->job_status));
}

char *rui_dup_ending(RwRunItem *item)
{
    static const char *const states[] = {
        [RW_RUN_FINISHED] = N_("finished"),
        [RW_RUN_RECORDING] = N_("being recorded"),
        [RW_RUN_INTERRUPTED] = N_("interrupted"),
        [RW_RUN_DAMAGED] = N_("damaged"),
        [RW_RUN_NEWER] = N_("made by a newer Rewind"),
    };
    const RwEnd *end = rw_run_item_get_end(item);
    if (!end)
        return g_strdup(_(states[rw_run_item_get_state(item)]));
    g_autofree char *how = rui_dup_end(end);
    // Translators: %s is how it ended, such as "exited with 2" or "killed by SIGSEGV".
    return rw_run_item_get_verdict(item) == RW_VERDICT_FAILED ? g_strdup_printf(_("failed, %s"), how)
                                                              : g_steal_pointer(&how);
}

// ---- Schedules ----

static const char *get_strategy(RwStrategy strategy)
{
    static const char *const names[] = {
        [RW_STRATEGY_PREEMPT] = N_("preemptions only"),
        [RW_STRATEGY_STALL] = N_("stalls only"),
        [RW_STRATEGY_SPARSE] = N_("sparse"),
    };
    return strategy < G_N_ELEMENTS(names) && names[strategy] ? _(names[strategy]) : NULL;
}

static char *dup_preemption(const RwWindow *window)
{
    g_autofree char *after = rui_dup_number(window->last_after);
    return window->last_after
               ? g_strdup_printf(g_dngettext(NULL, "a preemption %s instruction later",
                                             "a preemption %s instructions later", window->last_after),
                                 after)
               : g_strdup(_(rw_perturbs[RW_PERTURB_ROW_PREEMPT].brief));
}

// What the last step of a window is left with; NULL: all that was drawn.
static char *dup_last(const RwWindow *window)
{
    guint mask = window->last_kinds ? window->last_kinds : window->last_after ? G_MAXUINT : 0;
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint row = 0; row < RW_N_PERTURBS; row++)
        if (mask & rw_perturbs[row].bit)
            g_ptr_array_add(names, rw_perturbs[row].bit == RW_PERTURB_PREEMPT
                                       ? dup_preemption(window)
                                       : g_strdup(_(rw_perturbs[row].brief)));
    g_ptr_array_add(names, NULL);
    return mask ? g_strjoinv(", ", (char **)names->pdata) : NULL;
}

static char *dup_steps(const RwWindow *window, const char *name)
{
    g_autofree char *from = rui_dup_number(window->from);
    if (window->until != UINT64_MAX) {
        g_autofree char *until = rui_dup_number(window->until - 1);
        // Translators: "schedule 6", and the first and last of the steps that it disturbs.
        return g_strdup_printf(_("%s over steps %s to %s"), name, from, until);
    }
    // Translators: "schedule 6", and the first of the steps that it disturbs.
    return window->from ? g_strdup_printf(_("%s from step %s"), name, from) : g_strdup(name);
}

static char *dup_number_of(const RwWindow *window)
{
    g_autofree char *number = rui_dup_number(window->number);
    const char *strategy = get_strategy(window->strategy);
    // Translators: a schedule's number, and how it draws: "sparse", "stalls only".
    return strategy ? g_strdup_printf(_("schedule %s (%s)"), number, strategy)
                    : g_strdup_printf(_("schedule %s"), number);
}

static char *dup_window(const RwWindow *window)
{
    g_autofree char *name = dup_number_of(window);
    g_autofree char *steps = dup_steps(window, name);
    g_autofree char *last = dup_last(window);
    // Translators: a schedule and its steps; "a reschedule, a stall".
    return last ? g_strdup_printf(_("%s, at the last of them only %s"), steps, last)
                : g_steal_pointer(&steps);
}

char *rui_dup_schedule(RwRunItem *item, const RwSides *sides)
{
    const RwSchedule *schedule = rw_run_item_get_schedule(item);
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    if (!schedule)
        return g_strdup("");
    if (!schedule->n_windows && !schedule->n_holds && !schedule->n_faults)
        g_ptr_array_add(parts, dup_number_of(&(RwWindow){.number = 0}));
    for (guint i = 0; i < schedule->n_windows; i++)
        g_ptr_array_add(parts, dup_window(&schedule->windows[i]));
    for (guint i = 0; i < schedule->n_holds; i++)
        g_ptr_array_add(parts, rui_dup_sides(sides, (RuiHeld){schedule, FALSE, i}, TRUE));
    for (guint i = 0; i < schedule->n_faults; i++)
        g_ptr_array_add(parts, rui_dup_sides(sides, (RuiHeld){schedule, TRUE, i}, TRUE));
    for (guint i = 0; i < schedule->n_reseeds; i++) {
        g_autofree char *seed = rui_dup_number(schedule->reseeds[i].seed);
        g_autofree char *step = rui_dup_number(schedule->reseeds[i].step);
        g_ptr_array_add(parts, g_strdup_printf(_("seed %s from step %s"), seed, step));
    }
    g_ptr_array_add(parts, NULL);
    return g_strjoinv("; ", (char **)parts->pdata);
}

// A fork's own window, where it goes on from the fork to the end; NULL: more must be said.
static char *dup_own_schedule(RwRunItem *item)
{
    const RwSchedule *schedule = rw_run_item_get_schedule(item);
    if (!schedule || !schedule->n_windows || schedule->n_holds || schedule->n_faults)
        return NULL;
    const RwWindow *own = &schedule->windows[schedule->n_windows - 1];
    gboolean plain = own->from == rw_run_item_get_parent_step(item) && own->until == UINT64_MAX;
    gboolean reseeded = schedule->n_reseeds && schedule->reseeds[schedule->n_reseeds - 1].step >= own->from;
    return plain && !reseeded ? dup_number_of(own) : NULL;
}

char *rui_dup_fork(RwRunItem *item, const RwSides *sides)
{
    g_autofree char *step = rui_dup_number(rw_run_item_get_parent_step(item));
    g_autofree char *own = dup_own_schedule(item);
    g_autofree char *all = own ? NULL : rui_dup_schedule(item, sides);
    // Translators: a fork's step, and its schedule.
    return g_strdup_printf(_("fork at step %s, %s"), step, own ? own : all);
}
