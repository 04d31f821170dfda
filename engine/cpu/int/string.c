// SPDX-License-Identifier: MIT
// MOVS, STOS, LODS, SCAS, CMPS, alone and repeated.
//
// A repeated instruction advances by chunks of at most 64 bytes within one page of each operand, and each
// chunk counts as one instruction: so the cost is in proportion to the length, a chunk is cheap to do on
// host memory, and the instruction can be interrupted between chunks. A chunk's length depends on the
// registers (and TF) alone, never on what happens to be in the TLB: an instruction that was interrupted
// and goes on makes the same chunks.
//
// The registers hold the progress after each chunk. A chunk that can't run on host memory goes element
// by element, moving the registers with each, so that a fault finds them right.
//
// op->imm is the mask of the address size, which RCX, RSI and RDI obey too; op->base is the slot of the
// source segment's base.
#include "integer-private.h"

#define CHUNK_BYTES 64

#define COUNT (cpu->r[RW_R_RCX] & op->imm)
#define SRC (cpu->r[op->base] + (cpu->r[RW_R_RSI] & op->imm))
#define DST (cpu->r[RW_R_RDI] & op->imm)

RW_INLINE bool going_down(const RwCpu *cpu)
{
    return cpu->rflags & RW_FLAG_DF;
}
RW_INLINE void advance(RwCpu *cpu, const RwOp *op, unsigned slot, unsigned size, uint64_t n)
{
    uint64_t bytes = n * size;

    cpu->r[slot] = (cpu->r[slot] + (going_down(cpu) ? -bytes : bytes)) & op->imm;
}
RW_INLINE void count_down(RwCpu *cpu, const RwOp *op, uint64_t n)
{
    cpu->r[RW_R_RCX] = (cpu->r[RW_R_RCX] - n) & op->imm;
}

// ---- Chunks ----

// Elements at va, in the direction of movement, that lie wholly in its page; 1 if the first doesn't.
RW_INLINE uint64_t elements_in_page(const RwCpu *cpu, uint64_t va, unsigned size)
{
    uint64_t off = va & ~RW_PAGE_MASK;

    if (off + size > 4096)
        return 1;
    return going_down(cpu) ? off / size + 1 : (4096 - off) / size;
}
RW_INLINE uint64_t chunk1(const RwCpu *cpu, uint64_t count, uint64_t va, unsigned size)
{
    uint64_t n = elements_in_page(cpu, va, size);

    n = n < CHUNK_BYTES / size ? n : CHUNK_BYTES / size;
    n = n < count ? n : count;
    return RW_UNLIKELY(cpu->single_step) ? 1 : n;
}
RW_INLINE uint64_t chunk2(const RwCpu *cpu, uint64_t count, uint64_t va1, uint64_t va2, unsigned size)
{
    uint64_t a = chunk1(cpu, count, va1, size), b = chunk1(cpu, count, va2, size);

    return a < b ? a : b;
}
// Address of the lowest byte of n elements.
RW_INLINE uint64_t lowest(const RwCpu *cpu, uint64_t va, uint64_t n, unsigned size)
{
    return going_down(cpu) ? va - (n - 1) * size : va;
}
// Host memory of `bytes` bytes, or NULL.
RW_INLINE uint8_t *host_read(RwCpu *cpu, uint64_t va, uint64_t bytes)
{
    const RwTlbEntry *t = rw_tlb(cpu, va);

    return RW_TLB_HIT(t->rtag, va, bytes) ? (uint8_t *)(va + t->addend) : NULL;
}
RW_INLINE bool in_a_page(uint64_t va, uint64_t bytes)
{
    return (va & ~RW_PAGE_MASK) + bytes <= ~RW_PAGE_MASK + 1;
}
// Both at once, into cpu->tmp: see rw_host_pair().
RW_INLINE bool host_pair(RwCpu *cpu, uint64_t first, uint64_t second, uint64_t bytes, bool write)
{
    return in_a_page(first, bytes) && in_a_page(second, bytes) && rw_host_pair(cpu, first, second, write);
}
RW_INLINE uint8_t *host_write(RwCpu *cpu, uint64_t va, uint64_t bytes)
{
    const RwTlbEntry *t = rw_tlb(cpu, va);

    return RW_TLB_HIT(t->wtag, va, bytes) ? (uint8_t *)(va + t->addend) : NULL;
}

// ---- Elements ----

