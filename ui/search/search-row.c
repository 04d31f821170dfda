// SPDX-License-Identifier: MIT
#include "search-row.h"

#include "rui-cell.h"
#include "rui-row.h"
#include "rui-words.h"

#include <glib/gi18n.h>

void search_hit_free(gpointer data)
{
    SearchHit *hit = data;
    g_free(hit->hit.text);
    g_free(hit->needle);
    g_free(hit);
}

const char *search_hit_get_kind(RwHitKind kind)
{
    static const char *const names[] = {
        [RW_HIT_LOG] = N_("Log"),
        [RW_HIT_KERNEL] = N_("Kernel"),
        [RW_HIT_FILE] = N_("Files"),
        [RW_HIT_EVENT] = N_("Events"),
    };
    return _(names[kind]);
}

GtkWidget *search_row_new(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *place = rui_cell_new(0, PANGO_ELLIPSIZE_END, 3),
              *text = rui_cell_new(0, PANGO_ELLIPSIZE_END, 3);
    gtk_widget_add_css_class(place, "caption");
    gtk_widget_add_css_class(place, "numeric");
    gtk_widget_add_css_class(place, "dim-label");
    gtk_box_append(GTK_BOX(box), place);
    gtk_box_append(GTK_BOX(box), text);
    return box;
}

// Where the needle is in a text, whatever its case; NULL: folding moved it.
static const char *find(const char *text, const char *needle)
{
    gsize length = strlen(needle);
    for (; *text; text++)
        if (!g_ascii_strncasecmp(text, needle, length))
            return text;
    return NULL;
}

// What comes before a match gives way to it.
static char *dup_around(const char *text, const char *match)
{
    const char *from = match;
    for (guint i = 0; i < 12 && from && from > text; i++)
        from = g_utf8_find_prev_char(text, from);
    return from && from > text ? g_strdup_printf("…%s", from) : g_strdup(text);
}

static PangoAttrList *list_bold(const char *text, const char *needle)
{
    const char *match = find(text, needle);
    if (!match || !*needle)
        return NULL;
    PangoAttrList *attrs = pango_attr_list_new();
    PangoAttribute *bold = pango_attr_weight_new(PANGO_WEIGHT_BOLD);
    bold->start_index = (guint)(match - text);
    bold->end_index = bold->start_index + (guint)strlen(needle);
    pango_attr_list_insert(attrs, bold);
    return attrs;
}

int search_row_show(GtkWidget *row, gpointer item)
{
    const SearchHit *hit = rui_row_get(item);
    GtkWidget *place = gtk_widget_get_first_child(row), *text = gtk_widget_get_next_sibling(place);
    g_autofree char *step = rui_dup_number(hit->hit.step);
    // Translators: what a match is in ("Log"), and its step.
    g_autofree char *where = g_strdup_printf(_("%s · step %s"), search_hit_get_kind(hit->hit.kind), step);
    g_autofree char *shown = dup_around(hit->hit.text, find(hit->hit.text, hit->needle));
    PangoAttrList *attrs = list_bold(shown, hit->needle);
    rui_cell_set_text(RUI_CELL(place), where, NULL);
    rui_cell_set_text(RUI_CELL(text), shown, attrs);
    g_clear_pointer(&attrs, pango_attr_list_unref);
    return 0;
}
