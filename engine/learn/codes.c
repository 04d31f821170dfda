// SPDX-License-Identifier: MIT
//
// Instructions that access memory.
#include "learn-private.h"

struct _RwCodes {
    GHashTable *codes; // rip → RwCode
    GHashTable *atomics; // of rip; or NULL
};

RwCodes *rw_codes_new(GHashTable *atomics)
{
    RwCodes *codes = g_new0(RwCodes, 1);
    codes->codes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    codes->atomics = atomics;
    return codes;
}

void rw_codes_free(RwCodes *codes)
{
    g_hash_table_unref(codes->codes);
    g_free(codes);
}

static void decode(const RwCodes *codes, RwMachine *machine, uint64_t rip, RwCode *code)
{
    RwInstruction instruction;
    code->known = rw_machine_get_instruction(machine, rip, &instruction);
    code->flags = (instruction.atomic ? RW_EVENT_ATOMIC : 0) | (instruction.splits ? RW_EVENT_SPLITS : 0);
    code->jumps = instruction.jumps;
    code->declared = codes->atomics && g_hash_table_contains(codes->atomics, &rip);
}

const RwCode *rw_codes_get(RwCodes *codes, RwMachine *machine, uint64_t rip)
{
    RwCode *code = g_hash_table_lookup(codes->codes, &rip);
    if (!code) {
        code = g_new0(RwCode, 1);
        g_hash_table_insert(codes->codes, g_memdup2(&rip, sizeof rip), code);
    }
    if (!code->known)
        decode(codes, machine, rip, code);
    return code;
}

uint32_t rw_event_flags(const RwWatchAccess *access, uint32_t flags)
{
    return flags | (access->flags & RW_WATCH_READ ? RW_EVENT_READS : 0) |
           (access->flags & RW_WATCH_WRITE ? RW_EVENT_CHANGES : 0);
}
