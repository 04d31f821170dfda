// SPDX-License-Identifier: MIT
#pragma once

#include "rw-maps.h"
#include "rw-symbols.h"

#include <elfutils/libdw.h>
#include <gelf.h>

// ---- An ELF file (object.c) ----

// A part of the file as it is loaded.
typedef struct {
    uint64_t offset, file_size, memory_size, address;
    bool executable;
} RwLoad;

typedef struct {
    uint64_t start, end; // end: of its section where it has no size
    const char *text; // in the file
    uint8_t rank; // among those of one address the lowest is taken
} RwName;

typedef struct {
    GBytes *bytes;
    Elf *elf;
    GArray *loads; // of RwLoad
    GArray *names; // of RwName, by address
    bool has_all_names; // not only those that others link with
    GBytes *debug_frame; // .debug_frame, or NULL
    char *build_id; // hex, or NULL
    char *debug_name; // of the file with its debug information, or NULL,
    uint32_t debug_crc; // and that file's checksum
} RwObject;

#define RW_OBJECT_MAX ((size_t)256 << 20) // bytes of a program, a library, or its debug information

// NULL: it is no program or library of x86-64, or is damaged.
RwObject *rw_object_new(GBytes *bytes);
// The build id alone; NULL: none, or as above.
char *rw_object_dup_build_id(GBytes *bytes);
void rw_object_free(RwObject *object);
// The header of the section with that name, which has its bytes in the file. false: there is none.
bool rw_object_section(const RwObject *object, const char *name, GElf_Shdr *ret_header);
// The address as the file counts it. false: it is in no part that is loaded.
bool rw_object_address(const RwObject *object, const RwMapping *mapping, uint64_t *ret_address);

// ---- Its names (names.c) ----

void rw_names_load(RwObject *object);
// A name of C++ as its source has it, without the types of its arguments and of what it returns. NULL: it
// is none.
char *rw_name_dup_demangled(const char *name);
const RwName *rw_names_find(const RwObject *object, const char *name);
// NULL: none.
const RwName *rw_names_at(const RwObject *object, uint64_t address);

// ---- Its lines (lines.c) ----

typedef struct _RwLines RwLines;
// Finds the file with what several such files share, by its path, absolute or from the folder of the one
// that names it, and its build id (hex). NULL: there is none.
typedef GBytes *(*RwAlternative)(const char *path, const char *build_id, void *data);
// Keeps references on what it needs; find() is called in here. NULL: there is no debug information that can
// be used.
RwLines *rw_lines_new(GBytes *object, RwAlternative find, void *data);
void rw_lines_free(RwLines *lines);
// false: not known.
bool rw_lines_find(RwLines *lines, uint64_t address, char **ret_file, uint32_t *ret_line);
// Where the function was called that the compiler put into another one there. false: not known.
bool rw_lines_of_call(RwLines *lines, Dwarf_Die *inlined, char **ret_file, uint32_t *ret_line);

// Each file of source that the units were made of, a file of several units several times. false of `each`:
// no more.
void rw_lines_each_source(RwLines *lines, bool (*each)(const char *path, void *data), void *data);

// The unit with the address, for libdw; `nth`: there may be several. false: there are no more.
bool rw_lines_unit(RwLines *lines, unsigned nth, uint64_t address, Dwarf_Die *ret_unit);
// The unit behind *unit, which is NULL at first; false: there are no more.
bool rw_lines_next_unit(RwLines *lines, Dwarf_CU **unit, Dwarf_Die *ret_unit);

// ---- Functions, and what is in them (scopes.c) ----

#define RW_SCOPES_MAX 40u // blocks within each other
// The function with the address. false: not known.
bool rw_scopes_function(RwLines *lines, uint64_t address, Dwarf_Die *ret_function);
// The same, and then the blocks in it that have the address, each in the one before. 0: not known.
unsigned rw_scopes_find(RwLines *lines, uint64_t address, Dwarf_Die ret_scopes[RW_SCOPES_MAX]);
// Whether a block is a function itself, of the source.
bool rw_scope_is_function(const Dwarf_Die *scopes, unsigned i);
char *rw_scope_dup_name(Dwarf_Die *function); // or NULL
// The innermost function that was put into another one there; NULL: none, or not known.
char *rw_scopes_dup_inlined(RwLines *lines, uint64_t address);

// Its bytes as hex.
char *rw_build_id_text(const void *bytes, size_t length);

// ---- Files of the guest (symbols.c) ----

// The guest at the step of a question.
typedef struct {
    RwSymbols *symbols;
    const RwSymbolsFiles *files;
} RwSymbolsGuest;

// A whole file; NULL: it cannot be read, or has more than `max` bytes.
GBytes *rw_symbols_read_whole(const RwSymbolsGuest *guest, const char *path, size_t max);

// The program or library by its path; NULL: it is none. Good until the next call.
const RwObject *rw_symbols_get_object(const RwSymbolsGuest *guest, const char *path);

