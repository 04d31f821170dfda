// SPDX-License-Identifier: MIT
#include "source-page-private.h"

#include "rui-names.h"
#include "rui-sides-layout.h"
#include "source-lists.h"
#include "source-threads.h"

#include <glib/gi18n.h>

#define COLUMNS 34 // characters that each of two sources has at least beside the other

G_DEFINE_FINAL_TYPE(RuiSourcePage, rui_source_page, GTK_TYPE_BOX)

static void rui_source_page_dispose(GObject *object)
{
    RuiSourcePage *page = RUI_SOURCE_PAGE(object);
    source_page_stop_writing(page);
    g_clear_pointer(&page->shown, rw_source_unref);
    g_clear_pointer(&page->name, g_free);
    g_clear_object(&page->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_SOURCE_PAGE);
    G_OBJECT_CLASS(rui_source_page_parent_class)->dispose(object);
}

static void stop(GtkWidget *widget, const char *action, GVariant *parameter)
{
    source_page_stop_writing(RUI_SOURCE_PAGE(widget));
}

#define BIND(field) gtk_widget_class_bind_template_child(widget_class, RuiSourcePage, field)

static void rui_source_page_class_init(RuiSourcePageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_source_page_dispose;
    g_type_ensure(RUI_TYPE_SOURCE_SIDE);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-source-page.ui");
    BIND(threads);
    BIND(spinner);
    BIND(written);
    BIND(written_text);
    BIND(written_progress);
    BIND(sides);
    BIND(here);
    BIND(other);
    BIND(frames);
    BIND(variables);
    gtk_widget_class_install_action(widget_class, "source.written", "s", source_page_find_written);
    gtk_widget_class_install_action(widget_class, "source.stop", NULL, stop);
}

// ---- What is asked ----

RuiSourceSide *source_page_get_active(RuiSourcePage *page)
{
    gboolean other = rui_view_get_compared(page->view) &&
                     gtk_toggle_button_get_active(rui_source_side_get_title(page->other));
    return other ? page->other : page->here;
}

// The compared run's takes a machine as well: not before the own one's answer is there, and only for who
// looks.
static void update_other(RuiSourcePage *page)
{
    if (rui_view_get_compared(page->view) && gtk_widget_get_mapped(GTK_WIDGET(page)) &&
        !rui_source_side_is_busy(page->here))
        rui_source_side_update(page->other);
}

// Only the visible tab follows; but a run's first answer, which takes a machine, is there before it is
// asked for.
void source_page_update(RuiSourcePage *page)
{
    if (!page->view || !rui_view_get_index(page->view) ||
        (rui_source_side_get_run(page->here) && !gtk_widget_get_mapped(GTK_WIDGET(page))))
        return;
    rui_source_side_update(page->here);
    update_other(page);
}

// ---- What goes with the active one ----

static void show_frames(RuiSourcePage *page)
{
    source_lists_fill_frames(page->frames, page->shown, page->unfolded);
    source_lists_fill_variables(page->variables, page->shown ? rw_source_get_frame(page->shown) : NULL);
}

static void show_active(RuiSourcePage *page)
{
    RuiSourceSide *side = source_page_get_active(page);
    RwSource *source = rui_source_side_get_source(side);
    if (source == page->shown)
        return;
    g_clear_pointer(&page->shown, rw_source_unref);
    page->shown = source ? rw_source_ref(source) : NULL;
    page->choosing = TRUE;
    source_threads_show(page->threads, source, rui_source_side_get_tid(side));
    page->choosing = FALSE;
    show_frames(page);
}

static gboolean is_busy(RuiSourcePage *page)
{
    return rui_source_side_is_busy(page->here) ||
           (rui_view_get_compared(page->view) && rui_source_side_is_busy(page->other));
}

static void on_changed(RuiSourcePage *page)
{
    gtk_spinner_set_spinning(page->spinner, is_busy(page));
    show_active(page);
}

static void on_own_changed(RuiSourcePage *page)
{
    on_changed(page);
    update_other(page);
}

// ---- What it follows ----

// Who is looked for is so from where the playhead was.
static void on_step(RuiSourcePage *page)
{
    rui_source_side_take_step(page->here);
    rui_source_side_take_step(page->other);
    if (!rui_source_side_is_elsewhere(page->here) && !rui_source_side_is_elsewhere(page->other))
        source_page_stop_writing(page);
    source_page_update(page);
}

static void on_run(RuiSourcePage *page)
{
    gboolean compared = rui_view_get_compared(page->view) != NULL;
    if (!compared) // there is nothing else to be looked at
        gtk_toggle_button_set_active(rui_source_side_get_title(page->here), TRUE);
    rui_source_side_show_title(page->here, compared);
    rui_source_side_show_title(page->other, compared);
    gtk_widget_set_visible(GTK_WIDGET(page->other), compared);
    rui_source_side_take_run(page->here);
    rui_source_side_take_run(page->other);
    on_step(page);
    on_changed(page);
}

