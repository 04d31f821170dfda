// SPDX-License-Identifier: MIT
#include "symbols-private.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <string.h>
#include <zlib.h>

#define PAGE 4096ull
#define FRAMES_MAX (64u << 20) // bytes of .debug_frame

static bool is_for_this_machine(Elf *elf)
{
    GElf_Ehdr header;
    return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
           header.e_machine == EM_X86_64;
}

static void load_segments(RwObject *object)
{
    size_t n = 0;
    if (elf_getphdrnum(object->elf, &n))
        return;
    for (size_t i = 0; i < n && i < 4096; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(object->elf, (int)i, &p) || p.p_type != PT_LOAD)
            continue;
        RwLoad load = {p.p_offset, p.p_filesz, p.p_memsz, p.p_vaddr, p.p_flags & PF_X};
        // Sums that are made below cannot overflow.
        if ((p.p_offset | p.p_filesz | p.p_memsz) >> 62 == 0 && p.p_filesz <= p.p_memsz)
            g_array_append_val(object->loads, load);
    }
}

char *rw_build_id_text(const void *bytes, size_t length)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < length; i++)
        g_string_append_printf(text, "%02x", ((const uint8_t *)bytes)[i]);
    return g_string_free(text, false);
}

static char *build_id_of(Elf_Data *notes)
{
    GElf_Nhdr note;
    size_t name, text, at = 0;
    while (at < notes->d_size && (at = gelf_getnote(notes, at, &note, &name, &text)) > 0)
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            !memcmp((char *)notes->d_buf + name, "GNU", 4) && note.n_descsz >= 2 && note.n_descsz <= 64)
            return rw_build_id_text((char *)notes->d_buf + text, note.n_descsz);
    return NULL;
}

static char *find_build_id(Elf *elf)
{
    Elf_Scn *section = NULL;
    char *build_id = NULL;
    while (!build_id && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        Elf_Data *notes = NULL;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
            notes = elf_getdata(section, NULL);
        if (notes && notes->d_buf)
            build_id = build_id_of(notes);
    }
    return build_id;
}

static void load_debug_name(RwObject *object)
{
    GElf_Word crc;
    const char *name = dwelf_elf_gnu_debuglink(object->elf, &crc);
    if (!name || !*name || strchr(name, '/') || strnlen(name, NAME_MAX + 1) > NAME_MAX)
        return;
    object->debug_name = g_strdup(name);
    object->debug_crc = crc;
}

// ---- Sections ----

bool rw_object_section(const RwObject *object, const char *name, GElf_Shdr *ret)
{
    size_t names, size = g_bytes_get_size(object->bytes);
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(object->elf, &names))
        return false;
    while ((section = elf_nextscn(object->elf, section))) {
        const char *own = gelf_getshdr(section, ret) ? elf_strptr(object->elf, names, ret->sh_name) : NULL;
        if (own && !strcmp(own, name) && ret->sh_type != SHT_NOBITS)
            return ret->sh_offset <= size && ret->sh_size <= size - ret->sh_offset;
    }
    return false;
}

// Not by libelf, which would change the file's own headers.
static GBytes *decompress(const uint8_t *bytes, size_t size)
{
    Elf64_Chdr header;
    if (size < sizeof header)
        return NULL;
    memcpy(&header, bytes, sizeof header);
    uLongf length = header.ch_size;
    if (header.ch_type != ELFCOMPRESS_ZLIB || !length || length > FRAMES_MAX)
        return NULL;
    g_autofree uint8_t *out = g_malloc(length);
    if (uncompress(out, &length, bytes + sizeof header, size - sizeof header) != Z_OK ||
        length != header.ch_size)
        return NULL;
    return g_bytes_new_take(g_steal_pointer(&out), length);
}

static void load_debug_frame(RwObject *object)
{
    GElf_Shdr header;
    const uint8_t *bytes = g_bytes_get_data(object->bytes, NULL);
    if (!rw_object_section(object, ".debug_frame", &header))
        return;
    if (header.sh_flags & SHF_COMPRESSED)
        object->debug_frame = decompress(bytes + header.sh_offset, header.sh_size);
    else
        object->debug_frame = g_bytes_new_from_bytes(object->bytes, header.sh_offset, header.sh_size);
}

// ---- All of it ----

// NULL: it is none that can be used.
static Elf *open_elf(GBytes *bytes)
{
    size_t size;
    const char *data = g_bytes_get_data(bytes, &size);
    if (size < sizeof(Elf64_Ehdr) || memcmp(data, ELFMAG, SELFMAG))
        return NULL;
    Elf *elf = elf_memory((char *)data, size);
    if (elf && is_for_this_machine(elf))
        return elf;
    elf_end(elf);
    return NULL;
}

char *rw_object_dup_build_id(GBytes *bytes)
{
    Elf *elf = open_elf(bytes);
    char *build_id = elf ? find_build_id(elf) : NULL;
    elf_end(elf);
    return build_id;
}

RwObject *rw_object_new(GBytes *bytes)
{
    Elf *elf = open_elf(bytes);
    if (!elf)
        return NULL;
    RwObject *object = g_new0(RwObject, 1);
    object->bytes = g_bytes_ref(bytes);
    object->elf = elf;
    object->loads = g_array_new(false, false, sizeof(RwLoad));
    object->names = g_array_new(false, false, sizeof(RwName));
    load_segments(object);
    object->build_id = find_build_id(elf);
    load_debug_name(object);
    load_debug_frame(object);
    rw_names_load(object);
    return object;
}

void rw_object_free(RwObject *object)
{
    if (!object)
        return;
    g_array_unref(object->loads);
    g_array_unref(object->names);
    elf_end(object->elf);
    g_bytes_unref(object->bytes);
    g_clear_pointer(&object->debug_frame, g_bytes_unref);
    g_free(object->build_id);
    g_free(object->debug_name);
    g_free(object);
}

// Whole pages are mapped, so that the bytes at a segment's edges are there more than once.
static bool holds(const RwLoad *load, uint64_t offset, bool whole_pages)
{
    uint64_t from = load->offset, end = load->offset + load->memory_size;
    if (whole_pages) {
        from &= ~(PAGE - 1);
        end = (end + PAGE - 1) & ~(PAGE - 1);
    }
    return offset >= from && offset < end;
}

bool rw_object_address(const RwObject *object, const RwMapping *mapping, uint64_t *ret_address)
{
    for (int pass = 0; pass < 4; pass++) // its own kind first, then exact ones first
        for (unsigned i = 0; i < object->loads->len; i++) {
            const RwLoad *load = &g_array_index(object->loads, RwLoad, i);
            if ((pass < 2) != (load->executable == mapping->executable) ||
                !holds(load, mapping->offset, pass & 1))
                continue;
            *ret_address = mapping->offset - load->offset + load->address;
            return true;
        }
    return false;
}