RW_INLINE uint64_t get(const void *p, unsigned size)
{
    return size == 1   ? *(const rw_u8u *)p
           : size == 2 ? *(const rw_u16u *)p
           : size == 4 ? *(const rw_u32u *)p
                       : *(const rw_u64u *)p;
}
RW_INLINE void put(void *p, unsigned size, uint64_t v)
{
    if (size == 1)
        *(rw_u8u *)p = (uint8_t)v;
    else if (size == 2)
        *(rw_u16u *)p = (uint16_t)v;
    else if (size == 4)
        *(rw_u32u *)p = (uint32_t)v;
    else
        *(rw_u64u *)p = v;
}
RW_INLINE uint64_t accumulator(const RwCpu *cpu, unsigned size)
{
    return rw_zext(size * 8, cpu->r[RW_R_RAX]);
}
RW_INLINE void set_accumulator(RwCpu *cpu, unsigned size, uint64_t v)
{
    if (size >= 4)
        cpu->r[RW_R_RAX] = v;
    else
        put(&cpu->r[RW_R_RAX], size, v);
}

// The next element, by the ordinary way; false: it faulted and nothing happened.
RW_INLINE bool load(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, uint64_t *ret_value)
{
    const uint8_t *p = host_read(cpu, va, size);

    if (!p) {
        if (!rw_load_slow(cpu, op, va, size))
            return false;
        p = cpu->tmp.u8;
    }
    *ret_value = get(p, size);
    return true;
}
RW_INLINE bool store(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, uint64_t v)
{
    uint8_t *p = host_write(cpu, va, size);

    if (p) {
        put(p, size, v);
        return true;
    }
    cpu->tmp.u64[0] = v;
    return rw_store_slow(cpu, op, va, size);
}

// With 32-bit addresses a repeated instruction clears the upper half of RCX before anything else, even when
// the count is zero or the first element faults; REP MOVS and REP STOS those of RSI and RDI, too (seen on
// Intel's CPUs).
RW_INLINE void narrow(RwCpu *cpu, const RwOp *op, bool src, bool dst)
{
    cpu->r[RW_R_RCX] &= op->imm;
    if (dst)
        cpu->r[RW_R_RDI] &= op->imm;
    if (src)
        cpu->r[RW_R_RSI] &= op->imm;
}

// ---- MOVS ----

RW_INLINE bool movs_one(RwCpu *cpu, const RwOp *op, unsigned size)
{
    uint64_t v;

    if (!load(cpu, op, SRC, size, &v) || !store(cpu, op, DST, size, v))
        return false;
    advance(cpu, op, RW_R_RSI, size, 1);
    advance(cpu, op, RW_R_RDI, size, 1);
    return true;
}

// Source and destination closer than the chunk, the destination ahead: a copied element is a later source.
RW_INLINE bool feeds_itself(const RwCpu *cpu, uint64_t src, uint64_t dst, uint64_t bytes)
{
    uint64_t distance = going_down(cpu) ? src - dst : dst - src;

    return distance - 1 < bytes - 1;
}

// The n elements at once, if both operands' memory is at hand and no two virtual addresses for the same
// memory make them overlap after all.
RW_INLINE bool movs_host(RwCpu *cpu, uint64_t src, uint64_t dst, uint64_t n, unsigned size)
{
    uint64_t bytes = n * size;
    uint64_t from = lowest(cpu, src, n, size), to = lowest(cpu, dst, n, size);
    const uint8_t *s = host_read(cpu, from, bytes);
    uint8_t *d = host_write(cpu, to, bytes);

    if (!s || !d) {
        if (!host_pair(cpu, from, to, bytes, true))
            return false;
        s = (const uint8_t *)(uintptr_t)cpu->tmp.u64[0];
        d = (uint8_t *)(uintptr_t)cpu->tmp.u64[1];
    }
    if ((uintptr_t)d - (uintptr_t)s + bytes - 1 < 2 * bytes - 1)
        return false;
    if (bytes == CHUNK_BYTES)
        memcpy(d, s, CHUNK_BYTES);
    else
        memcpy(d, s, bytes);
    return true;
}

RW_INLINE int rep_movs(RwCpu *cpu, const RwOp *op, unsigned size)
{
    narrow(cpu, op, true, true);
    while (COUNT) {
        uint64_t src = SRC, dst = DST, n = chunk2(cpu, COUNT, src, dst, size);

        if (feeds_itself(cpu, src, dst, n * size))
            n = 1;
        if (movs_host(cpu, src, dst, n, size)) {
            advance(cpu, op, RW_R_RSI, size, n);
            advance(cpu, op, RW_R_RDI, size, n);
            count_down(cpu, op, n);
        } else {
            for (; n; n--) {
                if (!movs_one(cpu, op, size))
                    return RW_GO_ON;
                count_down(cpu, op, 1);
            }
        }
        if (COUNT && !rw_rep_next(cpu, op))
            return RW_GO_ON;
    }
    RW_NEXT;
}

// ---- STOS ----

RW_INLINE bool stos_one(RwCpu *cpu, const RwOp *op, unsigned size)
{
    if (!store(cpu, op, DST, size, accumulator(cpu, size)))
        return false;
    advance(cpu, op, RW_R_RDI, size, 1);
    return true;
}

