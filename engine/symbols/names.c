// SPDX-License-Identifier: MIT
#include "symbols-private.h"

#include <string.h>

#define NAMES_MAX 4000000u
#define NAME_MAX_LENGTH 1024u

// Of one that has several names: with a size, with fewer underscores, global.
static uint8_t rank_of(const GElf_Sym *symbol, const char *name)
{
    static const uint8_t of_binding[16] = {[STB_LOCAL] = 2, [STB_GLOBAL] = 0, [STB_WEAK] = 1};
    uint8_t rank = (uint8_t)(4 * MIN(strspn(name, "_"), 15u));
    rank += of_binding[GELF_ST_BIND(symbol->st_info)];
    return symbol->st_size ? rank : rank + 64;
}

static bool is_wanted(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC) &&
           symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS;
}

// Where the section ends that it is in.
static uint64_t section_end(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr header;
    Elf_Scn *section = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;
    if (!section || !gelf_getshdr(section, &header) || symbol->st_value < header.sh_addr ||
        symbol->st_value - header.sh_addr >= header.sh_size)
        return symbol->st_value;
    return header.sh_addr + header.sh_size;
}

static void add_symbol(RwObject *object, const GElf_Sym *symbol, size_t strings)
{
    const char *text = elf_strptr(object->elf, strings, symbol->st_name);
    if (!text || !*text || strnlen(text, NAME_MAX_LENGTH + 1) > NAME_MAX_LENGTH)
        return;
    RwName name = {symbol->st_value, symbol->st_value + symbol->st_size, text, rank_of(symbol, text)};
    if (!symbol->st_size)
        name.end = section_end(object->elf, symbol);
    if (name.start < name.end)
        g_array_append_val(object->names, name);
}

// elf_strptr() would look for the end of each string again and again.
static bool ends_with_nul(Elf *elf, size_t strings)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, strings);
    if (!section || !gelf_getshdr(section, &header) || header.sh_flags & SHF_COMPRESSED)
        return false;
    Elf_Data *data = elf_getdata(section, NULL);
    return data && data->d_buf && data->d_size && !((const char *)data->d_buf)[data->d_size - 1];
}

static void add_table(RwObject *object, Elf_Scn *section, size_t strings)
{
    Elf_Data *data = ends_with_nul(object->elf, strings) ? elf_getdata(section, NULL) : NULL;
    size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
    for (size_t i = 0; i < MIN(n, NAMES_MAX); i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) && is_wanted(&symbol))
            add_symbol(object, &symbol, strings);
    }
}

static int compare(const void *a, const void *b)
{
    const RwName *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->rank != y->rank ? (int)x->rank - (int)y->rank : strcmp(x->text, y->text);
}

// Leaves the best name of each address.
static void keep_best(GArray *names)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < names->len; i++) {
        RwName *name = &g_array_index(names, RwName, i);
        if (!kept || g_array_index(names, RwName, kept - 1).start != name->start)
            g_array_index(names, RwName, kept++) = *name;
    }
    g_array_set_size(names, kept);
}

static Elf_Scn *section_of(Elf *elf, uint32_t type, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, header) && header->sh_type == type)
            break;
    return section;
}

// .symtab has all, .dynsym only those that others link with.
void rw_names_load(RwObject *object)
{
    GElf_Shdr header;
    Elf_Scn *section = section_of(object->elf, SHT_SYMTAB, &header);
    if (section)
        add_table(object, section, header.sh_link);
    object->has_all_names = object->names->len > 0;
    section = object->has_all_names ? NULL : section_of(object->elf, SHT_DYNSYM, &header);
    if (section)
        add_table(object, section, header.sh_link);
    g_array_sort(object->names, compare);
    keep_best(object->names);
}

const RwName *rw_names_find(const RwObject *object, const char *name)
{
    for (unsigned i = 0; i < object->names->len; i++) {
        const RwName *one = &g_array_index(object->names, RwName, i);
        if (!strcmp(one->text, name))
            return one;
    }
    return NULL;
}

const RwName *rw_names_at(const RwObject *object, uint64_t address)
{
    unsigned low = 0, high = object->names->len; // the last that starts at or before it is below `high`
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (g_array_index(object->names, RwName, middle).start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    // One may lie in another.
    for (unsigned i = high; i > 0 && high - i < 16; i--) {
        const RwName *name = &g_array_index(object->names, RwName, i - 1);
        if (address < name->end)
            return name;
    }
    return NULL;
}
