// SPDX-License-Identifier: MIT
//
// Files that are open or mapped: their paths (fs/d_path.c of Linux), and what the kernel has of them in
// memory (its page cache: lib/xarray.c).
#include "kernel-private.h"

#include <fcntl.h>

#define NAME_MAX_ 255u
#define STEPS_MAX 4096 // up from a file to the root
#define PIPEFS 0x50495045u
#define SOCKFS 0x534f434bu
#define ANON_INODES 0x09041934u
#define NSFS 0x6e736673u

// ---- Paths ----

static RwKernelPlace root_of_job(RwKernel *kernel)
{
    uint64_t init = rw_kernel_init(kernel), fs = init ? U64(kernel, init, TASK_FS) : 0;
    return fs ? (RwKernelPlace){U64(kernel, fs, FS_ROOT_MNT), U64(kernel, fs, FS_ROOT_DENTRY)}
              : (RwKernelPlace){0, 0};
}

// A dentry's name; NULL where it makes no sense.
static char *dup_name(RwKernel *kernel, uint64_t dentry)
{
    char name[NAME_MAX_ + 1] = "";
    uint32_t length = U32(kernel, dentry, DENTRY_NAME_LENGTH);
    if (length > NAME_MAX_ || !rw_kernel_peek(kernel, U64(kernel, dentry, DENTRY_NAME), name, length))
        return NULL;
    return g_strdup(name);
}

// One step up. false: there is none.
static bool go_up(RwKernel *kernel, RwKernelPlace *place, GString *path)
{
    if (place->dentry == U64(kernel, place->mnt, MNT_ROOT)) {
        uint64_t mount = place->mnt - FACT(kernel, MNT_IN_MOUNT), parent = U64(kernel, mount, MOUNT_PARENT);
        if (!parent || parent == mount)
            return false;
        *place = (RwKernelPlace){parent + FACT(kernel, MNT_IN_MOUNT), U64(kernel, mount, MOUNT_POINT)};
        return place->dentry != 0;
    }
    uint64_t parent = U64(kernel, place->dentry, DENTRY_PARENT);
    g_autofree char *name = parent && parent != place->dentry ? dup_name(kernel, place->dentry) : NULL;
    if (!name || path->len > RW_KERNEL_PATH_MAX)
        return false;
    g_string_prepend(path, name);
    g_string_prepend_c(path, '/');
    place->dentry = parent;
    return true;
}

static char *dup_place(RwKernel *kernel, RwKernelPlace place)
{
    g_autoptr(GString) path = g_string_new(NULL);
    RwKernelPlace root = root_of_job(kernel);
    uint64_t dentry = place.dentry;
    bool is_root = U64(kernel, dentry, DENTRY_PARENT) == dentry;
    for (int i = 0; i < STEPS_MAX && (place.mnt != root.mnt || place.dentry != root.dentry); i++)
        if (!go_up(kernel, &place, path))
            break;
    if (!path->len)
        g_string_append_c(path, '/');
    if (!is_root && !U64(kernel, dentry, DENTRY_HASHED))
        g_string_append(path, " (deleted)");
    return g_string_free(g_steal_pointer(&path), false);
}

// A file that is in no tree: a pipe, a socket, memory that has a name.
static char *dup_pseudo(RwKernel *kernel, uint64_t dentry, uint64_t inode)
{
    uint64_t sb = inode ? U64(kernel, inode, INODE_SB) : 0, magic = sb ? U64(kernel, sb, SB_MAGIC) : 0;
    uint64_t number = inode ? U64(kernel, inode, INODE_NUMBER) : 0;
    g_autofree char *name = dup_name(kernel, dentry);
    if (magic == PIPEFS)
        return g_strdup_printf("pipe:[%" G_GUINT64_FORMAT "]", number);
    if (magic == SOCKFS)
        return g_strdup_printf("socket:[%" G_GUINT64_FORMAT "]", number);
    if (magic == NSFS)
        return g_strdup_printf("%s:[%" G_GUINT64_FORMAT "]", name ? name : "?", number);
    if (magic == ANON_INODES)
        return g_strdup_printf("anon_inode:%s", name ? name : "?");
    return name ? g_strdup_printf("/%s (deleted)", name) : g_strdup("?");
}

char *rw_kernel_dup_path(RwKernel *kernel, uint64_t file)
{
    RwKernelPlace place = {0, 0};
    if (!file)
        return NULL;
    place.mnt = U64(kernel, file, FILE_MNT);
    place.dentry = U64(kernel, file, FILE_DENTRY);
    if (!place.mnt || !place.dentry)
        return g_strdup("?");
    bool is_root = U64(kernel, place.dentry, DENTRY_PARENT) == place.dentry;
    if (is_root && place.dentry != U64(kernel, place.mnt, MNT_ROOT))
        return dup_pseudo(kernel, place.dentry, U64(kernel, file, FILE_INODE));
    return dup_place(kernel, place);
}

