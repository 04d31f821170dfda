// SPDX-License-Identifier: MIT
#include "rui-start-page.h"

#include "rui-names.h"
#include "rui-spin.h"

struct _RuiStartPage {
    GtkBox parent_instance;
    // template
    GtkInfoBar *problem;
    GtkLabel *problem_text;
    GtkStack *stack;
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
}

static void on_open(RuiStartPage *page, const char *ref)
{
    g_signal_emit(page, signal_open, 0, ref);
}

static void rui_start_page_init(RuiStartPage *page)
{
    gtk_widget_init_template(GTK_WIDGET(page));
    rui_hide_closed_pages(GTK_WIDGET(page->stack));
    rui_spin_in_sight(page->spinner);
    g_signal_connect_object(page->list, "open", G_CALLBACK(on_open), page, G_CONNECT_SWAPPED);
}

static void update(RuiStartPage *page)
{
    const char *problem = rw_session_get_problem(page->session);
    guint count = g_list_model_get_n_items(rw_session_get_runs(page->session));
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
