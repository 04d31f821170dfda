// SPDX-License-Identifier: MIT
//
// Where every thread is in its program, at any instruction. Threads, their registers and memory are read
// from the guest's memory; only for the programs' files the guest is asked, in a machine of its own.
#include "inspect-private.h"

#include "rw-caller.h"
#include "rw-kernel.h"

#include <string.h>

#define STACK_MAX (64u << 10) // bytes of each thread's that are looked at
#define PLACED_MAX 1024u // threads whose frames are looked for
#define ARGUMENTS_MAX (64u << 10)
#define PART 512u // bytes: all of them are there or none
#define SOURCE_AROUND 2u // lines before and after

typedef struct {
    RwKernel *kernel; // NULL: the guest tells nothing of it
    RwMachine *machine, *asked;
    RwSymbols *symbols;
    const RwInspectPlaces *what;
    GCancellable *cancellable;
    // Of the process that was looked at last.
    RwInspectLook look;
    char *maps, *executable;
    GPtrArray *mappings; // of RwKernelMapping*
    uint64_t mm;
} Places;

// ---- Memory of a process ----

// Of a page that the process has not touched so far: what the kernel has of its file.
static size_t read_untouched(const Places *places, uint64_t va, void *ret, size_t length)
{
    const RwKernelMapping *mapping = rw_kernel_mapping_at(places->mappings, va);
    if (!mapping || !mapping->file)
        return 0;
    length = MIN(length, 4096 - va % 4096);
    return rw_kernel_read_file(places->kernel, mapping->file, va - mapping->start + mapping->offset, ret,
                               length);
}

// In the address space that is in use.
static size_t read_running(const Places *places, uint64_t va, uint8_t *ret, size_t length)
{
    size_t done = 0;
    while (done < length) {
        size_t part = MIN(length - done, PART - (va + done) % PART);
        if (!rw_machine_read_user(places->machine, va + done, ret + done, part))
            break;
        done += part;
    }
    return done;
}

static size_t read_memory(uint64_t va, void *ret, size_t length, void *data)
{
    const Places *places = data;
    size_t done = 0;
    if (!places->kernel)
        return read_running(places, va, ret, length);
    while (done < length) {
        RwPageState state;
        uint8_t *to = (uint8_t *)ret + done;
        size_t part = rw_kernel_read(places->kernel, places->mm, va + done, to, length - done, &state);
        if (!part && state == RW_PAGE_ABSENT)
            part = read_untouched(places, va + done, to, length - done);
        if (!part)
            break;
        done += part;
    }
    return done;
}

// ---- A process ----

static void leave_process(Places *places)
{
    rw_inspect_look_clear(&places->look);
    g_clear_pointer(&places->maps, g_free);
    g_clear_pointer(&places->executable, g_free);
    g_clear_pointer(&places->mappings, g_ptr_array_unref);
}

static char *dup_executable(const Places *places)
{
    g_autofree char *path = g_strdup_printf("/proc/%u/exe", places->look.pid);
    RwInspectPath what = {.path = path};
    g_autoptr(RwInspectEntry) entry = rw_inspect_stat(places->asked, &what, places->cancellable, NULL);
    return entry && entry->target ? g_utf8_make_valid(entry->target, -1) : NULL;
}

static void enter_process(Places *places, const RwKernelTask *task)
{
    bool changing;
    if (places->maps && places->look.pid == task->pid && places->mm == task->mm)
        return;
    leave_process(places);
    places->look = rw_inspect_look_new(places->asked, task->pid, places->cancellable);
    places->mm = task->mm;
    places->maps = rw_kernel_dup_maps(places->kernel, task->mm);
    places->executable = dup_executable(places);
    places->look.maps = places->maps;
    places->look.memory = (RwSymbolsMemory){read_memory, places};
    places->mappings = rw_kernel_mappings(places->kernel, task->mm, false, &changing);
}

// ---- Frames ----

static void frame_free(void *data)
{
    RwInspectFrame *frame = data;
    rw_symbol_clear(&frame->symbol);
    g_clear_pointer(&frame->variables, g_ptr_array_unref);
    g_strfreev(frame->source);
    g_free(frame);
}

