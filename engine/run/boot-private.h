// SPDX-License-Identifier: MIT
#pragma once

#include "rw-boot.h"

// What the file of a boot says of it.
typedef struct {
    uint8_t key[RW_SHA256_SIZE], image[RW_SHA256_SIZE], guest[RW_SHA256_SIZE];
    uint64_t memory; // bytes of RAM
    uint64_t step, icount, tsc;
    uint64_t events; // of the trace
    uint64_t state_size; // bytes
    uint32_t touched, pages; // pages that may be something else than zero, and those that are
    uint64_t meta_check, pages_check;
} RwBootHead;

// boot-key.c
// SHA-256 of this program and of all that reaches the guest before the hand-over.
void rw_boot_key(const RwInputs *inputs, uint8_t ret_key[RW_SHA256_SIZE]);

// boot-file.c
bool rw_boot_write(const char *path, RwBootHead *head, RwMachine *machine, GError **error);

typedef struct {
    char *path;
    int fd;
    RwBootHead head;
} RwBootFile;

void rw_boot_file_clear(RwBootFile *file);
// The head of the file, whose check and sizes are right; all other bytes are checked when they are read.
bool rw_boot_file_open(const char *path, RwBootFile *ret, GError **error);
// The machine, whose RAM is read and checked.
RwMachine *rw_boot_file_restore(const RwBootFile *file, const RwMachineConfig *config, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwBootFile, rw_boot_file_clear)
