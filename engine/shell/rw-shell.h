// SPDX-License-Identifier: MIT
//
// A process of the user's own in a machine that stands somewhere in a run: a shell, on a terminal or on
// pipes, among the run's processes, which stand still.
//
// The machine is not its run any more: hand over one that is thrown away after it, or a fork. The guest's
// agent starts the process and carries what it reads and writes (rewind-agent.h); nothing that it says is
// trusted. While nobody in the guest can run, the caller's thread sleeps until something can be read from
// the host's side, and the guest's clock goes on with the host's; when nothing more can come it goes on at
// once. Nothing is printed, and no setting of a terminal changed: that is the caller's.
#pragma once

#include "rw-machine.h"

G_BEGIN_DECLS

#define RW_SHELL_IMAGES_MAX 4u

typedef struct {
    // In whose directory, root, namespaces and environment, as events number processes; 0: of the first
    // process of the job that has not ended. or_first: also where the one that is named has.
    uint32_t pid;
    bool or_first;
    const char *const *argv; // NULL-ended; NULL: a shell
    const char *const *env; // NULL-ended KEY=VALUE, over those of the process; or NULL

    bool terminal; // the process has a terminal, whose output is out_fd's; else three pipes
    uint16_t rows, columns; // of the terminal
    int in_fd, out_fd, err_fd; // the caller's; err_fd is not used with a terminal
    // Readable when the terminal may have another size; read then, and size() asked. -1: it has always one.
    int size_fd;
    void (*size)(uint16_t *rows, uint16_t *columns, void *data);
    // In whose place it is; whether something runs there but the shell at its prompt. Or NULL.
    void (*place)(uint32_t pid, void *data);
    void (*busy)(bool busy, void *data);
    void *data;

    // erofs images, readable, the caller's: mounted in the guest as $REWIND/with, with2, …, and their
    // programs found first.
    const int *image_fds;
    unsigned n_images;
} RwShellConfig;

// How it ended.
typedef struct {
    int status; // as wait(2) reports it; of whoever reads out_fd gone, or in_fd's terminal: as of a signal
    uint32_t pid; // in whose place it was
    char *
        keep; // the directory in the guest that is the user's, as that process sees it; NULL: there is none
} RwShellEnd;

void rw_shell_end_clear(RwShellEnd *end);

// Runs it to its end. Errors: RW_ERROR_NOT_FOUND when there is no such process, RW_ERROR_GUEST when the
// guest ends or what it says makes no sense, RW_ERROR_USAGE for a command that is too long,
// RW_ERROR_CANCELLED, RW_ERROR_IO. `ret` is to be cleared after a success.
bool rw_shell_run(RwMachine *machine, const RwShellConfig *config, GCancellable *cancellable,
                  RwShellEnd *ret, GError **error);

// Copies what `end->keep` holds into `dir`, which is made if it is not there; what is there already is an
// error. Regular files, directories and symbolic links, with their permissions (no set-id bits) and times;
// others are left out, *ret_left_out counts them. Nothing outside of `dir` is touched, whatever the guest
// says. Errors also those of files: RW_ERROR_IO.
bool rw_shell_keep(RwMachine *machine, const RwShellEnd *end, const char *dir, unsigned *ret_left_out,
                   GCancellable *cancellable, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwShellEnd, rw_shell_end_clear)

G_END_DECLS