// A struct file, or 0.
static uint64_t find_descriptor(RwKernel *kernel, const RwKernelTask *task, uint32_t fd)
{
    uint64_t files = U64(kernel, task->address, TASK_FILES),
             table = files ? U64(kernel, files, FILES_TABLE) : 0;
    uint64_t list = table ? U64(kernel, table, FDTABLE_FILES) : 0;
    if (!list || fd >= U32(kernel, table, FDTABLE_MAX))
        return 0;
    return rw_kernel_u64(kernel, list + fd * 8ull);
}

char *rw_kernel_dup_descriptor(RwKernel *kernel, const RwKernelTask *task, uint32_t fd)
{
    return rw_kernel_dup_path(kernel, find_descriptor(kernel, task, fd));
}

bool rw_kernel_reads_descriptor(RwKernel *kernel, const RwKernelTask *task, uint32_t fd)
{
    uint64_t file = find_descriptor(kernel, task, fd);
    return file && (U32(kernel, file, FILE_FLAGS) & O_ACCMODE) != O_WRONLY;
}

// ---- What is in memory ----

static bool is_node(uint64_t entry)
{
    return (entry & 3) == 2 && entry > RW_KERNEL_PAGE;
}

// The page of a file: an address of its struct page; 0: it is not there.
static uint64_t find_page(RwKernel *kernel, uint64_t file, uint64_t index)
{
    uint64_t mapping = U64(kernel, file, FILE_MAPPING), bits = FACT(kernel, XA_BITS);
    uint64_t entry = mapping ? U64(kernel, mapping, MAPPING_PAGES) : 0;
    unsigned shift = 64;
    if (!is_node(entry) && index)
        return 0;
    while (is_node(entry)) {
        uint64_t node = entry - 2;
        unsigned below = U8(kernel, node, XA_NODE_SHIFT);
        bool outside = shift == 64 && below + bits < 64 && index >> (below + bits);
        if (below >= shift || outside)
            return 0;
        shift = below;
        uint64_t slot = index >> shift & ((1ull << bits) - 1);
        entry = rw_kernel_u64(kernel, node + FACT(kernel, XA_NODE_SLOTS) + slot * 8);
    }
    bool of_many = shift != 64 && shift; // it is a page of several, which these file systems do not have
    return (entry & 3) || of_many || entry < RW_KERNEL_HALF ? 0 : entry;
}

bool rw_kernel_find_byte(RwKernel *kernel, uint64_t file, uint64_t offset, uint64_t *ret_gpa)
{
    uint64_t page = find_page(kernel, file, offset / RW_KERNEL_PAGE), first = FACT(kernel, PAGE_STRUCTS);
    if (page < first || (page - first) % FACT(kernel, PAGE_STRUCT_SIZE))
        return false;
    uint64_t number = (page - first) / FACT(kernel, PAGE_STRUCT_SIZE);
    *ret_gpa = number * RW_KERNEL_PAGE + offset % RW_KERNEL_PAGE;
    return number < 1ull << 40;
}

static const uint8_t *file_page(RwKernel *kernel, uint64_t file, uint64_t index)
{
    uint64_t gpa;
    bool known = rw_kernel_find_byte(kernel, file, index * RW_KERNEL_PAGE, &gpa);
    return known ? rw_kernel_physical(kernel, gpa, RW_KERNEL_PAGE) : NULL;
}

bool rw_kernel_find_size(RwKernel *kernel, uint64_t file, uint64_t *ret_gpa)
{
    uint64_t inode = file ? U64(kernel, file, FILE_INODE) : 0;
    return inode && rw_kernel_walk(kernel, FACT(kernel, PAGE_TABLES), inode + FACT(kernel, INODE_SIZE),
                                   ret_gpa) == RW_PAGE_PRESENT;
}

size_t rw_kernel_read_file(RwKernel *kernel, uint64_t file, uint64_t offset, void *ret_bytes, size_t length)
{
    uint64_t inode = file ? U64(kernel, file, FILE_INODE) : 0,
             size = inode ? U64(kernel, inode, INODE_SIZE) : 0;
    size_t done = 0;
    if (offset >= size)
        return 0;
    length = (size_t)MIN(length, size - offset);
    while (done < length) {
        uint64_t at = offset + done, inside = at % RW_KERNEL_PAGE;
        size_t part = MIN(length - done, RW_KERNEL_PAGE - inside);
        const uint8_t *bytes = file_page(kernel, file, at / RW_KERNEL_PAGE);
        if (!bytes)
            break;
        memcpy((uint8_t *)ret_bytes + done, bytes + inside, part);
        done += part;
    }
    return done;
}
