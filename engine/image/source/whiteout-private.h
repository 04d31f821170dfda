// SPDX-License-Identifier: MIT
//
// Names in a layer that take away what layers below it brought:
// https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts
#pragma once

#include "tree-private.h"

bool rw_is_whiteout(const char *name);
// Does in `dir` what the whiteout `name` says. What the tree's current layer itself brought stays, wherever
// in the layer the whiteout is.
bool rw_apply_whiteout(RwTree *tree, RwNode *dir, const char *name, GError **error);
