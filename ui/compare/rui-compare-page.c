// SPDX-License-Identifier: MIT
#include "rui-compare-page.h"

#include "rui-cell.h"
#include "rui-names.h"
#include "rui-spin.h"
#include "rui-virtual-list.h"
#include "rui-words.h"

#include <adwaita.h>
#include <glib/gi18n.h>

struct _RuiComparePage {
    GtkBox parent_instance;
    // template
    GtkStack *stack;
    GtkSpinner *spinner;
    GtkLabel *summary, *left, *right;
    RuiVirtualList *list;
    AdwStatusPage *problem;
    // owned
    RuiView *view;
    guint here; // the row of the playhead, or GTK_INVALID_LIST_POSITION
};

G_DEFINE_FINAL_TYPE(RuiComparePage, rui_compare_page, GTK_TYPE_BOX)

static void rui_compare_page_dispose(GObject *object)
{
    RuiComparePage *page = RUI_COMPARE_PAGE(object);
    g_clear_object(&page->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_COMPARE_PAGE);
    G_OBJECT_CLASS(rui_compare_page_parent_class)->dispose(object);
}

static void rui_compare_page_class_init(RuiComparePageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_compare_page_dispose;
    gtk_widget_class_set_template_from_resource(widget_class,
                                                "/dev/rewindvm/Rewind/ui/rui-compare-page.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, stack);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, spinner);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, summary);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, left);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, right);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, list);
    gtk_widget_class_bind_template_child(widget_class, RuiComparePage, problem);
}

// ---- Rows: an event of each run, or a gap ----

static GtkWidget *new_side(void)
{
    GtkWidget *side = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(side), rui_cell_new(0, PANGO_ELLIPSIZE_END, 3));
    gtk_box_append(GTK_BOX(side), rui_cell_new(0, PANGO_ELLIPSIZE_END, 3));
    gtk_widget_add_css_class(side, "event");
    return side;
}

static GtkWidget *create_row(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
    gtk_box_set_homogeneous(GTK_BOX(box), TRUE);
    gtk_box_append(GTK_BOX(box), new_side());
    gtk_box_append(GTK_BOX(box), new_side());
    return box;
}

typedef struct {
    RwEventItem *event; // or NULL
    const char *program; // or NULL
    gboolean same, here; // as the other side's; of the step at which the playhead is
} Side;

static char *dup_who(const Side *side)
{
    g_autofree char *who =
        g_strdup_printf("%s%s  %u/%u", side->here ? "▸ " : "", rw_event_item_get_place(side->event),
                        rw_event_item_get_pid(side->event), rw_event_item_get_tid(side->event));
    return side->program ? g_strdup_printf("%s  %s", who, side->program) : g_steal_pointer(&who);
}

static void set_class(GtkWidget *widget, const char *class, gboolean has)
{
    if (has)
        gtk_widget_add_css_class(widget, class);
    else
        gtk_widget_remove_css_class(widget, class);
}

static void show_side(GtkWidget *widget, const Side *side)
{
    GtkWidget *place = gtk_widget_get_first_child(widget);
    g_autofree char *who = side->event ? dup_who(side) : g_strdup("");
    rui_cell_set_text(RUI_CELL(place), who, NULL);
    rui_cell_set_text(RUI_CELL(gtk_widget_get_next_sibling(place)),
                      side->event ? rw_event_item_get_text(side->event) : "", NULL);
    set_class(widget, "differs", side->event && !side->same);
}

static void show_pair(GtkWidget *content, RwEventPair *pair, gboolean here)
{
    gboolean same = rw_event_pair_is_same(pair);
    GtkWidget *left = gtk_widget_get_first_child(content);
    show_side(left,
              &(Side){rw_event_pair_get_left(pair), rw_event_pair_get_left_program(pair), same, here});
    show_side(gtk_widget_get_next_sibling(left),
              &(Side){rw_event_pair_get_right(pair), rw_event_pair_get_right_program(pair), same, FALSE});
    set_class(content, "here", here);
}

static RwEventPair *dup_pair(RuiComparePage *page, guint position)
{
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    return comparison ? g_list_model_get_item(rw_session_comparison_get_pairs(comparison), position) : NULL;
}

static int show_row(GtkWidget *content, gpointer item)
{
    RuiComparePage *page = RUI_COMPARE_PAGE(gtk_widget_get_ancestor(content, RUI_TYPE_COMPARE_PAGE));
    g_autoptr(RwEventPair) here = dup_pair(page, page->here);
    show_pair(content, item, item == here);
    return 0;
}

static const RuiVirtualRowType row_type = {create_row, show_row};

static void on_activate(RuiVirtualList *list, guint position, RuiComparePage *page)
{
    g_autoptr(RwEventPair) pair = dup_pair(page, position);
    if (!pair)
        return;
    RwEventItem *left = rw_event_pair_get_left(pair), *right = rw_event_pair_get_right(pair);
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
        RwEventItem *left = rw_event_pair_get_left(pair);
        if (left && rw_event_item_get_step(left) > step)
            return found;
        if (left)
            found = position;
    }
}

static void show_again(RuiComparePage *page, guint position)
{
    g_autoptr(RwEventPair) pair = dup_pair(page, position);
    GtkWidget *content = pair ? rui_virtual_list_get_content(page->list, position) : NULL;
    if (content)
        show_pair(content, pair, position == page->here);
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
        rui_virtual_list_scroll_to(page->list, page->here);
}

static void on_step(RuiComparePage *page)
{
    if (page->view && gtk_widget_get_mapped(GTK_WIDGET(page))) // only the visible tab follows
        mark_here(page, TRUE);
}

// ---- What is above the rows ----

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
    g_string_append_c(summary, ' ');
    g_string_append_printf(summary, _("Their schedules part at step %s."), number);
    if (here)
        // Translators: above lines of what the schedule did in this run alone.
        g_string_append_printf(summary, "\n%s\n%s", _("Here:"), here);
    if (there)
        // Translators: above lines of what the schedule did in the compared run alone.
        g_string_append_printf(summary, "\n%s\n%s", _("There:"), there);
}

static char *dup_summary(RwSessionComparison *comparison)
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

static void show_summary(RuiComparePage *page)
{
    RwSessionComparison *comparison = rui_view_get_comparison(page->view);
    g_autofree char *summary = comparison ? dup_summary(comparison) : NULL;
    if (summary)
        gtk_label_set_text(page->summary, summary);
}

static char *dup_name(RwSessionRun *run)
{
    RwRunItem *item = rw_session_run_get_item(run);
    g_autofree char *ending = rui_dup_ending(item);
    return g_strdup_printf("%.8s\n%s", rw_run_item_get_id(item), ending);
}

// ---- Following ----

static void show_comparison(RuiComparePage *page, RwSessionComparison *comparison)
{
    g_autofree char *left = dup_name(rw_session_comparison_get_left(comparison));
    g_autofree char *right = dup_name(rw_session_comparison_get_right(comparison));
    show_summary(page);
    gtk_label_set_text(page->left, left);
    gtk_label_set_text(page->right, right);
    mark_here(page, FALSE);
    if (!rw_session_comparison_is_identical(comparison))
        rui_virtual_list_scroll_to_third(page->list, rw_session_comparison_get_context(comparison));
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
    page->here = GTK_INVALID_LIST_POSITION;
    rui_virtual_list_set_model(page->list, comparison ? rw_session_comparison_get_pairs(comparison) : NULL);
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
