// SPDX-License-Identifier: MIT
#include "compare-summary.h"

#include "rui-words.h"

#include <glib/gi18n.h>

// A hold that begins where the schedules part, or a system call that is answered there, is what they part
// by.
static char *dup_parting(RwSessionRun *run, guint64 step)
{
    RwStepInfo info;
    if (!rw_trace_step(rw_session_run_get_trace(run), step, &info, NULL))
        return NULL;
    RwPerturb begins = {.hold = info.perturb.hold, .fault = info.perturb.fault};
    return rui_dup_perturbation(run, &begins);
}

static void add_parting(GString *summary, RwSessionComparison *comparison)
{
    guint64 step = rw_session_comparison_get_schedules_step(comparison);
    g_autofree char *number = rui_dup_number(step);
    g_autofree char *here = dup_parting(rw_session_comparison_get_left(comparison), step);
    g_autofree char *there = dup_parting(rw_session_comparison_get_right(comparison), step);
    g_string_append_c(summary, '\n');
    g_string_append_printf(summary, _("Their schedules part at step %s."), number);
    if (here)
        // Translators: above lines of what the schedule did in this run alone.
        g_string_append_printf(summary, " %s\n%s", _("Here:"), here);
    if (there)
        // Translators: above lines of what the schedule did in the compared run alone.
        g_string_append_printf(summary, "\n%s\n%s", _("There:"), there);
}

char *compare_dup_summary(RwSessionComparison *comparison)
{
    g_autofree char *shared = rui_dup_number(rw_session_comparison_get_shared(comparison));
    if (rw_session_comparison_is_identical(comparison))
        return g_strdup_printf(_("Both runs did the same: %s events."), shared);
    g_autofree char *left = rui_dup_number(rw_session_comparison_get_left_step(comparison));
    g_autofree char *right = rui_dup_number(rw_session_comparison_get_right_step(comparison));
    const char *here = rw_session_comparison_get_left_program(comparison);
    const char *there = rw_session_comparison_get_right_program(comparison);
    g_autofree char *first =
        !g_strcmp0(here, there)
            ? g_strdup_printf(
                  _("The runs part after %s shared events, in “%s”: at step %s here, at step %s there."),
                  shared, here, left, right)
            : g_strdup_printf(
                  _("The runs part after %s shared events: at step %s here (%s), at step %s there (%s)."),
                  shared, left, here ? here : _("no more events"), right,
                  there ? there : _("no more events"));
    GString *summary = g_string_new(first);
    if (rw_session_comparison_get_schedules_step(comparison))
        add_parting(summary, comparison);
    return g_string_free(summary, FALSE);
}
