// SPDX-License-Identifier: MIT
//
// What has no debug information, and where it would come from: a line on stderr for each file.
#pragma once

#include "rw-inspect.h"

// told: the files of which it was said, a set of strings.
void undebugged_warn(const RwSymbol *symbol, const RwSymbols *symbols, GHashTable *told);
