// SPDX-License-Identifier: MIT
// Attributes and expressions of DWARF, for location.c, expression.c, values.c and variables.c.
#pragma once

#include "symbols-private.h"

#include <dwarf.h>

#define RW_DIE_LINKS_MAX 8 // from a function's instance to where it is declared
#define RW_DIE_NAME_MAX 1024u
#define RW_DIES_MAX 20000u // that are looked at for one answer

// An attribute of it, or of what it is an instance of.
bool rw_die_attribute(Dwarf_Die *die, unsigned name, Dwarf_Attribute *ret_attribute);
const char *rw_die_name(Dwarf_Die *die); // NULL: it has none. Good as long as its file
bool rw_die_number(Dwarf_Die *die, unsigned name, uint64_t *ret_number);

typedef enum {
    RW_PLACED_NOWHERE, // the compiler left nothing
    RW_PLACED_UNKNOWN, // in what is not known
    RW_PLACED_POINTER, // it points to a variable that is in no memory
    RW_PLACED_MEMORY, // at the address `number`
    RW_PLACED_REGISTER, // in that one
    RW_PLACED_VALUE, // it is `number`
    RW_PLACED_BYTES, // it is `block`
} RwPlaceKind;

typedef struct {
    RwPlaceKind kind;
    uint64_t number;
    Dwarf_Block block;
} RwPlace;

// An expression of an attribute, which goes on at `at`.
typedef struct {
    const RwVariablesFrame *frame;
    Dwarf_Attribute *attribute;
    const Dwarf_Op *ops;
    size_t n, at;
    unsigned depth; // of expressions within each other
} RwExpression;

// Up to its next piece, where it then stands, or its end.
RwPlace rw_expression_run(RwExpression *expression);

// What the caller passed in a register: VALUE, or NOWHERE.
RwPlace rw_location_passed(const RwVariablesFrame *frame, int number);

// ---- Types (types.c) ----

// What it is without typedefs and qualifiers. false: void, or not known.
bool rw_type_peel(Dwarf_Die *type);
// Of an array: how many elements its first dimension has. false: not known.
bool rw_type_elements(Dwarf_Die *array, uint64_t *ret_n);
unsigned rw_type_dimensions(Dwarf_Die *array);
