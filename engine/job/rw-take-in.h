// SPDX-License-Identifier: MIT
//
// A .rwd file from a path or an https URL into the store.
#pragma once

#include "rw-context.h"
#include "rw-import.h"

G_BEGIN_DECLS

// A download that was cut off is gone on with the next time; one that is no run goes.
RwImported *rw_take_in(const RwContext *context, const char *from, GError **error);

G_END_DECLS
