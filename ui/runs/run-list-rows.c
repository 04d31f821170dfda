// SPDX-License-Identifier: MIT
#include "run-list-private.h"

#include "rui-run-tree.h"
#include "rui-words.h"

#include <glib/gi18n.h>

#define INDENT 18

// A row: icon, title over subtitle, time.
static void on_setup(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);
    GtkWidget *texts = gtk_box_new(GTK_ORIENTATION_VERTICAL, 1);
    GtkWidget *title = gtk_label_new(NULL), *subtitle = gtk_label_new(NULL), *date = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(title), 0);
    gtk_label_set_xalign(GTK_LABEL(subtitle), 0);
    gtk_label_set_ellipsize(GTK_LABEL(title), PANGO_ELLIPSIZE_END);
    gtk_label_set_ellipsize(GTK_LABEL(subtitle), PANGO_ELLIPSIZE_END);
    gtk_widget_add_css_class(subtitle, "caption");
    gtk_widget_add_css_class(subtitle, "dim-label");
    gtk_widget_add_css_class(date, "caption");
    gtk_widget_add_css_class(date, "dim-label");
    gtk_widget_add_css_class(date, "numeric");
    gtk_widget_set_hexpand(texts, TRUE);
    gtk_box_append(GTK_BOX(texts), title);
    gtk_box_append(GTK_BOX(texts), subtitle);
    gtk_box_append(GTK_BOX(box), gtk_image_new());
    gtk_box_append(GTK_BOX(box), texts);
    gtk_box_append(GTK_BOX(box), date);
    gtk_widget_set_margin_top(box, 4);
    gtk_widget_set_margin_bottom(box, 4);
    gtk_list_item_set_child(item, box);
}

static void show_verdict(GtkWidget *icon, RwVerdict verdict)
{
    static const struct {
        const char *icon, *class;
    } looks[] = {
        [RW_VERDICT_PASSED] = {"emblem-ok-symbolic", "success"},
        [RW_VERDICT_FAILED] = {"dialog-error-symbolic", "error"},
        [RW_VERDICT_UNKNOWN] = {"content-loading-symbolic", "dim-label"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(looks); i++)
        gtk_widget_remove_css_class(icon, looks[i].class);
    gtk_widget_add_css_class(icon, looks[verdict].class);
    gtk_image_set_from_icon_name(GTK_IMAGE(icon), looks[verdict].icon);
    gtk_widget_set_visible(icon, TRUE);
}

static char *dup_run_title(RuiRunRow *row)
{
    RwRunItem *item = rui_run_row_get_item(row);
    gboolean fork_ = rw_run_item_get_parent(item) && rui_run_row_get_depth(row);
    g_autofree char *name = fork_ ? rui_dup_fork(item) : rui_dup_schedule(item);
    return *name ? g_steal_pointer(&name) : g_strdup(rw_run_item_get_ref(item));
}

static char *dup_run_subtitle(RuiRunList *list, RwRunItem *item)
{
    const char *problem = rw_run_item_get_problem(item);
    if (problem)
        return g_strdup(problem);
    g_autofree char *ending = rui_dup_ending(item);
    g_autofree char *steps = rui_dup_number(rw_run_item_get_steps(item));
    gboolean current = !g_strcmp0(list->current, rw_run_item_get_ref(item));
    /* Translators: how a run ended, its length, its id. */
    return g_strdup_printf(current ? _("%s · %s steps · %.8s · open here") : _("%s · %s steps · %.8s"),
                           ending, steps, rw_run_item_get_id(item));
}

static void bind_heading(RuiRunRow *row, GtkWidget *icon, GtkLabel *title, GtkLabel *subtitle)
{
    RwRunItem *item = rui_run_row_get_item(row);
    guint count = rui_run_row_get_count(row);
    g_autofree char *runs = g_strdup_printf(g_dngettext(NULL, "%u run", "%u runs", count), count);
    g_autofree char *failed = g_strdup_printf(_("%u failed"), rui_run_row_get_failed(row));
    g_autofree char *text = g_strdup_printf("%s · %s · %s", rw_run_item_get_command(item), runs, failed);
    gtk_widget_set_visible(icon, FALSE);
    gtk_label_set_text(title, rw_run_item_get_title(item));
    gtk_label_set_text(subtitle, text);
}

static void on_bind(GtkSignalListItemFactory *factory, GtkListItem *item, RuiRunList *list)
{
    RuiRunRow *row = gtk_list_item_get_item(item);
    RwRunItem *run = rui_run_row_get_item(row);
    GtkWidget *box = gtk_list_item_get_child(item);
    GtkWidget *icon = gtk_widget_get_first_child(box), *texts = gtk_widget_get_next_sibling(icon);
    GtkWidget *title = gtk_widget_get_first_child(texts), *subtitle = gtk_widget_get_next_sibling(title);
    GtkLabel *date = GTK_LABEL(gtk_widget_get_next_sibling(texts));
    gtk_widget_set_margin_start(box, (int)rui_run_row_get_depth(row) * INDENT);
    gtk_widget_remove_css_class(title, "heading");
    gtk_label_set_text(date, "");
    if (rui_run_row_is_heading(row)) {
        gtk_widget_add_css_class(title, "heading");
        bind_heading(row, icon, GTK_LABEL(title), GTK_LABEL(subtitle));
        return;
    }
    g_autofree char *name = dup_run_title(row);
    g_autofree char *text = dup_run_subtitle(list, run);
    g_autofree char *when = rui_dup_date((guint64)MAX(rw_run_item_get_created(run), 0));
    show_verdict(icon, rw_run_item_get_verdict(run));
    gtk_label_set_text(GTK_LABEL(title), name);
    gtk_label_set_text(GTK_LABEL(subtitle), text);
    gtk_widget_set_tooltip_text(subtitle, text);
    gtk_label_set_text(date, when);
}

GtkListItemFactory *run_list_factory_new(RuiRunList *list)
{
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(on_setup), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(on_bind), list);
    return factory;
}
