// SPDX-License-Identifier: MIT
//
// Tarballs, by libarchive. Nothing is unpacked to the host's file system: names, links and attributes go
// into the tree, contents into the spool.
#include "sources-private.h"

#include "xattrs-private.h"

#include <archive.h>
#include <archive_entry.h>
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
    int fd;
    GError *read_error; // what the read callback met
    uint8_t chunk[READ_CHUNK];
} Unpack;

// ---- Reading ----

static la_ssize_t read_chunk(struct archive *archive, void *data, const void **ret_bytes)
{
    Unpack *unpack = data;
    ssize_t n;
    do
        n = read(unpack->fd, unpack->chunk, sizeof unpack->chunk);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        rw_error_from_errno(&unpack->read_error, errno, "cannot read it");
    else if (!rw_work_step(unpack->work, (uint64_t)n, &unpack->read_error))
        n = -1;
    if (n < 0)
        archive_set_error(archive, EIO, "stopped");
    *ret_bytes = unpack->chunk;
    return n;
}

// Turns libarchive's last error into ours; the read callback's own goes first. Its message is for one line
// only where it is plain text.
static gboolean fail_archive(Unpack *unpack, const char *what, GError **error)
{
    if (unpack->read_error) {
        g_propagate_error(error, g_steal_pointer(&unpack->read_error));
        return FALSE;
    }
    const char *text = archive_error_string(unpack->archive);
    g_autofree char *shown = rw_display_name(text ? text : "unknown error");
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s (%s)", what, shown);
    return FALSE;
}

static gboolean check_unpacked(Unpack *unpack, GError **error)
{
    for (int i = 0; i < archive_filter_count(unpack->archive); i++) {
        la_int64_t bytes = archive_filter_bytes(unpack->archive, i);
        if (bytes < 0 || (uint64_t)bytes <= unpack->limits->bytes)
            continue;
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "unpacks to more than %" G_GUINT64_FORMAT " MiB",
                    unpack->limits->bytes >> 20);
        return FALSE;
    }
    return TRUE;
}

// ---- Attributes ----

static gboolean fits(la_int64_t value, const char *what, GError **error)
{
    if (value >= 0 && value <= UINT32_MAX)
        return TRUE;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "its %s is out of range", what);
    return FALSE;
}

static gboolean set_device(RwNode *node, struct archive_entry *entry, GError **error)
{
    uint64_t major = (uint64_t)archive_entry_rdevmajor(entry),
             minor = (uint64_t)archive_entry_rdevminor(entry);
    if (major > 0xfff || minor > 0xfffff) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "its device number is out of range");
        return FALSE;
    }
    node->rdev = (uint32_t)((minor & 0xff) | major << 8 | (minor & ~0xffull) << 12);
    return TRUE;
}

static const struct {
    int archive_tag;
    uint16_t tag;
} acl_tags[] = {
    {ARCHIVE_ENTRY_ACL_USER_OBJ, RW_ACL_USER_OBJ},   {ARCHIVE_ENTRY_ACL_USER, RW_ACL_USER},
    {ARCHIVE_ENTRY_ACL_GROUP_OBJ, RW_ACL_GROUP_OBJ}, {ARCHIVE_ENTRY_ACL_GROUP, RW_ACL_GROUP},
    {ARCHIVE_ENTRY_ACL_MASK, RW_ACL_MASK},           {ARCHIVE_ENTRY_ACL_OTHER, RW_ACL_OTHER},
};

static gboolean convert_acl_entry(int tag, int perm, int id, const char *name, RwAclEntry *ret,
                                  GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(acl_tags); i++) {
        if (acl_tags[i].archive_tag != tag)
            continue;
        *ret = (RwAclEntry){acl_tags[i].tag, (uint16_t)(perm & 7), RW_ACL_NO_ID};
        if (ret->tag != RW_ACL_USER && ret->tag != RW_ACL_GROUP)
            return TRUE;
        ret->id = (uint32_t)id;
        if (id >= 0)
            return TRUE;
        g_autofree char *shown = rw_display_name(name ? name : "");
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "its ACL names %.80s without a number; pack it by bsdtar, or without ACLs", shown);
        return FALSE;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "its ACL is not a POSIX one");
    return FALSE;
}

// One of the two ACLs. libarchive keeps the owning group's permissions in the mode's group bits, where a
// file with a mask has the mask's.
static gboolean add_acl(RwXattrs *xattrs, RwNode *node, struct archive_entry *entry, int type,
                        const char *name, GError **error)
{
    g_autoptr(GArray) acl = g_array_new(FALSE, FALSE, sizeof(RwAclEntry));
    int ret_type, perm, tag, id;
    const char *who;
    if (archive_entry_acl_reset(entry, type) == 0)
        return TRUE;
    while (archive_entry_acl_next(entry, type, &ret_type, &perm, &tag, &id, &who) == ARCHIVE_OK) {
        RwAclEntry one;
        if (!convert_acl_entry(tag, perm, id, who, &one, error))
            return FALSE;
        if (one.tag == RW_ACL_MASK && type == ARCHIVE_ENTRY_ACL_TYPE_ACCESS)
            node->mode = (node->mode & ~070u) | (uint32_t)one.perm << 3;
        g_array_append_val(acl, one);
    }
    if (!acl->len)
        return TRUE;
    g_autoptr(GBytes) value = rw_acl_encode((RwAclEntry *)acl->data, acl->len);
    gsize len;
    const void *data = g_bytes_get_data(value, &len);
    return rw_xattrs_add(xattrs, name, data, len, error);
}

