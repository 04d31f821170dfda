// SPDX-License-Identifier: MIT
#include "corpus.h"

#include "keyframes-format-private.h"
#include "rw-bookmarks.h"
#include "rw-image.h"
#include "story.h"
#include "trace-format-private.h"

#include <glib/gstdio.h>

#define MUST(what)                                                                                         \
    do {                                                                                                   \
        g_autoptr(GError) error = NULL;                                                                    \
        if (!(what))                                                                                       \
            g_error("%s: %s", #what, error ? error->message : "failed");                                   \
    } while (0)

static char *put(const char *dir, const char *name, const char *text)
{
    char *path = g_build_filename(dir, name, NULL);
    MUST(g_file_set_contents(path, text, -1, &error));
    return path;
}

static void make_guest(Corpus *corpus)
{
    corpus->guest = g_build_filename(corpus->top, "guest", NULL);
    MUST(rw_mkdir(corpus->guest, &error));
    g_free(put(corpus->guest, "vmlinux", "a kernel"));
    g_free(put(corpus->guest, "initrd.cpio", "an init"));
    g_free(put(corpus->guest, "cmdline", "quiet\n"));
}

static void make_image(Corpus *corpus, char ret_hash[RW_SHA256_HEX_SIZE])
{
    g_autofree char *root = g_build_filename(corpus->top, "root", NULL);
    g_autoptr(RwImage) image = NULL;
    MUST(rw_mkdir(root, &error));
    g_free(put(root, "file", "x"));
    MUST(image = rw_image_prepare(root, rw_store_get_images_dir(corpus->store), NULL, NULL, NULL, NULL,
                                  &error));
    corpus->image = g_strdup(image->path);
    memcpy(ret_hash, image->sha256, RW_SHA256_HEX_SIZE);
}

static RwInputs *make_inputs(Corpus *corpus)
{
    static const char *const argv[] = {"make", "check", NULL};
    char hash[RW_SHA256_HEX_SIZE];
    RwInputs *inputs = rw_inputs_new();
    RwGuest *guest = NULL;
    MUST(guest = rw_guest_load(corpus->guest, &error));
    inputs->guest_hash = g_strdup(rw_guest_get_hash(guest));
    rw_guest_unref(guest);
    make_image(corpus, hash);
    inputs->image_hash = g_strdup(hash);
    inputs->argv = g_strdupv((char **)argv);
    inputs->env = rw_inputs_dup_default_env(0, false);
    inputs->cwd = g_strdup("/src");
    inputs->hostname = g_strdup("rewind");
    inputs->model = RW_CPU_MODEL_V2;
    inputs->memory = 64ull << 20;
    inputs->cores = 1;
    inputs->epoch = 1791331200;
    return inputs;
}

static void put_page(RwPagesWriter *writer, RwPageTree *tree, uint64_t page, int fill)
{
    uint8_t bytes[RW_PAGE_BYTES];
    RwPageHash hash;
    memset(bytes, fill, sizeof bytes);
    MUST(rw_pages_writer_put(writer, bytes, sizeof bytes, &hash, &error));
    MUST(rw_page_tree_set(tree, page, &hash, &error));
}

typedef struct {
    GByteArray *file, *index;
    uint32_t count;
} Frames;

static void add_frame(Frames *frames, uint64_t step, const RwPageHash *root, const char *state)
{
    uint8_t head[RW_KEYFRAMES_HEAD_SIZE];
    RwKeyframeHead frame = {.frame = {.step = step,
                                      .icount = step * 1000,
                                      .tsc = step * 1000,
                                      .root = *root,
                                      .pages = 1,
                                      .memory = 64ull << 20},
                            .stored = (uint32_t)strlen(state),
                            .raw = (uint32_t)strlen(state)};
    rw_keyframes_head_encode(&frame, head);
    rw_put_u64(frames->index, frames->file->len);
    rw_put_bytes(frames->index, head, sizeof head);
    rw_put_bytes(frames->file, head, sizeof head);
    rw_put_bytes(frames->file, state, strlen(state));
    frames->count++;
}

static void finish_frames(Frames *frames, const char *path)
{
    uint8_t trailer[RW_KEYFRAMES_TRAILER_SIZE], head[8];
    rw_store_u32(head, RW_KEYFRAMES_INDEX_MAGIC);
    rw_store_u32(head + 4, frames->count);
    g_byte_array_prepend(frames->index, head, sizeof head);
    rw_put_u64(frames->index, rw_seal_check(frames->index->data, frames->index->len));
    RwKeyframesTrailer end = {frames->file->len, frames->index->len, frames->count};
    rw_keyframes_trailer_encode(&end, trailer);
    rw_put_bytes(frames->file, frames->index->data, frames->index->len);
    rw_put_bytes(frames->file, trailer, sizeof trailer);
    MUST(g_file_set_contents(path, (char *)frames->file->data, (gssize)frames->file->len, &error));
}

static void make_keyframes(Corpus *corpus, const char *path)
{
    uint8_t header[RW_KEYFRAMES_HEADER_SIZE];
    RwPageHash root, zero = {0};
    g_autoptr(RwPages) pages = NULL;
    g_autoptr(RwPagesWriter) writer = NULL;
    MUST(pages = rw_pages_open(corpus->store, false, &error));
    MUST(writer = rw_pages_writer_new(pages, &error));
    g_autoptr(RwPageTree) tree = rw_page_tree_new(pages, &zero, RW_TREE_LEVELS);
    g_autoptr(GByteArray) file = g_byte_array_new(), index = g_byte_array_new();
    Frames frames = {file, index, 0};
    rw_keyframes_header_encode(header);
    rw_put_bytes(file, header, sizeof header);
    for (int i = 1; i < 3; i++) {
        put_page(writer, tree, 7, i);
        MUST(rw_page_tree_flush(tree, writer, &root, &error));
        add_frame(&frames, (uint64_t)i * 5, &root, "a state");
    }
    finish_frames(&frames, path);
    MUST(rw_pages_writer_finish(writer, &error));
}

static void make_run(Corpus *corpus)
{
    g_autoptr(RwInputs) inputs = make_inputs(corpus);
    RwManifest *manifest = corpus->manifest = rw_manifest_new(inputs, "made up", "/nowhere/root.tar");
    RwRunPart *part = NULL;
    g_autofree char *existing = NULL;
    MUST(part = rw_store_begin(corpus->store, manifest->id, &error));
    const char *dir = rw_run_part_get_path(part);
    g_autofree char *trace = g_build_filename(dir, "trace", NULL),
                    *keyframes = g_build_filename(dir, "keyframes", NULL);
    manifest->created_us = 1791331200000000;
    manifest->events = story_write(trace, manifest->trace_sha256);
    manifest->ended = true;
    manifest->end = (RwEnd){.kind = RW_END_POWEROFF,
                            .job_exited = true,
                            .job_status = 2 << 8,
                            .steps = STORY_STEPS,
                            .icount = 18000,
                            .tsc = 18000};
    make_keyframes(corpus, keyframes);
    MUST(rw_manifest_save(manifest, dir, &error));
    MUST(rw_bookmarks_set(dir, 12, "here", &error));
    MUST(rw_run_part_commit(part, &existing, &error));
    corpus->run = g_strdup(rw_run_part_get_path(part));
    rw_run_part_free(part);
}

static char *export(const Corpus *corpus, const char *name, bool replayable)
{
    char *path = g_build_filename(corpus->top, name, NULL);
    RwExportOptions options = {.store = corpus->store,
                               .manifest = corpus->manifest,
                               .dir = corpus->run,
                               .replayable = replayable,
                               .guest_dir = corpus->guest,
                               .image_path = corpus->image};
    MUST(rw_export(&options, path, false, NULL, &error));
    return path;
}

Corpus *corpus_new(void)
{
    Corpus *corpus = g_new0(Corpus, 1);
    // Each round syncs its files: not on a disk.
    corpus->top = g_strdup(g_file_test("/dev/shm", G_FILE_TEST_IS_DIR) ? "/dev/shm/rewind-fuzz-XXXXXX"
                                                                       : "/tmp/rewind-fuzz-XXXXXX");
    g_assert_nonnull(g_mkdtemp(corpus->top));
    g_autofree char *home = g_build_filename(corpus->top, "home", NULL);
    MUST(corpus->store = rw_store_open(home, &error));
    make_guest(corpus);
    make_run(corpus);
    corpus->rwd = export(corpus, "run.rwd", true);
    corpus->trace_only = export(corpus, "trace-only.rwd", false);
    return corpus;
}

void corpus_free(Corpus *corpus)
{
    if (!corpus)
        return;
    rw_remove_tree(corpus->top, NULL);
    rw_store_free(corpus->store);
    rw_manifest_free(corpus->manifest);
    g_free(corpus->top);
    g_free(corpus->run);
    g_free(corpus->guest);
    g_free(corpus->image);
    g_free(corpus->rwd);
    g_free(corpus->trace_only);
    g_free(corpus);
}

GBytes *corpus_read(const char *path)
{
    char *data;
    gsize length;
    MUST(g_file_get_contents(path, &data, &length, &error));
    return g_bytes_new_take(data, length);
}

char *corpus_dup_pack(const Corpus *corpus)
{
    g_autofree char *path = g_build_filename(rw_store_get_home(corpus->store), "store", NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(dir)))
        if (g_str_has_prefix(name, "pack-"))
            return g_build_filename(path, name, NULL);
    g_assert_not_reached();
}
