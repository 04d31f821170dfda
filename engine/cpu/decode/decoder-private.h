// SPDX-License-Identifier: MIT
// What a decoder is made of; for tests, too.
#pragma once

#include "library-private.h"
#include "table-private.h"

struct _RwInsnDecoder {
    ZydisDecoder zydis;
    RwTable table;
};
