// SPDX-License-Identifier: MIT
//
// JSON that came with an image: anything may be missing or of another type, which is NULL here.
#pragma once

#include "rw-base.h"

#include <json-glib/json-glib.h>

// An owned node; an object or an array, else INVALID.
JsonNode *rw_json_parse(GBytes *text, const char *what, GError **error);

const char *rw_json_get_string(JsonObject *object, const char *member);
JsonObject *rw_json_get_object(JsonObject *object, const char *member);
JsonArray *rw_json_get_array(JsonObject *object, const char *member);
JsonObject *rw_json_get_element(JsonArray *array, guint index);
guint rw_json_length(JsonArray *array); // 0 for NULL
// The strings of an array, NULL-ended; what is no string is "". NULL for NULL.
char **rw_json_dup_strv(JsonArray *array);
