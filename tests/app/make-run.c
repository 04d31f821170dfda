// SPDX-License-Identifier: MIT
//
// usage: make-run COMMAND [NAME]
//
// Puts a made-up run into the store, as if it had been recorded, and prints its id. Tests of commands that
// only look need no machine then.
#include "rw-manifest.h"
#include "story.h"

#include <stdio.h>

static RwInputs *make_inputs(const char *command)
{
    const char *argv[] = {command, "check", NULL};
    RwInputs *inputs = rw_inputs_new();
    inputs->guest_hash = g_strnfill(64, 'a');
    inputs->image_hash = g_strnfill(64, 'b');
    inputs->argv = g_strdupv((char **)argv);
    inputs->env = rw_inputs_dup_default_env(0, false);
    inputs->cwd = g_strdup("/src");
    inputs->hostname = g_strdup("rewind");
    inputs->model = RW_CPU_MODEL_V2;
    inputs->memory = 1024ull << 20;
    inputs->cores = 1;
    inputs->epoch = 1791331200;
    return inputs;
}

static gboolean make_run(RwStore *store, const char *command, const char *name, GError **error)
{
    g_autoptr(RwInputs) inputs = make_inputs(command);
    g_autoptr(RwManifest) manifest = rw_manifest_new(inputs, name, "/nowhere/root.tar");
    g_autoptr(RwRunPart) part = rw_store_begin(store, manifest->id, error);
    g_autofree char *existing = NULL;
    if (!part)
        return FALSE;
    g_autofree char *trace = g_build_filename(rw_run_part_get_path(part), "trace", NULL);
    manifest->events = story_write(trace, manifest->trace_sha256);
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
    if (argc > 1 && store && make_run(store, argv[1], argc > 2 ? argv[2] : NULL, &error))
        return 0;
    fprintf(stderr, "make-run: %s\n", error ? error->message : "nothing made");
    return 1;
}
