// SPDX-License-Identifier: MIT
#include "rui-start-page.h"

#include "rui-names.h"
#include "rui-run-match.h"
#include "rui-spin.h"

struct _RuiStartPage {
    GtkBox parent_instance;
    // template
    GtkInfoBar *problem;
    GtkLabel *problem_text;
    GtkStack *stack, *found;
    GtkEditable *search;
    GtkSpinner *spinner;
    RuiRunList *list;
    // owned
    RwSession *session;
};

static guint signal_open;

G_DEFINE_FINAL_TYPE(RuiStartPage, rui_start_page, GTK_TYPE_BOX)

static void rui_start_page_dispose(GObject *object)
{
    RuiStartPage *page = RUI_START_PAGE(object);
    g_clear_object(&page->session);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_START_PAGE);
    G_OBJECT_CLASS(rui_start_page_parent_class)->dispose(object);
}

static void rui_start_page_class_init(RuiStartPageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_start_page_dispose;
    signal_open = g_signal_new("open", RUI_TYPE_START_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                               G_TYPE_NONE, 1, G_TYPE_STRING);
    g_type_ensure(RUI_TYPE_RUN_LIST);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-start-page.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiStartPage, problem);
    gtk_widget_class_bind_template_child(widget_class, RuiStartPage, problem_text);
    gtk_widget_class_bind_template_child(widget_class, RuiStartPage, stack);
    gtk_widget_class_bind_template_child(widget_class, RuiStartPage, spinner);
    gtk_widget_class_bind_template_child(widget_class, RuiStartPage, list);
    gtk_widget_class_bind_template_child(widget_class, RuiStartPage, search);
    gtk_widget_class_bind_template_child(widget_class, RuiStartPage, found);
}

static void on_open(RuiStartPage *page, const char *ref)
{
    g_signal_emit(page, signal_open, 0, ref);
}

// ---- The search ----

static void update_found(RuiStartPage *page)
{
    gboolean none = !g_list_model_get_n_items(rui_run_list_get_rows(page->list));
    gtk_stack_set_visible_child_name(page->found, none ? "nothing" : "list");
}

static void on_words(RuiStartPage *page)
{
    g_auto(GStrv) words = rui_run_words(gtk_editable_get_text(page->search));
    rui_run_list_set_words(page->list, words);
    update_found(page);
}

static void on_stop(RuiStartPage *page)
{
    gtk_editable_set_text(page->search, "");
    gtk_widget_child_focus(GTK_WIDGET(page->list), GTK_DIR_TAB_FORWARD);
}

// The keyboard goes to what was found.
static void on_enter(RuiStartPage *page)
{
    on_words(page);
    gtk_widget_child_focus(GTK_WIDGET(page->list), GTK_DIR_TAB_FORWARD);
}

void rui_start_page_search(RuiStartPage *page, const char *words)
{
    if (words)
        gtk_editable_set_text(page->search, words);
    gtk_widget_grab_focus(GTK_WIDGET(page->search));
}

const char *rui_start_page_get_words(RuiStartPage *page)
{
    return gtk_editable_get_text(page->search);
}

// ---- Building ----

static void rui_start_page_init(RuiStartPage *page)
{
    gtk_widget_init_template(GTK_WIDGET(page));
    rui_hide_closed_pages(GTK_WIDGET(page->stack));
    rui_spin_in_sight(page->spinner);
    rui_hide_closed_pages(GTK_WIDGET(page->found));
    g_signal_connect_object(page->list, "open", G_CALLBACK(on_open), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(page->search, "search-changed", G_CALLBACK(on_words), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(page->search, "stop-search", G_CALLBACK(on_stop), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(page->search, "activate", G_CALLBACK(on_enter), page, G_CONNECT_SWAPPED);
}

static void update(RuiStartPage *page)
{
    const char *problem = rw_session_get_problem(page->session);
    guint count = g_list_model_get_n_items(rw_session_get_runs(page->session));
    update_found(page);
    gtk_info_bar_set_revealed(page->problem, problem != NULL);
    gtk_label_set_text(page->problem_text, problem ? problem : "");
    gtk_stack_set_visible_child_name(page->stack, count                                 ? "runs"
                                                  : rw_session_is_loaded(page->session) ? "empty"
                                                                                        : "loading");
}

void rui_start_page_set_session(RuiStartPage *page, RwSession *session)
{
    g_set_object(&page->session, session);
    rui_run_list_set_session(page->list, session);
    g_signal_connect_object(session, "notify::loading", G_CALLBACK(update), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(rw_session_get_runs(session), "items-changed", G_CALLBACK(update), page,
                            G_CONNECT_SWAPPED);
    update(page);
}

RuiRunList *rui_start_page_get_list(RuiStartPage *page)
{
    return page->list;
}
