// SPDX-License-Identifier: MIT
//
// usage: test-guest RUN
//
// What engine/tasks reads of a real guest is what the guest itself says, asked by its agent, and what its
// CPU has when a thread goes on. While the guest answers time goes on in it: then what it says is what is
// read before or after.
#include "../timeline/fixture.h"

#include "rw-inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (16u << 20)
#define PATTERN 0x600000000000ull
#define PAGE 4096u

static const char *name;
static int positions = 20;

static struct {
    guint told, told_later, registers, pages, fpu;
} compared;

static void no_error(GError *error)
{
    g_assert_no_error(error);
}

// ---- What the guest says ----

// Arguments end with NULs.
static char *dup_words(const char *data, size_t length)
{
    GString *text = g_string_new_len(length ? data : "", (gssize)length);
    for (size_t i = 0; i < length; i++)
        text->str[i] = data[i] ? data[i] : ' ';
    return g_string_free(text, false);
}

static char *dup_file(RwMachine *machine, const char *path)
{
    g_autoptr(GBytes) bytes =
        rw_inspect_read(machine, &(RwInspectPath){.path = path}, FILE_MAX, NULL, NULL);
    size_t length = 0;
    const char *data = bytes ? g_bytes_get_data(bytes, &length) : NULL;
    return bytes ? dup_words(data, length) : NULL;
}

G_GNUC_PRINTF(2, 3) static char *dup_of(RwMachine *machine, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *path = g_strdup_vprintf(format, args);
    va_end(args);
    return dup_file(machine, path);
}

static char *dup_link(RwMachine *machine, const char *path)
{
    g_autoptr(RwInspectEntry) entry = rw_inspect_stat(machine, &(RwInspectPath){.path = path}, NULL, NULL);
    return entry && entry->target ? g_strdup(entry->target) : NULL;
}

static const char *after(const char *status, const char *key)
{
    const char *at = status ? strstr(status, key) : NULL;
    return at ? at + strlen(key) : "";
}

static char *dup_word(const char *status, const char *key)
{
    const char *at = after(status, key);
    return g_strndup(at, strcspn(at, "\n"));
}

// "S (sleeping)", "NSpid: 41 1": what /proc/PID/task/TID/status has, and the others' files.
static char *guest_thread(RwMachine *machine, uint32_t pid, uint32_t tid)
{
    g_autofree char *status = dup_of(machine, "/proc/%u/task/%u/status", pid, tid);
    g_autofree char *comm = dup_of(machine, "/proc/%u/task/%u/comm", pid, tid);
    if (!status || !comm)
        return g_strdup("gone");
    g_autofree char *state = dup_word(status, "\nState:\t"), *parent = dup_word(status, "\nPPid:\t");
    g_autofree char *own_pid = dup_word(status, "\nNStgid:\t"), *own_tid = dup_word(status, "\nNSpid:\t");
    const char *last_pid = strrchr(own_pid, '\t'), *last_tid = strrchr(own_tid, '\t');
    return g_strdup_printf("%u/%u %c parent %s own %s/%s name %s", pid, tid, state[0], parent,
                           last_pid ? last_pid + 1 : own_pid, last_tid ? last_tid + 1 : own_tid, comm);
}

// Its call and the arguments, stack and instruction, where it waits.
static char *guest_call(RwMachine *machine, uint32_t pid, uint32_t tid)
{
    char *text = dup_of(machine, "/proc/%u/task/%u/syscall", pid, tid);
    return text ? text : g_strdup("gone");
}

static char *guest_process(RwMachine *machine, uint32_t pid)
{
    g_autofree char *maps = dup_of(machine, "/proc/%u/maps", pid),
                    *arguments = dup_of(machine, "/proc/%u/cmdline", pid);
    g_autofree char *path = g_strdup_printf("/proc/%u/exe", pid), *program = dup_link(machine, path);
    return g_strdup_printf("%s%s\n%s", maps ? maps : "", program ? program : "",
                           arguments ? arguments : "");
}

// ---- What is read ----

static char *read_thread(const RwKernelTask *task)
{
    return g_strdup_printf("%u/%u %c parent %u own %u/%u name %s\n", task->pid, task->tid, task->letter,
                           task->parent, task->own_pid, task->own_tid, task->name);
}

