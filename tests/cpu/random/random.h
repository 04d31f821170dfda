// SPDX-License-Identifier: MIT
// Random instruction sequences, run natively and on the software CPU, and compared.
//
// generate.c makes a sequence from templates.c; native.c runs it in this process and catches its end as
// a signal; guest.c runs it on an RwCpu in user mode with the same memory at the same addresses;
// compare.c says what differs.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

// ---- The user program's memory, at the same virtual addresses in both worlds ----
#define CODE_VA 0x10000000ULL
#define CODE_SIZE 0x2000 // read and execute
#define DATA_VA 0x20000000ULL
#define DATA_RW_SIZE 0x4000
#define DATA_SIZE 0x5000 // the last page is read-only; nothing is mapped around
#define FS_BASE 0x20002030ULL
#define GS_BASE 0x20001040ULL

// ---- Random numbers: a splitmix generator ----
typedef struct {
    uint64_t s;
} Rng;
static inline uint64_t rng64(Rng *r)
{
    uint64_t z = r->s += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static inline unsigned rng_below(Rng *r, unsigned n)
{
    return (unsigned)((rng64(r) >> 32) * n >> 32);
}
static inline bool rng_percent(Rng *r, unsigned p)
{
    return rng_below(r, 100) < p;
}
uint64_t rng_integer(Rng *r); // often near a power of two
void rng_xmm(Rng *r, uint8_t out[16]); // integers, floats with special values, text
void rng_f80(Rng *r, uint8_t out[10]);
uint64_t rng_address(Rng *r); // mostly in the data, some at its borders

// ---- State ----

// FXSAVE64's layout, its first 416 bytes.
typedef struct {
    uint16_t fcw, fsw;
    uint8_t ftw, zero; // ftw: one bit a register, by physical number: not empty
    uint16_t fop;
    uint64_t fip, fdp;
    uint32_t mxcsr, mxcsr_mask;
    uint8_t st[8][16]; // by distance from the top
    uint8_t xmm[16][16];
} Fx;

typedef struct {
    uint64_t gpr[16]; // in the order of their encoding
    uint64_t rip, rflags;
    Fx fx;
} Regs;

// How a sequence ended. vector 3 at the INT3 behind it: normally. ENDLESS: not at all, a loop overwrote
// its counter. On the software CPU negative: an exit other than HLT.
#define ENDLESS (-1)
typedef struct {
    int vector;
    uint32_t error;
    uint64_t cr2; // with vector 14 only
} End;

void rng_fx(Rng *r, Fx *fx);

// ---- Templates ----

enum { F_C = 0x1, F_P = 0x4, F_A = 0x10, F_Z = 0x40, F_S = 0x80, F_O = 0x800 };
#define F_ALL (F_C | F_P | F_A | F_Z | F_S | F_O)

enum {
    A_MEM = 1 << 0, // memory operands only
    A_REG = 1 << 1, // register operands only
    A_LOCK = 1 << 2, // may have LOCK with a memory operand
    A_REP = 1 << 3, // string instruction: F3, F2 or nothing; needs RSI, RDI, RCX
    A_RDI = 1 << 4, // needs RDI
    A_LAST = 1 << 5, // result only near the host's: ends the sequence, compared within a tolerance
    A_RARE = 1 << 6,
    A_KEEP = 1 << 7, // may leave the flags it defines: what was undefined stays so
    A_JUMP = 1 << 8, // the immediate is a distance over the next instruction
    A_WIDE = 1 << 9, // far addresses: a register bit offset
    A_DIV = 1 << 10, // often with RDX cleared or sign-extended before
    A_ENTER = 1 << 11, // an 8-bit second immediate, small frames
    A_POPF = 1 << 12, // preceded by a push of harmless flags
    A_MXCSR = 1 << 13, // memory operand holds a valid MXCSR
    A_TARGET = 1 << 14, // an indirect jump: its operand is made to hold the next instruction's address
    A_SMALL = 1 << 16, // x87: ST0 within FYL2XP1's range
    A_COUNT = 1 << 15, // a second operand's meaning depends on CL: CL is set to a small count first
};

typedef struct {
    const char *group, *name;
    uint32_t opcode; // one to three bytes, the first one highest
    uint8_t prefix; // mandatory: 0, 66, F2, F3
    char form; // r: ModRM with a register; 0-7: ModRM with this digit; m: any digit and memory;
               // o: register in the opcode; -: none
    char size; // b: bytes; v: 16, 32, 64; y: 32, 64; q: 64, rarely 16; x: none
    char imm; // -, b: 8 bits; w: 16; z: 16 or 32; v: 16, 32 or 64; a: 64-bit address
    uint16_t reads, defines, undefines; // flags
    uint32_t attr;
} Template;

extern const Template templates[];
extern const unsigned n_templates;

// ---- Sequences ----

#define MAX_INSNS 48
typedef struct {
    uint64_t seed;
    uint8_t code[CODE_SIZE]; // the whole of the code pages; the rest is INT3
    unsigned n; // instructions
    bool loops; // and so may be endless
    uint64_t at[MAX_INSNS + 1]; // their addresses; at[n]: the final INT3
    const Template *from[MAX_INSNS]; // NULL: made to set up the next one
    uint16_t undefined[MAX_INSNS + 1]; // flags that are undefined before instruction i
    Regs regs;
    uint8_t data[DATA_SIZE];
} Sequence;

void generate_init(void);
// near: most of its accesses are near each other, by one register that changes a little.
void generate(Sequence *s, uint64_t seed, const char *only_group, bool near);

// ---- Worlds ----

typedef struct {
    Regs regs;
    End end;
    uint8_t data[DATA_SIZE];
    uint64_t icount; // guest: instructions, those of the sequence and the handler's HLT
} Outcome;

bool native_init(GError **error);
void native_run(const Sequence *s, Outcome *ret);

typedef struct _Guest Guest;
Guest *guest_new(void);
// A block becomes host code after so many executions; 0: never.
void guest_set_jit(Guest *g, unsigned hot);
void guest_free(Guest *g);
// step: stops after every so many instructions and saves and restores the state there; 0: never.
// times: how often it is run, each time from the start; only hot code is translated.
void guest_run(Guest *g, const Sequence *s, unsigned step, unsigned times, Outcome *ret);
// From now on all that the program accesses is told; log: of RwWatchAccess, of the last time that it was
// run. It stays the caller's.
void guest_watch(Guest *g, GArray *log);
unsigned access_size(void); // of one in the log
// From now on runs stop at these instructions of the sequence and go on. n: at most 8
void guest_set_stops(Guest *g, const uint64_t *at, unsigned n);

// What AMD's CPUs do in another way; host.c has the list.
bool host_is_amd(void);
// Whether the host runs t as the software CPU is meant to; where not, sequences do without it.
bool host_has(const Template *t);
// Whether a program can be entered at all where the stack pointer is no address.
bool host_enters(const Sequence *s);

// What differs, a line each; empty: nothing.
void compare(const Sequence *s, const Outcome *native, const Outcome *guest, GString *ret_text);
// The same program in two ways on the software CPU: nothing may differ.
void compare_guests(const char *how, const Outcome *a, const Outcome *b, GString *ret_text);
// The accesses that two runs were told of; and those that instructions must have made, by their operands:
// of what was run last. text: what is wrong.
void compare_accesses(const GArray *a, const GArray *b, GString *text);
void check_accesses(Guest *plain, const Sequence *s, const GArray *log, GString *text);
// Runs it once, instruction by instruction; `before` gets each one's state, an RwCpuState.
void guest_walk(Guest *g, const Sequence *s, void (*before)(void *data, const void *state), void *data);
// Index of the instruction at an address, or s->n.
unsigned sequence_index(const Sequence *s, uint64_t rip);
void sequence_print(const Sequence *s, GString *text);
