// SPDX-License-Identifier: MIT
//
// What a JSON parser should be given: json-glib recurses as deep as its input nests, so that a few
// megabytes of "[" end the process, and it takes comments and other things that are no JSON.
#pragma once

#include <stdbool.h>
#include <gio/gio.h>

G_BEGIN_DECLS

#define RW_JSON_DEPTH_MAX 64

// Whether `text` is not empty, UTF-8 without NUL, nests at most RW_JSON_DEPTH_MAX deep, and has outside of
// strings only characters that JSON has. Says nothing about the rest of its grammar.
bool rw_json_check(const char *text, size_t len);

G_END_DECLS
