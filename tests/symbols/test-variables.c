// SPDX-License-Identifier: MIT
// Arguments and local variables of functions of this process itself, by its own debug information; and of
// files that are damaged.
#include "self.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 24
#define DAMAGED 300

static RwSymbolsThread thread;
static uint8_t stack[SELF_STACK_MAX];
static uint64_t stack_end;
static char *maps;
static unsigned tests, failures;

static void ok(bool good, const char *name)
{
    printf("%sok %u - %s\n", good ? "" : "not ", ++tests, name);
    failures += !good;
}

// ---- Something to look at ----

typedef enum { RED, GREEN = 5, BLUE } Colour;
typedef enum { SMALL = 1, ROUND = 2, HEAVY = 4 } Traits;
struct pair {
    int x;
    unsigned y : 3, z : 9;
    struct {
        char tag;
        const struct pair *next;
    } inner;
};
union both {
    int number;
    char letters[4];
};

int total;

static __attribute__((noinline)) int consume(const void *a, const void *b)
{
    __asm__ volatile("" ::"r"(a), "r"(b) : "memory");
    return 1;
}

static __attribute__((noinline)) int inner(int count, const char *text, struct pair *pair, double weight)
{
    Colour colour = count == 3 ? GREEN : RED;
    Traits traits = SMALL | HEAVY;
    char buffer[32] = "abc";
    int numbers[4] = {1, -2, count, 4};
    long many[50] = {7};
    union both both = {.number = 0x41424344};
    int (*function)(const void *, const void *) = consume;
    bool yes = count > 0;
    unsigned char byte = 'q';
    struct pair *none = NULL;
    consume(&colour, &traits);
    consume(buffer, numbers);
    consume(many, &both);
    consume(&function, &yes);
    consume(&byte, &none);
    {
        int nested = count * 2;
        consume(&nested, &weight);
        self_capture(&thread, stack, stack_end);
        total += nested + consume(text, pair);
    }
    int later = 9;
    return total + later + (int)weight;
}

static inline __attribute__((always_inline)) int put_into(int seed)
{
    int doubled = seed * 2;
    struct pair pair = {doubled, 5, 300, {'t', NULL}};
    pair.inner.next = &pair;
    consume(&pair, &doubled);
    return inner(seed, "some \"text\"", &pair, 2.5) + doubled;
}

static __attribute__((noinline)) int outermost(int argument)
{
    volatile int own = argument + 40;
    return put_into(argument) + own;
}

// ---- Looking ----

static bool is_readable(const char *line)
{
    g_autofree char *own = g_strndup(line, strcspn(line, "\n"));
    return strchr(own, ' ')[1] == 'r' && !strstr(own, "[v");
}

// The stack as it was, and all else as it is; nothing that is mapped nowhere.
static size_t read_self(uint64_t va, void *ret, size_t length, void *data)
{
    uint64_t start, end;
    if (va >= thread.stack && va - thread.stack < thread.size) {
        length = MIN(length, thread.size - (va - thread.stack));
        memcpy(ret, stack + (va - thread.stack), length);
        return length;
    }
    for (const char *line = maps; *line; line = strchrnul(line, '\n'), line += *line == '\n')
        if (sscanf(line, "%lx-%lx r", &start, &end) == 2 && va >= start && va < end && is_readable(line)) {
            length = MIN(length, end - va);
            memcpy(ret, (void *)va, length);
            return length;
        }
    return 0;
}

static const RwSymbolsMemory memory = {read_self, NULL};

static size_t find_frame(RwSymbols *symbols, const RwSymbolsFiles *files, const RwSymbolsFrame *frames,
                         size_t n, const char *function)
{
    for (size_t i = 0; i < n; i++) {
        g_auto(RwSymbol) symbol = {0};
        rw_symbols_find(symbols, maps, frames[i].at, files, &symbol);
        if (symbol.function && g_str_has_prefix(symbol.function, function))
            return i;
    }
    return n;
}

static const RwVariable *find(const GPtrArray *variables, const char *name)
{
    for (guint i = 0; i < variables->len; i++)
        if (!strcmp(((RwVariable *)variables->pdata[i])->name, name))
            return variables->pdata[i];
    return NULL;
}

// "TYPE|VALUE", with ? and * as in patterns of files. Optimized, it may also be gone.
static void is(const GPtrArray *variables, const char *name, const char *pattern)
{
    const RwVariable *variable = find(variables, name);
    g_autofree char *got =
        variable ? g_strdup_printf("%s|%s", variable->type, variable->value) : g_strdup("nothing");
    bool good = g_pattern_match_simple(pattern, got);
#ifdef __OPTIMIZE__
    good = good || !variable || g_str_has_prefix(variable->value, "<");
#endif
    if (!good)
        printf("# %s: wanted %s, got %s\n", name, pattern, got);
    ok(good, name);
}

