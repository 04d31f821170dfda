// SPDX-License-Identifier: MIT
//
// Who sends a signal: the latest call that could have, a child's end, or a timer. What is sent meets what
// its receiver has said is to be done about it.
#include "handlers-private.h"

static RwLearned *get_learned(const RwHandlers *handlers)
{
    return handlers->tables->learned;
}

enum {
    CALL_RT_SIGACTION = 13,
    CALL_ALARM = 37,
    CALL_SETITIMER = 38,
    CALL_EXIT = 60,
    CALL_KILL = 62,
    CALL_RT_SIGQUEUEINFO = 129,
    CALL_TKILL = 200,
    CALL_TIMER_SETTIME = 223,
    CALL_EXIT_GROUP = 231,
    CALL_TGKILL = 234,
    CALL_RT_TGSIGQUEUEINFO = 297,
    CALL_PIDFD_SEND_SIGNAL = 424,
};

static bool find_send(uint64_t number, const uint64_t arguments[6], RwSignalSend *ret)
{
    switch (number) {
    case CALL_KILL:
    case CALL_TKILL:
    case CALL_RT_SIGQUEUEINFO:
        ret->target = MAX((int32_t)arguments[0], 0);
        ret->signo = (int)arguments[1];
        return true;
    case CALL_TGKILL:
    case CALL_RT_TGSIGQUEUEINFO:
        ret->target = (int32_t)arguments[1];
        ret->signo = (int)arguments[2];
        return true;
    case CALL_PIDFD_SEND_SIGNAL:
        ret->signo = (int)arguments[1];
        return true;
    case CALL_EXIT:
    case CALL_EXIT_GROUP:
        ret->signo = SIGCHLD;
        return true;
    default:
        return false;
    }
}

static void note_send(RwHandlers *handlers, const RwTaskPoint *point, const RwLearnedEvent *event,
                      const uint64_t arguments[6])
{
    RwSignalSend send = {.task = event->task, .pid = point->pid, .order = handlers->tables->order};
    if (!find_send(event->place.number, arguments, &send))
        return;
    send.place = event->place;
    handlers->sends[handlers->n_sends++ % RW_SIGNAL_SENDS] = send;
}

// The latest one that fits; NULL: nobody known.
static const RwSignalSend *find_sender(const RwHandlers *handlers, const RwLearnedTask *receiver,
                                       const struct rewind_signal *signal)
{
    guint n = MIN(handlers->n_sends, RW_SIGNAL_SENDS);
    for (guint i = 1; i <= n; i++) {
        const RwSignalSend *send = &handlers->sends[(handlers->n_sends - i) % RW_SIGNAL_SENDS];
        bool there = !send->target || send->target == receiver->pid || send->target == receiver->tid;
        if (there && send->signo == signal->signo && send->pid == signal->sender)
            return send;
    }
    return NULL;
}

// One that was ended by a signal made no call for it.
static guint find_process(const RwLearned *learned, uint32_t pid)
{
    for (guint i = learned->tasks->len; i-- > 0;) {
        const RwLearnedTask *task = &g_array_index(learned->tasks, RwLearnedTask, i);
        if (task->pid == pid && task->tid == pid)
            return i;
    }
    return learned->tasks->len;
}

static bool is_child(const struct rewind_signal *signal)
{
    return signal->signo == SIGCHLD && signal->code >= CLD_EXITED && signal->code <= CLD_DUMPED;
}

static bool is_timer(const struct rewind_signal *signal)
{
    return signal->code == SI_TIMER || (signal->code == SI_KERNEL && signal->signo == SIGALRM);
}

static void take_child(const RwHandlers *handlers, const struct rewind_signal *signal, RwLearnedSignal *ret)
{
    const RwLearned *learned = get_learned(handlers);
    guint child = find_process(learned, signal->sender);
    if (child == learned->tasks->len)
        return;
    ret->origin = RW_SIGNAL_CHILD;
    ret->sender = child;
    ret->behind = (RwPlace){
        .task = g_array_index(learned->tasks, RwLearnedTask, child).name, .kind = RW_PLACE_END, .nth = 1};
}

