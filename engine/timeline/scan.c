// SPDX-License-Identifier: MIT
//
// Executing with an eye on conditions: points are stopped at, accesses are told.
#include "scan-private.h"

#include "rw-bytes.h"

// ---- What was met ----

static bool is_better(const RwScan *s, const RwSeen *a, const RwSeen *b)
{
    int order = rw_spot_compare(&a->spot, &b->spot);
    return order ? (order < 0) == s->forward : a->hit.which < b->hit.which;
}

void rw_scan_take(RwScan *s, const RwSeen *seen)
{
    if (s->has && !is_better(s, seen, &s->best))
        return;
    s->has = true;
    s->best = *seen;
}

const RwSeen *rw_scan_get(const RwScan *s)
{
    return s->has ? &s->best : NULL;
}

bool rw_scan_covers(const RwScan *s, const RwSpot *spot)
{
    return rw_spot_compare(spot, &s->after) > 0 && rw_spot_compare(spot, &s->before) < 0;
}

static void fill_program(RwMachine *machine, RwWhenHit *hit)
{
    const char *path = rw_machine_get_program(machine, hit->pid);
    size_t length = path ? strlen(path) : 0, most = sizeof hit->program - 1;
    g_strlcpy(hit->program, path ? path + (length > most ? length - most : 0) : "", sizeof hit->program);
}

RwSeen rw_scan_seen(RwScan *s, size_t which, const RwSpot *spot)
{
    RwSeen seen = {.spot = *spot};
    seen.hit.which = which;
    seen.hit.position = rw_spot_position(spot);
    seen.hit.icount = spot->icount;
    seen.hit.number = RW_WHEN_ANY;
    rw_machine_get_current(s->timeline->machine, &seen.hit.pid, &seen.hit.tid);
    fill_program(s->timeline->machine, &seen.hit);
    return seen;
}

// ---- Points ----

static bool is_by(const RwScan *s, const RwWhen *when)
{
    uint32_t pid, tid;
    rw_machine_get_current(s->timeline->machine, &pid, &tid);
    return (!when->pid || when->pid == pid) && (!when->tid || when->tid == tid);
}

static void note_point(RwScan *s, size_t which, const RwCpuState *cpu, uint64_t number)
{
    RwSpot spot = rw_timeline_spot(s->timeline);
    if (!rw_scan_covers(s, &spot) || !is_by(s, &s->whens[which]))
        return;
    RwSeen seen = rw_scan_seen(s, which, &spot);
    seen.hit.rip = cpu->rip;
    seen.hit.kernel = (cpu->seg[RW_CS].selector & 3) != 3;
    seen.hit.number = number;
    const RwWhen *when = &s->whens[which];
    if (when->kind == RW_WHEN_RETURN && number == RW_WHEN_ANY && !s->takes_all) {
        RwUnsure unsure = {seen, when->number};
        g_array_append_val(s->unsure, unsure);
    } else {
        rw_scan_take(s, &seen);
    }
}

static void meet_code(RwScan *s, const RwCpuState *cpu)
{
    for (size_t i = 0; i < s->n; i++) {
        const RwWhen *when = &s->whens[i];
        if (when->kind == RW_WHEN_CODE && when->address == cpu->rip &&
            (!when->root || when->root == rw_machine_root(s->timeline->machine)) &&
            (!when->holds || when->holds(s->timeline->machine, when->data)))
            note_point(s, i, cpu, RW_WHEN_ANY);
    }
}

static void meet_kind(RwScan *s, RwWhenKind kind, const RwCpuState *cpu, uint64_t number)
{
    for (size_t i = 0; i < s->n; i++) {
        const RwWhen *when = &s->whens[i];
        if (when->kind == kind &&
            (when->number == RW_WHEN_ANY || number == RW_WHEN_ANY || when->number == number))
            note_point(s, i, cpu, number);
    }
}

// ---- System calls ----

