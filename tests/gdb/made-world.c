// SPDX-License-Identifier: MIT
#include "made-world.h"

#include <elf.h>

static const char content[] = "content #$}* of a file";

static uint32_t get_pid(void *data)
{
    return MADE_PID;
}

static GPtrArray *get_threads(void *data)
{
    GPtrArray *threads = g_ptr_array_new_with_free_func((GDestroyNotify)gdb_thread_free);
    for (uint32_t i = 0; i < 2; i++) {
        GdbThread *thread = g_new0(GdbThread, 1);
        thread->tid = MADE_PID + i;
        thread->name = g_strdup(i ? "<a&b>\x01\xff" : "main");
        g_ptr_array_add(threads, thread);
    }
    return threads;
}

static void get_registers(void *data, uint32_t tid, GdbRegisters *ret)
{
    MadeWorld *made = data;
    *ret = tid - MADE_PID < 2 ? made->registers[tid - MADE_PID] : (GdbRegisters){0};
}

static bool set_registers(void *data, uint32_t tid, const GdbRegisters *to, GError **error)
{
    MadeWorld *made = data;
    if (tid - MADE_PID < 2) {
        made->registers[tid - MADE_PID] = *to;
        return true;
    }
    g_set_error_literal(error, RW_ERROR, RW_ERROR_NOT_FOUND, "no such thread");
    return false;
}

static size_t read_memory(void *data, uint64_t va, void *ret_bytes, size_t length)
{
    MadeWorld *made = data;
    if (va < MADE_BASE || va >= MADE_BASE + MADE_SIZE)
        return 0;
    size_t n = (size_t)MIN(length, MADE_BASE + MADE_SIZE - va);
    memcpy(ret_bytes, made->memory + (va - MADE_BASE), n);
    return n;
}

static bool write_memory(void *data, uint64_t va, const void *bytes, size_t length, GError **error)
{
    MadeWorld *made = data;
    if (va >= MADE_BASE && rw_copy_in(made->memory, MADE_SIZE, va - MADE_BASE, bytes, length))
        return true;
    g_set_error_literal(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "no such memory");
    return false;
}

bool made_world_read(void *data, uint64_t va, void *ret_bytes, size_t length)
{
    return read_memory(data, va, ret_bytes, length) == length;
}

static bool is_break(MadeWorld *made, const GdbResume *how, const GdbRegisters *registers)
{
    GdbStand stand = {registers, made_world_read, made};
    for (size_t i = 0; i < how->n; i++)
        if (how->points[i].kind <= GDB_CODE_TOO && how->points[i].address == registers->rip &&
            gdb_point_holds(&how->points[i], &stand))
            return true;
    return false;
}

static bool resume(void *data, const GdbResume *how, GdbStop *ret, GError **error)
{
    MadeWorld *made = data;
    uint32_t tid = how->tid - MADE_PID < 2 ? how->tid : MADE_PID;
    uint64_t *rip = &made->registers[tid - MADE_PID].rip;
    made->resumed++;
    made->last = *how;
    *ret = (GdbStop){.kind = GDB_STOP_STEP, .tid = tid};
    do {
        bool out = how->forward ? *rip >= MADE_BASE + MADE_SIZE - 1 : *rip <= MADE_BASE;
        if (out) {
            ret->kind = how->forward ? GDB_STOP_END : GDB_STOP_BEGIN;
            return true;
        }
        *rip += how->forward ? 1 : -1ull;
        ret->address = *rip;
        if (is_break(made, how, &made->registers[tid - MADE_PID])) {
            ret->kind = GDB_STOP_BREAK;
        } else if (*rip == MADE_SIGNAL && !(how->ignored >> 11 & 1)) {
            ret->kind = GDB_STOP_SIGNAL;
            ret->signal = (GdbSignalInfo){11, 1, 0x1234567812345678, 0};
        } else if (*rip == MADE_EXEC && how->exec) {
            ret->kind = GDB_STOP_EXEC;
            ret->program = g_strdup("/bin/made");
        }
    } while (ret->kind == GDB_STOP_STEP && (!how->step || (*rip >= how->from && *rip < how->until)));
    return true;
}

static GBytes *get_auxv(void *data, GError **error)
{
    const MadeWorld *made = data;
    const uint64_t vector[] = {AT_PHDR, made->headers, AT_PHNUM, made->n_headers, AT_NULL, 0};
    if (made->headers)
        return g_bytes_new(vector, sizeof vector);
    return g_bytes_new_static("\0\0\0\0\0\0\0\0}#$*", 12);
}

static char *get_program(void *data, GError **error)
{
    return g_strdup("/bin/made");
}

static GBytes *get_file(void *data, const char *path, GdbFileInfo *ret_info, GError **error)
{
    *ret_info = (GdbFileInfo){0100644, 1, 2, 3, 4, sizeof content - 1, 5};
    if (!strcmp(path, "/bin/made"))
        return g_bytes_new_static(content, sizeof content - 1);
    g_set_error_literal(error, RW_ERROR, RW_ERROR_NOT_FOUND, "no such file");
    return NULL;
}

static char *get_link(void *data, const char *path, GError **error)
{
    return strcmp(path, "/link") ? NULL : g_strdup("/bin/made");
}

static char *do_monitor(void *data, const char *command, GError **error)
{
    if (!strcmp(command, "when"))
        return g_strdup("12+3\n");
    g_set_error_literal(error, RW_ERROR, RW_ERROR_USAGE, "no such command");
    return NULL;
}

void made_world_init(MadeWorld *made, GdbWorld *ret)
{
    static const GdbWorldOps ops = {
        .pid = get_pid,
        .threads = get_threads,
        .registers = get_registers,
        .set_registers = set_registers,
        .read = read_memory,
        .write = write_memory,
        .resume = resume,
        .auxv = get_auxv,
        .program = get_program,
        .file = get_file,
        .link = get_link,
        .monitor = do_monitor,
    };
    *made = (MadeWorld){0};
    for (unsigned i = 0; i < MADE_SIZE; i++)
        made->memory[i] = (uint8_t)i;
    for (unsigned i = 0; i < 2; i++) {
        made->registers[i] = (GdbRegisters){.known = true, .fpu_known = i == 0, .rip = MADE_BASE + 0x100};
        for (unsigned r = 0; r < 16; r++)
            made->registers[i].gpr[r] = r;
    }
    *ret = (GdbWorld){&ops, made};
}
