// SPDX-License-Identifier: MIT
#include "rui-words.h"

#include <glib/gi18n.h>

char *rui_dup_number(guint64 number)
{
    return g_strdup_printf("%'" G_GUINT64_FORMAT, number);
}

// What languages put between groups of digits: a space of any width, a comma, a point, an apostrophe.
static gboolean is_separator(gunichar c)
{
    static const gunichar marks[] = {',', '.', '\'', '_', 0x2019, 0x066c};
    for (guint i = 0; i < G_N_ELEMENTS(marks); i++)
        if (c == marks[i])
            return TRUE;
    return g_unichar_isspace(c);
}

gboolean rui_parse_number(const char *text, guint64 most, guint64 *ret)
{
    g_autofree char *copy = g_strstrip(g_strdup(text));
    g_autoptr(GString) digits = g_string_new(NULL);
    gboolean separated = TRUE; // none at the start, none behind another
    for (const char *c = copy; *c; c = g_utf8_next_char(c)) {
        gunichar character = g_utf8_get_char(c);
        int digit = g_unichar_digit_value(character);
        if (digit < 0 && (separated || !is_separator(character)))
            return FALSE;
        separated = digit < 0;
        if (digit >= 0)
            g_string_append_c(digits, (char)('0' + digit));
    }
    return !separated && g_ascii_string_to_unsigned(digits->str, 10, 0, most, ret, NULL);
}

char *rui_dup_time(guint64 ticks)
{
    double seconds = (double)ticks / (double)REWIND_TSC_HZ;
    // Translators: seconds of virtual time.
    return g_strdup_printf(_("%.6f s"), seconds);
}

char *rui_dup_date(gint64 us)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(us / G_USEC_PER_SEC);
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    if (!time || !us)
        return g_strdup("");
    gboolean today = g_date_time_get_day_of_year(time) == g_date_time_get_day_of_year(now) &&
                     g_date_time_get_year(time) == g_date_time_get_year(now);
    // Translators: a date and a time of day, see strftime(3).
    return g_date_time_format(time, today ? _("today %H:%M") : _("%e %b %Y %H:%M"));
}

char *rui_dup_size(guint64 bytes)
{
    return g_format_size_full(bytes, G_FORMAT_SIZE_IEC_UNITS);
}

char *rui_dup_phase(const RwPhase *phase)
{
    if (phase->kind == RW_PHASE_BOOT)
        return g_strdup(_("Boot"));
    if (phase->kind == RW_PHASE_END)
        return g_strdup(_("End"));
    return g_strdup(phase->name ? phase->name : _("Job"));
}

char *rui_dup_step_kind(const RwStepInfo *step)
{
    static const char *const kinds[] = {
        [RW_STEP_RECORD] = N_("The guest reported an event"),
        [RW_STEP_CLOCK] = N_("The guest asked for the time"),
        [RW_STEP_TIMER_SET] = N_("The guest armed its timer"),
        [RW_STEP_STOP] = N_("The guest powered off"),
        [RW_STEP_INPUT] = N_("Init asked for its job"),
        [RW_STEP_IDLE] = N_("The machine was idle"),
        [RW_STEP_TIMER_DUE] = N_("The timer was due and interrupted the guest"),
        [RW_STEP_PREEMPT] = N_("The schedule interrupted the guest"),
        [RW_STEP_OTHER] = N_("The guest used a port that is nothing"),
        [RW_STEP_SYSCALL] = N_("A system call of the job returned"),
        [RW_STEP_HOLD] = N_("The schedule holds a task"),
        [RW_STEP_RELEASE] = N_("The schedule lets a held task go on"),
        [RW_STEP_FAULT] = N_("The schedule answers a system call"),
    };
    guint kind = step->kind;
    return g_strdup(kind < G_N_ELEMENTS(kinds) && kinds[kind] ? _(kinds[kind]) : _("A step"));
}

