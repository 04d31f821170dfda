// SPDX-License-Identifier: MIT
//
// usage: fuzz-formats TARGET FILE...                    reads each file as it is
//        fuzz-formats --mutate N SEED [TARGET [FILE...]]  reads N variants; without files of a made-up
//        run's; without a
//                                                       target of each in turn
// TARGET is rwd, members (of .rwd files, with hashes that are right), trace, manifest, bookmarks, index (of
// .rwd files), keyframes or pack; manifest-json, bookmarks-json, index-json, oci-json (a layout's
// documents): JSON that is varied by its structure; tar (with checksums that are right); reply (of the
// guest's agent); gdb (a debugger's packets); condition
// (of a breakpoint); kernel (memory of a guest). It ends well, or an assertion, a
// sanitizer or a signal says why not; the variant that it
// was at is found again by its number: --mutate N SEED is deterministic.
#include "corpus.h"
#include "fuzz.h"
#include "rwd-reader-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const Target *const exported[] = {&target_rwd, &target_members, &target_gdb, &target_condition,
                                         &target_kernel};

const Target *find_target(const char *name)
{
    for (gsize i = 0; i < G_N_ELEMENTS(exported); i++)
        if (!strcmp(exported[i]->name, name))
            return exported[i];
    for (const Target *target = targets; target->name; target++)
        if (!strcmp(target->name, name))
            return target;
    for (const Target *target = more_targets; target->name; target++)
        if (!strcmp(target->name, name))
            return target;
    return NULL;
}

// ---- The made-up run's files ----

typedef struct {
    GBytes *bytes;
    gsize at;
} Source;

static ssize_t read_source(void *data, const void **ret_bytes, GError **error)
{
    Source *source = data;
    gsize length;
    const uint8_t *bytes = g_bytes_get_data(source->bytes, &length);
    *ret_bytes = bytes + source->at;
    ssize_t n = (ssize_t)(length - source->at);
    source->at = length;
    return n;
}

static GBytes *read_rwd_index(GBytes *rwd)
{
    Source source = {rwd, 0};
    g_autoptr(RwdReader) reader = rwd_reader_new(read_source, &source, NULL);
    char *text = rwd_index_dup_text(rwd_reader_get_index(reader));
    return g_bytes_new_take(text, strlen(text));
}

static void add_run_file(Inputs *inputs, const Corpus *corpus, const char *name)
{
    g_autofree char *path = g_build_filename(corpus->run, name, NULL);
    g_ptr_array_add(inputs->inputs, corpus_read(path));
}

static void make_inputs(Inputs *inputs, const Target *target)
{
    static const char *const files[][2] = {{"trace", "trace"},
                                           {"manifest", "manifest.json"},
                                           {"bookmarks", "bookmarks.json"},
                                           {"manifest-json", "manifest.json"},
                                           {"bookmarks-json", "bookmarks.json"},
                                           {"keyframes", "keyframes"}};
    add_own_inputs(target, inputs);
    if (inputs->inputs->len)
        return;
    g_autoptr(Corpus) corpus = corpus_new();
    for (gsize i = 0; i < G_N_ELEMENTS(files); i++)
        if (!strcmp(target->name, files[i][0]))
            add_run_file(inputs, corpus, files[i][1]);
    if (!strcmp(target->name, "pack")) {
        g_autofree char *pack = corpus_dup_pack(corpus);
        g_ptr_array_add(inputs->inputs, corpus_read(pack));
    }
    if (inputs->inputs->len)
        return;
    g_ptr_array_add(inputs->inputs, corpus_read(corpus->rwd));
    g_ptr_array_add(inputs->inputs, corpus_read(corpus->trace_only));
    for (guint i = 0; i < 2 && g_str_has_prefix(target->name, "index"); i++) {
        GBytes *rwd = inputs->inputs->pdata[i];
        inputs->inputs->pdata[i] = read_rwd_index(rwd);
        g_bytes_unref(rwd);
    }
}

// ---- Rounds ----

typedef struct {
    uint64_t read, taken;
} Count;

static void run_one(const Target *target, const uint8_t *bytes, size_t length, Count *count)
{
    count->read++;
    count->taken += target->read(bytes, length) ? 1 : 0;
}

