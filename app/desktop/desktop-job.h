// SPDX-License-Identifier: MIT
//
// What commands do to get at a job or a recorded run's machine, for the session.
#pragma once

#include "rw-session-work.h"

// An RwPrepare; data is the words of a `run` command line (GStrv).
gboolean desktop_prepare(RwStore *store, gpointer data, GCancellable *cancellable, RwPrepared *ret,
                         GError **error);
// An RwSessionAgain.
gboolean desktop_again(RwStore *store, const RwManifest *manifest, GCancellable *cancellable, RwParts *ret,
                       GError **error);
