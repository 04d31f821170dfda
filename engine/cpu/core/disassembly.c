// SPDX-License-Identifier: MIT
#include "rw-cpu.h"

#include <Zydis/Zydis.h>
#include <glib.h>

char *rw_cpu_dup_disassembly(const uint8_t *bytes, size_t length, uint64_t address)
{
    ZydisDisassembledInstruction instruction;
    if (!ZYAN_SUCCESS(
            ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, address, bytes, length, &instruction)))
        return NULL;
    return g_strdup(instruction.text);
}