#define SYSCALL_LENGTH 2 // bytes of the instruction, 0f 05
enum { CALL_EXECVE = 59, CALL_EXECVEAT = 322 };
enum { RAX = 0, RCX = 1, RSP = 4 };

typedef struct {
    uint64_t number, rip;
} Call;

// A fault of the schedule has made it a call that is none, for the kernel.
static bool is_struck(const Call *call, const RwCpuState *cpu)
{
    return cpu->gpr[RAX] == UINT64_MAX && (!call || call->rip == cpu->rip);
}

static void meet_call(RwScan *s, const RwCpuState *cpu)
{
    uint32_t pid, tid;
    rw_machine_get_current(s->timeline->machine, &pid, &tid);
    if (is_struck(g_hash_table_lookup(s->calls, GUINT_TO_POINTER(tid)), cpu))
        return;
    Call *call = g_new(Call, 1);
    *call = (Call){cpu->gpr[RAX], cpu->rip};
    g_hash_table_insert(s->calls, GUINT_TO_POINTER(tid), call);
    meet_kind(s, RW_WHEN_CALL, cpu, call->number);
}

static bool is_back(const Call *call, uint64_t rip)
{
    bool executes = call->number == CALL_EXECVE || call->number == CALL_EXECVEAT;
    return executes ? rip != call->rip : rip == call->rip + SYSCALL_LENGTH;
}

static bool is_new_program(const RwCpuState *cpu)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(cpu->gpr); i++)
        any |= i == RSP ? 0 : cpu->gpr[i];
    return !any;
}

// Of a thread that was not seen to enter a call: SYSCALL leaves RCX so, and the kernel keeps it.
static bool looks_back(RwMachine *machine, const RwCpuState *cpu)
{
    uint8_t bytes[SYSCALL_LENGTH];
    if (is_new_program(cpu))
        return true;
    return cpu->gpr[RCX] == cpu->rip &&
           rw_machine_read_user(machine, cpu->rip - SYSCALL_LENGTH, bytes, sizeof bytes) &&
           bytes[0] == 0x0f && bytes[1] == 0x05;
}

static void meet_user(RwScan *s, const RwCpuState *cpu)
{
    static const Call none = {.number = RW_WHEN_ANY};
    uint32_t pid, tid;
    meet_kind(s, RW_WHEN_USER, cpu, RW_WHEN_ANY);
    if (!s->breaks.stops.calls)
        return;
    rw_machine_get_current(s->timeline->machine, &pid, &tid);
    gpointer key = GUINT_TO_POINTER(tid);
    const Call *call = g_hash_table_lookup(s->calls, key);
    bool known = call && call->number != RW_WHEN_ANY;
    if (known ? !is_back(call, cpu->rip)
              : (call && call->number == RW_WHEN_ANY) || !looks_back(s->timeline->machine, cpu))
        return;
    uint64_t number = known ? call->number : RW_WHEN_ANY;
    g_hash_table_insert(s->calls, key, g_memdup2(&none, sizeof none));
    meet_kind(s, RW_WHEN_RETURN, cpu, number);
}

static void meet(RwScan *s, RwExitKind kind)
{
    RwCpuState cpu;
    rw_machine_get_cpu(s->timeline->machine, &cpu);
    if (kind == RW_EXIT_AT)
        meet_code(s, &cpu);
    else if (kind == RW_EXIT_CALL)
        meet_call(s, &cpu);
    else
        meet_user(s, &cpu);
}

void rw_scan_take_all(RwScan *s)
{
    s->takes_all = true;
}

const GArray *rw_scan_get_unsure(const RwScan *s)
{
    return s->unsure;
}

void rw_scan_forget_unsure(RwScan *s)
{
    if (s->forward && s->unsure->len)
        s->after = g_array_index(s->unsure, RwUnsure, s->unsure->len - 1).seen.spot;
    g_array_set_size(s->unsure, 0);
}

// ---- What the machine is to tell ----

