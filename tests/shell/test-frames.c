// SPDX-License-Identifier: MIT
//
// What a guest that cannot be trusted says in a conversation: forged, cut, mixed up.
#include "shell-private.h"

#include <errno.h>
#include <string.h>

static const RwShellConfig config = {.n_images = 1};

static void set_up(RwShell *shell)
{
    *shell = (RwShell){.config = &config, .out = g_byte_array_new(), .err = g_byte_array_new()};
    shell->image_size[0] = 100000;
}

static void tear_down(RwShell *shell)
{
    g_byte_array_unref(shell->out);
    g_byte_array_unref(shell->err);
    rw_shell_end_clear(&shell->end);
}

static void put(GByteArray *bytes, unsigned type, uint32_t said, const void *payload, size_t length)
{
    rw_put_u16(bytes, (uint16_t)type);
    rw_put_u16(bytes, 0);
    rw_put_u32(bytes, said);
    rw_put_bytes(bytes, payload, length);
}

// From memory of exactly its size, so that a sanitizer sees each step outside.
static bool take(RwShell *shell, const GByteArray *bytes, GError **error)
{
    g_autofree uint8_t *copy = g_memdup2(bytes->data, bytes->len);
    return rw_shell_take(copy, bytes->len, shell, error);
}

static void expect_refused(unsigned type, const void *payload, size_t length)
{
    RwShell shell;
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    set_up(&shell);
    put(bytes, type, (uint32_t)length, payload, length);
    g_assert_false(take(&shell, bytes, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_GUEST);
    g_assert_false(shell.ended || shell.reads);
    tear_down(&shell);
}

static void test_output(void)
{
    RwShell shell;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    set_up(&shell);
    put(bytes, REWIND_AGENT_OUTPUT, 3, "a\0b", 3);
    put(bytes, 999, 2, "??", 2); // what it does not know it passes over
    put(bytes, REWIND_AGENT_ERRORS, 1, "e", 1);
    g_assert_true(take(&shell, bytes, NULL));
    g_assert_cmpmem(shell.out->data, shell.out->len, "a\0b", 3);
    g_assert_cmpmem(shell.err->data, shell.err->len, "e", 1);
    tear_down(&shell);
}

static void test_exit(void)
{
    RwShell shell;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    struct rewind_agent_exit what = {.status = (int)0xdead0300};
    set_up(&shell);
    put(bytes, REWIND_AGENT_EXIT, sizeof what, &what, sizeof what);
    put(bytes, REWIND_AGENT_OUTPUT, 4, "more", 4);
    g_assert_false(take(&shell, bytes, NULL));
    g_assert_true(shell.ended);
    g_assert_cmpint(shell.end.status, ==, 0x300);
    g_assert_cmpuint(shell.out->len, ==, 0);
    tear_down(&shell);
}

static void test_reads(void)
{
    const struct rewind_agent_read good = {.size = 16384, .offset = 83616};
    const struct rewind_agent_read bad[] = {
        {.image = 1, .size = 1},
        {.size = 0},
        {.size = 16385},
        {.size = 1, .offset = 100000},
        {.size = 16384, .offset = 83617},
        {.size = 1, .offset = UINT64_MAX},
        {.image = UINT32_MAX, .size = 1},
    };
    RwShell shell;
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
        expect_refused(REWIND_AGENT_READ, &bad[i], sizeof bad[i]);
    expect_refused(REWIND_AGENT_READ, &good, sizeof good - 1);
    set_up(&shell);
    put(bytes, REWIND_AGENT_READ, sizeof good, &good, sizeof good);
    g_assert_false(take(&shell, bytes, &error));
    g_assert_no_error(error);
    g_assert_true(shell.reads);
    g_assert_false(take(&shell, bytes, &error)); // a second one before it has the first
    g_assert_error(error, RW_ERROR, RW_ERROR_GUEST);
    tear_down(&shell);
}

static void test_damaged(void)
{
    struct rewind_agent_error no_error = {.error = 0};
    const char place[] = "\1\0\0\0\0\0\0\0/dir";
    expect_refused(REWIND_AGENT_ERROR, &no_error, sizeof no_error);
    expect_refused(REWIND_AGENT_ERROR, "", 0);
    expect_refused(REWIND_AGENT_IDLE, "1234567", 7);
    expect_refused(REWIND_AGENT_EXIT, "1234567", 7);
    expect_refused(REWIND_AGENT_PLACE, place, 12); // without its NUL
    expect_refused(REWIND_AGENT_PLACE, place, 8);
    expect_refused(REWIND_AGENT_PLACE, place, 3);
}

static void test_cut(void)
{
    RwShell shell;
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    set_up(&shell);
    put(bytes, REWIND_AGENT_OUTPUT, 5, "four", 4);
    g_assert_false(take(&shell, bytes, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_GUEST);
    g_clear_error(&error);
    g_byte_array_set_size(bytes, 0);
    put(bytes, REWIND_AGENT_OUTPUT, UINT32_MAX, "", 0);
    g_assert_false(take(&shell, bytes, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_GUEST);
    tear_down(&shell);
}

// Whatever it says nothing outside is read, and an error is one.
static void test_random(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (int n = 0; n < 200000; n++) {
        RwShell shell;
        g_autoptr(GError) error = NULL;
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        set_up(&shell);
        for (int frames = g_rand_int_range(rand, 1, 4); frames; frames--) {
            uint8_t payload[40];
            size_t length = (size_t)g_rand_int_range(rand, 0, sizeof payload);
            uint32_t said = g_rand_int_range(rand, 0, 8) ? (uint32_t)length : g_rand_int(rand) % 64;
            for (size_t i = 0; i < length; i++)
                payload[i] = (uint8_t)(g_rand_boolean(rand) ? 0 : g_rand_int(rand));
            put(bytes, (unsigned)g_rand_int_range(rand, 0, 14), said, payload, length);
        }
        bool ok = take(&shell, bytes, &error);
        g_assert_false(ok && error);
        tear_down(&shell);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shell/output", test_output);
    g_test_add_func("/shell/exit", test_exit);
    g_test_add_func("/shell/reads", test_reads);
    g_test_add_func("/shell/damaged", test_damaged);
    g_test_add_func("/shell/cut", test_cut);
    g_test_add_func("/shell/random", test_random);
    return g_test_run();
}
