// SPDX-License-Identifier: MIT
// Stops that were asked for: before system calls, after returns to user mode, at addresses.
//
// Addresses are virtual, code is decoded by guest-physical address. So a page is marked when code is
// entered in it by a virtual page that has a stop; blocks of marked pages are split at the stops' offsets
// in the page, whatever they are mapped at: an instruction at such an offset is a block of its own, whose
// header asks. Code in other pages is as ever.
#pragma once

#include "cpu-private.h"

struct _RwStops {
    uint64_t address[RW_STOPS_MAX]; // ascending, each once
    unsigned n;
    uint64_t offsets[64]; // bit n: one of them has this offset in its page
    GHashTable *pages; // marked ones, by their number
    // The point that was stopped at last and is passed, as long as RIP and count are these:
    uint64_t passed_rip, passed_icount;
    unsigned passed; // kinds
};

RwStops *rw_stops_new(void);
void rw_stops_free(RwStops *stops);
// No point is passed, and user mode wasn't entered.
void rw_stops_forget(RwCpu *cpu);

// Between instructions, or in a header: whether the CPU is to leave; cpu->exit is filled in then, and RIP
// set.
bool rw_stops_here(RwCpu *cpu); // at cpu->rip, USER or AT
bool rw_stops_at(RwCpu *cpu, uint64_t rip); // AT
bool rw_stops_call(RwCpu *cpu, const RwOp *op); // in SYSCALL's handler, before it
// The instruction at RIP goes on: its start was met.
void rw_stops_pass(RwCpu *cpu);

// Code is about to be entered by this virtual address, which is mapped to that page: marks it, if need
// be.
void rw_stops_enter_page(RwCpu *cpu, uint64_t rip, uint64_t gpa);
bool rw_stops_in_page(const RwStops *stops, uint64_t gpa); // it is marked
static inline bool rw_stops_offset(const RwStops *stops, unsigned offset)
{
    return stops->offsets[offset / 64] >> offset % 64 & 1;
}
