// SPDX-License-Identifier: MIT
#include "compare-row.h"

#include "rui-cell.h"

#include <glib/gi18n.h>

// ---- Making ----

static GtkWidget *new_side(void)
{
    GtkWidget *side = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(side), rui_cell_new(0, PANGO_ELLIPSIZE_END, 3));
    gtk_box_append(GTK_BOX(side), rui_cell_new(0, PANGO_ELLIPSIZE_END, 3));
    gtk_widget_add_css_class(side, "event");
    return side;
}

GtkWidget *compare_row_new(void)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, COMPARE_GUTTER);
    gtk_box_set_homogeneous(GTK_BOX(row), TRUE);
    gtk_box_append(GTK_BOX(row), new_side());
    gtk_box_append(GTK_BOX(row), new_side());
    return row;
}

// ---- Showing ----

typedef struct {
    RwSessionComparison *comparison;
    RwEventPair *pair;
    RwEventSide side;
    gboolean here;
    const char *label; // before all else; NULL: none
} Side;

static void set_class(GtkWidget *widget, const char *class, gboolean has)
{
    if (has)
        gtk_widget_add_css_class(widget, class);
    else
        gtk_widget_remove_css_class(widget, class);
}

// Where the other run has the same event: "there: 331"; NULL: it does not, or beside it.
static char *dup_elsewhere(const Side *side)
{
    guint row = rw_event_pair_get_elsewhere(side->pair, side->side);
    RwEventSide other = side->side == RW_EVENT_LEFT ? RW_EVENT_RIGHT : RW_EVENT_LEFT;
    g_autoptr(RwEventPair) pair =
        row == RW_EVENT_NOWHERE
            ? NULL
            : g_list_model_get_item(rw_session_comparison_get_pairs(side->comparison), row);
    RwEventItem *event = pair ? rw_event_pair_get_event(pair, other) : NULL;
    if (!event)
        return NULL;
    return other == RW_EVENT_RIGHT
               // Translators: the step at which the compared run did the same, earlier or later among the
               // others.
               ? g_strdup_printf(_("there: %s"), rw_event_item_get_place(event))
               // Translators: the step at which this run did the same, earlier or later among the others.
               : g_strdup_printf(_("here: %s"), rw_event_item_get_place(event));
}

static char *dup_who(const Side *side, RwEventItem *event)
{
    const char *program = rw_event_pair_get_program(side->pair, side->side);
    g_autofree char *elsewhere = dup_elsewhere(side);
    return g_strdup_printf("%s%s%s%s  %u/%u  %s%s%s", side->here ? "▸ " : "",
                           side->label ? side->label : "", side->label ? " · " : "",
                           rw_event_item_get_place(event), rw_event_item_get_pid(event),
                           rw_event_item_get_tid(event), program ? program : "", elsewhere ? "  ⇄ " : "",
                           elsewhere ? elsewhere : "");
}

static gboolean has_failed(RwSessionRun *run)
{
    return rw_run_item_get_verdict(rw_session_run_get_item(run)) == RW_VERDICT_FAILED;
}

// What one run alone did is toned as the run ended; where both ended alike neither is the better one.
static const char *get_tone(const Side *side)
{
    gboolean left = has_failed(rw_session_comparison_get_left(side->comparison));
    gboolean right = has_failed(rw_session_comparison_get_right(side->comparison));
    if (left == right)
        return "alike";
    return (side->side == RW_EVENT_LEFT ? left : right) ? "fails" : "passes";
}

static void show_side(GtkWidget *widget, const Side *side)
{
    static const char *const tones[] = {"alike", "fails", "passes"};
    RwEventItem *event = rw_event_pair_get_event(side->pair, side->side);
    GtkWidget *place = gtk_widget_get_first_child(widget);
    g_autofree char *who = event ? dup_who(side, event) : g_strdup("");
    rui_cell_set_text(RUI_CELL(place), who, NULL);
    rui_cell_set_text(RUI_CELL(gtk_widget_get_next_sibling(place)),
                      event ? rw_event_item_get_text(event) : "", NULL);
    gboolean moved = rw_event_pair_get_elsewhere(side->pair, side->side) != RW_EVENT_NOWHERE;
    gboolean alone = event && !rw_event_pair_is_same(side->pair) && !moved;
    set_class(widget, "moved", moved);
    set_class(widget, "differs", alone);
    for (guint i = 0; i < G_N_ELEMENTS(tones); i++)
        set_class(widget, tones[i], alone && !strcmp(tones[i], get_tone(side)));
}

void compare_row_show(GtkWidget *row, RwSessionComparison *comparison, RwEventPair *pair, gboolean here)
{
    GtkWidget *left = gtk_widget_get_first_child(row);
    gtk_widget_set_visible(gtk_widget_get_next_sibling(left), TRUE);
    show_side(left, &(Side){comparison, pair, RW_EVENT_LEFT, here, NULL});
    show_side(gtk_widget_get_next_sibling(left), &(Side){comparison, pair, RW_EVENT_RIGHT, FALSE, NULL});
    set_class(row, "here", here);
}

static const char *get_label(CompareLine *line)
{
    if (compare_line_is_both(line))
        return _("Both");
    // Translators: of an event that only one of two runs has, or has at this place.
    return compare_line_get_side(line) == RW_EVENT_LEFT ? _("Here") : _("There");
}

void compare_row_show_line(GtkWidget *row, RwSessionComparison *comparison, CompareLine *line,
                           gboolean here)
{
    GtkWidget *left = gtk_widget_get_first_child(row);
    RwEventSide side = compare_line_get_side(line);
    gboolean own = here && side == RW_EVENT_LEFT;
    gtk_widget_set_visible(gtk_widget_get_next_sibling(left), FALSE);
    show_side(left, &(Side){comparison, compare_line_get_pair(line), side, own, get_label(line)});
    set_class(row, "here", own);
}
