// SPDX-License-Identifier: MIT
//
// The machine is brought to where a hold begins and to where it ends: there the held task, and then the one
// that it waited for, has the CPU and stands at its place.
#include "rw-explain.h"

#include "rw-caller.h"
#include "rw-inspect.h"
#include "rw-procs.h"
#include "rw-timeline.h"

#define SYSCALL_LENGTH 2 // bytes of the instruction

typedef struct {
    RwTimeline *timeline;
    RwTrace *trace;
    RwSymbols *symbols;
    GCancellable *cancellable;
} Explain;

static void clear_side(RwExplainedSide *side)
{
    for (size_t i = 0; i < side->n; i++)
        rw_symbol_clear(&side->frames[i]);
    g_free(side->frames);
    g_free(side->program);
}

static void free_explained(gpointer data)
{
    RwExplained *explained = data;
    clear_side(&explained->held);
    clear_side(&explained->passed);
    g_free(explained);
}

// ---- Steps ----

static bool is_cancelled(const GError *error)
{
    return g_error_matches(error, RW_ERROR, RW_ERROR_CANCELLED);
}

// The places of who has ended are those of its last steps.
static bool is_end(const RwHoldAnswer *answer, const RwTraceItem *item)
{
    const RwHoldSide *passed = &answer->passed;
    if (passed->place.kind == RW_PLACE_END)
        return !item->is_step && item->record.type == REWIND_RECORD_EXIT && item->record.tid == passed->tid;
    return item->is_step && item->info.perturb.release == answer->index + 1;
}

