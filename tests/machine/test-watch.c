// SPDX-License-Identifier: MIT
// A run that cannot be stopped ends its process, with a line: at its deadline, and when it is cancelled.
// Host code that spins is stood in for by a listener that does; both keep the thread that runs.
//
//   test-watch GUEST-DIR
#include "rw-machine.h"

#include <gio/gio.h>
#include <stdio.h>

typedef struct {
    GCancellable *cancellable;
    volatile unsigned turns;
} Spinner;

static void spin(void *data, const RwStepInfo *step)
{
    Spinner *spinner = data;
    if (spinner->cancellable)
        g_cancellable_cancel(spinner->cancellable);
    for (;;)
        spinner->turns++;
}

static int run_for_ever(const char *dir, bool cancelled)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    RwGuest *guest = rw_guest_load(dir, &error);
    RwMachineConfig config = {.guest = guest, .memory = 256 << 20, .model = RW_CPU_MODEL_V2, .cores = 1};
    RwMachine *m = guest ? rw_machine_new(&config, &error) : NULL;
    if (!m)
        return 2;
    Spinner spinner = {.cancellable = cancelled ? cancellable : NULL};
    rw_machine_set_sink(m, &(RwSink){.step = spin, .data = &spinner});
    rw_machine_run(m, &(RwLimits){
                          .deadline = cancelled ? 0 : g_get_monotonic_time() + G_USEC_PER_SEC,
                          .cancellable = cancellable,
                      });
    return 0;
}

static GSubprocess *start(char **argv, const char *how)
{
    g_autoptr(GError) error = NULL;
    GSubprocess *process =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, argv[0], argv[1], how, NULL);
    if (!process)
        g_printerr("%s\n", error->message);
    return process;
}

static bool ended_with_line(GSubprocess *process, const char *how)
{
    g_autofree char *text = NULL;
    g_subprocess_communicate_utf8(process, NULL, NULL, NULL, &text, NULL);
    bool good = g_subprocess_get_if_signaled(process) && text && strstr(text, "the CPU does not stop");
    printf("%sok - %s\n", good ? "" : "not ", how);
    if (!good)
        printf("# %s\n", text ? text : "no output");
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (argc > 2)
        return run_for_ever(argv[1], !strcmp(argv[2], "cancelled"));
    g_autoptr(GSubprocess) late = start(argv, "late"), cancelled = start(argv, "cancelled");
    if (!late || !cancelled)
        return 1;
    printf("1..2\n");
    bool good = ended_with_line(late, "a run past its deadline");
    return !ended_with_line(cancelled, "a run that was cancelled") || !good;
}
