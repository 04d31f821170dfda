// SPDX-License-Identifier: MIT
//
// Where a variable is: DWARF's expressions (DWARF 5, 2.5 and 2.6), over the registers of a frame and the
// memory of a process. An expression is as untrusted as all of the file: it takes a bounded number of steps
// and what it does not give is not known.
#include "location-private.h"

#include <string.h>

// ---- Attributes ----

bool rw_die_attribute(Dwarf_Die *die, unsigned name, Dwarf_Attribute *ret)
{
    Dwarf_Die at = *die;
    for (int i = 0; i < RW_DIE_LINKS_MAX; i++) {
        Dwarf_Attribute link;
        if (dwarf_attr(&at, name, ret))
            return true;
        if ((!dwarf_attr(&at, DW_AT_abstract_origin, &link) &&
             !dwarf_attr(&at, DW_AT_specification, &link)) ||
            !dwarf_formref_die(&link, &at))
            return false;
    }
    return false;
}

const char *rw_die_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = rw_die_attribute(die, DW_AT_name, &attribute) ? dwarf_formstring(&attribute) : NULL;
    return name && *name && strnlen(name, RW_DIE_NAME_MAX + 1) <= RW_DIE_NAME_MAX ? name : NULL;
}

bool rw_die_number(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word;
    if (!rw_die_attribute(die, name, &attribute) || dwarf_formudata(&attribute, &word))
        return false;
    *ret = word;
    return true;
}

// ---- One place ----

static RwPlace place_of(RwPlaceKind kind, uint64_t number)
{
    return (RwPlace){.kind = kind, .number = number};
}

static RwPlace read_place(const RwVariablesFrame *frame, const RwPlace *place)
{
    if (place->kind != RW_PLACED_REGISTER)
        return *place;
    bool known = place->number < RW_FRAME_REGISTERS && frame->frame->known[place->number];
    return known ? place_of(RW_PLACED_VALUE, frame->frame->value[place->number])
                 : place_of(RW_PLACED_UNKNOWN, 0);
}

static void add_bytes(const uint8_t *bytes, size_t size, RwValue *value)
{
    size_t part = MIN(size, RW_VALUE_MAX - value->size);
    memcpy(value->bytes + value->size, bytes, part);
    value->size += part;
}

// The next `size` bytes of a value. false: they are not known, or there are none.
static bool add_place(const RwVariablesFrame *frame, const RwPlace *place, size_t size, RwValue *value)
{
    RwPlace at = read_place(frame, place);
    size_t room = MIN(size, RW_VALUE_MAX - value->size);
    switch (at.kind) {
    case RW_PLACED_MEMORY:
        room = frame->memory->read(at.number, value->bytes + value->size, room, frame->memory->data);
        value->size += room;
        break;
    case RW_PLACED_VALUE:
        add_bytes((const uint8_t *)&at.number, MIN(size, sizeof at.number), value);
        room = MIN(size, sizeof at.number);
        break;
    case RW_PLACED_BYTES:
        room = MIN(size, at.block.length);
        add_bytes(at.block.data, room, value);
        break;
    case RW_PLACED_POINTER:
        value->state = RW_VALUE_POINTER;
        return false;
    case RW_PLACED_UNKNOWN:
        value->state = RW_VALUE_UNKNOWN;
        return false;
    default:
        value->state = RW_VALUE_NONE;
        return false;
    }
    value->state = room ? RW_VALUE_KNOWN : RW_VALUE_UNKNOWN;
    return room == size || value->size == RW_VALUE_MAX;
}

// ---- Parts ----

// Of an expression; up to a piece, or its end.
static void read_parts(RwExpression *expression, size_t size, RwValue *value)
{
    const RwVariablesFrame *frame = expression->frame;
    while (expression->at < expression->n && value->size < MIN(size, RW_VALUE_MAX)) {
        RwPlace place = rw_expression_run(expression);
        bool is_piece = expression->at < expression->n;
        uint64_t piece = is_piece ? expression->ops[expression->at++].number : size - value->size;
        if (!is_piece && place.kind == RW_PLACED_MEMORY && !value->size) {
            value->in_memory = true;
            value->address = place.number;
        }
        if (!add_place(frame, &place, (size_t)MIN(piece, size - value->size), value))
            return;
    }
}

static void read_location(const RwVariablesFrame *frame, Dwarf_Attribute *attribute, size_t size,
                          RwValue *value)
{
    Dwarf_Op *ops;
    size_t n;
    uint64_t address = frame->frame->at - frame->bias;
    if (dwarf_getlocation_addr(attribute, address, &ops, &n, 1) != 1 || !n)
        return;
    RwExpression expression = {.frame = frame, .attribute = attribute, .ops = ops, .n = n};
    read_parts(&expression, size, value);
}

