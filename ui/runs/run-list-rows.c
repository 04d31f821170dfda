// SPDX-License-Identifier: MIT
#include "run-list-private.h"

#include "rui-result-dots.h"
#include "rui-words.h"

#include <glib/gi18n.h>

// The row that the button is in, with its list; NULL: neither is there any more.
static RuiRunRow *get_row(GtkButton *button, GtkListItem *item, RuiRunList **ret_list)
{
    GtkWidget *list = gtk_widget_get_ancestor(GTK_WIDGET(button), RUI_TYPE_RUN_LIST);
    *ret_list = list ? RUI_RUN_LIST(list) : NULL;
    return list ? g_object_get_data(G_OBJECT(item), "row") : NULL;
}

static void on_again(GtkButton *button, GtkListItem *item)
{
    RuiRunList *list;
    RuiRunRow *row = get_row(button, item, &list);
    if (row)
        run_list_record_again(list, row);
}

static void on_failing(GtkButton *button, GtkListItem *item)
{
    RuiRunList *list;
    RuiRunRow *row = get_row(button, item, &list);
    if (row)
        run_list_open_failing(list, row);
}

static void on_check(GtkButton *button, GtkListItem *item)
{
    RuiRunList *list;
    RuiRunRow *row = get_row(button, item, &list);
    if (row)
        run_list_check(list, row);
}

static GtkWidget *button_new(const char *label, const char *tooltip, GCallback on_clicked,
                             GtkListItem *item)
{
    GtkWidget *button = gtk_button_new_with_label(label);
    gtk_label_set_ellipsize(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(button))), PANGO_ELLIPSIZE_END);
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
    gtk_widget_set_tooltip_text(button, tooltip);
    g_signal_connect(button, "clicked", on_clicked, item);
    return button;
}

