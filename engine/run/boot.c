// SPDX-License-Identifier: MIT
//
// Boots that are kept. Whatever goes wrong here costs a boot.
#include "boot-private.h"

#include "rw-pages-care.h"
#include "rw-trace-put.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "boot-"

static char *dup_dir(RwStore *store, const uint8_t key[RW_SHA256_SIZE])
{
    char hex[RW_SHA256_HEX_SIZE];
    rw_hex_from_digest(key, hex);
    return g_strdup_printf("%s/" PREFIX "%.32s", rw_store_get_cache_dir(store), hex);
}

static char *dup_dir_of(RwStore *store, const RwInputs *inputs)
{
    uint8_t key[RW_SHA256_SIZE];
    rw_boot_key(inputs, key);
    return dup_dir(store, key);
}

void rw_start_clear(RwStart *start)
{
    rw_machine_free(start->machine);
    rw_trace_writer_free(start->prefix);
    *start = (RwStart){0};
}

// ---- The root ----

static bool read_root(const char *dir, RwPageHash *ret)
{
    g_autofree char *path = g_build_filename(dir, "root", NULL), *text = NULL;
    size_t length;
    return rw_read_file(path, RW_SHA256_HEX_SIZE, &text, &length, NULL) &&
           length == RW_SHA256_HEX_SIZE - 1 && rw_digest_from_hex(text, ret->v);
}

static bool has_page(uint64_t page, const RwPageHash *hash, void *data, GError **error)
{
    if (rw_pages_has(data, hash))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "a page is missing");
    return false;
}

static bool has_tree(RwStore *store, const RwKeyframe *frame)
{
    g_autoptr(RwPages) pages = rw_pages_open(store, false, NULL);
    return pages && rw_page_tree_walk(pages, &frame->root, rw_page_tree_levels(frame->memory), has_page,
                                      pages, NULL);
}

void rw_boot_note_root(RwStore *store, const RwInputs *inputs, const char *keyframes)
{
    char hex[RW_SHA256_HEX_SIZE];
    g_autofree char *dir = dup_dir_of(store, inputs), *path = g_build_filename(dir, "root", NULL),
                    *state = g_build_filename(dir, "state", NULL);
    g_auto(RwBootFile) file = {0};
    g_autoptr(RwKeyframes) frames = rw_keyframes_open(keyframes, NULL);
    if (!frames || !rw_keyframes_get_count(frames) || !rw_boot_file_open(state, &file, NULL))
        return;
    const RwKeyframe *first = rw_keyframes_get(frames, 0);
    if (!first->held || first->step != file.head.step || first->icount != file.head.icount)
        return;
    rw_hex_from_digest(first->root.v, hex);
    rw_write_file_atomic(path, hex, strlen(hex), NULL);
}

void rw_boot_forget_root(RwStore *store, const RwInputs *inputs)
{
    g_autofree char *dir = dup_dir_of(store, inputs), *path = g_build_filename(dir, "root", NULL);
    unlink(path);
}

// ---- Taking one up ----

static bool read_trace(const char *dir, const RwBootHead *head, RwTraceWriter *to, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, error);
    if (!trace)
        return false;
    if (rw_trace_is_complete(trace) && rw_trace_get_steps(trace) == head->step &&
        rw_trace_get_events(trace) == head->events)
        return rw_trace_writer_put_trace(to, trace, error);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged", path);
    return false;
}

static bool take_up(const char *dir, const uint8_t key[RW_SHA256_SIZE], const RwMachineConfig *config,
                    RwStart *ret, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "state", NULL);
    g_auto(RwBootFile) file = {0};
    if (!rw_boot_file_open(path, &file, error))
        return false;
    if (memcmp(file.head.key, key, RW_SHA256_SIZE)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged", path);
        return false;
    }
    ret->prefix = rw_trace_writer_new(NULL, NULL);
    ret->frame = (RwKeyframe){.step = file.head.step,
                              .icount = file.head.icount,
                              .tsc = file.head.tsc,
                              .held = true,
                              .pages = file.head.touched,
                              .memory = file.head.memory};
    ret->is_kept = true;
    return read_trace(dir, &file.head, ret->prefix, error) &&
           (ret->machine = rw_boot_file_restore(&file, config, error));
}

static bool try_kept(const char *dir, const uint8_t key[RW_SHA256_SIZE], const RwMachineConfig *config,
                     RwStore *store, RwStart *ret)
{
    g_autoptr(GError) error = NULL;
    if (take_up(dir, key, config, ret, &error)) {
        utimensat(AT_FDCWD, dir, NULL, 0);
        ret->has_root = read_root(dir, &ret->frame.root) && has_tree(store, &ret->frame);
        return true;
    }
    rw_start_clear(ret);
    if (!g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND))
        rw_remove_tree(dir, NULL);
    return false;
}

// ---- Keeping one ----

