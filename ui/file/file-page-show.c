// SPDX-License-Identifier: MIT
//
// What was found at a path, and how two runs' files differ.
#include "file-page-private.h"

#include "file-folder.h"
#include "rui-words.h"

#include <glib/gi18n.h>

#define SNIFFED 8192 // bytes that tell the kind of a file

static gboolean is_one_of(const char *state, const char *const *states)
{
    return g_strv_contains(states, state);
}

void file_page_show_state(RuiFilePage *page, const char *state)
{
    static const char *const contents[] = {"text", "hex", "note", NULL};
    static const char *const files[] = {"text", "hex", "note", "absent", "busy", NULL};
    gboolean content = is_one_of(state, contents);
    gtk_stack_set_visible_child_name(page->stack, state);
    gtk_widget_action_set_enabled(GTK_WIDGET(page), "file.save", content && !page->asked.other);
    gtk_widget_set_visible(page->bar, is_one_of(state, files));
    if (content)
        return;
    gtk_label_set_text(page->size, "");
    gtk_widget_set_visible(page->more, FALSE);
}

static void show_size(RuiFilePage *page, gboolean cut)
{
    g_autofree char *size = rui_dup_size(page->length);
    // Translators: a file's size; of a text with very long lines their beginnings are shown.
    g_autofree char *text = g_strdup_printf(_("%s, long lines are cut"), size);
    gtk_label_set_text(page->size, page->partial || page->asked.other ? "" : cut ? text : size);
}

static void show_more(RuiFilePage *page)
{
    g_autofree char *size = rui_dup_size(page->asked.other ? page->asked.max : page->length);
    g_autofree char *text = g_strdup_printf(page->asked.other ? _("The first %s of the files are compared.")
                                                              : _("The first %s of the file are shown."),
                                            size);
    gtk_label_set_text(page->more_text, text);
    gtk_widget_set_visible(page->more, page->partial);
}

static void go_to_line(RuiFilePage *page, guint line)
{
    GtkTextIter iter;
    gtk_text_buffer_get_iter_at_line(gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text)), &iter, (int)line);
    gtk_text_view_scroll_to_iter(GTK_TEXT_VIEW(page->text), &iter, 0, TRUE, 0, 0);
}

static void on_filled(gpointer data)
{
    RuiFilePage *page = data;
    if (page->place)
        go_to_line(page, page->place);
    page->place = 0;
    show_size(page, rui_text_fill_has_cut(page->fill));
}

static GtkSourceLanguage *find_language(RuiFilePage *page, GBytes *content)
{
    GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default();
    gsize length;
    const guint8 *bytes = g_bytes_get_data(content, &length);
    gboolean uncertain;
    if (page->asked.other)
        return gtk_source_language_manager_get_language(manager, "diff");
    g_autofree char *type = g_content_type_guess(page->asked.path, bytes, MIN(length, SNIFFED), &uncertain);
    return gtk_source_language_manager_guess_language(manager, page->asked.path, uncertain ? NULL : type);
}

static void show_text(RuiFilePage *page, GBytes *content)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(page->text));
    gtk_source_buffer_set_language(GTK_SOURCE_BUFFER(buffer), find_language(page, content));
    gtk_source_view_set_show_line_numbers(page->text, !page->asked.other);
    page->fill = rui_text_fill_new(buffer, content, on_filled, page);
    file_page_show_state(page, "text");
}

static void show_bytes(RuiFilePage *page, GBytes *content)
{
    const guint8 *bytes = g_bytes_get_data(content, &page->length);
    gboolean binary = !page->asked.other && rw_file_is_binary(bytes, page->length);
    g_clear_pointer(&page->fill, rui_text_fill_free);
    rui_hex_model_set(page->bytes, binary ? content : NULL);
    if (binary && page->place)
        rui_virtual_list_scroll_to_third(page->hex, page->place);
    if (binary) {
        page->place = 0;
        file_page_show_state(page, "hex");
    } else {
        show_text(page, content);
    }
    show_size(page, FALSE);
}

void file_page_show_content(RuiFilePage *page, RwFileContent *content)
{
    file_folder_fill(page->rows, content->folder);
    if (content->folder) {
        file_page_show_state(page, "folder");
        return;
    }
    page->partial = content->more;
    show_bytes(page, content->bytes);
    show_more(page);
}

// ---- Two runs ----

static char *dup_offset(guint64 offset)
{
    g_autofree char *number = rui_dup_number(offset);
    g_autofree char *hex = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", offset);
    // Translators: which byte of two files is the first one that differs, counted from 0, in decimal and in
    // hexadecimal.
    return g_strdup_printf(_("The first byte that differs is byte %s (%s)."), number, hex);
}

static const char *get_note(RwFileDiffKind kind)
{
    static const char *const notes[] = {
        [RW_FILE_SAME] = N_("The Same in Both Runs"),       [RW_FILE_TEXT] = "",
        [RW_FILE_BINARY] = N_("The Files Differ"),          [RW_FILE_ONLY_LEFT] = N_("Only in This Run"),
        [RW_FILE_ONLY_RIGHT] = N_("Only in the Other Run"),
    };
    return kind == RW_FILE_TEXT ? "" : _(notes[kind]);
}

void file_page_show_diff(RuiFilePage *page, RwFileDiff *diff)
{
    page->partial = diff->more;
    if (diff->kind == RW_FILE_TEXT) {
        show_bytes(page, diff->text);
    } else {
        g_autofree char *offset = diff->kind == RW_FILE_BINARY ? dup_offset(diff->offset) : NULL;
        adw_status_page_set_title(page->note, get_note(diff->kind));
        adw_status_page_set_description(page->note, offset);
        file_page_show_state(page, "note");
        show_size(page, FALSE);
    }
    show_more(page);
}

void file_page_show_error(RuiFilePage *page, const GError *error)
{
    if (g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND)) {
        file_page_show_state(page, "absent");
        return;
    }
    g_autofree char *message = g_markup_escape_text(error->message, -1);
    adw_status_page_set_description(page->problem, message);
    file_page_show_state(page, "problem");
}

// ---- What is in sight ----

static guint get_first_line(RuiFilePage *page)
{
    GdkRectangle sight;
    GtkTextIter iter;
    gtk_text_view_get_visible_rect(GTK_TEXT_VIEW(page->text), &sight);
    gtk_text_view_get_line_at_y(GTK_TEXT_VIEW(page->text), &iter, sight.y, NULL);
    return (guint)gtk_text_iter_get_line(&iter);
}

static guint get_first_row(RuiFilePage *page)
{
    GtkAdjustment *down = gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(page->hex));
    double upper = gtk_adjustment_get_upper(down);
    guint rows = g_list_model_get_n_items(G_LIST_MODEL(page->bytes));
    return upper > 0 ? (guint)(gtk_adjustment_get_value(down) / upper * rows) : 0;
}

guint file_page_get_first(RuiFilePage *page)
{
    gboolean hex = !strcmp(gtk_stack_get_visible_child_name(page->stack), "hex");
    return hex ? get_first_row(page) : get_first_line(page);
}
