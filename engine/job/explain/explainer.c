// SPDX-License-Identifier: MIT
//
// Where a thread is in its program at a position of a run.
#include "explain-private.h"

#include "rw-caller.h"
#include "rw-debuginfo.h"

void rw_explained_clear(RwExplainedSide *side)
{
    for (size_t i = 0; i < side->n; i++)
        rw_symbol_clear(&side->frames[i]);
    g_free(side->frames);
    g_free(side->program);
    *side = (RwExplainedSide){0};
}

RwExplainer *rw_explainer_new(const RwAgain *again, GCancellable *cancellable, GError **error)
{
    g_autofree char *path = g_build_filename(again->seek.dir, "trace", NULL);
    RwExplainer *e = g_new0(RwExplainer, 1);
    e->cancellable = cancellable;
    e->symbols = rw_debuginfo_symbols_new(cancellable);
    e->trace = rw_trace_open(path, error);
    RwTimelineConfig config = {.seek = &again->seek, .trace = e->trace};
    e->timeline = e->trace ? rw_timeline_new(&config, error) : NULL;
    if (e->timeline)
        return e;
    rw_explainer_free(e);
    return NULL;
}

void rw_explainer_free(RwExplainer *e)
{
    if (!e)
        return;
    rw_timeline_free(e->timeline);
    rw_symbols_free(e->symbols);
    g_clear_pointer(&e->trace, rw_trace_free);
    g_free(e);
}

// ---- Who called ----

static bool is_own(const RwInspectTask *task, const RwSymbol *symbol)
{
    return symbol->path && !g_strcmp0(symbol->path, task->executable);
}

// The program's, or those of a library whose source is there, too.
static bool has_own_line(const RwInspectTask *task, const RwSymbol *symbol)
{
    return symbol->line && (is_own(task, symbol) || symbol->text);
}

static bool has_own_function(const RwInspectTask *task, const RwSymbol *symbol)
{
    return symbol->function && is_own(task, symbol);
}

// Not one of those that came with Python.
static bool has_script_line(const RwInspectTask *task, const RwSymbol *symbol)
{
    return symbol->text && !strstr(symbol->file, "/lib/python3");
}

static bool has_own_name(const RwInspectTask *task, const RwSymbol *symbol)
{
    return has_own_line(task, symbol) || has_own_function(task, symbol);
}

typedef bool (*IsGood)(const RwInspectTask *task, const RwSymbol *symbol);

static size_t find_frame(const RwInspectTask *task, const RwExplainedSide *side, size_t from, IsGood good)
{
    for (size_t i = from; i < side->n; i++)
        if (good(task, &side->frames[i]))
            return i;
    return side->n;
}

// A library's line that nobody can read here says less than its function, and is known on some hosts only.
static void forget_line(const RwInspectTask *task, RwSymbol *symbol)
{
    if (has_own_line(task, symbol))
        return;
    g_clear_pointer(&symbol->file, g_free);
    symbol->line = 0;
}

void rw_explained_take_frames(RwExplainedSide *side, const GPtrArray *frames)
{
    side->frames = g_renew(RwSymbol, side->frames, side->n + (frames ? frames->len : 0) + 1);
    for (guint i = 0; frames && i < frames->len; i++) {
        RwInspectFrame *frame = frames->pdata[i];
        side->frames[side->n++] = frame->symbol;
        frame->symbol = (RwSymbol){0};
    }
}

// A script's own functions come behind those of what executes it.
static void take_task(RwInspectTask *task, RwExplainedSide *side)
{
    guint own = task->frames ? task->frames->len : 0, script = task->script ? task->script->len : 0;
    rw_explained_take_frames(side, task->frames);
    for (guint i = 0; i < own; i++)
        forget_line(task, &side->frames[i]);
    rw_explained_take_frames(side, task->script);
    size_t caller =
        script ? find_frame(task, side, own, has_script_line) : find_frame(task, side, 0, has_own_line);
    if (caller == side->n)
        caller = script ? own : find_frame(task, side, 0, has_own_function);
    side->caller = caller < side->n ? caller : 0;
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

// ---- Looking ----

bool rw_explainer_go(RwExplainer *e, const RwPosition *position, bool ends, RwMachine **ret_asked,
                     GError **error)
{
    RwPosition before = {
        position->step - (ends && position->step > rw_timeline_get_start(e->timeline).step), 0};
    *ret_asked = NULL;
    if (ends && rw_timeline_go(e->timeline, &before, e->cancellable, error))
        *ret_asked = rw_timeline_fork(e->timeline, error);
    if ((ends && !*ret_asked) || !rw_timeline_go(e->timeline, position, e->cancellable, error))
        return false;
    if (!ends)
        *ret_asked = rw_timeline_fork(e->timeline, error);
    return *ret_asked != NULL;
}

bool rw_explainer_look(RwExplainer *e, RwMachine *asked, uint64_t at, RwExplainedSide *ret, bool *ret_named)
{
    RwInspectPlaces what = {.at = at};
    RwMachine *machine = rw_timeline_get_machine(e->timeline);
    RwInspectTask *task = rw_inspect_running(machine, asked, e->symbols, &what, e->cancellable, NULL);
    if (task)
        take_task(task, ret);
    *ret_named = task && (task->script || find_frame(task, ret, 0, has_own_name) < ret->n);
    rw_inspect_task_free(task);
    return ret->n > 0;
}

bool rw_explainer_has_cpu(RwExplainer *e, uint32_t tid)
{
    RwUserRegisters registers;
    return tid && rw_machine_user_registers(rw_timeline_get_machine(e->timeline), &registers) &&
           registers.tid == tid;
}

bool rw_explainer_covers(const RwExplainer *e, const RwPosition *position)
{
    RwPosition start = rw_timeline_get_start(e->timeline);
    return rw_position_compare(position, &start) >= 0;
}

bool rw_explainer_find(RwExplainer *e, const RwPosition *position, uint32_t tid, bool ends,
                       RwExplainedSide *ret, GError **error)
{
    RwMachine *asked;
    *ret = (RwExplainedSide){0};
    bool ok = rw_explainer_go(e, position, ends, &asked, error), named;
    if (ok && rw_explainer_has_cpu(e, tid))
        rw_explainer_look(e, asked, 0, ret, &named);
    rw_timeline_give_back(e->timeline, asked);
    return ok && rw_check_cancelled(e->cancellable, error);
}
