// SPDX-License-Identifier: MIT
#include "rui-compare-page.h"

#include "compare-row.h"
#include "compare-summary.h"
#include "rui-compare-links.h"
#include "rui-names.h"
#include "rui-sides-layout.h"
#include "rui-spin.h"
#include "rui-virtual-list.h"
#include "rui-words.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#define COLUMNS 24 // characters that each of two ledgers has at least beside the other

struct _RuiComparePage {
    GtkBox parent_instance;
    // template
    GtkStack *stack;
    GtkSpinner *spinner;
    GtkLabel *summary, *left, *right;
    GtkWidget *names;
    RuiVirtualList *list;
    RuiCompareLinks *links;
    AdwStatusPage *problem;
    // owned
    RuiView *view;
    guint here; // the row of the playhead, or GTK_INVALID_LIST_POSITION
    GListModel *lines; // in one column: of CompareLine; NULL: there are two
    guint narrowing; // source id
};

G_DEFINE_FINAL_TYPE(RuiComparePage, rui_compare_page, GTK_TYPE_BOX)

static void rui_compare_page_dispose(GObject *object)
{
    RuiComparePage *page = RUI_COMPARE_PAGE(object);
    g_clear_handle_id(&page->narrowing, g_source_remove);
    g_clear_object(&page->lines);
    g_clear_object(&page->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_COMPARE_PAGE);
    G_OBJECT_CLASS(rui_compare_page_parent_class)->dispose(object);
}

