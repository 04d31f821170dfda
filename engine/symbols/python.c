// SPDX-License-Identifier: MIT
//
// Where a thread is in a program of Python's: the interpreter's own frames, read from the process's memory.
// CPython 3.11: its structures are those of Include/internal/pycore_runtime.h, pycore_interp.h,
// pycore_frame.h, cpython/pystate.h, cpython/code.h and cpython/unicodeobject.h, its tables of lines those
// of Objects/locations.md. Nothing that is read is trusted.
#include "script-private.h"

#include "rw-bytes.h"

#include <string.h>

#define VERSION 0x030bu // of Py_Version, its upper half
#define INTERPRETERS_MAX 64
#define THREADS_MAX 4096
#define TABLE_MAX (1u << 20) // bytes of a table of lines
#define TEXT_MAX 1024u // characters of a name

// Offsets of members.
enum {
    RUNTIME_INTERPRETERS = 40,
    INTERPRETER_NEXT = 0,
    INTERPRETER_THREADS = 16,
    THREAD_NEXT = 8,
    THREAD_FRAMES = 56,
    THREAD_NATIVE_ID = 160,
    FRAMES_CURRENT = 8,
    FRAME_CODE = 32,
    FRAME_PREVIOUS = 48,
    FRAME_INSTRUCTION = 56,
    CODE_FIRST_LINE = 72,
    CODE_FILE = 112,
    CODE_NAME = 128, // with the class it is in
    CODE_LINES = 136,
    CODE_INSTRUCTIONS = 184,
    VAR_SIZE = 16,
    BYTES_DATA = 32,
    TEXT_LENGTH = 16,
    TEXT_STATE = 32,
    TEXT_ASCII = 48,
    TEXT_DATA = 72,
};

// ---- Texts ----

static char *dup_letters(const uint8_t *bytes, size_t n, unsigned each)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        uint32_t letter = 0;
        memcpy(&letter, bytes + i * each, each);
        g_string_append_unichar(text, letter && g_unichar_validate(letter) ? letter : 0xfffd);
    }
    return g_string_free(g_steal_pointer(&text), false);
}

// Of a str; NULL: it is none.
static char *dup_text(const RwScript *python, uint64_t object)
{
    uint64_t length = rw_script_u64(python, object + TEXT_LENGTH);
    uint32_t state = rw_script_u32(python, object + TEXT_STATE), each = state >> 2 & 7;
    bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
    if (!object || !length || length > TEXT_MAX || !compact || (each != 1 && each != 2 && each != 4))
        return NULL;
    g_autofree uint8_t *bytes = g_malloc(length * each);
    uint64_t from = object + (ascii ? TEXT_ASCII : TEXT_DATA);
    return rw_script_read(python, from, bytes, length * each) ? dup_letters(bytes, length, each) : NULL;
}

// ---- Lines ----

static int64_t read_signed(RwReader *reader)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = rw_reader_u8(reader);
        if (shift < 60)
            value |= (uint64_t)(byte & 63) << shift;
        shift += 6;
    } while (byte & 64 && !reader->failed);
    return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

// Each entry begins with a byte whose upper bit is set: what follows, and how many instructions it is
// about.
static int64_t find_line(const uint8_t *table, size_t size, int64_t first, uint64_t instruction)
{
    RwReader reader = RW_READER_INIT(table, size);
    int64_t line = first;
    uint64_t at = 0;
    while (rw_reader_left(&reader)) {
        uint8_t head = rw_reader_u8(&reader), kind = head >> 3 & 15;
        if (!(head & 128))
            return 0;
        if (kind == 14 || kind == 13)
            line += read_signed(&reader);
        else if (kind >= 10 && kind <= 12)
            line += kind - 10;
        at += (head & 7) + 1u;
        if (instruction < at)
            return kind == 15 ? 0 : line;
        while (rw_reader_left(&reader) && !(reader.data[reader.pos] & 128))
            rw_reader_u8(&reader);
    }
    return 0;
}

static uint32_t line_of(const RwScript *python, uint64_t code, uint64_t instruction)
{
    uint64_t start = code + CODE_INSTRUCTIONS, object = rw_script_u64(python, code + CODE_LINES);
    uint64_t size = object ? rw_script_u64(python, object + VAR_SIZE) : 0;
    int64_t line, first = (int32_t)rw_script_u32(python, code + CODE_FIRST_LINE);
    if (instruction < start) // it has not begun
        return first > 0 ? (uint32_t)first : 0;
    if (!size || size > TABLE_MAX)
        return 0;
    g_autofree uint8_t *table = g_malloc(size);
    if (!rw_script_read(python, object + BYTES_DATA, table, size))
        return 0;
    line = find_line(table, size, first, (instruction - start) / 2);
    return line > 0 && line < INT32_MAX ? (uint32_t)line : 0;
}

// ---- Frames ----

static RwSymbol *make_frame(const RwScript *python, uint64_t frame)
{
    uint64_t code = rw_script_u64(python, frame + FRAME_CODE);
    char *file = code ? dup_text(python, rw_script_u64(python, code + CODE_FILE)) : NULL;
    if (!file)
        return NULL;
    uint32_t line = line_of(python, code, rw_script_u64(python, frame + FRAME_INSTRUCTION));
    return rw_script_symbol(python, file, line, dup_text(python, rw_script_u64(python, code + CODE_NAME)));
}

static GPtrArray *frames_of(const RwScript *python, uint64_t thread, size_t max)
{
    GPtrArray *frames = rw_script_frames_new();
    uint64_t list = rw_script_u64(python, thread + THREAD_FRAMES);
    uint64_t frame = list ? rw_script_u64(python, list + FRAMES_CURRENT) : 0;
    while (frame && frames->len < max) {
        RwSymbol *symbol = make_frame(python, frame);
        if (!symbol)
            break;
        g_ptr_array_add(frames, symbol);
        frame = rw_script_u64(python, frame + FRAME_PREVIOUS);
    }
    return frames;
}

// One that was not started so far has the number of who made it, and no frames.
static GPtrArray *find_thread(const RwScript *python, uint64_t runtime, uint32_t native_id, size_t max)
{
    uint64_t interpreter = rw_script_u64(python, runtime + RUNTIME_INTERPRETERS);
    int n = 0; // of all of them: lists may be made to have no end
    for (int i = 0; interpreter && i < INTERPRETERS_MAX; i++) {
        uint64_t thread = rw_script_u64(python, interpreter + INTERPRETER_THREADS);
        for (; thread && n < THREADS_MAX; n++) {
            bool is_it = rw_script_u64(python, thread + THREAD_NATIVE_ID) == native_id;
            g_autoptr(GPtrArray) frames = is_it ? frames_of(python, thread, max) : NULL;
            if (frames && frames->len)
                return g_steal_pointer(&frames);
            thread = rw_script_u64(python, thread + THREAD_NEXT);
        }
        interpreter = rw_script_u64(python, interpreter + INTERPRETER_NEXT);
    }
    return NULL;
}

GPtrArray *rw_symbols_python(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                             const RwSymbolsMemory *memory, uint32_t native_id, size_t max)
{
    RwSymbolsGuest guest = {symbols, files};
    RwScript python = {&guest, memory};
    uint64_t version, runtime;
    if (!strstr(maps, "python") || !rw_symbols_address(&guest, maps, "python", "Py_Version", &version) ||
        rw_script_u64(&python, version) >> 16 != VERSION ||
        !rw_symbols_address(&guest, maps, "python", "_PyRuntime", &runtime))
        return NULL;
    return find_thread(&python, runtime, native_id, max);
}
