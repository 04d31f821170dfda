// SPDX-License-Identifier: MIT
#pragma once

#include "rw-blame.h"
#include "rw-insn.h"
#include "rw-procs.h"

#define BLAME_PAGE 4096ull
#define BLAME_HALF (1ull << 63) // addresses of the kernel's begin above

typedef struct {
    bool known;
    uint64_t va, gpa;
    unsigned length; // bytes, within a page
    uint64_t icount; // before which instruction it was read
} BlameOrigin;

// What something was computed from, the last one read first.
typedef struct {
    BlameOrigin of[RW_BLAME_FROM_MAX];
    unsigned n;
} BlameInputs;

// ---- registers.c: what is in registers, as instructions are executed one by one ----

#define BLAME_REGISTER_BYTES 16u
typedef struct _BlameRegisters BlameRegisters;

// A machine before an instruction, and what is known of its registers.
typedef struct {
    RwMachine *machine;
    RwCpuState cpu;
    RwInsn insn;
    BlameRegisters *registers;
} BlameStep;

BlameRegisters *blame_registers_new(void); // for g_free()
void blame_registers_forget(BlameRegisters *registers);
// Where the timeline stands. false: there is no instruction that is known.
bool blame_step_read(const RwBlame *blame, BlameStep *step);
void blame_step_take(BlameStep *step); // it is executed
// How many bytes it moves as they are, from the first of each operand; 0: it is no such instruction.
unsigned blame_step_moves(const BlameStep *step);
// Where the byte `i` of an operand came from.
BlameOrigin blame_step_origin(const BlameStep *step, const ZydisDecodedOperand *operand, unsigned i);
// Adds what all that the instruction reads was computed from.
void blame_step_inputs(const BlameStep *step, BlameInputs *inputs);

// ---- moved.c ----

typedef struct {
    BlameOrigin moved; // where the byte came from, if the instruction only moves it
    BlameInputs inputs; // else
} BlameOrigins;

// The timeline stands before the instruction of the hit: where the first byte that it writes comes from.
// The timeline goes back a little for it.
bool blame_find_origins(const RwBlame *blame, const RwWhenHit *hit, BlameOrigins *ret, GError **error);

// ---- pages.c ----

typedef enum {
    BLAME_PAGE_NONE,
    BLAME_PAGE_CLEARED,
    BLAME_PAGE_COPIED,
} BlamePageWork;

// The same: whether the instruction is the kernel's that clears or copies a whole page. Such a page is
// about to be handed out, and the byte is not the doing of whom it is for. The timeline goes back a little.
bool blame_find_page_work(const RwBlame *blame, const RwWhenHit *hit, BlamePageWork *ret, GError **error);

// ---- string.c: instructions for strings, which write as many bytes as a register says ----

enum { BLAME_RAX = 0, BLAME_RCX = 1, BLAME_RSP = 4, BLAME_RSI = 6, BLAME_RDI = 7 };
#define BLAME_CHUNK 64u // bytes that a repeated one writes at once, at most

// *ret_moves: from other memory; else it fills. false: it is none that goes forward.
bool blame_is_string(const RwInsn *insn, const RwCpuState *cpu, bool *ret_moves);

// ---- history.c: what the trace tells ----

// Each event that happened before the position, in their order. `procs` is who is there then.
typedef bool (*BlameEach)(const RwTraceItem *item, RwProcs *procs, void *data);
bool blame_each_event(RwTrace *trace, const RwPosition *before, BlameEach each, void *data,
                      GCancellable *cancellable, GError **error);
RwPosition blame_position(const RwTraceItem *item);
char *blame_dup_program(RwProcs *procs, uint32_t pid); // or NULL
