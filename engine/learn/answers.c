// SPDX-License-Identifier: MIT
//
// At which calls which rare answer was possible: each that the manual allows, for what the call did.
#include "learn-private.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define ANSWERS_MAX 16384u
#define ENTRIES_BYTES 4096u // of a directory, that are looked at

// Numbers of system calls: asm/unistd_64.h.
enum {
    CALL_READ = 0,
    CALL_WRITE = 1,
    CALL_POLL = 7,
    CALL_MMAP = 9,
    CALL_BRK = 12,
    CALL_PWRITE64 = 18,
    CALL_READV = 19,
    CALL_WRITEV = 20,
    CALL_SELECT = 23,
    CALL_SENDFILE = 40,
    CALL_ACCEPT = 43,
    CALL_SENDTO = 44,
    CALL_RECVFROM = 45,
    CALL_RECVMSG = 47,
    CALL_CLONE = 56,
    CALL_FORK = 57,
    CALL_VFORK = 58,
    CALL_WAIT4 = 61,
    CALL_FLOCK = 73,
    CALL_FUTEX = 202,
    CALL_GETDENTS64 = 217,
    CALL_EPOLL_WAIT = 232,
    CALL_WAITID = 247,
    CALL_PSELECT6 = 270,
    CALL_PPOLL = 271,
    CALL_SPLICE = 275,
    CALL_TEE = 276,
    CALL_VMSPLICE = 278,
    CALL_EPOLL_PWAIT = 281,
    CALL_ACCEPT4 = 288,
    CALL_CLONE3 = 435,
};

void rw_answers_init(RwAnswers *answers, RwMachine *machine, RwLearned *learned)
{
    *answers = (RwAnswers){.machine = machine, .learned = learned, .flows = rw_flows_new()};
    rw_stands_init(&answers->stands, machine);
}

void rw_answers_clear(RwAnswers *answers)
{
    g_clear_pointer(&answers->flows, rw_flows_free);
    rw_stands_clear(&answers->stands);
}

void rw_answers_fork(RwAnswers *answers, uint32_t parent, uint32_t child)
{
    rw_stands_fork(&answers->stands, parent, child);
}

void rw_answers_exec(RwAnswers *answers, uint32_t pid)
{
    rw_stands_exec(&answers->stands, pid);
}

static void add(RwAnswers *answers, const RwCall *call, RwAnswerKind kind, RwCut cut)
{
    RwLearnedAnswer answer = {.task = call->task,
                              .kind = kind,
                              .place = call->place,
                              .site = call->rip,
                              .least = cut.least,
                              .most = cut.most};
    if (answers->learned->answers->len < ANSWERS_MAX)
        g_array_append_val(answers->learned->answers, answer);
}

// ---- Short reads and writes ----

#define WHOLE (MSG_PEEK | MSG_WAITALL | MSG_TRUNC | MSG_OOB) // of which fewer bytes mean something else

static void add_short_read(RwAnswers *answers, uint32_t pid, const RwCall *call, uint64_t length)
{
    guint kind = rw_stands_get_fd(&answers->stands, pid, call->arguments[0]) & RW_FD_KIND;
    RwCut cuts[RW_CUTS_MAX];
    if (kind == RW_FD_PIPE && call->object) {
        guint n = rw_flows_read(answers->flows, call->object, length, cuts);
        for (guint i = 0; i < n; i++)
            add(answers, call, RW_ANSWER_SHORT, cuts[i]);
        return;
    }
    bool plain = call->number == CALL_READ || !(call->arguments[3] & WHOLE);
    if (kind == RW_FD_STREAM && plain && length > 1 && length <= UINT32_MAX)
        add(answers, call, RW_ANSWER_SHORT, (RwCut){1, (uint32_t)length - 1});
}

// Whoever does not want to wait gets what fits, whoever waits only where a signal ends that: write(2),
// send(2), pipe(7).
static void add_short_write(RwAnswers *answers, uint32_t pid, const RwCall *call, uint64_t length)
{
    guint kind = rw_stands_get_fd(&answers->stands, pid, call->arguments[0]);
    bool waits = !rw_stands_told(&answers->stands, pid, call);
    bool stream = (kind & RW_FD_KIND) == RW_FD_STREAM ||
                  ((kind & RW_FD_KIND) == RW_FD_PIPE && call->arguments[2] > PIPE_BUF);
    if (stream && length > 1 && length <= UINT32_MAX &&
        (!waits || rw_stands_has_handler(&answers->stands, pid, false)))
        add(answers, call, RW_ANSWER_SHORT, (RwCut){1, (uint32_t)length - 1});
}

// What is written into pipes: by the time that others read it.
static void note_written(RwAnswers *answers, uint32_t pid, const RwCall *call)
{
    guint kind = rw_stands_get_fd(&answers->stands, pid, call->arguments[0]) & RW_FD_KIND;
    if (kind != RW_FD_PIPE || !call->object)
        return;
    if (call->number == CALL_WRITE)
        rw_flows_write(answers->flows, call->object, call->arguments[2]);
    else if (call->number == CALL_WRITEV || call->number == CALL_SENDFILE ||
             call->number == CALL_VMSPLICE || call->number == CALL_SPLICE || call->number == CALL_TEE ||
             call->number == CALL_READV)
        rw_flows_spoil(answers->flows, call->object);
}

