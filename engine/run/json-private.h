// SPDX-License-Identifier: MIT
//
// Reading JSON that nobody has vouched for: a member that is missing or of another type sets `failed`.
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    JsonObject *object;
    const char *failed; // the first member that was not as it must be, or NULL
} RwJsonReader;

int64_t rw_json_int(RwJsonReader *reader, const char *member, int64_t min, int64_t max);
// Numbers over 2^63 are written as strings of decimal digits; both are read.
uint64_t rw_json_u64(RwJsonReader *reader, const char *member);
bool rw_json_bool(RwJsonReader *reader, const char *member);
char *rw_json_dup_string(RwJsonReader *reader, const char *member); // "" at failure
char *rw_json_dup_optional(RwJsonReader *reader, const char *member); // NULL where it is missing or null
char **rw_json_dup_strings(RwJsonReader *reader, const char *member); // never NULL
JsonObject *rw_json_object(RwJsonReader *reader, const char *member); // borrowed; NULL at failure

void rw_json_set_u64(JsonObject *object, const char *member, uint64_t value);
void rw_json_set_string(JsonObject *object, const char *member, const char *bytes); // NULL: null
void rw_json_set_strings(JsonObject *object, const char *member, char **strings);
