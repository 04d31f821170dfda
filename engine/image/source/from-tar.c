// SPDX-License-Identifier: MIT
//
// Tarballs, by libarchive. Nothing is unpacked to the host's file system: names, links and attributes go
// into the tree, contents into the spool.
#include "sources-private.h"

#include "tar-private.h"
#include "whiteout-private.h"

#include <errno.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

static const char damaged[] = "the tarball is damaged or cut short";
static const char not_known[] = "neither a directory nor a tarball nor an erofs image";

#define READ_CHUNK (256u << 10)

typedef struct {
    RwTree *tree;
    RwSpool *spool;
    RwWork *work;
    const RwImageLimits *limits;
    struct archive *archive;
    RwTarInput *input;
    GError *read_error; // what the read callback met
} Unpack;

// What a file gives.
typedef struct {
    RwTarInput input; // first: RwTarInput * is cast back
    int fd;
    RwWork *work;
    uint8_t chunk[READ_CHUNK];
} FileInput;

// ---- Reading ----

static ssize_t read_file(RwTarInput *input, const void **ret_bytes, GError **error)
{
    FileInput *file = (FileInput *)input;
    ssize_t n;
    do
        n = read(file->fd, file->chunk, sizeof file->chunk);
    while (n < 0 && errno == EINTR);
    *ret_bytes = file->chunk;
    if (n < 0)
        rw_error_from_errno(error, errno, "cannot read it");
    else if (!rw_work_step(file->work, (uint64_t)n, error))
        n = -1;
    return n;
}

static la_ssize_t read_chunk(struct archive *archive, void *data, const void **ret_bytes)
{
    Unpack *unpack = data;
    ssize_t n = unpack->input->read(unpack->input, ret_bytes, &unpack->read_error);
    if (n < 0)
        archive_set_error(archive, EIO, "stopped");
    return n;
}

// Turns libarchive's last error into ours; the read callback's own goes first. Its message is for one line
// only where it is plain text.
static bool fail_archive(Unpack *unpack, const char *what, GError **error)
{
    if (unpack->read_error) {
        g_propagate_error(error, g_steal_pointer(&unpack->read_error));
        return false;
    }
    const char *text = archive_error_string(unpack->archive);
    g_autofree char *shown = rw_display_name(text ? text : "unknown error");
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s (%s)", what, shown);
    return false;
}

static bool check_unpacked(Unpack *unpack, GError **error)
{
    for (int i = 0; i < archive_filter_count(unpack->archive); i++) {
        la_int64_t bytes = archive_filter_bytes(unpack->archive, i);
        if (bytes < 0 || (uint64_t)bytes <= unpack->limits->bytes)
            continue;
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "unpacks to more than %" G_GUINT64_FORMAT " MiB",
                    unpack->limits->bytes >> 20);
        return false;
    }
    return true;
}

// ---- Members ----

static bool read_contents(Unpack *unpack, RwNode *node, uint64_t size, GError **error)
{
    const void *data;
    size_t len;
    la_int64_t offset;
    int r;
    if (size > RW_TREE_FILE_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is larger than 16 TiB");
        return false;
    }
    node->file.size = size;
    rw_spool_begin(unpack->spool);
    while ((r = archive_read_data_block(unpack->archive, &data, &len, &offset)) == ARCHIVE_OK) {
        if (offset < 0 || !rw_range_ok(size, (uint64_t)offset, len)) {
            g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it has more bytes than it says");
            return false;
        }
        if (!rw_spool_write(unpack->spool, (uint64_t)offset, data, len, error) ||
            !check_unpacked(unpack, error))
            return false;
    }
    if (r != ARCHIVE_EOF)
        return fail_archive(unpack, damaged, error);
    return rw_spool_end(unpack->spool, node, error);
}

static RwNode *new_link(const char *target, GError **error)
{
    size_t len = target ? strlen(target) : 0;
    if (len == 0 || len > RW_TREE_LINK_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is a symbolic link to %s",
                    len ? "a name that is too long" : "nothing");
        return NULL;
    }
    RwNode *node = rw_node_new(S_IFLNK | 0777);
    node->target = g_strdup(target);
    return node;
}

