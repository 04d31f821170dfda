// SPDX-License-Identifier: MIT
//
// The machine that DWARF's expressions are for. Floating point it does not do.
#include "location-private.h"

#include <string.h>

#define STACK_MAX_ 64u
#define STEPS_MAX 2000u
#define DEPTH_MAX 4u

typedef struct {
    RwExpression *expression;
    const Dwarf_Op *op;
    uint64_t stack[STACK_MAX_];
    unsigned n, steps;
    RwPlaceKind failed; // NOWHERE or UNKNOWN, where it cannot go on
    bool is_value, ended; // what is on the stack is the value and not its address
    RwPlace place; // that it ended with
} Machine;

static bool fail(Machine *m, RwPlaceKind why)
{
    m->failed = why;
    return false;
}

static bool push(Machine *m, uint64_t value)
{
    if (m->n == STACK_MAX_)
        return fail(m, RW_PLACED_NOWHERE);
    m->stack[m->n++] = value;
    return true;
}

// The `nth` from the top.
static bool peek(Machine *m, uint64_t nth, uint64_t *ret)
{
    if (nth >= m->n)
        return fail(m, RW_PLACED_NOWHERE);
    *ret = m->stack[m->n - 1 - nth];
    return true;
}

static bool pop(Machine *m, uint64_t *ret)
{
    if (!peek(m, 0, ret))
        return false;
    m->n--;
    return true;
}

// ---- What it works on ----

static bool push_register(Machine *m, uint64_t number, uint64_t offset)
{
    const RwSymbolsFrame *frame = m->expression->frame->frame;
    if (number >= RW_FRAME_REGISTERS || !frame->known[number])
        return fail(m, RW_PLACED_UNKNOWN);
    return push(m, frame->value[number] + offset);
}

static bool push_cfa(Machine *m)
{
    uint64_t cfa = m->expression->frame->frame->cfa;
    return cfa ? push(m, cfa) : fail(m, RW_PLACED_UNKNOWN);
}

static bool push_frame_base(Machine *m, uint64_t offset)
{
    const RwVariablesFrame *frame = m->expression->frame;
    Dwarf_Die function = frame->function;
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t n;
    if (m->expression->depth >= DEPTH_MAX || !rw_die_attribute(&function, DW_AT_frame_base, &attribute) ||
        dwarf_getlocation_addr(&attribute, frame->frame->at - frame->bias, &ops, &n, 1) != 1)
        return fail(m, RW_PLACED_UNKNOWN);
    RwExpression base = {frame, &attribute, ops, n, 0, m->expression->depth + 1};
    RwPlace place = rw_expression_run(&base);
    if (place.kind == RW_PLACED_REGISTER)
        return push_register(m, place.number, offset);
    return place.kind == RW_PLACED_MEMORY || place.kind == RW_PLACED_VALUE ? push(m, place.number + offset)
                                                                           : fail(m, RW_PLACED_UNKNOWN);
}

static bool push_memory(Machine *m, uint64_t size)
{
    const RwSymbolsMemory *memory = m->expression->frame->memory;
    uint64_t address, value = 0;
    if (!pop(m, &address))
        return false;
    if (size > sizeof value || memory->read(address, &value, size, memory->data) != size)
        return fail(m, RW_PLACED_UNKNOWN);
    return push(m, value);
}

// What an operation says by an index or a reference.
static bool push_indirect(Machine *m)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr address;
    if (dwarf_getlocation_attr(m->expression->attribute, m->op, &attribute) ||
        dwarf_formaddr(&attribute, &address))
        return fail(m, RW_PLACED_UNKNOWN);
    bool is_address = m->op->atom == DW_OP_addrx || m->op->atom == DW_OP_GNU_addr_index;
    return push(m, address + (is_address ? m->expression->frame->bias : 0));
}

// What a register had when the function was called: what is in it there was passed.
static bool push_entry_value(Machine *m)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t n;
    if (m->expression->depth >= DEPTH_MAX ||
        dwarf_getlocation_attr(m->expression->attribute, m->op, &attribute) ||
        dwarf_getlocation(&attribute, &ops, &n) || n != 1 || ops[0].atom < DW_OP_reg0 ||
        ops[0].atom > DW_OP_reg31)
        return fail(m, RW_PLACED_NOWHERE);
    RwPlace place = rw_location_passed(m->expression->frame, ops[0].atom - DW_OP_reg0);
    return place.kind == RW_PLACED_VALUE ? push(m, place.number) : fail(m, RW_PLACED_NOWHERE);
}

