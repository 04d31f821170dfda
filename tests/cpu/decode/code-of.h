// SPDX-License-Identifier: MIT
// Code of real programs.
#pragma once

#include <glib.h>
#include <stdbool.h>

// The section .text of an ELF file; NULL: it has none. *ret_file keeps it (g_mapped_file_unref()).
const guint8 *code_of(const char *path, gsize *ret_size, GMappedFile **ret_file);
