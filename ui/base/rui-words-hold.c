// SPDX-License-Identifier: MIT
//
// Holds and faults in the user's language: by the schedule's own places, and by the programs' lines once
// these are known, in the command's words.
#include "rui-words.h"

#include <glib/gi18n.h>

// ---- By their places ----

static char *dup_place(const RwPlaceParts *parts)
{
    switch (parts->kind) {
    case RW_PLACE_START:
        return g_strdup(_("at its start"));
    case RW_PLACE_END:
        return g_strdup(_("at its end"));
    case RW_PLACE_CALL:
    case RW_PLACE_AT:
        // Translators: a system call or an address.
        return g_strdup_printf(_("before %s"), parts->shown.at);
    case RW_PLACE_WITHIN:
        // Translators: an address: an instruction has read, and not written.
        return g_strdup_printf(_("within %s"), parts->shown.at);
    case RW_PLACE_UNSEEN:
        // Translators: an address: an instruction has written, and the others do not see it yet.
        return g_strdup_printf(_("behind %s, unseen"), parts->shown.at);
    default:
        // Translators: a system call or an address.
        return g_strdup_printf(_("after %s"), parts->shown.at);
    }
}

static char *dup_place_and_time(const RwPlace *place, char **ret_task)
{
    g_auto(RwPlaceParts) parts = {0};
    rw_place_parts_init(&parts, place, NULL);
    g_autofree char *text = dup_place(&parts), *nth = rui_dup_number(parts.nth);
    *ret_task = rw_task_name_dup_text(&place->task);
    // Translators: where in a program, and the how manieth time it is there.
    return parts.nth > 1 ? g_strdup_printf(_("%s (time %s)"), text, nth) : g_steal_pointer(&text);
}

static char *dup_time(guint64 ns)
{
    // Translators: a time in virtual milliseconds.
    return g_strdup_printf(_("%.1f ms"), (double)ns / 1e6);
}

char *rui_dup_hold(const RwHold *hold)
{
    g_autofree char *task = NULL, *other = NULL, *passed = NULL;
    if (rw_hold_is_of_others(hold))
        return g_strdup(_("all other tasks wait at their start until nothing else can run"));
    g_autofree char *place = dup_place_and_time(&hold->place, &task), *limit = dup_time(hold->limit_ns);
    switch (hold->until) {
    case RW_UNTIL_PASSED:
        passed = dup_place_and_time(&hold->passed, &other);
        // Translators: "task 1.2 waits before write() until task 1.3 is after read()"
        return g_strdup_printf(_("task %s waits %s until task %s is %s"), task, place, other, passed);
    case RW_UNTIL_IDLE:
        // Translators: "task 1.2 waits before write() until nothing else can run"
        return g_strdup_printf(_("task %s waits %s until nothing else can run"), task, place);
    default:
        // Translators: "task 1.2 waits before write() for 80 ms"
        return g_strdup_printf(_("task %s waits %s for %s"), task, place, limit);
    }
}

char *rui_dup_fault(const RwFault *fault)
{
    g_autofree char *task = NULL, *amount = rui_dup_number(fault->amount);
    g_autofree char *place = dup_place_and_time(&fault->place, &task);
    const char *name = rw_errno_name(fault->amount);
    switch (fault->kind) {
    case RW_FAULT_SHORT:
        // Translators: "task 1.2 before read(): at most 1 bytes"
        return g_strdup_printf(_("task %s %s: at most %s bytes"), task, place, amount);
    case RW_FAULT_WAKE:
        // Translators: "task 1.2 before futex(): a spurious wake-up"
        return g_strdup_printf(_("task %s %s: a spurious wake-up"), task, place);
    case RW_FAULT_ERROR:
        // Translators: "task 1.2 before write(): the error ENOSPC"
        return g_strdup_printf(_("task %s %s: the error %s"), task, place, name ? name : amount);
    default:
        // Translators: "task 1.2 before getdents64(): the entries in reverse order"
        return g_strdup_printf(_("task %s %s: the entries in reverse order"), task, place);
    }
}

