// SPDX-License-Identifier: MIT
// Puts kernel, init and boot parameters into RAM and the CPU at the kernel's 64-bit entry, as
// Documentation/x86/boot.rst ("64-bit BOOT PROTOCOL") asks: long mode, paging with an identity map,
// RSI = boot_params, interrupts off. The kernel is the uncompressed ELF, so no decompressor runs.
#include "rw-machine-private.h"

#include <elf.h>
#include <string.h>

enum {
    GDT_GPA = 0x1000,
    BOOT_PARAMS_GPA = 0x7000,
    PML4_GPA = 0x9000,
    PDPT_GPA = 0xa000,
    PD_GPA = 0xb000, // four pages: 4 GiB of 2 MiB pages
    CMDLINE_GPA = 0x20000,
    CMDLINE_MAX = 2048,
    LOW_RAM_END = 0x9f000,
    HIGH_RAM = 0x100000,
    BOOT_CS = 0x10,
    BOOT_DS = 0x18,
};

// Offsets in struct boot_params (arch/x86/include/uapi/asm/bootparam.h).
enum {
    BP_E820_ENTRIES = 0x1e8,
    BP_BOOT_FLAG = 0x1fe,
    BP_HEADER = 0x202,
    BP_VERSION = 0x206,
    BP_TYPE_OF_LOADER = 0x210,
    BP_LOADFLAGS = 0x211,
    BP_RAMDISK_IMAGE = 0x218,
    BP_RAMDISK_SIZE = 0x21c,
    BP_CMD_LINE_PTR = 0x228,
    BP_CMDLINE_SIZE = 0x238,
    BP_E820_TABLE = 0x2d0,
};
enum { E820_RAM = 1, E820_PRAM = 12 };

static uint8_t *boot_at(RwMachine *m, uint64_t gpa, uint64_t length)
{
    return rw_memory_write_at(&m->memory, gpa, length);
}

static bool invalid(GError **error, const char *what)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "guest kernel: %s", what);
    return false;
}

static bool load_segment(RwMachine *m, const uint8_t *file, size_t size, const Elf64_Phdr *ph,
                         uint64_t *end, GError **error)
{
    if (!rw_range_ok(size, ph->p_offset, ph->p_filesz) || ph->p_filesz > ph->p_memsz)
        return invalid(error, "a segment lies outside its file");
    uint8_t *to = ph->p_paddr >= HIGH_RAM ? boot_at(m, ph->p_paddr, ph->p_memsz) : NULL;
    if (!to) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "%" G_GUINT64_FORMAT " MiB of memory are too little for the guest kernel",
                    m->memory.ram_size >> 20);
        return false;
    }
    memcpy(to, file + ph->p_offset, ph->p_filesz);
    *end = MAX(*end, ph->p_paddr + ph->p_memsz);
    return true;
}

static bool load_kernel(RwMachine *m, uint64_t *ret_entry, uint64_t *ret_end, GError **error)
{
    size_t size;
    const uint8_t *file = g_bytes_get_data(m->guest->vmlinux, &size);
    Elf64_Ehdr eh;
    if (!rw_copy_out(file, size, 0, &eh, sizeof eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
        eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_machine != EM_X86_64)
        return invalid(error, "vmlinux is not an x86-64 ELF file");
    *ret_end = 0;
    for (unsigned i = 0; i < eh.e_phnum; i++) {
        Elf64_Phdr ph;
        if (!rw_copy_out(file, size, eh.e_phoff + (uint64_t)i * sizeof ph, &ph, sizeof ph))
            return invalid(error, "the program headers lie outside the file");
        if (ph.p_type == PT_LOAD && !load_segment(m, file, size, &ph, ret_end, error))
            return false;
    }
    *ret_entry = eh.e_entry;
    return true;
}

static bool load_initrd(RwMachine *m, uint64_t kernel_end, uint64_t *ret_gpa, GError **error)
{
    size_t size;
    const void *data = g_bytes_get_data(m->guest->initrd, &size);
    uint64_t room = (size + RW_PAGE_SIZE - 1) & ~(RW_PAGE_SIZE - 1);
    // The kernel needs as much again for unpacking, and something to live on.
    uint64_t low = m->memory.span[0].size;
    if (low < kernel_end + 4 * room + (16u << 20)) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "%" G_GUINT64_FORMAT " MiB of memory are too little: give --mem %" G_GUINT64_FORMAT
                    " or more",
                    m->memory.ram_size >> 20, ((kernel_end + 4 * room) >> 20) + 17);
        return false;
    }
    *ret_gpa = low - room;
    if (size)
        memcpy(boot_at(m, *ret_gpa, size), data, size);
    return true;
}

static void put_e820(uint8_t *bp, uint64_t start, uint64_t size, uint32_t type)
{
    uint8_t *entry = bp + BP_E820_TABLE + 20 * bp[BP_E820_ENTRIES]++;
    rw_store_u64(entry, start);
    rw_store_u64(entry + 8, size);
    rw_store_u32(entry + 16, type);
}

// By ascending addresses.
static void put_memory_map(RwMachine *m, uint8_t *bp)
{
    const RwMemory *memory = &m->memory;
    put_e820(bp, 0, LOW_RAM_END, E820_RAM);
    put_e820(bp, HIGH_RAM, memory->span[0].size - HIGH_RAM, E820_RAM);
    if (m->image)
        put_e820(bp, REWIND_IMAGE_GPA, m->image->size, E820_PRAM);
    if (memory->swap_size)
        put_e820(bp, REWIND_SWAP_GPA, memory->swap_size, E820_PRAM);
    if (memory->ram_size > REWIND_RAM_LOW_MAX)
        put_e820(bp, REWIND_RAM_HIGH_GPA, memory->ram_size - REWIND_RAM_LOW_MAX, E820_RAM);
}

