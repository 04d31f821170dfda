// SPDX-License-Identifier: MIT
//
// What every part of the engine uses: errors, bounds-checked access to bytes,
// SHA-256, and files that are whole or absent. Nothing here keeps state of its own.
#pragma once

#include "rw-bytes.h"
#include "rw-error.h"
#include "rw-file.h"
#include "rw-json-check.h"
#include "rw-seal.h"
#include "rw-sha256.h"
