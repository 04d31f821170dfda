// SPDX-License-Identifier: MIT
#include "check-cell.h"

#include "rui-words.h"

#include <glib/gi18n.h>
#include <sys/wait.h>

GtkWidget *check_cell_new(guint number)
{
    g_autofree char *label = g_strdup_printf("%u", number);
    GtkWidget *button = gtk_button_new_with_label(label);
    gtk_widget_add_css_class(button, "check-cell");
    return button;
}

static char *dup_state(const RwCheckCell *cell, double fraction)
{
    g_autofree char *end = NULL;
    if (cell->state == RW_CELL_PENDING)
        // Translators: how far a run is that is being recorded.
        return fraction > 0 ? g_strdup_printf(_("running, %d %%"), (int)(fraction * 100))
                            : g_strdup(_("waiting"));
    end = rui_dup_end(&cell->end);
    // Translators: how a run ended, and that the run that is checked ended another way.
    g_autofree char *all = cell->state == RW_CELL_DIFFERS ? g_strdup_printf(_("%s, unlike this run"), end)
                                                          : g_steal_pointer(&end);
    // Translators: how a run ended; it can not be opened, since it is not in the store.
    return cell->ref ? g_steal_pointer(&all) : g_strdup_printf(_("%s; not kept"), all);
}

// The job did not end by itself: killed by a signal, stalled, timed out.
static gboolean is_odd(const RwEnd *end)
{
    return !end->job_exited || !WIFEXITED(end->job_status);
}

static void set_class(GtkWidget *widget, const char *class, gboolean has)
{
    if (has)
        gtk_widget_add_css_class(widget, class);
    else
        gtk_widget_remove_css_class(widget, class);
}

static void describe(GtkWidget *button, const char *text, const RwSides *sides)
{
    g_autofree char *lines = sides ? rui_dup_all_sides(sides) : NULL;
    g_autofree char *all = lines ? g_strdup_printf("%s\n%s", text, lines) : NULL;
    gtk_widget_set_tooltip_text(button, all ? all : text);
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, lines ? lines : "", -1);
}

void check_cell_show(GtkWidget *button, const RwCheckCell *cell, double fraction, const RwSides *sides)
{
    gboolean pending = cell->state == RW_CELL_PENDING;
    gboolean passed = !pending && rw_end_exit_status(&cell->end) == 0;
    g_autofree char *number = rui_dup_number(cell->schedule), *state = dup_state(cell, fraction);
    // Translators: a schedule's number and how its run ended.
    g_autofree char *text = g_strdup_printf(_("Schedule %s: %s"), number, state);
    describe(button, text, sides);
    set_class(button, "passed", passed);
    gboolean odd = !pending && is_odd(&cell->end);
    set_class(button, "failed", !pending && !passed && !odd);
    set_class(button, "odd", odd);
    set_class(button, "differs", cell->state == RW_CELL_DIFFERS);
    set_class(button, "waiting", pending && fraction <= 0);
    set_class(button, "running", pending && fraction > 0);
    gtk_widget_set_sensitive(button, cell->ref != NULL);
}
