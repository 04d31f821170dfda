// SPDX-License-Identifier: MIT
#include "check-words.h"

#include "rui-words.h"

#include <glib/gi18n.h>

// ---- Counts ----

// "29 passed, 3 failed; 3 ended unlike this run"
static char *dup_counts(RwSessionWork *work)
{
    guint bad = rw_session_work_get_failed(work);
    g_autofree char *passed = rui_dup_number(rw_session_work_get_done(work) - bad);
    g_autofree char *failed = rui_dup_number(bad);
    g_autofree char *differing = rui_dup_number(rw_session_work_get_differing(work));
    // Translators: how many runs passed, failed, and ended another way than the run that is checked.
    return g_strdup_printf(_("%s passed, %s failed; %s ended unlike this run"), passed, failed, differing);
}

static gint compare_counts(gconstpointer a, gconstpointer b, gpointer counts)
{
    guint one = GPOINTER_TO_UINT(g_hash_table_lookup(counts, *(char *const *)a));
    guint other = GPOINTER_TO_UINT(g_hash_table_lookup(counts, *(char *const *)b));
    return one == other ? strcmp(*(char *const *)a, *(char *const *)b) : one < other ? 1 : -1;
}

// "passed: 29 · exited with 2: 3", the commonest first.
static char *dup_groups(RwSessionWork *work)
{
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const GPtrArray *cells = rw_session_work_get_cells(work);
    for (guint i = 0; i < cells->len; i++) {
        const RwCheckCell *cell = cells->pdata[i];
        char *end = cell->state != RW_CELL_PENDING ? rui_dup_end(&cell->end) : NULL;
        if (end)
            g_hash_table_replace(counts, end,
                                 GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(counts, end)) + 1));
    }
    guint n;
    g_autofree char **ends = (char **)g_hash_table_get_keys_as_array(counts, &n);
    g_qsort_with_data(ends, (gint)n, sizeof *ends, compare_counts, counts);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < n; i++) {
        g_autofree char *number = rui_dup_number(GPOINTER_TO_UINT(g_hash_table_lookup(counts, ends[i])));
        // Translators: how runs ended and how many did.
        g_string_append_printf(text, _("%s: %s"), ends[i], number);
        g_string_append(text, i + 1 < n ? " · " : "");
    }
    return g_string_free(text, FALSE);
}

// How much of it is none of its work.
static char *dup_known(RwSessionWork *work)
{
    guint known = rw_session_work_explains(work) ? rw_session_work_get_known(work) : 0;
    g_autofree char *number = rui_dup_number(known);
    if (!known)
        return g_strdup("");
    // Translators: behind "40 of 64 done: …".
    return g_strdup_printf(
        ngettext(" %s of them was tried before.", " %s of them were tried before.", known), number);
}

gboolean check_can_resume(RwSessionWork *work)
{
    if (rw_session_work_is_running(work) || !rw_session_work_explains(work))
        return FALSE;
    const RwExplanation *answer = rw_session_work_get_explanation(work);
    return answer ? answer->cancelled : !rw_session_work_get_problem(work);
}

static char *dup_check_summary(RwSessionWork *work)
{
    guint count = rw_session_work_get_done(work), all = rw_session_work_get_cells(work)->len;
    g_autofree char *done = rui_dup_number(count), *of = rui_dup_number(all), *counts = dup_counts(work);
    g_autofree char *groups = dup_groups(work);
    const RwExplanation *answer = rw_session_work_get_explanation(work);
    if (count == all && !(answer && answer->cancelled))
        // Translators: counts of runs, then how many ended how.
        return g_strdup_printf(_("%s.\n%s"), counts, groups);
    // Translators: how many of how many runs are done, then how these ended.
    g_autofree char *text = g_strdup_printf(_("%s of %s done: %s."), done, of, counts);
    g_autofree char *known = dup_known(work);
    if (rw_session_work_is_running(work))
        return g_strconcat(text, known, NULL);
    if (rw_session_work_explains(work))
        // Translators: how many runs are done, then how these ended.
        return g_strdup_printf(ngettext("Cancelled after %s order: %s. Resume goes on from there.",
                                        "Cancelled after %s orders: %s. Resume goes on from there.", count),
                               done, counts);
    return g_strdup_printf(_("Cancelled. %s What is finished is kept."), text);
}

static char *dup_fork_summary(RwSessionWork *work)
{
    if (rw_session_work_is_running(work))
        return g_strdup(_("Recording…"));
    return g_strdup(rw_session_work_get_result(work) ? _("Finished") : _("Cancelled"));
}