// ---- EINTR ----

static bool is_wait(const RwCall *call)
{
    uint64_t command = call->arguments[1] & ~(uint64_t)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    return call->number == CALL_FUTEX && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

// Never started again after a handler, whatever flags that has: signal(7).
static bool waits_for_events(const RwCall *call)
{
    return call->number == CALL_POLL || call->number == CALL_EPOLL_WAIT ||
           call->number == CALL_EPOLL_PWAIT || call->number == CALL_SELECT ||
           call->number == CALL_PSELECT6 || call->number == CALL_PPOLL;
}

static bool waits_for_others(const RwAnswers *answers, uint32_t pid, const RwCall *call)
{
    guint kind = rw_stands_get_fd(&answers->stands, pid, call->arguments[0]) & RW_FD_KIND;
    switch (call->number) {
    case CALL_READ:
    case CALL_READV:
    case CALL_RECVFROM:
    case CALL_RECVMSG:
    case CALL_ACCEPT:
    case CALL_ACCEPT4:
        return kind == RW_FD_PIPE || kind == RW_FD_STREAM;
    case CALL_WAIT4:
    case CALL_WAITID:
        return true;
    case CALL_FLOCK:
        return !(call->arguments[1] & LOCK_UN);
    default:
        return is_wait(call);
    }
}

static bool may_be_interrupted(const RwAnswers *answers, uint32_t pid, const RwCall *call)
{
    bool events = waits_for_events(call);
    return (events || waits_for_others(answers, pid, call)) &&
           !rw_stands_told(&answers->stands, pid, call) &&
           rw_stands_has_handler(&answers->stands, pid, !events);
}

// ---- Directories ----

// Whether there are two that have names of their own: struct linux_dirent64.
static bool has_entries(const RwAnswers *answers, const RwCall *call, uint64_t size)
{
    uint8_t bytes[ENTRIES_BYTES];
    guint n = 0;
    size = MIN(size, sizeof bytes);
    if (!rw_machine_read_user(answers->machine, call->arguments[1], bytes, size))
        return false;
    for (uint64_t at = 0, length; at + 20 <= size && n < 2; at += length) {
        length = rw_load_u16(bytes + at + 16);
        n += bytes[at + 19] != '.';
        if (length < 20)
            break;
    }
    return n > 1;
}

// ---- Coming and going ----

static bool makes_task(const RwCall *call)
{
    return call->number == CALL_CLONE || call->number == CALL_FORK || call->number == CALL_VFORK ||
           call->number == CALL_CLONE3;
}

// A program's own, not what starts it.
static bool takes_memory(const RwAnswers *answers, uint32_t pid, const RwCall *call, int64_t result)
{
    if (!g_hash_table_contains(answers->stands.begun, GUINT_TO_POINTER(pid)))
        return false;
    if (call->number == CALL_BRK)
        return call->arguments[0] && (uint64_t)result == call->arguments[0];
    return call->number == CALL_MMAP && call->arguments[3] & MAP_ANONYMOUS &&
           !(call->arguments[3] & MAP_FIXED);
}

static bool writes_file(const RwAnswers *answers, uint32_t pid, const RwCall *call)
{
    bool writes =
        call->number == CALL_WRITE || call->number == CALL_PWRITE64 || call->number == CALL_WRITEV;
    return writes && rw_stands_get_fd(&answers->stands, pid, call->arguments[0]) == RW_FD_FILE;
}

void rw_answers_enter(RwAnswers *answers, uint32_t pid, const RwCall *call)
{
    rw_stands_enter(&answers->stands, pid, call);
    note_written(answers, pid, call);
}

static void add_errors(RwAnswers *answers, uint32_t pid, const RwCall *call, int64_t result)
{
    RwCut none = {0, 0};
    if (may_be_interrupted(answers, pid, call))
        add(answers, call, RW_ANSWER_EINTR, none);
    if (makes_task(call) && result > 0)
        add(answers, call, RW_ANSWER_EAGAIN, none);
    if (takes_memory(answers, pid, call, result))
        add(answers, call, RW_ANSWER_ENOMEM, none);
    if (writes_file(answers, pid, call) && result > 0)
        add(answers, call, RW_ANSWER_ENOSPC, none);
    if (call->number == CALL_GETDENTS64 && has_entries(answers, call, (uint64_t)result))
        add(answers, call, RW_ANSWER_READDIR, none);
}

void rw_answers_back(RwAnswers *answers, uint32_t pid, const RwCall *call, int64_t result)
{
    bool reads = call->number == CALL_READ || call->number == CALL_RECVFROM;
    bool writes = call->number == CALL_WRITE || call->number == CALL_SENDTO;
    rw_stands_back(&answers->stands, pid, call, result);
    if (result < 0)
        return;
    if (is_wait(call))
        add(answers, call, RW_ANSWER_WAKEUP, (RwCut){0, 0});
    if (reads && result > 0)
        add_short_read(answers, pid, call, (uint64_t)result);
    if (writes && result > 0)
        add_short_write(answers, pid, call, (uint64_t)result);
    add_errors(answers, pid, call, result);
}