// ---- Types: of integers only ----

static bool convert(Machine *m, uint64_t offset)
{
    Dwarf_Die type;
    uint64_t value, size, encoding;
    if (!pop(m, &value))
        return false;
    if (!offset)
        return push(m, value); // without a type
    if (dwarf_getlocation_die(m->expression->attribute, m->op, &type) ||
        !rw_die_number(&type, DW_AT_byte_size, &size) || !rw_die_number(&type, DW_AT_encoding, &encoding) ||
        !size || size > 8 || encoding == DW_ATE_float)
        return fail(m, RW_PLACED_UNKNOWN);
    unsigned shift = (unsigned)(64 - 8 * size);
    bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    value <<= shift;
    return push(m, is_signed ? (uint64_t)((int64_t)value >> shift) : value >> shift);
}

// ---- Sums ----

static bool do_sum(Machine *m)
{
    uint64_t a, b;
    if (!pop(m, &b) || !pop(m, &a))
        return false;
    int64_t x = (int64_t)a, y = (int64_t)b;
    switch (m->op->atom) {
    case DW_OP_plus:
        return push(m, a + b);
    case DW_OP_minus:
        return push(m, a - b);
    case DW_OP_mul:
        return push(m, a * b);
    case DW_OP_div:
        return b && (x != INT64_MIN || y != -1) ? push(m, (uint64_t)(x / y)) : fail(m, RW_PLACED_NOWHERE);
    case DW_OP_mod:
        return b ? push(m, a % b) : fail(m, RW_PLACED_NOWHERE);
    case DW_OP_and:
        return push(m, a & b);
    case DW_OP_or:
        return push(m, a | b);
    case DW_OP_xor:
        return push(m, a ^ b);
    case DW_OP_shl:
        return push(m, b < 64 ? a << b : 0);
    case DW_OP_shr:
        return push(m, b < 64 ? a >> b : 0);
    case DW_OP_shra:
        return push(m, (uint64_t)(x >> MIN(b, 63)));
    case DW_OP_eq:
        return push(m, a == b);
    case DW_OP_ne:
        return push(m, a != b);
    case DW_OP_lt:
        return push(m, x < y);
    case DW_OP_le:
        return push(m, x <= y);
    case DW_OP_gt:
        return push(m, x > y);
    case DW_OP_ge:
        return push(m, x >= y);
    default:
        return fail(m, RW_PLACED_UNKNOWN);
    }
}

static bool do_one_number(Machine *m)
{
    uint64_t value;
    if (!pop(m, &value))
        return false;
    switch (m->op->atom) {
    case DW_OP_abs:
        return push(m, (int64_t)value < 0 ? -value : value);
    case DW_OP_neg:
        return push(m, -value);
    case DW_OP_not:
        return push(m, ~value);
    default:
        return push(m, value + m->op->number); // DW_OP_plus_uconst
    }
}

// ---- The stack, and where to go on ----

static bool do_stack(Machine *m)
{
    uint64_t a, b, c;
    switch (m->op->atom) {
    case DW_OP_dup:
        return peek(m, 0, &a) && push(m, a);
    case DW_OP_drop:
        return pop(m, &a);
    case DW_OP_over:
        return peek(m, 1, &a) && push(m, a);
    case DW_OP_pick:
        return peek(m, m->op->number, &a) && push(m, a);
    case DW_OP_swap:
        return pop(m, &a) && pop(m, &b) && push(m, a) && push(m, b);
    default: // DW_OP_rot
        return pop(m, &a) && pop(m, &b) && pop(m, &c) && push(m, a) && push(m, c) && push(m, b);
    }
}

// Three bytes long; the distance counts from behind it.
static bool do_jump(Machine *m)
{
    RwExpression *expression = m->expression;
    uint64_t condition = 1, to = m->op->offset + 3 + (uint64_t)(int64_t)(int16_t)m->op->number;
    if (m->op->atom == DW_OP_bra && !pop(m, &condition))
        return false;
    if (!condition)
        return true;
    for (size_t i = 0; i < expression->n; i++)
        if (expression->ops[i].offset == to) {
            expression->at = i;
            return true;
        }
    expression->at = expression->n;
    return fail(m, RW_PLACED_NOWHERE);
}

