// SPDX-License-Identifier: MIT
//
// Guests that nobody built: an imported run brings a kernel and an init of its own. What cannot be loaded
// is an error, and what can be ends somehow.
#include "rw-machine.h"

#include <elf.h>
#include <string.h>

#define BASE 0x1000000ull
#define CODE 128 // where the code lies in the file

typedef struct {
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    uint8_t fill[CODE - sizeof(Elf64_Ehdr) - sizeof(Elf64_Phdr)];
    uint8_t code[16];
} Kernel;

// One that stops the CPU at once, with interrupts off.
static Kernel make_kernel(void)
{
    return (Kernel){
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                 .e_machine = EM_X86_64,
                 .e_phoff = sizeof(Elf64_Ehdr),
                 .e_phnum = 1,
                 .e_entry = BASE},
        .segment = {.p_type = PT_LOAD, .p_offset = CODE, .p_paddr = BASE, .p_filesz = 16, .p_memsz = 4096},
        .code = {0xfa, 0xf4, 0xeb, 0xfd}, // cli; 1: hlt; jmp 1b
    };
}

static RwGuest *make_guest(const Kernel *kernel, size_t kernel_size, size_t init_size, size_t line_size)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *dir = g_dir_make_tmp("boot-XXXXXX", NULL), *init = g_malloc0(init_size + 1),
                    *line = g_strnfill(line_size, 'x');
    const char *const names[] = {"vmlinux", "initrd.cpio", "cmdline"};
    const void *const bytes[] = {kernel, init, line};
    const size_t sizes[] = {kernel_size, init_size, line_size};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(dir, names[i], NULL);
        g_assert_true(g_file_set_contents(path, bytes[i], (gssize)sizes[i], NULL));
    }
    RwGuest *guest = rw_guest_load(dir, &error);
    g_assert_no_error(error);
    g_assert_true(rw_remove_tree(dir, NULL));
    return guest;
}

static RwMachine *boot(RwGuest *guest, GError **error)
{
    RwMachineConfig config = {.guest = guest, .memory = 64u << 20, .model = RW_CPU_MODEL_V2, .cores = 1};
    RwMachine *machine = rw_machine_new(&config, error);
    rw_guest_unref(guest);
    return machine;
}

static void assert_ends(const Kernel *kernel, size_t init_size)
{
    g_autoptr(GError) error = NULL;
    RwMachine *machine = boot(make_guest(kernel, sizeof *kernel, init_size, 10), &error);
    g_assert_no_error(error);
    RwEnd end = rw_machine_run(machine, &(RwLimits){.give_up = 100000});
    g_assert_cmpint(end.kind, !=, RW_END_NONE);
    g_assert_cmpuint(end.icount, <=, 100000);
    rw_machine_free(machine);
}

static void assert_refused(const Kernel *kernel, size_t kernel_size, size_t line_size, const char *why)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(boot(make_guest(kernel, kernel_size, 4096, line_size), &error));
    g_assert_nonnull(error);
    if (!strstr(error->message, why))
        g_error("'%s' has no '%s'", error->message, why);
}

// ---- What boots ----

static void test_empty_init(void)
{
    Kernel kernel = make_kernel();
    assert_ends(&kernel, 0);
    assert_ends(&kernel, 1);
    assert_ends(&kernel, 4097);
}

static void test_entries(void)
{
    static const uint64_t entries[] = {0,          BASE + 3,   0x10000000, 0xd0000000,
                                       1ull << 32, 1ull << 47, 1ull << 63, UINT64_MAX};
    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++) {
        Kernel kernel = make_kernel();
        kernel.head.e_entry = entries[i];
        assert_ends(&kernel, 4096);
    }
}

static void test_no_bytes(void)
{
    Kernel kernel = make_kernel();
    kernel.segment.p_filesz = 0;
    assert_ends(&kernel, 4096);
    kernel.segment.p_offset = sizeof kernel;
    assert_ends(&kernel, 4096);
    kernel.head.e_phnum = 0;
    assert_ends(&kernel, 4096);
}

// ---- What does not ----

static void test_not_elf(void)
{
    Kernel kernel = make_kernel();
    for (size_t size = 0; size < sizeof(Elf64_Ehdr); size++)
        assert_refused(&kernel, size, 10, "not an x86-64 ELF file");
    kernel.head.e_ident[EI_CLASS] = ELFCLASS32;
    assert_refused(&kernel, sizeof kernel, 10, "not an x86-64 ELF file");
}

static void test_headers_outside(void)
{
    static const uint64_t offsets[] = {sizeof(Kernel) - sizeof(Elf64_Phdr) + 1, sizeof(Kernel), 1ull << 32,
                                       UINT64_MAX - sizeof(Elf64_Phdr) + 1, UINT64_MAX};
    for (size_t i = 0; i < G_N_ELEMENTS(offsets); i++) {
        Kernel kernel = make_kernel();
        kernel.head.e_phoff = offsets[i];
        assert_refused(&kernel, sizeof kernel, 10, "program headers lie outside");
    }
    Kernel kernel = make_kernel();
    kernel.head.e_phnum = UINT16_MAX;
    assert_refused(&kernel, sizeof kernel, 10, "outside");
}

static void test_segments_outside(void)
{
    static const struct {
        uint64_t offset, filesz, memsz, paddr;
        const char *why;
    } cases[] = {
        {CODE, 17, 4096, BASE, "outside its file"},
        {CODE, UINT64_MAX, UINT64_MAX, BASE, "outside its file"},
        {UINT64_MAX, 16, 4096, BASE, "outside its file"},
        {UINT64_MAX - 7, 16, 4096, BASE, "outside its file"},
        {CODE, 16, 15, BASE, "outside its file"},
        {CODE, 16, 4096, 0x1000, "too little"},
        {CODE, 16, 4096, (64u << 20) - 4095, "too little"},
        {CODE, 16, UINT64_MAX, BASE, "too little"},
        {CODE, 16, 4096, UINT64_MAX - 100, "too little"},
        {CODE, 16, 4096, 0xd0000000, "too little"},
        {CODE, 16, 64u << 20, BASE, "too little"},
        {CODE, 16, 48u << 20, BASE, "too little"}, // no room for the init
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Kernel kernel = make_kernel();
        kernel.segment.p_offset = cases[i].offset;
        kernel.segment.p_filesz = cases[i].filesz;
        kernel.segment.p_memsz = cases[i].memsz;
        kernel.segment.p_paddr = cases[i].paddr;
        assert_refused(&kernel, sizeof kernel, 10, cases[i].why);
    }
}

static void test_long_line(void)
{
    Kernel kernel = make_kernel();
    assert_refused(&kernel, sizeof kernel, 2047, "command line is too long");
    assert_refused(&kernel, sizeof kernel, 100000, "command line is too long");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/boot/empty-init", test_empty_init);
    g_test_add_func("/boot/entries", test_entries);
    g_test_add_func("/boot/no-bytes", test_no_bytes);
    g_test_add_func("/boot/not-elf", test_not_elf);
    g_test_add_func("/boot/headers-outside", test_headers_outside);
    g_test_add_func("/boot/segments-outside", test_segments_outside);
    g_test_add_func("/boot/long-line", test_long_line);
    return g_test_run();
}
