// SPDX-License-Identifier: MIT
// The calls by which a thread got where it is: of this process itself, and of stacks and files that are
// damaged.
#include "self.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_MAX 24
#define DAMAGED 400

typedef struct {
    RwSymbolsThread thread;
    uint8_t stack[SELF_STACK_MAX];
    uint64_t stack_end; // of the process's
} Captured;

static Captured captured;
static char *maps;
static unsigned tests, failures;

static void ok(bool good, const char *name)
{
    printf("%sok %u - %s\n", good ? "" : "not ", ++tests, name);
    failures += !good;
}

// ---- A stack ----

// Where it ends, from the line of /proc/self/maps.
static uint64_t find_end(uint64_t in)
{
    unsigned long start, end;
    for (const char *line = maps; *line; line = strchrnul(line, '\n'), line += *line == '\n')
        if (sscanf(line, "%lx-%lx", &start, &end) == 2 && in >= start && in < end)
            return end;
    return in;
}

static __attribute__((noinline)) int compare(const void *a, const void *b)
{
    if (!captured.thread.ip)
        self_capture(&captured.thread, captured.stack, find_end((uint64_t)__builtin_frame_address(0)));
    return *(const int *)a - *(const int *)b;
}

// A frame whose size is known at run time only.
static __attribute__((noinline)) int sort_some(int n)
{
    int *numbers = __builtin_alloca((size_t)n * sizeof *numbers);
    for (int i = 0; i < n; i++)
        numbers[i] = n - i;
    qsort(numbers, (size_t)n, sizeof *numbers, compare);
    return numbers[0];
}

static __attribute__((noinline)) int outermost(int n)
{
    return sort_some(n) + 1;
}

static size_t walk(RwSymbols *symbols, const RwSymbolsThread *thread, SelfFiles *files, uint64_t *addresses)
{
    g_autofree RwSymbolsFrame *frames = g_new0(RwSymbolsFrame, CALLS_MAX + 2);
    RwSymbolsFiles guest = {self_dup_path, self_read_file, files};
    size_t n = rw_symbols_frames(symbols, maps, thread, &guest, frames, CALLS_MAX + 1);
    if (!n || n > CALLS_MAX + 1 || frames[CALLS_MAX + 1].at)
        abort();
    for (size_t i = 1; i < n; i++)
        addresses[i - 1] = frames[i].at;
    return n - 1;
}

// Whether one of the calls from `from` on is in that function: its number, or -1.
static int find(RwSymbols *symbols, const uint64_t *addresses, size_t n, int from, const char *function)
{
    SelfFiles files = {0};
    RwSymbolsFiles guest = {self_dup_path, self_read_file, &files};
    for (int i = from; i >= 0 && i < (int)n; i++) {
        g_auto(RwSymbol) symbol = {0};
        rw_symbols_find(symbols, maps, addresses[i], &guest, &symbol);
        if (symbol.function && g_str_has_prefix(symbol.function, function)) // and ".constprop.0"
            return i;
    }
    return -1;
}

static void test_sound(RwSymbols *symbols)
{
    SelfFiles files = {0};
    uint64_t addresses[CALLS_MAX + 1];
    size_t n = walk(symbols, &captured.thread, &files, addresses);
    int at = find(symbols, addresses, n, 0, "compare");
    ok(at == 0, "the caller");
    at = find(symbols, addresses, n, at, "sort_some");
    ok(at > 1, "its caller, through a library");
    ok(find(symbols, addresses, n, 0, "sort_some") == at, "which is there once");
    ok(at > 0 && find(symbols, addresses, n, at, "outermost") == at + 1, "the next one");
    ok(at > 0 && find(symbols, addresses, n, at, "main") == at + 2, "and so on");
}

static void test_cut(RwSymbols *symbols)
{
    SelfFiles files = {0};
    uint64_t all[CALLS_MAX + 1], some[CALLS_MAX + 1];
    size_t n = walk(symbols, &captured.thread, &files, all);
    bool good = n > 3;
    for (size_t size = 0; size < captured.thread.size; size += size < 64 ? 1 : 61) {
        RwSymbolsThread thread = captured.thread;
        thread.bytes = g_memdup2(captured.stack, size); // of its own, so that a sanitizer sees the end
        thread.size = size;
        size_t m = walk(symbols, &thread, &files, some);
        good = good && m <= n && (m == 0 || !memcmp(some, all, m * sizeof *some));
        g_free((void *)thread.bytes);
    }
    ok(good, "less of the stack: fewer of the same calls");
}

// ---- Damage ----

static uint64_t state = 88172645463325252ull;

static uint64_t draw(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

// Whether all of them are behind calls, as far as the bytes of this process tell.
static bool are_calls(const uint64_t *addresses, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *behind = (const uint8_t *)addresses[i] + 1;
        bool good = behind[-5] == 0xe8;
        for (int length = 2; length <= 7; length++)
            good = good || (behind[-length] == 0xff && (behind[-length + 1] & 0x38) == 0x10);
        if (!good)
            return false;
    }
    return true;
}

