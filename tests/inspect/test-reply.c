// SPDX-License-Identifier: MIT
//
// Answers of an agent that cannot be trusted: forged, cut, mixed up.
#include "inspect-private.h"

#include <errno.h>
#include <sys/stat.h>

typedef struct {
    GByteArray *bytes; // the reply
    RwReply reply;
    GByteArray *data; // what of it came through as DATA
    guint entries, damaged_entries;
} Forged;

static bool take(unsigned type, const uint8_t *payload, size_t length, void *data, GError **error)
{
    Forged *forged = data;
    if (type == REWIND_AGENT_DATA) {
        rw_put_bytes(forged->data, payload, length);
        return true;
    }
    g_autoptr(RwInspectEntry) entry = rw_inspect_entry_parse(payload, length);
    forged->entries += entry != NULL;
    forged->damaged_entries += entry == NULL;
    return true;
}

static void set_up(Forged *forged)
{
    forged->bytes = g_byte_array_new();
    forged->data = g_byte_array_new();
    forged->reply = (RwReply){.what = "/f", .wrong_kind = "not a file", .frame = take, .data = forged};
}

static void tear_down(Forged *forged)
{
    g_byte_array_unref(forged->bytes);
    g_byte_array_unref(forged->data);
}

static void put_frame(Forged *forged, unsigned type, uint32_t said, const void *payload, size_t length)
{
    rw_put_u16(forged->bytes, (uint16_t)type);
    rw_put_u16(forged->bytes, 0);
    rw_put_u32(forged->bytes, said);
    rw_put_bytes(forged->bytes, payload, length);
}

static void put_error(Forged *forged, int error, unsigned subject)
{
    struct rewind_agent_error what = {error, subject};
    put_frame(forged, REWIND_AGENT_ERROR, sizeof what, &what, sizeof what);
}

// Takes what was put, from memory of exactly its size, so that a sanitizer sees each step outside.
static bool taken(Forged *forged, GError **error)
{
    g_autofree uint8_t *copy = g_memdup2(forged->bytes->data, forged->bytes->len);
    bool ok = rw_reply_take(copy, forged->bytes->len, &forged->reply, error);
    g_byte_array_set_size(forged->bytes, 0);
    return ok;
}

static void assert_refused(Forged *forged, int code, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(taken(forged, &error));
    g_assert_error(error, RW_ERROR, code);
    g_assert_nonnull(strstr(error->message, part));
    g_assert_null(strchr(error->message, '\n'));
}

static void test_whole(void)
{
    Forged f = {0};
    set_up(&f);
    put_frame(&f, REWIND_AGENT_DATA, 5, "hello", 5);
    put_frame(&f, 900, 3, "new", 3); // of a later agent
    put_frame(&f, REWIND_AGENT_DATA, 0, "", 0);
    g_assert_true(taken(&f, NULL));
    g_assert_false(f.reply.ended);
    put_frame(&f, REWIND_AGENT_DATA, 1, "!", 1);
    put_frame(&f, REWIND_AGENT_END, 0, "", 0);
    g_assert_true(taken(&f, NULL));
    g_assert_true(f.reply.ended);
    g_assert_cmpmem(f.data->data, f.data->len, "hello!", 6);
    tear_down(&f);
}

static void test_after_end(void)
{
    for (int first = 0; first < 2; first++) {
        Forged f = {0};
        set_up(&f);
        put_frame(&f, REWIND_AGENT_END, 0, "", 0);
        if (first)
            g_assert_true(taken(&f, NULL));
        put_frame(&f, REWIND_AGENT_DATA, 1, "x", 1);
        assert_refused(&f, RW_ERROR_GUEST, "after its end");
        g_assert_cmpuint(f.data->len, ==, 0);
        tear_down(&f);
    }
}