static char *read_call(RwKernel *kernel, const RwKernelTask *task)
{
    RwKernelRegisters regs;
    if (task->state == RW_TASK_RUNNING || task->state == RW_TASK_RUNNABLE)
        return g_strdup("running\n");
    if (!rw_kernel_registers(kernel, task, &regs)) // its stack is gone
        return g_strdup(task->state == RW_TASK_ZOMBIE || task->state == RW_TASK_DEAD ? "-1 0x0 0x0\n"
                                                                                     : "unknown\n");
    if (task->call < 0)
        return g_strdup_printf("-1 0x%" G_GINT64_MODIFIER "x 0x%" G_GINT64_MODIFIER "x\n", regs.gpr[4],
                               regs.ip);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "%d", task->call);
    for (int i = 0; i < RW_KERNEL_ARGUMENTS; i++)
        g_string_append_printf(text, " 0x%" G_GINT64_MODIFIER "x", task->arguments[i]);
    g_string_append_printf(text, " 0x%" G_GINT64_MODIFIER "x 0x%" G_GINT64_MODIFIER "x\n", regs.gpr[4],
                           regs.ip);
    return g_string_free(g_steal_pointer(&text), false);
}

static char *read_process(RwKernel *kernel, const RwKernelTask *task)
{
    g_autofree char *maps = task->mm ? rw_kernel_dup_maps(kernel, task->mm) : g_strdup("");
    g_autofree char *program = rw_kernel_dup_program(kernel, task->mm);
    g_autoptr(GBytes) arguments = rw_kernel_arguments(kernel, task->mm, 4096);
    size_t length;
    const char *data = g_bytes_get_data(arguments, &length);
    g_autofree char *words = dup_words(data, length);
    return g_strdup_printf("%s%s\n%s", maps, program ? program : "", words);
}

// What is read of all threads of programs: by "PID/TID", "call PID/TID" and "process PID".
static GHashTable *read_all(RwMachine *machine)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwKernel) kernel = rw_kernel_new(machine, &error);
    no_error(error);
    g_autoptr(GPtrArray) tasks = rw_kernel_tasks(kernel);
    GHashTable *all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (guint i = 0; i < tasks->len; i++) {
        const RwKernelTask *task = tasks->pdata[i];
        if (task->kernel || task->hidden)
            continue;
        g_hash_table_insert(all, g_strdup_printf("%u/%u", task->pid, task->tid), read_thread(task));
        g_hash_table_insert(all, g_strdup_printf("call %u/%u", task->pid, task->tid),
                            read_call(kernel, task));
        if (task->pid == task->tid)
            g_hash_table_insert(all, g_strdup_printf("process %u", task->pid), read_process(kernel, task));
    }
    return all;
}

// ---- Both ----

static char *ask(RwMachine *machine, const char *key)
{
    unsigned pid, tid;
    if (sscanf(key, "process %u", &pid) == 1)
        return guest_process(machine, pid);
    if (sscanf(key, "call %u/%u", &pid, &tid) == 2)
        return guest_call(machine, pid, tid);
    g_assert_cmpint(sscanf(key, "%u/%u", &pid, &tid), ==, 2);
    return guest_thread(machine, pid, tid);
}

static void compare_one(RwMachine *asked, const char *key, const char *before, const char *where)
{
    g_autofree char *told = ask(asked, key);
    compared.told++;
    if (g_str_equal(told, before))
        return;
    compared.told_later++;
    g_autoptr(GHashTable) now = read_all(asked);
    const char *later = g_hash_table_lookup(now, key);
    if (!g_str_equal(told, later ? later : g_str_has_prefix(key, "process") ? "\n" : "gone"))
        g_error("%s, %s: the guest says\n%s\nit is read before\n%s\nand after\n%s", where, key, told,
                before, later ? later : "nothing");
}

static guint count_threads(RwMachine *machine)
{
    g_autoptr(GError) error = NULL;
    guint n = 0;
    g_autoptr(GPtrArray) entries =
        rw_inspect_list(machine, &(RwInspectPath){.path = "/proc"}, NULL, &error);
    no_error(error);
    for (guint i = 0; i < entries->len; i++) {
        const RwInspectEntry *entry = entries->pdata[i];
        g_autofree char *path = g_strdup_printf("/proc/%s/task", entry->name), *maps = NULL;
        if (!g_ascii_isdigit(entry->name[0]))
            continue;
        g_autofree char *status = dup_of(machine, "/proc/%s/status", entry->name);
        g_autoptr(GPtrArray) threads = rw_inspect_list(machine, &(RwInspectPath){.path = path}, NULL, NULL);
        if (strcmp(after(status, "\nKthread:\t"), "1\n") && threads &&
            strcmp(after(status, "\nPPid:\t"), "2") && strncmp(after(status, "\nPPid:\t"), "2\n", 2) &&
            strncmp(after(status, "\nPid:\t"), "2\n", 2))
            n += threads->len;
    }
    return n;
}