static void put_boot_params(RwMachine *m, uint64_t initrd, uint32_t cmdline_size)
{
    uint8_t *bp = boot_at(m, BOOT_PARAMS_GPA, RW_PAGE_SIZE);
    rw_store_u16(bp + BP_BOOT_FLAG, 0xaa55);
    memcpy(bp + BP_HEADER, "HdrS", 4);
    rw_store_u16(bp + BP_VERSION, 0x020f);
    bp[BP_TYPE_OF_LOADER] = 0xff;
    bp[BP_LOADFLAGS] = 1;
    rw_store_u32(bp + BP_RAMDISK_IMAGE, (uint32_t)initrd);
    rw_store_u32(bp + BP_RAMDISK_SIZE, (uint32_t)g_bytes_get_size(m->guest->initrd));
    rw_store_u32(bp + BP_CMD_LINE_PTR, CMDLINE_GPA);
    rw_store_u32(bp + BP_CMDLINE_SIZE, cmdline_size);
    put_memory_map(m, bp);
}

static bool put_cmdline(RwMachine *m, uint32_t *ret_size, GError **error)
{
    g_autofree char *line = m->kernel_args ? g_strdup_printf("%s %s", m->guest->cmdline, m->kernel_args)
                                           : g_strdup(m->guest->cmdline);
    size_t size = strlen(line), own = strlen(m->guest->cmdline);
    if (own > CMDLINE_MAX - 2)
        return invalid(error, "its command line is too long");
    if (size >= CMDLINE_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--kernel-args: at most %u bytes fit",
                    (unsigned)(CMDLINE_MAX - 2 - own));
        return false;
    }
    memcpy(boot_at(m, CMDLINE_GPA, size + 1), line, size + 1);
    *ret_size = (uint32_t)size;
    return true;
}

static void put_tables(RwMachine *m)
{
    uint8_t *gdt = boot_at(m, GDT_GPA, 32);
    rw_store_u64(gdt + BOOT_CS, 0x00af9b000000ffffull);
    rw_store_u64(gdt + BOOT_DS, 0x00cf93000000ffffull);
    rw_store_u64(boot_at(m, PML4_GPA, RW_PAGE_SIZE), PDPT_GPA | 3);
    uint8_t *pdpt = boot_at(m, PDPT_GPA, RW_PAGE_SIZE);
    uint8_t *pd = boot_at(m, PD_GPA, 4 * RW_PAGE_SIZE);
    for (unsigned i = 0; i < 4; i++)
        rw_store_u64(pdpt + 8 * i, (PD_GPA + i * RW_PAGE_SIZE) | 3);
    for (uint64_t i = 0; i < 2048; i++)
        rw_store_u64(pd + 8 * i, i << 21 | 0x83);
}

static RwSegment boot_segment(uint16_t selector, uint16_t attr)
{
    return (RwSegment){.limit = 0xffffffff, .selector = selector, .attr = attr};
}

static void set_boot_state(RwMachine *m, uint64_t entry)
{
    RwCpuState s;
    rw_vcpu_get_state(m->cpu, &s); // power-on values of what isn't set here
    s.rip = entry;
    s.rflags = 2;
    s.gpr[6] = BOOT_PARAMS_GPA;
    s.cr0 = 0x80050033; // PG AM WP NE ET MP PE
    s.cr3 = PML4_GPA;
    s.cr4 = 0x620; // PAE OSFXSR OSXMMEXCPT
    s.efer = 0x500; // LME LMA
    s.gdt_base = GDT_GPA;
    s.gdt_limit = 31;
    s.seg[RW_CS] = boot_segment(BOOT_CS, 0xa09b);
    for (unsigned i = 0; i < RW_LDTR; i++)
        if (i != RW_CS)
            s.seg[i] = boot_segment(BOOT_DS, 0xc093);
    s.seg[RW_TR] = (RwSegment){.limit = 0x67, .attr = 0x8b};
    s.seg[RW_LDTR] = (RwSegment){.attr = 0x100};
    rw_vcpu_set_state(m->cpu, &s);
}

void rw_machine_map(RwMachine *m)
{
    const RwMemory *memory = &m->memory;
    for (unsigned i = 0; i < memory->n_spans; i++) {
        const RwSpan *span = &memory->span[i];
        rw_vcpu_map(m->cpu, span->gpa, span->size, memory->ram + span->at, true,
                    memory->dirty + span->at / RW_PAGE_SIZE);
    }
    rw_vcpu_map(m->cpu, REWIND_SHARED_GPA, RW_PAGE_SIZE, (uint8_t *)m->memory.shared, true, NULL);
    if (m->image)
        rw_vcpu_map(m->cpu, REWIND_IMAGE_GPA, m->image->size, m->image->host, false, NULL);
}

bool rw_boot(RwMachine *m, GError **error)
{
    uint64_t entry, end, initrd;
    uint32_t cmdline_size;
    if (!rw_guest_read(m->guest, error) || !load_kernel(m, &entry, &end, error) ||
        !load_initrd(m, end, &initrd, error) || !put_cmdline(m, &cmdline_size, error))
        return false;
    put_tables(m);
    put_boot_params(m, initrd, cmdline_size);
    rw_machine_map(m);
    set_boot_state(m, entry);
    rw_device_start(m);
    return true;
}
