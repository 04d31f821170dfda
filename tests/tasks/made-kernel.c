// SPDX-License-Identifier: MIT
#include "made-kernel.h"

#include "rw-bytes.h"

#include <elf.h>

// Each structure has a page of its own, and a member's offset follows from its fact's number.
#define BASE 0xffff888000000000ull // where the kernel sees physical memory
#define PAGE_STRUCTS_AT 0xffffea0000000000ull
#define FLAGS 7ull // of entries of page tables: present, writable, of user mode
#define PAGE 4096u
#define OFFSET(number) (8 * ((number)-32))

enum { // pages
    P_HEAD,
    P_LAYOUT,
    P_PML4 = P_LAYOUT + 2,
    P_PDPT,
    P_PD,
    P_PT,
    P_VARS,
    P_INIT_TASK,
    P_INIT,
    P_JOB,
    P_THREAD,
    P_KTHREAD,
    P_SIGNAL_INIT,
    P_SIGNAL_JOB,
    P_SIGNAL_KTHREAD,
    P_PID,
    P_PID_THREAD,
    P_NS,
    P_MM,
    P_ROOT_NODE,
    P_LEAF,
    P_LEAF_2,
    P_VMA,
    P_VMA_HEAP = P_VMA + 1,
    P_VMA_STACK = P_VMA + 2,
    P_FILE = P_VMA + 3,
    P_PIPE_FILE,
    P_DENTRY,
    P_DENTRY_DIR,
    P_DENTRY_ROOT,
    P_DENTRY_PIPE,
    P_MOUNT,
    P_MOUNT_PIPE,
    P_INODE,
    P_INODE_PIPE,
    P_SB,
    P_SB_PIPE,
    P_MAPPING,
    P_XA_NODE,
    P_ELF,
    P_FS,
    P_FILES,
    P_FDTABLE,
    P_FDS,
    P_NAMES,
    P_FPSTATE,
    P_USER_PML4,
    P_USER_PDPT,
    P_USER_PD,
    P_USER_PT,
    P_STACK,
    P_STACK_THREAD = P_STACK + 1,
    P_END = P_STACK + 2,
};
G_STATIC_ASSERT(P_END *PAGE <= MADE_SIZE);

#define VA(page) (BASE + (uint64_t)(page)*PAGE)
#define OF(page, NAME) ((size_t)(page)*PAGE + OFFSET(REWIND_FACT_##NAME))
#define SET(page, NAME, value) rw_store_u64(memory + OF(page, NAME), (value))
#define SET32(page, NAME, value) rw_store_u32(memory + OF(page, NAME), (value))

// ---- The table ----

static uint64_t fact(unsigned number)
{
    switch (number) {
    case REWIND_FACT_INIT_TASK:
        return VA(P_INIT_TASK);
    case REWIND_FACT_PAGE_TABLES:
        return P_PML4 * PAGE;
    case REWIND_FACT_CURRENT_TASK:
        return VA(P_VARS);
    case REWIND_FACT_STACK_SIZE:
        return PAGE;
    case REWIND_FACT_REGS_SIZE:
        return 168;
    case REWIND_FACT_STACK_PADDING:
    case REWIND_FACT_TASK_THREAD_INFO_FLAGS:
    case REWIND_FACT_UPID_NR:
        return 0;
    case REWIND_FACT_SPECIAL_MAPPING_OPS:
        return VA(P_VARS) + 64;
    case REWIND_FACT_VSYSCALL:
        return 0xffffffffff600000ull;
    case REWIND_FACT_PAGE_STRUCTS:
        return PAGE_STRUCTS_AT;
    case REWIND_FACT_PAGE_STRUCT_SIZE:
        return 64;
    case REWIND_FACT_SWAP_FILES_MAX:
        return 28;
    case REWIND_FACT_UPID_SIZE:
        return 16;
    case REWIND_FACT_UPID_NS:
        return 8;
    case REWIND_FACT_PIDTYPE_OF_PROCESS:
    case REWIND_FACT_MAPLE_LEAF:
        return 1;
    case REWIND_FACT_MAPLE_RANGE:
        return 2;
    case REWIND_FACT_MAPLE_ARANGE:
        return 3;
    case REWIND_FACT_MAPLE_RANGE_SLOTS:
        return 16;
    case REWIND_FACT_MAPLE_ARANGE_SLOTS:
        return 10;
    case REWIND_FACT_MAPLE_RANGE_PIVOT:
    case REWIND_FACT_MAPLE_ARANGE_PIVOT:
        return 8;
    case REWIND_FACT_MAPLE_RANGE_SLOT:
        return 128;
    case REWIND_FACT_MAPLE_ARANGE_SLOT:
        return 80;
    case REWIND_FACT_MAPLE_NODE_SIZE:
        return 256;
    case REWIND_FACT_FLAG_FPU_IN_MEMORY:
        return 14;
    case REWIND_FACT_XA_BITS:
        return 6;
    default:
        return number >= 32 ? OFFSET(number) : 0;
    }
}

