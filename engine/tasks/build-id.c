// SPDX-License-Identifier: MIT
//
// The build id of a file that is mapped: a note of its ELF header's segments.
#include "kernel-private.h"

#include <elf.h>

#define SEGMENTS_MAX 64
#define NOTES_MAX 4096u // bytes of a segment of notes that are looked at

static uint8_t find_note(const uint8_t *notes, size_t size, uint8_t ret[RW_BUILD_ID_MAX])
{
    Elf64_Nhdr note;
    for (size_t at = 0; rw_copy_out(notes, size, at, &note, sizeof note);) {
        uint64_t name = at + sizeof note, text = name + ((note.n_namesz + 3ull) & ~3ull);
        uint64_t next = text + ((note.n_descsz + 3ull) & ~3ull);
        char owner[4] = "";
        bool is_gnu = note.n_namesz == sizeof owner &&
                      rw_copy_out(notes, size, name, owner, sizeof owner) &&
                      !memcmp(owner, "GNU", sizeof owner);
        if (is_gnu && note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= RW_BUILD_ID_MAX &&
            rw_copy_out(notes, size, text, ret, note.n_descsz))
            return (uint8_t)note.n_descsz;
        if (next > size)
            break;
        at = (size_t)next;
    }
    return 0;
}

static uint8_t look_at_segment(RwKernel *kernel, uint64_t file, const Elf64_Phdr *segment,
                               uint8_t ret[RW_BUILD_ID_MAX])
{
    uint8_t notes[NOTES_MAX];
    size_t size = (size_t)MIN(segment->p_filesz, sizeof notes);
    size = rw_kernel_read_file(kernel, file, segment->p_offset, notes, size);
    return find_note(notes, size, ret);
}

uint8_t rw_kernel_build_id(RwKernel *kernel, uint64_t file, uint8_t ret[RW_BUILD_ID_MAX])
{
    Elf64_Ehdr head;
    uint8_t size = 0;
    memset(ret, 0, RW_BUILD_ID_MAX);
    if (rw_kernel_read_file(kernel, file, 0, &head, sizeof head) < sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_phentsize != sizeof(Elf64_Phdr))
        return 0;
    for (unsigned i = 0; !size && i < MIN(head.e_phnum, SEGMENTS_MAX); i++) {
        Elf64_Phdr segment;
        uint64_t at = head.e_phoff + i * sizeof segment;
        if (rw_kernel_read_file(kernel, file, at, &segment, sizeof segment) == sizeof segment &&
            segment.p_type == PT_NOTE)
            size = look_at_segment(kernel, file, &segment, ret);
    }
    return size;
}
