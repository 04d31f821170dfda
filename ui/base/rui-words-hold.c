// SPDX-License-Identifier: MIT
//
// Holds and faults in the user's language.
#include "rui-words.h"

#include "rw-place-words.h"

#include <glib/gi18n.h>

static char *dup_place(const RwPlaceWords *words)
{
    switch (words->kind) {
    case RW_PLACE_START:
        return g_strdup(_("at its start"));
    case RW_PLACE_END:
        return g_strdup(_("at its end"));
    case RW_PLACE_CALL:
    case RW_PLACE_AT:
        // Translators: a system call or an address.
        return g_strdup_printf(_("before %s"), words->what);
    case RW_PLACE_WITHIN:
        // Translators: an address: an instruction has read, and not written.
        return g_strdup_printf(_("within %s"), words->what);
    case RW_PLACE_UNSEEN:
        // Translators: an address: an instruction has written, and the others do not see it yet.
        return g_strdup_printf(_("behind %s, unseen"), words->what);
    default:
        // Translators: a system call or an address.
        return g_strdup_printf(_("after %s"), words->what);
    }
}

static char *dup_place_and_time(const RwPlace *place, char **ret_task)
{
    g_auto(RwPlaceWords) words = {0};
    rw_place_words_init(&words, place);
    g_autofree char *text = dup_place(&words), *nth = rui_dup_number(words.nth);
    *ret_task = g_steal_pointer(&words.task);
    // Translators: where in a program, and the how manieth time it is there.
    return words.nth > 1 ? g_strdup_printf(_("%s (time %s)"), text, nth) : g_steal_pointer(&text);
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