static void test_inner(const GPtrArray *v)
{
    is(v, "count", "int|3");
    is(v, "text", "const char ?|0x* \"some ??text??\"");
    is(v, "pair", "struct pair ?|0x*");
    is(v, "weight", "double|2.5");
    is(v, "colour", "Colour|GREEN");
    is(v, "traits", "Traits|(SMALL | HEAVY)");
    is(v, "buffer", "char [32]|\"abc\", '?000' <repeats 28 times>");
    is(v, "numbers", "int [4]|{1, -2, 3, 4}");
    is(v, "many", "long int [50]|{7, 0 <repeats 49 times>}");
    is(v, "both", "union both|{number = 1094861636, letters = \"DCBA\"}");
    is(v, "function", "*|0x* <consume>");
    is(v, "yes", "*|true");
    is(v, "byte", "unsigned char|113 'q'");
    is(v, "none", "struct pair ?|0x0");
    is(v, "nested", "int|6");
    ok(!find(v, "later"), "one that comes later is not there");
    const RwVariable *first = v->len ? v->pdata[0] : NULL, *last = v->len ? v->pdata[v->len - 1] : NULL;
    ok(first && first->argument && last && !last->argument, "arguments come first");
}

static void test_outermost(const GPtrArray *v)
{
    is(v, "argument", "int|3");
    is(v, "own", "volatile int|43");
    is(v, "pair", "struct pair|{x = 6, y = 5, z = 300, inner = {tag = 116 't', next = 0x*}}");
    is(v, "doubled", "int|6");
    is(v, "seed", "int|3");
    const RwVariable *put = find(v, "doubled");
    ok(put && put->function && !strcmp(put->function, "put_into"), "a function that was put into it");
    const RwVariable *own = find(v, "own");
    ok(own && !own->function, "and its own");
}

static void test_sound(void)
{
    SelfFiles files = {0};
    RwSymbolsFiles guest = {self_dup_path, self_read_file, &files};
    RwSymbolsFrame frames[FRAMES_MAX];
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    size_t n = rw_symbols_frames(symbols, maps, &thread, &guest, frames, FRAMES_MAX);
    size_t at = find_frame(symbols, &guest, frames, n, "inner"),
           up = find_frame(symbols, &guest, frames, n, "outermost");
    ok(at < n && up == at + 1, "frames");
    if (at >= n || up >= n)
        return;
    g_autoptr(GPtrArray) variables = rw_symbols_variables(symbols, maps, &guest, &memory, frames, n, at);
    test_inner(variables);
    g_autoptr(GPtrArray) more = rw_symbols_variables(symbols, maps, &guest, &memory, frames, n, up);
    test_outermost(more);
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

static unsigned look(const SelfFiles *files)
{
    unsigned known = 0;
    RwSymbolsFiles guest = {self_dup_path, self_read_file, (void *)files};
    RwSymbolsFrame frames[FRAMES_MAX];
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    size_t n = rw_symbols_frames(symbols, maps, &thread, &guest, frames, FRAMES_MAX);
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GPtrArray) variables = rw_symbols_variables(symbols, maps, &guest, &memory, frames, n, i);
        for (guint v = 0; v < variables->len; v++) {
            const RwVariable *variable = variables->pdata[v];
            known++;
            if (!g_utf8_validate(variable->value, -1, NULL) || strlen(variable->value) > 8000)
                abort();
        }
    }
    return known;
}

static void test_damaged(void)
{
    g_autofree char *path = g_file_read_link("/proc/self/exe", NULL), *bytes = NULL;
    gsize size;
    unsigned known = 0;
    if (!g_file_get_contents(path, &bytes, &size, NULL)) {
        ok(false, "this program's own file");
        return;
    }
    for (int n = 0; n < DAMAGED; n++) {
        char *damaged = g_memdup2(bytes, size);
        for (uint64_t k = draw(30); k > 0; k--) // debug information is the better part of it
            damaged[size / 4 + draw(size - size / 4)] = (char)(draw(3) ? draw(256) : 0xff * draw(2));
        SelfFiles files = {g_bytes_new_take(damaged, size), path};
        known += look(&files);
        g_bytes_unref(files.self);
    }
    printf("# %u values of damaged files\n", known);
    ok(known > 0, "damaged debug information");
}

int main(void)
{
    unsigned long start, end;
    if (!g_file_get_contents("/proc/self/maps", &maps, NULL, NULL))
        return 1;
    for (const char *line = maps; *line; line = strchrnul(line, '\n'), line += *line == '\n')
        if (sscanf(line, "%lx-%lx", &start, &end) == 2 && (uint64_t)&start >= start &&
            (uint64_t)&start < end)
            stack_end = end;
    if (outermost(3) <= 0)
        return 1;
    test_sound();
    test_damaged();
    g_free(maps);
    printf("1..%u\n", tests);
    return failures != 0;
}
