// SPDX-License-Identifier: MIT
// Executes the job's command as execvp(3) does, and says what stood in the way.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

// As shells report them.
enum { STATUS_NOT_EXECUTABLE = 126, STATUS_NOT_FOUND = 127 };

// The start of a program's file: as much as the kernel itself looks at, and a few program headers.
struct head {
    ssize_t length; // -1 when it could not be read
    char bytes[4096];
};

static void read_head(const char *path, struct head *ret)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    ret->length = fd < 0 ? -1 : pread(fd, ret->bytes, sizeof(ret->bytes) - 1, 0);
    ret->bytes[ret->length > 0 ? ret->length : 0] = 0;
    if (fd >= 0)
        close(fd);
}

static bool starts_with(const struct head *head, const char *magic)
{
    size_t length = strlen(magic);

    return head->length >= (ssize_t)length && !memcmp(head->bytes, magic, length);
}

// ---- What is wrong ----

static _Noreturn void complain(const char *what, const char *why, const char *more, int status)
{
    dprintf(2, "rewind: %s: %s%s\n", what, why, more);
    _exit(status);
}

// The loader that an ELF file names, or NULL.
static const char *loader_of(const struct head *head)
{
    Elf64_Ehdr elf;
    Elf64_Phdr part;

    memcpy(&elf, head->bytes, sizeof(elf));
    for (int i = 0; i < elf.e_phnum; i++) {
        size_t at = elf.e_phoff + i * sizeof(part);

        if (elf.e_phoff > sizeof(head->bytes) || at + sizeof(part) > (size_t)head->length)
            return NULL;
        memcpy(&part, head->bytes + at, sizeof(part));
        if (part.p_type == PT_INTERP)
            return part.p_offset < (size_t)head->length ? head->bytes + part.p_offset : NULL;
    }
    return NULL;
}

static void complain_of_elf(const char *path, const struct head *head, int error)
{
    const char *loader;

    if (head->length < (ssize_t)sizeof(Elf64_Ehdr))
        return;
    if (head->bytes[EI_CLASS] == ELFCLASS32)
        complain(path, "a 32-bit program: only 64-bit programs run here", "", STATUS_NOT_EXECUTABLE);
    if (((const Elf64_Ehdr *)(const void *)head->bytes)->e_machine != EM_X86_64)
        complain(path, "a program for another kind of processor: only x86-64 programs run here", "",
                 STATUS_NOT_EXECUTABLE);
    if (error == ENOENT && (loader = loader_of(head)))
        complain(path, "its loader is not in the root: ", loader, STATUS_NOT_FOUND);
}

static void complain_of_script(const char *path, struct head *head, int error)
{
    char *name = head->bytes + 2 + strspn(head->bytes + 2, " \t");

    name[strcspn(name, " \t\r\n")] = 0;
    if (error == ENOENT)
        complain(path, "its interpreter is not in the root: ", name, STATUS_NOT_FOUND);
    if (error == EACCES && access(name, X_OK))
        complain(path, "its interpreter is not executable: ", name, STATUS_NOT_EXECUTABLE);
    if (error == ENOEXEC)
        complain(path, "its interpreter cannot be executed here: ", name, STATUS_NOT_EXECUTABLE);
}

static _Noreturn void complain_of(const char *path, int error)
{
    static struct head head;
    struct stat st;

    if (!stat(path, &st) && S_ISDIR(st.st_mode))
        complain(path, "a directory", "", STATUS_NOT_EXECUTABLE);
    if (error == EACCES && access(path, X_OK))
        complain(path, "not executable", "", STATUS_NOT_EXECUTABLE);
    read_head(path, &head);
    if (starts_with(&head, ELFMAG))
        complain_of_elf(path, &head, error);
    else if (starts_with(&head, "#!"))
        complain_of_script(path, &head, error);
    complain(path, strerror(error), "", error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE);
}

// ---- Trying ----

// What has no header that says what it is is the shell's.
static void try_shell(const char *path, const struct job *job)
{
    char **argv = calloc(job->header->argc + 2, sizeof(*argv));
    static struct head head;

    read_head(path, &head);
    if (!argv || starts_with(&head, ELFMAG) || starts_with(&head, "#!"))
        return;
    argv[0] = "/bin/sh";
    argv[1] = (char *)path;
    memcpy(argv + 2, job->argv + 1, job->header->argc * sizeof(*argv));
    execve(argv[0], argv, job->envp);
}

// An errno value.
static int try(const char *path, const struct job *job)
{
    int error;

    execve(path, job->argv, job->envp);
    error = errno;
    if (error == ENOEXEC)
        try_shell(path, job);
    return error;
}

static bool is_absence(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES;
}

// In each directory of PATH; an empty one is the working directory. What is there and cannot be executed
// is worth more than what is not there.
static _Noreturn void search(const struct job *job)
{
    const char *name = job->argv[0], *from = getenv("PATH"), *end;
    static char path[PATH_MAX], found[PATH_MAX];
    int error = 0;

    for (from = from ? from : ""; from; from = *end ? end + 1 : NULL) {
        int length;

        end = from + strcspn(from, ":");
        length =
            snprintf(path, sizeof(path), "%.*s%s%s", (int)(end - from), from, end > from ? "/" : "", name);
        if (length >= (int)sizeof(path))
            continue;
        int why = try(path, job);

        if (!is_absence(why))
            complain_of(path, why);
        if (!error && !access(path, F_OK)) {
            error = why;
            strcpy(found, path);
        }
    }
    if (error)
        complain_of(found, error);
    complain(name, "command not found", "", STATUS_NOT_FOUND);
}

void job_execute(const struct job *job)
{
    const char *name = job->argv[0];

    if (chdir(job->cwd))
        complain(job->cwd, "the directory to start in: ", strerror(errno), STATUS_NOT_EXECUTABLE);
    if (!*name || !strchr(name, '/'))
        search(job);
    complain_of(name, try(name, job));
}