static const uint32_t numbers[] = {
#define NUMBER(number, name, value) number,
    REWIND_FACTS(NUMBER)
#undef NUMBER
};

static void make_layout(uint8_t *memory)
{
    uint8_t *at = memory + P_LAYOUT * PAGE;
    rw_store_u32(at, REWIND_LAYOUT_MAGIC);
    rw_store_u32(at + 4, REWIND_LAYOUT_VERSION);
    rw_store_u32(at + 8, G_N_ELEMENTS(numbers));
    rw_store_u32(at + 12, sizeof(struct rewind_fact));
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        rw_store_u32(at + 16 + i * 16, numbers[i]);
        rw_store_u64(at + 24 + i * 16, fact(numbers[i]));
    }
}

// ---- Page tables ----

static void link_tables(uint8_t *memory, const unsigned pages[4], uint64_t va)
{
    for (int level = 0; level < 3; level++)
        rw_store_u64(memory + pages[level] * PAGE + (va >> (39 - 9 * level) & 511) * 8,
                     pages[level + 1] * (uint64_t)PAGE | FLAGS);
}

static void make_tables(uint8_t *memory)
{
    link_tables(memory, (const unsigned[]){P_PML4, P_PDPT, P_PD, P_PT}, BASE);
    for (unsigned page = 0; page < MADE_SIZE / PAGE; page++)
        rw_store_u64(memory + P_PT * PAGE + page * 8, page * (uint64_t)PAGE | FLAGS);
    link_tables(memory, (const unsigned[]){P_USER_PML4, P_USER_PDPT, P_USER_PD, P_USER_PT}, MADE_MM_VA);
    uint8_t *user = memory + P_USER_PT * PAGE;
    rw_store_u64(user, P_ELF * (uint64_t)PAGE | FLAGS);
    // A page that the program may not touch has its address inverted.
    rw_store_u64(user + 16, (~(P_NAMES * (uint64_t)PAGE) & 0x000ffffffffff000ull) | 1 << 8);
    rw_store_u64(user + 24, 0xfffull << 14 | 2); // a page that is swapped
    rw_store_u64(user + 32, 30ull << 59 | 2); // one that moves
}

// ---- Tasks ----

static void list(uint8_t *memory, const unsigned *pages, size_t n, size_t offset, uint64_t head)
{
    uint64_t before = head;
    for (size_t i = 0; i < n; i++) {
        rw_store_u64(memory + (before - BASE), VA(pages[i]) + offset);
        before = VA(pages[i]) + offset;
    }
    rw_store_u64(memory + (before - BASE), head);
}

static void make_task(uint8_t *memory, unsigned page, uint32_t tid, uint32_t pid, const char *name)
{
    SET32(page, TASK_PID, tid);
    SET32(page, TASK_TGID, pid);
    SET(page, TASK_REAL_PARENT, VA(P_INIT));
    g_strlcpy((char *)memory + OF(page, TASK_COMM), name, 8);
}

static void make_registers(uint8_t *memory, unsigned page, uint64_t call)
{
    uint8_t *regs = memory + (page + 1) * PAGE - 168;
    rw_store_u64(regs + 14 * 8, 0); // RDI
    rw_store_u64(regs + 15 * 8, call);
    rw_store_u64(regs + 16 * 8, MADE_MM_VA + 16);
    rw_store_u64(regs + 17 * 8, 0x33);
    rw_store_u64(regs + 19 * 8, MADE_MM_VA + 0x800);
    rw_store_u64(regs + 20 * 8, 0x2b);
}

