// SPDX-License-Identifier: MIT
#pragma once

#include "rw-pages.h"

G_BEGIN_DECLS

// Adds everything that the tree consists of, as far as it can be reached: what is below a node that is
// proven to be damaged or missing is not. Any other error of reading is one.
bool rw_page_tree_mark(RwPages *pages, const RwPageHash *root, unsigned levels, RwPageSet *live,
                       GError **error);

// For after a recording: where there are many packs it merges small ones, unless somebody uses the store.
// It only saves work: whatever goes wrong is left as it is.
void rw_pages_merge(RwStore *store);

G_END_DECLS