RW_INLINE bool stos_host(RwCpu *cpu, uint64_t dst, uint64_t n, unsigned size)
{
    uint8_t *d = host_write(cpu, lowest(cpu, dst, n, size), n * size);
    uint64_t v = accumulator(cpu, size);

    if (!d)
        return false;
    if (n * size == CHUNK_BYTES) {
        uint64_t pattern = v * (UINT64_MAX / (UINT64_MAX >> (64 - size * 8)));

        for (unsigned i = 0; i < CHUNK_BYTES; i += 8)
            put(d + i, 8, pattern);
    } else {
        for (uint64_t i = 0; i < n; i++)
            put(d + i * size, size, v);
    }
    return true;
}

RW_INLINE int rep_stos(RwCpu *cpu, const RwOp *op, unsigned size)
{
    narrow(cpu, op, false, true);
    while (COUNT) {
        uint64_t n = chunk1(cpu, COUNT, DST, size);

        if (stos_host(cpu, DST, n, size)) {
            advance(cpu, op, RW_R_RDI, size, n);
            count_down(cpu, op, n);
        } else {
            for (; n; n--) {
                if (!stos_one(cpu, op, size))
                    return RW_GO_ON;
                count_down(cpu, op, 1);
            }
        }
        if (COUNT && !rw_rep_next(cpu, op))
            return RW_GO_ON;
    }
    RW_NEXT;
}

// ---- LODS ----

RW_INLINE bool lods_one(RwCpu *cpu, const RwOp *op, unsigned size)
{
    uint64_t v;

    if (!load(cpu, op, SRC, size, &v))
        return false;
    set_accumulator(cpu, size, v);
    advance(cpu, op, RW_R_RSI, size, 1);
    return true;
}

RW_INLINE int rep_lods(RwCpu *cpu, const RwOp *op, unsigned size)
{
    narrow(cpu, op, false, false);
    while (COUNT) {
        for (uint64_t n = chunk1(cpu, COUNT, SRC, size); n; n--) {
            if (!lods_one(cpu, op, size))
                return RW_GO_ON;
            count_down(cpu, op, 1);
        }
        if (COUNT && !rw_rep_next(cpu, op))
            return RW_GO_ON;
    }
    RW_NEXT;
}

// ---- SCAS and CMPS ----

// The two values that an element compares.
typedef struct {
    uint64_t a, b;
} Pair;

// CMPS reads the destination first: which operand faults shows it (seen on Intel's CPUs).
RW_INLINE bool read_pair(RwCpu *cpu, const RwOp *op, unsigned size, bool cmps, Pair *ret)
{
    if (!load(cpu, op, DST, size, &ret->b))
        return false;
    if (cmps)
        return load(cpu, op, SRC, size, &ret->a);
    ret->a = accumulator(cpu, size);
    return true;
}
RW_INLINE void scan_advance(RwCpu *cpu, const RwOp *op, unsigned size, bool cmps, uint64_t n)
{
    if (cmps)
        advance(cpu, op, RW_R_RSI, size, n);
    advance(cpu, op, RW_R_RDI, size, n);
}

RW_INLINE int scan_alone(RwCpu *cpu, const RwOp *op, unsigned size, bool cmps)
{
    Pair p;

    if (!read_pair(cpu, op, size, cmps, &p))
        return RW_GO_ON;
    rw_do_sub(cpu, size * 8, p.a, p.b);
    scan_advance(cpu, op, size, cmps, 1);
    RW_NEXT;
}

// Where elements lie in the host's memory, and how far each is from the one before; step 0: one value.
typedef struct {
    const uint8_t *at;
    int64_t step;
} Row;

// How many of the n elements get compared: up to the first whose equality ends the repetition.
RW_INLINE uint64_t compare(Row a, Row b, uint64_t n, unsigned size, bool equal, Pair *ret_last)
{
    uint64_t i = 0;
    Pair p;

    // All equal is the common chunk of REPE CMPS.
    if (equal && a.step == (int64_t)size && b.step == a.step && memcmp(a.at, b.at, n * size) == 0)
        i = n - 1;
    do {
        p.a = get(a.at + (int64_t)i * a.step, size);
        p.b = get(b.at + (int64_t)i * b.step, size);
    } while (++i < n && (p.a == p.b) == equal);
    *ret_last = p;
    return i;
}

