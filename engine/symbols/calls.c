// SPDX-License-Identifier: MIT
//
// From call to call up a thread's stack. All that is read there and in the files is untrusted: each frame
// must lie above the one before, and each return address behind a call instruction of a file's code.
#include "symbols-private.h"

#include <string.h>

#define CALL_MAX 7u // bytes of a call instruction
#define SHORT_FUNCTION 64u // bytes before its instruction that enters the kernel

typedef struct {
    RwSymbolsGuest guest;
    const char *maps;
    const RwSymbolsThread *thread;
    uint64_t value[RW_FRAME_REGISTERS]; // of the frame that is looked at; that of RETURN is where it is
    bool known[RW_FRAME_REGISTERS];
    uint64_t cfa; // of the frame that was left last; 0: not known
    bool is_first; // frame: nothing need be on the stack yet
} Walk;

static bool read_stack(const RwSymbolsThread *thread, uint64_t at, uint64_t *ret)
{
    if (at < thread->stack || thread->size < sizeof *ret || at - thread->stack > thread->size - sizeof *ret)
        return false;
    memcpy(ret, thread->bytes + (at - thread->stack), sizeof *ret);
    return true;
}

// E8 rel32, or FF /2 in any length, right before `end`.
static bool ends_with_call(const uint8_t *bytes, size_t end)
{
    if (end >= 5 && bytes[end - 5] == 0xe8)
        return true;
    for (unsigned length = 2; length <= CALL_MAX && length <= end; length++)
        if (bytes[end - length] == 0xff && (bytes[end - length + 1] >> 3 & 7) == 2)
            return true;
    return false;
}

static bool is_behind_call(const RwObject *object, uint64_t offset)
{
    size_t size;
    const uint8_t *bytes = g_bytes_get_data(object->bytes, &size);
    return offset <= size && ends_with_call(bytes, offset);
}

// Memory that can be executed and is no file's.
static bool is_made_code(const Walk *walk, uint64_t va)
{
    RwMapping mapping;
    if (!rw_maps_find(walk->maps, va, &mapping))
        return false;
    g_free(mapping.path);
    return mapping.executable && !mapping.is_file;
}

static bool is_behind_made_call(const Walk *walk, uint64_t va)
{
    const RwSymbolsMemory *memory = walk->thread->memory;
    uint8_t bytes[CALL_MAX];
    return memory && is_made_code(walk, va - 1) &&
           memory->read(va - CALL_MAX, bytes, CALL_MAX, memory->data) == CALL_MAX &&
           ends_with_call(bytes, CALL_MAX);
}

// The file with the code at `va`, and where in it. NULL: there is none.
static const RwObject *find_code(const Walk *walk, uint64_t va, RwMapping *ret)
{
    if (!rw_maps_find(walk->maps, va, ret))
        return NULL;
    const RwObject *object =
        ret->is_file && ret->executable ? rw_symbols_get_object(&walk->guest, ret->path) : NULL;
    g_clear_pointer(&ret->path, g_free);
    return object;
}

static void start(Walk *walk, const RwSymbolsThread *thread)
{
    static const uint8_t numbers[16] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
    for (int i = 0; i < 16; i++) {
        walk->value[numbers[i]] = thread->gpr[i];
        walk->known[numbers[i]] = true;
    }
    walk->value[RW_FRAME_RETURN] = thread->ip;
}

static void apply_rule(const Walk *walk, const RwFrameRules *rules, uint64_t cfa, int i, Walk *next)
{
    uint64_t offset = rules->offset[i];
    int from = rules->rule[i] == RW_FRAME_MOVED ? (int)offset : i;
    switch ((RwFrameRule)rules->rule[i]) {
    case RW_FRAME_SAME:
    case RW_FRAME_MOVED:
        next->known[i] = from != RW_FRAME_RETURN && walk->known[from];
        next->value[i] = next->known[i] ? walk->value[from] : 0;
        break;
    case RW_FRAME_SAVED:
        next->known[i] = read_stack(walk->thread, cfa + offset, &next->value[i]);
        break;
    default:
        next->known[i] = false;
    }
}

// The registers of the caller. false: not known.
static bool apply(Walk *walk, const RwFrameRules *rules)
{
    walk->cfa = 0;
    Walk next = *walk;
    if (!rules->cfa_known || !walk->known[rules->cfa_register])
        return false;
    uint64_t cfa = walk->value[rules->cfa_register] + rules->cfa_offset;
    if (cfa < walk->value[RW_FRAME_SP] || (cfa == walk->value[RW_FRAME_SP] && !walk->is_first))
        return false;
    walk->cfa = next.cfa = cfa;
    for (int i = 0; i < RW_FRAME_REGISTERS; i++)
        apply_rule(walk, rules, cfa, i, &next);
    if (!next.known[RW_FRAME_RETURN])
        return false;
    next.value[RW_FRAME_SP] = cfa;
    next.known[RW_FRAME_SP] = true;
    *walk = next;
    return true;
}

