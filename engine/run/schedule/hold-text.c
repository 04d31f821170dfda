// SPDX-License-Identifier: MIT
//
// Holds in words, one form for options, manifests and people:
//     1.2:call openat#3 until 1.3:after 0x401234#1+5 for 100ms then next from 700 before 900
#include "rw-event.h"
#include "rw-inputs.h"

static const char *const kinds[RW_N_PLACES] = {"start", "call", "return", "at",
                                               "after", "end",  "within", "unseen"};

const char *rw_place_kind_name(RwPlaceKind kind)
{
    return kinds[kind];
}

char *rw_task_name_dup_text(const RwTaskName *name)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < RW_TASK_DEPTH && name->path[i]; i++)
        g_string_append_printf(text, "%s%u", i ? "." : "", name->path[i]);
    return g_string_free(text, false);
}

// In the largest unit that leaves a whole number.
char *rw_ns_dup_text(uint64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *name;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    guint i = 0;
    while (ns % units[i].ns)
        i++;
    return g_strdup_printf("%" G_GUINT64_FORMAT "%s", ns / units[i].ns, units[i].name);
}

char *rw_place_dup_what(const RwPlace *place)
{
    if (place->kind == RW_PLACE_START || place->kind == RW_PLACE_END)
        return g_strdup("");
    if (rw_place_is_instruction(place))
        return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", place->number);
    const char *call = rw_system_call_name((unsigned)MIN(place->number, UINT_MAX));
    return call ? g_strdup_printf("%s()", call) : g_strdup_printf("%" G_GUINT64_FORMAT "()", place->number);
}

static void append_what(GString *text, const RwPlace *place)
{
    if (place->kind == RW_PLACE_START || place->kind == RW_PLACE_END)
        return;
    g_string_append_c(text, ' ');
    const char *call = rw_system_call_name((unsigned)MIN(place->number, UINT_MAX));
    if (rw_place_is_instruction(place))
        g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "x", place->number);
    else if (call)
        g_string_append(text, call);
    else
        g_string_append_printf(text, "%" G_GUINT64_FORMAT, place->number);
    if (place->nth != 1)
        g_string_append_printf(text, "#%u", place->nth);
}

char *rw_place_dup_text(const RwPlace *place)
{
    g_autofree char *task = rw_task_name_dup_text(&place->task);
    GString *text = g_string_new(task);
    g_string_append_printf(text, ":%s", kinds[place->kind]);
    append_what(text, place);
    if (place->further)
        g_string_append_printf(text, "+%u", place->further);
    return g_string_free(text, false);
}

static void append_until(GString *text, const RwHold *hold)
{
    g_autofree char *limit = rw_ns_dup_text(hold->limit_ns);
    if (hold->until == RW_UNTIL_TIME) {
        g_string_append_printf(text, " until %s", limit);
        return;
    }
    g_autofree char *passed = hold->until == RW_UNTIL_PASSED ? rw_place_dup_text(&hold->passed) : NULL;
    g_string_append_printf(text, " until %s%s for %s", passed ? passed : "idle",
                           hold->other_next ? " next" : "", limit);
}

char *rw_hold_dup_text(const RwHold *hold)
{
    g_autofree char *place =
        rw_hold_is_of_others(hold) ? g_strdup(RW_HOLD_OTHERS_TEXT) : rw_place_dup_text(&hold->place);
    GString *text = g_string_new(place);
    append_until(text, hold);
    if (hold->next)
        g_string_append(text, " then next");
    if (hold->again)
        g_string_append(text, " then again");
    if (hold->from)
        g_string_append_printf(text, " from %" G_GUINT64_FORMAT, hold->from);
    if (hold->before != UINT64_MAX)
        g_string_append_printf(text, " before %" G_GUINT64_FORMAT, hold->before);
    return g_string_free(text, false);
}
