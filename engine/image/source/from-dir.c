// SPDX-License-Identifier: MIT
//
// Directories. The tree's nodes hold the attributes; a file is opened again, by its names from the root
// down and without following links, when its contents are wanted, so that two descriptors are enough for
// any depth.
#include "sources-private.h"

#include "erofs-format-private.h"
#include "xattrs-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCAN_CHUNK (1u << 20)
// A file with fewer zeros than this is stored whole (see layout.c), so it need not be searched for them.
#define SCAN_MIN (256u << 10)

struct RwDirSource {
    RwContents contents; // first: RwContents * is cast back
    int root_fd;
    RwNode *open_dir; // the directory that open_fd is
    int open_fd;
    dev_t skip_dev;
    ino_t skip_ino;
    GHashTable *links; // LinkKey to RwNode *: files with several names
};

typedef struct {
    uint64_t dev, ino;
} LinkKey;

static guint hash_link(gconstpointer key)
{
    const LinkKey *link = key;
    return (guint)(link->ino * 0x9e3779b97f4a7c15ull >> 32) ^ (guint)link->dev;
}

static gboolean equal_links(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(LinkKey)) == 0;
}

// ---- Opening ----

static bool fail_at(const RwNode *dir, const char *name, const char *what, GError **error)
{
    int saved = errno;
    g_autofree char *path = rw_tree_dup_path(dir), *shown = rw_display_name(name);
    const char *slash = strcmp(path, "/") == 0 || !*name ? "" : "/";
    rw_error_from_errno(error, saved, "cannot %s %s%s%s", what, path, slash, shown);
    return false;
}

// A descriptor of a directory of the tree, opened part by part; -1 with errno.
static int open_from_root(const RwDirSource *source, const RwNode *dir)
{
    g_autoptr(GPtrArray) parts = g_ptr_array_new();
    for (; dir->parent != dir; dir = dir->parent)
        g_ptr_array_add(parts, (gpointer)dir->name);
    int fd = openat(source->root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (guint i = parts->len; fd >= 0 && i-- > 0;) {
        int flags = (i ? O_PATH : O_RDONLY) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        int next = openat(fd, g_ptr_array_index(parts, i), flags);
        int saved = errno;
        close(fd);
        errno = saved;
        fd = next;
    }
    return fd;
}

// The same, kept open for the next file of the same directory.
static int get_dir_fd(RwDirSource *source, RwNode *dir)
{
    if (source->open_dir == dir)
        return source->open_fd;
    if (source->open_fd >= 0)
        close(source->open_fd);
    source->open_fd = open_from_root(source, dir);
    source->open_dir = source->open_fd >= 0 ? dir : NULL;
    return source->open_fd;
}

// ---- Attributes ----

static bool add_xattr(RwXattrs *xattrs, const char *path, const char *name, GError **error)
{
    char value[65536];
    ssize_t len = lgetxattr(path, name, value, sizeof value);
    if (len >= 0)
        return rw_xattrs_add(xattrs, name, value, (size_t)len, error);
    // Gone since it was listed, or listed but not kept for this type of file.
    if (errno == ENODATA || errno == EOPNOTSUPP)
        return true;
    rw_error_from_errno(error, errno, "cannot read its extended attribute %s", name);
    return false;
}

static bool read_xattrs(RwNode *node, int dir_fd, const char *name, GError **error)
{
    // No call takes a directory and a name without opening the file, which a device or an unreadable
    // file doesn't bear; /proc's links do.
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d/%s", dir_fd, *name ? name : ".");
    char list[65536]; // the kernel's XATTR_LIST_MAX
    ssize_t len = llistxattr(path, list, sizeof list);
    if (len < 0 && errno != EOPNOTSUPP) {
        rw_error_from_errno(error, errno, "cannot list its extended attributes");
        return false;
    }
    if (len <= 0)
        return true;
    g_autoptr(RwXattrs) xattrs = rw_xattrs_new();
    for (const char *at = list; at < list + len; at += strlen(at) + 1)
        if (rw_xattrs_wanted(at) && !add_xattr(xattrs, path, at, error))
            return false;
    return rw_xattrs_encode(xattrs, &node->xattrs, error);
}

static bool read_link(RwNode *node, int dir_fd, const char *name, GError **error)
{
    char target[RW_TREE_LINK_MAX + 1];
    ssize_t len = readlinkat(dir_fd, name, target, sizeof target);
    if (len > 0 && len <= (ssize_t)RW_TREE_LINK_MAX) {
        node->target = g_strndup(target, (gsize)len);
        return true;
    }
    rw_error_from_errno(error, len < 0 ? errno : ENAMETOOLONG, "cannot read the link");
    return false;
}

static void set_attributes(RwNode *node, const struct stat *st)
{
    node->mode = (uint32_t)st->st_mode;
    node->uid = st->st_uid;
    node->gid = st->st_gid;
    node->mtime = st->st_mtim.tv_sec;
    node->mtime_nsec = (uint32_t)st->st_mtim.tv_nsec;
    if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode)) {
        uint32_t high = major(st->st_rdev), low = minor(st->st_rdev);
        node->rdev = (low & 0xff) | high << 8 | (low & ~0xffu) << 12;
    }
}

