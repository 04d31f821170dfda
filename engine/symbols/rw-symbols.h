// SPDX-License-Identifier: MIT
//
// Where an address of a process is: its mapping, function or variable, and line of source.
//
// It works on what a machine's guest has: the text of /proc/PID/maps and files, ELF and DWARF, that its
// programs came with. Nothing is read on the host. All of it is untrusted: what is damaged or too large is
// not known, and never an error.
#pragma once

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

// What is known of the files of one run. One thread at a time.
typedef struct _RwSymbols RwSymbols;
RwSymbols *rw_symbols_new(void);
void rw_symbols_free(RwSymbols *symbols); // or NULL

// The first `max` bytes, or all if there are fewer, of a file of the guest, as the process sees it: path is
// absolute. NULL: there is none that can be read. Called during rw_symbols_find() only.
typedef GBytes *(*RwSymbolsRead)(const char *path, size_t max, void *data);

// All strings are owned and valid UTF-8, and NULL when they are not known.
typedef struct {
    char *path; // what is mapped there: a file, or "[heap]"; of a program's zeroed variables its file
    uint64_t offset; // of the address in the file; from the mapping's start where it is no file
    char *function; // or variable; as the linker knows it, so that one of C++ is mangled
    uint64_t function_offset; // of the address from its start
    char
        *inlined; // the function of the source that the line is in, where the compiler put it into that one
    char *file; // of the source, as the compiler was told: absolute where it was told the directory
    uint32_t line; // from 1, 0: not known
    char *text; // of the line, without the blanks around it, at most 200 characters
} RwSymbol;

void rw_symbol_clear(RwSymbol *symbol);

// Where `va` is in a process whose /proc/PID/maps is `maps`. What the files of `read` are at that step is
// found out again with each call; what was learned of the same files before is used.
void rw_symbols_find(RwSymbols *symbols, const char *maps, uint64_t va, RwSymbolsRead read, void *data,
                     RwSymbol *ret_symbol);

// A thread between two instructions, and its stack.
typedef struct {
    uint64_t gpr[16]; // RAX RCX RDX RBX RSP RBP RSI RDI R8 to R15
    uint64_t ip;
    uint64_t stack; // the address of
    const uint8_t *bytes; // what is on its stack, borrowed
    size_t size;
} RwSymbolsThread;

// The calls by which a thread got where it is, the last one first: the address of the last byte of each
// call instruction, up to `max` of them. Only what the programs' tables of frames make certain: it ends
// with the first that is not. Of `maps`, `read` and `data` see rw_symbols_find().
size_t rw_symbols_calls(RwSymbols *symbols, const char *maps, const RwSymbolsThread *thread,
                        RwSymbolsRead read, void *data, uint64_t *ret_addresses, size_t max);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwSymbols, rw_symbols_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwSymbol, rw_symbol_clear)

G_END_DECLS
