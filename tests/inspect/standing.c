// SPDX-License-Identifier: MIT
#include "standing.h"

#include <stdlib.h>

static void prepare(Standing *standing, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwJobRequest) request = rw_job_request_new();
    RwContext context = {.store = standing->store};
    request->root = g_strdup(argv[1]);
    request->argv = g_strdupv(argv + 3);
    request->memory = 128u << 20;
    rw_job_prepare(&context, request, &standing->job, &error);
    g_assert_no_error(error);
}

bool standing_set_up(Standing *standing, int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    *standing = (Standing){0};
    if (argc < 4)
        return false;
    standing->store = rw_store_open(g_getenv("REWIND_HOME"), &error);
    g_assert_no_error(error);
    prepare(standing, argv);
    const RwPreparedJob *job = &standing->job;
    standing->machine = rw_inputs_power_on(job->inputs, job->guest, job->image->path, &error);
    g_assert_no_error(error);
    RwEnd end = rw_machine_run(standing->machine, &(RwLimits){.step = strtoull(argv[2], NULL, 10)});
    g_assert_cmpint(end.kind, ==, RW_END_NONE);
    return true;
}

void standing_tear_down(Standing *standing)
{
    rw_machine_free(standing->machine);
    rw_prepared_job_clear(&standing->job);
    rw_store_free(standing->store);
}
