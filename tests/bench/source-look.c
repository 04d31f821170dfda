// SPDX-License-Identifier: MIT
//
// How long the app's Source tab takes to know where a thread is: source-look RUN STEP... prints for each
// step, in milliseconds, how long its answer took and the processor time of this program meanwhile. The
// first one opens the run's machine and reads the programs' files; REWIND_HOME has the run.
#include "rw-session-run.h"
#include "rw-session-source.h"

#include <stdlib.h>
#include <time.h>

static void on_result(GObject *source, GAsyncResult *result, gpointer data)
{
    *(GAsyncResult **)data = g_object_ref(result);
}

static GAsyncResult *wait_for(GAsyncResult **result)
{
    while (!*result)
        g_main_context_iteration(NULL, TRUE);
    return *result;
}

static RwSessionRun *open_run(RwSession *session, const char *ref)
{
    g_autoptr(GAsyncResult) result = NULL;
    g_autoptr(GError) error = NULL;
    rw_session_open_run_async(session, ref, NULL, on_result, &result);
    RwSessionRun *run = rw_session_open_run_finish(session, wait_for(&result), &error);
    if (!run)
        g_error("%s", error->message);
    while (!rw_session_run_get_loaded(run))
        g_main_context_iteration(NULL, TRUE);
    return run;
}

static double get_cpu(void)
{
    return (double)clock() * 1000 / CLOCKS_PER_SEC;
}

static void look(RwSessionRun *run, guint64 step)
{
    g_autoptr(GAsyncResult) result = NULL;
    g_autoptr(GError) error = NULL;
    RwSourcePlace place = {.position = {step, 0}, .frame = RW_SOURCE_ANY};
    gint64 start = g_get_monotonic_time();
    double cpu = get_cpu();
    rw_session_run_find_source_async(run, &place, NULL, on_result, &result);
    g_autoptr(RwSource) source = rw_session_run_find_source_finish(run, wait_for(&result), &error);
    g_print("%8" G_GUINT64_FORMAT " %8.0f ms %8.0f ms CPU  %s\n", step,
            (double)(g_get_monotonic_time() - start) / 1000, get_cpu() - cpu,
            !source                            ? error->message
            : source->state == RW_SOURCE_SHOWN ? "shown"
                                               : "no source");
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwSession) session = rw_session_new(NULL, &error);
    if (argc < 3 || !session)
        g_error("source-look RUN STEP...: %s", error ? error->message : "");
    g_autoptr(RwSessionRun) run = open_run(session, argv[1]);
    for (int i = 2; i < argc; i++)
        look(run, strtoull(argv[i], NULL, 10));
    return 0;
}
