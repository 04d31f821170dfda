// SPDX-License-Identifier: MIT
#include "guest-features.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    const char *(*try)(void);
} features[] = {
    {"fuse", feature_fuse},           {"ext4", feature_ext4},         {"squashfs", feature_squashfs},
    {"tmpfile", feature_tmpfile},     {"xattrs", feature_xattrs},     {"direct", feature_direct},
    {"links", feature_links},         {"tun", feature_tun},           {"packet", feature_packet},
    {"keys", feature_keys},           {"landlock", feature_landlock}, {"bpf", feature_bpf},
    {"mempolicy", feature_mempolicy}, {"secret", feature_secret},     {"huge", feature_huge},
    {"cgroup", feature_cgroup},       {"binfmt", feature_binfmt},
};

// Each in a process of its own, so that what one changes is gone for the next.
static int try(size_t i)
{
    int status = 1;
    pid_t pid = fork();
    if (pid == 0) {
        errno = 0;
        const char *failed = features[i].try();
        printf("%s: %s%s%s\n", features[i].name, failed ? failed : "ok", failed ? ": " : "",
               failed ? strerror(errno) : "");
        fflush(stdout);
        _exit(failed != NULL);
    }
    waitpid(pid, &status, 0);
    return status != 0;
}

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
        failed += try(i);
    return failed;
}
