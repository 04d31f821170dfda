// SPDX-License-Identifier: MIT
//
// The story of a run, as `show` prints it.
#pragma once

#include "rw-story.h"

#include <json-glib/json-glib.h>

void story_print(const RwStory *story, const RwManifest *manifest);
JsonObject *story_to_json(const RwStory *story); // for the caller to unref
