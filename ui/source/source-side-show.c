// SPDX-License-Identifier: MIT
//
// An answer as text with a line, or as words.
#include "source-side-private.h"

#include "rui-words.h"
#include "rw-session-files.h"
#include "source-words.h"

#include <glib/gi18n.h>

// ---- Which run it is ----

void source_side_show_title(RuiSourceSide *side, guint64 step)
{
    RwSessionRun *run = side->other ? rui_view_get_compared(side->view) : rui_view_get_run(side->view);
    RwRunItem *item = rw_session_run_get_item(run);
    g_autofree char *ending = rui_dup_ending(item);
    g_autofree char *schedule = rui_dup_schedule(item, rw_session_run_get_sides(run));
    g_autofree char *number = rui_dup_number(step);
    // Translators: over the source of one of two runs; %s: "passed", "failed, exited with 2".
    g_autofree char *name =
        g_strdup_printf(side->other ? _("Compared run: %s") : _("This run: %s"), ending);
    // Translators: over the source of one of two runs; %s is a number.
    g_autofree char *place = g_strdup_printf(_("step %s"), number);
    g_autofree char *tip = g_strdup_printf("%.8s\n%s\n%s", rw_run_item_get_id(item), ending, schedule);
    g_autofree char *label = g_strdup_printf("%s, %s", name, place);
    gtk_label_set_text(side->name, name);
    gtk_label_set_text(side->place, place);
    gtk_widget_set_tooltip_text(GTK_WIDGET(side->title), tip);
    gtk_accessible_update_property(GTK_ACCESSIBLE(side->title), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

// ---- Words ----

static void show_words(RuiSourceSide *side, SourceWords words)
{
    g_autofree char *text = g_markup_escape_text(words.text, -1);
    adw_status_page_set_title(side->problem, words.title);
    adw_status_page_set_description(side->problem, text);
    gtk_stack_set_visible_child_name(side->stack, "problem");
    g_free(words.text);
}

static void show_ended(RuiSourceSide *side)
{
    g_autofree char *text =
        side->source && side->source->ended ? source_words_dup_ended(side->source) : NULL;
    gtk_label_set_text(side->ended, text ? text : "");
    gtk_widget_set_visible(GTK_WIDGET(side->ended), text != NULL);
}

void source_side_show_nothing(RuiSourceSide *side)
{
    g_clear_pointer(&side->source, rw_source_unref);
    show_ended(side);
    gtk_stack_set_visible_child_name(side->stack, "none");
}

void source_side_show_error(RuiSourceSide *side, const char *message)
{
    g_clear_pointer(&side->source, rw_source_unref);
    show_ended(side);
    show_words(side, (SourceWords){_("The Source Cannot Be Shown"), g_strdup(message)});
    side->answers++;
}

static guint64 get_start(RuiSourceSide *side)
{
    const RwRunIndex *index = rw_session_run_get_index(side->asked_run);
    return index ? rw_run_index_get_job_start(index) : 0;
}

// ---- Text ----

static void mark_line(RuiSourceSide *side)
{
    const RwSourceFrame *frame = side->source ? rw_source_get_frame(side->source) : NULL;
    guint line = frame ? frame->symbol.line : 0;
    rui_source_text_mark(side->text, line,
                         frame ? source_values_new(side->bytes, line, frame->variables) : NULL);
}

static void on_filled(gpointer data)
{
    mark_line(data);
}

static void fill_text(RuiSourceSide *side, const char *path)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(side->text));
    rui_source_text_mark(side->text, 0, NULL);
    g_clear_pointer(&side->bytes, g_bytes_unref);
    side->bytes = g_bytes_ref(side->source->text);
    GtkSourceLanguage *language =
        gtk_source_language_manager_guess_language(gtk_source_language_manager_get_default(), path, NULL);
    gtk_source_buffer_set_language(GTK_SOURCE_BUFFER(buffer), language);
    g_clear_pointer(&side->fill, rui_text_fill_free);
    side->fill = rui_text_fill_new(buffer, side->bytes, on_filled, side);
}

static void show_text(RuiSourceSide *side)
{
    gsize length;
    const guint8 *bytes = g_bytes_get_data(side->source->text, &length);
    if (rw_file_is_binary(bytes, length)) {
        show_words(side, source_words_of_binary(side->source));
        return;
    }
    gtk_stack_set_visible_child_name(side->stack, "text");
    if (side->bytes != side->source->text)
        fill_text(side, rw_source_get_frame(side->source)->symbol.file);
    else if (rui_text_fill_is_done(side->fill))
        mark_line(side);
}

void source_side_show(RuiSourceSide *side, RwSource *source)
{
    g_clear_pointer(&side->source, rw_source_unref);
    side->source = source;
    if (source->state == RW_SOURCE_SHOWN)
        show_text(side);
    else
        show_words(side, source_words_of(source, get_start(side)));
    show_ended(side);
    side->answers++;
}
