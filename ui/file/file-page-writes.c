// SPDX-License-Identifier: MIT
//
// Where the file was changed: known from the index, so nothing is asked.
#include "file-page-private.h"

#include "rui-words.h"

#include <glib/gi18n.h>

static const RwFileHistory *find_history(RuiFilePage *page)
{
    const RwRunIndex *index = rui_view_get_index(page->view);
    const char *path = rui_view_get_path(page->view);
    g_autofree char *whole = path ? g_canonicalize_filename(path, "/") : NULL;
    return index && whole ? rw_run_index_find_file(index, whole) : NULL;
}

static gboolean find(RuiFilePage *page, gboolean forward, guint64 *ret_step, RwChangeKind *ret_kind)
{
    const RwFileHistory *file = find_history(page);
    return file && rw_file_history_find(file, rui_view_get_step(page->view), forward, ret_step, ret_kind);
}

void file_page_go_to_write(GtkWidget *widget, const char *action, GVariant *parameter)
{
    RuiFilePage *page = RUI_FILE_PAGE(widget);
    guint64 step;
    RwChangeKind kind;
    if (find(page, !strcmp(action, "file.next-write"), &step, &kind))
        rui_view_jump(page->view, step);
}

// "written at 412 · 2 of 5"
static char *dup_last(RuiFilePage *page, const RwFileHistory *file)
{
    RwFilter all = RW_FILTER_NONE;
    guint64 step;
    RwChangeKind kind;
    guint count, of = file->changes->len;
    g_autofree char *total = rui_dup_number(of);
    if (!rw_file_history_at(file, rui_view_get_step(page->view), &all, &step, &kind, &count))
        // Translators: how often a file is changed after the playhead.
        return g_strdup_printf(g_dngettext(NULL, "%s change to come", "%s changes to come", of), total);
    g_autofree char *at = rui_dup_number(step), *number = rui_dup_number(count);
    g_autofree char *what = g_strdup_printf(_("%s at %s"), rui_get_change(kind), at);
    // Translators: the last change of a file ("written at 412"), which of its changes that is, and how
    // many.
    return g_strdup_printf(_("%s · %s of %s"), what, number, total);
}

// What there is to say of a file that is not there: the change that made it so, or the one that ends that.
static char *dup_absence(RuiFilePage *page, gboolean *ret_next)
{
    const RwFileHistory *file = find_history(page);
    RwFilter all = RW_FILTER_NONE;
    guint64 step;
    RwChangeKind kind;
    guint count;
    *ret_next = find(page, TRUE, &step, &kind);
    gboolean was = !*ret_next && file &&
                   rw_file_history_at(file, rui_view_get_step(page->view), &all, &step, &kind, &count);
    if (!was && !*ret_next)
        return NULL;
    g_autofree char *at = rui_dup_number(step);
    return g_strdup_printf(_("%s at %s"), rui_get_change(kind), at);
}

void file_page_update_writes(RuiFilePage *page)
{
    const RwFileHistory *file = find_history(page);
    guint64 step;
    RwChangeKind kind;
    gboolean next;
    g_autofree char *text = file ? dup_last(page, file) : NULL;
    g_autofree char *absence = dup_absence(page, &next);
    gtk_label_set_text(page->write, text ? text : "");
    gtk_widget_set_visible(page->writes, file != NULL);
    gtk_widget_action_set_enabled(GTK_WIDGET(page), "file.previous-write", find(page, FALSE, &step, &kind));
    gtk_widget_action_set_enabled(GTK_WIDGET(page), "file.next-write", find(page, TRUE, &step, &kind));
    adw_status_page_set_description(page->absent, absence);
    gtk_widget_set_visible(page->absent_go, next);
}