// ---- By the programs' lines ----

typedef struct {
    const RwHoldSide *side;
    const RwExplainedSide *explained;
    gboolean brief; // without what explains the place
} Side;

static char *dup_who(const Side *which)
{
    const RwHoldSide *side = which->side;
    const char *known = rw_explained_program(which->explained, side);
    g_autofree char *name = rw_task_name_dup_text(&side->place.task);
    g_autofree char *program = known ? rw_without_controls(g_utf8_make_valid(known, -1)) : NULL;
    g_autofree char *thread = rui_dup_number(side->thread);
    if (!program)
        // Translators: a task's name, such as 1.2.
        return g_strdup_printf(_("task %s"), name);
    // Translators: a thread's number and its program: "thread 2 of ./bank"
    return side->thread ? g_strdup_printf(_("thread %s of %s"), thread, program)
                        : g_strdup_printf("%s (%s)", program, name);
}

// ---- Places ----

static char *dup_shown(const RwPlaceParts *parts, gboolean brief)
{
    const RwSymbolParts *shown = &parts->shown;
    if (parts->bare && parts->kind == RW_PLACE_START)
        return g_strdup(_("its start"));
    if (parts->bare && parts->kind == RW_PLACE_END)
        return g_strdup(_("its end"));
    if (shown->of)
        // Translators: a function and its file: "transfer+0x1c of bank"
        return g_strdup_printf(_("%s of %s"), shown->at, shown->of);
    return shown->text && !brief ? g_strdup_printf("%s   %s", shown->at, shown->text) : g_strdup(shown->at);
}

static char *dup_nth(guint nth)
{
    // Translators: what is behind a number that counts times: 1st, 2nd, 3rd, 4th.
    static const char *const endings[] = {NC_("ordinal", "st"), NC_("ordinal", "nd"), NC_("ordinal", "rd"),
                                          NC_("ordinal", "th")};
    const char *ending = rw_nth_ending(nth);
    g_autofree char *number = rui_dup_number(nth);
    for (guint i = 0; i < G_N_ELEMENTS(endings); i++)
        if (!strcmp(ending, endings[i]))
            ending = g_dpgettext2(NULL, "ordinal", endings[i]);
    // Translators: "10th time", the number and its ending.
    return g_strdup_printf(_("%s%s time"), number, ending);
}

static char *dup_inside(const RwPlaceParts *parts)
{
    if (parts->call && parts->callee)
        // Translators: a system call in a function: "write() in flush"
        return g_strdup_printf(_("%s in %s"), parts->call, parts->callee);
    // Translators: a function: "in pthread_mutex_lock"
    return g_strdup_printf(_("in %s"), parts->call ? parts->call : parts->callee);
}

static void add_notes(GPtrArray *notes, const RwPlaceParts *parts)
{
    g_autofree char *further = rui_dup_number(parts->further);
    if (parts->call || parts->callee)
        g_ptr_array_add(notes, dup_inside(parts));
    if (parts->further)
        g_ptr_array_add(notes, g_strdup_printf(g_dngettext(NULL, "%s instruction on", "%s instructions on",
                                                           parts->further),
                                               further));
    if (parts->caller)
        // Translators: a function.
        g_ptr_array_add(notes, g_strdup_printf(_("called by %s"), parts->caller));
}

// "bank.c:57   balance = after;   (10th time, in pthread_mutex_lock, called by book)"
static char *dup_what(const Side *which)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_auto(RwPlaceParts) parts = {0};
    rw_place_parts_init(&parts, &which->side->place, which->explained);
    g_autofree char *shown = dup_shown(&parts, which->brief);
    if (parts.nth > 1)
        g_ptr_array_add(notes, dup_nth(parts.nth));
    if (!which->brief)
        add_notes(notes, &parts);
    if (!notes->len)
        return g_steal_pointer(&shown);
    g_ptr_array_add(notes, NULL);
    g_autofree char *text = g_strjoinv(", ", (char **)notes->pdata);
    return g_strdup_printf(which->brief ? "%s (%s)" : "%s   (%s)", shown, text);
}