static gint64 used_at(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? (gint64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec : 0;
}

static void remove_oldest(RwStore *store)
{
    g_autoptr(GPtrArray) names = rw_dir_names(rw_store_get_cache_dir(store), NULL);
    g_autofree char *oldest = NULL;
    guint count = 0;
    for (guint i = 0; names && i < names->len; i++) {
        g_autofree char *path = g_build_filename(rw_store_get_cache_dir(store), names->pdata[i], NULL);
        if (!g_str_has_prefix(names->pdata[i], PREFIX))
            continue;
        count++;
        if (!oldest || used_at(path) < used_at(oldest)) {
            g_free(oldest);
            oldest = g_steal_pointer(&path);
        }
    }
    if (count > RW_BOOTS_MAX)
        rw_remove_tree(oldest, NULL);
}

static bool write_trace(const char *dir, const RwTraceWriter *prefix, RwBootHead *head, GError **error)
{
    char sha256[RW_SHA256_HEX_SIZE];
    g_autofree char *path = g_build_filename(dir, "trace", NULL);
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new_copy(prefix, path, error);
    if (!writer)
        return false;
    head->events = rw_trace_writer_get_events(writer);
    return rw_trace_writer_finish(writer, sha256, error);
}

static bool write_all(const char *dir, const RwInputs *inputs, const uint8_t key[RW_SHA256_SIZE],
                      const RwStart *start)
{
    g_autofree char *state = g_build_filename(dir, "state", NULL);
    RwBootHead head = {
        .memory = rw_machine_memory(start->machine),
        .step = rw_machine_steps(start->machine),
        .icount = rw_machine_icount(start->machine),
        .tsc = rw_machine_tsc(start->machine),
    };
    memcpy(head.key, key, RW_SHA256_SIZE);
    return rw_digest_from_hex(inputs->image_hash, head.image) &&
           rw_digest_from_hex(inputs->guest_hash, head.guest) &&
           write_trace(dir, start->prefix, &head, NULL) &&
           rw_boot_write(state, &head, start->machine, NULL);
}

// Of two at the same time the first one's stays: they are the same.
static void keep(RwStore *store, const RwInputs *inputs, const char *dir, const uint8_t key[RW_SHA256_SIZE],
                 const RwStart *start)
{
    g_autofree char *temporary = g_build_filename(rw_store_get_cache_dir(store), "." PREFIX "XXXXXX", NULL);
    if (!g_mkdtemp_full(temporary, 0700))
        return;
    if (!write_all(temporary, inputs, key, start) ||
        renameat2(AT_FDCWD, temporary, AT_FDCWD, dir, RENAME_NOREPLACE) != 0)
        rw_remove_tree(temporary, NULL);
    else
        remove_oldest(store);
}

// ---- Starting ----

static void prefix_record(void *data, const struct rewind_record *record, const uint8_t *payload,
                          size_t length)
{
    rw_trace_writer_record(data, record, payload, length);
}

static void prefix_step(void *data, const RwStepInfo *step)
{
    rw_trace_writer_step(data, step);
}

static bool boot(const RwInputs *inputs, const RwMachineConfig *config, const RwLimits *limits,
                 RwStart *ret, GError **error)
{
    RwJob job = rw_inputs_job(inputs);
    RwLimits before = *limits;
    before.before_input = true;
    ret->machine = rw_machine_new(config, error);
    if (!ret->machine || !rw_machine_set_job(ret->machine, &job, error)) {
        rw_start_clear(ret);
        return false;
    }
    ret->prefix = rw_trace_writer_new(NULL, NULL);
    rw_machine_set_sink(ret->machine, &(RwSink){prefix_record, prefix_step, ret->prefix});
    RwEnd end = rw_machine_run(ret->machine, &before);
    rw_machine_set_sink(ret->machine, NULL);
    if (rw_end_check(&end, error))
        return true;
    rw_start_clear(ret);
    return false;
}

bool rw_start(const RwInputs *inputs, RwStore *store, RwGuest *guest, const char *image_path,
              const RwLimits *limits, RwStart *ret, GError **error)
{
    uint8_t key[RW_SHA256_SIZE];
    RwMachineConfig config = rw_inputs_config(inputs, guest, image_path);
    *ret = (RwStart){0};
    rw_boot_key(inputs, key);
    g_autofree char *dir = store ? dup_dir(store, key) : NULL;
    if (store && try_kept(dir, key, &config, store, ret))
        return true;
    if (!boot(inputs, &config, limits, ret, error))
        return false;
    if (store && rw_machine_is_held(ret->machine))
        keep(store, inputs, dir, key, ret);
    return true;
}

// ---- Garbage ----

static bool has_hash(GHashTable *hashes, const uint8_t digest[RW_SHA256_SIZE])
{
    char hex[RW_SHA256_HEX_SIZE];
    rw_hex_from_digest(digest, hex);
    return g_hash_table_contains(hashes, hex);
}

bool rw_boot_mark(const char *dir, GHashTable *images, GHashTable *guests, RwPages *pages, RwPageSet *live)
{
    RwPageHash root;
    g_autofree char *path = g_build_filename(dir, "state", NULL);
    g_auto(RwBootFile) file = {0};
    if (!rw_boot_file_open(path, &file, NULL) || !has_hash(images, file.head.image) ||
        !has_hash(guests, file.head.guest))
        return false;
    // What could not be marked is found missing, or is a page more to put.
    if (read_root(dir, &root))
        rw_page_tree_mark(pages, &root, rw_page_tree_levels(file.head.memory), live, NULL);
    return true;
}