static guint threads_of(GHashTable *all)
{
    GHashTableIter iter;
    gpointer key;
    guint n = 0;
    g_hash_table_iter_init(&iter, all);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        n += g_ascii_isdigit(*(const char *)key);
    return n;
}

static void compare_all(Fixture *f, const char *where)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GHashTable) all = read_all(rw_timeline_get_machine(f->timeline));
    RwMachine *asked = rw_timeline_fork(f->timeline, &error);
    no_error(error);
    GHashTableIter iter;
    gpointer key, before;
    guint there = count_threads(asked);
    if (there != threads_of(all)) {
        g_autoptr(GHashTable) later = read_all(asked);
        g_assert_cmpuint(there, ==, threads_of(later));
    }
    g_hash_table_iter_init(&iter, all);
    while (g_hash_table_iter_next(&iter, &key, &before))
        compare_one(asked, key, before, where);
    rw_timeline_give_back(f->timeline, asked);
}

static void test_told(void)
{
    Fixture f;
    g_autoptr(GError) error = NULL;
    fixture_open(&f, name, 0);
    for (int i = 0; i < positions; i++) {
        RwPosition position = fixture_random(&f);
        rw_timeline_clamp(f.trace, &f.manifest->end, &position, NULL);
        g_autofree char *text = rw_position_dup_text(&position);
        rw_timeline_go(f.timeline, &position, NULL, &error);
        no_error(error);
        uint64_t hash = rw_machine_hash(rw_timeline_get_machine(f.timeline), true);
        compare_all(&f, text);
        g_assert_cmpuint(rw_machine_hash(rw_timeline_get_machine(f.timeline), true), ==, hash);
    }
    g_test_message("%u things told, %u of them otherwise than before", compared.told, compared.told_later);
    g_assert_cmpuint(compared.told_later, <, compared.told / 4);
    fixture_close(&f);
}

// ---- Memory that tells who wrote it ----

static void check_pages(RwKernel *kernel, const RwKernelTask *task)
{
    bool changing;
    g_autoptr(GPtrArray) mappings = rw_kernel_mappings(kernel, task->mm, false, &changing);
    for (guint i = 0; i < mappings->len; i++) {
        const RwKernelMapping *mapping = mappings->pdata[i];
        for (uint64_t page = mapping->start;
             page < mapping->end && mapping->start >= PATTERN && mapping->end <= PATTERN + 600 * PAGE;
             page += PAGE) {
            uint64_t words[PAGE / 8];
            RwPageState state;
            size_t size = rw_kernel_read(kernel, task->mm, page, words, sizeof words, &state);
            if (!size || !words[0])
                continue;
            compared.pages++;
            g_assert_cmpuint(size, ==, sizeof words);
            for (unsigned n = 0; n < PAGE / 8; n++) // one that is just being written has zeros, or both
                if (words[n] && ((words[n] >> 8) != page + n * 8 || (words[n] & 0xff) - 1 > 1))
                    g_error("page %" G_GINT64_MODIFIER "x of %u: %" G_GINT64_MODIFIER "x", page, task->pid,
                            words[n]);
        }
    }
}

// ---- Registers ----

typedef struct {
    uint32_t pid, tid;
    int32_t call;
    RwKernelRegisters regs;
    bool has_fpu;
    uint8_t fpu[RW_KERNEL_FXSAVE];
} Waiting;

// A thread that could go on, or waits.
static GArray *find_waiting(RwMachine *machine)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwKernel) kernel = rw_kernel_new(machine, &error);
    no_error(error);
    g_autoptr(GPtrArray) tasks = rw_kernel_tasks(kernel);
    GArray *waiting = g_array_new(false, true, sizeof(Waiting));
    for (guint i = 0; i < tasks->len; i++) {
        const RwKernelTask *task = tasks->pdata[i];
        Waiting one = {task->pid, task->tid, task->call, {{0}}, false, {0}};
        if (task->mm && task->tid == task->pid && !task->kernel)
            check_pages(kernel, task);
        if (task->kernel || task->hidden || task->pid == 1 || task->state == RW_TASK_ZOMBIE ||
            !rw_kernel_registers(kernel, task, &one.regs))
            continue;
        one.has_fpu = rw_kernel_fpu(kernel, task, one.fpu);
        g_array_append_val(waiting, one);
    }
    return waiting;
}