// Where it waits, as a part of a sentence.
static char *dup_where(const Side *which)
{
    const RwPlace *place = &which->side->place;
    g_autofree char *what = dup_what(which);
    switch (place->kind) {
    case RW_PLACE_WITHIN:
        // Translators: a line of source or an address: an instruction has read, and not written.
        return g_strdup_printf(_("within %s, which had read and not written"), what);
    case RW_PLACE_UNSEEN:
        // Translators: the same: it has written, and the others do not see it yet.
        return g_strdup_printf(_("after %s, which others had not seen"), what);
    default:
        return g_strdup_printf(rw_place_is_behind(place) ? _("after %s") : _("before %s"), what);
    }
}

// What the other has done by then, behind its name.
static char *dup_passed(const Side *which)
{
    const RwPlace *place = &which->side->place;
    const RwSymbol *shown = rw_explained_shown(which->explained);
    g_autofree char *what = dup_what(which);
    if (place->kind != RW_PLACE_END)
        // Translators: "until: thread 2 of ./bank had passed bank.c:49", "… began bank.c:49"
        return g_strdup_printf(rw_place_is_behind(place) ? _("had passed %s") : _("began %s"), what);
    // Translators: "until: ./waiter (1.2) had ended by waiter.c:12"
    return shown && shown->line ? g_strdup_printf(_("had ended by %s"), what) : g_strdup(_("had ended"));
}

// ---- Times ----

static char *dup_about(guint64 ns)
{
    double ms = (double)ns / 1e6;
    // Translators: times in virtual seconds and milliseconds.
    return ms >= 1000 ? g_strdup_printf(_("%.3g s"), ms / 1000) : g_strdup_printf(_("%.3g ms"), ms);
}

static gboolean is_late(const RwHoldAnswer *answer)
{
    return answer->hold.until == RW_UNTIL_TIME && !answer->held.timer;
}

static char *dup_late(const RwHoldAnswer *answer, const Side *held)
{
    g_autofree char *who = dup_who(held), *where = dup_where(held),
                    *time = dup_about(answer->hold.limit_ns);
    // Translators: "./server (1.2) was 80 ms late before server.c:12"
    return g_strdup_printf(_("%s was %s late %s"), who, time, where);
}

// ---- Rare answers ----

static char *dup_given(const RwHoldAnswer *answer)
{
    const RwFault *fault = &answer->fault;
    const char *name = rw_errno_name(fault->amount);
    g_autofree char *amount = rui_dup_number(fault->amount), *length = rui_dup_number(answer->length);
    switch (fault->kind) {
    case RW_FAULT_SHORT:
        // Translators: what a system call did: it gave fewer bytes than it was asked for.
        return g_strdup_printf(
            g_dngettext(NULL, "gave %s byte of %s", "gave %s bytes of %s", fault->amount), amount, length);
    case RW_FAULT_WAKE:
        // Translators: what a system call did.
        return g_strdup(_("returned, and nobody had woken it"));
    case RW_FAULT_ERROR:
        // Translators: what a system call did; a name such as ENOSPC, or a number.
        return g_strdup_printf(_("failed with %s"), name ? name : amount);
    default:
        // Translators: what a system call did.
        return g_strdup(_("gave its entries in reverse order"));
    }
}

static char *dup_struck(const RwHoldAnswer *answer, const Side *struck)
{
    g_autofree char *who = dup_who(struck), *what = dup_what(struck), *given = dup_given(answer);
    // Translators: a thread, its place, and what its system call did there.
    return struck->brief ? g_strdup_printf(_("%s at %s: it %s"), who, what, given)
                         : g_strdup_printf(_("fault: %s at %s\nit %s"), who, what, given);
}

// ---- Holds ----