double check_get_share(RwSessionWork *work)
{
    const GPtrArray *cells = rw_session_work_get_cells(work);
    double sum = rw_session_work_get_done(work);
    for (guint i = 0; i < cells->len; i++)
        if (((const RwCheckCell *)cells->pdata[i])->state == RW_CELL_PENDING)
            sum += rw_session_work_get_fraction(work, i);
    double share = cells->len ? sum / cells->len : 0;
    // It goes on until it has spent enough.
    return rw_session_work_explains(work) ? MIN(share, rw_session_work_get_effort(work)) : share;
}

char *check_dup_time_left(RwSessionWork *work, gint64 elapsed_us)
{
    guint64 left;
    if (!rw_session_work_guess_left(check_get_share(work), elapsed_us, &left))
        return g_strdup("");
    guint minutes = (guint)(left / 60), seconds = (guint)(left % 60);
    // What is looked for may be found sooner.
    if (rw_session_work_explains(work))
        // Translators: minutes and seconds that it will still take, unless it finds something before.
        return g_strdup_printf(_("at most %u:%02u left"), minutes, seconds);
    // Translators: minutes and seconds that it will still take.
    return g_strdup_printf(_("about %u:%02u left"), minutes, seconds);
}

char *check_dup_summary(RwSessionWork *work)
{
    const char *problem = rw_session_work_get_problem(work);
    if (problem)
        return g_strdup(problem);
    return rw_session_work_get_cells(work) ? dup_check_summary(work) : dup_fork_summary(work);
}

// ---- What it does ----

#define TRAIL_MAX 3u // windows that are shown

// Of "narrowing: when within 14..349" what is behind `within`; NULL: none.
static const char *find_window(const char *status)
{
    const char *within = strstr(status, " within ");
    return within ? within + strlen(" within ") : NULL;
}

static void add_window(GString *trail, const char *window)
{
    if (g_str_has_suffix(trail->str, window))
        return;
    g_string_append_printf(trail, "%s%s", trail->len ? " → " : "", window);
    g_auto(GStrv) all = g_strsplit(trail->str, " → ", -1);
    guint n = g_strv_length(all);
    if (n > TRAIL_MAX) {
        g_autofree char *last = g_strjoinv(" → ", all + (n - TRAIL_MAX));
        g_string_assign(trail, last);
    }
}

char *check_dup_stage(const char *status, GString *trail)
{
    static const struct {
        const char *prefix, *text;
    } stages[] = {
        {"starting the machine", N_("Starting the machine")},
        {"watching what the tasks meet on", N_("Watching what the threads meet on")},
        {"choosing what to try", N_("Choosing which orders to try")},
        {"late alone", N_("Looking for more than lateness alone")},
        {"recording the two runs", N_("Recording the two runs")},
        {"narrowing", N_("Narrowing")},
    };
    const char *window = status && g_str_has_prefix(status, "narrowing") ? find_window(status) : NULL;
    if (window) {
        add_window(trail, window);
        // Translators: smaller and smaller ranges of steps.
        return g_strdup_printf(_("Narrowing: steps %s"), trail->str);
    }
    for (guint i = 0; status && i < G_N_ELEMENTS(stages); i++)
        if (g_str_has_prefix(status, stages[i].prefix)) {
            const char *share = g_str_has_suffix(status, " %") ? strrchr(status, ':') : NULL;
            return share ? g_strconcat(_(stages[i].text), share, NULL)
                         : g_strdup_printf("%s…", _(stages[i].text));
        }
    return NULL;
}

// ---- What it found ----

// Why there is no pair of runs.
static char *dup_nothing(const RwExplanation *explanation)
{
    g_autofree char *number = rui_dup_number(explanation->tried);
    if (explanation->cancelled)
        return g_strdup("");
    if (explanation->fails_alike)
        // Translators: %s is a number of schedules.
        return g_strdup_printf(
            _("The job fails under all %s orders of its threads that were tried, and in the "
              "same way: it is not their order that makes it fail."),
            number);
    return g_strdup_printf(_("The job ended in the same way under all %s orders of its threads that were "
                             "tried."),
                           number);
}

char *check_dup_answer(const RwExplanation *explanation, const RwSides *sides)
{
    if (!explanation->failing)
        return dup_nothing(explanation);
    g_autofree char *step = rui_dup_number(explanation->step);
    g_autofree char *lines = sides ? rui_dup_all_sides(sides) : NULL;
    const char *then = !explanation->passes  ? _("What one of them does then makes it end in another way:")
                       : explanation->turned ? _("What the passing run does then makes it pass:")
                                             : _("What the failing run does then makes it fail:");
    // Translators: until where two runs are the same, then what makes them differ.
    g_autofree char *same = g_strdup_printf(_("Both runs are the same until step %s. %s"), step, then);
    g_autofree char *late =
        explanation->late ? g_strdup(_("\nNothing was found but that somebody was late.")) : g_strdup("");
    return lines ? g_strconcat(same, "\n", lines, late, NULL) : g_strconcat(same, late, NULL);
}
