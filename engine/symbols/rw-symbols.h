// SPDX-License-Identifier: MIT
//
// Where an address of a process is: its mapping, function or variable, and line of source.
//
// It works on what a machine's guest has: the text of /proc/PID/maps and files, ELF and DWARF, that its
// programs came with. Nothing is read on the host but by who is asked for debug information that the guest
// has not. All of it is untrusted: what is damaged or too large is not known, and never an error.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

// Debug information that is not in the guest.
typedef struct {
    // The file that has this build id (lower-case hex) and the debug information of a program or library
    // that has it, too. shared: it is what several such files share, and this the name that they have for
    // it; else NULL. NULL: there is none.
    GBytes *(*find)(const char *build_id, const char *shared, void *data);
    // What would help where there is none: "install …", owned.
    char *(*dup_advice)(void *data);
    void (*free)(void *data); // with the symbols, or NULL
    void *data;
} RwSymbolsElsewhere;

// What is known of the files of one run. One thread at a time. `elsewhere`: copied; or NULL.
typedef struct _RwSymbols RwSymbols;
RwSymbols *rw_symbols_new(const RwSymbolsElsewhere *elsewhere);
void rw_symbols_free(RwSymbols *symbols); // or NULL
// Takes the bytes of a file; NULL where they have another build id, or none, or are NULL themselves.
GBytes *rw_symbols_check_build_id(GBytes *bytes, const char *build_id);
// NULL: nothing but the guest is asked.
const RwSymbolsElsewhere *rw_symbols_get_elsewhere(const RwSymbols *symbols);

// What the kernel maps into each process; asked for like a file, it is all that is mapped there.
#define RW_SYMBOLS_VDSO "[vdso]"

// Files of the guest at the step of a question, as the process sees them: paths are absolute. Asked during
// rw_symbols_find() and its like only.
typedef struct {
    // What tells one version of the file from another, owned. NULL: there is none that can be read.
    char *(*dup_version)(const char *path, void *data);
    // The first `max` bytes, or all if there are fewer. NULL as above.
    GBytes *(*read)(const char *path, size_t max, void *data);
    void *data;
} RwSymbolsFiles;

// All strings are owned and valid UTF-8, and NULL when they are not known.
typedef struct {
    char *path; // what is mapped there: a file, or "[heap]"; of a program's zeroed variables its file
    uint64_t offset; // of the address in the file; from the mapping's start where it is no file
    char *function; // or variable; of C++ as its source has it, without the types of its arguments
    uint64_t function_offset; // of the address from its start
    char
        *inlined; // the function of the source that the line is in, where the compiler put it into that one
    char *file; // of the source, as the compiler was told: absolute where it was told the directory
    uint32_t line; // from 1, 0: not known
    char *text; // of the line, without the blanks around it, at most 200 characters
    char *undebugged; // the build id, "" without one, of a program or library with no debug information
} RwSymbol;

void rw_symbol_clear(RwSymbol *symbol);

// Where `va` is in a process whose /proc/PID/maps is `maps`. Which versions of its files there are is asked
// again with each call; what was learned of the same ones before is used, and only others are read.
void rw_symbols_find(RwSymbols *symbols, const char *maps, uint64_t va, const RwSymbolsFiles *files,
                     RwSymbol *ret_symbol);

// The same where the compiler may have put functions into each other, of RwSymbol*, owned: that one first,
// then those around it, each where it calls the one before. At least one.
GPtrArray *rw_symbols_find_all(RwSymbols *symbols, const char *maps, uint64_t va,
                               const RwSymbolsFiles *files);

// `n` lines of a file of source, from the number `from` on, as they are but without control characters, at
// most 200 characters each; fewer where it ends. NULL: it is not there.
char **rw_symbols_dup_source(RwSymbols *symbols, const RwSymbolsFiles *files, const char *path,
                             uint32_t from, uint32_t n);

// Memory of the process. read: how many bytes from `va` on were read, fewer than `length` where it ends.
typedef struct {
    size_t (*read)(uint64_t va, void *ret_bytes, size_t length, void *data);
    void *data;
} RwSymbolsMemory;