// A chunk on host memory: the number of elements compared, or 0.
RW_INLINE uint64_t scan_host(RwCpu *cpu, const RwOp *op, uint64_t n, unsigned size, bool cmps, bool equal,
                             Pair *ret_last)
{
    uint64_t bytes = n * size, back = going_down(cpu) ? bytes - size : 0;
    int64_t step = going_down(cpu) ? -(int64_t)size : (int64_t)size;
    uint64_t dst = lowest(cpu, DST, n, size), src = lowest(cpu, SRC, n, size);
    const uint8_t *b = host_read(cpu, dst, bytes), *a;

    if (!cmps)
        return b ? compare((Row){(const uint8_t *)&cpu->r[RW_R_RAX], 0}, (Row){b + back, step}, n, size,
                           equal, ret_last)
                 : 0;
    a = host_read(cpu, src, bytes);
    if (!a || !b) {
        if (!host_pair(cpu, dst, src, bytes, false))
            return 0;
        b = (const uint8_t *)(uintptr_t)cpu->tmp.u64[0];
        a = (const uint8_t *)(uintptr_t)cpu->tmp.u64[1];
    }
    return compare((Row){a + back, step}, (Row){b + back, step}, n, size, equal, ret_last);
}

// Repeats while the equality is `equal`. The flags change at the very end: a fault or an interruption
// finds those from before the instruction (SDM, "REP": EFLAGS after a fault).
RW_INLINE int rep_scan(RwCpu *cpu, const RwOp *op, unsigned size, bool cmps, bool equal)
{
    Pair last;

    narrow(cpu, op, false, false);
    if (!COUNT)
        RW_NEXT;
    for (;;) {
        uint64_t n = cmps ? chunk2(cpu, COUNT, SRC, DST, size) : chunk1(cpu, COUNT, DST, size);
        uint64_t done = scan_host(cpu, op, n, size, cmps, equal, &last);

        if (done) {
            scan_advance(cpu, op, size, cmps, done);
            count_down(cpu, op, done);
        } else {
            do {
                if (!read_pair(cpu, op, size, cmps, &last))
                    return RW_GO_ON;
                scan_advance(cpu, op, size, cmps, 1);
                count_down(cpu, op, 1);
            } while (--n && (last.a == last.b) == equal);
        }
        if (!COUNT || (last.a == last.b) != equal)
            break;
        if (!rw_rep_next(cpu, op))
            return RW_GO_ON;
    }
    rw_do_sub(cpu, size * 8, last.a, last.b);
    RW_NEXT;
}

// ---- Handlers ----

#define ALONE(o, size)                                                                                     \
    static RW_OP(o##size)                                                                                  \
    {                                                                                                      \
        if (!o##_one(cpu, op, size))                                                                       \
            return RW_GO_ON;                                                                               \
        RW_NEXT;                                                                                           \
    }
#define HANDLER(name, call)                                                                                \
    static RW_OP(name)                                                                                     \
    {                                                                                                      \
        return call;                                                                                       \
    }
#define SIZE(size)                                                                                         \
    ALONE(movs, size)                                                                                      \
    ALONE(stos, size)                                                                                      \
    ALONE(lods, size)                                                                                      \
    HANDLER(scas##size, scan_alone(cpu, op, size, false))                                                  \
    HANDLER(cmps##size, scan_alone(cpu, op, size, true))                                                   \
    HANDLER(rep_movs##size, rep_movs(cpu, op, size))                                                       \
    HANDLER(rep_stos##size, rep_stos(cpu, op, size))                                                       \
    HANDLER(rep_lods##size, rep_lods(cpu, op, size))                                                       \
    HANDLER(repe_scas##size, rep_scan(cpu, op, size, false, true))                                         \
    HANDLER(repne_scas##size, rep_scan(cpu, op, size, false, false))                                       \
    HANDLER(repe_cmps##size, rep_scan(cpu, op, size, true, true))                                          \
    HANDLER(repne_cmps##size, rep_scan(cpu, op, size, true, false))
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)

// By operation and log2 of the size; then: alone, REP or REPE, REPNE (which repeats the others like REP).
#define ROW(o, size)                                                                                       \
    {                                                                                                      \
        o##size, rep_##o##size, rep_##o##size                                                              \
    }
#define SCAN_ROW(o, size)                                                                                  \
    {                                                                                                      \
        o##size, repe_##o##size, repne_##o##size                                                           \
    }
#define ROWS(R, o) R(o, 1), R(o, 2), R(o, 4), R(o, 8)
static const RwOpFn fns[][3] = {
    ROWS(ROW, movs), ROWS(ROW, stos), ROWS(ROW, lods), ROWS(SCAN_ROW, scas), ROWS(SCAN_ROW, cmps),
};

// 0: no prefix, 1: F3, 2: F2
static unsigned repetition(const RwEmit *e)
{
    return e->insn.rep == 0xf3 ? 1 : e->insn.rep == 0xf2 ? 2 : 0;
}

bool rw_emit_string(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op;

    // MOVSD and CMPSD are also names of SSE2 instructions.
    if (e->insn.map != RW_MAP_ONE)
        return false;
    op = rw_emit(e, fns[m->arg][repetition(e)]);
    op->base = e->insn.segment;
    op->imm = rw_address_mask(e);
    return true;
}
