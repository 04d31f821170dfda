// SPDX-License-Identifier: MIT
#include "rw-inputs.h"

const char *rw_strategy_name(RwStrategy strategy)
{
    static const char *const names[RW_N_STRATEGIES] = {"mixed", "preempt", "stall", "sparse"};
    return (unsigned)strategy < RW_N_STRATEGIES ? names[strategy] : "unknown";
}

bool rw_strategy_parse(const char *name, RwStrategy *ret)
{
    for (*ret = RW_STRATEGY_MIXED; *ret < RW_N_STRATEGIES; (*ret)++)
        if (!strcmp(name, rw_strategy_name(*ret)))
            return true;
    return false;
}

static void append_last(GString *text, const RwWindow *window)
{
    uint32_t mask = window->last_kinds;
    if (!mask && window->last_after)
        mask = RW_PERTURB_ALL;
    const char *plus = "";
    for (guint row = 0; row < RW_N_PERTURBS; row++) {
        if (!(mask & rw_perturbs[row].bit))
            continue;
        g_string_append_printf(text, "%s%s", plus, rw_perturbs[row].name);
        if (rw_perturbs[row].bit == RW_PERTURB_PREEMPT && window->last_after)
            g_string_append_printf(text, "=%u", window->last_after);
        plus = "+";
    }
}

static bool has_last(const RwWindow *window)
{
    return window->last_kinds || window->last_after;
}

static void append_window(GString *text, const RwWindow *window)
{
    g_string_append_printf(text, "schedule %" G_GUINT64_FORMAT, window->number);
    if (window->strategy)
        g_string_append_printf(text, " (%s)", rw_strategy_name(window->strategy));
    if (window->until != UINT64_MAX)
        g_string_append_printf(text, " over steps %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT, window->from,
                               window->until);
    else if (window->from)
        g_string_append_printf(text, " from step %" G_GUINT64_FORMAT, window->from);
    if (!has_last(window))
        return;
    g_string_append(text, ", of the last only ");
    append_last(text, window);
}

char *rw_schedule_dup_text(const RwSchedule *schedule)
{
    GString *text =
        g_string_new(schedule->n_windows || schedule->n_holds || schedule->n_faults ? "" : "schedule 0");
    for (uint32_t i = 0; i < schedule->n_windows; i++) {
        g_string_append(text, i ? "; " : "");
        append_window(text, &schedule->windows[i]);
    }
    for (uint32_t i = 0; i < schedule->n_holds; i++) {
        g_autofree char *hold = rw_hold_dup_text(&schedule->holds[i]);
        g_string_append_printf(text, "%shold %s", text->len ? "; " : "", hold);
    }
    for (uint32_t i = 0; i < schedule->n_faults; i++) {
        g_autofree char *fault = rw_fault_dup_text(&schedule->faults[i]);
        g_string_append_printf(text, "%sfault %s", text->len ? "; " : "", fault);
    }
    for (uint32_t i = 0; i < schedule->n_reseeds; i++)
        g_string_append_printf(text, "; seed %" G_GUINT64_FORMAT " from step %" G_GUINT64_FORMAT,
                               schedule->reseeds[i].seed, schedule->reseeds[i].step);
    return g_string_free(text, false);
}

// ---- As options ----

static void add(GPtrArray *words, const char *option, char *value)
{
    g_ptr_array_add(words, g_strdup(option));
    g_ptr_array_add(words, value);
}

static void add_number(GPtrArray *words, const char *option, uint64_t value)
{
    add(words, option, g_strdup_printf("%" G_GUINT64_FORMAT, value));
}

static void add_only_window(GPtrArray *words, const RwWindow *window)
{
    add_number(words, "--schedule", window->number);
    if (window->strategy)
        add(words, "--strategy", g_strdup(rw_strategy_name(window->strategy)));
    if (window->from)
        add_number(words, "--schedule-from", window->from);
    if (window->until != UINT64_MAX)
        add_number(words, "--schedule-until", window->until);
    if (!has_last(window))
        return;
    GString *last = g_string_new(NULL);
    append_last(last, window);
    add(words, "--schedule-last", g_string_free(last, false));
}

static void add_window(GPtrArray *words, const RwWindow *window)
{
    GString *text = g_string_new(NULL);
    const char *colon = window->strategy ? ":" : "";
    g_string_printf(text, "%" G_GUINT64_FORMAT "%s%s@%" G_GUINT64_FORMAT "..", window->number, colon,
                    window->strategy ? rw_strategy_name(window->strategy) : "", window->from);
    if (window->until != UINT64_MAX)
        g_string_append_printf(text, "%" G_GUINT64_FORMAT, window->until);
    if (has_last(window)) {
        g_string_append_c(text, '/');
        append_last(text, window);
    }
    add(words, "--window", g_string_free(text, false));
}

void rw_schedule_add_options(const RwSchedule *schedule, GPtrArray *words)
{
    if (schedule->n_windows == 1)
        add_only_window(words, &schedule->windows[0]);
    for (uint32_t i = 0; schedule->n_windows > 1 && i < schedule->n_windows; i++)
        add_window(words, &schedule->windows[i]);
    for (uint32_t i = 0; i < schedule->n_reseeds; i++)
        add(words, "--reseed",
            g_strdup_printf("%" G_GUINT64_FORMAT "@%" G_GUINT64_FORMAT, schedule->reseeds[i].seed,
                            schedule->reseeds[i].step));
    for (uint32_t i = 0; i < schedule->n_holds; i++)
        add(words, "--hold", rw_hold_dup_text(&schedule->holds[i]));
    for (uint32_t i = 0; i < schedule->n_faults; i++)
        add(words, "--fault", rw_fault_dup_text(&schedule->faults[i]));
}