static void read_constant(Dwarf_Attribute *attribute, size_t size, RwValue *value)
{
    Dwarf_Block block;
    Dwarf_Word word;
    Dwarf_Sword sword;
    const char *text;
    value->state = RW_VALUE_KNOWN;
    if (!dwarf_formblock(attribute, &block))
        add_bytes(block.data, MIN(size, block.length), value);
    else if (dwarf_whatform(attribute) == DW_FORM_sdata && !dwarf_formsdata(attribute, &sword))
        add_bytes((const uint8_t *)&sword, MIN(size, sizeof sword), value);
    else if (!dwarf_formudata(attribute, &word))
        add_bytes((const uint8_t *)&word, MIN(size, sizeof word), value);
    else if ((text = dwarf_formstring(attribute)))
        add_bytes((const uint8_t *)text, MIN(size, strlen(text) + 1), value);
    else
        value->state = RW_VALUE_NONE;
}

void rw_location_read(const RwVariablesFrame *frame, Dwarf_Die *variable, size_t size, RwValue *ret)
{
    Dwarf_Attribute attribute;
    memset(ret, 0, sizeof *ret);
    if (dwarf_attr(variable, DW_AT_location, &attribute))
        read_location(frame, &attribute, size, ret);
    else if (rw_die_attribute(variable, DW_AT_const_value, &attribute))
        read_constant(&attribute, size, ret);
    if (ret->state == RW_VALUE_KNOWN && !ret->size)
        ret->state = RW_VALUE_UNKNOWN;
}

// ---- What a caller passed ----

static bool is_call_site(int tag)
{
    return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

static bool returns_to(Dwarf_Die *site, uint64_t address)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr at;
    unsigned name = dwarf_tag(site) == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc;
    return dwarf_attr(site, name, &attribute) && !dwarf_formaddr(&attribute, &at) && at == address;
}

static bool find_site(Dwarf_Die *scope, uint64_t address, unsigned *looked, Dwarf_Die *ret)
{
    Dwarf_Die die;
    if (dwarf_child(scope, &die))
        return false;
    do {
        int tag = dwarf_tag(&die);
        if (++*looked > RW_DIES_MAX)
            return false;
        if (is_call_site(tag) && returns_to(&die, address)) {
            *ret = die;
            return true;
        }
        bool is_block = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
        if (is_block && *looked < RW_DIES_MAX && find_site(&die, address, looked, ret))
            return true;
    } while (!dwarf_siblingof(&die, &die));
    return false;
}

// A call of another function, which went on to this one, passed other arguments.
static bool is_of_function(Dwarf_Die *site, Dwarf_Die *function)
{
    Dwarf_Attribute link;
    Dwarf_Die called;
    unsigned name = dwarf_tag(site) == DW_TAG_call_site ? DW_AT_call_origin : DW_AT_abstract_origin;
    if (!dwarf_attr(site, name, &link) || !dwarf_formref_die(&link, &called))
        return false;
    const char *one = rw_die_name(&called), *other = rw_die_name(function);
    return one && other && !strcmp(one, other);
}

// The register that a parameter is passed in; -1: none.
static int register_of(Dwarf_Die *parameter)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t n;
    if (!dwarf_attr(parameter, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &ops, &n) ||
        n != 1 || ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg31)
        return -1;
    return ops[0].atom - DW_OP_reg0;
}

static RwPlace passed_value(const RwVariablesFrame *caller, Dwarf_Die *parameter)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t n;
    if ((!dwarf_attr(parameter, DW_AT_call_value, &attribute) &&
         !dwarf_attr(parameter, DW_AT_GNU_call_site_value, &attribute)) ||
        dwarf_getlocation(&attribute, &ops, &n) || !n)
        return place_of(RW_PLACED_NOWHERE, 0);
    RwExpression expression = {.frame = caller, .attribute = &attribute, .ops = ops, .n = n};
    RwPlace place = rw_expression_run(&expression);
    if (place.kind == RW_PLACED_MEMORY) // of a value's expression what is left is the value
        place.kind = RW_PLACED_VALUE;
    place = read_place(caller, &place);
    return place.kind == RW_PLACED_VALUE ? place : place_of(RW_PLACED_NOWHERE, 0);
}

static bool open_caller(const RwVariablesFrame *frame, RwVariablesFrame *ret)
{
    *ret = *frame;
    ret->frame = frame->caller;
    ret->caller = NULL;
    ret->lines = frame->caller
                     ? rw_symbols_get_lines(frame->guest, frame->maps, frame->caller->at, &ret->bias)
                     : NULL;
    return ret->lines && rw_scopes_function(ret->lines, ret->frame->at - ret->bias, &ret->function);
}

RwPlace rw_location_passed(const RwVariablesFrame *frame, int number)
{
    RwVariablesFrame caller;
    Dwarf_Die site, parameter, function = frame->function;
    unsigned looked = 0;
    if (!open_caller(frame, &caller) ||
        !find_site(&caller.function, caller.frame->at + 1 - caller.bias, &looked, &site) ||
        !is_of_function(&site, &function) || dwarf_child(&site, &parameter))
        return place_of(RW_PLACED_NOWHERE, 0);
    do {
        if (register_of(&parameter) == number)
            return passed_value(&caller, &parameter);
    } while (++looked < RW_DIES_MAX && !dwarf_siblingof(&parameter, &parameter));
    return place_of(RW_PLACED_NOWHERE, 0);
}
