// SPDX-License-Identifier: MIT
#include "made.h"

#include "keyframes-file-private.h"
#include "rw-manifest.h"
#include "story.h"

#include <string.h>

#define SHARED 1000000u // numbers of pages that several runs have

static RwInputs *make_inputs(guint n)
{
    g_autofree char *command = g_strdup_printf("/bin/made-%u", n);
    return story_inputs(command);
}

char *made_dup_id(guint n)
{
    g_autoptr(RwInputs) inputs = make_inputs(n);
    char id[RW_RUN_ID_SIZE];
    rw_inputs_id(inputs, id);
    return g_strdup(id);
}

static void make_page(guint number, uint8_t ret_bytes[RW_PAGE_BYTES])
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(number);
    memset(ret_bytes, (int)(number & 0x7f) + 1, RW_PAGE_BYTES);
    for (guint i = 0; i < 64; i++)
        rw_store_u32(ret_bytes + 4 * i, g_rand_int(rand));
}

static guint page_number(guint n, guint i)
{
    return i < MADE_OWN_PAGES ? n * MADE_OWN_PAGES + i : SHARED + n % 10 * MADE_OWN_PAGES + i;
}

static RwPageHash put_tree(RwPages *pages, guint n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPagesWriter) writer = rw_pages_writer_new(pages, &error);
    g_autoptr(RwPageTree) tree = rw_page_tree_new(pages, &(RwPageHash){0}, RW_TREE_LEVELS);
    RwPageHash hash, root = {0};
    for (guint i = 0; i < 2 * MADE_OWN_PAGES; i++) {
        uint8_t bytes[RW_PAGE_BYTES];
        make_page(page_number(n, i), bytes);
        rw_pages_writer_put(writer, bytes, sizeof bytes, &hash, &error);
        rw_page_tree_set(tree, 40 * i, &hash, &error); // a node of its own
    }
    rw_page_tree_flush(tree, writer, &root, &error);
    rw_pages_writer_finish(writer, &error);
    g_assert_no_error(error);
    return root;
}

static void make_keyframes(RwStore *store, const char *dir, guint n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwPages) pages = rw_pages_open(store, false, &error);
    g_autofree char *path = g_build_filename(dir, "keyframes", NULL);
    g_autoptr(RwKeyframesFile) file = rw_keyframes_file_new(path, &error);
    g_autoptr(GBytes) state = g_bytes_new_static("made", 4);
    g_assert_no_error(error);
    RwKeyframeHead head = {.frame = {.step = 3, .icount = 3000, .tsc = 3000, .memory = 64u << 20}};
    head.frame.root = put_tree(pages, n);
    rw_keyframes_file_add(file, &head, state, &error);
    rw_keyframes_file_finish(file, &error);
    g_assert_no_error(error);
}

static void make_parts(RwStore *store, const RwInputs *inputs)
{
    g_autofree char *image =
        g_strdup_printf("%s/%s.erofs", rw_store_get_images_dir(store), inputs->image_hash);
    g_autofree char *guest = g_build_filename(rw_store_get_guests_dir(store), inputs->guest_hash, NULL);
    g_autofree char *kernel = g_build_filename(guest, "vmlinux", NULL);
    g_assert_true(g_file_set_contents(image, "image", 5, NULL));
    g_assert_true(rw_mkdir(guest, NULL));
    g_assert_true(g_file_set_contents(kernel, "kernel", 6, NULL));
}

void made_run(RwStore *store, guint n)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *existing = NULL;
    g_autoptr(RwInputs) inputs = make_inputs(n);
    g_autoptr(RwManifest) manifest = rw_manifest_new(inputs, NULL, "/made");
    g_autoptr(RwRunPart) part = rw_store_begin(store, manifest->id, &error);
    g_assert_no_error(error);
    const char *dir = rw_run_part_get_path(part);
    g_autofree char *trace = g_build_filename(dir, "trace", NULL);
    manifest->events = story_write(trace, manifest->trace_sha256);
    manifest->ended = true;
    manifest->end =
        (RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .steps = STORY_STEPS, .icount = 18000};
    make_keyframes(store, dir, n);
    if (n == 0)
        make_parts(store, inputs);
    g_assert_true(rw_manifest_save(manifest, dir, &error));
    g_assert_true(rw_run_part_commit(part, &existing, &error));
}

// ---- Looking ----

static bool check_page(uint64_t page, const RwPageHash *hash, void *data, GError **error)
{
    const guint *n = data;
    uint8_t bytes[RW_PAGE_BYTES];
    RwPageHash expected;
    make_page(page_number(*n, (guint)(page / 40)), bytes);
    rw_sha256_bytes(bytes, sizeof bytes, expected.v);
    g_assert_cmpmem(hash, sizeof *hash, &expected, sizeof expected);
    return true;
}

static bool read_object(const RwPageHash *hash, size_t length, void *data, GError **error)
{
    uint8_t bytes[RW_PAGE_BYTES];
    return rw_pages_get(data, hash, bytes, length, error);
}

static bool check_pages(RwStore *store, const char *dir, guint n, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "keyframes", NULL);
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(path, error);
    g_autoptr(RwPages) pages = keyframes ? rw_pages_open(store, false, error) : NULL;
    g_autoptr(RwPageSet) seen = rw_page_set_new();
    const RwPageHash *root = pages ? &rw_keyframes_get(keyframes, 0)->root : NULL;
    return root && rw_page_tree_walk(pages, root, RW_TREE_LEVELS, check_page, &n, error) &&
           rw_page_tree_collect(pages, root, RW_TREE_LEVELS, seen, read_object, pages, error);
}

static bool check_parts(RwStore *store, const RwInputs *inputs, GError **error)
{
    g_autofree char *image =
        g_strdup_printf("%s/%s.erofs", rw_store_get_images_dir(store), inputs->image_hash);
    g_autofree char *kernel =
        g_build_filename(rw_store_get_guests_dir(store), inputs->guest_hash, "vmlinux", NULL);
    if (g_file_test(image, G_FILE_TEST_EXISTS) && g_file_test(kernel, G_FILE_TEST_EXISTS))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "image or guest is gone");
    return false;
}

bool made_is_whole(RwStore *store, guint n, GError **error)
{
    g_autoptr(RwInputs) inputs = make_inputs(n);
    g_autofree char *id = made_dup_id(n);
    g_autofree char *dir = g_build_filename(rw_store_get_runs_dir(store), id, NULL);
    g_autofree char *path = g_build_filename(dir, "trace", NULL);
    g_autoptr(JsonObject) object = rw_manifest_read_object(dir, error);
    g_autoptr(RwManifest) manifest = object ? rw_manifest_from_json(object, dir, error) : NULL;
    g_autoptr(RwTrace) trace = manifest ? rw_trace_open(path, error) : NULL;
    return trace && check_parts(store, inputs, error) && check_pages(store, dir, n, error);
}
