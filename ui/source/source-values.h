// SPDX-License-Identifier: MIT
//
// Which values stand at the ends of which lines.
#pragma once

#include "rw-session-source.h"

G_BEGIN_DECLS

typedef struct {
    guint line; // from 1
    char *text; // "before = 100, after = 90"
} SourceValue;

// Of the variables, of RwVariable*, or NULL, those that the line names, and above it, at the nearest line
// that gives them a value, those that it does not. All values are those before the line is executed. Of
// SourceValue*, owned, by line.
GPtrArray *source_values_new(GBytes *text, guint line, const GPtrArray *variables);

G_END_DECLS
