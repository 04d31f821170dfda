// SPDX-License-Identifier: MIT
// The run loop: from limit to limit, exits to the device, in slices that let it be stopped.
#include "rw-machine-private.h"

#include <string.h>

// How long the CPU runs before the wall clock and the cancellable are looked at. No result depends on it.
#define SLICE (16u << 20)

typedef struct {
    gint64 since; // monotonic µs at which `steps` was seen first
    uint64_t steps;
} Progress;

static const char *current_name(RwMachine *m)
{
    const char *name = rw_names_get(&m->now.names, m->now.device.current_pid);
    return name ? name : "kernel";
}

// A line for endings that the guest did not choose.
static void tell_where(RwMachine *m, RwEndKind kind, const Progress *progress)
{
    char where[sizeof m->now.end.where];
    rw_record_drain(m);
    bool stepping = g_get_monotonic_time() - progress->since < 2 * G_USEC_PER_SEC;
    g_snprintf(where, sizeof where, "%s at 0x%" G_GINT64_MODIFIER "x in %s, process %u/%u",
               stepping ? "still stepping" : "computing", rw_vcpu_rip(m->cpu), current_name(m),
               m->now.device.current_pid, m->now.device.current_tid);
    rw_device_finish(m, kind, where);
}

static bool must_stop(RwMachine *m, const RwLimits *limits, Progress *progress)
{
    if (progress->steps != m->now.device.step)
        *progress = (Progress){.since = g_get_monotonic_time(), .steps = m->now.device.step};
    if (g_cancellable_is_cancelled(limits->cancellable))
        tell_where(m, RW_END_CANCELLED, progress);
    else if (limits->give_up && rw_vcpu_icount(m->cpu) >= limits->give_up)
        tell_where(m, RW_END_TIMED_OUT, progress);
    else if (limits->deadline && g_get_monotonic_time() >= limits->deadline)
        tell_where(m, RW_END_TIMED_OUT, progress);
    return m->now.end.kind != RW_END_NONE;
}

static bool limit_reached(RwMachine *m, const RwLimits *limits)
{
    return (m->ask && m->ask->done) || (m->now.tally && m->now.tally->met) || m->broken || m->leaves ||
           (limits->step && m->now.device.step >= limits->step) ||
           (limits->icount && rw_vcpu_icount(m->cpu) >= limits->icount);
}

static bool holds_input(const RwExit *exit)
{
    return exit->kind == RW_EXIT_OUT && exit->port == REWIND_PORT_INPUT;
}

// Runs the CPU to the next thing that concerns the machine.
static void run_slice(RwMachine *m, const RwLimits *limits, RwExit *exit)
{
    uint64_t target = rw_vcpu_icount(m->cpu) + SLICE;
    if (limits->icount)
        target = MIN(target, limits->icount);
    if (limits->give_up)
        target = MIN(target, limits->give_up);
    target = MIN(target, rw_device_next(m));
    rw_points_prepare(m);
    // The device writes to its page whenever it likes.
    rw_vcpu_memory_written(m->cpu, REWIND_SHARED_GPA, RW_PAGE_SIZE);
    rw_vcpu_run(m->cpu, target, exit);
}

// Nothing has come of the zeros that it read yet, as the guest was not heard since.
static bool is_lost(RwMachine *m)
{
    if (m->image && rw_map_is_lost(m->image->file))
        rw_device_finish(m, RW_END_LOST, "the image was cut while it was being read");
    if (rw_memory_is_lost(&m->memory))
        rw_device_finish(m, RW_END_LOST, "the kept boot was cut while it was in use");
    return m->now.end.kind == RW_END_LOST;
}

static void loop(RwMachine *m, const RwLimits *limits)
{
    Progress progress = {.since = g_get_monotonic_time(), .steps = m->now.device.step};
    unsigned quick = 0;
    while (m->now.end.kind == RW_END_NONE && !limit_reached(m, limits)) {
        RwExit exit = m->now.held;
        m->now.held.kind = 0;
        if (!exit.kind) {
            if (m->now.orders) {
                rw_points_order(m);
                continue;
            }
            if (rw_device_next(m) <= rw_vcpu_icount(m->cpu)) {
                rw_device_due(m);
                continue;
            }
            run_slice(m, limits, &exit);
            if (is_lost(m))
                return;
        }
        if (limits->before_input && holds_input(&exit)) {
            m->now.held = exit;
            return;
        }
        rw_device_exit(m, &exit);
        // The clocks are looked at now and then only: steps can be a few hundred instructions apart.
        if ((exit.kind != RW_EXIT_OUT && exit.kind != RW_EXIT_HLT) || ++quick % 256 == 0) {
            if (m->now.end.kind == RW_END_NONE && must_stop(m, limits, &progress))
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
    m->broken = 0;
    m->leaves = false;
    rw_watch_start(&watch, m->cpu, limits->deadline);
    if (limits->cancellable)
        handler = g_cancellable_connect(limits->cancellable, G_CALLBACK(stop), &watch, NULL);
    loop(m, limits);
    is_lost(m); // what a device read is believed no more than what the guest did
    g_cancellable_disconnect(limits->cancellable, handler);
    rw_watch_stop(&watch);
    m->now.end.job_exited = m->now.device.job_exited;
    m->now.end.job_status = m->now.device.job_status;
    m->now.end.steps = m->now.device.step;
    m->now.end.icount = rw_vcpu_icount(m->cpu);
    m->now.end.tsc = rw_device_tsc(m);
    memcpy(m->now.end.outputs, m->now.device.outputs, sizeof m->now.end.outputs);
    return m->now.end;
}
