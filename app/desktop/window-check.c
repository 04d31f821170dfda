// SPDX-License-Identifier: MIT
//
// Checks and explanations: one at a time in a window, shown with its runs.
#include "window-private.h"

#include "rui-words.h"
#include "settings.h"

#include <glib/gi18n.h>

// A check of some kind is about to begin: whether none is under way.
static gboolean may_check(RuiWindow *window)
{
    RwSessionWork *busy = rui_check_pane_get_work(window->check);
    if (!busy || !rw_session_work_is_running(busy))
        return TRUE;
    rui_window_toast(window, _("Something is being recorded already: cancel it first"));
    return FALSE;
}

static void show_work(RuiWindow *window, RwSessionWork *work, const char *title)
{
    rui_check_pane_set_work(window->check, work, title);
    window_tell_end(window, work, title);
    adw_view_stack_set_visible_child_name(window->tabs, "runs");
}

void window_explain(RuiWindow *window, RwSessionRun *run)
{
    if (!may_check(window))
        return;
    DesktopDefaults defaults = desktop_get_defaults(window->settings);
    g_autoptr(RwSessionWork) work =
        rw_session_explain(run, 0, (RwWorkOptions){defaults.threads, defaults.keyframes});
    show_work(window, work, _("What decides how the job ends?"));
    // Of one that was cancelled there is more to go on from.
    g_signal_connect_object(work, "notify::running", G_CALLBACK(rui_story_strip_tell_again), window->story,
                            G_CONNECT_SWAPPED);
}

void window_check_job(RuiWindow *window, const char *ref)
{
    if (!may_check(window))
        return;
    rui_window_open_run(window, ref, NULL, RUI_NO_STEP);
    window->wanted_check = TRUE;
}

void window_resume(RuiWindow *window)
{
    g_autoptr(RwSessionWork) work = g_object_ref(rui_check_pane_get_work(window->check));
    window_explain(window, rw_session_work_get_run(work));
}

void window_check(RuiWindow *window, guint count)
{
    guint64 step = rui_view_get_step(window->view);
    if (!may_check(window))
        return;
    DesktopDefaults defaults = desktop_get_defaults(window->settings);
    g_autofree char *number = rui_dup_number(step);
    g_autofree char *title = g_strdup_printf(_("Check from step %s"), number);
    g_autoptr(RwSessionWork) work =
        rw_session_check(rui_view_get_run(window->view), step, count ? count : defaults.schedules,
                         (RwWorkOptions){defaults.threads, defaults.keyframes});
    show_work(window, work, title);
}
