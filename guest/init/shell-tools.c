// SPDX-License-Identifier: MIT
// What a conversation brings along, in a file system of its own: DIR/bin with busybox and links for all
// that it can be, DIR/keep for what the user is to get, and with images DIR/with, … and DIR/tools, by which
// their programs run.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"
#include "shell.h"
#include "with.h"

// The first one that is a directory, or that can be made.
static const char *const places[] = {"/rewind", "/run/rewind", "/tmp/rewind", "/mnt"};

static bool mount_at(const char *path)
{
    struct stat st;

    if (mkdir(path, 0755) && errno != EEXIST)
        return false;
    return !lstat(path, &st) && S_ISDIR(st.st_mode) && !mount("tmpfs", path, "tmpfs", 0, "mode=755");
}

// "" where there is no place: then nothing is brought.
static void find_place(struct tools *tools)
{
    *tools->dir = 0;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (mount_at(places[i])) {
            snprintf(tools->dir, sizeof(tools->dir), "%s", places[i]);
            return;
        }
}

static bool copy(int from, const char *path)
{
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    struct stat st;
    off_t at = 0;

    if (to < 0 || fstat(from, &st))
        return false;
    while (at < st.st_size && sendfile(to, from, &at, st.st_size - at) > 0)
        ;
    return !close(to) && at == st.st_size;
}

static void make_links(const char *busybox, const char *dir)
{
    int status;
    pid_t pid = fork();

    if (!pid) {
        execl(busybox, "busybox", "--install", "-s", dir, NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
}

static void bring_busybox(const struct tools *tools, int busybox)
{
    char dir[64], path[80];

    snprintf(dir, sizeof(dir), "%s/bin", tools->dir);
    snprintf(path, sizeof(path), "%s/busybox", dir);
    mkdir(dir, 0755);
    if (copy(busybox, path))
        make_links(path, dir);
}

// ---- The images' programs ----

// One link for each name: which file it stands for is found when it is run.
static void link_programs(const char *root, const char *bin, const char *launcher, const char *to)
{
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    int top = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = syscall(SYS_openat2, top, bin, &how, sizeof(how));
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    char path[PATH_MAX];

    while (dir && (entry = readdir(dir))) {
        snprintf(path, sizeof(path), "%s/%s", to, entry->d_name);
        if (*entry->d_name != '.' && symlink(launcher, path) && errno == ENOSPC)
            break;
    }
    if (dir)
        closedir(dir);
    close(top);
}

static void link_all(const struct tools *tools)
{
    char launcher[64], to[64], root[64];

    snprintf(launcher, sizeof(launcher), "%s/bin/" WITH_LAUNCHER, tools->dir);
    snprintf(to, sizeof(to), "%s/tools", tools->dir);
    mkdir(to, 0755);
    for (unsigned i = 0; with_root(tools->dir, i, root); i++)
        for (size_t k = 0; with_bin[k]; k++)
            link_programs(root, with_bin[k], launcher, to);
}

static int bring_images(const struct shell *shell, int self, struct tools *tools)
{
    char path[64];
    int error;

    if (!*tools->dir)
        return EROFS;
    if ((error = images_mount(shell, tools->dir)))
        return error;
    snprintf(path, sizeof(path), "%s/bin/" WITH_LAUNCHER, tools->dir);
    if (!copy(self, path))
        return ENOSPC;
    tools->images = true;
    link_all(tools);
    return 0;
}

int tools_bring(const struct shell *shell, const struct own_files *files, struct tools *ret)
{
    char path[64];

    *ret = (struct tools){0};
    find_place(ret);
    if (!*ret->dir)
        return shell->what.image_size[0] ? EROFS : 0;
    bring_busybox(ret, files->busybox);
    snprintf(path, sizeof(path), "%s/keep", ret->dir);
    mkdir(path, 0777);
    chmod(path, 01777);
    return shell->what.image_size[0] ? bring_images(shell, files->init, ret) : 0;
}
