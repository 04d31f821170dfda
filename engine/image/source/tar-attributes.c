// SPDX-License-Identifier: MIT
//
// A member's mode, owner, times, device number and extended attributes.
#include "tar-private.h"

#include "xattrs-private.h"

#include <sys/stat.h>

static bool fits(la_int64_t value, const char *what, GError **error)
{
    if (value >= 0 && value <= UINT32_MAX)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "its %s is out of range", what);
    return false;
}

static bool set_device(RwNode *node, struct archive_entry *entry, GError **error)
{
    uint64_t major = (uint64_t)archive_entry_rdevmajor(entry),
             minor = (uint64_t)archive_entry_rdevminor(entry);
    if (major > 0xfff || minor > 0xfffff) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "its device number is out of range");
        return false;
    }
    node->rdev = (uint32_t)((minor & 0xff) | major << 8 | (minor & ~0xffull) << 12);
    return true;
}

static const struct {
    int archive_tag;
    uint16_t tag;
} acl_tags[] = {
    {ARCHIVE_ENTRY_ACL_USER_OBJ, RW_ACL_USER_OBJ},   {ARCHIVE_ENTRY_ACL_USER, RW_ACL_USER},
    {ARCHIVE_ENTRY_ACL_GROUP_OBJ, RW_ACL_GROUP_OBJ}, {ARCHIVE_ENTRY_ACL_GROUP, RW_ACL_GROUP},
    {ARCHIVE_ENTRY_ACL_MASK, RW_ACL_MASK},           {ARCHIVE_ENTRY_ACL_OTHER, RW_ACL_OTHER},
};

static bool convert_acl_entry(int tag, int perm, int id, const char *name, RwAclEntry *ret, GError **error)
{
    for (gsize i = 0; i < G_N_ELEMENTS(acl_tags); i++) {
        if (acl_tags[i].archive_tag != tag)
            continue;
        *ret = (RwAclEntry){acl_tags[i].tag, (uint16_t)(perm & 7), RW_ACL_NO_ID};
        if (ret->tag != RW_ACL_USER && ret->tag != RW_ACL_GROUP)
            return true;
        ret->id = (uint32_t)id;
        if (id >= 0)
            return true;
        g_autofree char *shown = rw_display_name(name ? name : "");
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "its ACL names %.80s without a number; pack it by bsdtar, or without ACLs", shown);
        return false;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "its ACL is not a POSIX one");
    return false;
}

// One of the two ACLs. libarchive keeps the owning group's permissions in the mode's group bits, where a
// file with a mask has the mask's.
static bool add_acl(RwXattrs *xattrs, RwNode *node, struct archive_entry *entry, int type, const char *name,
                    GError **error)
{
    g_autoptr(GArray) acl = g_array_new(false, false, sizeof(RwAclEntry));
    int ret_type, perm, tag, id;
    const char *who;
    if (archive_entry_acl_reset(entry, type) == 0)
        return true;
    while (archive_entry_acl_next(entry, type, &ret_type, &perm, &tag, &id, &who) == ARCHIVE_OK) {
        RwAclEntry one;
        if (!convert_acl_entry(tag, perm, id, who, &one, error))
            return false;
        if (one.tag == RW_ACL_MASK && type == ARCHIVE_ENTRY_ACL_TYPE_ACCESS)
            node->mode = (node->mode & ~070u) | (uint32_t)one.perm << 3;
        g_array_append_val(acl, one);
    }
    if (!acl->len)
        return true;
    g_autoptr(GBytes) value = rw_acl_encode((RwAclEntry *)acl->data, acl->len);
    gsize len;
    const void *data = g_bytes_get_data(value, &len);
    return rw_xattrs_add(xattrs, name, data, len, error);
}

static bool set_xattrs(RwNode *node, struct archive_entry *entry, GError **error)
{
    g_autoptr(RwXattrs) xattrs = rw_xattrs_new();
    const char *name;
    const void *value;
    size_t len;
    archive_entry_xattr_reset(entry);
    while (archive_entry_xattr_next(entry, &name, &value, &len) == ARCHIVE_OK)
        if (name && !rw_xattrs_add(xattrs, name, value, len, error))
            return false;
    g_clear_pointer(&node->xattrs, g_bytes_unref);
    return add_acl(xattrs, node, entry, ARCHIVE_ENTRY_ACL_TYPE_ACCESS, "system.posix_acl_access", error) &&
           add_acl(xattrs, node, entry, ARCHIVE_ENTRY_ACL_TYPE_DEFAULT, "system.posix_acl_default",
                   error) &&
           rw_xattrs_encode(xattrs, &node->xattrs, error);
}

bool rw_tar_set_attributes(RwNode *node, struct archive_entry *entry, GError **error)
{
    if (!fits(archive_entry_uid(entry), "owner", error) || !fits(archive_entry_gid(entry), "group", error))
        return false;
    // Linux gives every symbolic link all permissions, whatever a header says.
    if (!S_ISLNK(node->mode))
        node->mode = (node->mode & S_IFMT) | (archive_entry_mode(entry) & 07777);
    node->uid = (uint32_t)archive_entry_uid(entry);
    node->gid = (uint32_t)archive_entry_gid(entry);
    node->mtime = archive_entry_mtime(entry);
    long nsec = archive_entry_mtime_nsec(entry);
    node->mtime_nsec = nsec >= 0 && nsec < 1000000000 ? (uint32_t)nsec : 0;
    if ((S_ISCHR(node->mode) || S_ISBLK(node->mode)) && !set_device(node, entry, error))
        return false;
    return set_xattrs(node, entry, error);
}