void rw_handlers_take_origin(const RwHandlers *handlers, const struct rewind_signal *signal,
                             RwLearnedSignal *ret)
{
    const RwLearned *learned = get_learned(handlers);
    const RwLearnedTask *task = &g_array_index(learned->tasks, RwLearnedTask, ret->task);
    const RwSignalProcess *process = g_hash_table_lookup(handlers->processes, GUINT_TO_POINTER(task->pid));
    const RwSignalSend *send = find_sender(handlers, task, signal);
    ret->armed = process ? process->armed : 0;
    ret->installed = process ? process->installed[signal->signo] : 0;
    if (is_timer(signal))
        ret->origin = RW_SIGNAL_TIMER;
    else if (is_child(signal))
        take_child(handlers, signal, ret);
    else if (send)
        ret->origin = send->task == ret->task ? RW_SIGNAL_ITSELF : RW_SIGNAL_TASK;
    else if (signal->sender == task->pid || signal->signo == SIGSEGV || signal->signo == SIGBUS ||
             signal->signo == SIGFPE || signal->signo == SIGILL || signal->signo == SIGTRAP)
        ret->origin = RW_SIGNAL_ITSELF;
    if (!send || (ret->origin != RW_SIGNAL_TASK && ret->origin != RW_SIGNAL_CHILD))
        return;
    ret->sender = send->task;
    ret->sent = send->place;
    if (ret->origin != RW_SIGNAL_TASK)
        return;
    ret->behind = send->place;
    ret->behind.kind = RW_PLACE_RETURN;
}

// ---- Dispositions ----

static guint signal_object(RwHandlers *handlers, uint32_t pid, int signo)
{
    char key[64];
    g_snprintf(key, sizeof key, "%u %d", pid, signo);
    guint object = rw_tables_object(handlers->tables, RW_OBJECT_SIGNAL, key, (uint64_t)signo);
    g_array_index(get_learned(handlers)->objects, RwObject, object).pid = pid;
    return object;
}

static void add_disposition(RwHandlers *handlers, const RwTaskPoint *point, const RwLearnedEvent *event,
                            const uint64_t arguments[6])
{
    bool handles;
    int signo = (int)arguments[0];
    RwLearnedEvent change = *event;
    if (!rw_handlers_installs(handlers, arguments, &handles))
        return;
    change.object = signal_object(handlers, point->pid, signo);
    change.flags = RW_EVENT_CHANGES;
    rw_tables_add(handlers->tables, &change);
    uint64_t *installed = &rw_handlers_process(handlers, point->pid)->installed[signo];
    *installed = !handles ? 0 : *installed ? *installed : handlers->tables->order;
}

// What is sent meets what is to be done about it.
static void add_sent(RwHandlers *handlers, const RwLearnedEvent *event, const uint64_t arguments[6])
{
    RwSignalSend send = {0};
    RwLearnedEvent change = *event;
    if (!find_send(event->place.number, arguments, &send) || !rw_is_signal(send.signo))
        return;
    if (send.signo == SIGCHLD && !send.target) {
        const GArray *tasks = get_learned(handlers)->tasks;
        guint creator = g_array_index(tasks, RwLearnedTask, event->task).creator;
        send.target = g_array_index(tasks, RwLearnedTask, creator).pid;
    }
    if (!send.target)
        return;
    change.object = signal_object(handlers, (uint32_t)send.target, send.signo);
    change.flags = RW_EVENT_CHANGES;
    rw_tables_add(handlers->tables, &change);
}

void rw_handlers_call(RwHandlers *handlers, const RwTaskPoint *point, const RwLearnedEvent *event,
                      const uint64_t arguments[6])
{
    switch (event->place.number) {
    case CALL_RT_SIGACTION:
        add_disposition(handlers, point, event, arguments);
        break;
    case CALL_ALARM:
    case CALL_SETITIMER:
    case CALL_TIMER_SETTIME:
        rw_handlers_process(handlers, point->pid)->armed = handlers->tables->order;
        break;
    default:
        add_sent(handlers, event, arguments);
        note_send(handlers, point, event, arguments);
    }
}