// Of the first one that has some.
static void add_source(const Places *places, GPtrArray *frames)
{
    RwSymbolsFiles files = rw_inspect_look_files(&places->look);
    for (guint i = 0; i < frames->len; i++) {
        RwInspectFrame *frame = frames->pdata[i];
        const RwSymbol *symbol = &frame->symbol;
        if (!symbol->text)
            continue;
        frame->source_from = symbol->line > SOURCE_AROUND ? symbol->line - SOURCE_AROUND : 1;
        uint32_t n = symbol->line - frame->source_from + 1 + SOURCE_AROUND;
        frame->source = rw_symbols_dup_source(places->symbols, &files, symbol->file, frame->source_from, n);
        return;
    }
}

static guint max_frames(const Places *places)
{
    return places->what->frames ? places->what->frames : RW_INSPECT_FRAMES_MAX;
}

// Those of one level; NULL: there are none to be had.
static GPtrArray *take_variables(GPtrArray *variables, guint level)
{
    if (!variables)
        return NULL;
    GPtrArray *out = g_ptr_array_new_with_free_func((GDestroyNotify)rw_variable_free);
    while (variables->len && ((const RwVariable *)variables->pdata[0])->level == level)
        g_ptr_array_add(out, g_ptr_array_steal_index(variables, 0));
    return out;
}

// Each of the functions that the compiler put into each other is one.
static void add_frames(GPtrArray *frames, const GPtrArray *symbols, GPtrArray *variables, uint32_t call,
                       guint max)
{
    for (guint level = 0; level < symbols->len && frames->len < max; level++) {
        RwInspectFrame *frame = g_new0(RwInspectFrame, 1);
        RwSymbol *symbol = symbols->pdata[level];
        frame->symbol = *symbol;
        *symbol = (RwSymbol){0};
        frame->call = call;
        frame->variables = take_variables(variables, level);
        g_ptr_array_add(frames, frame);
    }
}

static size_t unwind(Places *places, const uint64_t gpr[16], uint64_t ip,
                     RwSymbolsFrame frames[RW_INSPECT_FRAMES_MAX])
{
    g_autofree uint8_t *stack = g_malloc(STACK_MAX);
    RwSymbolsFiles files = rw_inspect_look_files(&places->look);
    RwSymbolsMemory memory = {read_memory, places};
    RwSymbolsThread thread = {.ip = ip, .stack = gpr[4], .bytes = stack, .memory = &memory};
    memcpy(thread.gpr, gpr, sizeof thread.gpr);
    thread.size = read_memory(gpr[4], stack, STACK_MAX, places);
    return rw_symbols_frames(places->symbols, places->maps, &thread, &files, frames, RW_INSPECT_FRAMES_MAX);
}

static void find_frames(Places *places, RwInspectTask *task, const uint64_t gpr[16], uint64_t ip)
{
    RwSymbolsFrame frames[RW_INSPECT_FRAMES_MAX];
    RwSymbolsFiles files = rw_inspect_look_files(&places->look);
    RwSymbolsMemory memory = {read_memory, places};
    size_t n = unwind(places, gpr, ip, frames);
    guint wanted = max_frames(places);
    task->frames = g_ptr_array_new_with_free_func(frame_free);
    for (size_t i = 0; i < n && task->frames->len < wanted && rw_check_cancelled(places->cancellable, NULL);
         i++) {
        g_autoptr(GPtrArray) symbols =
            rw_symbols_find_all(places->symbols, places->maps,
                                i == 0 && places->what->at ? places->what->at : frames[i].at, &files);
        g_autoptr(GPtrArray) variables =
            places->what->variables
                ? rw_symbols_variables(places->symbols, places->maps, &files, &memory, frames, n, i)
                : NULL;
        add_frames(task->frames, symbols, variables, (uint32_t)i, wanted);
    }
    add_source(places, task->frames);
}

// The line of a makefile's that a child was started for.
static GPtrArray *find_started(Places *places, const RwSymbolsFiles *files, const RwSymbolsMemory *memory)
{
    g_autofree RwKernelTask *child = rw_kernel_find(places->kernel, places->what->started);
    return child ? rw_symbols_make(places->symbols, places->maps, files, memory, child->own_pid) : NULL;
}

