// SPDX-License-Identifier: MIT
#include "boot-private.h"

#include <elf.h>
#include <link.h>

#define VERSION 1u

// All that is in there goes into the key: whoever adds to it adds it below.
G_STATIC_ASSERT(sizeof(RwMachineConfig) == 56);

static void add_note(GByteArray *out, const uint8_t *note, size_t size)
{
    Elf64_Nhdr head;
    for (size_t at = 0; rw_copy_out(note, size, at, &head, sizeof head);) {
        uint64_t name = (head.n_namesz + 3ull) & ~3ull, bytes = (head.n_descsz + 3ull) & ~3ull;
        at += sizeof head;
        if (!rw_range_ok(size, at, name + bytes))
            return;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && !memcmp(note + at, "GNU", 4))
            rw_put_bytes(out, note + at + name, head.n_descsz);
        at += name + bytes;
    }
}

// The first object is the program, in which the engine is.
static int add_build(struct dl_phdr_info *info, size_t size, void *data)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_NOTE)
            add_note(data, (const uint8_t *)(info->dlpi_addr + part->p_vaddr), part->p_memsz);
    }
    return 1;
}

void rw_boot_key(const RwInputs *inputs, uint8_t ret_key[RW_SHA256_SIZE])
{
    g_autoptr(GByteArray) out = g_byte_array_new();
    rw_put_u32(out, VERSION);
    rw_put_string(out, REWIND_VERSION);
    dl_iterate_phdr(add_build, out);
    rw_put_u32(out, inputs->machine_version);
    rw_put_u32(out, inputs->abi_version);
    rw_put_string(out, inputs->guest_hash);
    rw_put_string(out, inputs->image_hash);
    rw_put_u64(out, inputs->memory);
    rw_put_u64(out, inputs->swap);
    rw_put_u32(out, inputs->model);
    rw_put_u32(out, inputs->clock);
    rw_put_u32(out, inputs->cores);
    rw_put_string(out, inputs->kernel_args ? inputs->kernel_args : "");
    rw_sha256_bytes(out->data, out->len, ret_key);
}
