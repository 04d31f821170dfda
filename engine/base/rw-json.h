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

// Strings of the guest are bytes. As JSON: a string where it is UTF-8 without NUL, else {"base64": "…"}.
JsonNode *rw_json_bytes(const void *data, size_t length);
// The bytes again; NULL when the node is neither.
char *rw_json_dup_bytes(JsonNode *node, size_t *ret_length);

void rw_json_set_u64(JsonObject *object, const char *member, uint64_t value);
void rw_json_set_string(JsonObject *object, const char *member, const char *bytes); // NULL: null
void rw_json_set_strings(JsonObject *object, const char *member, char **strings);

// ---- JSON of others ----

// Of documents whose form is not ours anything may be missing or of another type, which is NULL here.
// Nothing is copied; an object or array that is NULL has no members.

// An owned node; an object or an array, else INVALID. What is not JSON at all is called that: `what` says
// of which document.
JsonNode *rw_json_parse(GBytes *text, const char *what, GError **error);
// An owned node, an object that says so of its "format" and "version"; NULL: the file is not one, has more
// than `max` bytes, or is not there. For what is noted beside runs, which is as none if it is damaged.
JsonNode *rw_json_read_note(const char *path, size_t max, const char *format, int64_t version);

const char *rw_json_get_string(JsonObject *object, const char *member);
bool rw_json_get_int(JsonObject *object, const char *member, int64_t *ret);
JsonObject *rw_json_get_object(JsonObject *object, const char *member);
JsonArray *rw_json_get_array(JsonObject *object, const char *member);
JsonObject *rw_json_get_element(JsonArray *array, guint index);
guint rw_json_count(JsonArray *array); // 0 for NULL
// The strings of an array, NULL-ended; what is no string is "". NULL for NULL.
char **rw_json_dup_strv(JsonArray *array);
