// SPDX-License-Identifier: MIT
//
// Lines by libdw, over bytes. It would look on the host for files that the debug information names, so it
// is never let come to that: what is shared with other files is given to it, and nothing else is asked for.
#include "symbols-private.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <string.h>

#define SECTIONS_MAX (2ull << 30) // bytes of all sections, decompressed
#define UNITS_MAX 200000u
#define RANGES_MAX 2000000u
#define NEAR 16u // ranges of units that are looked at for one address
#define PROGRAM_MAX (8u << 20) // bytes of the line program of one unit

typedef struct {
    uint64_t start, end;
    Dwarf_Off unit; // its die
} Range;

typedef struct {
    GBytes *bytes;
    Elf *elf;
    Dwarf *dwarf;
} Dwarves;

struct _RwLines {
    Dwarves own, alternative;
    GArray *ranges; // of Range, by start
    Elf_Data *programs; // .debug_line
};

// ---- Opening ----

static uint64_t decompressed_size(Elf *elf, Elf_Scn *section, const char *name, const GElf_Shdr *header)
{
    bool old = name && g_str_has_prefix(name, ".zdebug");
    if (!old && !(header->sh_flags & SHF_COMPRESSED))
        return 0;
    // Not elf_getdata(): what was once given compressed would be given so again.
    Elf_Data *data = elf_rawdata(section, NULL);
    uint64_t size;
    if (!data || !data->d_buf || data->d_size < sizeof(Elf64_Chdr))
        return 0;
    memcpy(&size, (const char *)data->d_buf + (old ? 4 : offsetof(Elf64_Chdr, ch_size)), sizeof size);
    return old ? GUINT64_FROM_BE(size) : size;
}

// Of all sections that are compressed.
static bool sum_sizes(Elf *elf, uint64_t *ret_sum)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t names;
    *ret_sum = 0;
    if (elf_getshdrstrndx(elf, &names))
        return false;
    while ((section = elf_nextscn(elf, section))) {
        if (!gelf_getshdr(section, &header))
            return false;
        uint64_t size = decompressed_size(elf, section, elf_strptr(elf, names, header.sh_name), &header);
        *ret_sum += MIN(size, SECTIONS_MAX + 1);
        if (*ret_sum > SECTIONS_MAX)
            return false;
    }
    return true;
}

static void close_dwarves(Dwarves *dwarves)
{
    if (dwarves->dwarf)
        dwarf_end(dwarves->dwarf);
    elf_end(dwarves->elf);
    g_clear_pointer(&dwarves->bytes, g_bytes_unref);
    *dwarves = (Dwarves){0};
}

// libelf changes the headers of what it decompresses, where they are.
static bool open_dwarves(Dwarves *dwarves, GBytes *bytes)
{
    size_t size;
    const char *data = g_bytes_get_data(bytes, &size);
    uint64_t sum = 0;
    if (size < sizeof(Elf64_Ehdr) || memcmp(data, ELFMAG, SELFMAG))
        return false;
    dwarves->bytes = g_bytes_ref(bytes);
    dwarves->elf = elf_memory((char *)data, size);
    if (!dwarves->elf || !sum_sizes(dwarves->elf, &sum))
        return false;
    if (sum) {
        elf_end(dwarves->elf);
        g_bytes_unref(dwarves->bytes);
        dwarves->bytes = g_bytes_new(data, size);
        dwarves->elf = elf_memory((char *)g_bytes_get_data(dwarves->bytes, NULL), size);
    }
    dwarves->dwarf = dwarves->elf ? dwarf_begin_elf(dwarves->elf, DWARF_C_READ, NULL) : NULL;
    return dwarves->dwarf != NULL;
}

// As libdw finds it.
static ssize_t named_alternative(const Dwarves *dwarves, const char **ret_path, char **ret_build_id)
{
    const void *build_id;
    ssize_t length = dwelf_dwarf_gnu_debugaltlink(dwarves->dwarf, ret_path, &build_id);
    *ret_build_id = length > 0 ? rw_build_id_text(build_id, (size_t)length) : NULL;
    return length;
}

// Without it libdw would look for it where it is named.
static bool set_alternative(RwLines *lines, RwAlternative find, void *data)
{
    const char *path;
    g_autofree char *build_id = NULL, *none = NULL;
    ssize_t length = named_alternative(&lines->own, &path, &build_id);
    if (length <= 0)
        return length == 0;
    g_autoptr(GBytes) bytes = find(path, build_id, data);
    if (!bytes || !open_dwarves(&lines->alternative, bytes) ||
        named_alternative(&lines->alternative, &path, &none))
        return false;
    dwarf_setalt(lines->own.dwarf, lines->alternative.dwarf);
    return true;
}

// After libdw has decompressed it.
static Elf_Data *find_programs(Elf *elf)
{
    size_t names;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && (!strcmp(name, ".debug_line") || !strcmp(name, ".zdebug_line")))
            return elf_getdata(section, NULL);
    }
    return NULL;
}

// ---- Units ----

static bool add_ranges(RwLines *lines, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        Range range = {start, end, dwarf_dieoffset(die)};
        if (lines->ranges->len >= RANGES_MAX)
            return false;
        if (start < end)
            g_array_append_val(lines->ranges, range);
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void load_units(RwLines *lines)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    for (unsigned n = 0; n < UNITS_MAX; n++)
        if (dwarf_get_units(lines->own.dwarf, unit, &unit, NULL, NULL, &die, NULL) ||
            !add_ranges(lines, &die))
            break;
    g_array_sort(lines->ranges, compare);
}

