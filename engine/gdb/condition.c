// SPDX-License-Identifier: MIT
//
// Conditions of breakpoints, as gdb sends them: its agent expressions, a machine with a stack of integers
// (https://sourceware.org/gdb/current/onlinedocs/gdb.html/Agent-Expressions.html). They are not trusted.
// What can't be computed here, be it a register or memory that is not known, ends with that word.
#include "gdb-private.h"

#define CODE_MAX 4096u // bytes of an expression
#define STACK_MAX 64u
#define STEPS_MAX 4096u

enum {
    ADD = 0x02,
    SUB = 0x03,
    MUL = 0x04,
    DIV_SIGNED = 0x05,
    DIV_UNSIGNED = 0x06,
    REM_SIGNED = 0x07,
    REM_UNSIGNED = 0x08,
    LSH = 0x09,
    RSH_SIGNED = 0x0a,
    RSH_UNSIGNED = 0x0b,
    LOG_NOT = 0x0e,
    BIT_AND = 0x0f,
    BIT_OR = 0x10,
    BIT_XOR = 0x11,
    BIT_NOT = 0x12,
    EQUAL = 0x13,
    LESS_SIGNED = 0x14,
    LESS_UNSIGNED = 0x15,
    EXT = 0x16,
    REF8 = 0x17,
    REF64 = 0x1a,
    IF_GOTO = 0x20,
    GOTO = 0x21,
    CONST8 = 0x22,
    CONST64 = 0x25,
    REG = 0x26,
    END = 0x27,
    DUP = 0x28,
    POP = 0x29,
    ZERO_EXT = 0x2a,
    SWAP = 0x2b,
    PICK = 0x32,
    ROT = 0x33,
};

typedef struct {
    const GdbStand *stand;
    const uint8_t *code;
    size_t length, at;
    uint64_t stack[STACK_MAX];
    size_t depth;
    bool failed;
} Run;

// ---- The stack, and what stands in the code ----

static void push(Run *run, uint64_t value)
{
    run->failed |= run->depth == STACK_MAX;
    if (!run->failed)
        run->stack[run->depth++] = value;
}

static uint64_t pop(Run *run)
{
    run->failed |= !run->depth;
    return run->failed ? 0 : run->stack[--run->depth];
}

static void pick(Run *run, size_t below)
{
    run->failed |= below >= run->depth;
    push(run, run->failed ? 0 : run->stack[run->depth - 1 - below]);
}

// Most significant byte first.
static uint64_t read_number(Run *run, size_t size)
{
    uint64_t value = 0;
    run->failed |= size > run->length - run->at;
    for (size_t i = 0; i < size && !run->failed; i++)
        value = value << 8 | run->code[run->at++];
    return value;
}

static void jump(Run *run, uint64_t to, bool really)
{
    run->failed |= to >= run->length;
    if (really)
        run->at = (size_t)to;
}

// ---- Computing ----

static bool divide(unsigned op, uint64_t a, uint64_t b, uint64_t *ret)
{
    bool is_signed = op == DIV_SIGNED || op == REM_SIGNED;
    if (!b || (is_signed && a == 1ull << 63 && b == UINT64_MAX))
        return false;
    *ret = op == DIV_SIGNED     ? (uint64_t)((int64_t)a / (int64_t)b)
           : op == DIV_UNSIGNED ? a / b
           : op == REM_SIGNED   ? (uint64_t)((int64_t)a % (int64_t)b)
                                : a % b;
    return true;
}

static bool shift(unsigned op, uint64_t a, uint64_t b, uint64_t *ret)
{
    if (b > 63)
        return false;
    *ret = op == LSH ? a << b : op == RSH_SIGNED ? (uint64_t)((int64_t)a >> b) : a >> b;
    return true;
}

