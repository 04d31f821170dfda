// SPDX-License-Identifier: MIT
//
// Exported runs: as they are on disk, and their members with sizes and hashes that are right again, so that
// what reads the members is reached.
#include "fuzz.h"

#include "rwd-unpack-private.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

// ---- Reading ----

typedef struct {
    const uint8_t *bytes;
    size_t left;
} Memory;

static ssize_t read_memory(void *data, const void **ret_bytes, GError **error)
{
    Memory *memory = data;
    ssize_t n = (ssize_t)memory->left;
    *ret_bytes = memory->bytes;
    memory->left = 0;
    return n;
}

static void empty_dir(const char *dir)
{
    for (int i = 0; i < RWD_MEMBERS; i++) {
        g_autofree char *path = g_build_filename(dir, rwd_member_name((RwdMember)i), NULL);
        g_unlink(path);
    }
    g_autofree char *guest = g_build_filename(dir, "guest", NULL);
    g_rmdir(guest);
}

static bool read_rwd(const uint8_t *bytes, size_t length)
{
    Memory memory = {bytes, length};
    g_autoptr(GError) error = NULL;
    g_autoptr(RwdReader) reader = rwd_reader_new(read_memory, &memory, &error);
    g_autoptr(RwManifest) manifest = reader ? rwd_unpack(reader, scratch_dir(), NULL, &error) : NULL;
    if (reader)
        empty_dir(scratch_dir());
    g_assert_true(manifest || (error && error->domain == RW_ERROR && !strchr(error->message, '\n')));
    return manifest != NULL;
}

// ---- Members ----

typedef struct {
    GByteArray *members[RWD_MEMBERS];
} Run;

static bool take_bytes(void *data, const uint8_t *bytes, size_t length, GError **error)
{
    rw_put_bytes(data, bytes, length);
    return true;
}

static void load_run(GBytes *bytes, Run *ret)
{
    gsize length;
    const uint8_t *data = g_bytes_get_data(bytes, &length);
    Memory memory = {data, length};
    g_autoptr(RwdReader) reader = rwd_reader_new(read_memory, &memory, NULL);
    RwdMember member;
    g_assert_nonnull(reader);
    *ret = (Run){0};
    while (rwd_reader_next(reader, &member, NULL) && member != RWD_MEMBERS) {
        ret->members[member] = g_byte_array_new();
        g_assert_true(rwd_reader_read(reader, take_bytes, ret->members[member], NULL));
    }
}

// The corpus, opened once.
static const Run *get_run(const Inputs *inputs, Random *random)
{
    static GArray *runs;
    if (!runs) {
        runs = g_array_new(false, true, sizeof(Run));
        g_array_set_size(runs, inputs->inputs->len);
        for (guint i = 0; i < inputs->inputs->len; i++)
            load_run(inputs->inputs->pdata[i], &g_array_index(runs, Run, i));
    }
    return &g_array_index(runs, Run, random_below(random, runs->len));
}

static void replace_text(GByteArray *bytes, const char *old, const char *new)
{
    size_t length = strlen(old);
    uint8_t *at = bytes->len ? memmem(bytes->data, bytes->len, old, length) : NULL;
    if (at)
        memcpy(at, new, length);
}

static void mend_member(RwdMember member, GByteArray *bytes)
{
    if (member == RWD_TRACE)
        mend_trace(bytes);
    else if (member == RWD_KEYFRAMES)
        mend_keyframes(bytes);
}

// An object that was damaged is not the one that is needed, so whole objects move as well.
static void move_object(GByteArray *pages, Random *random)
{
    for (size_t at = 0, n = random_below(random, 6); at + 2 <= pages->len; n--) {
        size_t length = 2u + rw_load_u16(pages->data + at);
        if (at + length > pages->len)
            return;
        if (n == 0) {
            g_byte_array_remove_range(pages, (guint)at, (guint)length);
            return;
        }
        at += length;
    }
}

// ---- Writing ----