static gboolean set_xattrs(RwNode *node, struct archive_entry *entry, GError **error)
{
    g_autoptr(RwXattrs) xattrs = rw_xattrs_new();
    const char *name;
    const void *value;
    size_t len;
    archive_entry_xattr_reset(entry);
    while (archive_entry_xattr_next(entry, &name, &value, &len) == ARCHIVE_OK)
        if (name && !rw_xattrs_add(xattrs, name, value, len, error))
            return FALSE;
    g_clear_pointer(&node->xattrs, g_bytes_unref);
    return add_acl(xattrs, node, entry, ARCHIVE_ENTRY_ACL_TYPE_ACCESS, "system.posix_acl_access", error) &&
           add_acl(xattrs, node, entry, ARCHIVE_ENTRY_ACL_TYPE_DEFAULT, "system.posix_acl_default",
                   error) &&
           rw_xattrs_encode(xattrs, &node->xattrs, error);
}

static gboolean set_attributes(RwNode *node, struct archive_entry *entry, GError **error)
{
    if (!fits(archive_entry_uid(entry), "owner", error) || !fits(archive_entry_gid(entry), "group", error))
        return FALSE;
    // Linux gives every symbolic link all permissions, whatever a header says.
    if (!S_ISLNK(node->mode))
        node->mode = (node->mode & S_IFMT) | (archive_entry_mode(entry) & 07777);
    node->uid = (uint32_t)archive_entry_uid(entry);
    node->gid = (uint32_t)archive_entry_gid(entry);
    node->mtime = archive_entry_mtime(entry);
    long nsec = archive_entry_mtime_nsec(entry);
    node->mtime_nsec = nsec >= 0 && nsec < 1000000000 ? (uint32_t)nsec : 0;
    if ((S_ISCHR(node->mode) || S_ISBLK(node->mode)) && !set_device(node, entry, error))
        return FALSE;
    return set_xattrs(node, entry, error);
}

// ---- Members ----

static gboolean read_contents(Unpack *unpack, RwNode *node, uint64_t size, GError **error)
{
    const void *data;
    size_t len;
    la_int64_t offset;
    int r;
    if (size > RW_TREE_FILE_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is larger than 16 TiB");
        return FALSE;
    }
    node->file.size = size;
    rw_spool_begin(unpack->spool);
    while ((r = archive_read_data_block(unpack->archive, &data, &len, &offset)) == ARCHIVE_OK) {
        if (offset < 0 || !rw_range_ok(size, (uint64_t)offset, len)) {
            g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it has more bytes than it says");
            return FALSE;
        }
        if (!rw_spool_write(unpack->spool, (uint64_t)offset, data, len, error) ||
            !check_unpacked(unpack, error))
            return FALSE;
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
    if (!node || !set_attributes(node, entry, error))
        return NULL;
    if (type == S_IFREG && !read_contents(unpack, node, (uint64_t)archive_entry_size(entry), error))
        return NULL;
    return g_steal_pointer(&node);
}

static gboolean has_dots(const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    return g_strv_contains((const char *const *)parts, "..");
}

// A hard link. Its target may come later in a tarball whose members were put in another order: then a
// stand-in waits for the end.
static gboolean add_hard_link(Unpack *unpack, struct archive_entry *entry, RwNode *dir, const char *name,
                              GError **error)
{
    const char *target = archive_entry_hardlink(entry);
    if (has_dots(target)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is a hard link to a name with \"..\" in it");
        return FALSE;
    }
    RwNode *node = rw_tree_find(unpack->tree, target, FALSE);
    if (node && S_ISDIR(node->mode)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is a hard link to a directory");
        return FALSE;
    }
    // pax allows a link to bring the contents along.
    if (node && S_ISREG(node->mode) && archive_entry_size(entry) > 0 &&
        !read_contents(unpack, node, (uint64_t)archive_entry_size(entry), error))
        return FALSE;
    if (!node) {
        node = rw_node_new(0);
        node->target = g_strdup(target);
    }
    return rw_tree_put(unpack->tree, dir, name, node, error);
}

static gboolean add_member(Unpack *unpack, struct archive_entry *entry, const char *path, GError **error)
{
    g_autofree char *name = NULL;
    RwNode *dir = rw_tree_find_parent(unpack->tree, path, &name, error);
    if (!dir)
        return FALSE;
    RwNode *old = name ? rw_tree_get(dir, name) : unpack->tree->root;
    if (archive_entry_hardlink(entry) && name)
        return add_hard_link(unpack, entry, dir, name, error);
    if (archive_entry_filetype(entry) == S_IFDIR && old && S_ISDIR(old->mode))
        return set_attributes(old, entry, error);
    if (!name) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is the root but not a directory");
        return FALSE;
    }
    RwNode *node = new_node(unpack, entry, error);
    return node && rw_tree_put(unpack->tree, dir, name, node, error);
}

