// SPDX-License-Identifier: MIT
// Inside a conversation of the agent: a process of its own among those of the job, which stand still.
#ifndef REWIND_INIT_SHELL_H
#define REWIND_INIT_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "agent.h"

struct shell {
    struct rewind_agent_shell what;
    char **argv, **envp; // NULL-ended, of the request
    pid_t place; // whose directory, root, namespaces and environment, as the agent numbers processes,
    int pidfd; // and a descriptor of it
    // The machine's ends of the terminal (in and out are the same descriptor) or of the pipes; -1: closed.
    int in, out, err;
    // The ends of the process; -1 in the agent's own process.
    int stream[3];
    int fuse; // the images' file system is served there; -1: there are no images
    int files; // its root, which is mounted nowhere
    bool reading; // the machine has been asked for bytes of an image
};

// ---- shell-world.c: who runs ----

// From here on nothing of the job runs, whatever the kernel's own threads and the conversation's processes
// do, and IDLE frames say when these have nothing to do either. The caller runs before all of them.
// 0, or an errno.
int world_stop(void);
// For a process of the conversation, and so for all that it starts: it runs, as others like it do.
void world_join(void);
// The first process of the job that has not ended, or init; and whether `pid` is one that has not ended.
pid_t world_first(void);
bool world_has(pid_t pid);

// ---- shell-process.c ----

// Becomes the process that was asked for, or tells why not.
_Noreturn void shell_become(const struct shell *shell);

// ---- shell-tools.c: what is brought along ----

#define TOOLS_KEEP "REWIND_KEEP" // the variable that names the directory whose content the user gets

struct tools {
    char dir[32]; // where they are in the process's root; "": there was no place for them
    bool images; // there are some
};

// Files of the initramfs, opened before the process has another root.
struct own_files {
    int busybox, init;
};

// In the root of the process. 0, or an errno: the images could not be mounted.
int tools_bring(const struct shell *shell, const struct own_files *files, struct tools *ret);

// ---- shell-images.c ----

// If there are images. 0, or an errno.
int images_open(struct shell *shell);
// Once the images' descriptor is readable. Ends the agent when the kernel does what it never should.
void images_serve(struct shell *shell);
// The bytes that were asked for.
void images_take(struct shell *shell, const char *bytes, size_t length);
// The file of each image becomes a mounted directory: DIR/with, DIR/with2, … 0, or an errno.
int images_mount(const struct shell *shell, const char *dir);

#endif
