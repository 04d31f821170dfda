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

// LOCK, or XCHG, which needs none; JMP by a word relative to itself: Intel SDM volume 2.
static void decode(const RwCodes *codes, RwMachine *machine, uint64_t rip, RwCode *code)
{
    uint8_t bytes[4] = {0};
    guint at = 0;
    code->known = rw_machine_read_user(machine, rip, bytes, sizeof bytes);
    while (at < 3 &&
           (bytes[at] == 0x66 || (bytes[at] & 0xf0) == 0x40 || bytes[at] == 0xf2 || bytes[at] == 0xf3))
        at++;
    bool atomic = bytes[0] == 0xf0 || bytes[at] == 0xf0 || bytes[at] == 0x86 || bytes[at] == 0x87;
    code->flags = (atomic ? RW_EVENT_ATOMIC : 0) | (rw_machine_splits(machine, rip) ? RW_EVENT_SPLITS : 0);
    code->jumps = bytes[at] == 0xff && at < 3 && bytes[at + 1] == 0x25;
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
