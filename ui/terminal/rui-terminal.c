// SPDX-License-Identifier: MIT
#include "terminal-private.h"

#include "rui-words.h"
#include "terminal-colors.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE(RuiTerminal, rui_terminal, GTK_TYPE_BOX)

enum { PROP_TITLE = 1 };

// Before the playhead follows gdb, which stops many times on the way to where it shows itself.
#define SETTLED_MS 100

static void rui_terminal_dispose(GObject *object)
{
    RuiTerminal *terminal = RUI_TERMINAL(object);
    g_clear_pointer(&terminal->status, terminal_status_free);
    g_clear_handle_id(&terminal->follow, g_source_remove);
    g_clear_object(&terminal->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_TERMINAL);
    g_clear_pointer(&terminal->run, g_free);
    g_clear_pointer(&terminal->title, g_free);
    g_clear_pointer(&terminal->link, g_free);
    G_OBJECT_CLASS(rui_terminal_parent_class)->dispose(object);
}

static void rui_terminal_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    g_value_set_string(value, RUI_TERMINAL(object)->title);
}

// ---- Where it is ----

static gboolean shows_its_run(RuiTerminal *terminal)
{
    RwSessionRun *run = rui_view_get_run(terminal->view);
    return run && !strcmp(rw_run_item_get_ref(rw_session_run_get_item(run)), terminal->run);
}

static void update_away(RuiTerminal *terminal)
{
    gboolean its_run = shows_its_run(terminal);
    gboolean away = !its_run || rui_view_get_step(terminal->view) != terminal->state.step;
    g_autofree char *step = rui_dup_number(terminal->state.step);
    g_autofree char *text =
        g_strdup_printf(its_run ? _("at step %s") : _("at step %s of another run"), step);
    gtk_label_set_text(terminal->where, text);
    gtk_widget_set_visible(terminal->away, away);
    gtk_widget_set_visible(terminal->bar, away || terminal->kind == RUI_TERMINAL_GDB);
}

static void update_title(RuiTerminal *terminal)
{
    g_autofree char *step = rui_dup_number(terminal->state.step);
    const char *what = terminal->kind == RUI_TERMINAL_GDB ? "gdb" : _("Shell");
    g_autofree char *title =
        terminal->state.pid ? g_strdup_printf(_("%s · step %s · pid %u"), what, step, terminal->state.pid)
                            : g_strdup_printf(_("%s · step %s"), what, step);
    if (!g_strcmp0(title, terminal->title))
        return;
    g_free(terminal->title);
    terminal->title = g_steal_pointer(&title);
    gtk_accessible_update_property(GTK_ACCESSIBLE(terminal->vte), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   terminal->title, -1);
    g_object_notify(G_OBJECT(terminal), "title");
}

static gboolean on_settled(gpointer data)
{
    RuiTerminal *terminal = data;
    terminal->follow = 0;
    if (!gtk_toggle_button_get_active(terminal->pin) && shows_its_run(terminal) &&
        rui_view_get_step(terminal->view) != terminal->state.step)
        rui_view_jump(terminal->view, terminal->state.step);
    return G_SOURCE_REMOVE;
}

void terminal_changed(RuiTerminal *terminal)
{
    g_clear_handle_id(&terminal->follow, g_source_remove);
    if (terminal->state.runs)
        return;
    update_title(terminal);
    update_away(terminal);
    if (terminal->kind == RUI_TERMINAL_GDB)
        terminal->follow = g_timeout_add(SETTLED_MS, on_settled, terminal);
}

static void do_go(GtkWidget *widget, const char *action, GVariant *parameter)
{
    RuiTerminal *terminal = RUI_TERMINAL(widget);
    gtk_widget_activate_action(widget, "win.go-there", "(st)", terminal->run, terminal->state.step);
}

// ---- gdb's words as buttons ----

