// SPDX-License-Identifier: MIT
//
// Reads files as keyframes, whatever is in them. With --grow SEED COUNT it reads that many damaged variants
// of each as well; --write FILE makes the sample of this version. Prints how many were read and how many
// frames were in them; dies of what the reader gets wrong.
#include "keyframes-file-private.h"
#include "trace-format-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t frames;

static void read_one(const char *path)
{
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(path, NULL);
    uint64_t last = 0;
    if (!keyframes)
        return;
    guint count = rw_keyframes_get_count(keyframes);
    for (guint i = 0; i < count; i++) {
        const RwKeyframe *frame = rw_keyframes_get(keyframes, i);
        g_assert_true(i == 0 || frame->icount > last);
        last = frame->icount;
        g_autoptr(GBytes) state = rw_keyframes_read_state(keyframes, i, NULL);
        frames += state != NULL;
        int found = rw_keyframes_find(keyframes, frame->step);
        g_assert_cmpint(found, >=, (int)i - frame->held);
    }
    g_assert_cmpint(rw_keyframes_find(keyframes, UINT64_MAX), <, (int)count);
}

// Damage as it comes, and of half of the variants one part that is sealed again, so that it is believed.
static void damage(GByteArray *out, GRand *rand)
{
    static const guint starts[] = {0, 32}, sizes[] = {RW_KEYFRAMES_HEADER_SIZE, RW_KEYFRAMES_HEAD_SIZE};
    for (int n = g_rand_int_range(rand, 1, 5); n && out->len > 200; n--) {
        guint at = (guint)g_rand_int_range(rand, 0, (gint32)out->len);
        if (g_rand_int_range(rand, 0, 6) == 0)
            g_byte_array_set_size(out, at);
        else
            out->data[at] = (guint8)g_rand_int(rand);
    }
    guint part = (guint)g_rand_int_range(rand, 0, 4), end = out->len;
    if (part < 2 && end > starts[part] + sizes[part])
        rw_store_u64(out->data + starts[part] + sizes[part] - 8,
                     rw_seal_check(out->data + starts[part], sizes[part] - 8));
    if (part == 3 && end > RW_KEYFRAMES_TRAILER_SIZE)
        rw_store_u64(out->data + end - 8, rw_seal_check(out->data + end - RW_KEYFRAMES_TRAILER_SIZE,
                                                         RW_KEYFRAMES_TRAILER_SIZE - 8));
}

static void grow(const char *path, guint32 seed, guint64 count)
{
    g_autofree char *bytes = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    g_autofree char *variant = g_build_filename(g_get_tmp_dir(), "fuzz-keyframes-XXXXXX", NULL);
    int fd = g_mkstemp(variant);
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    for (guint64 i = 0; i < count; i++) {
        g_autoptr(GByteArray) out = g_byte_array_new();
        g_byte_array_append(out, (const guint8 *)bytes, (guint)length);
        damage(out, rand);
        g_assert_true(ftruncate(fd, 0) == 0 && pwrite(fd, out->data, out->len, 0) == (ssize_t)out->len);
        read_one(variant);
    }
    close(fd);
    unlink(variant);
}

static int write_sample(const char *path)
{
    g_autoptr(RwKeyframesFile) file = rw_keyframes_file_new(path, NULL);
    uint8_t state[600];
    for (unsigned i = 0; i < 5; i++) {
        for (unsigned k = 0; k < sizeof state; k++)
            state[k] = (uint8_t)(i < 3 ? i : k * k * 37 + i * k);
        RwKeyframeHead head = {.frame = {.step = 93 + i / 2 * 40,
                                         .icount = 1000 * (i + 1),
                                         .tsc = 4000 * (i + 1),
                                         .held = i % 2 == 1,
                                         .root = {{(uint8_t)i, 1, 2}},
                                         .pages = i,
                                         .memory = 64 << 20}};
        g_autoptr(GBytes) bytes = g_bytes_new(state, i == 4 ? 16 : sizeof state);
        if (!file || !rw_keyframes_file_add(file, &head, bytes, NULL))
            return 1;
    }
    return rw_keyframes_file_finish(file, NULL) ? 0 : 1;
}

int main(int argc, char **argv)
{
    guint64 read = 0, count = 0;
    guint32 seed = 0;
    int at = 1;
    if (argc == 3 && !strcmp(argv[1], "--write"))
        return write_sample(argv[2]);
    if (argc > 3 && !strcmp(argv[1], "--grow")) {
        seed = (guint32)strtoul(argv[2], NULL, 10);
        count = g_ascii_strtoull(argv[3], NULL, 10);
        at = 4;
    }
    for (; at < argc; at++, read += 1 + count) {
        uint64_t before = frames;
        read_one(argv[at]);
        g_assert_cmpuint(frames, >, before); // a file of the corpus is one that can be read
        grow(argv[at], seed, count);
    }
    printf("%" G_GUINT64_FORMAT " files with %" G_GUINT64_FORMAT " keyframes read\n", read, frames);
    return read ? 0 : 1;
}
