// SPDX-License-Identifier: MIT
#include "made-kernel.h"

#include <string.h>

static size_t read_memory(RwKernel *kernel, uint64_t mm)
{
    bool changing;
    size_t read = 0;
    g_autoptr(GPtrArray) mappings = rw_kernel_mappings(kernel, mm, true, &changing);
    uint64_t end = 0;
    g_assert_cmpuint(mappings->len, <=, RW_KERNEL_MAPPINGS_MAX);
    for (guint i = 0; i < mappings->len; i++) {
        const RwKernelMapping *mapping = mappings->pdata[i];
        uint8_t bytes[5000], file[600];
        RwPageState state;
        g_assert_true(mapping->start >= end && mapping->start < mapping->end);
        g_assert_cmpuint(mapping->build_id_size, <=, RW_BUILD_ID_MAX);
        end = mapping->end;
        read += rw_kernel_read(kernel, mm, mapping->end - 2500, bytes, sizeof bytes, &state);
        read += rw_kernel_read(kernel, mm, mapping->start, bytes, sizeof bytes, &state);
        g_assert_nonnull(rw_page_state_name(state));
        read += rw_kernel_read_file(kernel, mapping->file, mapping->offset + 4000, file, sizeof file);
    }
    g_autofree char *maps = rw_kernel_dup_maps(kernel, mm), *program = rw_kernel_dup_program(kernel, mm);
    g_autoptr(GBytes) arguments = rw_kernel_arguments(kernel, mm, 4096);
    return read + strlen(maps) + (program ? strlen(program) : 0) + g_bytes_get_size(arguments);
}

size_t made_read_all(RwKernel *kernel)
{
    g_autoptr(GPtrArray) tasks = rw_kernel_tasks(kernel);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_int64_hash, g_int64_equal);
    size_t read = 0;
    g_assert_cmpuint(tasks->len, <=, RW_KERNEL_TASKS_MAX);
    for (guint i = 0; i < tasks->len; i++) {
        RwKernelTask *task = tasks->pdata[i];
        RwKernelRegisters registers;
        uint8_t fpu[RW_KERNEL_FXSAVE];
        g_assert_true(task->state < RW_N_TASK_STATES && memchr(task->name, 0, sizeof task->name));
        read += rw_kernel_registers(kernel, task, &registers) + rw_kernel_fpu(kernel, task, fpu);
        for (uint32_t fd = 0; fd < 4; fd++) {
            g_autofree char *file = rw_kernel_dup_descriptor(kernel, task, fd);
            read += file ? strlen(file) : 0;
        }
        if (task->mm && g_hash_table_add(seen, &task->mm))
            read += read_memory(kernel, task->mm);
    }
    return read;
}