// The return address is the word on the top of the stack, and the rest as it was.
static bool apply_call(Walk *walk)
{
    RwFrameRules rules = {.cfa_known = true, .cfa_register = RW_FRAME_SP, .cfa_offset = 8};
    rw_frame_convention(&rules);
    rules.rule[RW_FRAME_RETURN] = RW_FRAME_SAVED;
    rules.offset[RW_FRAME_RETURN] = (uint64_t)-8;
    return walk->is_first && apply(walk, &rules);
}

// Code that a program made has no tables. Its makers let it keep frame pointers, for their own debugging.
static bool apply_frame_pointer(Walk *walk)
{
    RwFrameRules rules = {.cfa_known = true, .cfa_register = RW_FRAME_BP, .cfa_offset = 16};
    rw_frame_convention(&rules);
    rules.rule[RW_FRAME_RETURN] = rules.rule[RW_FRAME_BP] = RW_FRAME_SAVED;
    rules.offset[RW_FRAME_RETURN] = (uint64_t)-8;
    rules.offset[RW_FRAME_BP] = (uint64_t)-16;
    return apply(walk, &rules);
}

// V8's own parts that are in the program's file, between code that it made and functions of the program.
static bool is_of_maker(const RwObject *object, uint64_t address)
{
    const RwName *name = rw_names_at(object, address);
    return name && g_str_has_prefix(name->text, "Builtins_");
}

// Functions that make threads have no table where they do it, but then nothing on the stack either. That
// the word there is the return address is certain when it is behind a call of this very code.
static bool apply_nothing(Walk *walk, uint64_t va)
{
    RwMapping mapping;
    int32_t distance;
    size_t size;
    if (!apply_call(walk))
        return false;
    uint64_t back = walk->value[RW_FRAME_RETURN];
    const RwObject *caller = find_code(walk, back - 1, &mapping);
    const uint8_t *bytes = caller ? g_bytes_get_data(caller->bytes, &size) : NULL;
    uint64_t offset = bytes ? mapping.offset + 1 : 0; // of `back`
    if (offset < 5 || offset > size || bytes[offset - 5] != 0xe8)
        return false;
    memcpy(&distance, bytes + offset - 4, sizeof distance);
    return va - (back + (uint64_t)(int64_t)distance) < SHORT_FUNCTION;
}

// Who called a null pointer, or something else that is no code, has come no further.
static bool step_from_no_file(Walk *walk, uint64_t va)
{
    return is_made_code(walk, va) ? apply_frame_pointer(walk) : apply_call(walk);
}

static bool step_from_file(Walk *walk, uint64_t va, const RwObject *object, const RwMapping *mapping)
{
    RwFrameRules rules;
    uint64_t address;
    if (!rw_object_address(object, mapping, &address))
        return false;
    int known = rw_frame_rules(object, address, &rules);
    if (known == 1)
        return apply(walk, &rules);
    if (is_of_maker(object, address))
        return apply_frame_pointer(walk);
    Walk before = *walk;
    if (apply_nothing(walk, va))
        return true;
    *walk = before;
    return known == 0 && rw_returns_rules(object, address, address + !walk->is_first, &rules) &&
           apply(walk, &rules);
}

// To the caller of the function that has the instruction at `va`, which is after a call its last byte.
static bool step(Walk *walk, uint64_t va)
{
    RwMapping mapping;
    const RwObject *object = find_code(walk, va, &mapping);
    bool ok = object ? step_from_file(walk, va, object, &mapping) : step_from_no_file(walk, va);
    walk->is_first = false;
    if (!ok)
        return false;
    uint64_t back = walk->value[RW_FRAME_RETURN];
    object = find_code(walk, back - 1, &mapping);
    return object ? is_behind_call(object, mapping.offset + 1) : is_behind_made_call(walk, back);
}

static void keep_frame(const Walk *walk, uint64_t at, RwSymbolsFrame *ret)
{
    *ret = (RwSymbolsFrame){.at = at};
    for (int i = 0; i < RW_FRAME_REGISTERS; i++) {
        ret->known[i] = walk->known[i] || i == RW_FRAME_RETURN;
        ret->value[i] = ret->known[i] ? walk->value[i] : 0;
    }
}

size_t rw_symbols_frames(RwSymbols *symbols, const char *maps, const RwSymbolsThread *thread,
                         const RwSymbolsFiles *files, RwSymbolsFrame *ret, size_t max)
{
    Walk walk = {.guest = {symbols, files}, .maps = maps, .thread = thread, .is_first = true};
    size_t n = 1;
    start(&walk, thread);
    keep_frame(&walk, thread->ip, &ret[0]);
    for (bool ok = true; ok; n += ok) {
        walk.cfa = 0;
        ok = step(&walk, ret[n - 1].at);
        ret[n - 1].cfa = walk.cfa;
        ok = ok && n < max;
        if (ok)
            keep_frame(&walk, walk.value[RW_FRAME_RETURN] - 1, &ret[n]);
    }
    return n;
}
