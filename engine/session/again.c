// SPDX-License-Identifier: MIT
#include "work-private.h"

gboolean rw_again_open(RwSessionRun *run, GCancellable *cancellable, RwAgain *ret, GError **error)
{
    RwSession *session = rw_session_run_get_session(run);
    const RwManifest *manifest = rw_session_run_get_manifest(run);
    RwSessionAgain again = rw_session_get_again(session);
    *ret = (RwAgain){0};
    if (!again || !manifest->ended ||
        rw_run_item_get_state(rw_session_run_get_item(run)) != RW_RUN_FINISHED) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "only a finished run can be executed again");
        return FALSE;
    }
    if (!again(rw_session_get_store(session), manifest, cancellable, &ret->parts, error))
        return FALSE;
    ret->seek = (RwSeek){
        .store = rw_session_get_store(session),
        .manifest = manifest,
        .dir = rw_session_run_get_path(run),
        .guest = ret->parts.guest,
        .image_path = ret->parts.image_path,
    };
    return TRUE;
}

void rw_again_close(RwAgain *again)
{
    rw_parts_clear(&again->parts);
}

void rw_parts_clear(RwParts *parts)
{
    g_clear_pointer(&parts->guest, rw_guest_unref);
    g_clear_pointer(&parts->guest_dir, g_free);
    g_clear_pointer(&parts->image_path, g_free);
}