static void make_tasks(uint8_t *memory)
{
    make_task(memory, P_INIT, MADE_INIT, MADE_INIT, "init");
    make_task(memory, P_KTHREAD, MADE_KERNEL_THREAD, MADE_KERNEL_THREAD, "kthread");
    make_task(memory, P_JOB, MADE_JOB, MADE_JOB, "job");
    make_task(memory, P_THREAD, MADE_THREAD, MADE_JOB, "thread");
    list(memory, (const unsigned[]){P_INIT, P_KTHREAD, P_JOB}, 3, OFFSET(REWIND_FACT_TASK_TASKS),
         VA(P_INIT_TASK) + OFFSET(REWIND_FACT_TASK_TASKS));
    SET32(P_KTHREAD, TASK_FLAGS, 0x200000);
    SET32(P_KTHREAD, TASK_STATE, 0x402);
    SET32(P_THREAD, TASK_STATE, 1);
    const unsigned pages[][2] = {
        {P_INIT, P_SIGNAL_INIT}, {P_KTHREAD, P_SIGNAL_KTHREAD}, {P_JOB, P_SIGNAL_JOB}};
    for (size_t i = 0; i < G_N_ELEMENTS(pages); i++) {
        SET(pages[i][0], TASK_SIGNAL, VA(pages[i][1]));
        const unsigned threads[] = {pages[i][0], P_THREAD};
        list(memory, threads, pages[i][0] == P_JOB ? 2 : 1, OFFSET(REWIND_FACT_TASK_THREAD_NODE),
             VA(pages[i][1]) + OFFSET(REWIND_FACT_SIGNAL_THREADS));
    }
    SET(P_THREAD, TASK_SIGNAL, VA(P_SIGNAL_JOB));
    for (unsigned i = 0; i < 2; i++) {
        unsigned page = i ? P_THREAD : P_JOB, pid = i ? P_PID_THREAD : P_PID;
        SET(page, TASK_MM, VA(P_MM));
        SET(page, TASK_STACK, VA(P_STACK + i));
        SET(page, TASK_FILES, VA(P_FILES));
        SET(page, TASK_FPSTATE, VA(P_FPSTATE));
        SET(page, TASK_FS_BASE, 0x1234);
        SET(page, TASK_THREAD_PID, VA(pid));
        make_registers(memory, P_STACK + i, i ? 0 : UINT64_MAX);
        SET32(pid, PID_LEVEL, 1);
        rw_store_u32(memory + OF(pid, PID_NUMBERS) + 16, MADE_OWN_PID + i);
        rw_store_u64(memory + OF(pid, PID_NUMBERS) + 24, VA(P_NS));
    }
    SET32(P_NS, PID_NS_INUM, 0xf0000001);
    rw_store_u64(memory + OF(P_SIGNAL_JOB, SIGNAL_PIDS) + 8, VA(P_PID));
    rw_store_u64(memory + P_VARS * PAGE, VA(P_JOB));
    SET(P_INIT, TASK_FS, VA(P_FS));
    SET32(P_FPSTATE, FPSTATE_SIZE, 512);
}

// ---- Memory and files ----

static void make_vma(uint8_t *memory, unsigned page, uint64_t start, uint64_t end, uint64_t flags)
{
    SET(page, VMA_START, start);
    SET(page, VMA_END, end);
    SET(page, VMA_FLAGS, flags);
    SET(page, VMA_MM, VA(P_MM));
}

static void make_mm(uint8_t *memory)
{
    SET(P_MM, MM_PGD, VA(P_USER_PML4));
    SET(P_MM, MM_TREE_ROOT, VA(P_ROOT_NODE) | 3 << 3 | 4 | 2);
    SET(P_MM, MM_START_BRK, 0x402000);
    SET(P_MM, MM_BRK, 0x403000);
    SET(P_MM, MM_START_STACK, 0x7ffff800);
    SET(P_MM, MM_ARG_START, MADE_MM_VA + 0x900);
    SET(P_MM, MM_ARG_END, MADE_MM_VA + 0x908);
    SET(P_MM, MM_EXE_FILE, VA(P_FILE));
    uint8_t *root = memory + P_ROOT_NODE * PAGE, *leaf = memory + P_LEAF * PAGE,
            *other = memory + P_LEAF_2 * PAGE;
    rw_store_u64(root + 8, 0x4fffff);
    rw_store_u64(root + 80, VA(P_LEAF) | 1 << 3 | 4);
    rw_store_u64(root + 88, VA(P_LEAF_2) | 1 << 3 | 4);
    rw_store_u64(leaf + 8, MADE_MM_VA - 1);
    rw_store_u64(leaf + 16, 0x400fff);
    rw_store_u64(leaf + 24, 0x401fff);
    rw_store_u64(leaf + 32, 0x404fff);
    rw_store_u64(leaf + 136, VA(P_VMA));
    rw_store_u64(leaf + 152, VA(P_VMA_HEAP));
    rw_store_u64(other + 8, 0x7fffefff);
    rw_store_u64(other + 16, 0x7fffffff);
    rw_store_u64(other + 136, VA(P_VMA_STACK));
    make_vma(memory, P_VMA, MADE_MM_VA, 0x401000, 0x75);
    make_vma(memory, P_VMA_HEAP, 0x402000, 0x405000, 0x73);
    make_vma(memory, P_VMA_STACK, 0x7ffff000, 0x80000000, 0x73);
    SET(P_VMA, VMA_FILE, VA(P_FILE));
}