static void run_variant(const Target *target, const Inputs *inputs, Random *random, GByteArray *out,
                        Count *count)
{
    g_byte_array_set_size(out, 0);
    if (target->vary) {
        target->vary(out, inputs, random);
    } else {
        gsize length;
        const void *bytes =
            g_bytes_get_data(inputs->inputs->pdata[random_below(random, inputs->inputs->len)], &length);
        rw_put_bytes(out, bytes, length);
        mutate(out, inputs, random);
        if (target->mend && random_below(random, 4))
            target->mend(out);
    }
    run_one(target, out->data, out->len, count);
}

// A reader that takes none of the whole files is not reached, nor one that takes none of many made-up ones.
// How many damaged files are taken says nothing: of some all are refused by their checks.
static bool is_reached(const Target *target, const Inputs *inputs, const Count *count)
{
    Count whole = {0};
    if (target->vary)
        return count->taken > 0 || count->read < 1000;
    for (guint i = 0; i < inputs->inputs->len; i++) {
        gsize length;
        const void *bytes = g_bytes_get_data(inputs->inputs->pdata[i], &length);
        run_one(target, bytes, length, &whole);
    }
    return whole.taken > 0;
}

static bool fuzz(const Target *target, const Inputs *inputs, uint64_t rounds, uint64_t seed)
{
    Count count = {0};
    g_autoptr(GByteArray) out = g_byte_array_new();
    gint64 start = g_get_monotonic_time();
    for (uint64_t i = 0; i < rounds; i++) {
        // Each variant is a function of the seed and its number alone.
        Random random = {(seed * 0x9e3779b97f4a7c15ull) ^ (i * 0xd1342543de82ef95ull) ^
                         0x2545f4914f6cdd1dull};
        random.state |= !random.state;
        random_next(&random);
        run_variant(target, inputs, &random, out, &count);
    }
    double seconds = (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
    printf("%s: %" G_GUINT64_FORMAT " executions, %" G_GUINT64_FORMAT " taken, %.0f a second\n",
           target->name, count.read, count.taken, (double)count.read / seconds);
    return is_reached(target, inputs, &count);
}

static bool fuzz_target(const Target *target, char **files, uint64_t rounds, uint64_t seed)
{
    Inputs inputs = {g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref)};
    for (; *files; files++)
        g_ptr_array_add(inputs.inputs, corpus_read(*files));
    if (!inputs.inputs->len)
        make_inputs(&inputs, target);
    bool reached = fuzz(target, &inputs, rounds, seed);
    g_ptr_array_unref(inputs.inputs);
    return reached;
}

static int mutate_all(char **args)
{
    char *none[] = {NULL};
    uint64_t rounds = strtoull(args[0], NULL, 10), seed = strtoull(args[1], NULL, 10);
    const Target *one = args[2] ? find_target(args[2]) : NULL;
    bool reached = true;
    if (args[2] && !one)
        return 2;
    if (one)
        return fuzz_target(one, args + 3, rounds, seed) ? 0 : 1;
    for (gsize i = 0; i < G_N_ELEMENTS(exported); i++)
        reached &= fuzz_target(exported[i], none, rounds, seed);
    for (const Target *target = more_targets; target->name; target++)
        reached &= fuzz_target(target, none, rounds, seed);
    for (const Target *target = targets; target->name; target++)
        reached &= fuzz_target(target, none, rounds, seed);
    return reached ? 0 : 1;
}

static int read_files(const Target *target, char **files)
{
    Count count = {0};
    for (; *files; files++) {
        g_autoptr(GBytes) bytes = corpus_read(*files);
        gsize length;
        const uint8_t *data = g_bytes_get_data(bytes, &length);
        run_one(target, data, length, &count);
    }
    printf("%s: %" G_GUINT64_FORMAT " files read, %" G_GUINT64_FORMAT " taken\n", target->name, count.read,
           count.taken);
    return count.read ? 0 : 1;
}

static int run(int argc, char **argv)
{
    const Target *target = argc > 2 ? find_target(argv[1]) : NULL;
    if (target)
        return read_files(target, argv + 2);
    if (argc > 3 && !strcmp(argv[1], "--mutate"))
        return mutate_all(argv + 2);
    fprintf(stderr, "usage: fuzz-formats TARGET FILE... | --mutate N SEED [TARGET [FILE...]]\n");
    return 2;
}

int main(int argc, char **argv)
{
    g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
    int status = run(argc, argv);
    rw_remove_tree(scratch_dir(), NULL);
    return status;
}
