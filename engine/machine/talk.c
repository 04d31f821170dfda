// SPDX-License-Identifier: MIT
// A conversation with the agent of the guest: requests and parts of its answer come and go while the guest
// runs, and time passes as who talks lets it.
#include "rw-machine-private.h"

#include <string.h>

struct _RwTalk {
    RwMachine *machine;
    RwAsk ask;
    uint8_t request[REWIND_AGENT_MAX];
};

// Tasks that a schedule holds would never go on, whoever needs them.
static void release_held(RwMachine *m)
{
    struct rewind_shared *shared = m->memory.shared;
    uint32_t n = 0;
    if (!(shared->features & REWIND_FEATURE_HOLDS))
        return;
    const RwScheduler *scheduler = &m->now.scheduler;
    for (unsigned i = 0; i < RW_HOLDS_MAX && n < REWIND_COMMANDS_MAX; i++)
        if (scheduler->hold[i].phase == RW_HOLD_HELD)
            shared->commands[n++] = (struct rewind_command){REWIND_COMMAND_RELEASE, scheduler->hold[i].tid};
    for (unsigned i = 0; i < scheduler->n_others && n < REWIND_COMMANDS_MAX; i++)
        shared->commands[n++] = (struct rewind_command){REWIND_COMMAND_RELEASE, scheduler->others[i]};
    shared->n_commands = n;
    if (n)
        rw_device_raise(m, REWIND_PENDING_COMMANDS);
}

RwTalk *rw_talk_new(RwMachine *m, GError **error)
{
    if (!rw_ask_check(m, error))
        return NULL;
    release_held(m);
    rw_ask_leave_run(m);
    RwTalk *talk = g_new0(RwTalk, 1);
    talk->machine = m;
    talk->ask.request = talk->request;
    talk->ask.talks = true;
    m->ask = &talk->ask;
    return talk;
}

void rw_talk_free(RwTalk *talk)
{
    if (!talk)
        return;
    talk->machine->ask = NULL;
    g_clear_error(&talk->ask.error);
    g_free(talk);
}

bool rw_talk_can_say(const RwTalk *talk)
{
    return !talk->ask.waiting;
}

void rw_talk_say(RwTalk *talk, const void *request, size_t length)
{
    g_return_if_fail(!talk->ask.waiting && length && length <= sizeof talk->request);
    memcpy(talk->request, request, length);
    talk->ask.length = length;
    talk->ask.waiting = true;
    talk->machine->now.answering = true;
    rw_device_raise(talk->machine, REWIND_PENDING_AGENT);
}

bool rw_talk_hear(RwTalk *talk, uint64_t instructions, const RwLimits *limits, RwReplyFunc reply,
                  void *data, GError **error)
{
    RwMachine *m = talk->machine;
    RwLimits all = {.icount = rw_machine_icount(m) + instructions};
    if (limits) {
        all.deadline = limits->deadline;
        all.cancellable = limits->cancellable;
    }
    m->now.device.job_ran = rw_device_tsc(m);
    talk->ask.reply = reply;
    talk->ask.data = data;
    talk->ask.done = false;
    RwEnd end = rw_machine_run(m, &all);
    if (talk->ask.error)
        g_propagate_error(error, g_steal_pointer(&talk->ask.error));
    else if (talk->ask.done || end.kind == RW_END_NONE)
        return true;
    else
        rw_ask_fail(&end, limits, error);
    return false;
}

void rw_talk_pass(RwTalk *talk, uint64_t ticks)
{
    rw_device_pass(talk->machine, ticks);
}

uint64_t rw_talk_until_timer(const RwTalk *talk)
{
    RwMachine *m = talk->machine;
    uint64_t now = rw_device_tsc(m), timer = m->now.device.timer;
    return timer == RW_NEVER ? RW_NEVER : timer > now ? timer - now : 0;
}
