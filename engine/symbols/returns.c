// SPDX-License-Identifier: MIT
//
// How a function returns that no table tells of: its instructions are followed to where it does, and what
// they do to the stack on the way is what its caller needs. Of a compiler's code all ways lead to the same;
// where they do not, it is not known.
#include "symbols-private.h"

#include <Zydis/Zydis.h>

#define LOOKED_MAX 2000u // instructions
#define WAYS_MAX 64u // that are still to be followed
#define SLOTS_MAX 24u // words that are put on the stack on a way
#define RETURNS_MAX 8u // that are compared
#define INSTRUCTION_MAX 15u // bytes
#define FUNCTION_ALIGNMENT 16u // as compilers have it with optimisation

// A register's value: what RSP or RBP is now, and something.
typedef struct {
    bool known;
    uint8_t base; // RW_FRAME_SP or RW_FRAME_BP
    int64_t offset;
} Value;

typedef struct {
    Value at;
    int holds; // the register whose value of now was put there; -1: something else
} Slot;

// Where one comes to, and what is there.
typedef struct {
    uint64_t address;
    bool called; // the instruction before was a CALL
    Value sp, bp;
    uint8_t rule[RW_FRAME_REGISTERS]; // RwFrameRule; of SAVED ones
    Value saved[RW_FRAME_REGISTERS]; // where
    Slot slots[SLOTS_MAX];
    unsigned n_slots;
} Way;

typedef struct {
    const uint8_t *code;
    uint64_t start, end; // the addresses of its bytes
    uint64_t first, last; // of the function, as far as that is known
    ZydisDecoder decoder;
    GHashTable *seen; // addresses
    Way ways[WAYS_MAX];
    unsigned n_ways, n_returns, looked;
    RwFrameRules rules; // of the first return
} Follow;

typedef struct {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
} Insn;

// ---- Registers ----

// As DWARF numbers them. -1: it is no whole one.
static int number_of(const ZydisDecodedOperand *operand)
{
    static const int8_t numbers[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
    if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER || operand->reg.value < ZYDIS_REGISTER_RAX ||
        operand->reg.value > ZYDIS_REGISTER_R15)
        return -1;
    return numbers[operand->reg.value - ZYDIS_REGISTER_RAX];
}

static const Value *value_of(const Way *way, int number)
{
    return number == RW_FRAME_SP ? &way->sp : number == RW_FRAME_BP ? &way->bp : NULL;
}

static bool is_equal(const Value *a, const Value *b)
{
    return a->known && b->known && a->base == b->base && a->offset == b->offset;
}

// Of a memory operand without an index, by RSP or RBP. Not known: it is another one.
static Value address_of(const Way *way, const ZydisDecodedOperand *operand)
{
    const Value *base = NULL;
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.index == ZYDIS_REGISTER_NONE)
        base = operand->mem.base == ZYDIS_REGISTER_RSP   ? &way->sp
               : operand->mem.base == ZYDIS_REGISTER_RBP ? &way->bp
                                                         : NULL;
    if (!base || !base->known)
        return (Value){0};
    return (Value){true, base->base, base->offset + operand->mem.disp.value};
}

static void set(Way *way, int number, Value value)
{
    if (number == RW_FRAME_SP)
        way->sp = value;
    else if (number == RW_FRAME_BP)
        way->bp = value;
    way->rule[number] = RW_FRAME_UNKNOWN;
}

// All registers that it writes.
static void forget(Way *way, const Insn *i)
{
    for (unsigned n = 0; n < i->insn.operand_count; n++) {
        const ZydisDecodedOperand *operand = &i->operands[n];
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
            !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            continue;
        ZydisDecodedOperand whole = *operand;
        whole.reg.value = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value);
        int number = number_of(&whole);
        if (number >= 0)
            set(way, number, (Value){0});
    }
}

// ---- The stack ----

static void put(Way *way, Value at, int holds)
{
    unsigned i = 0;
    while (i < way->n_slots && !is_equal(&way->slots[i].at, &at))
        i++;
    if (i < SLOTS_MAX)
        way->slots[i] = (Slot){at, holds};
    way->n_slots = MAX(way->n_slots, MIN(i + 1, SLOTS_MAX));
}

// A register gets what is on the stack there.
static void get(Way *way, int number, Value at)
{
    way->rule[number] = at.known ? RW_FRAME_SAVED : RW_FRAME_UNKNOWN;
    way->saved[number] = at;
    for (unsigned i = 0; i < way->n_slots; i++)
        if (is_equal(&way->slots[i].at, &at))
            way->rule[number] = way->slots[i].holds == number ? RW_FRAME_SAME : RW_FRAME_UNKNOWN;
}

