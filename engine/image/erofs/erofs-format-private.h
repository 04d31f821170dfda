// SPDX-License-Identifier: MIT
//
// The part of the erofs on-disk format that is written and read here: block size 4096, no compression.
// Facts from Linux 6.1, fs/erofs/erofs_fs.h and Documentation/filesystems/erofs.rst. All numbers are
// little-endian; offsets are in bytes from the start of the structure.
#pragma once

#define EROFS_BLOCK_BITS 12
#define EROFS_BLOCK 4096u
#define EROFS_SUPER_OFFSET 1024u
#define EROFS_SUPER_SIZE 128u
#define EROFS_MAGIC 0xe0f5e1e2u
#define EROFS_SLOT 32u // an inode's number ("nid") counts these from the metadata area's start
#define EROFS_HOLE 0xffffffffu // block address of a chunk of zeros
#define EROFS_NAME_MAX 255u

// Superblock
enum {
    EROFS_SB_MAGIC = 0,
    EROFS_SB_CHECKSUM = 4,
    EROFS_SB_COMPAT = 8,
    EROFS_SB_BLOCK_BITS = 12, // u8
    EROFS_SB_EXTRA_SLOTS = 13, // u8
    EROFS_SB_ROOT_NID = 14, // u16
    EROFS_SB_INODES = 16, // u64
    EROFS_SB_BUILD_TIME = 24, // u64
    EROFS_SB_BUILD_NSEC = 32,
    EROFS_SB_BLOCKS = 36,
    EROFS_SB_META_BLOCK = 40,
    EROFS_SB_INCOMPAT = 80,
    EROFS_SB_EXTRA_DEVICES = 86, // u16
    EROFS_SB_DIR_BLOCK_BITS = 90, // u8
};

#define EROFS_COMPAT_CHECKSUM 1u
#define EROFS_COMPAT_MTIME 2u
#define EROFS_INCOMPAT_CHUNKED 4u
#define EROFS_INCOMPAT_KNOWN 0x3fu // what Linux 6.1 knows
// Bits that only compressed images and images on several devices have. (Each is shared by two features.)
#define EROFS_INCOMPAT_UNSUPPORTED 0x3bu

// i_format: bit 0 the inode's version, bits 1 to 3 the layout of its data
#define EROFS_EXTENDED 1u
#define EROFS_LAYOUT_PLAIN 0u
#define EROFS_LAYOUT_INLINE 2u // the last part of a block follows inode and attributes, in one block
#define EROFS_LAYOUT_CHUNKED 4u // a table of block addresses follows them

// The 64-byte inode
enum {
    EROFS_I_FORMAT = 0, // u16
    EROFS_I_XATTR_COUNT = 2, // u16: 0 none, else 1 + number of 4-byte units after the 12-byte header
    EROFS_I_MODE = 4, // u16
    EROFS_I_SIZE = 8, // u64
    EROFS_I_U = 16, // u32: first block, device number or chunk format
    EROFS_I_INO = 20,
    EROFS_I_UID = 24,
    EROFS_I_GID = 28,
    EROFS_I_MTIME = 32, // u64
    EROFS_I_MTIME_NSEC = 40,
    EROFS_I_NLINK = 44,
    EROFS_I_EXTENDED_SIZE = 64,
};

// The 32-byte inode, where it differs
enum {
    EROFS_C_NLINK = 6, // u16
    EROFS_C_SIZE = 8, // u32
    EROFS_C_UID = 24, // u16
    EROFS_C_GID = 26, // u16
    EROFS_I_COMPACT_SIZE = 32,
};

#define EROFS_CHUNK_BITS_MASK 0x1fu // log2 of blocks in a chunk
#define EROFS_CHUNK_INDEXES 0x20u // 8-byte entries instead of 4-byte ones

// Extended attributes: header, then entries, each padded to 4 bytes
#define EROFS_XATTR_HEADER 12u
#define EROFS_XATTR_ENTRY 4u // u8 name length, u8 prefix, u16 value length; then name and value
enum {
    EROFS_XATTR_USER = 1,
    EROFS_XATTR_ACL_ACCESS = 2,
    EROFS_XATTR_ACL_DEFAULT = 3,
    EROFS_XATTR_TRUSTED = 4,
    EROFS_XATTR_SECURITY = 6,
};

// Directories: blocks, each of entries in the order of their names (by unsigned bytes), then the names.
// The first entry's name offset tells how many there are; the last name ends at a NUL or the block's end.
#define EROFS_DIRENT 12u
enum {
    EROFS_D_NID = 0, // u64
    EROFS_D_NAME_OFFSET = 8, // u16
    EROFS_D_TYPE = 10, // u8
};
