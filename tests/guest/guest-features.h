// SPDX-License-Identifier: MIT
// What programs may ask of the guest's kernel, tried: each function returns NULL, or the step that failed;
// errno tells why. They run inside of a machine, as root.
#pragma once

// Goes back to the caller with what does not hold.
#define MUST(condition)                                                                                    \
    do {                                                                                                   \
        if (!(condition))                                                                                  \
            return #condition;                                                                             \
    } while (0)

const char *feature_fuse(void);
const char *feature_ext4(void); // mounts /opt/ext4.img
const char *feature_squashfs(void); // mounts /opt/squashfs.img
const char *feature_tmpfile(void);
const char *feature_xattrs(void);
const char *feature_direct(void);
const char *feature_links(void);
const char *feature_tun(void);
const char *feature_packet(void);
const char *feature_keys(void);
const char *feature_landlock(void);
const char *feature_bpf(void);
const char *feature_mempolicy(void);
const char *feature_secret(void);
const char *feature_huge(void);
const char *feature_cgroup(void);
const char *feature_binfmt(void);
