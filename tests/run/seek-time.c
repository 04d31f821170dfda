// SPDX-License-Identifier: MIT
//
// How long it takes to be at a step of a run: restores it and says so, for the benchmark.
//
//   seek-time HOME GUEST-DIR RUN STEP…
//
// Prints a line for each: the step, milliseconds to the keyframe, instructions from there, milliseconds in
// all.
#include "rw-seek.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(const GError *error)
{
    fprintf(stderr, "seek-time: %s\n", error->message);
    return 1;
}

static void warn(const char *message, void *data)
{
    fprintf(stderr, "seek-time: %s\n", message);
}

static double since(gint64 start)
{
    return (double)(g_get_monotonic_time() - start) / 1000;
}

static bool seek(const RwSeek *source, uint64_t step, GError **error)
{
    gint64 start = g_get_monotonic_time();
    RwMachine *machine = rw_seek_nearest(source, step, error);
    if (!machine)
        return false;
    double restored = since(start);
    uint64_t from = rw_machine_icount(machine);
    if (rw_machine_steps(machine) < step)
        rw_machine_run(machine, &(RwLimits){.step = step});
    printf("%" G_GUINT64_FORMAT " %.1f %" G_GUINT64_FORMAT " %.1f\n", step, restored,
           rw_machine_icount(machine) - from, since(start));
    rw_machine_free(machine);
    return true;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    if (argc < 5)
        return 2;
    g_autoptr(RwStore) store = rw_store_open(argv[1], &error);
    RwGuest *guest = store ? rw_guest_load(argv[2], &error) : NULL;
    g_autoptr(RwRunEntry) entry = guest ? rw_store_resolve(store, argv[3], &error) : NULL;
    g_autoptr(RwManifest) manifest = entry ? rw_manifest_load(entry, &error) : NULL;
    if (!manifest)
        return fail(error);
    g_autofree char *name = g_strconcat(manifest->inputs->image_hash, ".erofs", NULL);
    g_autofree char *image = g_build_filename(rw_store_get_images_dir(store), name, NULL);
    RwSeek source = {store, manifest, entry->path, guest, image, .warn = warn};
    for (int i = 4; i < argc; i++)
        if (!seek(&source, g_ascii_strtoull(argv[i], NULL, 10), &error))
            return fail(error);
    rw_guest_unref(guest);
    return 0;
}