// Of two operands; false: it is none of these, or has no result.
static bool compute(unsigned op, uint64_t a, uint64_t b, uint64_t *ret)
{
    switch (op) {
    case ADD:
        *ret = a + b;
        return true;
    case SUB:
        *ret = a - b;
        return true;
    case MUL:
        *ret = a * b;
        return true;
    case DIV_SIGNED:
    case DIV_UNSIGNED:
    case REM_SIGNED:
    case REM_UNSIGNED:
        return divide(op, a, b, ret);
    case LSH:
    case RSH_SIGNED:
    case RSH_UNSIGNED:
        return shift(op, a, b, ret);
    case BIT_AND:
        *ret = a & b;
        return true;
    case BIT_OR:
        *ret = a | b;
        return true;
    case BIT_XOR:
        *ret = a ^ b;
        return true;
    case EQUAL:
        *ret = a == b;
        return true;
    case LESS_SIGNED:
        *ret = (int64_t)a < (int64_t)b;
        return true;
    case LESS_UNSIGNED:
        *ret = a < b;
        return true;
    default:
        return false;
    }
}

static void take_two(Run *run, unsigned op)
{
    uint64_t b = pop(run), a = pop(run), result = 0;
    run->failed |= !compute(op, a, b, &result);
    push(run, result);
}

static uint64_t extend(uint64_t value, uint64_t bits, bool is_signed)
{
    if (bits >= 64)
        return value;
    unsigned unused = 64 - (unsigned)bits;
    return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused) : value << unused >> unused;
}

static void take_extend(Run *run, bool is_signed)
{
    uint64_t bits = read_number(run, 1), value = pop(run);
    run->failed |= !bits;
    push(run, run->failed ? 0 : extend(value, bits, is_signed));
}

static void take_ref(Run *run, size_t size)
{
    uint8_t bytes[8] = {0};
    uint64_t address = pop(run);
    run->failed |= run->failed || !run->stand->read(run->stand->data, address, bytes, size);
    push(run, rw_load_u64(bytes));
}

static void take_register(Run *run)
{
    uint64_t value = 0, number = read_number(run, 2);
    run->failed |= !gdb_register_value(run->stand->registers, number, &value);
    push(run, value);
}

// a b c: c a b
static void rotate(Run *run)
{
    uint64_t c = pop(run), b = pop(run), a = pop(run);
    push(run, c);
    push(run, a);
    push(run, b);
}

static void swap(Run *run)
{
    uint64_t b = pop(run), a = pop(run);
    push(run, b);
    push(run, a);
}

// ---- All of it ----

static void take(Run *run, unsigned op)
{
    uint64_t to;
    if (op >= REF8 && op <= REF64)
        take_ref(run, 1u << (op - REF8));
    else if (op >= CONST8 && op <= CONST64)
        push(run, read_number(run, 1u << (op - CONST8)));
    else if (op == REG)
        take_register(run);
    else if (op == EXT || op == ZERO_EXT)
        take_extend(run, op == EXT);
    else if (op == LOG_NOT)
        push(run, !pop(run));
    else if (op == BIT_NOT)
        push(run, ~pop(run));
    else if (op == GOTO || op == IF_GOTO) {
        to = read_number(run, 2);
        jump(run, to, op == GOTO || pop(run));
    } else if (op == DUP)
        pick(run, 0);
    else if (op == PICK)
        pick(run, (size_t)read_number(run, 1));
    else if (op == POP)
        pop(run);
    else if (op == SWAP)
        swap(run);
    else if (op == ROT)
        rotate(run);
    else
        take_two(run, op);
}

static bool may_hold(GBytes *code, const GdbStand *stand)
{
    Run run = {.stand = stand};
    run.code = g_bytes_get_data(code, &run.length);
    run.failed = run.length > CODE_MAX;
    for (unsigned steps = 0; !run.failed; steps++) {
        unsigned op = (unsigned)read_number(&run, 1);
        if (op == END && !run.failed)
            return pop(&run) || run.failed;
        run.failed |= steps >= STEPS_MAX;
        if (!run.failed)
            take(&run, op);
    }
    return true;
}

bool gdb_point_holds(const GdbPoint *point, const GdbStand *stand)
{
    if (!point->conditions || !point->conditions->len)
        return true;
    for (guint i = 0; i < point->conditions->len; i++)
        if (may_hold(point->conditions->pdata[i], stand))
            return true;
    return false;
}