// ---- Directories that stay empty ----

// The kernel's own file systems (include/uapi/linux/magic.h): what they show is the host's, not the tree's.
static const uint32_t kernel_filesystems[] = {
    0x9fa0 /* proc */,         0x62656572 /* sysfs */,   0x1cd1 /* devpts */,
    0x27e0eb /* cgroup */,     0x63677270 /* cgroup2 */, 0x73636673 /* security */,
    0x64626720 /* debugfs */,  0x74726163 /* tracefs */, 0xcafe4a11 /* bpf */,
    0x19800202 /* mqueue */,   0x6165676c /* pstore */,  0x62656570 /* configfs */,
    0xde5e81e4 /* efivarfs */, 0x42494e4d /* binfmt */,  0x65735543 /* fusectl */,
    0xf97cff8c /* selinux */,  0x6e736673 /* nsfs */,    0x67596969 /* rpc_pipefs */,
    0x187 /* autofs */,
};

bool rw_is_kernel_mount(int dir_fd, const char *name)
{
    struct statfs fs;
    int fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool found = false;
    if (fstatfs(fd, &fs) == 0)
        for (gsize i = 0; i < G_N_ELEMENTS(kernel_filesystems); i++)
            found |= (uint32_t)fs.f_type == kernel_filesystems[i];
    close(fd);
    return found;
}

// ---- Walking ----

typedef struct {
    RwTree *tree;
    RwDirSource *source;
    RwWork *work;
    const RwImageLimits *limits;
    GQueue dirs; // RwNode * still to be listed; their names borrow from the tree
} Walk;

static RwNode *new_node(Walk *walk, int dir_fd, const char *name, const struct stat *st, GError **error)
{
    g_autoptr(RwNode) node = rw_node_new((uint32_t)st->st_mode);
    set_attributes(node, st);
    if (!read_xattrs(node, dir_fd, name, error) ||
        (S_ISLNK(st->st_mode) && !read_link(node, dir_fd, name, error)))
        return NULL;
    if (S_ISREG(st->st_mode)) {
        if ((uint64_t)st->st_size > RW_TREE_FILE_MAX) {
            g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is larger than 16 TiB");
            return NULL;
        }
        node->file.size = (uint64_t)st->st_size;
        walk->work->total += MIN((uint64_t)st->st_size, (uint64_t)st->st_blocks * 512);
    }
    return g_steal_pointer(&node);
}

// The node for a file with several names: the one made for its first name, if that was already met.
static RwNode *find_link(Walk *walk, const struct stat *st)
{
    LinkKey key = {st->st_dev, st->st_ino};
    return S_ISDIR(st->st_mode) || st->st_nlink < 2 ? NULL : g_hash_table_lookup(walk->source->links, &key);
}

