// SPDX-License-Identifier: MIT
#include "blame-private.h"

#include "rw-kernel.h"

static void add_span(RwBlamePlace *place, uint64_t gpa, uint64_t length)
{
    place->spans[place->n++] = (RwBlameSpan){gpa, length};
}

static bool check_length(uint64_t va, uint64_t length, GError **error)
{
    uint64_t most = (RW_BLAME_SPANS_MAX - 1) * BLAME_PAGE;
    if (length && length <= most && va + length > va)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                "from 1 to %" G_GUINT64_FORMAT " bytes of memory can be asked about", most);
    return false;
}

bool rw_blame_find_by_root(const RwBlame *b, uint64_t root, uint64_t va, uint64_t length, RwBlamePlace *ret)
{
    RwMachine *machine = rw_timeline_get_machine(b->timeline);
    *ret = (RwBlamePlace){.n = 0};
    if (!check_length(va, length, NULL))
        return false;
    for (uint64_t at = va, end = va + length; at < end;) {
        uint64_t gpa, part = MIN(end - at, BLAME_PAGE - at % BLAME_PAGE);
        if (!rw_machine_translate(machine, root, at, &gpa))
            return false;
        add_span(ret, gpa, part);
        at += part;
    }
    return true;
}

// ---- By process ----

static RwKernelTask *find_process(RwKernel *kernel, uint32_t pid, GError **error)
{
    g_autofree RwKernelTask *task = rw_kernel_find(kernel, pid);
    if (task && task->pid == pid && task->mm)
        return g_steal_pointer(&task);
    g_autoptr(GPtrArray) tasks = rw_kernel_tasks(kernel); // its first thread may have ended
    for (guint i = 0; i < tasks->len; i++) {
        RwKernelTask *other = tasks->pdata[i];
        if (other->pid == pid && other->mm)
            return g_memdup2(other, sizeof *other);
    }
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "there is no process %u at this step", pid);
    return NULL;
}

static bool find_mapping(RwKernel *kernel, uint64_t mm, uint64_t va, uint64_t *ret_file,
                         uint64_t *ret_offset)
{
    bool changing;
    g_autoptr(GPtrArray) mappings = rw_kernel_mappings(kernel, mm, false, &changing);
    const RwKernelMapping *mapping = rw_kernel_mapping_at(mappings, va);
    if (!mapping)
        return false;
    *ret_file = mapping->file;
    *ret_offset = va - mapping->start + mapping->offset;
    return true;
}

// Of a process that has not touched a page itself others may have, where it is a file's, or shared.
//
// 1: it is there; 0: nobody has touched it; -1: it is not.
static int find_page(RwKernel *kernel, uint64_t mm, uint64_t va, uint64_t *ret_gpa, GError **error)
{
    uint64_t file, offset;
    RwPageState state = rw_kernel_translate(kernel, mm, va, ret_gpa);
    if (state == RW_PAGE_PRESENT)
        return 1;
    if (state == RW_PAGE_ABSENT && find_mapping(kernel, mm, va, &file, &offset))
        return rw_kernel_find_byte(kernel, file, offset, ret_gpa);
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                state == RW_PAGE_ABSENT ? "0x%" G_GINT64_MODIFIER "x: the process has no memory there"
                                        : "0x%" G_GINT64_MODIFIER
                                          "x: the guest has put that memory into its room for swapping "
                                          "there: ask at an earlier step",
                va);
    return -1;
}

bool rw_blame_find_memory(const RwBlame *b, uint32_t pid, uint64_t va, uint64_t length, RwBlamePlace *ret,
                          GError **error)
{
    g_autoptr(RwKernel) kernel = rw_kernel_new(rw_timeline_get_machine(b->timeline), error);
    g_autofree RwKernelTask *task = kernel ? find_process(kernel, pid, error) : NULL;
    *ret = (RwBlamePlace){.n = 0};
    if (!task || !check_length(va, length, error))
        return false;
    for (uint64_t at = va, end = va + length; at < end;) {
        uint64_t gpa, part = MIN(end - at, BLAME_PAGE - at % BLAME_PAGE);
        int found = find_page(kernel, task->mm, at, &gpa, error);
        if (found < 0)
            return false;
        if (found)
            add_span(ret, gpa, part);
        at += part;
    }
    return true;
}
