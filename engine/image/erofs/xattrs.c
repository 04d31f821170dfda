// SPDX-License-Identifier: MIT
#include "xattrs-private.h"

#include "erofs-format-private.h"
#include "rw-hash.h"

#define ENCODED_MAX (256u << 10) // less than the 65,534 units that an inode can count

struct RwXattrs {
    GHashTable *values; // char *full name to GBytes *
};

static const struct {
    const char *prefix;
    uint8_t index;
    bool whole; // the prefix is the whole name
} prefixes[] = {
    {"user.", EROFS_XATTR_USER, false},
    {"trusted.", EROFS_XATTR_TRUSTED, false},
    {"security.", EROFS_XATTR_SECURITY, false},
    {"system.posix_acl_access", EROFS_XATTR_ACL_ACCESS, true},
    {"system.posix_acl_default", EROFS_XATTR_ACL_DEFAULT, true},
};

// The prefix's number, and where the rest of the name starts; 0 and all of it when the format has none.
static uint8_t split_name(const char *name, const char **ret_rest)
{
    for (gsize i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        size_t len = strlen(prefixes[i].prefix);
        if (strncmp(name, prefixes[i].prefix, len) != 0 || (name[len] == 0) != prefixes[i].whole)
            continue;
        *ret_rest = name + len;
        return prefixes[i].index;
    }
    *ret_rest = name;
    return 0;
}

RwXattrs *rw_xattrs_new(void)
{
    RwXattrs *xattrs = g_new(RwXattrs, 1);
    xattrs->values =
        g_hash_table_new_full(rw_keyed_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
    return xattrs;
}

void rw_xattrs_free(RwXattrs *xattrs)
{
    if (!xattrs)
        return;
    g_hash_table_unref(xattrs->values);
    g_free(xattrs);
}

bool rw_xattrs_wanted(const char *name)
{
    const char *rest = name;
    return split_name(name, &rest) != 0 && strcmp(name, "security.selinux") != 0;
}

bool rw_xattrs_add(RwXattrs *xattrs, const char *name, const void *value, size_t len, GError **error)
{
    const char *rest = name;
    if (!rw_xattrs_wanted(name))
        return true;
    split_name(name, &rest);
    if (strlen(rest) > UINT8_MAX || len > UINT16_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                    "an extended attribute is too long (%zu bytes of value)", len);
        return false;
    }
    g_hash_table_replace(xattrs->values, g_strdup(name), g_bytes_new(value, len));
    return true;
}

// By prefix number, then by the rest of the name.
static int compare_full_names(const void *a, const void *b)
{
    const char *rest_a = "", *rest_b = "";
    uint8_t index_a = split_name(*(char *const *)a, &rest_a),
            index_b = split_name(*(char *const *)b, &rest_b);
    return index_a != index_b ? (int)index_a - (int)index_b : strcmp(rest_a, rest_b);
}

static void put_entry(GByteArray *out, const char *name, GBytes *value)
{
    static const uint8_t padding[4];
    const char *rest = name;
    uint8_t index = split_name(name, &rest);
    gsize len;
    const void *data = g_bytes_get_data(value, &len);
    rw_put_u8(out, (uint8_t)strlen(rest));
    rw_put_u8(out, index);
    rw_put_u16(out, (uint16_t)len);
    rw_put_bytes(out, rest, strlen(rest));
    rw_put_bytes(out, data, len);
    rw_put_bytes(out, padding, -out->len & 3);
}

bool rw_xattrs_encode(RwXattrs *xattrs, GBytes **ret_bytes, GError **error)
{
    static const uint8_t header[EROFS_XATTR_HEADER];
    guint n;
    g_autofree char **names = (char **)g_hash_table_get_keys_as_array(xattrs->values, &n);
    *ret_bytes = NULL;
    if (!n)
        return true;
    qsort(names, n, sizeof *names, compare_full_names);
    g_autoptr(GByteArray) out = g_byte_array_new();
    rw_put_bytes(out, header, sizeof header);
    for (guint i = 0; i < n; i++) {
        put_entry(out, names[i], g_hash_table_lookup(xattrs->values, names[i]));
        if (out->len > ENCODED_MAX) {
            g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "its extended attributes take more than %u KiB",
                        ENCODED_MAX >> 10);
            return false;
        }
    }
    *ret_bytes = g_byte_array_free_to_bytes(g_steal_pointer(&out));
    return true;
}

static int compare_acl_entries(const void *a, const void *b)
{
    const RwAclEntry *x = a, *y = b;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

// include/uapi/linux/posix_acl_xattr.h: u32 version 2, then u16 tag, u16 permissions, u32 id each.
GBytes *rw_acl_encode(RwAclEntry *entries, size_t n)
{
    GByteArray *out = g_byte_array_new();
    qsort(entries, n, sizeof *entries, compare_acl_entries);
    rw_put_u32(out, 2);
    for (size_t i = 0; i < n; i++) {
        rw_put_u16(out, entries[i].tag);
        rw_put_u16(out, entries[i].perm);
        rw_put_u32(out, entries[i].id);
    }
    return g_byte_array_free_to_bytes(out);
}
