// SPDX-License-Identifier: MIT
// Faults: a system call of a task is answered as its manual allows, but as seldom happens. Each strikes
// once, at a place that is named as those of holds are.
#pragma once

#include "rw-hold.h"

typedef enum {
    RW_FAULT_SHORT, // read, write, recvfrom, sendto: handles `amount` bytes at most
    RW_FAULT_WAKE, // a futex wait returns 0, though nobody woke it
    RW_FAULT_ERROR, // it fails with the error `amount`, and nothing was done
    RW_FAULT_REVERSED, // getdents64: its entries in the reverse order
    RW_N_FAULTS,
} RwFaultKind;

#define RW_FAULTS_MAX 16
#define RW_FAULT_ERRNO_MAX 133u // EHWPOISON: asm-generic/errno.h

typedef struct {
    uint64_t from, before; // it may strike at steps from .. before - 1; before: UINT64_MAX for no end
    RwPlace place; // CALL, no instruction further
    RwFaultKind kind;
    uint32_t amount; // SHORT: bytes, at least 1; ERROR: an errno; else 0
} RwFault;

bool rw_fault_equal(const RwFault *a, const RwFault *b);
// Whether it is in its one form, and its kind is one that the system call knows. One that meets another
// kind of the call when it runs (a futex that wakes, a read of fewer bytes) does nothing there.
bool rw_fault_is_valid(const RwFault *fault);