static void add_when(const RwWhen *when, RwBreaks *breaks, bool *memory)
{
    switch (when->kind) {
    case RW_WHEN_CODE:
        breaks->stops.addresses[breaks->stops.n++] = when->address;
        breaks->stops.kernel |= when->address >> 63;
        break;
    case RW_WHEN_READ:
    case RW_WHEN_WRITTEN:
    case RW_WHEN_CHANGED:
        *memory = true;
        break;
    case RW_WHEN_RETURN:
        breaks->stops.returns = true;
        breaks->stops.calls = true;
        break;
    case RW_WHEN_CALL:
        breaks->stops.calls = true;
        break;
    case RW_WHEN_USER:
        breaks->stops.returns = true;
        break;
    default:
        break;
    }
}

RwScan *rw_scan_new(RwTimeline *t, const RwWhen *whens, size_t n, bool forward, const RwSpot *after,
                    const RwSpot *before)
{
    RwScan *s = g_new0(RwScan, 1);
    G_STATIC_ASSERT(RW_WHENS_MAX <= RW_WATCHER_ADDRESSES);
    *s = (RwScan){.timeline = t, .whens = whens, .n = n, .forward = forward};
    s->after = *after;
    s->before = *before;
    s->calls = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    s->unsure = g_array_new(false, false, sizeof(RwUnsure));
    for (size_t i = 0; i < n; i++) {
        add_when(&whens[i], &s->breaks, &s->watches);
        s->needed |= t->branch && whens[i].kind == RW_WHEN_EVENT;
    }
    s->needed |= s->watches || s->breaks.stops.n || s->breaks.stops.calls || s->breaks.stops.returns;
    if (s->watches)
        rw_scan_add_watch(s);
    return s;
}

void rw_scan_free(RwScan *s)
{
    if (s->watches)
        rw_scan_remove_watch(s);
    g_hash_table_unref(s->calls);
    g_array_unref(s->unsure);
    g_free(s);
}

bool rw_scan_is_needed(const RwScan *s)
{
    return s->needed;
}

bool rw_scan_watches(const RwScan *s)
{
    return s->watches;
}

// ---- Executing ----

static bool is_over(const RwScan *s)
{
    return s->forward && (s->has || s->unsure->len);
}

static bool run(RwScan *s, const RwSpot *to, GCancellable *cancellable, GError **error)
{
    RwTimeline *t = s->timeline;
    uint64_t stop = rw_machine_icount(t->machine) + RW_TIMELINE_SPACING;
    while (!is_over(s)) {
        RwSpot before = rw_timeline_spot(t);
        if (before.icount >= to->icount && (before.step >= to->step || to->step == UINT64_MAX))
            return true;
        if (!rw_timeline_advance(t, to, stop, cancellable, error))
            return false;
        RwExitKind kind = rw_machine_get_break(t->machine);
        rw_scan_settle(s);
        if (kind)
            meet(s, kind);
        RwSpot now = rw_timeline_spot(t);
        if (!kind && !s->left && !rw_spot_compare(&now, &before))
            return true; // it has ended
        s->left = false;
        if (now.icount < stop)
            continue;
        stop = now.icount + RW_TIMELINE_SPACING;
        if (!rw_timeline_keep(t, error))
            return false;
    }
    return true;
}

bool rw_scan_run(RwScan *s, const RwSpot *to, GCancellable *cancellable, GError **error)
{
    if (!s->forward)
        g_hash_table_remove_all(s->calls); // it is another stretch
    rw_machine_set_breaks(s->timeline->machine, &s->breaks);
    if (s->watches)
        rw_scan_find_pages(s);
    if (s->timeline->branch)
        rw_branch_set_scan(s->timeline, s);
    bool ok = run(s, to, cancellable, error);
    if (s->timeline->branch)
        rw_branch_set_scan(s->timeline, NULL);
    if (s->timeline->machine)
        rw_machine_set_breaks(s->timeline->machine, NULL);
    return ok;
}