static void add_line(GString *text, char *line)
{
    g_string_append_printf(text, "%s%s", text->len ? "\n" : "", line);
    g_free(line);
}

static char *dup_amount(const RwPerturb *perturb, guint row)
{
    guint32 amount = rw_perturb_get_amount(perturb, row);
    // Translators: a time in virtual microseconds.
    return rw_perturbs[row].unit == RW_UNIT_NS ? g_strdup_printf(_("%.1f µs"), amount / 1e3)
                                               : rui_dup_number(amount);
}

// A trace may have any numbers.
static void add_sides(GString *text, RwSessionRun *run, gboolean fault, guint number)
{
    const RwSchedule *schedule = &rw_session_run_get_manifest(run)->inputs->schedule;
    RuiHeld held = {schedule, fault, number - 1};
    if (number && number <= (fault ? schedule->n_faults : schedule->n_holds))
        add_line(text, rui_dup_sides(rw_session_run_get_sides(run), held, FALSE));
}

char *rui_dup_perturbation(RwSessionRun *run, const RwPerturb *perturb)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint row = 0; row < RW_N_PERTURBS; row++) {
        if (!(perturb->kinds & rw_perturbs[row].bit))
            continue;
        g_autofree char *amount = dup_amount(perturb, row);
        g_autoptr(GString) line = g_string_new(_(rw_perturbs[row].title));
        g_string_replace(line, "%s", amount, 1);
        add_line(text, g_strdup(line->str));
    }
    add_sides(text, run, FALSE, perturb->release);
    add_sides(text, run, FALSE, perturb->hold);
    add_sides(text, run, TRUE, perturb->fault);
    return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

const char *rui_get_change(RwChangeKind kind)
{
    static const char *const names[] = {
        [RW_CHANGE_CREATED] = N_("created"),
        [RW_CHANGE_WRITTEN] = N_("written"),
        [RW_CHANGE_REMOVED] = N_("removed"),
        [RW_CHANGE_RENAMED] = N_("renamed"),
    };
    return _(names[kind]);
}

const char *rui_get_event_title(guint type)
{
    const char *title = rw_event_kind_title(type);
    return title ? _(title) : _("An event");
}

const char *rui_get_track(RwTrack track)
{
    static const char *const names[] = {
        [RW_TRACK_OUTPUT] = N_("Output"),   [RW_TRACK_PROCESS] = N_("Processes"),
        [RW_TRACK_FILE] = N_("Files"),      [RW_TRACK_SIGNAL] = N_("Signals"),
        [RW_TRACK_SWITCH] = N_("Switches"), [RW_TRACK_KERNEL] = N_("Kernel"),
    };
    return _(names[track]);
}

const char *rui_get_track_hint(RwTrack track)
{
    static const char *const hints[] = {
        [RW_TRACK_OUTPUT] = N_("What the job wrote to its output"),
        [RW_TRACK_PROCESS] = N_("Processes and threads that started or ended"),
        [RW_TRACK_FILE] = N_("Files that were written, removed or renamed"),
        [RW_TRACK_SIGNAL] = N_("Signals that were taken, and marks"),
        [RW_TRACK_SWITCH] = N_("The CPU going from thread to thread"),
        [RW_TRACK_KERNEL] = N_("Lines of the kernel’s log"),
    };
    return _(hints[track]);
}

const char *rui_get_stop(RwStopKind kind)
{
    static const char *const names[] = {
        [RW_STOP_EVENT] = N_("Every event"),
        [RW_STOP_THREAD] = N_("This thread"),
        [RW_STOP_PROCESS] = N_("This process"),
        [RW_STOP_KIND] = N_("This kind of event"),
        [RW_STOP_LOG] = N_("Log lines"),
        [RW_STOP_FILE] = N_("This file"),
        [RW_STOP_LIFE] = N_("Process start and end"),
        [RW_STOP_SWITCH] = N_("Switches of the CPU"),
        [RW_STOP_BOOKMARK] = N_("Bookmarks"),
    };
    return _(names[kind]);
}
