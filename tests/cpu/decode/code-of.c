// SPDX-License-Identifier: MIT
#include "code-of.h"

#include <elf.h>
#include <string.h>

static const Elf64_Shdr *section(const guint8 *file, gsize size, const Elf64_Ehdr *e, unsigned i)
{
    guint64 at = e->e_shoff + (guint64)i * sizeof(Elf64_Shdr);
    return e->e_shoff < size && at + sizeof(Elf64_Shdr) <= size ? (const void *)(file + at) : NULL;
}

static bool is_text(const guint8 *file, gsize size, const Elf64_Shdr *names, const Elf64_Shdr *s)
{
    guint64 at = names->sh_offset + s->sh_name;
    return at + sizeof ".text" <= size && memcmp(file + at, ".text", sizeof ".text") == 0 &&
           s->sh_offset <= size && s->sh_size <= size - s->sh_offset;
}

const guint8 *code_of(const char *path, gsize *ret_size, GMappedFile **ret_file)
{
    g_autoptr(GMappedFile) mapped = g_mapped_file_new(path, FALSE, NULL);
    if (!mapped)
        return NULL;
    const guint8 *file = (const guint8 *)g_mapped_file_get_contents(mapped);
    gsize size = g_mapped_file_get_length(mapped);
    const Elf64_Ehdr *e = (const void *)file;
    if (size < sizeof *e || memcmp(file, ELFMAG, SELFMAG) != 0)
        return NULL;
    const Elf64_Shdr *names = section(file, size, e, e->e_shstrndx);
    for (unsigned i = 0; names && i < e->e_shnum; i++) {
        const Elf64_Shdr *s = section(file, size, e, i);
        if (!s || !is_text(file, size, names, s))
            continue;
        *ret_size = s->sh_size;
        *ret_file = g_steal_pointer(&mapped);
        return file + s->sh_offset;
    }
    return NULL;
}