static void remember_link(Walk *walk, const struct stat *st, RwNode *node)
{
    LinkKey key = {st->st_dev, st->st_ino};
    if (!S_ISDIR(st->st_mode) && st->st_nlink > 1)
        g_hash_table_insert(walk->source->links, g_memdup2(&key, sizeof key), node);
}

static bool add_entry(Walk *walk, RwNode *dir, int dir_fd, const struct stat *dir_st, const char *name,
                      GError **error)
{
    struct stat st;
    if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0) {
        rw_error_from_errno(error, errno, "cannot look at it");
        return false;
    }
    bool hidden = S_ISDIR(st.st_mode) &&
                  ((st.st_dev == walk->source->skip_dev && st.st_ino == walk->source->skip_ino) ||
                   (st.st_dev != dir_st->st_dev && rw_is_kernel_mount(dir_fd, name)));
    RwNode *node = hidden ? rw_node_new(S_IFDIR | 0755) : find_link(walk, &st);
    if (!node && (node = new_node(walk, dir_fd, name, &st, error)))
        remember_link(walk, &st, node);
    if (!node || !rw_tree_put(walk->tree, dir, name, node, error))
        return false;
    if (!S_ISDIR(st.st_mode) || hidden)
        return true;
    gpointer key;
    g_hash_table_lookup_extended(dir->dir.children, name, &key, NULL);
    node->name = key;
    g_queue_push_tail(&walk->dirs, node);
    return true;
}

static bool list_names(Walk *walk, RwNode *dir, DIR *stream, const struct stat *st, GError **error)
{
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(stream);
        if (!entry && errno)
            return fail_at(dir, "", "read the directory", error);
        if (!entry)
            return true;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (!rw_work_step(walk->work, 0, error))
            return false;
        if (!add_entry(walk, dir, dirfd(stream), st, entry->d_name, error)) {
            g_autofree char *path = rw_tree_dup_path(dir), *shown = rw_display_name(entry->d_name);
            g_prefix_error(error, "%s%s%s: ", path, dir->parent == dir ? "" : "/", shown);
            return false;
        }
    }
}

static bool list_directory(Walk *walk, RwNode *dir, GError **error)
{
    struct stat st;
    int fd = open_from_root(walk->source, dir);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    if (!stream || fstat(fd, &st) < 0) {
        fail_at(dir, "", "read the directory", error);
        if (stream)
            closedir(stream);
        else if (fd >= 0)
            close(fd);
        return false;
    }
    bool ok = list_names(walk, dir, stream, &st, error);
    closedir(stream);
    return ok;
}

static bool read_root(Walk *walk, GError **error)
{
    struct stat st;
    RwNode *root = walk->tree->root;
    if (fstat(walk->source->root_fd, &st) < 0)
        return fail_at(root, "", "look at", error);
    set_attributes(root, &st);
    g_queue_push_tail(&walk->dirs, root);
    return read_xattrs(root, walk->source->root_fd, "", error);
}

bool rw_tree_from_dir(RwTree *tree, RwDirSource *source, const RwImageLimits *limits, RwWork *work,
                      GError **error)
{
    Walk walk = {.tree = tree, .source = source, .work = work, .limits = limits, .dirs = G_QUEUE_INIT};
    GError *local = NULL;
    bool ok = read_root(&walk, &local);
    RwNode *dir;
    while (ok && (dir = g_queue_pop_head(&walk.dirs)))
        ok = list_directory(&walk, dir, &local);
    g_queue_clear(&walk.dirs);
    if (local)
        g_propagate_error(error, local);
    // The tree's own freeze gives the names.
    if (ok && work->total > limits->bytes) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "holds more than %" G_GUINT64_FORMAT " MiB",
                    limits->bytes >> 20);
        return false;
    }
    return ok;
}

// ---- Contents ----

static void add_run(GArray *runs, uint64_t block, uint64_t count)
{
    RwRun *last = runs->len ? &g_array_index(runs, RwRun, runs->len - 1) : NULL;
    RwRun run = {block, count, block * EROFS_BLOCK};
    if (last && last->block + last->count == block)
        last->count += count;
    else
        g_array_append_val(runs, run);
}