static void push(Way *way, const ZydisDecodedOperand *operand)
{
    int number = number_of(operand);
    way->sp.offset -= 8;
    put(way, way->sp, number >= 0 && way->rule[number] == RW_FRAME_SAME ? number : -1);
}

static void pop(Way *way, const ZydisDecodedOperand *operand)
{
    int number = number_of(operand);
    Value at = way->sp;
    way->sp.offset += 8;
    if (number < 0)
        return;
    set(way, number, (Value){0});
    get(way, number, at);
}

static void leave(Way *way)
{
    Value at = way->bp;
    way->sp = (Value){at.known, at.base, at.offset + 8};
    way->bp = (Value){0};
    get(way, RW_FRAME_BP, at);
}

static void add(Way *way, const Insn *i, int sign)
{
    int number = number_of(&i->operands[0]);
    Value value = {0};
    if (value_of(way, number) && i->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
        value = *value_of(way, number);
        value.offset += sign * i->operands[1].imm.value.s;
    }
    forget(way, i);
    if (number >= 0)
        set(way, number, value);
}

static void move(Way *way, const Insn *i)
{
    int to = number_of(&i->operands[0]), from = number_of(&i->operands[1]);
    Value value = value_of(way, from) ? *value_of(way, from) : (Value){0};
    Value read = address_of(way, &i->operands[1]), written = address_of(way, &i->operands[0]);
    forget(way, i);
    if (to >= 0)
        set(way, to, value);
    if (to >= 0 && read.known)
        get(way, to, read);
    else if (written.known)
        put(way, written, from >= 0 && way->rule[from] == RW_FRAME_SAME ? from : -1);
}

static void load_address(Way *way, const Insn *i)
{
    int number = number_of(&i->operands[0]);
    Value value = address_of(way, &i->operands[1]);
    forget(way, i);
    if (number >= 0)
        set(way, number, value);
}

static void execute(Way *way, const Insn *i)
{
    switch (i->insn.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
        push(way, &i->operands[0]);
        return;
    case ZYDIS_MNEMONIC_POP:
        pop(way, &i->operands[0]);
        return;
    case ZYDIS_MNEMONIC_LEAVE:
        leave(way);
        return;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
        add(way, i, i->insn.mnemonic == ZYDIS_MNEMONIC_ADD ? 1 : -1);
        return;
    case ZYDIS_MNEMONIC_LEA:
        load_address(way, i);
        return;
    case ZYDIS_MNEMONIC_MOV:
        move(way, i);
        return;
    case ZYDIS_MNEMONIC_CALL: // leaves them as they are
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST:
        return;
    default:
        forget(way, i);
    }
}

// ---- Ways ----

static void add_way(Follow *f, const Way *way, uint64_t address)
{
    if (f->n_ways == WAYS_MAX || !g_hash_table_add(f->seen, GSIZE_TO_POINTER(address)))
        return;
    f->ways[f->n_ways] = *way;
    f->ways[f->n_ways++].address = address;
}

static bool make_rules(const Way *way, RwFrameRules *ret)
{
    *ret = (RwFrameRules){.cfa_known = way->sp.known, .cfa_register = way->sp.base};
    ret->cfa_offset = (uint64_t)way->sp.offset + 8;
    rw_frame_convention(ret);
    for (int i = 0; i < RW_FRAME_RETURN; i++) {
        if (ret->rule[i] != RW_FRAME_SAME || way->rule[i] == RW_FRAME_SAME)
            continue;
        bool saved = way->rule[i] == RW_FRAME_SAVED && way->saved[i].base == way->sp.base;
        ret->rule[i] = saved ? RW_FRAME_SAVED : RW_FRAME_UNKNOWN;
        ret->offset[i] = (uint64_t)way->saved[i].offset - ret->cfa_offset;
    }
    ret->rule[RW_FRAME_RETURN] = RW_FRAME_SAVED;
    ret->offset[RW_FRAME_RETURN] = (uint64_t)-8;
    return way->sp.known;
}

// false: two ways lead to different things.
static bool take_return(Follow *f, const Way *way)
{
    RwFrameRules rules;
    if (!make_rules(way, &rules))
        return false;
    if (f->n_returns++ == 0)
        f->rules = rules;
    return rules.cfa_register == f->rules.cfa_register && rules.cfa_offset == f->rules.cfa_offset;
}

