// SPDX-License-Identifier: MIT
//
// Extended attributes as an erofs inode carries them, in an order of their own: what was given first does
// not show in the bytes.
#pragma once

#include "rw-base.h"

typedef struct RwXattrs RwXattrs;

RwXattrs *rw_xattrs_new(void);
void rw_xattrs_free(RwXattrs *xattrs);

// Whether an attribute of that full name goes into an image.
bool rw_xattrs_wanted(const char *name);
// Adds one; a later one of the same name wins. A name that is not wanted is left out. INVALID past the
// format's limits: 255 bytes of name after the prefix, 65,535 of value.
bool rw_xattrs_add(RwXattrs *xattrs, const char *name, const void *value, size_t len, GError **error);
// The bytes that follow the inode, header included, or NULL when there are none. INVALID over 256 KiB.
bool rw_xattrs_encode(RwXattrs *xattrs, GBytes **ret_bytes, GError **error);

// One entry of a POSIX ACL, with Linux's numbers (include/uapi/linux/posix_acl.h).
typedef struct {
    uint16_t tag;
    uint16_t perm;
    uint32_t id; // RW_ACL_NO_ID but for named users and groups
} RwAclEntry;

enum {
    RW_ACL_USER_OBJ = 0x01,
    RW_ACL_USER = 0x02,
    RW_ACL_GROUP_OBJ = 0x04,
    RW_ACL_GROUP = 0x08,
    RW_ACL_MASK = 0x10,
    RW_ACL_OTHER = 0x20,
};
#define RW_ACL_NO_ID 0xffffffffu

// The value of system.posix_acl_access or _default; sorts the entries in place.
GBytes *rw_acl_encode(RwAclEntry *entries, size_t n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwXattrs, rw_xattrs_free)
