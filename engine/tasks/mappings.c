// SPDX-License-Identifier: MIT
//
// What an address space maps: Linux 6.1 keeps it in a maple tree (lib/maple_tree.c).
#include "kernel-private.h"

#define VM_READ 0x1u
#define VM_WRITE 0x2u
#define VM_EXEC 0x4u
#define VM_MAYSHARE 0x80u
#define WRITER 1u // of a rw_semaphore's count
#define DEPTH_MAX 16
#define ROOT_NODE 2u // the lowest two bits of a tree's root, where that is a node

void rw_kernel_mapping_free(RwKernelMapping *mapping)
{
    if (!mapping)
        return;
    g_free(mapping->path);
    g_free(mapping);
}

const RwKernelMapping *rw_kernel_mapping_at(const GPtrArray *mappings, uint64_t va)
{
    for (guint i = 0; i < mappings->len; i++) {
        const RwKernelMapping *mapping = mappings->pdata[i];
        if (va >= mapping->start && va < mapping->end)
            return mapping;
    }
    return NULL;
}

// ---- One mapping ----

// As show_map_vma() of Linux names what is no file.
static char *dup_name(RwKernel *kernel, uint64_t mm, uint64_t vma, const RwKernelMapping *mapping)
{
    if (U64(kernel, vma, VMA_OPS) == FACT(kernel, SPECIAL_MAPPING_OPS)) {
        uint64_t name =
            rw_kernel_u64(kernel, U64(kernel, vma, VMA_PRIVATE) + FACT(kernel, SPECIAL_MAPPING_NAME));
        return name ? rw_kernel_dup_text(kernel, name, 64) : NULL;
    }
    if (mapping->start <= U64(kernel, mm, MM_BRK) && mapping->end >= U64(kernel, mm, MM_START_BRK))
        return g_strdup("[heap]");
    uint64_t stack = U64(kernel, mm, MM_START_STACK);
    return mapping->start <= stack && mapping->end >= stack ? g_strdup("[stack]") : NULL;
}

static void read_file(RwKernel *kernel, uint64_t vma, RwKernelMapping *mapping)
{
    uint64_t inode = U64(kernel, mapping->file, FILE_INODE), sb = inode ? U64(kernel, inode, INODE_SB) : 0;
    uint32_t dev = sb ? U32(kernel, sb, SB_DEV) : 0;
    mapping->offset = U64(kernel, vma, VMA_PGOFF) * RW_KERNEL_PAGE;
    mapping->inode = inode ? U64(kernel, inode, INODE_NUMBER) : 0;
    mapping->dev_major = dev >> 20;
    mapping->dev_minor = dev & 0xfffff;
    mapping->path = rw_kernel_dup_path(kernel, mapping->file);
}

typedef struct {
    RwKernel *kernel;
    uint64_t mm;
    GPtrArray *mappings;
    GHashTable *build_ids; // file → RwKernelMapping that has its build id; NULL: not wanted
    uint64_t end; // of the last one: the next does not begin before it
    unsigned nodes; // looked at
} Walk;

// Each file is looked at once.
static void add_build_id(Walk *walk, RwKernelMapping *mapping)
{
    if (!walk->build_ids || !mapping->file)
        return;
    const RwKernelMapping *known = g_hash_table_lookup(walk->build_ids, &mapping->file);
    if (known) {
        memcpy(mapping->build_id, known->build_id, sizeof mapping->build_id);
        mapping->build_id_size = known->build_id_size;
        return;
    }
    mapping->build_id_size = rw_kernel_build_id(walk->kernel, mapping->file, mapping->build_id);
    g_hash_table_insert(walk->build_ids, &mapping->file, mapping);
}

static bool add_mapping(Walk *walk, uint64_t vma)
{
    RwKernel *kernel = walk->kernel;
    uint64_t start = U64(kernel, vma, VMA_START), end = U64(kernel, vma, VMA_END);
    if (walk->mappings->len >= RW_KERNEL_MAPPINGS_MAX)
        return false;
    if (start >= end || start < walk->end || end > RW_KERNEL_HALF || U64(kernel, vma, VMA_MM) != walk->mm)
        return true; // none, or one that is going
    uint64_t flags = U64(kernel, vma, VMA_FLAGS);
    RwKernelMapping *mapping = g_new0(RwKernelMapping, 1);
    mapping->start = start;
    mapping->end = walk->end = end;
    mapping->flags = (flags & VM_READ ? RW_MAP_READ : 0u) | (flags & VM_WRITE ? RW_MAP_WRITE : 0u) |
                     (flags & VM_EXEC ? RW_MAP_EXECUTE : 0u) | (flags & VM_MAYSHARE ? RW_MAP_SHARED : 0u);
    mapping->file = U64(kernel, vma, VMA_FILE);
    if (mapping->file)
        read_file(kernel, vma, mapping);
    else
        mapping->path = dup_name(kernel, walk->mm, vma, mapping);
    g_ptr_array_add(walk->mappings, mapping);
    add_build_id(walk, mapping);
    return true;
}

// ---- The tree ----

static bool is_node(uint64_t entry)
{
    return (entry & 3) == ROOT_NODE && entry >= RW_KERNEL_HALF;
}

// A node's slots stand for ranges of addresses; its pivots are the last address of each. A pivot of 0
// behind the first one, and the end of the parent's range, are the end.
typedef struct {
    uint64_t slots, n, pivots; // addresses
    bool leaf;
} Node;

