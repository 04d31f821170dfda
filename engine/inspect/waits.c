// SPDX-License-Identifier: MIT
//
// Who waits for what, from /proc.
#include "inspect-private.h"

#include <string.h>

#define FILE_MAX (64u << 10)

void rw_inspect_wait_free(RwInspectWait *wait)
{
    if (!wait)
        return;
    g_free(wait->program);
    g_free(wait->object);
    g_free(wait->where);
    g_free(wait);
}

typedef struct {
    RwMachine *machine;
    GCancellable *cancellable;
    GPtrArray *waits;
} Look;

// NULL where it is not there, and where it cannot be read.
static GString *read_file(const Look *look, const char *path)
{
    g_autoptr(GBytes) bytes =
        rw_inspect_read(look->machine, &(RwInspectPath){.path = path}, FILE_MAX, look->cancellable, NULL);
    size_t length = 0;
    const char *data = bytes ? g_bytes_get_data(bytes, &length) : NULL;
    return data ? g_string_new_len(data, (gssize)length) : NULL;
}

// Its arguments with spaces between them; NULL for a thread of the kernel.
static char *dup_program(const Look *look, uint32_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%u/cmdline", pid);
    g_autoptr(GString) text = read_file(look, path);
    if (!text || !text->len)
        return NULL;
    while (text->len && !text->str[text->len - 1])
        g_string_truncate(text, text->len - 1);
    for (size_t i = 0; i < text->len; i++)
        if (!text->str[i])
            text->str[i] = ' ';
    return g_string_free(g_steal_pointer(&text), false);
}

// Calls that wait for the descriptor they are given.
bool rw_inspect_takes_descriptor(uint32_t number)
{
    static const uint16_t calls[] = {0, 1, 17, 18, 19, 20, 42, 43, 44, 45, 46, 47, 72, 73, 232, 281, 288};
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++)
        if (calls[i] == number)
            return true;
    return false;
}

static char *dup_object(const Look *look, const RwInspectWait *wait)
{
    if (!wait->in_call || !rw_inspect_takes_descriptor(wait->number) || wait->argument > INT32_MAX)
        return NULL;
    g_autofree char *path = g_strdup_printf("/proc/%u/fd/%u", wait->pid, (uint32_t)wait->argument);
    g_autoptr(RwInspectEntry) entry =
        rw_inspect_stat(look->machine, &(RwInspectPath){.path = path}, look->cancellable, NULL);
    return entry ? g_strdup(entry->target) : NULL;
}

// "202 0x7f… 0x80 … 0xSP 0xIP"; "running"; "-1 0xSP 0xIP" outside of a call.
static void parse_call(const char *text, RwInspectWait *wait)
{
    g_auto(GStrv) words = g_strsplit(text, " ", 3);
    guint64 number, argument;
    if (!words[0] || !words[1] || !g_str_has_prefix(words[1], "0x") ||
        !g_ascii_string_to_unsigned(words[0], 10, 0, G_MAXUINT16, &number, NULL) ||
        !g_ascii_string_to_unsigned(words[1] + 2, 16, 0, G_MAXUINT64, &argument, NULL))
        return;
    wait->in_call = true;
    wait->number = (uint32_t)number;
    wait->argument = argument;
}

static char *dup_of_thread(const Look *look, uint32_t pid, uint32_t tid, const char *file)
{
    g_autofree char *path = g_strdup_printf("/proc/%u/task/%u/%s", pid, tid, file);
    g_autoptr(GString) text = read_file(look, path);
    return text ? g_strchomp(g_string_free(g_steal_pointer(&text), false)) : NULL;
}

static void add_thread(const Look *look, uint32_t pid, uint32_t tid, const char *program)
{
    g_autofree char *call = dup_of_thread(look, pid, tid, "syscall");
    g_autofree char *where = dup_of_thread(look, pid, tid, "wchan");
    RwInspectWait *wait = g_new0(RwInspectWait, 1);
    *wait = (RwInspectWait){.pid = pid, .tid = tid, .program = g_strdup(program)};
    if (call)
        parse_call(call, wait);
    if (where && *where && strcmp(where, "0"))
        wait->where = g_steal_pointer(&where);
    wait->object = dup_object(look, wait);
    g_ptr_array_add(look->waits, wait);
}

static GArray *list_numbers(const Look *look, const char *path, GError **error)
{
    g_autoptr(GPtrArray) entries =
        rw_inspect_list(look->machine, &(RwInspectPath){.path = path}, look->cancellable, error);
    if (!entries)
        return NULL;
    GArray *numbers = g_array_new(false, false, sizeof(uint32_t));
    for (guint i = 0; i < entries->len; i++) {
        guint64 number;
        const RwInspectEntry *entry = entries->pdata[i];
        if (!g_ascii_string_to_unsigned(entry->name, 10, 1, G_MAXINT32, &number, NULL))
            continue;
        uint32_t short_number = (uint32_t)number;
        g_array_append_val(numbers, short_number);
    }
    return numbers;
}

// One that is gone by the time it is asked for is left out.
static void add_process(const Look *look, uint32_t pid)
{
    g_autofree char *program = dup_program(look, pid);
    g_autofree char *path = g_strdup_printf("/proc/%u/task", pid);
    g_autoptr(GArray) threads = program ? list_numbers(look, path, NULL) : NULL;
    for (guint i = 0; threads && i < threads->len; i++)
        add_thread(look, pid, g_array_index(threads, uint32_t, i), program);
}

static gint by_thread(gconstpointer a, gconstpointer b)
{
    const RwInspectWait *x = *(RwInspectWait *const *)a, *y = *(RwInspectWait *const *)b;
    return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) : (x->tid > y->tid) - (x->tid < y->tid);
}

GPtrArray *rw_inspect_waits(RwMachine *machine, GCancellable *cancellable, GError **error)
{
    g_autoptr(GPtrArray) waits = g_ptr_array_new_with_free_func((GDestroyNotify)rw_inspect_wait_free);
    Look look = {machine, cancellable, waits};
    g_autoptr(GArray) processes = list_numbers(&look, "/proc", error);
    if (!processes)
        return NULL;
    for (guint i = 0; i < processes->len; i++)
        if (g_array_index(processes, uint32_t, i) != 1) // init waits for its children, always
            add_process(&look, g_array_index(processes, uint32_t, i));
    if (!rw_check_cancelled(cancellable, error))
        return NULL;
    g_ptr_array_sort(waits, by_thread);
    return g_steal_pointer(&waits);
}