static void find_script(Places *places, RwInspectTask *task)
{
    RwSymbolsFiles files = rw_inspect_look_files(&places->look);
    RwSymbolsMemory memory = {read_memory, places};
    g_autoptr(GPtrArray) symbols = rw_symbols_python(places->symbols, places->maps, &files, &memory,
                                                     task->task.own_tid, max_frames(places));
    task->python = symbols != NULL;
    if (!symbols)
        symbols = rw_symbols_bash(places->symbols, places->maps, &files, &memory, max_frames(places));
    if (!symbols && places->kernel && places->what->started)
        symbols = find_started(places, &files, &memory);
    if (!symbols || !symbols->len)
        return;
    task->script = g_ptr_array_new_with_free_func(frame_free);
    add_frames(task->script, symbols, NULL, 0, symbols->len);
    add_source(places, task->script);
}

static void find_place(Places *places, RwInspectTask *task)
{
    RwKernelRegisters registers;
    if (!task->task.mm || !rw_kernel_registers(places->kernel, &task->task, &registers))
        return;
    enter_process(places, &task->task);
    task->executable = g_strdup(places->executable);
    find_frames(places, task, registers.gpr, registers.ip);
    find_script(places, task);
}

static void keep_wanted(GPtrArray *tasks, const RwInspectPlaces *what)
{
    for (guint i = tasks->len; i-- > 0;) {
        const RwKernelTask *task = &((RwInspectTask *)tasks->pdata[i])->task;
        if ((what->pid && task->pid != what->pid) || (what->tid && task->tid != what->tid))
            g_ptr_array_remove_index(tasks, i);
    }
}

GPtrArray *rw_inspect_places(RwMachine *machine, RwMachine *asked, RwSymbols *symbols,
                             const RwInspectPlaces *what, GCancellable *cancellable, GError **error)
{
    g_autoptr(RwKernel) kernel = rw_kernel_new(machine, error);
    g_autoptr(GPtrArray) tasks = kernel ? rw_inspect_list_tasks(kernel) : NULL;
    Places places = {kernel, machine, asked, symbols, what, cancellable, {0}, NULL, NULL, NULL, 0};
    if (!tasks)
        return NULL;
    keep_wanted(tasks, what);
    if (!tasks->len && (what->pid || what->tid)) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "there is no such thread there");
        return NULL;
    }
    for (guint i = 0; i < MIN(tasks->len, PLACED_MAX) && rw_check_cancelled(cancellable, NULL); i++)
        find_place(&places, tasks->pdata[i]);
    leave_process(&places);
    return rw_check_cancelled(cancellable, error) ? g_steal_pointer(&tasks) : NULL;
}

// ---- A variable ----

static bool find_local(Places *places, const RwKernelTask *task, const RwInspectVariable *what,
                       RwSymbolsPlace *ret)
{
    RwKernelRegisters registers;
    RwSymbolsFrame frames[RW_INSPECT_FRAMES_MAX];
    RwSymbolsFiles files = rw_inspect_look_files(&places->look);
    RwSymbolsMemory memory = {read_memory, places};
    if (!rw_kernel_registers(places->kernel, task, &registers))
        return false;
    size_t n = unwind(places, registers.gpr, registers.ip, frames);
    RwSymbolsLocal local = {frames, n, what->call, what->name};
    for (; local.which < n; local.which++)
        if (rw_symbols_find_local(places->symbols, places->maps, &files, &memory, &local, ret))
            return true;
    return false;
}

// Of the threads that are wanted the one that has the CPU, else the first.
static const RwKernelTask *choose_thread(RwMachine *machine, const GPtrArray *tasks)
{
    uint32_t pid, tid;
    rw_machine_get_current(machine, &pid, &tid);
    for (guint i = 0; i < tasks->len; i++)
        if (((const RwInspectTask *)tasks->pdata[i])->task.tid == tid)
            return &((const RwInspectTask *)tasks->pdata[i])->task;
    return &((const RwInspectTask *)tasks->pdata[0])->task;
}