static void on_side(RuiSourcePage *page)
{
    source_page_stop_writing(page);
    show_active(page);
}

static void on_thread(RuiSourcePage *page)
{
    guint selected = gtk_drop_down_get_selected(page->threads);
    if (page->choosing || !page->shown || selected == GTK_INVALID_LIST_POSITION)
        return;
    guint32 tid = source_threads_get(page->shown, selected);
    rui_source_side_choose_thread(page->here, tid);
    rui_source_side_choose_thread(page->other, tid);
    source_page_update(page);
}

static void on_frame(RuiSourcePage *page, GtkListBoxRow *row)
{
    guint frame = source_lists_get_frame(row);
    if (frame == SOURCE_NO_FRAME) {
        page->unfolded = !page->unfolded;
        show_frames(page);
        return;
    }
    rui_source_side_choose_frame(source_page_get_active(page), frame);
    source_page_update(page);
}

static void set_up_sides(RuiSourcePage *page)
{
    GtkToggleButton *here = rui_source_side_get_title(page->here);
    gtk_toggle_button_set_group(rui_source_side_get_title(page->other), here);
    gtk_toggle_button_set_active(here, TRUE);
    gtk_accessible_update_property(GTK_ACCESSIBLE(rui_source_side_get_text(page->other)),
                                   GTK_ACCESSIBLE_PROPERTY_LABEL, _("Source of the compared run"), -1);
    // Of that button, which source_page_get_active() asks.
    g_signal_connect_object(rui_source_side_get_title(page->other), "toggled", G_CALLBACK(on_side), page,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(page->here, "changed", G_CALLBACK(on_own_changed), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(page->other, "changed", G_CALLBACK(on_changed), page, G_CONNECT_SWAPPED);
}

static void rui_source_page_init(RuiSourcePage *page)
{
    gtk_widget_init_template(GTK_WIDGET(page));
    rui_name_part(GTK_WIDGET(page->threads), GTK_TYPE_LIST_VIEW, _("Threads"));
    source_lists_narrow(page->threads);
    source_threads_show(page->threads, NULL, 0);
    rui_sides_lay_out(page->sides, COLUMNS, 0);
    g_signal_connect(page, "map", G_CALLBACK(source_page_update), NULL);
    g_signal_connect_object(page->frames, "row-activated", G_CALLBACK(on_frame), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(page->threads, "notify::selected", G_CALLBACK(on_thread), page,
                            G_CONNECT_SWAPPED);
}

void rui_source_page_set_view(RuiSourcePage *page, RuiView *view)
{
    g_set_object(&page->view, view);
    rui_source_side_set_view(page->here, view, FALSE);
    rui_source_side_set_view(page->other, view, TRUE);
    set_up_sides(page);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(on_step), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(on_run), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::compared", G_CALLBACK(on_run), page, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::comparison", G_CALLBACK(source_page_update), page,
                            G_CONNECT_SWAPPED);
}

// ---- For tests ----

const char *rui_source_page_get_state(RuiSourcePage *page)
{
    const char *here = rui_source_side_get_state(page->here);
    const char *other = rui_source_side_get_state(page->other);
    gboolean both = rui_view_get_compared(page->view) != NULL;
    if (!strcmp(here, "busy") || (both && !strcmp(other, "busy")))
        return "busy";
    return source_page_get_active(page) == page->here ? here : other;
}

char *rui_source_page_dup_problem(RuiSourcePage *page)
{
    return rui_source_side_dup_problem(source_page_get_active(page));
}

guint rui_source_page_get_line(RuiSourcePage *page)
{
    return rui_source_text_get_line(rui_source_side_get_text(source_page_get_active(page)));
}

char *rui_source_page_dup_line(RuiSourcePage *page)
{
    return rui_source_side_dup_line(source_page_get_active(page));
}

char *rui_source_page_dup_values(RuiSourcePage *page)
{
    return rui_source_text_dup_values(rui_source_side_get_text(source_page_get_active(page)));
}

char *rui_source_page_dup_frames(RuiSourcePage *page)
{
    return source_lists_dup_text(page->frames);
}

char *rui_source_page_dup_variables(RuiSourcePage *page)
{
    return source_lists_dup_text(page->variables);
}

GtkDropDown *rui_source_page_get_threads(RuiSourcePage *page)
{
    return page->threads;
}

const char *rui_source_page_get_written(RuiSourcePage *page)
{
    return gtk_widget_get_visible(page->written) ? gtk_label_get_text(page->written_text) : NULL;
}

guint rui_source_page_get_answers(RuiSourcePage *page)
{
    return rui_source_side_get_answers(page->here);
}
