// SPDX-License-Identifier: MIT
//
// The terminal that this program was started on, while another program's output is shown on it.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

// Passes on every key, and every change of its size. false: it is no terminal that can be set so.
bool terminal_open(
    int *ret_size_fd); // readable once its size has changed: the terminal's, not to be closed
// As it was before, at once, from any thread: for who ends the program.
void terminal_restore(void);
// As it was before; also where it was not opened.
void terminal_close(void);
// 24 and 80 where it has no size.
void terminal_size(uint16_t *rows, uint16_t *columns, void *data);
