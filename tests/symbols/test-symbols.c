// SPDX-License-Identifier: MIT
// Asks where addresses are, of files of the host in place of a guest's.
//
//   test-symbols find MAPS ROOT ADDRESS…     a line for each: path+offset function+offset file:line text
//   test-symbols host MAPS ROOT ADDRESS…     the same, also with debug information that ROOT has not; what
//                                            of it is missing, and the advice
//   test-symbols damage N SEED FILE ROOT     damages FILE in N ways: whatever is answered, nothing breaks
//   test-symbols maps                        texts of /proc/PID/maps, sound and not
#include "rw-debuginfo.h"
#include "symbols-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- find ----

static GBytes *read_host(const char *path, size_t max, void *root)
{
    g_autofree char *where = g_strconcat(root, path, NULL);
    g_autofree char *text = NULL;
    gsize length;
    if (!g_file_get_contents(where, &text, &length, NULL))
        return NULL;
    return g_bytes_new(text, MIN(length, max));
}

// Nothing changes while it is asked.
static char *dup_path(const char *path, void *data)
{
    (void)data;
    return g_strdup(path);
}

static void print_missing(const RwSymbols *symbols, const RwSymbol *symbol)
{
    const RwSymbolsElsewhere *elsewhere = rw_symbols_get_elsewhere(symbols);
    g_autofree char *advice = elsewhere ? elsewhere->dup_advice(elsewhere->data) : NULL;
    if (advice && symbol->undebugged)
        printf("%s: %s\n", symbol->undebugged, advice);
}

static int find(char **argv, RwSymbols *of)
{
    g_autofree char *maps = NULL;
    g_autoptr(RwSymbols) symbols = of;
    if (!g_file_get_contents(argv[0], &maps, NULL, NULL))
        return 2;
    RwSymbolsFiles files = {dup_path, read_host, argv[1]};
    for (char **address = argv + 2; *address; address++) {
        g_auto(RwSymbol) s = {0};
        rw_symbols_find(symbols, maps, g_ascii_strtoull(*address, NULL, 16), &files, &s);
        printf("%s+0x%" G_GINT64_MODIFIER "x %s+%" G_GUINT64_FORMAT " %s:%u %s\n", s.path ? s.path : "?",
               s.offset, s.function ? s.function : "?", s.function_offset, s.file ? s.file : "?", s.line,
               s.text ? s.text : "?");
        print_missing(symbols, &s);
    }
    return 0;
}

// Each function of the source there, and where it is in it.
static int all(char **argv)
{
    g_autofree char *maps = NULL;
    if (!g_file_get_contents(argv[0], &maps, NULL, NULL))
        return 2;
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    RwSymbolsFiles files = {dup_path, read_host, argv[1]};
    g_autoptr(GPtrArray) found =
        rw_symbols_find_all(symbols, maps, g_ascii_strtoull(argv[2], NULL, 16), &files);
    for (guint i = 0; i < found->len; i++) {
        const RwSymbol *s = found->pdata[i];
        printf("%s %s:%u %s\n",
               s->inlined    ? s->inlined
               : s->function ? s->function
                             : "?",
               s->file ? s->file : "?", s->line, s->text ? s->text : "?");
    }
    return 0;
}

// ---- damage ----

typedef struct {
    uint64_t state;
    const char *original;
    size_t size;
    GBytes *damaged;
    char *root;
} Damage;

static uint64_t draw(Damage *damage, uint64_t n)
{
    damage->state ^= damage->state << 13;
    damage->state ^= damage->state >> 7;
    damage->state ^= damage->state << 17;
    return damage->state % n;
}

static GBytes *read_damaged(const char *path, size_t max, void *data)
{
    Damage *damage = data;
    if (strcmp(path, "/damaged"))
        return read_host(path, max, damage->root);
    return g_bytes_new_from_bytes(damage->damaged, 0, MIN(max, g_bytes_get_size(damage->damaged)));
}

// Most bytes that matter are in the last third: debug information, names, headers of sections.
static size_t place(Damage *damage, size_t size)
{
    switch (draw(damage, 4)) {
    case 0:
        return draw(damage, MIN(size, 1024));
    case 1:
        return size - 1 - draw(damage, MIN(size, 2600));
    default:
        return draw(damage, size);
    }
}

// In memory of its own, so that a sanitizer sees the end of it.
static void make_damaged(Damage *damage)
{
    static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe};
    size_t size = draw(damage, 5) ? damage->size : 64 + draw(damage, damage->size - 64);
    char *bytes = g_memdup2(damage->original, size);
    for (uint64_t n = 1 + draw(damage, 6); n > 0; n--)
        bytes[place(damage, size)] =
            (char)(draw(damage, 2) ? odd[draw(damage, sizeof odd)] : draw(damage, 256));
    damage->damaged = g_bytes_new_take(bytes, size);
}

// As a loader that trusts the sound file maps it.
static char *maps_of(const char *bytes)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
    const Elf64_Phdr *p = (const Elf64_Phdr *)(bytes + header->e_phoff);
    GString *maps = g_string_new(NULL);
    for (int i = 0; i < header->e_phnum; i++) {
        uint64_t at = p[i].p_vaddr & ~4095ull;
        if (p[i].p_type == PT_LOAD)
            g_string_append_printf(maps, "%lx-%lx r-%cp %08lx 00:13 77   /damaged\n", (long)at,
                                   (long)((p[i].p_vaddr + p[i].p_filesz + 4095) & ~4095ull),
                                   p[i].p_flags & PF_X ? 'x' : '-', (long)(p[i].p_offset & ~4095ull));
    }
    return g_string_free(maps, FALSE);
}

