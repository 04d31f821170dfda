// SPDX-License-Identifier: MIT
// The accesses that a program was told to make, against another telling and against its instructions'
// operands as the decoder library lists them.
#include "random.h"
#include "rw-vcpu.h"

#include <Zydis/Zydis.h>
#include <string.h>

unsigned access_size(void)
{
    return sizeof(RwWatchAccess);
}

static void print(GString *text, const char *what, const RwWatchAccess *a)
{
    g_string_append_printf(text, "  %s: %u bytes at %lx by %lx, kind %u, count %lu\n", what, a->size,
                           (unsigned long)a->va, (unsigned long)a->rip, a->flags, (unsigned long)a->icount);
}

void compare_accesses(const GArray *a, const GArray *b, GString *text)
{
    for (unsigned i = 0; i < MIN(a->len, b->len); i++) {
        const RwWatchAccess *x = &g_array_index(a, RwWatchAccess, i),
                            *y = &g_array_index(b, RwWatchAccess, i);
        if (x->va == y->va && x->gpa == y->gpa && x->rip == y->rip && x->icount == y->icount &&
            x->size == y->size && x->flags == y->flags)
            continue;
        print(text, "interpreted", x);
        print(text, "host code", y);
        return;
    }
    if (a->len != b->len)
        g_string_append_printf(text, "  told interpreted %u, as host code %u\n", a->len, b->len);
}

// ---- By operands ----

typedef struct {
    const Sequence *s;
    const GArray *log;
    unsigned next; // of the log
    GString *text;
} Check;

// Bytes around the first one that is accessed; an operand and its parts lie within.
typedef struct {
    uint64_t from;
    uint8_t flags[1024]; // RW_WATCH_… of each byte
    bool is_empty;
} Bytes;

static void add(Bytes *b, uint64_t va, unsigned size, unsigned flags)
{
    if (b->is_empty)
        b->from = va - 512;
    b->is_empty = false;
    for (unsigned i = 0; i < size; i++)
        if (va + i - b->from < sizeof b->flags)
            b->flags[va + i - b->from] |= (uint8_t)flags;
}