static GtkWidget *star_new(void)
{
    GtkWidget *star = gtk_image_new_from_icon_name("starred-symbolic");
    const char *words = _("Found by a check: the same as the other run with a star until one step");
    gtk_widget_set_tooltip_text(star, words);
    gtk_accessible_update_property(GTK_ACCESSIBLE(star), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
    return star;
}

// A row, behind its expander: icon, title over subtitle, the last results, time, buttons.
static void on_setup(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    GtkWidget *expander = gtk_tree_expander_new();
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
    gtk_box_append(GTK_BOX(box), star_new());
    gtk_box_append(GTK_BOX(box), rui_result_dots_new());
    gtk_box_append(GTK_BOX(box), date);
    gtk_box_append(GTK_BOX(box), button_new(_("Open Failing"), _("Opens the last run that failed"),
                                            G_CALLBACK(on_failing), item));
    gtk_box_append(GTK_BOX(box),
                   button_new(_("Record Again"), _("Records the job once more, with the same inputs"),
                              G_CALLBACK(on_again), item));
    gtk_box_append(GTK_BOX(box), button_new(_("Check"), _("Finds what decides how the job ends"),
                                            G_CALLBACK(on_check), item));
    gtk_widget_set_margin_top(box, 4);
    gtk_widget_set_margin_bottom(box, 4);
    gtk_tree_expander_set_child(GTK_TREE_EXPANDER(expander), box);
    gtk_list_item_set_child(item, expander);
    run_list_add_drag(item);
}

static void show_verdict(GtkWidget *icon, RwVerdict verdict)
{
    static const struct {
        const char *icon, *class, *name;
    } looks[] = {
        [RW_VERDICT_PASSED] = {"emblem-ok-symbolic", "success", N_("Passed")},
        [RW_VERDICT_FAILED] = {"dialog-error-symbolic", "error", N_("Failed")},
        [RW_VERDICT_UNKNOWN] = {"content-loading-symbolic", "dim-label", N_("No verdict")},
    };
    for (guint i = 0; i < G_N_ELEMENTS(looks); i++)
        gtk_widget_remove_css_class(icon, looks[i].class);
    gtk_widget_add_css_class(icon, looks[verdict].class);
    gtk_image_set_from_icon_name(GTK_IMAGE(icon), looks[verdict].icon);
    gtk_accessible_update_property(GTK_ACCESSIBLE(icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   _(looks[verdict].name), -1);
    gtk_widget_set_visible(icon, TRUE);
}

static char *dup_run_title(RuiRunRow *row)
{
    RwRunItem *item = rui_run_row_get_item(row);
    const RwSides *sides = rui_run_row_get_sides(row);
    g_autofree char *name =
        rw_run_item_get_parent(item) ? rui_dup_fork(item, sides) : rui_dup_schedule(item, sides);
    return *name ? g_steal_pointer(&name) : g_strdup(rw_run_item_get_ref(item));
}

static char *dup_run_subtitle(RuiRunRow *row)
{
    RwRunItem *item = rui_run_row_get_item(row);
    const char *problem = rw_run_item_get_problem(item);
    if (problem)
        return g_strdup(problem);
    g_autofree char *ending = rui_dup_ending(item);
    g_autofree char *steps = rui_dup_number(rw_run_item_get_steps(item));
    const char *shown = rui_run_row_is_current(row)    ? _("open here")
                        : rui_run_row_is_compared(row) ? _("compared with")
                                                       : NULL;
    // Translators: how a run ended, its length, its id.
    g_autofree char *text =
        g_strdup_printf(_("%s · %s steps · %.8s"), ending, steps, rw_run_item_get_id(item));
    return shown ? g_strdup_printf("%s · %s", text, shown) : g_steal_pointer(&text);
}

static char *dup_heading_subtitle(RuiRunRow *row)
{
    guint count = rui_run_row_get_count(row);
    g_autofree char *number = rui_dup_number(count), *bad = rui_dup_number(rui_run_row_get_failed(row));
    g_autofree char *runs = g_strdup_printf(g_dngettext(NULL, "%s run", "%s runs", count), number);
    g_autofree char *failed = g_strdup_printf(_("%s failed"), bad);
    const char *command = rw_run_item_get_command(rui_run_row_get_item(row));
    gboolean named = strcmp(command, rw_run_item_get_title(rui_run_row_get_item(row))) != 0;
    return named ? g_strdup_printf("%s · %s · %s", command, runs, failed)
                 : g_strdup_printf("%s · %s", runs, failed);
}

static char *dup_alike_title(RuiRunRow *row)
{
    guint count = rui_run_row_get_count(row);
    RwRunItem *item = rui_run_row_get_item(row);
    g_autofree char *number = rui_dup_number(count), *ending = rui_dup_ending(item);
    if (rw_run_item_get_verdict(item) == RW_VERDICT_PASSED)
        return g_strdup_printf(g_dngettext(NULL, "%s more that passed", "%s more that passed", count),
                               number);
    // Translators: how many more runs there are, and how they ended: "failed, exited with 2".
    return g_strdup_printf(g_dngettext(NULL, "%s more: %s", "%s more: %s", count), number, ending);
}

static char *dup_check_title(RuiRunRow *row)
{
    guint count = rui_run_row_get_count(row);
    g_autofree char *step = rui_dup_number(rw_run_item_get_parent_step(rui_run_row_get_item(row)));
    g_autofree char *number = rui_dup_number(count), *bad = rui_dup_number(rui_run_row_get_failed(row));
    // Translators: the step from which they were tried; how many; how many of them failed.
    return g_strdup_printf(g_dngettext(NULL, "Check from step %s: %s schedule, %s failed",
                                       "Check from step %s: %s schedules, %s failed", count),
                           step, number, bad);
}

// The least and the most steps of all that are below it.
static void find_lengths(GListModel *rows, guint64 *least, guint64 *most)
{
    for (guint i = 0; rows && i < g_list_model_get_n_items(rows); i++) {
        g_autoptr(RuiRunRow) row = g_list_model_get_item(rows, i);
        guint64 steps = rw_run_item_get_steps(rui_run_row_get_item(row));
        if (rui_run_row_get_kind(row) == RUI_RUN_ROW_RUN) {
            *least = MIN(*least, steps);
            *most = MAX(*most, steps);
        }
        find_lengths(rui_run_row_get_children(row), least, most);
    }
}

// From the first to the last of them.
static char *dup_alike_subtitle(RuiRunRow *row)
{
    guint64 least = G_MAXUINT64, most = 0;
    find_lengths(rui_run_row_get_children(row), &least, &most);
    g_autofree char *shortest = rui_dup_number(least), *longest = rui_dup_number(most);
    // Translators: the lengths of several runs.
    return least == most ? g_strdup_printf(_("%s steps"), longest)
                         : g_strdup_printf(_("%s to %s steps"), shortest, longest);
}

// ---- Binding ----

typedef struct {
    GtkWidget *icon, *title, *subtitle, *star, *dots, *date, *failing, *again, *check;
} Parts;

static Parts get_parts(GtkListItem *item)
{
    GtkTreeExpander *expander = GTK_TREE_EXPANDER(gtk_list_item_get_child(item));
    GtkWidget *icon = gtk_widget_get_first_child(gtk_tree_expander_get_child(expander));
    GtkWidget *texts = gtk_widget_get_next_sibling(icon), *title = gtk_widget_get_first_child(texts);
    GtkWidget *star = gtk_widget_get_next_sibling(texts), *dots = gtk_widget_get_next_sibling(star);
    GtkWidget *date = gtk_widget_get_next_sibling(dots), *failing = gtk_widget_get_next_sibling(date);
    GtkWidget *again = gtk_widget_get_next_sibling(failing);
    return (Parts){.icon = icon,
                   .title = title,
                   .subtitle = gtk_widget_get_next_sibling(title),
                   .star = star,
                   .dots = dots,
                   .date = date,
                   .failing = failing,
                   .again = again,
                   .check = gtk_widget_get_next_sibling(again)};
}

static void set_class(GtkWidget *widget, const char *class, gboolean has)
{
    if (has)
        gtk_widget_add_css_class(widget, class);
    else
        gtk_widget_remove_css_class(widget, class);
}

static char *dup_title(RuiRunRow *row)
{
    switch (rui_run_row_get_kind(row)) {
    case RUI_RUN_ROW_HEADING:
        return g_strdup(rw_run_item_get_title(rui_run_row_get_item(row)));
    case RUI_RUN_ROW_CHECK:
        return dup_check_title(row);
    case RUI_RUN_ROW_ALIKE:
        return dup_alike_title(row);
    default:
        return dup_run_title(row);
    }
}

static char *dup_subtitle(RuiRunRow *row)
{
    switch (rui_run_row_get_kind(row)) {
    case RUI_RUN_ROW_HEADING:
        return dup_heading_subtitle(row);
    case RUI_RUN_ROW_RUN:
        return dup_run_subtitle(row);
    default:
        return dup_alike_subtitle(row);
    }
}

static RwVerdict get_verdict(RuiRunRow *row)
{
    gboolean check = rui_run_row_get_kind(row) == RUI_RUN_ROW_CHECK;
    return check && rui_run_row_get_failed(row) ? RW_VERDICT_FAILED
                                                : rw_run_item_get_verdict(rui_run_row_get_item(row));
}

static void show_results(Parts parts, RuiRunRow *row)
{
    guint count;
    const RwVerdict *recent = rui_run_row_get_recent(row, &count);
    gboolean heading = rui_run_row_get_kind(row) == RUI_RUN_ROW_HEADING;
    gtk_widget_set_visible(parts.dots, heading);
    gtk_widget_set_visible(parts.failing, heading && rui_run_row_get_failed(row));
    gtk_widget_set_visible(parts.again, heading);
    gtk_widget_set_sensitive(parts.again, rw_run_item_get_manifest(rui_run_row_get_item(row)) != NULL);
    gtk_widget_set_visible(parts.check, heading);
    gtk_widget_set_sensitive(parts.check, rw_run_item_get_end(rui_run_row_get_item(row)) != NULL);
    if (heading)
        rui_result_dots_set(RUI_RESULT_DOTS(parts.dots), recent, count);
}

static void show_row(GtkListItem *item, RuiRunRow *row)
{
    RwRunItem *run = rui_run_row_get_item(row);
    RuiRunRowKind kind = rui_run_row_get_kind(row);
    Parts parts = get_parts(item);
    g_autofree char *title = dup_title(row), *subtitle = dup_subtitle(row);
    const RwSides *sides = rui_run_row_get_sides(row);
    g_autofree char *lines = sides ? rui_dup_all_sides(sides) : NULL;
    g_autofree char *details = lines ? g_strdup_printf("%s\n%s", title, lines) : NULL;
    g_autofree char *date =
        kind != RUI_RUN_ROW_ALIKE ? rui_dup_date(MAX(rw_run_item_get_created(run), 0)) : g_strdup("");
    show_verdict(parts.icon, get_verdict(row));
    gtk_widget_set_visible(parts.icon, kind != RUI_RUN_ROW_HEADING);
    gtk_widget_set_visible(parts.star, rui_run_row_is_twin(row));
    show_results(parts, row);
    set_class(parts.title, "heading", kind == RUI_RUN_ROW_HEADING);
    set_class(parts.title, "current", rui_run_row_is_current(row));
    set_class(parts.title, "compared", rui_run_row_is_compared(row));
    gtk_label_set_text(GTK_LABEL(parts.title), title);
    gtk_label_set_text(GTK_LABEL(parts.subtitle), subtitle);
    gtk_widget_set_tooltip_text(parts.title, details ? details : title);
    gtk_widget_set_tooltip_text(parts.subtitle, subtitle);
    gtk_label_set_text(GTK_LABEL(parts.date), date);
}

static void on_changed(RuiRunRow *row, GtkListItem *item)
{
    show_row(item, row);
}

static void on_bind(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    GtkTreeListRow *place = gtk_list_item_get_item(item);
    RuiRunRow *row = gtk_tree_list_row_get_item(place);
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(gtk_list_item_get_child(item)), place);
    g_signal_connect(row, "changed", G_CALLBACK(on_changed), item);
    show_row(item, row);
    // A place that has left the tree does not know its row any more.
    g_object_set_data_full(G_OBJECT(item), "row", row, g_object_unref);
}

static void on_unbind(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    g_signal_handlers_disconnect_by_data(g_object_get_data(G_OBJECT(item), "row"), item);
    g_object_set_data(G_OBJECT(item), "row", NULL);
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(gtk_list_item_get_child(item)), NULL);
}

GtkListItemFactory *run_list_factory_new(void)
{
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(on_setup), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(on_bind), NULL);
    g_signal_connect(factory, "unbind", G_CALLBACK(on_unbind), NULL);
    return factory;
}