static bool open_node(const RwKernel *kernel, uint64_t entry, Node *ret)
{
    uint64_t type = entry >> 3 & 15, at = entry & ~(FACT(kernel, MAPLE_NODE_SIZE) - 1);
    if (type == FACT(kernel, MAPLE_LEAF) || type == FACT(kernel, MAPLE_RANGE)) {
        *ret = (Node){at + FACT(kernel, MAPLE_RANGE_SLOT), FACT(kernel, MAPLE_RANGE_SLOTS),
                      at + FACT(kernel, MAPLE_RANGE_PIVOT), type == FACT(kernel, MAPLE_LEAF)};
        return true;
    }
    *ret = (Node){at + FACT(kernel, MAPLE_ARANGE_SLOT), FACT(kernel, MAPLE_ARANGE_SLOTS),
                  at + FACT(kernel, MAPLE_ARANGE_PIVOT), false};
    return type == FACT(kernel, MAPLE_ARANGE);
}

static bool walk_node(Walk *walk, uint64_t entry, uint64_t max, int depth)
{
    RwKernel *kernel = walk->kernel;
    Node node;
    if (depth > DEPTH_MAX || ++walk->nodes > RW_KERNEL_NODES_MAX || !open_node(kernel, entry, &node))
        return true;
    for (uint64_t i = 0; i < node.n; i++) {
        uint64_t pivot = i + 1 < node.n ? rw_kernel_u64(kernel, node.pivots + i * 8) : max;
        if (!pivot && i)
            pivot = max;
        uint64_t slot = rw_kernel_u64(kernel, node.slots + i * 8);
        bool go_on = true;
        if (!node.leaf && slot >= RW_KERNEL_HALF)
            go_on = walk_node(walk, slot, MIN(pivot, max), depth + 1);
        else if (node.leaf && slot >= RW_KERNEL_HALF && !(slot & 3))
            go_on = add_mapping(walk, slot);
        if (!go_on)
            return false;
        if (pivot >= max)
            break;
    }
    return true;
}

GPtrArray *rw_kernel_mappings(RwKernel *kernel, uint64_t mm, bool build_ids, bool *ret_changing)
{
    GPtrArray *mappings = g_ptr_array_new_with_free_func((GDestroyNotify)rw_kernel_mapping_free);
    g_autoptr(GHashTable) files = g_hash_table_new(g_int64_hash, g_int64_equal);
    Walk walk = {.kernel = kernel, .mm = mm, .mappings = mappings, .build_ids = build_ids ? files : NULL};
    uint64_t root = mm ? U64(kernel, mm, MM_TREE_ROOT) : 0;
    *ret_changing = mm && (U64(kernel, mm, MM_LOCK_COUNT) & WRITER);
    if (is_node(root))
        walk_node(&walk, root, UINT64_MAX, 0);
    return mappings;
}

// ---- As text ----

// As /proc writes paths: a new line would end it.
static void append_path(GString *text, const char *path)
{
    for (; *path; path++) {
        if (*path == '\n')
            g_string_append(text, "\\012");
        else
            g_string_append_c(text, *path);
    }
}

static void append_mapping(GString *text, const RwKernelMapping *mapping)
{
    gsize start = text->len;
    g_string_append_printf(text,
                           "%08" G_GINT64_MODIFIER "x-%08" G_GINT64_MODIFIER
                           "x %c%c%c%c %08" G_GINT64_MODIFIER "x %02x:%02x %" G_GUINT64_FORMAT " ",
                           mapping->start, mapping->end, mapping->flags & RW_MAP_READ ? 'r' : '-',
                           mapping->flags & RW_MAP_WRITE ? 'w' : '-',
                           mapping->flags & RW_MAP_EXECUTE ? 'x' : '-',
                           mapping->flags & RW_MAP_SHARED ? 's' : 'p', mapping->offset, mapping->dev_major,
                           mapping->dev_minor, mapping->inode);
    if (mapping->path) {
        while (text->len - start < 73)
            g_string_append_c(text, ' ');
        append_path(text, mapping->path);
    }
    g_string_append_c(text, '\n');
}

char *rw_kernel_dup_maps(RwKernel *kernel, uint64_t mm)
{
    bool changing;
    g_autoptr(GPtrArray) mappings = rw_kernel_mappings(kernel, mm, false, &changing);
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < mappings->len; i++)
        append_mapping(text, mappings->pdata[i]);
    // The kernel's own page that every process has (gate_vma).
    if (mappings->len)
        g_string_append_printf(text,
                               "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER
                               "x --xp 00000000 00:00 0                  [vsyscall]\n",
                               FACT(kernel, VSYSCALL), (uint64_t)(FACT(kernel, VSYSCALL) + RW_KERNEL_PAGE));
    return g_string_free(text, false);
}

char *rw_kernel_dup_program(RwKernel *kernel, uint64_t mm)
{
    uint64_t file = mm ? U64(kernel, mm, MM_EXE_FILE) : 0;
    return rw_kernel_dup_path(kernel, file);
}

GBytes *rw_kernel_arguments(RwKernel *kernel, uint64_t mm, size_t max)
{
    uint64_t start = mm ? U64(kernel, mm, MM_ARG_START) : 0, end = mm ? U64(kernel, mm, MM_ARG_END) : 0;
    size_t length = end > start ? (size_t)MIN(end - start, max) : 0;
    g_autofree uint8_t *bytes = g_malloc(length + 1);
    RwPageState state;
    length = rw_kernel_read(kernel, mm, start, bytes, length, &state);
    return g_bytes_new_take(g_steal_pointer(&bytes), length);
}