static void make_dentry(uint8_t *memory, unsigned page, unsigned parent, unsigned at, const char *name)
{
    SET(page, DENTRY_NAME, VA(P_NAMES) + at);
    SET32(page, DENTRY_NAME_LENGTH, (uint32_t)strlen(name));
    SET(page, DENTRY_PARENT, VA(parent));
    SET(page, DENTRY_HASHED, 1);
    memcpy(memory + P_NAMES * PAGE + at, name, strlen(name));
}

static void make_file(uint8_t *memory, unsigned page, unsigned mount, unsigned dentry, unsigned inode,
                      unsigned sb)
{
    SET(page, FILE_MNT, VA(mount) + OFFSET(REWIND_FACT_MNT_IN_MOUNT));
    SET(page, FILE_DENTRY, VA(dentry));
    SET(page, FILE_INODE, VA(inode));
    SET(inode, INODE_SB, VA(sb));
    SET(inode, INODE_NUMBER, 77);
    SET32(sb, SB_DEV, 259 << 20 | 1);
}

static void make_files(uint8_t *memory)
{
    size_t in_mount = OFFSET(REWIND_FACT_MNT_IN_MOUNT) + OFFSET(REWIND_FACT_MNT_ROOT);
    make_dentry(memory, P_DENTRY_ROOT, P_DENTRY_ROOT, 0, "/");
    make_dentry(memory, P_DENTRY_DIR, P_DENTRY_ROOT, 16, "bin");
    make_dentry(memory, P_DENTRY, P_DENTRY_DIR, 32, "job");
    make_dentry(memory, P_DENTRY_PIPE, P_DENTRY_PIPE, 48, "");
    make_file(memory, P_FILE, P_MOUNT, P_DENTRY, P_INODE, P_SB);
    make_file(memory, P_PIPE_FILE, P_MOUNT_PIPE, P_DENTRY_PIPE, P_INODE_PIPE, P_SB_PIPE);
    rw_store_u64(memory + P_MOUNT * PAGE + in_mount, VA(P_DENTRY_ROOT));
    SET(P_MOUNT, MOUNT_PARENT, VA(P_MOUNT));
    SET(P_SB_PIPE, SB_MAGIC, 0x50495045);
    SET(P_FS, FS_ROOT_MNT, VA(P_MOUNT) + OFFSET(REWIND_FACT_MNT_IN_MOUNT));
    SET(P_FS, FS_ROOT_DENTRY, VA(P_DENTRY_ROOT));
    SET(P_FILES, FILES_TABLE, VA(P_FDTABLE));
    SET32(P_FDTABLE, FDTABLE_MAX, 4);
    SET(P_FDTABLE, FDTABLE_FILES, VA(P_FDS));
    rw_store_u64(memory + P_FDS * PAGE, VA(P_PIPE_FILE));
    SET(P_FILE, FILE_MAPPING, VA(P_MAPPING));
    SET(P_MAPPING, MAPPING_PAGES, VA(P_XA_NODE) | 2);
    rw_store_u64(memory + OF(P_XA_NODE, XA_NODE_SLOTS), PAGE_STRUCTS_AT + P_ELF * 64);
    SET(P_INODE, INODE_SIZE, PAGE);
    Elf64_Ehdr head = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64}, .e_phoff = 64, .e_phentsize = 56, .e_phnum = 1};
    Elf64_Phdr segment = {.p_type = PT_NOTE, .p_offset = 256, .p_filesz = 24};
    Elf64_Nhdr note = {4, 8, NT_GNU_BUILD_ID};
    uint8_t *elf = memory + P_ELF * PAGE;
    memcpy(elf, &head, sizeof head);
    memcpy(elf + 64, &segment, sizeof segment);
    memcpy(elf + 256, &note, sizeof note);
    memcpy(elf + 268, "GNU\0buildid!", 12);
    memcpy(elf + 0x900, "job\0-a\0\0", 8);
}

uint8_t *made_kernel_new(void)
{
    uint8_t *memory = g_malloc0(MADE_SIZE);
    make_layout(memory);
    make_tables(memory);
    make_tasks(memory);
    make_mm(memory);
    make_files(memory);
    return memory;
}

static const uint8_t *at(void *data, uint64_t gpa, uint64_t length)
{
    const MadeMemory *memory = data;
    return rw_range_ok(MIN(memory->size, MADE_SIZE), gpa, length) ? memory->memory + gpa : NULL;
}

RwKernelSource made_kernel_source(MadeMemory *memory)
{
    RwKernelSource source = {.at = at, .data = memory, .layout_gpa = P_LAYOUT * PAGE};
    source.layout_size = 16 + (uint32_t)G_N_ELEMENTS(numbers) * 16;
    source.cpu.seg[RW_CS].selector = 0x33;
    source.cpu.rip = MADE_MM_VA + 32;
    source.cpu.gpr[4] = MADE_MM_VA + 0x800;
    return source;
}
