// SPDX-License-Identifier: MIT
//
// Where in the machine's memory a byte of a file is. The guest's agent maps it, and as its answer comes the
// page tables tell.
#include "inspect-private.h"

typedef struct {
    RwMachine *machine;
    RwInspectByte *byte;
    uint64_t offset;
    bool found;
} Mapping;

// What the kernel has of the file that is mapped there.
static void find_file(RwMachine *machine, uint64_t va, RwInspectByte *byte)
{
    bool changing;
    uint32_t pid, tid;
    g_autoptr(RwKernel) kernel = rw_kernel_new(machine, NULL);
    rw_machine_get_current(machine, &pid, &tid);
    g_autofree RwKernelTask *task = kernel ? rw_kernel_find(kernel, tid) : NULL;
    g_autoptr(GPtrArray) mappings = task ? rw_kernel_mappings(kernel, task->mm, false, &changing) : NULL;
    const RwKernelMapping *mapping = mappings ? rw_kernel_mapping_at(mappings, va) : NULL;
    if (!mapping)
        return;
    byte->of_image = mapping->dev_major != 0;
    byte->has_size_place = rw_kernel_find_size(kernel, mapping->file, &byte->size_gpa);
}

static bool take_mapped(unsigned type, const uint8_t *payload, size_t length, void *data, GError **error)
{
    Mapping *mapping = data;
    struct rewind_agent_mapped mapped;
    if (type != REWIND_AGENT_MAPPED)
        return true;
    if (!rw_copy_out(payload, length, 0, &mapped, sizeof mapped)) {
        g_set_error_literal(error, RW_ERROR, RW_ERROR_GUEST, "the guest's answer makes no sense");
        return false;
    }
    RwInspectByte *byte = mapping->byte;
    byte->size = mapped.size;
    byte->was_there = mapped.was_there;
    byte->is_hole = mapped.is_hole;
    byte->is_known = mapping->offset < mapped.size;
    if (byte->is_known && !rw_machine_translate(mapping->machine, 0, mapped.address, &byte->gpa)) {
        g_set_error_literal(error, RW_ERROR, RW_ERROR_GUEST, "the guest's answer is not what is there");
        return false;
    }
    find_file(mapping->machine, mapped.address, byte);
    mapping->found = true;
    return true;
}

bool rw_inspect_map(RwMachine *machine, const RwInspectPath *path, uint64_t offset, RwInspectByte *ret,
                    GCancellable *cancellable, GError **error)
{
    Mapping mapping = {machine, ret, offset, false};
    RwQuestion question = {REWIND_AGENT_MAP, path, offset};
    *ret = (RwInspectByte){0};
    if (offset >= RW_INSPECT_OFFSET_MAX) {
        g_set_error_literal(error, RW_ERROR, RW_ERROR_USAGE, "no file has so many bytes");
        return false;
    }
    if (!rw_inspect_ask(machine, &question, take_mapped, &mapping, cancellable, error))
        return false;
    if (!mapping.found)
        g_set_error_literal(error, RW_ERROR, RW_ERROR_GUEST, "the guest's answer lacks what was asked for");
    return mapping.found;
}
