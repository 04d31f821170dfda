// SPDX-License-Identifier: MIT
//
// What a debugger is to know of the guest's kernel: an ELF file with its symbols and nothing else, made of
// what the guest itself says in /proc/kallsyms. That is not trusted.
#include "world-private.h"

#include "rw-inspect.h"

#include <elf.h>

#define KALLSYMS_MAX (64u << 20)
#define SYMBOLS_MAX 1000000u
#define TEXT_END (1ull << 30) // bytes behind the first symbol that code may lie in

typedef struct {
    GArray *symbols; // of Elf64_Sym
    GByteArray *strings;
    uint64_t first, last; // addresses of code
} Table;

enum { SECTION_TEXT = 1, SECTION_SYMBOLS, SECTION_STRINGS, SECTION_NAMES, N_SECTIONS };
static const char names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
enum { NAME_TEXT = 1, NAME_SYMBOLS = 7, NAME_STRINGS = 15, NAME_NAMES = 23 };

// ADDRESS TYPE NAME [MODULE], of code only: what data is there has no type to be printed by.
static void take_line(Table *table, const char *line)
{
    char *at;
    uint64_t address = g_ascii_strtoull(line, &at, 16);
    if (at == line || at[0] != ' ' || !at[1] || !strchr("tTwW", at[1]) || at[2] != ' ' ||
        address >> 63 == 0 || table->symbols->len >= SYMBOLS_MAX)
        return;
    const char *name = at + 3;
    size_t length = strcspn(name, " \t\r");
    Elf64_Sym symbol = {.st_name = table->strings->len, .st_value = address, .st_shndx = SECTION_TEXT};
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    g_array_append_val(table->symbols, symbol);
    rw_put_bytes(table->strings, name, length);
    rw_put_bytes(table->strings, "", 1);
    table->first = MIN(table->first, address);
    table->last = MAX(table->last, address);
}

static void put_section(GByteArray *out, const Elf64_Shdr *section)
{
    rw_put_bytes(out, section, sizeof *section);
}

static GBytes *make_elf(const Table *table)
{
    GByteArray *out = g_byte_array_new();
    uint64_t symbols = table->symbols->len * sizeof(Elf64_Sym), at = sizeof(Elf64_Ehdr);
    uint64_t size = MIN(table->last - table->first, TEXT_END) + 4096;
    Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof head,
        .e_shoff = at + symbols + table->strings->len + sizeof names,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = N_SECTIONS,
        .e_shstrndx = SECTION_NAMES,
    };
    rw_put_bytes(out, &head, sizeof head);
    rw_put_bytes(out, table->symbols->data, symbols);
    rw_put_bytes(out, table->strings->data, table->strings->len);
    rw_put_bytes(out, names, sizeof names);
    put_section(out, &(Elf64_Shdr){0});
    put_section(out, &(Elf64_Shdr){.sh_name = NAME_TEXT,
                                   .sh_type = SHT_NOBITS,
                                   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                   .sh_addr = table->first,
                                   .sh_size = size,
                                   .sh_addralign = 1});
    put_section(out, &(Elf64_Shdr){.sh_name = NAME_SYMBOLS,
                                   .sh_type = SHT_SYMTAB,
                                   .sh_offset = at,
                                   .sh_size = symbols,
                                   .sh_link = SECTION_STRINGS,
                                   .sh_info = 1,
                                   .sh_addralign = 8,
                                   .sh_entsize = sizeof(Elf64_Sym)});
    put_section(out, &(Elf64_Shdr){.sh_name = NAME_STRINGS,
                                   .sh_type = SHT_STRTAB,
                                   .sh_offset = at + symbols,
                                   .sh_size = table->strings->len,
                                   .sh_addralign = 1});
    put_section(out, &(Elf64_Shdr){.sh_name = NAME_NAMES,
                                   .sh_type = SHT_STRTAB,
                                   .sh_offset = at + symbols + table->strings->len,
                                   .sh_size = sizeof names,
                                   .sh_addralign = 1});
    return g_byte_array_free_to_bytes(out);
}

GBytes *gdb_kernel_elf(const char *kallsyms)
{
    Table table = {.symbols = g_array_new(false, true, sizeof(Elf64_Sym)),
                   .strings = g_byte_array_new(),
                   .first = UINT64_MAX};
    g_array_set_size(table.symbols, 1);
    rw_put_bytes(table.strings, "", 1);
    g_auto(GStrv) lines = g_strsplit(kallsyms, "\n", -1);
    for (char **line = lines; *line; line++)
        take_line(&table, *line);
    GBytes *elf = table.symbols->len > 1 ? make_elf(&table) : NULL;
    g_array_unref(table.symbols);
    g_byte_array_unref(table.strings);
    return elf;
}

GBytes *rw_gdb_kernel_symbols(RwGdb *g, GError **error)
{
    RwMachine *agent = gdb_agent(g, error);
    g_autoptr(GBytes) text = agent ? rw_inspect_read(agent, &(RwInspectPath){.path = "/proc/kallsyms"},
                                                     KALLSYMS_MAX, NULL, error)
                                   : NULL;
    if (!text)
        return NULL;
    g_autofree char *copy = g_strndup(g_bytes_get_data(text, NULL), g_bytes_get_size(text));
    GBytes *elf = gdb_kernel_elf(copy);
    if (!elf)
        g_set_error_literal(error, RW_ERROR, RW_ERROR_GUEST, "the guest's kernel tells no symbols");
    return elf;
}