// What a system call keeps: all but RAX, RCX and R11.
static bool is_kept(int i, bool in_call)
{
    return !in_call || (i != 0 && i != 1 && i != 11);
}

static void compare_registers(Fixture *f, const Waiting *one, const char *where)
{
    RwMachine *machine = rw_timeline_get_machine(f->timeline);
    RwCpuState cpu;
    rw_machine_get_cpu(machine, &cpu);
    g_assert_cmpuint(cpu.rip, ==, one->regs.ip);
    for (int i = 0; i < 16; i++)
        if (is_kept(i, one->call >= 0) && cpu.gpr[i] != one->regs.gpr[i])
            g_error("%s, thread %u: register %d is read as %" G_GINT64_MODIFIER
                    "x and becomes %" G_GINT64_MODIFIER "x",
                    where, one->tid, i, one->regs.gpr[i], cpu.gpr[i]);
    g_assert_cmpuint(cpu.seg[RW_FS].base, ==, one->regs.fs_base);
    g_assert_cmpuint(cpu.seg[RW_GS].base, ==, one->regs.gs_base);
    g_assert_cmpuint(cpu.seg[RW_CS].selector, ==, one->regs.cs);
    g_assert_cmpuint(cpu.seg[RW_SS].selector, ==, one->regs.ss);
    if (one->call < 0)
        g_assert_cmpuint(cpu.rflags & ~(1u << 16), ==, one->regs.flags & ~(1u << 16)); // not RF
    compared.registers++;
    if (!one->has_fpu)
        return;
    compared.fpu++;
    g_assert_cmpmem(cpu.xmm, sizeof cpu.xmm, one->fpu + 160, sizeof cpu.xmm);
    g_assert_cmpuint(cpu.mxcsr, ==, rw_load_u32(one->fpu + 24));
}

// One that never goes on, or is woken by a signal to somewhere else, is none.
static void wait_for(Fixture *f, const Waiting *one, const char *where)
{
    g_autoptr(GError) error = NULL;
    RwWhenHit hit;
    RwCpuState cpu;
    uint32_t pid, tid;
    RwMachine *machine = rw_timeline_get_machine(f->timeline);
    rw_machine_get_cpu(machine, &cpu);
    rw_machine_get_current(machine, &pid, &tid);
    if (tid == one->tid && cpu.rip == one->regs.ip) { // it is there
        compare_registers(f, one, where);
        return;
    }
    RwWhen whens[] = {
        {.kind = RW_WHEN_CODE, .pid = one->pid, .tid = one->tid, .address = one->regs.ip},
        {.kind = RW_WHEN_EVENT, .pid = one->pid, .tid = one->tid, .event = REWIND_RECORD_SIGNAL}};
    RwWent went = rw_timeline_run(f->timeline, true, whens, G_N_ELEMENTS(whens), &hit, NULL, &error);
    no_error(error);
    if (went == RW_WENT_HIT && hit.which == 0)
        compare_registers(f, one, where);
}

static void test_goes_on(void)
{
    Fixture f;
    g_autoptr(GError) error = NULL;
    fixture_open(&f, name, 0);
    for (int i = 0; i < positions; i++) {
        RwPosition position = fixture_random(&f);
        g_autofree char *text = rw_position_dup_text(&position);
        rw_timeline_go(f.timeline, &position, NULL, &error);
        no_error(error);
        g_autoptr(GArray) waiting = find_waiting(rw_timeline_get_machine(f.timeline));
        for (guint n = 0; n < waiting->len; n++) {
            rw_timeline_go(f.timeline, &position, NULL, &error);
            no_error(error);
            wait_for(&f, &g_array_index(waiting, Waiting, n), text);
        }
    }
    g_test_message("%u threads' registers, %u for floating point, %u pages", compared.registers,
                   compared.fpu, compared.pages);
    g_assert_cmpuint(compared.registers, >, (guint)positions / 2);
    fixture_close(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc != 2)
        return 2;
    name = argv[1];
    if (g_getenv("POSITIONS"))
        positions = atoi(g_getenv("POSITIONS"));
    g_test_add_func("/tasks/told", test_told);
    g_test_add_func("/tasks/goes-on", test_goes_on);
    return g_test_run();
}