static void add_chunk_runs(GArray *runs, const uint8_t *chunk, size_t len, uint64_t offset)
{
    for (size_t at = 0; at < len; at += EROFS_BLOCK)
        if (!rw_is_zero(chunk + at, MIN(EROFS_BLOCK, len - at)))
            add_run(runs, (offset + at) / EROFS_BLOCK, 1);
}

// Finds the blocks that are not zero; holes are jumped over.
static bool scan(int fd, uint64_t size, GArray *runs)
{
    g_autofree uint8_t *chunk = g_malloc(SCAN_CHUNK);
    uint64_t offset = 0;
    while (offset < size) {
        off_t data = lseek(fd, (off_t)offset, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            return true;
        if (data > (off_t)offset)
            offset = (uint64_t)data & ~(uint64_t)(EROFS_BLOCK - 1);
        size_t want = (size_t)MIN(SCAN_CHUNK, size - offset), got = 0;
        while (got < want) {
            ssize_t n = pread(fd, chunk + got, want - got, (off_t)(offset + got));
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0) {
                errno = n ? errno : ESTALE;
                return false;
            }
            got += (size_t)n;
        }
        add_chunk_runs(runs, chunk, got, offset);
        offset += got;
    }
    return true;
}

static bool unchanged(const RwNode *node, int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == node->file.size &&
           st.st_mtim.tv_sec == node->mtime && (uint32_t)st.st_mtim.tv_nsec == node->mtime_nsec;
}

static bool check_unchanged(const RwNode *node, int fd, GError **error)
{
    if (unchanged(node, fd))
        return true;
    g_autofree char *path = rw_tree_dup_path(node);
    g_set_error(error, RW_ERROR, RW_ERROR_IO, "%s changed while it was read", path);
    return false;
}

static bool open_content(RwContents *self, RwNode *node, RwContent *ret_content, GError **error)
{
    RwDirSource *source = (RwDirSource *)self;
    *ret_content = (RwContent){.fd = -1};
    int dir_fd = get_dir_fd(source, node->parent);
    int fd = dir_fd < 0 ? -1 : openat(dir_fd, node->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return fail_at(node->parent, node->name, "read", error);
    GArray *runs = g_array_new(false, false, sizeof(RwRun));
    bool ok = check_unchanged(node, fd, error);
    if (ok && node->file.size && node->file.size < SCAN_MIN)
        add_run(runs, 0, (node->file.size + EROFS_BLOCK - 1) / EROFS_BLOCK);
    else if (ok && !scan(fd, node->file.size, runs))
        ok = fail_at(node->parent, node->name, "read", error);
    *ret_content = (RwContent){fd, runs};
    if (!ok) {
        close(fd);
        g_array_unref(runs);
    }
    return ok;
}

static bool close_content(RwContents *self, RwNode *node, RwContent *content, bool ok, GError **error)
{
    (void)self;
    if (ok)
        ok = check_unchanged(node, content->fd, error);
    close(content->fd);
    g_array_unref(content->runs);
    return ok;
}

// ---- The source ----

RwDirSource *rw_dir_source_new(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot read the directory");
        return NULL;
    }
    RwDirSource *source = g_new0(RwDirSource, 1);
    source->contents = (RwContents){open_content, close_content};
    source->root_fd = fd;
    source->open_fd = -1;
    source->links = g_hash_table_new_full(hash_link, equal_links, g_free, NULL);
    return source;
}

void rw_dir_source_skip(RwDirSource *source, const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return;
    source->skip_dev = st.st_dev;
    source->skip_ino = st.st_ino;
}

void rw_dir_source_free(RwDirSource *source)
{
    if (!source)
        return;
    g_hash_table_unref(source->links);
    if (source->open_fd >= 0)
        close(source->open_fd);
    close(source->root_fd);
    g_free(source);
}

RwContents *rw_dir_source_contents(RwDirSource *source)
{
    return &source->contents;
}