RwLines *rw_lines_new(GBytes *object, RwAlternative find, void *data)
{
    RwLines *lines = g_new0(RwLines, 1);
    lines->ranges = g_array_new(false, false, sizeof(Range));
    bool good = open_dwarves(&lines->own, object) && set_alternative(lines, find, data);
    if (good)
        lines->programs = find_programs(lines->own.elf);
    if (lines->programs)
        load_units(lines);
    if (lines->ranges->len)
        return lines;
    rw_lines_free(lines);
    return NULL;
}

void rw_lines_free(RwLines *lines)
{
    if (!lines)
        return;
    close_dwarves(&lines->own);
    close_dwarves(&lines->alternative);
    g_array_unref(lines->ranges);
    g_free(lines);
}

// ---- One address ----

// The line program of a unit is run as a whole: not one that never ends.
static bool is_short(const RwLines *lines, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word at;
    uint32_t length;
    if (!dwarf_attr(die, DW_AT_stmt_list, &attribute) || dwarf_formudata(&attribute, &at) ||
        lines->programs->d_size < sizeof length || at > lines->programs->d_size - sizeof length)
        return false;
    memcpy(&length, (const char *)lines->programs->d_buf + at, sizeof length);
    return length <= PROGRAM_MAX; // what has a length of 64 bits says 0xffffffff here
}

// From the directory in which the compiler was run.
static char *whole_path(Dwarf_Die *die, const char *file)
{
    Dwarf_Attribute attribute;
    const char *folder = dwarf_attr(die, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
    if (file[0] != '/' && (!folder || folder[0] != '/'))
        return g_strdup(file);
    return g_canonicalize_filename(file, file[0] == '/' ? "/" : folder);
}

static bool in_unit(RwLines *lines, Dwarf_Off unit, uint64_t address, char **ret_file, uint32_t *ret_line)
{
    Dwarf_Die die;
    int number = 0;
    if (!dwarf_offdie(lines->own.dwarf, unit, &die) || !is_short(lines, &die))
        return false;
    Dwarf_Line *line = dwarf_getsrc_die(&die, address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!file || !*file || dwarf_lineno(line, &number) || number <= 0)
        return false;
    g_autofree char *path = whole_path(&die, file);
    *ret_file = g_utf8_make_valid(path, -1);
    *ret_line = (uint32_t)number;
    return true;
}

bool rw_lines_of_call(RwLines *lines, Dwarf_Die *inlined, char **ret_file, uint32_t *ret_line)
{
    Dwarf_Die unit;
    Dwarf_Attribute attribute;
    Dwarf_Word file_number, line;
    Dwarf_Files *files;
    size_t n;
    if (!dwarf_attr(inlined, DW_AT_call_file, &attribute) || dwarf_formudata(&attribute, &file_number) ||
        !dwarf_attr(inlined, DW_AT_call_line, &attribute) || dwarf_formudata(&attribute, &line) || !line ||
        line > INT32_MAX || !dwarf_diecu(inlined, &unit, NULL, NULL) || !is_short(lines, &unit) ||
        dwarf_getsrcfiles(&unit, &files, &n) || file_number >= n)
        return false;
    const char *file = dwarf_filesrc(files, file_number, NULL, NULL);
    if (!file || !*file)
        return false;
    g_autofree char *path = whole_path(&unit, file);
    *ret_file = g_utf8_make_valid(path, -1);
    *ret_line = (uint32_t)line;
    return true;
}

static bool each_of_unit(Dwarf_Die *die, bool (*each)(const char *path, void *data), void *data)
{
    Dwarf_Files *files;
    size_t n;
    if (dwarf_getsrcfiles(die, &files, &n))
        return true;
    for (size_t i = 0; i < n; i++) {
        const char *file = dwarf_filesrc(files, i, NULL, NULL);
        g_autofree char *path = file && *file ? whole_path(die, file) : NULL;
        if (path && !each(path, data))
            return false;
    }
    return true;
}

void rw_lines_each_source(RwLines *lines, bool (*each)(const char *path, void *data), void *data)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < lines->ranges->len; i++) {
        Dwarf_Off unit = g_array_index(lines->ranges, Range, i).unit;
        Dwarf_Die die;
        if (g_hash_table_add(seen, GSIZE_TO_POINTER(unit)) && dwarf_offdie(lines->own.dwarf, unit, &die) &&
            is_short(lines, &die) && !each_of_unit(&die, each, data))
            return;
    }
}

// The units that may have an address begin below the one that is returned, the nearest one last.
static unsigned first_behind(const RwLines *lines, uint64_t address)
{
    unsigned low = 0, high = lines->ranges->len;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (g_array_index(lines->ranges, Range, middle).start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return high;
}

bool rw_lines_find(RwLines *lines, uint64_t address, char **ret_file, uint32_t *ret_line)
{
    unsigned high = first_behind(lines, address);
    for (unsigned i = high; i > 0 && high - i < NEAR; i--) {
        const Range *range = &g_array_index(lines->ranges, Range, i - 1);
        if (address < range->end && in_unit(lines, range->unit, address, ret_file, ret_line))
            return true;
    }
    return false;
}

bool rw_lines_unit(RwLines *lines, unsigned nth, uint64_t address, Dwarf_Die *ret)
{
    unsigned high = first_behind(lines, address);
    for (unsigned i = high; i > 0 && high - i < NEAR; i--) {
        const Range *range = &g_array_index(lines->ranges, Range, i - 1);
        if (address < range->end && nth-- == 0)
            return dwarf_offdie(lines->own.dwarf, range->unit, ret);
    }
    return false;
}

bool rw_lines_next_unit(RwLines *lines, Dwarf_CU **unit, Dwarf_Die *ret)
{
    return !dwarf_get_units(lines->own.dwarf, *unit, unit, NULL, NULL, ret, NULL);
}