static void test_lengths(void)
{
    static const uint32_t said[] = {6, 7, 32768, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff};
    for (size_t i = 0; i < G_N_ELEMENTS(said); i++) {
        Forged f = {0};
        set_up(&f);
        put_frame(&f, REWIND_AGENT_DATA, said[i], "hello", 5);
        assert_refused(&f, RW_ERROR_GUEST, "cut off");
        g_assert_cmpuint(f.data->len, ==, 0);
        tear_down(&f);
    }
}

// Every way to cut a good reply short.
static void test_cut(void)
{
    Forged whole = {0};
    set_up(&whole);
    put_frame(&whole, REWIND_AGENT_DATA, 5, "hello", 5);
    put_frame(&whole, REWIND_AGENT_END, 0, "", 0);
    for (guint length = 1; length < whole.bytes->len; length++) {
        Forged f = {0};
        set_up(&f);
        rw_put_bytes(f.bytes, whole.bytes->data, length);
        bool at_frame = length == 13;
        g_assert_true(taken(&f, NULL) == at_frame);
        g_assert_false(f.reply.ended);
        tear_down(&f);
    }
    tear_down(&whole);
}

static void test_errors(void)
{
    static const struct {
        int error;
        unsigned subject;
        int code;
        const char *part;
    } cases[] = {
        {ENOENT, REWIND_AGENT_OF_PATH, RW_ERROR_NOT_FOUND, "not there at this step"},
        {ENOTDIR, REWIND_AGENT_OF_PATH, RW_ERROR_NOT_FOUND, "not there at this step"},
        {EISDIR, REWIND_AGENT_OF_PATH, RW_ERROR_UNSUPPORTED, "directory"},
        {EINVAL, REWIND_AGENT_OF_PATH, RW_ERROR_UNSUPPORTED, "not a file"},
        {EIO, REWIND_AGENT_OF_PATH, RW_ERROR_UNSUPPORTED, "error"},
        {ENOENT, REWIND_AGENT_OF_PROCESS, RW_ERROR_NOT_FOUND, "process"},
        {ENOSYS, REWIND_AGENT_OF_REQUEST, RW_ERROR_GUEST, "older"},
        {ENOMEM, REWIND_AGENT_OF_AGENT, RW_ERROR_GUEST, "agent"},
        {ENOENT, 77, RW_ERROR_GUEST, "agent"},
        {0, REWIND_AGENT_OF_PATH, RW_ERROR_GUEST, "damaged"},
        {-2, REWIND_AGENT_OF_PATH, RW_ERROR_GUEST, "damaged"},
        {4096, REWIND_AGENT_OF_PATH, RW_ERROR_GUEST, "damaged"},
        {INT32_MIN, REWIND_AGENT_OF_PATH, RW_ERROR_GUEST, "damaged"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Forged f = {0};
        set_up(&f);
        put_error(&f, cases[i].error, cases[i].subject);
        assert_refused(&f, cases[i].code, cases[i].part);
        tear_down(&f);
    }
}

static void test_short_error(void)
{
    for (uint32_t length = 0; length < sizeof(struct rewind_agent_error); length++) {
        Forged f = {0};
        set_up(&f);
        put_frame(&f, REWIND_AGENT_ERROR, length, "\2\0\0\0\0\0\0", length);
        assert_refused(&f, RW_ERROR_GUEST, "damaged");
        tear_down(&f);
    }
}

// ---- Entries ----

static GByteArray *entry_bytes(uint32_t mode, const char *strings, size_t length)
{
    GByteArray *out = g_byte_array_new();
    struct rewind_agent_entry head = {.mode = mode, .uid = 7, .size = 1ull << 40, .mtime = -1};
    rw_put_bytes(out, &head, sizeof head);
    rw_put_bytes(out, strings, length);
    return out;
}

static RwInspectEntry *parse(uint32_t mode, const char *strings, size_t length)
{
    g_autoptr(GByteArray) bytes = entry_bytes(mode, strings, length);
    g_autofree uint8_t *copy = g_memdup2(bytes->data, bytes->len);
    return rw_inspect_entry_parse(copy, bytes->len);
}

static void test_entry(void)
{
    g_autoptr(RwInspectEntry) file = parse(S_IFREG | 0644, "a\xff\n\0\0", 5);
    g_autoptr(RwInspectEntry) link = parse(S_IFLNK | 0777, "l\0to\0", 5);
    g_autoptr(RwInspectEntry) odd = parse(0, "?\0x\0", 4);
    g_assert_nonnull(file);
    g_assert_cmpstr(file->name, ==, "a\xff\n");
    g_assert_null(file->target);
    g_assert_cmpuint(file->size, ==, 1ull << 40);
    g_assert_cmpint(file->mtime, ==, -1);
    g_assert_cmpint(rw_inspect_entry_type(file), ==, '-');
    g_assert_nonnull(link);
    g_assert_cmpstr(link->target, ==, "to");
    g_assert_cmpint(rw_inspect_entry_type(link), ==, 'l');
    g_assert_nonnull(odd);
    g_assert_cmpint(rw_inspect_entry_type(odd), ==, '?');
}

static void test_damaged_entry(void)
{
    static const struct {
        const char *strings;
        size_t length;
    } cases[] = {{"", 0}, {"a", 1}, {"a\0", 2}, {"a\0b", 3}, {"\0\0", 2}, {"a\0\0x", 4}, {"a\0b\0\0", 5}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_null(parse(S_IFREG, cases[i].strings, cases[i].length));
    g_autoptr(GByteArray) whole = entry_bytes(S_IFREG, "a\0\0", 3);
    for (guint length = 0; length < whole->len; length++) {
        g_autofree uint8_t *copy = g_memdup2(whole->data, length);
        g_assert_null(rw_inspect_entry_parse(copy, length));
    }
}

static void test_noise(void)
{
    for (int round = 0; round < 20000; round++) {
        Forged f = {0};
        set_up(&f);
        uint8_t noise[200];
        int length = g_test_rand_int_range(1, sizeof noise);
        for (int i = 0; i < length; i++)
            noise[i] = (uint8_t)g_test_rand_int_range(0, i % 8 < 2 ? 6 : 256);
        rw_put_bytes(f.bytes, noise, (size_t)length);
        if (g_test_rand_int_range(0, 2))
            put_frame(&f, REWIND_AGENT_ENTRY, 60, noise, (size_t)MIN(length, 60));
        g_autoptr(GError) error = NULL;
        g_assert_true(taken(&f, &error) || error);
        tear_down(&f);
    }
}

// A folder of long names without an end does not take all memory: by their bytes, not only by their number.
static void test_long_list(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) frame = g_byte_array_new();
    struct rewind_agent_entry head = {.mode = S_IFREG};
    g_autofree char *name = g_strnfill(32000, 'n');
    rw_put_bytes(frame, &head, sizeof head);
    rw_put_string(frame, name);
    rw_put_string(frame, "");
    g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)rw_inspect_entry_free);
    RwInspectList list = {.entries = entries, .bytes = RW_LIST_BYTES_MAX - 3 * frame->len};
    for (guint i = 0; i < 3; i++)
        g_assert_true(rw_inspect_list_add(REWIND_AGENT_ENTRY, frame->data, frame->len, &list, &error));
    g_assert_false(rw_inspect_list_add(REWIND_AGENT_ENTRY, frame->data, frame->len, &list, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_GUEST);
    g_assert_nonnull(strstr(error->message, "256 MiB"));
    g_assert_cmpuint(entries->len, ==, 3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/inspect/whole", test_whole);
    g_test_add_func("/inspect/after-end", test_after_end);
    g_test_add_func("/inspect/lengths", test_lengths);
    g_test_add_func("/inspect/cut", test_cut);
    g_test_add_func("/inspect/errors", test_errors);
    g_test_add_func("/inspect/short-error", test_short_error);
    g_test_add_func("/inspect/entry", test_entry);
    g_test_add_func("/inspect/damaged-entry", test_damaged_entry);
    g_test_add_func("/inspect/long-list", test_long_list);
    g_test_add_func("/inspect/noise", test_noise);
    return g_test_run();
}