// When that which the hold waited for was passed; 0: it was not.
static bool find_end(const Explain *explain, const RwHoldAnswer *answer, uint64_t *ret_step, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(explain->trace, answer->step, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    *ret_step = 0;
    while (!*ret_step && more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0)
        if (is_end(answer, &item))
            *ret_step = item.step;
    return more >= 0;
}

// ---- Programs ----

typedef struct {
    uint32_t pid;
    char *name;
} Name;

// What runs scripts is of less interest than the script, which is its first argument.
static bool is_interpreter(const char *program)
{
    static const char *const names[] = {"sh", "ash", "bash", "dash", "ksh", "zsh", "perl", "ruby"};
    g_autofree char *name = g_path_get_basename(program);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return g_str_has_prefix(name, "python");
}

static char *dup_name(char **argv)
{
    bool script = argv[0] && argv[1] && argv[1][0] != '-' && is_interpreter(argv[0]);
    return script ? g_strdup_printf("%s %s", argv[0], argv[1]) : g_strdup(argv[0]);
}

static bool take_name(const RwProc *proc, guint depth, void *data)
{
    Name *name = data;
    if (proc->pid != name->pid || proc->tid != proc->pid || !proc->argv)
        return true;
    g_free(name->name);
    name->name = dup_name(proc->argv);
    return true;
}

static char *dup_program(const Explain *explain, uint32_t pid, uint64_t step)
{
    Name name = {.pid = pid};
    g_autoptr(RwProcs) procs = rw_procs_new(explain->trace, step, NULL);
    if (procs)
        rw_procs_walk(procs, true, take_name, &name);
    return name.name;
}

// ---- Who called ----

static bool is_own(const RwInspectThread *thread, const RwSymbol *frame)
{
    return frame->path && !g_strcmp0(frame->path, thread->program);
}

// The program's, or those of a library whose source is there, too.
static bool has_own_line(const RwInspectThread *thread, const RwSymbol *frame)
{
    return frame->line && (is_own(thread, frame) || frame->text);
}

static bool has_own_function(const RwInspectThread *thread, const RwSymbol *frame)
{
    return frame->function && is_own(thread, frame);
}

static size_t find_frame(const RwInspectThread *thread,
                         bool (*good)(const RwInspectThread *thread, const RwSymbol *frame))
{
    for (size_t i = 0; i < thread->n; i++)
        if (good(thread, &thread->frames[i]))
            return i;
    return thread->n;
}

static void take_frames(RwInspectThread *thread, RwExplainedSide *side)
{
    size_t caller = find_frame(thread, has_own_line);
    if (caller == thread->n)
        caller = find_frame(thread, has_own_function);
    side->caller = caller < thread->n ? caller : 0;
    side->frames = g_memdup2(thread->frames, thread->n * sizeof *thread->frames);
    side->n = thread->n;
    thread->n = 0;
}

const RwSymbol *rw_explained_shown(const RwExplainedSide *side)
{
    const RwSymbol *at = side->frames, *caller = at + side->caller;
    if (!side->n)
        return NULL;
    if (caller->line)
        return caller;
    if (at->line || at->function)
        return at;
    return caller->function ? caller : at->path ? at : NULL;
}

// ---- Sides ----

// The instruction of the place, of a task that stands there; 0: its next one.
static uint64_t instruction_of(RwMachine *machine, const RwPlace *place)
{
    RwUserRegisters registers;
    if (place->further && place->kind != RW_PLACE_UNSEEN)
        return 0;
    if (rw_place_is_instruction(place))
        return place->number;
    if (place->kind != RW_PLACE_RETURN || !rw_machine_user_registers(machine, &registers))
        return 0;
    return registers.ip - SYSCALL_LENGTH;
}

// A place that nobody stands at any more, or not yet.
static void find_address(const Explain *explain, RwMachine *machine, const RwHoldSide *side,
                         RwExplainedSide *ret)
{
    const RwPlace *place = &side->place;
    bool behind = place->further && place->kind != RW_PLACE_UNSEEN;
    if (!side->pid || behind || !rw_place_is_instruction(place))
        return;
    RwInspectAddresses what = {side->pid, &place->number, 1};
    RwSymbol found = {0};
    rw_inspect_where(machine, explain->symbols, &what, &found, explain->cancellable, NULL);
    ret->frames = g_memdup2(&found, sizeof found);
    ret->n = 1;
}

static bool look(const Explain *explain, const RwHoldSide *side, RwMachine *machine, RwMachine *asked,
                 RwExplainedSide *ret)
{
    g_autoptr(GError) local = NULL;
    RwInspectThread thread = {0};
    bool ok = rw_inspect_thread(machine, asked, explain->symbols, instruction_of(machine, &side->place),
                                &thread, explain->cancellable, &local);
    if (ok)
        take_frames(&thread, ret);
    rw_inspect_thread_clear(&thread);
    return ok || is_cancelled(local);
}

// A machine to be asked, at a step.
static RwMachine *fork_at(const Explain *explain, uint64_t step, GError **error)
{
    RwPosition position = {step, 0};
    return rw_timeline_go(explain->timeline, &position, explain->cancellable, error)
               ? rw_timeline_fork(explain->timeline, error)
               : NULL;
}

// Whoever has the CPU there may be another one: a hold also ends when nobody can run, and with its time.
static bool explain_side(const Explain *explain, const RwHoldSide *side, uint64_t step,
                         RwExplainedSide *ret, GError **error)
{
    bool ends = side->place.kind == RW_PLACE_END;
    RwUserRegisters registers;
    ret->program = side->pid ? dup_program(explain, side->pid, step) : NULL;
    RwMachine *before = ends ? fork_at(explain, step - 1, error) : NULL;
    RwMachine *machine = ends && !before ? NULL : fork_at(explain, step, error);
    if (machine) {
        bool there =
            side->tid && rw_machine_user_registers(machine, &registers) && registers.tid == side->tid;
        if (!there || !look(explain, side, machine, before ? before : machine, ret))
            find_address(explain, machine, side, ret);
    }
    rw_timeline_give_back(explain->timeline, before);
    rw_timeline_give_back(explain->timeline, machine);
    return machine && rw_check_cancelled(explain->cancellable, error);
}

static RwExplained *explain_one(const Explain *explain, const RwHoldAnswer *answer, GError **error)
{
    RwExplained *ret = g_new0(RwExplained, 1);
    uint64_t end = 0;
    bool ok = explain_side(explain, &answer->held, answer->step, &ret->held, error);
    if (ok && answer->hold.until == RW_UNTIL_PASSED)
        ok = find_end(explain, answer, &end, error) &&
             explain_side(explain, &answer->passed, end ? end : answer->step, &ret->passed, error);
    if (ok)
        return ret;
    free_explained(ret);
    return NULL;
}

GPtrArray *rw_explain_holds(const RwAgain *again, const GPtrArray *answers, GCancellable *cancellable,
                            GError **error)
{
    g_autofree char *path = g_build_filename(again->seek.dir, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, error);
    if (!trace)
        return NULL;
    RwTimelineConfig config = {.seek = &again->seek, .trace = trace};
    g_autoptr(RwTimeline) timeline = rw_timeline_new(&config, error);
    if (!timeline)
        return NULL;
    g_autoptr(RwSymbols) symbols = rw_symbols_new();
    g_autoptr(GPtrArray) ret = g_ptr_array_new_with_free_func(free_explained);
    Explain explain = {timeline, trace, symbols, cancellable};
    for (guint i = 0; i < answers->len; i++) {
        RwExplained *one = explain_one(&explain, answers->pdata[i], error);
        if (!one)
            return NULL;
        g_ptr_array_add(ret, one);
    }
    return g_steal_pointer(&ret);
}