static void rui_compare_page_class_init(RuiComparePageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    g_type_ensure(RUI_TYPE_COMPARE_LINKS);
    G_OBJECT_CLASS(class)->dispose = rui_compare_page_dispose;
    gtk_widget_class_set_template_from_resource(widget_class,
                                                "/dev/rewindvm/Rewind/ui/rui-compare-page.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, stack);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, spinner);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, summary);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, left);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, right);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, names);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, list);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, links);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, problem);
}

// ---- Rows ----

static RwEventPair *dup_pair(RuiComparePage *page, guint position)
{
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    return comparison ? g_list_model_get_item(rw_session_comparison_get_pairs(comparison), position) : NULL;
}

static void show_item(RuiComparePage *page, GtkWidget *content, gpointer item)
{
    g_autoptr(RwEventPair) here = dup_pair(page, page->here);
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    if (COMPARE_IS_LINE(item))
        compare_row_show_line(content, comparison, item, compare_line_get_pair(item) == here);
    else
        compare_row_show(content, comparison, item, item == here);
}

static int show_row(GtkWidget *content, gpointer item)
{
    show_item(RUI_COMPARE_PAGE(gtk_widget_get_ancestor(content, RUI_TYPE_COMPARE_PAGE)), content, item);
    return 0;
}

// Of the list: the first one of a row of the pairs.
static guint get_position(RuiComparePage *page, guint row)
{
    return page->lines && row != GTK_INVALID_LIST_POSITION ? compare_lines_find(page->lines, row) : row;
}

static const RuiVirtualRowType row_type = {compare_row_new, show_row};

static void on_activate(RuiVirtualList *list, guint position, RuiComparePage *page)
{
    g_autoptr(GObject) item = g_list_model_get_item(rui_virtual_list_get_model(list), position);
    RwEventPair *pair = COMPARE_IS_LINE(item) ? compare_line_get_pair(COMPARE_LINE(item)) : (gpointer)item;
    if (!pair)
        return;
    RwEventItem *left = rw_event_pair_get_event(pair, RW_EVENT_LEFT);
    RwEventItem *right = rw_event_pair_get_event(pair, RW_EVENT_RIGHT);
    rui_view_jump(page->view, left ? rw_event_item_get_step(left)
                                   : rw_session_comparison_match(rui_view_get_comparison(page->view),
                                                                 rw_event_item_get_step(right), FALSE));
}

// ---- The playhead's row ----

// The last one whose left event had happened by then.
static guint find_here(RuiComparePage *page)
{
    guint64 step = rui_view_get_step(page->view);
    guint found = GTK_INVALID_LIST_POSITION;
    for (guint position = 0;; position++) {
        g_autoptr(RwEventPair) pair = dup_pair(page, position);
        if (!pair)
            return found;
        RwEventItem *left = rw_event_pair_get_event(pair, RW_EVENT_LEFT);
        if (left && rw_event_item_get_step(left) > step)
            return found;
        if (left)
            found = position;
    }
}

static void show_again(RuiComparePage *page, guint row)
{
    GListModel *model = rui_virtual_list_get_model(page->list);
    guint position = get_position(page, row);
    g_autoptr(GObject) item = model ? g_list_model_get_item(model, position) : NULL;
    GtkWidget *content = item ? rui_virtual_list_get_content(page->list, position) : NULL;
    if (content)
        show_item(page, content, item);
}

static void mark_here(RuiComparePage *page, gboolean follow)
{
    guint old = page->here;
    page->here = find_here(page);
    if (page->here == old)
        return;
    show_again(page, old);
    show_again(page, page->here);
    if (follow && page->here != GTK_INVALID_LIST_POSITION)
        rui_virtual_list_scroll_to(page->list, get_position(page, page->here));
}

static void on_step(RuiComparePage *page)
{
    if (page->view && gtk_widget_get_mapped(GTK_WIDGET(page))) // only the visible tab follows
        mark_here(page, TRUE);
}

// ---- What is above the rows ----

static void show_summary(RuiComparePage *page)
{
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    g_autofree char *summary = comparison ? compare_dup_summary(comparison) : NULL;
    if (!summary)
        return;
    gtk_label_set_text(page->summary, summary);
    gtk_widget_set_tooltip_text(GTK_WIDGET(page->summary), summary); // its lines may be cut
}

// In one column with the word that the rows have.
static char *dup_name(RuiComparePage *page, RwSessionRun *run, const char *word)
{
    RwRunItem *item = rw_session_run_get_item(run);
    const char *id = rw_run_item_get_id(item);
    g_autofree char *ending = rui_dup_ending(item);
    return page->lines ? g_strdup_printf("%s %.8s, %s", word, id, ending)
                       : g_strdup_printf("%.8s\n%s", id, ending);
}

// ---- Following ----

static void show_comparison(RuiComparePage *page, RwSessionComparison *comparison)
{
    g_autofree char *left = dup_name(page, rw_session_comparison_get_left(comparison), _("Here:"));
    g_autofree char *right = dup_name(page, rw_session_comparison_get_right(comparison), _("There:"));
    show_summary(page);
    gtk_label_set_text(page->left, left);
    gtk_label_set_text(page->right, right);
    mark_here(page, FALSE);
    if (!rw_session_comparison_is_identical(comparison))
        rui_virtual_list_scroll_to_third(page->list,
                                         get_position(page, rw_session_comparison_get_context(comparison)));
}

// ---- One column or two ----

static gboolean is_narrow(RuiComparePage *page)
{
    int width = gtk_widget_get_width(GTK_WIDGET(page->names));
    return width > 0 && rui_sides_are_stacked(page->names, width);
}

static void set_lines(RuiComparePage *page, gboolean narrow)
{
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    GListModel *pairs = comparison ? rw_session_comparison_get_pairs(comparison) : NULL;
    g_clear_object(&page->lines);
    page->lines = pairs && narrow ? compare_lines_new(pairs) : NULL;
    page->here = GTK_INVALID_LIST_POSITION;
    rui_virtual_list_set_model(page->list, page->lines ? page->lines : pairs);
}

// Not while sizes are given.
static gboolean on_narrowing(gpointer data)
{
    RuiComparePage *page = data;
    RwSessionComparison *comparison = page->view ? rui_view_get_comparison(page->view) : NULL;
    page->narrowing = 0;
    if (!comparison || is_narrow(page) == (page->lines != NULL))
        return G_SOURCE_REMOVE;
    guint here = page->here;
    gboolean looked_at = rui_virtual_list_get_content(page->list, get_position(page, here)) != NULL;
    set_lines(page, is_narrow(page));
    show_comparison(page, comparison);
    if (looked_at)
        rui_virtual_list_scroll_to_third(page->list, get_position(page, here));
    return G_SOURCE_REMOVE;
}

static void on_width(RuiComparePage *page)
{
    if (!page->narrowing)
        page->narrowing = g_idle_add(on_narrowing, page);
}

static void update(RuiComparePage *page)
{
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    const char *problem = rui_view_get_compare_problem(page->view);
    gboolean wanted = rui_view_get_compared(page->view) != NULL;
    g_autofree char *text = problem ? g_markup_escape_text(problem, -1) : NULL;
    gtk_stack_set_visible_child_name(page->stack, comparison ? "pairs"
                                                  : problem  ? "problem"
                                                  : wanted   ? "busy"
                                                             : "none");
    adw_status_page_set_description(page->problem, text);
    set_lines(page, is_narrow(page));
    rui_compare_links_set_runs(page->links, comparison ? rw_session_comparison_get_left(comparison) : NULL,
                               comparison ? rw_session_comparison_get_right(comparison) : NULL);
    if (comparison)
        show_comparison(page, comparison);
}

static void rui_compare_page_init(RuiComparePage *page)
{
    gtk_widget_init_template(GTK_WIDGET(page));
    rui_hide_closed_pages(GTK_WIDGET(page->stack));
    rui_spin_in_sight(page->spinner);
    page->here = GTK_INVALID_LIST_POSITION;
    rui_virtual_list_set_row_type(page->list, &row_type);
    rui_compare_links_set_list(page->links, page->list);
    rui_sides_lay_out(page->names, COLUMNS, COMPARE_GUTTER);
    g_signal_connect_object(gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(page->list)), "changed",
                            G_CALLBACK(on_width), page, G_CONNECT_SWAPPED);
    g_signal_connect(page, "map", G_CALLBACK(on_step), NULL);
    g_signal_connect_object(page->list, "activate", G_CALLBACK(on_activate), page, 0);
}

void rui_compare_page_set_view(RuiComparePage *page, RuiView *view)
{
    g_set_object(&page->view, view);
    g_signal_connect_object(view, "notify::comparison", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::compared", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::sides", G_CALLBACK(show_summary), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(on_step), page, G_CONNECT_SWAPPED);
    update(page);
}

const char *rui_compare_page_get_summary(RuiComparePage *page)
{
    return gtk_label_get_text(page->summary);
}

const char *rui_compare_page_get_state(RuiComparePage *page)
{
    return gtk_stack_get_visible_child_name(page->stack);
}

guint rui_compare_page_get_here(RuiComparePage *page)
{
    return page->here;
}

guint rui_compare_page_get_linked(RuiComparePage *page)
{
    return rui_compare_links_get_drawn(page->links);
}