// One of its lines' debug information, and how far from where the file counts it is loaded. NULL: none.
RwLines *rw_symbols_get_lines(const RwSymbolsGuest *guest, const char *maps, uint64_t va,
                              uint64_t *ret_bias);
// "name" or "name+4" of a function or variable there, or NULL.
char *rw_symbols_dup_name(const RwSymbolsGuest *guest, const char *maps, uint64_t va);

// Where a function or variable of a program whose name begins with `file`, or a library with "lib" before
// it, is. false: not known.
bool rw_symbols_address(const RwSymbolsGuest *guest, const char *maps, const char *file, const char *name,
                        uint64_t *ret_address);
// What is known of a file that is mapped. Good until the next call.
typedef struct {
    const RwObject *object, *debug; // debug: NULL: in no file of its own
    RwLines *lines; // or NULL
    uint64_t bias; // addresses of the process are so much more than the file's
} RwSymbolsFile;

// false: it is none that can be used.
bool rw_symbols_open(const RwSymbolsGuest *guest, uint64_t start, const RwMapping *mapping,
                     RwSymbolsFile *ret);
// A line of source; NULL: it is not there.
char *rw_symbols_dup_line(const RwSymbolsGuest *guest, const char *path, uint32_t line);

// ---- Debug information in files of its own (debug.c) ----

// Both are owned, or NULL.
typedef struct {
    RwObject *object; // the first such file
    RwLines *lines; // of the program itself, or of the first such file that has them
} RwDebug;

// Of the program or library at `path`.
void rw_debug_find(const RwSymbolsGuest *guest, const RwObject *object, const char *path, RwDebug *ret);

// ---- Its functions' frames (frames.c) ----

// Registers as DWARF numbers them: RAX RDX RCX RBX RSI RDI RBP RSP R8 to R15, the return address.
#define RW_FRAME_BP 6
#define RW_FRAME_SP 7
#define RW_FRAME_RETURN 16
#define RW_FRAME_REGISTERS RW_SYMBOLS_REGISTERS

typedef enum {
    RW_FRAME_UNKNOWN, // what the caller had in it
    RW_FRAME_SAME, // is in it
    RW_FRAME_SAVED, // is in memory, `offset` from the frame's address
    RW_FRAME_MOVED, // is in register number `offset`, below RW_FRAME_RETURN
} RwFrameRule;

// How a function's caller had its registers. The frame's address is what RSP was before the call.
typedef struct {
    bool cfa_known;
    uint8_t cfa_register; // the frame's address: this register
    uint64_t cfa_offset; // and that
    uint8_t rule[RW_FRAME_REGISTERS]; // RwFrameRule
    uint64_t offset[RW_FRAME_REGISTERS];
} RwFrameRules;

// What holds of registers by the calling convention; the rest of the rules stays.
void rw_frame_convention(RwFrameRules *rules);
// Before the instruction at `address`, as the file counts it. 1; 0: no table has it; -1: one has it that is
// not understood, or of what no call has led to.
int rw_frame_rules(const RwObject *object, uint64_t address, RwFrameRules *ret_rules);

// ---- Functions without tables (returns.c) ----

// The same from a function's instructions: of the one at `address`, before that at `next`. false: not
// known.
bool rw_returns_rules(const RwObject *object, uint64_t address, uint64_t next, RwFrameRules *ret_rules);

// ---- Where a variable is (location.c) ----

// A frame whose variables are looked at.
typedef struct {
    const RwSymbolsGuest *guest;
    const char *maps;
    const RwSymbolsMemory *memory;
    const RwSymbolsFrame *frame, *caller; // caller: NULL: not known
    RwLines *lines;
    uint64_t bias; // of its file: addresses of the process are so much more than the file's
    Dwarf_Die function; // the one that has the frame
} RwVariablesFrame;

typedef enum {
    RW_VALUE_NONE, // there is none: "<optimized out>"
    RW_VALUE_UNKNOWN, // "<unavailable>"
    RW_VALUE_POINTER, // to another variable that is in no memory: "<synthetic pointer>"
    RW_VALUE_KNOWN,
} RwValueState;

// A value's first bytes, at most RW_VALUE_MAX.
#define RW_VALUE_MAX 4096u
typedef struct {
    RwValueState state;
    uint8_t bytes[RW_VALUE_MAX];
    size_t size; // that are known; fewer than asked for where memory ends
    bool in_memory;
    uint64_t address; // where they are then
} RwValue;

// `size` bytes of a variable or argument by its DW_AT_location or DW_AT_const_value.
void rw_location_read(const RwVariablesFrame *frame, Dwarf_Die *variable, size_t size, RwValue *ret_value);

// ---- What it is (values.c) ----

// "int", "struct pair *"; NULL: not known.
char *rw_value_dup_type(Dwarf_Die *type);
size_t rw_value_size(Dwarf_Die *type); // bytes; 0: not known
// false: it has none.
bool rw_value_type_of(Dwarf_Die *die, Dwarf_Die *ret_type);
char *rw_value_dup_text(const RwVariablesFrame *frame, Dwarf_Die *type, const RwValue *value);