bool rw_inspect_variable(RwMachine *machine, RwMachine *asked, RwSymbols *symbols,
                         const RwInspectVariable *what, RwSymbolsPlace *ret, GCancellable *cancellable,
                         GError **error)
{
    RwInspectPlaces wanted = {.pid = what->pid, .tid = what->tid};
    g_autoptr(RwKernel) kernel = rw_kernel_new(machine, error);
    g_autoptr(GPtrArray) tasks = kernel ? rw_inspect_list_tasks(kernel) : NULL;
    Places places = {kernel, machine, asked, symbols, &wanted, cancellable, {0}, NULL, NULL, NULL, 0};
    if (!tasks)
        return false;
    keep_wanted(tasks, &wanted);
    if (!tasks->len) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "there is no such thread there");
        return false;
    }
    const RwKernelTask *task = choose_thread(machine, tasks);
    enter_process(&places, task);
    RwSymbolsFiles files = rw_inspect_look_files(&places.look);
    bool found = find_local(&places, task, what, ret) ||
                 rw_symbols_find_global(symbols, places.maps, &files, what->name, ret);
    leave_process(&places);
    if (!rw_check_cancelled(cancellable, error))
        return false;
    if (!found)
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                    "%s: the program has no such variable there, as far as its debug information and its "
                    "linker's names say",
                    what->name);
    return found;
}

// ---- The thread that has the CPU ----

static char *dup_arguments(const Places *places)
{
    g_autofree char *path = g_strdup_printf("/proc/%u/cmdline", places->look.pid);
    RwInspectPath what = {.path = path};
    g_autoptr(GBytes) bytes =
        rw_inspect_read(places->asked, &what, ARGUMENTS_MAX, places->cancellable, NULL);
    size_t length = 0;
    const char *data = bytes ? g_bytes_get_data(bytes, &length) : NULL;
    while (length && !data[length - 1])
        length--;
    g_autoptr(GString) text = g_string_new_len(length ? data : "", (gssize)length);
    for (size_t i = 0; i < length; i++)
        if (!text->str[i])
            text->str[i] = ' ';
    return g_string_free(g_steal_pointer(&text), false);
}

static RwInspectTask *new_running(const RwMachine *machine, const RwUserRegisters *registers)
{
    RwInspectTask *task = g_new0(RwInspectTask, 1);
    const char *program = rw_machine_get_program(machine, registers->pid);
    const char *slash = program ? strrchr(program, '/') : NULL;
    task->task = (RwKernelTask){.pid = registers->pid,
                                .tid = registers->tid,
                                .own_pid = registers->pid,
                                .own_tid = registers->tid,
                                .state = RW_TASK_RUNNING,
                                .call = -1};
    g_strlcpy(task->task.name, slash ? slash + 1 : program ? program : "?", sizeof task->task.name);
    return task;
}

RwInspectTask *rw_inspect_running(RwMachine *machine, RwMachine *asked, RwSymbols *symbols,
                                  const RwInspectPlaces *what, GCancellable *cancellable, GError **error)
{
    RwUserRegisters registers;
    Places places = {NULL, machine, asked, symbols, what, cancellable, {0}, NULL, NULL, NULL, 0};
    if (!rw_machine_user_registers(machine, &registers)) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "no thread of a program has the CPU there");
        return NULL;
    }
    places.look = rw_inspect_look_new(asked, registers.pid, cancellable);
    places.maps = rw_inspect_look_dup_maps(&places.look, error);
    places.look.maps = places.maps;
    places.look.memory = (RwSymbolsMemory){read_memory, &places};
    RwInspectTask *task = places.maps ? new_running(machine, &registers) : NULL;
    if (task) {
        find_frames(&places, task, registers.gpr, registers.ip);
        find_script(&places, task);
        task->program = dup_arguments(&places);
        task->executable = dup_executable(&places);
    }
    leave_process(&places);
    if (task && !rw_check_cancelled(cancellable, error))
        g_clear_pointer(&task, rw_inspect_task_free);
    return task;
}
