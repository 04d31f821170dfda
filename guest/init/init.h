// SPDX-License-Identifier: MIT
// The guest's PID 1. It sets up the root filesystem, then asks for the job, runs it, and ends the
// machine. All that does not depend on the job comes before the question: the machine may keep its
// state there and start every job from it.
#ifndef REWIND_INIT_H
#define REWIND_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "rewind-abi.h"

// Where the job's root is put together before init moves into it.
#define NEW_ROOT "/root"

// ---- fail.c ----

// Says why on the kernel's console and ends the run. `errno` is appended if it is not 0.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Ends the machine. Plain QEMU without ACPI ends by a reset.
_Noreturn void power_off(void);

// ---- platform.c ----

#define PLATFORM_MAJOR 240

// The platform device, or -1 on plain QEMU. Closed on exec.
int platform_open(void);
bool platform_present(void);
// This is the job's standard input, and there is none: who reads it is told of.
void platform_no_input(int fd);
void platform_job_start(void);
void platform_job_exit(int status);
void platform_product(const struct rewind_product *product, const char *path);
void platform_fail(void);
void platform_power_off(void);

// ---- agent.c ----

// Starts the agent and returns when it waits for a request. Before init leaves the initramfs.
void agent_start(void);

// ---- root.c, devices.c, network.c ----

// Mounts the image at /image and a writable layer above it at NEW_ROOT.
void root_mount(void);

// Makes NEW_ROOT the root.
void root_enter(void);

// Makes a directory unless there is one; fails if there is something else.
void make_dir(const char *path, mode_t mode);
// A character device, unless `mode` says S_IFBLK.
void make_node(const char *path, mode_t mode, unsigned major, unsigned minor);
void mount_or_fail(const char *source, const char *target, const char *type, unsigned long flags,
                   const char *options);

// ---- window.c, swap.c ----

// Makes a node for the persistent memory at that guest-physical address. False: there is none.
bool window_node(const char *path, unsigned long long gpa);

// Swaps to the window that is for that, if there is one.
void swap_set_up(void);

// Fills NEW_ROOT/dev.
void devices_set_up(void);

// Brings the loopback interface up.
void network_set_up(void);

// ---- job.c ----

struct job {
    const struct rewind_job *header;
    const char *hostname;
    const char *cwd;
    char **argv; // NULL-ended
    char **envp; // NULL-ended, with the defaults added
    char **outputs; // NULL-ended
};

// Where the job will come from; call it while init is still in the initramfs.
int job_open(void);

// Asks for the job. Everything in it lives as long as init.
void job_read(struct job *job, int source);

// The home directory of a user, from /etc/passwd; "/" if it is not there.
const char *home_of(unsigned uid);

// ---- run.c ----

// Runs the job to its end and returns its wait(2) status.
int job_run(const struct job *job);

// Kills whatever is left and waits for it.
void kill_rest(void);

// ---- exec.c ----

// Becomes the job's command, or says why not on stderr and ends with the status that a shell would have:
// 127 for what is not there, 126 for what cannot be executed.
_Noreturn void job_execute(const struct job *job);

// ---- products.c, nar.c, sha256.c ----

// Tells what became of the job's outputs. Nobody may be changing them any more.
void products_report(const struct job *job);

// SHA-256 of what `path` is as a Nix archive, by which Nix names the contents of its store. 0, or an
// errno: EINVAL where it has something that such an archive cannot hold.
int nar_hash(const char *path, rw_u8 ret_hash[32]);

struct sha256 {
    rw_u32 state[8];
    rw_u64 length; // bytes so far
    rw_u8 block[64];
};

void sha256_init(struct sha256 *sum);
void sha256_add(struct sha256 *sum, const void *bytes, size_t length);
void sha256_end(struct sha256 *sum, rw_u8 ret_hash[32]);

#endif
