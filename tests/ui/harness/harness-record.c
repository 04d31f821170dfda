// SPDX-License-Identifier: MIT
#include "harness.h"

RuiRecordWindow *app_fill_form(App *app, const char *root, const char *command, const char *cwd)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.new-run", NULL);
    app_wait_idle(app);
    RuiRecordWindow *form = harness_find_window(RUI_TYPE_RECORD_WINDOW);
    g_assert_nonnull(form);
    rui_record_window_set_job(form, root, command);
    rui_record_window_set_cwd(form, cwd);
    return form;
}

void app_record(RuiRecordWindow *form)
{
    gtk_widget_activate_action(GTK_WIDGET(form), "record.start", NULL);
    wait_for(!harness_find_window(RUI_TYPE_RECORD_WINDOW) || rui_record_window_get_problem(form));
    if (harness_find_window(RUI_TYPE_RECORD_WINDOW))
        g_error("not recorded: %s", rui_record_window_get_problem(form));
}
