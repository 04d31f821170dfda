// SPDX-License-Identifier: MIT
/* The run loop: from limit to limit, exits to the device, in slices that let it be stopped. */
#include "rw-machine-private.h"

#include <string.h>

/* How long the CPU runs before the wall clock and the cancellable are looked at. No result depends on it.
 */
#define SLICE (16u << 20)

typedef struct {
    gint64 since; /* monotonic µs at which `steps` was seen first */
    uint64_t steps;
} Progress;

static const char *current_name(RwMachine *m)
{
    const char *name = g_hash_table_lookup(m->names, GUINT_TO_POINTER(m->device.current_pid));
    return name ? name : "kernel";
}

/* A line for endings that the guest did not choose. */
static void tell_where(RwMachine *m, RwEndKind kind, const Progress *progress)
{
    char where[sizeof m->end.where];
    rw_record_drain(m);
    bool stepping = g_get_monotonic_time() - progress->since < 2 * G_USEC_PER_SEC;
    g_snprintf(where, sizeof where, "%s at 0x%" G_GINT64_MODIFIER "x in %s, process %u/%u",
               stepping ? "still stepping" : "computing", rw_cpu_rip(m->cpu), current_name(m),
               m->device.current_pid, m->device.current_tid);
    rw_device_finish(m, kind, where);
}

static bool must_stop(RwMachine *m, const RwLimits *limits, Progress *progress)
{
    if (progress->steps != m->device.step)
        *progress = (Progress){.since = g_get_monotonic_time(), .steps = m->device.step};
    if (g_cancellable_is_cancelled(limits->cancellable))
        tell_where(m, RW_END_CANCELLED, progress);
    else if (limits->give_up && rw_cpu_icount(m->cpu) >= limits->give_up)
        tell_where(m, RW_END_TIMED_OUT, progress);
    else if (limits->deadline && g_get_monotonic_time() >= limits->deadline)
        tell_where(m, RW_END_TIMED_OUT, progress);
    return m->end.kind != RW_END_NONE;
}

static bool limit_reached(RwMachine *m, const RwLimits *limits)
{
    return (m->ask && m->ask->done) || (limits->step && m->device.step >= limits->step) ||
           (limits->icount && rw_cpu_icount(m->cpu) >= limits->icount);
}

static bool holds_input(const RwExit *exit)
{
    return exit->kind == RW_EXIT_OUT && exit->port == REWIND_PORT_INPUT;
}

/* Runs the CPU to the next thing that concerns the machine. */
static void run_slice(RwMachine *m, const RwLimits *limits, RwExit *exit)
{
    uint64_t target = rw_cpu_icount(m->cpu) + SLICE;
    if (limits->icount)
        target = MIN(target, limits->icount);
    if (limits->give_up)
        target = MIN(target, limits->give_up);
    target = MIN(target, rw_device_next(m));
    rw_cpu_run(m->cpu, target, exit);
}

static void loop(RwMachine *m, const RwLimits *limits)
{
    Progress progress = {.since = g_get_monotonic_time(), .steps = m->device.step};
    unsigned quick = 0;
    while (m->end.kind == RW_END_NONE && !limit_reached(m, limits)) {
        RwExit exit = m->held;
        m->held.kind = 0;
        if (!exit.kind) {
            if (rw_device_next(m) <= rw_cpu_icount(m->cpu)) {
                rw_device_due(m);
                continue;
            }
            run_slice(m, limits, &exit);
        }
        if (limits->before_input && holds_input(&exit)) {
            m->held = exit;
            return;
        }
        rw_device_exit(m, &exit);
        /* The clocks are looked at now and then only: steps can be a few hundred instructions apart. */
        if ((exit.kind != RW_EXIT_OUT && exit.kind != RW_EXIT_HLT) || ++quick % 256 == 0) {
            if (m->end.kind == RW_END_NONE && must_stop(m, limits, &progress))
                return;
        }
    }
}

static void stop(GCancellable *cancellable, gpointer watch)
{
    rw_watch_ask(watch);
}

RwEnd rw_machine_run(RwMachine *m, const RwLimits *limits)
{
    RwWatch watch;
    gulong handler = 0;
    rw_watch_start(&watch, m->cpu, limits->deadline);
    if (limits->cancellable)
        handler = g_cancellable_connect(limits->cancellable, G_CALLBACK(stop), &watch, NULL);
    loop(m, limits);
    g_cancellable_disconnect(limits->cancellable, handler);
    rw_watch_stop(&watch);
    m->end.job_exited = m->device.job_exited;
    m->end.job_status = m->device.job_status;
    m->end.steps = m->device.step;
    m->end.icount = rw_cpu_icount(m->cpu);
    m->end.tsc = rw_device_tsc(m);
    memcpy(m->end.outputs, m->device.outputs, sizeof m->end.outputs);
    return m->end;
}
