// SPDX-License-Identifier: MIT
#include "rui-story-strip.h"

#include "rui-request.h"
#include "rui-words.h"
#include "rw-session-sides.h"
#include "rw-session-story.h"

#include <glib/gi18n.h>

struct _RuiStoryStrip {
    GtkBox parent_instance;
    // template
    GtkImage *icon;
    GtkLabel *what, *words_text, *parts_text, *lines_text;
    GtkWidget *words, *parting, *parts, *lines, *find, *close;
    // owned
    RuiView *view;
    RuiRequest *request, *finding; // finding: of the twin's sides
    RwStory *story; // of the run that is open; NULL: not known
    gboolean shown;
};

enum { PROP_0, PROP_SHOWN, N_PROPS };

static GParamSpec *props[N_PROPS];
static guint compare_signal;

G_DEFINE_FINAL_TYPE(RuiStoryStrip, rui_story_strip, GTK_TYPE_BOX)

static void rui_story_strip_dispose(GObject *object)
{
    RuiStoryStrip *strip = RUI_STORY_STRIP(object);
    g_clear_pointer(&strip->request, rui_request_free);
    g_clear_pointer(&strip->finding, rui_request_free);
    g_clear_object(&strip->view);
    g_clear_pointer(&strip->story, rw_story_free);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_STORY_STRIP);
    G_OBJECT_CLASS(rui_story_strip_parent_class)->dispose(object);
}

static void rui_story_strip_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    g_value_set_boolean(value, RUI_STORY_STRIP(object)->shown);
}

static void rui_story_strip_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    rui_story_strip_set_shown(RUI_STORY_STRIP(object), g_value_get_boolean(value));
}

#define BIND(field) gtk_widget_class_bind_template_child(widget_class, RuiStoryStrip, field)