static RwNode *new_node(Unpack *unpack, struct archive_entry *entry, GError **error)
{
    uint32_t type = archive_entry_filetype(entry);
    g_autoptr(RwNode) node = NULL;
    if (type == S_IFLNK)
        node = new_link(archive_entry_symlink(entry), error);
    else if (type == S_IFREG || type == S_IFDIR || type == S_IFCHR || type == S_IFBLK || type == S_IFIFO ||
             type == S_IFSOCK)
        node = rw_node_new(type);
    else
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is of no known type");
    if (!node || !rw_tar_set_attributes(node, entry, error))
        return NULL;
    if (type == S_IFREG && !read_contents(unpack, node, (uint64_t)archive_entry_size(entry), error))
        return NULL;
    return g_steal_pointer(&node);
}

static bool has_dots(const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    return g_strv_contains((const char *const *)parts, "..");
}

// A hard link. Its target may come later in a tarball whose members were put in another order: then a
// stand-in waits for the end.
static bool add_hard_link(Unpack *unpack, struct archive_entry *entry, RwNode *dir, const char *name,
                          GError **error)
{
    const char *target = archive_entry_hardlink(entry);
    if (has_dots(target)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is a hard link to a name with \"..\" in it");
        return false;
    }
    RwNode *node = rw_tree_find(unpack->tree, target, false);
    if (node && S_ISDIR(node->mode)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is a hard link to a directory");
        return false;
    }
    // pax allows a link to bring the contents along.
    if (node && S_ISREG(node->mode) && archive_entry_size(entry) > 0 &&
        !read_contents(unpack, node, (uint64_t)archive_entry_size(entry), error))
        return false;
    if (!node) {
        node = rw_node_new(0);
        node->target = g_strdup(target);
    }
    return rw_tree_put(unpack->tree, dir, name, node, error);
}

static bool add_member(Unpack *unpack, struct archive_entry *entry, const char *path, GError **error)
{
    g_autofree char *name = NULL;
    RwNode *dir = rw_tree_find_parent(unpack->tree, path, &name, error);
    if (!dir)
        return false;
    if (name && unpack->input->layer && rw_is_whiteout(name))
        return rw_apply_whiteout(unpack->tree, dir, name, error);
    RwNode *old = name ? rw_tree_get(dir, name) : unpack->tree->root;
    if (archive_entry_hardlink(entry) && name)
        return add_hard_link(unpack, entry, dir, name, error);
    if (archive_entry_filetype(entry) == S_IFDIR && old && S_ISDIR(old->mode)) {
        if (name)
            rw_tree_mark(unpack->tree, dir, name);
        return rw_tar_set_attributes(old, entry, error);
    }
    if (!name) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is the root but not a directory");
        return false;
    }
    RwNode *node = new_node(unpack, entry, error);
    return node && rw_tree_put(unpack->tree, dir, name, node, error);
}

// libarchive in the C locale takes names as bytes, and says so with a warning for each that is not ASCII.
static bool is_charset_warning(Unpack *unpack)
{
    const char *text = archive_error_string(unpack->archive);
    return text && strstr(text, "can't be converted from");
}

// A tarball ends with blocks of zeros; without any it was cut between two members.
static bool check_end(Unpack *unpack, GError **error)
{
    if (archive_filter_bytes(unpack->archive, 0) - archive_read_header_position(unpack->archive) >= 512)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "the tarball is cut short");
    return false;
}

static bool fail_header(Unpack *unpack, GError **error)
{
    // Something compressed is taken for a tarball that was cut short.
    bool known = archive_format(unpack->archive) || archive_filter_count(unpack->archive) > 1;
    return fail_archive(unpack, known ? damaged : not_known, error);
}