static unsigned ask(Damage *damage, const char *maps, uint64_t from, uint64_t step)
{
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    RwSymbolsFiles files = {dup_path, read_damaged, damage};
    unsigned known = 0;
    for (int i = 0; i < 60; i++) {
        g_autoptr(GPtrArray) found = rw_symbols_find_all(symbols, maps, from + (uint64_t)i * step, &files);
        const RwSymbol *s = found->pdata[0], *last = found->pdata[found->len - 1];
        known += s->line != 0;
        if ((s->file && (!g_utf8_validate(s->file, -1, NULL) || !s->line)) ||
            (last->inlined && !g_utf8_validate(last->inlined, -1, NULL)))
            abort();
    }
    return known;
}

static int damage(char **argv)
{
    g_autofree char *original = NULL;
    Damage damage = {.state = strtoull(argv[1], NULL, 10) * 88172645463325252ull + 1, .root = argv[3]};
    if (!g_file_get_contents(argv[2], &original, &damage.size, NULL) || damage.size < 4096)
        return 2;
    damage.original = original;
    g_autofree char *maps = maps_of(original);
    uint64_t entry = ((const Elf64_Ehdr *)original)->e_entry & ~63ull;
    unsigned known = 0, asked = 0;
    for (int n = atoi(argv[0]); n > 0; n--) {
        make_damaged(&damage);
        known += ask(&damage, maps, entry, 13) > 0;
        asked++;
        g_bytes_unref(damage.damaged);
    }
    printf("# %u of %u damaged files told a line\n", known, asked);
    return known == 0;
}

// ---- maps ----

static int failures;

static void maps(const char *text, uint64_t va, const char *path, uint64_t offset, bool is_file)
{
    RwMapping mapping = {0};
    bool found = rw_maps_find(text, va, &mapping);
    bool good = found == (offset != UINT64_MAX);
    if (found)
        good = good && !g_strcmp0(path, mapping.path) && mapping.offset == offset &&
               mapping.is_file == is_file;
    if (!good)
        printf("# 0x%" G_GINT64_MODIFIER "x in %s\n# is %s+0x%" G_GINT64_MODIFIER "x\n", va, text,
               mapping.path ? mapping.path : "nothing", mapping.offset);
    failures += !good;
    g_free(mapping.path);
}

static void rights(const char *text, uint64_t va, const char *wanted, bool is_behind)
{
    RwMapping mapping = {0};
    bool good = rw_maps_find(text, va, &mapping) && mapping.readable == (wanted[0] == 'r') &&
                mapping.writable == (wanted[1] == 'w') && mapping.executable == (wanted[2] == 'x') &&
                mapping.is_behind == is_behind;
    if (!good)
        printf("# 0x%" G_GINT64_MODIFIER "x is not %s\n", va, wanted);
    failures += !good;
    g_free(mapping.path);
}

static int test_maps(void)
{
    const char *sound = "00400000-00401000 r--p 00000000 00:14 70      /bin/a b\n"
                        "00401000-00402000 r-xp 00001000 00:14 70      /bin/a b\n"
                        "00403000-00404000 rw-p 00002000 00:14 70      /bin/a b\n"
                        "00404000-00406000 rw-p 00000000 00:00 0 \n"
                        "00406000-00407000 rw-p 00000000 00:00 0       [heap]\n"
                        "00407000-00408000 rw-p 00000000 00:00 0\n"
                        "00500000-00501000 r-xp 00000000 00:14 71      /bin/gone (deleted)\n"
                        "00501000-00502000 rw-p 00000000 00:00 0\n"
                        "00600000-00601000 r-xp 00000000 00:14 72      /bin/two\\012lines\n"
                        "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]";
    maps(sound, 0x400000, "/bin/a b", 0, true);
    maps(sound, 0x401fff, "/bin/a b", 0x1fff, true);
    maps(sound, 0x402000, NULL, UINT64_MAX, false);
    maps(sound, 0x404010, "/bin/a b", 0x3010, true); // zeroed variables
    maps(sound, 0x406010, "[heap]", 0x10, false);
    maps(sound, 0x407010, NULL, 0x10, false);
    maps(sound, 0x500010, "/bin/gone (deleted)", 0x10, false);
    maps(sound, 0x501010, NULL, 0x10, false);
    maps(sound, 0x600000, "/bin/two\nlines", 0, true);
    maps(sound, 0xffffffffff600001, "[vsyscall]", 1, false);
    maps(sound, 0, NULL, UINT64_MAX, false);
    rights(sound, 0x400000, "r--", false);
    rights(sound, 0x401000, "r-x", false);
    rights(sound, 0x404000, "rw-", true);
    rights(sound, 0x406000, "rw-", false);
    rights(sound, 0x501000, "rw-", false);
    const char *unsound[] = {"",
                             "\n",
                             "400000-401000",
                             "400000-401000 r-xp",
                             "400000-40",
                             "x-y z",
                             "400000-401000 r-xp 0 0:0",
                             "401000-400000 r-xp 0 0:0 0 /a",
                             "400000-401000 "};
    for (size_t i = 0; i < G_N_ELEMENTS(unsound); i++)
        maps(unsound[i], 0x400800, NULL, UINT64_MAX, false);
    return failures != 0;
}

int main(int argc, char **argv)
{
    if (argc > 4 && !strcmp(argv[1], "find"))
        return find(argv + 2, rw_symbols_new(NULL));
    if (argc > 4 && !strcmp(argv[1], "host"))
        return find(argv + 2, rw_debuginfo_symbols_new(NULL));
    if (argc == 5 && !strcmp(argv[1], "all"))
        return all(argv + 2);
    if (argc == 6 && !strcmp(argv[1], "damage"))
        return damage(argv + 2);
    return argc == 2 && !strcmp(argv[1], "maps") ? test_maps() : 2;
}