static void rui_story_strip_class_init(RuiStoryStripClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_story_strip_dispose;
    G_OBJECT_CLASS(class)->get_property = rui_story_strip_get_property;
    G_OBJECT_CLASS(class)->set_property = rui_story_strip_set_property;
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-story-strip.ui");
    BIND(icon);
    BIND(what);
    BIND(words);
    BIND(words_text);
    BIND(parting);
    BIND(parts);
    BIND(parts_text);
    BIND(lines);
    BIND(lines_text);
    BIND(find);
    BIND(close);
    props[PROP_SHOWN] =
        g_param_spec_boolean("shown", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY);
    g_object_class_install_properties(G_OBJECT_CLASS(class), N_PROPS, props);
    compare_signal = g_signal_new("compare", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

// ---- Saying it ----

static void show_text(GtkWidget *button, GtkLabel *label, const char *text)
{
    gtk_widget_set_visible(button, text != NULL);
    gtk_label_set_text(label, text ? text : "");
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, text ? text : "",
                                   -1);
}

// Of a link its words are cut where there is no room: the pointer finds all of them.
static void show_link(GtkWidget *button, GtkLabel *label, const char *text)
{
    show_text(button, label, text);
    gtk_widget_set_tooltip_text(button, text);
}

static char *dup_orders(const RwStory *story)
{
    if (story->orders < 2)
        return g_strdup(_("Passed"));
    g_autofree char *orders = rui_dup_number(story->orders), *failed = rui_dup_number(story->failed);
    // Translators: how many runs of one job there are, under as many orders of its threads, and how many
    // failed.
    return g_strdup_printf(_("Passed · ran under %s orders, %s failed"), orders, failed);
}

static char *dup_what(RuiStoryStrip *strip)
{
    const RwCulprit *culprit = &strip->story->culprit;
    RwRunItem *item = rw_session_run_get_item(rui_view_get_run(strip->view));
    if (strip->story->passed)
        return dup_orders(strip->story);
    if (!culprit->pid || !culprit->program)
        return rui_dup_ending(item);
    RwEnd end = {.job_exited = true, .job_status = culprit->status};
    g_autofree char *how = rui_dup_end(&end);
    // Translators: a program, and how it ended: "./bank: exited with 1"
    return g_strdup_printf(_("%s: %s"), culprit->program, how);
}

static char *dup_words(const RwCulprit *culprit)
{
    g_autofree char *step = rui_dup_number(culprit->line_step);
    if (!culprit->line)
        return NULL;
    // Translators: the last line that a program wrote, and its step.
    return culprit->is_own ? g_strdup_printf(_("“%s” · step %s"), culprit->line, step)
                           : g_strdup_printf(_("The job wrote last: “%s” · step %s"), culprit->line, step);
}

static char *dup_parts(const RwStory *story)
{
    g_autofree char *step = rui_dup_number(story->parts);
    if (!story->twin)
        return NULL;
    if (!story->parts)
        return g_strdup(_("Compare with the last run that passed"));
    // Translators: the beginning of a run's id, and a step.
    return g_strdup_printf(_("Parts from run %.8s, which passed, at step %s"), story->twin, step);
}

static RwSession *get_session(RuiStoryStrip *strip)
{
    return rw_session_run_get_session(rui_view_get_run(strip->view));
}

// What is held back to make a run pass is held in the run that passes; until then both are the same.
static gboolean is_held_in_twin(RuiStoryStrip *strip)
{
    RwSessionRun *run = rui_view_get_run(strip->view);
    const RwSchedule *schedule = run ? &rw_session_run_get_manifest(run)->inputs->schedule : NULL;
    return schedule && !schedule->n_holds && !schedule->n_faults && strip->story && strip->story->twin;
}

static const RwSides *get_sides(RuiStoryStrip *strip)
{
    RwSessionRun *run = rui_view_get_run(strip->view);
    if (is_held_in_twin(strip))
        return rw_session_get_sides(get_session(strip), strip->story->twin);
    return run ? rw_session_run_get_sides(run) : NULL;
}

// Both lines of code, as far as they are known, one below the other; what else decides the pointer finds.
static void show_lines(RuiStoryStrip *strip)
{
    const RwSides *sides = get_sides(strip);
    g_autofree char *all = sides ? rui_dup_all_sides(sides) : NULL;
    g_auto(GStrv) lines = all ? g_strsplit(all, "\n", 3) : NULL;
    g_autofree char *both = NULL;
    if (lines && lines[0])
        both = lines[1] ? g_strdup_printf("%s\n%s", lines[0], lines[1]) : g_strdup(lines[0]);
    show_link(strip->lines, strip->lines_text, both);
    if (all)
        gtk_widget_set_tooltip_text(strip->lines, all);
}

// Where a search was cancelled it goes on.
static void show_find(RuiStoryStrip *strip, gboolean shown)
{
    guint tried = strip->story->tried;
    g_autofree char *number = rui_dup_number(tried);
    // Translators: of a search that was cancelled; how many orders of threads it had tried.
    g_autofree char *resume =
        g_strdup_printf(ngettext("Goes on: %s order of its threads was tried",
                                 "Goes on: %s orders of its threads were tried", tried),
                        number);
    gtk_widget_set_visible(strip->find, shown);
    gtk_button_set_label(GTK_BUTTON(strip->find),
                         tried ? _("Resume Finding a _Passing Order") : _("Find a _Passing Order"));
    gtk_widget_set_tooltip_text(
        strip->find, tried ? resume : _("Runs the job again in other orders of its threads: one may pass"));
}

static void show(RuiStoryStrip *strip)
{
    const RwStory *story = strip->story;
    gboolean failed = story && !story->passed;
    gtk_widget_set_visible(GTK_WIDGET(strip), story && strip->shown);
    if (!story)
        return;
    g_autofree char *what = dup_what(strip), *words = failed ? dup_words(&story->culprit) : NULL;
    g_autofree char *parts = failed ? dup_parts(story) : NULL;
    gtk_image_set_from_icon_name(strip->icon, failed ? "dialog-error-symbolic" : "emblem-ok-symbolic");
    (failed ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(GTK_WIDGET(strip->icon), "error");
    gtk_label_set_text(strip->what, what);
    gtk_widget_set_tooltip_text(GTK_WIDGET(strip->what), what);
    show_link(strip->words, strip->words_text, words);
    show_text(strip->parts, strip->parts_text, parts);
    show_find(strip, failed && !parts);
    gtk_widget_set_visible(strip->parting, failed);
    show_lines(strip);
}

// ---- Links ----

static void on_words(RuiStoryStrip *strip)
{
    rui_view_jump(strip->view, strip->story->culprit.line_step);
}

static void on_parts(RuiStoryStrip *strip)
{
    if (!rui_view_get_compared(strip->view))
        g_signal_emit(strip, compare_signal, 0, strip->story->twin);
    if (strip->story->parts)
        rui_view_jump(strip->view, strip->story->parts);
}

static void on_lines(RuiStoryStrip *strip)
{
    const RwSides *sides = get_sides(strip);
    if (sides && sides->answers->len)
        rui_view_jump(strip->view, ((const RwHoldAnswer *)sides->answers->pdata[0])->step);
}

static void on_close(RuiStoryStrip *strip)
{
    rui_story_strip_set_shown(strip, FALSE);
}

void rui_story_strip_set_shown(RuiStoryStrip *strip, gboolean shown)
{
    if (shown == strip->shown)
        return;
    strip->shown = shown;
    show(strip);
    g_object_notify_by_pspec(G_OBJECT(strip), props[PROP_SHOWN]);
}

gboolean rui_story_strip_get_shown(RuiStoryStrip *strip)
{
    return strip->shown;
}

// ---- Following the run ----

// What cannot be found out is not said.
static void on_found(GObject *source, GAsyncResult *result, gpointer data)
{
    rw_session_find_sides_finish(RW_SESSION(source), result, NULL);
    RuiStoryStrip *strip = rui_request_done(data);
    if (strip && strip->story)
        show_lines(strip);
}

static void ask_twin(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiStoryStrip *strip = owner;
    if (is_held_in_twin(strip))
        rw_session_find_sides_async(get_session(strip), strip->story->twin, cancellable, on_found, request);
    else
        rui_request_done(request);
}

static void on_told(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(RwStory) story = rw_session_run_tell_story_finish(RW_SESSION_RUN(source), result, NULL);
    RuiStoryStrip *strip = rui_request_done(data);
    if (!strip || RW_SESSION_RUN(source) != rui_view_get_run(strip->view))
        return;
    g_clear_pointer(&strip->story, rw_story_free);
    strip->story = g_steal_pointer(&story);
    show(strip);
    if (is_held_in_twin(strip) && !get_sides(strip))
        rui_request_start(strip->finding);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiStoryStrip *strip = owner;
    const RwRunIndex *index = rui_view_get_index(strip->view);
    const RwCulprit *culprit = index ? rw_run_index_get_culprit(index) : NULL;
    rw_session_run_tell_story_async(rui_view_get_run(strip->view), culprit, cancellable, on_told, request);
}

static void on_index(RuiStoryStrip *strip)
{
    if (rui_view_get_index(strip->view))
        rui_request_start(strip->request);
}

void rui_story_strip_tell_again(RuiStoryStrip *strip)
{
    on_index(strip);
}

static void on_run(RuiStoryStrip *strip)
{
    g_clear_pointer(&strip->story, rw_story_free);
    show(strip);
    on_index(strip);
}

static void on_sides(RuiStoryStrip *strip)
{
    if (strip->story)
        show_lines(strip);
}

static void rui_story_strip_init(RuiStoryStrip *strip)
{
    gtk_widget_init_template(GTK_WIDGET(strip));
    strip->shown = TRUE;
    strip->request = rui_request_new(strip, ask);
    strip->finding = rui_request_new(strip, ask_twin);
    g_signal_connect_swapped(strip->words, "clicked", G_CALLBACK(on_words), strip);
    g_signal_connect_swapped(strip->parts, "clicked", G_CALLBACK(on_parts), strip);
    g_signal_connect_swapped(strip->lines, "clicked", G_CALLBACK(on_lines), strip);
    g_signal_connect_swapped(strip->close, "clicked", G_CALLBACK(on_close), strip);
}

void rui_story_strip_set_view(RuiStoryStrip *strip, RuiView *view)
{
    g_set_object(&strip->view, view);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(on_run), strip, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::index", G_CALLBACK(on_index), strip, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::sides", G_CALLBACK(on_sides), strip, G_CONNECT_SWAPPED);
}