static bool add_members(Unpack *unpack, GError **error)
{
    for (;;) {
        struct archive_entry *entry;
        int r = archive_read_next_header(unpack->archive, &entry);
        if (r == ARCHIVE_EOF)
            return check_end(unpack, error);
        if (r != ARCHIVE_OK && !(r == ARCHIVE_WARN && is_charset_warning(unpack)))
            return fail_header(unpack, error);
        if (!check_unpacked(unpack, error) || !rw_work_step(unpack->work, 0, error))
            return false;
        const char *path = archive_entry_pathname(entry);
        g_autofree char *shown = rw_display_name(path ? path : "");
        if (!path || !add_member(unpack, entry, path, error)) {
            if (!path)
                g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it has no name");
            if (!g_error_matches(*error, RW_ERROR, RW_ERROR_CANCELLED))
                g_prefix_error(error, "member %.200s: ", shown);
            return false;
        }
    }
}

// ---- Hard links that came before their targets ----

static bool resolve_link(RwTree *tree, RwNode *dir, const char *name, const RwNode *stand_in,
                         GError **error)
{
    RwNode *node = rw_tree_find(tree, stand_in->target, false);
    for (int links = 0; node && !(node->mode & S_IFMT); links++)
        node = links < 40 ? rw_tree_find(tree, node->target, false) : NULL;
    if (node && !S_ISDIR(node->mode))
        return rw_tree_put(tree, dir, name, node, error);
    g_autofree char *shown = rw_display_name(name), *target = rw_display_name(stand_in->target);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                "member %.200s: it is a hard link to %.200s, which is %s", shown, target,
                node ? "a directory" : "not in the tarball");
    return false;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool resolve_links(RwTree *tree, RwNode *dir, GError **error)
{
    if (!dir->dir.children)
        return true;
    guint n;
    g_autofree char **names = (char **)g_hash_table_get_keys_as_array(dir->dir.children, &n);
    qsort(names, n, sizeof *names,
          compare_names); // so that of several that are wrong the same one is named
    for (guint i = 0; i < n; i++) {
        RwNode *node = rw_tree_get(dir, names[i]);
        if (S_ISDIR(node->mode) ? !resolve_links(tree, node, error)
                                : !(node->mode & S_IFMT) && !resolve_link(tree, dir, names[i], node, error))
            return false;
    }
    return true;
}

// ---- The whole ----

static bool open_archive(Unpack *unpack, GError **error)
{
    struct archive *archive = unpack->archive;
    archive_read_support_format_tar(archive);
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_zstd(archive);
    if (archive_read_open(archive, unpack, NULL, read_chunk, NULL) == ARCHIVE_OK)
        return true;
    return fail_archive(unpack, not_known, error);
}

static bool unpack_all(Unpack *unpack, GError **error)
{
    return open_archive(unpack, error) && add_members(unpack, error) &&
           resolve_links(unpack->tree, unpack->tree->root, error) && rw_spool_flush(unpack->spool, error);
}

bool rw_tree_add_tar(RwTree *tree, RwSpool *spool, RwTarInput *input, const RwImageLimits *limits,
                     RwWork *work, GError **error)
{
    Unpack unpack = {.tree = tree, .spool = spool, .work = work, .limits = limits, .input = input};
    unpack.archive = archive_read_new();
    // In a UTF-8 locale libarchive normalises names, which would change them; in the C locale it leaves
    // them alone. This thread only.
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    GError *local = NULL;
    bool ok = unpack_all(&unpack, &local);
    archive_read_free(unpack.archive);
    uselocale(before);
    freelocale(plain);
    if (local)
        g_propagate_error(error, local);
    g_clear_error(&unpack.read_error);
    return ok;
}

bool rw_tree_from_tar(RwTree *tree, RwSpool *spool, int fd, const RwImageLimits *limits, RwWork *work,
                      GError **error)
{
    g_autofree FileInput *file = g_new(FileInput, 1);
    file->input = (RwTarInput){.read = read_file};
    file->fd = fd;
    file->work = work;
    return rw_tree_add_tar(tree, spool, &file->input, limits, work, error);
}