// A thread between two instructions, and its stack.
typedef struct {
    uint64_t gpr[16]; // RAX RCX RDX RBX RSP RBP RSI RDI R8 to R15
    uint64_t ip;
    uint64_t stack; // the address of
    const uint8_t *bytes; // what is on its stack, borrowed
    size_t size;
    const RwSymbolsMemory *memory; // for code that is in no file; or NULL
} RwSymbolsThread;

// A function that a thread is in, and its registers there: RAX RDX RCX RBX RSI RDI RBP RSP R8 to R15, and
// where it is, as DWARF numbers them.
#define RW_SYMBOLS_REGISTERS 17
typedef struct {
    uint64_t at; // where it is, of callers the last byte of the call
    uint64_t value[RW_SYMBOLS_REGISTERS];
    bool known[RW_SYMBOLS_REGISTERS];
    uint64_t cfa; // what RSP was before the function was called; 0: not known
} RwSymbolsFrame;

// The calls by which a thread got where it is: its own function first, then its callers. Only what the
// programs' tables of frames make certain, or of code that a program made itself (JIT) its frame pointers:
// it ends with the first that is not. At least one, up to `max`.
// Of `maps` and `files` see rw_symbols_find().
size_t rw_symbols_frames(RwSymbols *symbols, const char *maps, const RwSymbolsThread *thread,
                         const RwSymbolsFiles *files, RwSymbolsFrame *ret_frames, size_t max);

// ---- Variables ----

// An argument or a local variable. Strings are owned and valid UTF-8.
typedef struct {
    char *name;
    char *type; // as one declares it: "const char *", "struct pair", "int [3]"; NULL: not known
    char *value; // as gdb prints it, at most about 400 characters: "<optimized out>" where the compiler
                 // left none, "<unavailable>" where it is in a register or memory that is not known
    char
        *function; // of the source, that it is of where the compiler put that into the frame's one; or NULL
    uint32_t level; // that function's place in rw_symbols_find_all()
    bool argument;
} RwVariable;

void rw_variable_free(RwVariable *variable);

// What the function of `frames[which]` has there, of RwVariable*: first of the innermost one that was put
// into it, arguments before others. Empty without debug information. Variables that are declared below the
// line are left out: they have no value so far.
GPtrArray *rw_symbols_variables(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                                const RwSymbolsMemory *memory, const RwSymbolsFrame *frames, size_t n,
                                size_t which);

// Where a variable is.
typedef struct {
    uint64_t address, size; // size: 0: not known
    bool in_memory; // else it is in a register, or the compiler left none
} RwSymbolsPlace;

// A name in the function of `frames[which]`.
typedef struct {
    const RwSymbolsFrame *frames;
    size_t n, which;
    const char *name;
} RwSymbolsLocal;

// The variable or argument that the line there means by it. false: it has none.
bool rw_symbols_find_local(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                           const RwSymbolsMemory *memory, const RwSymbolsLocal *local, RwSymbolsPlace *ret);
// One that is always at the same place: a global, or a static one. What is mapped first is looked at first:
// the program before its libraries. By debug information, else by the linker's names.
bool rw_symbols_find_global(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                            const char *name, RwSymbolsPlace *ret);

// ---- Scripts ----

// The functions of a program of Python's (CPython 3.11) that a thread is in, of RwSymbol*, owned: function,
// file, line and text, the innermost first, up to `max`. `native_id` is the thread's number as it sees it
// itself. NULL: it is in none that is known.
GPtrArray *rw_symbols_python(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                             const RwSymbolsMemory *memory, uint32_t native_id, size_t max);
// The same of a process of bash's (5.0 and later), at the command of its script that it began last:
// function is NULL outside of functions.
GPtrArray *rw_symbols_bash(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                           const RwSymbolsMemory *memory, size_t max);
// The line of a makefile's recipe for which a process of GNU make's (4.3, 4.4) started its child with this
// number, as it sees that itself, and waits for it: one, without a function. NULL: as above.
GPtrArray *rw_symbols_make(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                           const RwSymbolsMemory *memory, uint32_t child);

// The files of source that a program, a library, or the file with its debug information was made of, as the
// compiler was told: absolute paths, of char*, owned, at most `max`.
GPtrArray *rw_symbols_sources(GBytes *object, size_t max);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwSymbols, rw_symbols_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwSymbol, rw_symbol_clear)

G_END_DECLS