static void do_say(GtkWidget *widget, const char *action, GVariant *parameter)
{
    RuiTerminal *terminal = RUI_TERMINAL(widget);
    // In place of what has been written in its line so far.
    g_autofree char *line = g_strdup_printf("\001\013%s\n", g_variant_get_string(parameter, NULL));
    vte_terminal_feed_child(terminal->vte, line, -1);
    gtk_widget_grab_focus(GTK_WIDGET(terminal->vte));
}

static void add_words(RuiTerminal *terminal)
{
    static const char *const words[] = {"step", "next", "finish", "continue"};
    for (guint i = 0; i < 2 * G_N_ELEMENTS(words); i++) {
        const char *word = words[i % G_N_ELEMENTS(words)];
        gboolean backwards = i < G_N_ELEMENTS(words);
        g_autofree char *command = backwards ? g_strconcat("reverse-", word, NULL) : g_strdup(word);
        GtkWidget *button = gtk_button_new_with_label(word);
        gtk_widget_set_tooltip_text(button, command);
        gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, command, -1);
        gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "terminal.say");
        gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "s", command);
        gtk_box_append(backwards ? terminal->backwards : terminal->forwards, button);
    }
}

// ---- Building ----

static void rui_terminal_class_init(RuiTerminalClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_terminal_dispose;
    G_OBJECT_CLASS(class)->get_property = rui_terminal_get_property;
    g_object_class_install_property(
        G_OBJECT_CLASS(class), PROP_TITLE,
        g_param_spec_string("title", NULL, NULL, NULL,
                            G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS));
    g_signal_new("ended", RUI_TYPE_TERMINAL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-terminal.ui");
#define BIND(field) gtk_widget_class_bind_template_child(widget_class, RuiTerminal, field)
    BIND(bar);
    BIND(debugger);
    BIND(away);
    BIND(backwards);
    BIND(forwards);
    BIND(pin);
    BIND(where);
    BIND(vte);
    BIND(menu);
    gtk_widget_class_install_action(widget_class, "terminal.go", NULL, do_go);
    gtk_widget_class_install_action(widget_class, "terminal.say", "s", do_say);
    terminal_class_install_menu(widget_class);
}

static void rui_terminal_init(RuiTerminal *terminal)
{
    gtk_widget_init_template(GTK_WIDGET(terminal));
    vte_terminal_set_size(terminal->vte, 20, 5); // what it needs at least; it gets more
    add_words(terminal);
    terminal_add_menu(terminal);
    terminal_follow_colors(terminal->vte);
}

RuiTerminal *rui_terminal_new(RuiView *view, RuiTerminalKind kind, const char *command, guint32 pid)
{
    RuiTerminal *terminal = g_object_new(RUI_TYPE_TERMINAL, NULL);
    terminal->view = g_object_ref(view);
    terminal->kind = kind;
    terminal->run = g_strdup(rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(view))));
    terminal->state.step = rui_view_get_step(view);
    gtk_widget_set_visible(terminal->debugger, kind == RUI_TERMINAL_GDB);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(update_away), terminal, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update_away), terminal, G_CONNECT_SWAPPED);
    update_title(terminal);
    update_away(terminal);
    terminal_start(terminal, command, pid);
    return terminal;
}

const char *rui_terminal_get_title(RuiTerminal *terminal)
{
    return terminal->title;
}

guint64 rui_terminal_get_step(RuiTerminal *terminal)
{
    return terminal->state.step;
}

gboolean rui_terminal_is_busy(RuiTerminal *terminal)
{
    return terminal->alive && terminal->state.runs;
}

VteTerminal *rui_terminal_get_vte(RuiTerminal *terminal)
{
    return terminal->vte;
}

GtkWidget *rui_terminal_get_away(RuiTerminal *terminal)
{
    return terminal->away;
}

GtkToggleButton *rui_terminal_get_pin(RuiTerminal *terminal)
{
    return terminal->pin;
}
