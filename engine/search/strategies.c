// SPDX-License-Identifier: MIT
//
// The table of strategies.
#include "search-private.h"

#include "rw-error.h"

#include <string.h>

static const struct {
    const char *name;
    RwDrawSchedule *draw;
} strategies[RW_N_SEARCHES] = {
    [RW_SEARCH_FLIP] = {"flip", rw_draw_flip},
    [RW_SEARCH_WAIT] = {"wait", rw_draw_wait},
    [RW_SEARCH_LATE] = {"late", rw_draw_late},
    [RW_SEARCH_ORDER] = {"order", rw_draw_order},
    [RW_SEARCH_DEMOTE] = {"demote", rw_draw_demote},
    [RW_SEARCH_BOTH] = {"both", rw_draw_both},
    [RW_SEARCH_SIGNAL] = {"signal", rw_draw_signal},
    [RW_SEARCH_FAULTS] = {"faults", rw_draw_fault},
    [RW_SEARCH_TOGETHER] = {"together", rw_draw_together},
    [RW_SEARCH_PCT] = {"pct", rw_draw_pct},
    [RW_SEARCH_POS] = {"pos", rw_draw_pos},
    [RW_SEARCH_SURW] = {"surw", rw_draw_surw},
    [RW_SEARCH_MIXED] = {"mixed", rw_draw_window},
    [RW_SEARCH_PREEMPT] = {"preempt", rw_draw_window},
    [RW_SEARCH_STALL] = {"stall", rw_draw_window},
    [RW_SEARCH_SPARSE] = {"sparse", rw_draw_window},
};

RwDrawSchedule *rw_search_get_draw(RwSearchStrategy strategy)
{
    return strategies[strategy].draw;
}

const char *rw_search_name(RwSearchStrategy strategy)
{
    return strategies[strategy].name;
}

static uint32_t bit_of(const char *name)
{
    if (!strcmp(name, "all"))
        return RW_SEARCH_DEFAULT;
    for (guint i = 0; i < RW_N_SEARCHES; i++)
        if (!strcmp(name, strategies[i].name))
            return 1u << i;
    return 0;
}

static bool refuse(const char *text, GError **error)
{
    g_autofree char **all = g_new0(char *, RW_N_SEARCHES + 1);
    for (guint i = 0; i < RW_N_SEARCHES; i++)
        all[i] = (char *)strategies[i].name;
    g_autofree char *list = g_strjoinv(", ", all);
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--strategy %s: must be all, or of %s", text, list);
    return false;
}

bool rw_search_parse(const char *text, uint32_t *ret, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    *ret = 0;
    for (char **word = words; *word; word++) {
        uint32_t bit = bit_of(*word);
        if (!bit)
            return refuse(text, error);
        *ret |= bit;
    }
    return *ret || refuse(text, error);
}