static void put_head(GByteArray *tar, const char *name, size_t size)
{
    char head[512] = {0};
    unsigned sum = 0;
    g_strlcpy(head, name, 100);
    for (size_t i = 0; i < 3; i++) // mode, owner, group
        memcpy(head + 100 + i * 8, i ? "000000 " : "000644 ", 8);
    g_snprintf(head + 124, 13, "%011zo ", size);
    memcpy(head + 136, "00000000000 ", 12);
    memset(head + 148, ' ', 8);
    head[156] = '0';
    memcpy(head + 257, "ustar\00000", 8);
    for (size_t i = 0; i < sizeof head; i++)
        sum += (uint8_t)head[i];
    g_snprintf(head + 148, 8, "%06o", sum);
    head[155] = ' ';
    rw_put_bytes(tar, head, sizeof head);
}

static void put_member(GByteArray *tar, const char *name, const void *bytes, size_t size)
{
    static const uint8_t zeros[512];
    put_head(tar, name, size);
    rw_put_bytes(tar, bytes, size);
    rw_put_bytes(tar, zeros, -size & 511);
}

static void write_tar(GByteArray *tar, GByteArray *const *members, const RwdIndex *index)
{
    static const uint8_t end[1024];
    g_autofree char *text = rwd_index_dup_text(index);
    put_member(tar, RWD_INDEX_NAME, text, strlen(text));
    for (int i = 0; i < RWD_MEMBERS; i++)
        if (members[i])
            put_member(tar, rwd_member_name((RwdMember)i), members[i]->data, members[i]->len);
    rw_put_bytes(tar, end, sizeof end);
}

static void compress(GByteArray *out, const GByteArray *tar)
{
    static ZSTD_CCtx *context; // the test's own, to the end of the process
    if (!context)
        context = ZSTD_createCCtx();
    g_byte_array_set_size(out, (guint)ZSTD_compressBound(tar->len));
    size_t n = ZSTD_compressCCtx(context, out->data, out->len, tar->data, tar->len, -5);
    g_assert_false(ZSTD_isError(n));
    g_byte_array_set_size(out, (guint)n);
}

static void describe(GByteArray *const *members, RwdIndex *ret)
{
    *ret = (RwdIndex){.replayable = members[RWD_IMAGE] != NULL};
    for (int i = 0; i < RWD_MEMBERS; i++) {
        if (!members[i])
            continue;
        ret->members[i].present = true;
        ret->members[i].size = members[i]->len;
        rw_sha256_hex(members[i]->data, members[i]->len, ret->members[i].sha256);
    }
}

static void copy_id(const Run *run, RwdIndex *index)
{
    static const char before[] = "\"id\" : \"";
    const GByteArray *manifest = run->members[RWD_MANIFEST];
    const char *at = memmem(manifest->data, manifest->len, before, strlen(before));
    memcpy(index->id, at + strlen(before), RW_ID_LENGTH);
}

// One member is damaged; all that depends on it is made right, but for the tarball itself now and then.
static void vary_members(GByteArray *out, const Inputs *inputs, Random *random)
{
    const Run *run = get_run(inputs, random);
    GByteArray *members[RWD_MEMBERS] = {0};
    RwdIndex index;
    char old[RW_SHA256_HEX_SIZE];
    for (int i = 0; i < RWD_MEMBERS; i++)
        if (run->members[i]) {
            members[i] = g_byte_array_sized_new(run->members[i]->len + 1024);
            rw_put_bytes(members[i], run->members[i]->data, run->members[i]->len);
        }
    RwdMember member;
    do
        member = (RwdMember)random_below(random, RWD_MEMBERS);
    while (!members[member]);
    rw_sha256_hex(members[member]->data, members[member]->len, old);
    if (member == RWD_PAGES && random_below(random, 2))
        move_object(members[member], random);
    else
        mutate(members[member], inputs, random);
    if (random_below(random, 4))
        mend_member(member, members[member]);
    describe(members, &index);
    if (member == RWD_TRACE) {
        replace_text(members[RWD_MANIFEST], old, index.members[member].sha256);
        describe(members, &index);
    }
    copy_id(run, &index);
    g_autoptr(GByteArray) tar = g_byte_array_sized_new(64 << 10);
    write_tar(tar, members, &index);
    if (random_below(random, 8) == 0)
        mutate(tar, inputs, random);
    compress(out, tar);
    for (int i = 0; i < RWD_MEMBERS; i++)
        if (members[i])
            g_byte_array_unref(members[i]);
}

const Target target_rwd = {"rwd", read_rwd, NULL, NULL};
const Target target_members = {"members", read_rwd, NULL, vary_members};
