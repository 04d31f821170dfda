// SPDX-License-Identifier: MIT
//
// The machine is brought to where a hold begins and to where it ends: there the held task, and then the one
// that it waited for, has the CPU and stands at its place.
#include "explain-private.h"

#include "rw-caller.h"
#include "rw-procs.h"

#define SYSCALL_LENGTH 2 // bytes of the instruction

void rw_explained_free(void *data)
{
    RwExplained *explained = data;
    if (!explained)
        return;
    rw_explained_clear(&explained->held);
    rw_explained_clear(&explained->passed);
    g_free(explained);
}

// ---- Steps ----

// The places of who has ended are those of its last steps.
static bool is_end(const RwHoldAnswer *answer, const RwTraceItem *item)
{
    const RwHoldSide *passed = &answer->passed;
    if (passed->place.kind == RW_PLACE_END)
        return !item->is_step && item->record.type == REWIND_RECORD_EXIT && item->record.tid == passed->tid;
    return item->is_step && item->info.perturb.release == answer->index + 1;
}

// When that which the hold waited for was passed; 0: it was not.
static bool find_end(const RwExplainer *explain, const RwHoldAnswer *answer, uint64_t *ret_step,
                     GError **error)
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

// What is behind its options; of a script that is an argument itself there is none.
static const char *find_script(char **argv)
{
    for (char **arg = argv + 1; *arg; arg++)
        if ((*arg)[0] != '-')
            return *arg;
        else if (strpbrk(*arg, "cem") && (*arg)[1] != '-')
            return NULL;
    return NULL;
}

static char *dup_name(char **argv)
{
    const char *script = argv[0] && is_interpreter(argv[0]) ? find_script(argv) : NULL;
    return script ? g_strdup_printf("%s %s", argv[0], script) : g_strdup(argv[0]);
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

static char *dup_program(const RwExplainer *explain, uint32_t pid, uint64_t step)
{
    Name name = {.pid = pid};
    g_autoptr(RwProcs) procs = rw_procs_new(explain->trace, step, NULL);
    if (procs)
        rw_procs_walk(procs, true, take_name, &name);
    return name.name;
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
static void find_address(const RwExplainer *explain, RwMachine *machine, const RwHoldSide *side,
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

// Whoever has the CPU there may be another one: a hold also ends when nobody can run, and with its time.
static bool explain_side(RwExplainer *explain, const RwHoldSide *side, uint64_t step, RwExplainedSide *ret,
                         GError **error)
{
    RwPosition position = {step, 0};
    RwMachine *asked;
    ret->program = side->pid ? dup_program(explain, side->pid, step) : NULL;
    bool ok = rw_explainer_go(explain, &position, side->place.kind == RW_PLACE_END, &asked, error);
    RwMachine *machine = ok ? rw_timeline_get_machine(explain->timeline) : NULL;
    bool named = true,
         there = ok && rw_explainer_has_cpu(explain, side->tid) &&
                 rw_explainer_look(explain, asked, instruction_of(machine, &side->place), ret, &named);
    if (ok && !there)
        find_address(explain, asked, side, ret);
    rw_timeline_give_back(explain->timeline, asked);
    bool first = side->tid == side->pid && side->place.kind != RW_PLACE_START;
    if (there && !named && first) // of a thread it says nothing
        rw_explainer_add_starter(explain, side->pid, step, ret);
    return ok && rw_check_cancelled(explain->cancellable, error);
}

static RwExplained *explain_one(RwExplainer *explain, const RwHoldAnswer *answer, GError **error)
{
    RwExplained *ret = g_new0(RwExplained, 1);
    uint64_t end = 0;
    bool ok = explain_side(explain, &answer->held, answer->step, &ret->held, error);
    if (ok && answer->hold.until == RW_UNTIL_PASSED)
        ok = find_end(explain, answer, &end, error) &&
             explain_side(explain, &answer->passed, end ? end : answer->step, &ret->passed, error);
    if (ok)
        return ret;
    rw_explained_free(ret);
    return NULL;
}

GPtrArray *rw_explain_holds(const RwAgain *again, const GPtrArray *answers, GCancellable *cancellable,
                            GError **error)
{
    g_autoptr(RwExplainer) explain = rw_explainer_new(again, cancellable, error);
    if (!explain)
        return NULL;
    g_autoptr(GPtrArray) ret = g_ptr_array_new_with_free_func(rw_explained_free);
    for (guint i = 0; i < answers->len; i++) {
        RwExplained *one = explain_one(explain, answers->pdata[i], error);
        if (!one)
            return NULL;
        g_ptr_array_add(ret, one);
    }
    return g_steal_pointer(&ret);
}

const char *rw_explained_program(const RwExplainedSide *explained, const RwHoldSide *side)
{
    return explained && explained->program ? explained->program : side->program;
}