static void test_stacks(RwSymbols *symbols)
{
    SelfFiles files = {0};
    uint64_t addresses[CALLS_MAX + 1];
    bool good = true;
    for (int n = 0; n < DAMAGED; n++) {
        Captured damaged = captured;
        damaged.thread.bytes = damaged.stack;
        for (uint64_t k = 1 + draw(8); k > 0; k--) {
            uint64_t word = draw(2) ? draw(UINT64_MAX) : captured.thread.stack + draw(damaged.thread.size);
            if (draw(3) == 0) // addresses of code
                word = captured.thread.ip + draw(4096);
            memcpy(damaged.stack + draw(MIN(damaged.thread.size, 2048) / 8 - 1) * 8, &word, sizeof word);
            if (draw(4) == 0)
                damaged.thread.gpr[draw(16)] = word;
        }
        good = good && are_calls(addresses, walk(symbols, &damaged.thread, &files, addresses));
    }
    ok(good, "damaged stacks: nothing but calls");
}

static void test_edges(RwSymbols *symbols)
{
    SelfFiles files = {0};
    uint64_t addresses[CALLS_MAX + 1];
    RwSymbolsThread thread = captured.thread;
    thread.stack = thread.gpr[4] = UINT64_MAX - 15;
    size_t n = walk(symbols, &thread, &files, addresses);
    thread.stack = thread.gpr[4] = 0;
    thread.size = 8;
    n += walk(symbols, &thread, &files, addresses);
    thread.gpr[4] = UINT64_MAX;
    n += walk(symbols, &thread, &files, addresses);
    thread = captured.thread;
    thread.ip = 0;
    n += walk(symbols, &thread, &files, addresses);
    thread.ip = captured.thread.stack;
    n += walk(symbols, &thread, &files, addresses);
    ok(n == 0, "stacks and code where there are none");
}

// ---- Files ----

static bool find_section(const char *bytes, const char *name, Elf64_Shdr *ret)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++)
        if (!strcmp(bytes + sections[header->e_shstrndx].sh_offset + sections[i].sh_name, name)) {
            *ret = sections[i];
            return true;
        }
    return false;
}

// Without the names of its functions, from which it is known where they end.
static void test_nameless(RwSymbols *symbols)
{
    SelfFiles files = {0};
    uint64_t all[CALLS_MAX + 1], same[CALLS_MAX + 1];
    g_autofree char *path = g_file_read_link("/proc/self/exe", NULL), *bytes = NULL;
    gsize size;
    if (!g_file_get_contents(path, &bytes, &size, NULL)) {
        ok(false, "this program's own file");
        return;
    }
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB)
            sections[i].sh_type = SHT_NULL;
    size_t n = walk(symbols, &captured.thread, &files, all);
    files = (SelfFiles){g_bytes_new(bytes, size), path};
    g_autoptr(RwSymbols) nameless = rw_symbols_new(NULL);
    int compare = find(symbols, all, n, 0, "compare");
    size_t m = walk(nameless, &captured.thread, &files, same);
    // Other files are not there any more: as far as the first library.
    ok(compare == 0 && m > 0 && m <= n && !memcmp(all, same, m * sizeof *all),
       "without names: the same calls");
    g_bytes_unref(files.self);
}

// `name`: the section that says how its functions return.
static void test_files(const char *name)
{
    uint64_t addresses[CALLS_MAX + 1];
    g_autofree char *path = g_file_read_link("/proc/self/exe", NULL), *bytes = NULL;
    gsize size;
    Elf64_Shdr section;
    if (!g_file_get_contents(path, &bytes, &size, NULL) || !find_section(bytes, name, &section)) {
        ok(false, "this program's own file");
        return;
    }
    unsigned known = 0;
    for (int n = 0; n < DAMAGED; n++) {
        char *damaged = g_memdup2(bytes, size);
        for (uint64_t k = draw(40); k > 0; k--)
            damaged[section.sh_offset + draw(section.sh_size)] = (char)draw(256);
        SelfFiles files = {g_bytes_new_take(damaged, size), path};
        g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
        known += walk(symbols, &captured.thread, &files, addresses) > 0;
        g_bytes_unref(files.self);
    }
    ok(known > 0, "damaged files");
}

int main(int argc, char **argv)
{
    if (argc != 2 || !g_file_get_contents("/proc/self/maps", &maps, NULL, NULL) || outermost(40) != 2)
        return 1;
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    test_sound(symbols);
    test_cut(symbols);
    test_stacks(symbols);
    test_edges(symbols);
    test_nameless(symbols);
    test_files(argv[1]);
    g_free(maps);
    printf("1..%u\n", tests);
    return failures != 0;
}