// libarchive in the C locale takes names as bytes, and says so with a warning for each that is not ASCII.
static gboolean is_charset_warning(Unpack *unpack)
{
    const char *text = archive_error_string(unpack->archive);
    return text && strstr(text, "can't be converted from");
}

// A tarball ends with blocks of zeros; without any it was cut between two members.
static gboolean check_end(Unpack *unpack, GError **error)
{
    if (archive_filter_bytes(unpack->archive, 0) - archive_read_header_position(unpack->archive) >= 512)
        return TRUE;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "the tarball is cut short");
    return FALSE;
}

static gboolean fail_header(Unpack *unpack, GError **error)
{
    // Something compressed is taken for a tarball that was cut short.
    bool known = archive_format(unpack->archive) || archive_filter_count(unpack->archive) > 1;
    return fail_archive(unpack, known ? damaged : not_known, error);
}

static gboolean add_members(Unpack *unpack, GError **error)
{
    for (;;) {
        struct archive_entry *entry;
        int r = archive_read_next_header(unpack->archive, &entry);
        if (r == ARCHIVE_EOF)
            return check_end(unpack, error);
        if (r != ARCHIVE_OK && !(r == ARCHIVE_WARN && is_charset_warning(unpack)))
            return fail_header(unpack, error);
        if (!check_unpacked(unpack, error) || !rw_work_step(unpack->work, 0, error))
            return FALSE;
        const char *path = archive_entry_pathname(entry);
        g_autofree char *shown = rw_display_name(path ? path : "");
        if (!path || !add_member(unpack, entry, path, error)) {
            if (!path)
                g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it has no name");
            if (!g_error_matches(*error, RW_ERROR, RW_ERROR_CANCELLED))
                g_prefix_error(error, "member %.200s: ", shown);
            return FALSE;
        }
    }
}

// ---- Hard links that came before their targets ----

static gboolean resolve_link(RwTree *tree, RwNode *dir, const char *name, const RwNode *stand_in,
                             GError **error)
{
    RwNode *node = rw_tree_find(tree, stand_in->target, FALSE);
    for (int links = 0; node && !(node->mode & S_IFMT); links++)
        node = links < 40 ? rw_tree_find(tree, node->target, FALSE) : NULL;
    if (node && !S_ISDIR(node->mode))
        return rw_tree_put(tree, dir, name, node, error);
    g_autofree char *shown = rw_display_name(name), *target = rw_display_name(stand_in->target);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                "member %.200s: it is a hard link to %.200s, which is %s", shown, target,
                node ? "a directory" : "not in the tarball");
    return FALSE;
}

static gboolean resolve_links(RwTree *tree, RwNode *dir, GError **error)
{
    if (!dir->dir.children)
        return TRUE;
    guint n;
    g_autofree char **names = (char **)g_hash_table_get_keys_as_array(dir->dir.children, &n);
    for (guint i = 0; i < n; i++) {
        RwNode *node = rw_tree_get(dir, names[i]);
        if (S_ISDIR(node->mode) ? !resolve_links(tree, node, error)
                                : !(node->mode & S_IFMT) && !resolve_link(tree, dir, names[i], node, error))
            return FALSE;
    }
    return TRUE;
}

// ---- The whole ----

static gboolean open_archive(Unpack *unpack, GError **error)
{
    struct archive *archive = unpack->archive;
    archive_read_support_format_tar(archive);
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_zstd(archive);
    if (archive_read_open(archive, unpack, NULL, read_chunk, NULL) == ARCHIVE_OK)
        return TRUE;
    return fail_archive(unpack, not_known, error);
}

static gboolean unpack_all(Unpack *unpack, GError **error)
{
    return open_archive(unpack, error) && add_members(unpack, error) &&
           resolve_links(unpack->tree, unpack->tree->root, error) && rw_spool_flush(unpack->spool, error);
}

gboolean rw_tree_from_tar(RwTree *tree, RwSpool *spool, int fd, const RwImageLimits *limits, RwWork *work,
                          GError **error)
{
    Unpack *unpack = g_new0(Unpack, 1);
    *unpack = (Unpack){.tree = tree, .spool = spool, .work = work, .limits = limits, .fd = fd};
    unpack->archive = archive_read_new();
    // In a UTF-8 locale libarchive normalises names, which would change them; in the C locale it leaves
    // them alone. This thread only.
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    GError *local = NULL;
    gboolean ok = unpack_all(unpack, &local);
    archive_read_free(unpack->archive);
    uselocale(before);
    freelocale(plain);
    if (local)
        g_propagate_error(error, local);
    g_clear_error(&unpack->read_error);
    g_free(unpack);
    return ok;
}