static bool is_in_function(const Follow *f, uint64_t address)
{
    return address >= f->first && address < f->last;
}

// Where an instruction leads that does not go on behind itself, or not only. false: not known.
static bool branch(Follow *f, Way *way, const Insn *i, uint64_t next)
{
    uint64_t to;
    bool jumps = i->insn.mnemonic == ZYDIS_MNEMONIC_JMP;
    bool direct = i->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
                  ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&i->insn, &i->operands[0], way->address, &to));
    if (direct && jumps && !is_in_function(f, to) && f->last != f->end)
        return take_return(f, way); // another function does it in its place
    if (direct)
        add_way(f, way, to);
    if (!jumps)
        add_way(f, way, next);
    return true;
}

static bool decode(const Follow *f, uint64_t address, Insn *ret)
{
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&f->decoder, f->code + (address - f->start),
                                               MIN(f->end - address, INSTRUCTION_MAX), &ret->insn,
                                               ret->operands));
}

// Whether there is nothing up to where another function begins. Without optimisation a NOP is before the
// end of a function, too.
static bool is_room(const Follow *f, uint64_t address)
{
    Insn i;
    while (address < f->end && decode(f, address, &i) && i.insn.mnemonic == ZYDIS_MNEMONIC_NOP)
        address += i.insn.length;
    if (address >= f->end || address % FUNCTION_ALIGNMENT || !decode(f, address, &i))
        return false;
    return i.insn.mnemonic != ZYDIS_MNEMONIC_LEAVE && i.insn.mnemonic != ZYDIS_MNEMONIC_POP &&
           i.insn.meta.category != ZYDIS_CATEGORY_RET;
}

// false: it is not known where that leads.
static bool follow_one(Follow *f, Way *way)
{
    Insn i;
    uint64_t address = way->address;
    if (address < f->start || address >= f->end || !is_in_function(f, address))
        return true;
    if (!decode(f, address, &i))
        return true;
    uint64_t next = address + i.insn.length;
    switch (i.insn.meta.category) {
    case ZYDIS_CATEGORY_RET:
        return i.insn.operand_count_visible || take_return(f, way);
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
        return branch(f, way, &i, next);
    case ZYDIS_CATEGORY_INTERRUPT: // INT3 and what is no instruction: nobody comes here
        return true;
    default:
        break;
    }
    // What is called right before the room between two functions does not return.
    if (i.insn.mnemonic == ZYDIS_MNEMONIC_HLT || i.insn.mnemonic == ZYDIS_MNEMONIC_UD2 ||
        (i.insn.mnemonic == ZYDIS_MNEMONIC_NOP && way->called && is_room(f, address)))
        return true;
    execute(way, &i);
    way->called = i.insn.mnemonic == ZYDIS_MNEMONIC_CALL;
    add_way(f, way, next);
    return true;
}

static bool find_code(const RwObject *object, uint64_t address, Follow *f)
{
    size_t size;
    const uint8_t *bytes = g_bytes_get_data(object->bytes, &size);
    for (guint i = 0; i < object->loads->len; i++) {
        const RwLoad *load = &g_array_index(object->loads, RwLoad, i);
        if (!load->executable || address < load->address || address - load->address >= load->file_size ||
            load->offset > size || load->file_size > size - load->offset)
            continue;
        f->code = bytes + load->offset;
        f->start = load->address;
        f->end = load->address + load->file_size;
        return true;
    }
    return false;
}

bool rw_returns_rules(const RwObject *object, uint64_t address, uint64_t next, RwFrameRules *ret)
{
    g_autofree Follow *f = g_new0(Follow, 1);
    const RwName *name = rw_names_at(object, address);
    Way *way = g_new0(Way, 1);
    bool ok = find_code(object, address, f);
    f->first = name ? name->start : f->start;
    f->last = name ? name->end : f->end;
    f->seen = g_hash_table_new(NULL, NULL);
    ZydisDecoderInit(&f->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    way->sp = (Value){true, RW_FRAME_SP, 0};
    way->bp = (Value){true, RW_FRAME_BP, 0};
    for (int i = 0; i < RW_FRAME_REGISTERS; i++)
        way->rule[i] = RW_FRAME_SAME;
    add_way(f, way, next);
    while (ok && f->n_ways && f->looked++ < LOOKED_MAX && f->n_returns < RETURNS_MAX) {
        *way = f->ways[--f->n_ways];
        ok = follow_one(f, way);
    }
    *ret = f->rules;
    ok = ok && f->n_returns;
    g_hash_table_unref(f->seen);
    g_free(way);
    return ok;
}