static char *dup_until(const RwHoldAnswer *answer, const Side *passed)
{
    if (answer->hold.until == RW_UNTIL_TIME) {
        g_autofree char *time = dup_about(answer->hold.limit_ns);
        return g_strdup_printf(_("until: its timer was due %s later"), time);
    }
    if (answer->hold.until == RW_UNTIL_IDLE)
        return g_strdup(rw_hold_is_of_others(&answer->hold)
                            ? _("until: nothing else could run, then one by one")
                        : answer->hold.again ? _("until: nothing else could run, again and again")
                                             : _("until: nothing else could run"));
    g_autofree char *who = dup_who(passed), *done = dup_passed(passed);
    // Translators: a thread, and what it had done: "until: thread 2 of ./bank had passed bank.c:49"
    return g_strdup_printf(_("until: %s %s"), who, done);
}

static void add_taken(GString *text, const Side *which)
{
    if (!which->side->took)
        return;
    g_autofree char *who = dup_who(which), *signal = rw_signal_dup_name(which->side->took);
    g_string_append_c(text, '\n');
    // Translators: a thread and a signal, such as SIGALRM.
    g_string_append_printf(text, _("then: %s took %s there"), who, signal);
}

static char *dup_lines(const RwHoldAnswer *answer, const Side *held, const Side *passed)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *until = dup_until(answer, passed);
    if (rw_hold_is_of_others(&answer->hold)) {
        g_string_append(text, _("held: all others as they began"));
    } else {
        g_autofree char *who = dup_who(held), *where = dup_where(held);
        // Translators: a thread, and where it was held: "held: thread 3 of ./bank before bank.c:57"
        g_string_append_printf(text, _("held: %s %s"), who, where);
    }
    g_string_append_printf(text, "\n%s", until);
    add_taken(text, held);
    add_taken(text, passed);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static char *dup_brief(const RwHoldAnswer *answer, const Side *held, const Side *passed)
{
    const RwHold *hold = &answer->hold;
    if (rw_hold_is_of_others(hold))
        return rui_dup_hold(hold);
    g_autofree char *who = dup_who(held), *where = dup_where(held), *time = dup_about(hold->limit_ns);
    if (hold->until == RW_UNTIL_IDLE)
        // Translators: "thread 3 of ./bank held before bank.c:57 until nothing else could run"
        return g_strdup_printf(_("%s held %s until nothing else could run"), who, where);
    if (hold->until == RW_UNTIL_TIME)
        // Translators: "./sampler (1) held before sampler.c:12 for 80 ms"
        return g_strdup_printf(_("%s held %s for %s"), who, where, time);
    g_autofree char *other = dup_who(passed), *done = dup_passed(passed);
    // Translators: "thread 3 of ./bank held before bank.c:57 until thread 2 of ./bank had passed bank.c:49"
    return g_strdup_printf(_("%s held %s until %s %s"), who, where, other, done);
}

static char *dup_answer(const RwHoldAnswer *answer, const RwExplained *explained, gboolean brief)
{
    Side held = {&answer->held, &explained->held, brief},
         passed = {&answer->passed, &explained->passed, brief};
    if (answer->is_fault)
        return dup_struck(answer, &held);
    if (is_late(answer))
        return dup_late(answer, &held);
    return brief ? dup_brief(answer, &held, &passed) : dup_lines(answer, &held, &passed);
}

char *rui_dup_sides(const RwSides *sides, RuiHeld held, gboolean brief)
{
    const RwHoldAnswer *answer;
    const RwExplained *explained;
    if (sides && rw_sides_find(sides, held.fault, held.index, &answer, &explained))
        return dup_answer(answer, explained, brief);
    return held.fault ? rui_dup_fault(&held.schedule->faults[held.index])
                      : rui_dup_hold(&held.schedule->holds[held.index]);
}

char *rui_dup_all_sides(const RwSides *sides)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < sides->answers->len; i++)
        g_ptr_array_add(lines, dup_answer(sides->answers->pdata[i], sides->explained->pdata[i], FALSE));
    g_ptr_array_add(lines, NULL);
    return lines->len > 1 ? g_strjoinv("\n", (char **)lines->pdata) : NULL;
}
