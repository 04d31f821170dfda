// SPDX-License-Identifier: MIT
#include "blame-private.h"

// The kernel's clear_page() and copy_page() are one instruction each, which ends where the page does.
static BlamePageWork guess(RwMachine *machine, const RwWhenHit *hit, RwCpuState *ret_cpu)
{
    RwInsn insn;
    bool moves;
    rw_machine_get_cpu(machine, ret_cpu);
    uint64_t to = ret_cpu->gpr[BLAME_RDI], from = ret_cpu->gpr[BLAME_RSI];
    if (ret_cpu->rip != hit->rip || !rw_insn_decode(machine, ret_cpu->rip, &insn) ||
        !blame_is_string(&insn, ret_cpu, &moves) || to < BLAME_HALF ||
        (to + ret_cpu->gpr[BLAME_RCX] * (insn.operands[0].size / 8u)) % BLAME_PAGE)
        return BLAME_PAGE_NONE;
    if (moves)
        return from >= BLAME_HALF && (from - to) % BLAME_PAGE == 0 ? BLAME_PAGE_COPIED : BLAME_PAGE_NONE;
    return ret_cpu->gpr[BLAME_RAX] == 0 ? BLAME_PAGE_CLEARED : BLAME_PAGE_NONE;
}

bool blame_find_page_work(const RwBlame *b, const RwWhenHit *hit, BlamePageWork *ret, GError **error)
{
    RwCpuState cpu, first;
    *ret = hit->kernel ? guess(rw_timeline_get_machine(b->timeline), hit, &cpu) : BLAME_PAGE_NONE;
    if (*ret == BLAME_PAGE_NONE)
        return true;
    uint64_t within = cpu.gpr[BLAME_RDI] % BLAME_PAGE, before = within / BLAME_CHUNK;
    if (!rw_timeline_go_icount(b->timeline, cpu.icount - before, b->cancellable, error))
        return false;
    rw_machine_get_cpu(rw_timeline_get_machine(b->timeline), &first);
    if (first.rip != hit->rip || first.gpr[BLAME_RDI] != cpu.gpr[BLAME_RDI] - within)
        *ret = BLAME_PAGE_NONE; // it began within the page
    return true;
}
