// SPDX-License-Identifier: MIT
//
// Memory that processes share: where it is is known once the call that maps it is back, which returns the
// address.
#include "learn-private.h"

#include <sys/mman.h>

#define SHMAT_LENGTH (1ull << 30) // at most: how long a segment is nobody says

enum { CALL_MMAP = 9, CALL_SHMAT = 30 };

static void note_mapped(GHashTable *lengths, RwWords *words, uint32_t tid, const RwCpuState *state)
{
    const uint64_t *length = g_hash_table_lookup(lengths, GUINT_TO_POINTER(tid));
    if (!length)
        return;
    if ((int64_t)state->gpr[0] > 0)
        rw_words_add_shared(words, state->gpr[0], *length);
    g_hash_table_remove(lengths, GUINT_TO_POINTER(tid));
}

static void note_mapping(GHashTable *lengths, uint32_t tid, const RwCpuState *state)
{
    bool maps = state->gpr[0] == CALL_MMAP && state->gpr[10] & MAP_SHARED && state->gpr[2] & PROT_WRITE;
    uint64_t length = maps ? state->gpr[6] : SHMAT_LENGTH;
    if (maps || state->gpr[0] == CALL_SHMAT)
        g_hash_table_replace(lengths, GUINT_TO_POINTER(tid), g_memdup2(&length, sizeof length));
}

GHashTable *rw_mappings_new(void)
{
    return g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void rw_mappings_point(GHashTable *lengths, RwWords *words, RwMachine *machine, const RwTaskPoint *point)
{
    RwCpuState state;
    bool returns = point->kind == RW_EXIT_USER;
    if (returns ? !g_hash_table_size(lengths) : point->kind != RW_EXIT_CALL)
        return;
    rw_machine_get_cpu(machine, &state);
    if (returns)
        note_mapped(lengths, words, point->tid, &state);
    else
        note_mapping(lengths, point->tid, &state);
}