// What the library's operands do not tell exactly.
static bool is_beyond(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *o)
{
    switch (insn->mnemonic) {
    case ZYDIS_MNEMONIC_ENTER: // frames
    case ZYDIS_MNEMONIC_LEAVE:
    case ZYDIS_MNEMONIC_FXSAVE: // fewer bytes
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_FNSAVE:
    case ZYDIS_MNEMONIC_FRSTOR:
    case ZYDIS_MNEMONIC_FNSTENV:
    case ZYDIS_MNEMONIC_FLDENV:
    case ZYDIS_MNEMONIC_MASKMOVDQU: // bytes by a mask
    case ZYDIS_MNEMONIC_MASKMOVQ:
    case ZYDIS_MNEMONIC_XLAT:
    case ZYDIS_MNEMONIC_NOP: // nothing at all
    case ZYDIS_MNEMONIC_PREFETCH:
    case ZYDIS_MNEMONIC_PREFETCHW:
    case ZYDIS_MNEMONIC_PREFETCHNTA:
    case ZYDIS_MNEMONIC_PREFETCHT0:
    case ZYDIS_MNEMONIC_PREFETCHT1:
    case ZYDIS_MNEMONIC_PREFETCHT2:
    case ZYDIS_MNEMONIC_CLDEMOTE:
    case ZYDIS_MNEMONIC_CLFLUSH:
        return true;
    case ZYDIS_MNEMONIC_BT: // bits far away
    case ZYDIS_MNEMONIC_BTS:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTC:
        return o[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
    case ZYDIS_MNEMONIC_MOVSXD: // of 16 bits
        return insn->operand_width == 16;
    case ZYDIS_MNEMONIC_POP: // the address is that after the pop
        return o[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
    default:
        return insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
    }
}

static uint64_t reg_value(const RwCpuState *st, ZydisRegister reg)
{
    ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    uint64_t value;
    if (reg == ZYDIS_REGISTER_NONE)
        return 0;
    value = st->gpr[ZydisRegisterGetId(wide)];
    return ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_GPR32 ? (uint32_t)value : value;
}

static uint64_t address_of(const RwCpuState *st, const ZydisDecodedInstruction *insn,
                           const ZydisDecodedOperand *o)
{
    const ZydisDecodedOperandMem *m = &o->mem;
    uint64_t va = m->disp.has_displacement ? (uint64_t)m->disp.value : 0;
    bool is_pushed = o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && m->base == ZYDIS_REGISTER_RSP &&
                     o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    if (m->base == ZYDIS_REGISTER_RIP || m->base == ZYDIS_REGISTER_EIP)
        va += st->rip + insn->length;
    else
        va += reg_value(st, m->base) + reg_value(st, m->index) * m->scale;
    if (insn->address_width == 32)
        va = (uint32_t)va;
    if (m->segment == ZYDIS_REGISTER_FS)
        va += FS_BASE;
    else if (m->segment == ZYDIS_REGISTER_GS)
        va += GS_BASE;
    return is_pushed ? va - o->size / 8 : va;
}

// What happened at this count: `told`, against the operands of the instruction there.
static void compare_bytes(Check *c, const RwCpuState *st, const Bytes *told)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
    Bytes want = {.is_empty = true, .from = told->from}, may = want;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    if (st->rip - CODE_VA > CODE_SIZE - 16 ||
        ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, c->s->code + (st->rip - CODE_VA), 15, &insn, o)) ||
        is_beyond(&insn, o))
        return;
    if (!told->is_empty)
        want.is_empty = may.is_empty = false;
    for (unsigned i = 0; i < insn.operand_count; i++) {
        unsigned flags = 0, maybe = 0;
        if (o[i].type != ZYDIS_OPERAND_TYPE_MEMORY || o[i].mem.type != ZYDIS_MEMOP_TYPE_MEM)
            continue;
        if (o[i].actions & ZYDIS_OPERAND_ACTION_READ)
            flags |= RW_WATCH_READ;
        if (o[i].actions & ZYDIS_OPERAND_ACTION_WRITE)
            flags |= RW_WATCH_WRITE;
        if (o[i].actions & ZYDIS_OPERAND_ACTION_CONDREAD)
            maybe |= RW_WATCH_READ;
        if (o[i].actions & ZYDIS_OPERAND_ACTION_CONDWRITE)
            maybe |= RW_WATCH_WRITE;
        if (insn.meta.category ==
            ZYDIS_CATEGORY_X87_ALU) // an exception that is not masked keeps a result back
            maybe |= flags & RW_WATCH_WRITE;
        uint64_t va = address_of(st, &insn, &o[i]);
        add(&want, va, o[i].size / 8, flags);
        add(&may, va, o[i].size / 8, maybe);
    }
    for (unsigned i = 0; i < sizeof want.flags; i++)
        if ((told->flags[i] ^ want.flags[i]) & ~may.flags[i]) {
            g_string_append_printf(c->text, "  %lx, %s: byte %lx told %u, operands %u\n",
                                   (unsigned long)st->rip, ZydisMnemonicGetString(insn.mnemonic),
                                   (unsigned long)(want.from + i), told->flags[i], want.flags[i]);
            return;
        }
}

typedef struct {
    Check c;
    RwCpuState last; // user mode, one instruction before
    bool has_last;
} Walk;

// What was told at the last instruction.
static void take(Walk *w, Bytes *ret_told)
{
    for (; w->has_last && w->c.next < w->c.log->len; w->c.next++) {
        const RwWatchAccess *a = &g_array_index(w->c.log, RwWatchAccess, w->c.next);
        if (a->icount != w->last.icount)
            break;
        add(ret_told, a->va, a->size, a->flags);
    }
}

// An instruction is known to have come to its end when the one after it is about to begin in user mode.
static void before(void *data, const void *state)
{
    Walk *w = data;
    const RwCpuState *st = state;
    bool is_user = (st->seg[RW_CS].selector & 3) == 3;
    Bytes told = {.is_empty = true};
    take(w, &told);
    if (w->has_last && is_user && !w->c.text->len)
        compare_bytes(&w->c, &w->last, &told);
    w->last = *st;
    w->has_last = is_user;
}

void check_accesses(Guest *plain, const Sequence *s, const GArray *log, GString *text)
{
    Walk *w = g_new0(Walk, 1);
    if (!text->len) {
        w->c = (Check){.s = s, .log = log, .text = text};
        guest_walk(plain, s, before, w);
        take(w, &(Bytes){.is_empty = true}); // one that faulted
        if (!text->len && w->c.next != log->len)
            g_string_append_printf(text, "  told of %u accesses, %u of them at an instruction\n", log->len,
                                   w->c.next);
    }
    g_free(w);
}
