// SPDX-License-Identifier: MIT
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rewind-agent.h"
#include "with.h"

const char *const with_bin[] = {"usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin",
                                "sbin",           "bin",           NULL};

static const char *const lib[] = {"usr/local/lib/x86_64-linux-gnu",
                                  "usr/local/lib",
                                  "lib/x86_64-linux-gnu",
                                  "usr/lib/x86_64-linux-gnu",
                                  "lib64",
                                  "usr/lib64",
                                  "lib",
                                  "usr/lib",
                                  NULL};

bool with_root(const char *dir, unsigned i, char ret[64])
{
    struct stat st;

    if (i)
        snprintf(ret, 64, "%s/with%u", dir, i + 1);
    else
        snprintf(ret, 64, "%s/with", dir);
    return i < REWIND_AGENT_IMAGES_MAX && !stat(ret, &st) && S_ISDIR(st.st_mode);
}

static _Noreturn void complain(const char *what, const char *why, int status)
{
    dprintf(2, "rewind: %s: %s\n", what, why);
    _exit(status);
}

// A regular file of an image, whose links stay in the image: where it is. false: there is none.
static bool find_file(const char *root, const char *path, char ret[PATH_MAX])
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    int top = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = syscall(SYS_openat2, top, path, &how, sizeof(how));
    char link[32];
    struct stat st;
    ssize_t length = -1;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
        length = readlink(link, ret, PATH_MAX - 1);
    ret[length > 0 ? length : 0] = 0;
    close(fd);
    close(top);
    return length > 0;
}

// ret_name: as it is called there, links not followed: some do what their name says, and look for what they
// need beside it.
static bool find_program(const char *root, const char *name, char ret[PATH_MAX], char ret_name[PATH_MAX])
{
    char path[PATH_MAX];

    for (size_t i = 0; with_bin[i]; i++) {
        snprintf(path, sizeof(path), "%s/%s", with_bin[i], name);
        if (find_file(root, path, ret))
            return snprintf(ret_name, PATH_MAX, "%s/%s", root, path) < PATH_MAX;
    }
    return false;
}

// ---- What it is ----

struct head {
    size_t length;
    char bytes[4097]; // 0 behind them
};

static void read_head(const char *path, struct head *ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, ret->bytes, sizeof(ret->bytes) - 1);

    ret->length = length > 0 ? length : 0;
    ret->bytes[ret->length] = 0;
    close(fd);
}

// NULL: it is no ELF file, or needs none.
static const char *loader_of(const struct head *head)
{
    Elf64_Ehdr elf;
    Elf64_Phdr part;

    if (head->length < sizeof(elf) || memcmp(head->bytes, ELFMAG, SELFMAG) != 0)
        return NULL;
    memcpy(&elf, head->bytes, sizeof(elf));
    for (size_t i = 0; i < elf.e_phnum; i++) {
        if (elf.e_phoff > head->length || elf.e_phoff + (i + 1) * sizeof(part) > head->length)
            return NULL;
        memcpy(&part, head->bytes + elf.e_phoff + i * sizeof(part), sizeof(part));
        if (part.p_type == PT_INTERP)
            return part.p_offset < head->length ? head->bytes + part.p_offset : NULL;
    }
    return NULL;
}

// ---- Starting it ----

static size_t count(char **argv)
{
    size_t n = 0;

    while (argv[n])
        n++;
    return n;
}

// Its arguments with `n` words in place of its name.
static char **with_words(char **argv, const char *const *words, size_t n)
{
    size_t rest = count(argv);
    char **all = calloc(n + rest + 1, sizeof(*all));

    if (!all)
        complain(argv[0], "no memory", 126);
    memcpy(all, words, n * sizeof(*words));
    memcpy(all + n, argv + 1, (rest - 1) * sizeof(*argv));
    return all;
}

static char *library_path(const char *root)
{
    static char path[1024];
    size_t used = 0;

    for (size_t i = 0; lib[i]; i++)
        used += snprintf(path + used, sizeof(path) - used, "%s%s/%s", i ? ":" : "", root, lib[i]);
    return path;
}

static void start_loader(const char *root, const char *loader, const char *program, char **argv)
{
    char path[PATH_MAX];

    if (!find_file(root, loader, path))
        complain(program, "its loader is not in the image", 127);
    const char *const words[] = {path, "--argv0", argv[0], "--library-path", library_path(root), program};

    execv(path, with_words(argv, words, 6));
}

// By an interpreter of the images where there is one of that name, else by the root's own.
static void start_script(const char *program, struct head *head, char **argv)
{
    char *name = head->bytes + 2 + strspn(head->bytes + 2, " \t"), *end = name + strcspn(name, "\r\n");
    const char *words[3];
    size_t n = 0;
    char tool[PATH_MAX];

    *end = 0;
    char *option = name + strcspn(name, " \t");

    if (*option)
        *option++ = 0;
    option += strspn(option, " \t");
    const char *base = strrchr(name, '/');

    const char *with = strstr(argv[0], "/with");

    snprintf(tool, sizeof(tool), "%.*s/tools/%s", (int)(with - argv[0]), argv[0], base ? base + 1 : name);
    words[n++] = access(tool, X_OK) ? name : tool;
    if (*option)
        words[n++] = option;
    words[n++] = program;
    execv(words[0], with_words(argv, words, n));
}

static void start(const char *root, const char *program, char **argv)
{
    static struct head head;
    const char *loader;

    read_head(program, &head);
    if ((loader = loader_of(&head)))
        start_loader(root, loader, program, argv);
    else if (!strncmp(head.bytes, "#!", 2))
        start_script(program, &head, argv);
    else
        execv(program, argv);
    complain(program, strerror(errno), 126);
}

// The link's directory, beside that of the images: PATH has it, and a shell hands on the path it found.
static void find_tools(const char *name, char ret[PATH_MAX])
{
    const char *at = getenv("PATH");
    struct stat st;

    for (at = at ? at : ""; *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");

        snprintf(ret, PATH_MAX, "%.*s/%s", (int)length, at, name);
        if (strstr(ret, "/tools/") && !lstat(ret, &st) && S_ISLNK(st.st_mode))
            return;
        at += length;
    }
    complain(name, "not found", 127);
}

_Noreturn void with_launch(char **argv)
{
    char tool[PATH_MAX], dir[32], root[64], program[PATH_MAX], called[PATH_MAX];

    if (strchr(argv[0], '/'))
        snprintf(tool, sizeof(tool), "%s", argv[0]);
    else
        find_tools(argv[0], tool);
    const char *name = strrchr(tool, '/') + 1;
    char *end = strstr(tool, "/tools/");

    if (!end || end - tool >= (ssize_t)sizeof(dir))
        complain(name, "it is to be started by its name", 127);
    snprintf(dir, sizeof(dir), "%.*s", (int)(end - tool), tool);
    for (unsigned i = 0; with_root(dir, i, root); i++)
        if (find_program(root, name, program, called)) {
            argv[0] = called;
            start(root, program, argv);
        }
    complain(name, "not found", 127);
}