// ---- What ends it ----

static bool end_with(Machine *m, RwPlaceKind kind, uint64_t number)
{
    m->ended = true;
    m->place = (RwPlace){.kind = kind, .number = number};
    return true;
}

static bool end_with_block(Machine *m)
{
    m->ended = true;
    m->place.kind = RW_PLACED_BYTES;
    return dwarf_getlocation_implicit_value(m->expression->attribute, m->op, &m->place.block)
               ? fail(m, RW_PLACED_NOWHERE)
               : true;
}

// ---- One operation ----

static bool do_common(Machine *m)
{
    const Dwarf_Op *op = m->op;
    switch (op->atom) {
    case DW_OP_addr:
        return push(m, op->number + m->expression->frame->bias);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push(m, op->number);
    case DW_OP_addrx:
    case DW_OP_constx:
    case DW_OP_GNU_addr_index:
    case DW_OP_GNU_const_index:
        return push_indirect(m);
    case DW_OP_fbreg:
        return push_frame_base(m, op->number);
    case DW_OP_call_frame_cfa:
        return push_cfa(m);
    case DW_OP_bregx:
        return push_register(m, op->number, op->number2);
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
        return push_register(m, op->number, 0);
    case DW_OP_regx:
        return end_with(m, RW_PLACED_REGISTER, op->number);
    case DW_OP_implicit_value:
        return end_with_block(m);
    case DW_OP_stack_value:
        m->is_value = true;
        return true;
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
        return push_entry_value(m);
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
        return end_with(m, RW_PLACED_POINTER, 0);
    default:
        return fail(m, RW_PLACED_UNKNOWN);
    }
}

static bool do_operation(Machine *m)
{
    unsigned atom = m->op->atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
        return push(m, atom - DW_OP_lit0);
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        return push_register(m, atom - DW_OP_breg0, m->op->number);
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
        return end_with(m, RW_PLACED_REGISTER, atom - DW_OP_reg0);
    switch (atom) {
    case DW_OP_nop:
        return true;
    case DW_OP_deref:
        return push_memory(m, 8);
    case DW_OP_deref_size:
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
        return push_memory(m, m->op->number);
    case DW_OP_convert:
    case DW_OP_GNU_convert:
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret:
        return convert(m, m->op->number);
    case DW_OP_dup:
    case DW_OP_drop:
    case DW_OP_over:
    case DW_OP_pick:
    case DW_OP_swap:
    case DW_OP_rot:
        return do_stack(m);
    case DW_OP_skip:
    case DW_OP_bra:
        return do_jump(m);
    case DW_OP_abs:
    case DW_OP_neg:
    case DW_OP_not:
    case DW_OP_plus_uconst:
        return do_one_number(m);
    default:
        return (atom >= DW_OP_and && atom <= DW_OP_xor) || (atom >= DW_OP_eq && atom <= DW_OP_ne)
                   ? do_sum(m)
                   : do_common(m);
    }
}

static bool is_piece(const Dwarf_Op *op)
{
    return op->atom == DW_OP_piece;
}

RwPlace rw_expression_run(RwExpression *expression)
{
    Machine *m = g_new0(Machine, 1);
    RwPlace place = {RW_PLACED_NOWHERE, 0, {0}};
    size_t from = expression->at;
    uint64_t top;
    m->expression = expression;
    bool ok = true;
    while (ok && expression->at < expression->n && !is_piece(&expression->ops[expression->at])) {
        m->op = &expression->ops[expression->at++];
        ok = ++m->steps <= STEPS_MAX && do_operation(m);
    }
    bool is_empty = expression->at == from;
    if (!ok)
        place.kind = m->failed;
    else if (m->ended)
        place = m->place;
    else if (!is_empty && pop(m, &top))
        place = (RwPlace){.kind = m->is_value ? RW_PLACED_VALUE : RW_PLACED_MEMORY, .number = top};
    // A piece of what is not known is a piece all the same.
    while (!ok && expression->at < expression->n && !is_piece(&expression->ops[expression->at]))
        expression->at++;
    g_free(m);
    return place;
}
