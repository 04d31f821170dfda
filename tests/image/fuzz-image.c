// SPDX-License-Identifier: MIT
//
// Feeds files to everything that reads roots: `fuzz-image FILE…` runs each as it is; `fuzz-image -n COUNT
// FILE…` also COUNT damaged variants of each, always the same ones. An erofs superblock's checksum is made
// right again, so that what lies behind it is reached. It ends well, or a sanitizer or an assertion says
// why not.
#include "rw-image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char *top, *images, *file;
    guint good, bad;
} Fuzz;

static const char *const paths[] = {"/",       "bin/sh",       "/a",          "d/../d/./x", "link/x",
                                    "l/l/l/l", "usr/bin/true", "many/n-2999", "sparse",     "\xff\xfe"};

static void look_into(const char *path)
{
    g_autoptr(RwImageReader) reader = rw_image_reader_open(path, NULL);
    if (!reader)
        return;
    for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
        RwImageStat st;
        g_autoptr(GError) error = NULL;
        if (!rw_image_lookup(reader, paths[i], &st, &error))
            g_assert_nonnull(error);
        g_autoptr(GBytes) bytes = rw_image_read_file(reader, paths[i], 1 << 16, NULL);
        g_autofree char *program = rw_image_dup_program(reader, "sh", "/bin:/usr/bin:", "/d", NULL);
    }
}

static void run_one(Fuzz *fuzz, const void *data, size_t len)
{
    const RwImageLimits limits = {.bytes = 16 << 20, .entries = 5000};
    g_autoptr(GError) error = NULL;
    g_assert_true(
        g_file_set_contents_full(fuzz->file, data, (gssize)len, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
    look_into(fuzz->file);
    g_autoptr(RwImage) image =
        rw_image_prepare(fuzz->file, fuzz->images, &limits, NULL, NULL, NULL, &error);
    if (image) {
        fuzz->good++;
        look_into(image->path);
    } else {
        fuzz->bad++;
        g_assert_nonnull(error);
        g_assert_null(strchr(error->message, '\n'));
    }
    rw_remove_tree(fuzz->images, NULL);
}

// CRC-32C over the superblock's block, its own field as zeros.
static void repair_checksum(uint8_t *data, size_t len)
{
    uint32_t crc = ~0u;
    if (len < 4096 || rw_load_u32(data + 1024) != 0xe0f5e1e2)
        return;
    for (int i = 1024; i < 4096; i++) {
        crc ^= i >= 1028 && i < 1032 ? 0 : data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    rw_store_u32(data + 1028, crc);
}

// Mostly where something is: zeros are seldom looked at.
static size_t pick(GRand *rand, const uint8_t *data, size_t len)
{
    size_t at = 0;
    for (int tries = 0; tries < 64; tries++) {
        at = (size_t)g_rand_int_range(rand, 0, (gint32)len);
        if (data[at])
            break;
    }
    return at;
}

static void damage(GRand *rand, uint8_t *data, size_t *len)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff, '/', '.'};
    for (int n = g_rand_int_range(rand, 1, 5); n > 0 && *len; n--) {
        size_t at = pick(rand, data, *len);
        switch (g_rand_int_range(rand, 0, 8)) {
        case 0:
            data[at] = (uint8_t)g_rand_int(rand);
            break;
        case 1:
            data[at] = values[g_rand_int_range(rand, 0, G_N_ELEMENTS(values))];
            break;
        case 2:
            if (at + 4 <= *len)
                rw_store_u32(data + at, g_rand_int(rand) >> g_rand_int_range(rand, 0, 32));
            break;
        case 3: {
            size_t from = pick(rand, data, *len), count = MIN(32, *len - MAX(at, from));
            memmove(data + at, data + from, count);
            break;
        }
        case 4:
            if (n == 1 && g_rand_int_range(rand, 0, 4) == 0)
                *len = at;
            break;
        default:
            data[at] ^= (uint8_t)(1 << g_rand_int_range(rand, 0, 8));
        }
    }
    repair_checksum(data, *len);
}

static void run_file(Fuzz *fuzz, const char *path, int count)
{
    g_autofree char *data = NULL;
    gsize len;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    g_assert_true(g_file_get_contents(path, &data, &len, NULL));
    run_one(fuzz, data, len);
    for (int i = 0; i < count; i++) {
        g_autofree uint8_t *variant = g_memdup2(data, len);
        gsize variant_len = len;
        damage(rand, variant, &variant_len);
        run_one(fuzz, variant, variant_len);
    }
}

int main(int argc, char **argv)
{
    Fuzz fuzz = {.top = g_dir_make_tmp("rw-fuzz-XXXXXX", NULL)};
    fuzz.images = g_build_filename(fuzz.top, "images", NULL);
    fuzz.file = g_build_filename(fuzz.top, "root", NULL);
    int first = 1, count = 0;
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        count = atoi(argv[2]);
        first = 3;
    }
    for (int i = first; i < argc; i++)
        run_file(&fuzz, argv[i], count);
    printf("%u made an image, %u were refused\n", fuzz.good, fuzz.bad);
    rw_remove_tree(fuzz.top, NULL);
    g_free(fuzz.top);
    g_free(fuzz.images);
    g_free(fuzz.file);
    return 0;
}
