// SPDX-License-Identifier: MIT
//
// usage: make-run COMMAND [NAME [PARENT STEP [WORDS]]]
//
// Puts a made-up run into the store, as if it had been recorded, and prints its id. Tests of commands that
// only look need no machine then.
#include "rw-manifest.h"
#include "story.h"

#include <stdio.h>

static void write_trace(RwManifest *manifest, const char *path, char **fork)
{
    if (!fork[0]) {
        manifest->events = story_write(path, manifest->trace_sha256);
        return;
    }
    g_strlcpy(manifest->parent_id, fork[0], sizeof manifest->parent_id);
    manifest->parent_step = g_ascii_strtoull(fork[1], NULL, 10);
    manifest->events = story_write_fork(path, fork[2], manifest->trace_sha256);
}

// fork: parent, step, words.
static bool make_run(RwStore *store, const char *command, const char *name, char **fork, GError **error)
{
    g_autoptr(RwInputs) inputs = story_inputs(command);
    g_autoptr(RwManifest) manifest = rw_manifest_new(inputs, name, "/nowhere/root.tar");
    g_autoptr(RwRunPart) part = rw_store_begin(store, manifest->id, error);
    g_autofree char *existing = NULL;
    if (!part)
        return false;
    g_autofree char *trace = g_build_filename(rw_run_part_get_path(part), "trace", NULL);
    write_trace(manifest, trace, fork);
    manifest->ended = true;
    manifest->end = (RwEnd){RW_END_POWEROFF, true, 2 << 8, STORY_STEPS, 18000, 18000, ""};
    printf("%s\n", manifest->id);
    return rw_manifest_save(manifest, rw_run_part_get_path(part), error) &&
           rw_run_part_commit(part, &existing, error);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwStore) store = rw_store_open(NULL, &error);
    char *fork[3] = {argc > 4 ? argv[3] : NULL, argc > 4 ? argv[4] : NULL, argc > 5 ? argv[5] : NULL};
    if (argc > 1 && store && make_run(store, argv[1], argc > 2 ? argv[2] : NULL, fork, &error))
        return 0;
    fprintf(stderr, "make-run: %s\n", error ? error->message : "nothing made");
    return 1;
}
