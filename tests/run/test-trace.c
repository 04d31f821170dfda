// SPDX-License-Identifier: MIT
#include "fake.h"
#include "rw-event.h"
#include "rw-record.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#define STEPS 30000

typedef struct {
    char *dir;
    char *path;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    fixture->dir = g_dir_make_tmp("trace-XXXXXX", NULL);
    fixture->path = g_build_filename(fixture->dir, "trace", NULL);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    rw_remove_tree(fixture->dir, NULL);
    g_free(fixture->path);
    g_free(fixture->dir);
}

// Returns how many events there are.
static uint64_t write_run(const char *path, uint64_t seed, uint64_t steps, char sha[RW_SHA256_HEX_SIZE])
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(path, &error);
    g_assert_no_error(error);
    Fake fake = fake_new((FakeRun){.seed = seed, .per_step = 5}, writer);
    fake_tell(&fake, steps);
    g_assert_true(rw_trace_writer_finish(writer, sha, &error));
    g_assert_no_error(error);
    return fake.events;
}

static RwTrace *open_trace(const char *path)
{
    g_autoptr(GError) error = NULL;
    RwTrace *trace = rw_trace_open(path, &error);
    g_assert_no_error(error);
    return trace;
}

static void get_file(const char *path, char **ret_bytes, gsize *ret_length)
{
    g_assert_true(g_file_get_contents(path, ret_bytes, ret_length, NULL));
}

static void tell_steps(RwTraceWriter *writer, uint64_t from, uint64_t to)
{
    for (uint64_t n = from; n <= to; n++)
        rw_trace_writer_step(
            writer, &(RwStepInfo){.step = n, .kind = RW_STEP_CLOCK, .icount = n << 20, .tsc = n << 20});
}

// A run of which there is little to tell is in the file all the same, no more than a second or two late, in
// blocks that are a function of the run.
static void test_grows(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE], again[RW_SHA256_HEX_SIZE];
    g_autofree char *other = g_strconcat(fixture->path, "2", NULL);
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(fixture->path, NULL);
    tell_steps(writer, 1, 600);
    RwTrace *trace = open_trace(fixture->path);
    g_assert_cmpuint(rw_trace_get_steps(trace), ==, 512);
    g_assert_cmpuint(rw_trace_get_blocks(trace), ==, 2);
    rw_trace_free(trace);
    tell_steps(writer, 601, 900);
    g_assert_true(rw_trace_writer_finish(writer, sha, NULL));
    g_autoptr(RwTraceWriter) second = rw_trace_writer_new(other, NULL);
    tell_steps(second, 1, 900);
    g_assert_true(rw_trace_writer_finish(second, again, NULL));
    g_assert_cmpstr(sha, ==, again);
}

// A second writer that is told what the reader gave must make the same file.
static void test_round_trip(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE], again[RW_SHA256_HEX_SIZE];
    uint64_t events = write_run(fixture->path, 1, STEPS, sha);
    g_autoptr(RwTrace) trace = open_trace(fixture->path);
    g_assert_cmpuint(rw_trace_get_events(trace), ==, events);
    g_assert_cmpuint(rw_trace_get_steps(trace), ==, STEPS);
    g_assert_true(rw_trace_is_complete(trace));
    g_assert_cmpuint(rw_trace_get_blocks(trace), >, 4);
    g_autofree char *copy = g_build_filename(fixture->dir, "copy", NULL);
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(copy, NULL);
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, NULL);
    RwTraceItem item;
    int more;
    while ((more = rw_trace_cursor_next(cursor, &item, NULL)) > 0) {
        if (item.is_step)
            rw_trace_writer_step(writer, &item.info);
        else
            rw_trace_writer_record(writer, &item.record, item.payload, item.length);
    }
    g_assert_cmpint(more, ==, 0);
    g_assert_true(rw_trace_writer_finish(writer, again, NULL));
    g_assert_cmpstr(sha, ==, again);
    int fd = g_open(fixture->path, O_RDONLY | O_CLOEXEC);
    g_assert_true(rw_sha256_fd(fd, NULL, again, NULL));
    g_assert_cmpstr(sha, ==, again);
    close(fd);
}

// ---- Forks ----

// A fork at `step` of the run that write_run() made of `seed`, which then goes on as its parent did.
static char *write_fork(const char *dir, const char *name, RwTrace *parent, uint64_t seed, uint64_t step)
{
    g_autoptr(GError) error = NULL;
    char *path = g_build_filename(dir, name, NULL);
    char sha[RW_SHA256_HEX_SIZE];
    g_autoptr(RwTraceWriter) prefix = rw_trace_writer_new_fork(parent, step, &error);
    g_assert_no_error(error);
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new_copy(prefix, path, &error);
    g_assert_no_error(error);
    g_autoptr(RwTraceWriter) before = rw_trace_writer_new(NULL, NULL);
    Fake fake = fake_new((FakeRun){.seed = seed, .per_step = 5}, before);
    fake_tell(&fake, step);
    fake.writer = writer;
    fake_tell(&fake, STEPS);
    g_assert_true(rw_trace_writer_finish(writer, sha, &error));
    return path;
}

static void assert_same_items(RwTrace *a, RwTrace *b)
{
    g_autoptr(RwTraceCursor) x = rw_trace_cursor_new(a, 1, NULL);
    g_autoptr(RwTraceCursor) y = rw_trace_cursor_new(b, 1, NULL);
    RwTraceItem p, q;
    int more;
    while ((more = rw_trace_cursor_next(x, &p, NULL)) > 0) {
        g_assert_cmpint(rw_trace_cursor_next(y, &q, NULL), ==, 1);
        g_assert_null(rw_event_dup_difference(&p, &q));
        g_assert_cmpuint(p.event, ==, q.event);
        g_assert_cmpuint(p.at, ==, q.at);
        g_assert_cmpint(p.at_known, ==, q.at_known);
        g_assert_cmpuint(p.after_ticks, ==, q.after_ticks);
    }
    g_assert_cmpint(rw_trace_cursor_next(y, &q, NULL), ==, 0);
    g_assert_cmpuint(rw_trace_get_events(a), ==, rw_trace_get_events(b));
}

static ino_t inode_of(const char *path)
{
    GStatBuf st;
    g_assert_cmpint(g_stat(path, &st), ==, 0);
    return st.st_ino;
}

static void test_forks(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE], flat[RW_SHA256_HEX_SIZE];
    write_run(fixture->path, 5, STEPS, sha);
    g_autoptr(RwTrace) trace = open_trace(fixture->path);
    static const uint64_t steps[] = {1, 77, STEPS / 2, STEPS - 1, STEPS};
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        g_autofree char *path = write_fork(fixture->dir, "fork", trace, 5, steps[i]);
        g_autofree char *base = g_strconcat(path, ".base", NULL);
        g_autofree char *again = NULL;
        g_autoptr(RwTrace) fork_ = open_trace(path);
        assert_same_items(trace, fork_);
        if (steps[i] >= STEPS / 2) { // what is shared is there once
            g_assert_cmpuint(inode_of(base), ==, inode_of(fixture->path));
            again = write_fork(fixture->dir, "fork-of-fork", fork_, 5, steps[i] - 1);
            g_autoptr(RwTrace) second = open_trace(again);
            assert_same_items(trace, second);
        }
        g_autofree char *whole = g_build_filename(fixture->dir, "flat", NULL);
        g_assert_true(rw_trace_flatten(fork_, whole, flat, NULL));
        g_assert_cmpstr(flat, ==, sha);
        g_autofree char *command = g_strdup_printf("rm %s/f*", fixture->dir);
        g_assert_cmpint(system(command), ==, 0);
    }
    g_assert_null(rw_trace_writer_new_fork(trace, STEPS + 1, NULL));
}

static void test_fork_without_base(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE];
    write_run(fixture->path, 6, STEPS, sha);
    g_autoptr(RwTrace) trace = open_trace(fixture->path);
    g_autofree char *path = write_fork(fixture->dir, "fork", trace, 6, STEPS / 2);
    g_autofree char *base = g_strconcat(path, ".base", NULL);
    g_assert_cmpint(g_unlink(base), ==, 0);
    g_autoptr(GError) error = NULL;
    g_assert_null(rw_trace_open(path, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_NOT_FOUND);
    g_clear_error(&error);
    write_run(base, 6, 10, sha); // too short
    g_assert_null(rw_trace_open(path, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
    g_clear_error(&error);
    g_unlink(base);
    g_assert_cmpint(link(path, base), ==, 0); // goes on from itself
    g_assert_null(rw_trace_open(path, &error));
    g_assert_nonnull(error);
}

// The step of a record of the ring and the time since then, as the fake run had them.
static void test_places(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE];
    write_run(fixture->path, 2, 500, sha);
    g_autoptr(RwTrace) trace = open_trace(fixture->path);
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, NULL);
    uint64_t times[501] = {0}, earlier = 0;
    RwTraceItem item;
    while (rw_trace_cursor_next(cursor, &item, NULL) > 0) {
        if (item.is_step) {
            times[item.step] = item.info.tsc;
            continue;
        }
        bool buffered = item.record.flags & REWIND_RECORD_BUFFERED;
        g_assert_true(item.at_known);
        g_assert_cmpuint(item.at, ==, buffered ? item.record.step : item.step);
        g_assert_cmpuint(item.after_ticks, ==, buffered ? item.record.tsc - times[item.at] : 0);
        earlier += buffered && item.at + 1 < item.step;
    }
    g_assert_cmpuint(earlier, >, 10);
}

static void test_looking_up(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE];
    write_run(fixture->path, 3, STEPS, sha);
    g_autoptr(RwTrace) all = open_trace(fixture->path);
    g_autoptr(RwTraceCursor) walk = rw_trace_cursor_new(all, 1, NULL);
    RwTraceItem item, first;
    RwStepInfo info;
    g_autoptr(GError) error = NULL;
    uint64_t next = 1; // the step whose first item is to be compared
    while (rw_trace_cursor_next(walk, &item, NULL) > 0) {
        if (item.step < next)
            continue;
        g_assert_cmpuint(item.step, ==, next);
        g_autoptr(RwTrace) trace = open_trace(fixture->path);
        g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, next, NULL);
        g_assert_cmpint(rw_trace_cursor_next(cursor, &first, NULL), ==, 1);
        g_autofree char *difference = rw_event_dup_difference(&item, &first);
        g_assert_null(difference);
        g_assert_true(rw_trace_step(trace, next, &info, NULL));
        g_assert_cmpuint(info.step, ==, next);
        g_assert_cmpuint(rw_trace_get_blocks_read(trace), <=, 4);
        next += 977;
    }
    g_assert_cmpuint(next, >, STEPS);
    g_assert_false(rw_trace_step(all, STEPS + 1, &info, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_NOT_FOUND);
}

static void test_tail(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE];
    uint64_t events = write_run(fixture->path, 4, STEPS, sha);
    g_autoptr(RwTrace) trace = open_trace(fixture->path);
    g_autoptr(GPtrArray) lines = rw_log_tail(trace, 5, NULL);
    g_assert_cmpuint(lines->len, ==, 5);
    g_assert_true(g_str_has_prefix(lines->pdata[4], "line "));
    g_assert_cmpuint(g_ascii_strtoull((char *)lines->pdata[4] + 5, NULL, 10), >, events - 40);
    g_assert_cmpuint(rw_trace_get_blocks_read(trace), <=, 2);
}

// A run that goes on from a boot in memory is the run from the start, byte for byte.
static void test_copy(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE], again[RW_SHA256_HEX_SIZE];
    write_run(fixture->path, 5, STEPS, sha);
    for (uint64_t at = 1; at < STEPS; at = at * 7 + 100) {
        g_autofree char *copy = g_strdup_printf("%s-%" G_GUINT64_FORMAT, fixture->path, at);
        g_autoptr(RwTraceWriter) boot = rw_trace_writer_new(NULL, NULL);
        Fake fake = fake_new((FakeRun){.seed = 5, .per_step = 5}, boot);
        fake_tell(&fake, at);
        g_autoptr(RwTraceWriter) writer = rw_trace_writer_new_copy(boot, copy, NULL);
        fake.writer = writer;
        fake_tell(&fake, STEPS);
        g_assert_true(rw_trace_writer_finish(writer, again, NULL));
        g_assert_cmpstr(sha, ==, again);
    }
}

// What a killed recorder leaves: cut anywhere, the whole blocks before are read.
static void test_cut_short(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE];
    write_run(fixture->path, 6, STEPS, sha);
    g_autofree char *bytes = NULL;
    gsize length;
    get_file(fixture->path, &bytes, &length);
    g_autoptr(RwTrace) all = open_trace(fixture->path);
    guint whole = rw_trace_get_blocks(all), seen = 0;
    for (gsize size = 32; size < length;
         size = size + length / 97 < length ? size + length / 97 : MAX(size + 1, length - 1)) {
        g_autofree char *cut = g_build_filename(fixture->dir, "cut", NULL);
        g_assert_true(g_file_set_contents(cut, bytes, (gssize)size, NULL));
        g_autoptr(RwTrace) trace = open_trace(cut);
        g_assert_false(rw_trace_is_complete(trace));
        g_assert_cmpuint(rw_trace_get_blocks(trace), >=, seen);
        seen = rw_trace_get_blocks(trace);
        g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, NULL);
        RwTraceItem item;
        uint64_t events = 0;
        int more;
        while ((more = rw_trace_cursor_next(cursor, &item, NULL)) > 0)
            events += !item.is_step;
        g_assert_cmpint(more, ==, 0);
        g_assert_cmpuint(events, ==, rw_trace_get_events(trace));
    }
    g_assert_cmpuint(seen, ==, whole);
}

static int read_all(const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwTrace) trace = rw_trace_open(path, &error);
    g_autoptr(RwTraceCursor) cursor = trace ? rw_trace_cursor_new(trace, 1, &error) : NULL;
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    bool complete = trace && rw_trace_is_complete(trace);
    while (more > 0)
        more = rw_trace_cursor_next(cursor, &item, &error);
    g_assert_true((more < 0) == (error != NULL));
    return more < 0 || !complete ? -1 : 0;
}

// Any changed byte is noticed: as an error, or as a trace that is not complete.
static void test_changed_bytes(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE];
    write_run(fixture->path, 7, 3000, sha);
    g_autofree char *bytes = NULL;
    gsize length;
    get_file(fixture->path, &bytes, &length);
    g_assert_cmpint(read_all(fixture->path), ==, 0);
    g_autofree char *changed = g_build_filename(fixture->dir, "changed", NULL);
    for (gsize at = 0; at < length; at += at < 200 || at + 200 > length ? 1 : length / 150) {
        bytes[at] ^= 0x21;
        g_assert_true(g_file_set_contents(changed, bytes, (gssize)length, NULL));
        g_assert_cmpint(read_all(changed), ==, -1);
        bytes[at] ^= 0x21;
    }
}

static void test_newer(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE];
    write_run(fixture->path, 8, 10, sha);
    g_autofree char *bytes = NULL;
    gsize length;
    get_file(fixture->path, &bytes, &length);
    uint64_t check = 0xcbf29ce484222325ull; // FNV-1a, as the format has it
    bytes[8] = RW_TRACE_VERSION + 1;
    for (int i = 0; i < 24; i++)
        check = (check ^ (uint8_t)bytes[i]) * 0x100000001b3ull;
    rw_store_u64(bytes + 24, check);
    g_assert_true(g_file_set_contents(fixture->path, bytes, (gssize)length, NULL));
    g_autoptr(GError) error = NULL;
    g_assert_null(rw_trace_open(fixture->path, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_NEWER);
}

static void test_compare(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE];
    g_autofree char *same = g_build_filename(fixture->dir, "same", NULL);
    g_autofree char *other = g_build_filename(fixture->dir, "other", NULL);
    g_autofree char *difference = NULL;
    write_run(fixture->path, 9, 2000, sha);
    write_run(same, 9, 2000, sha);
    write_run(other, 9, 1999, sha);
    g_assert_true(rw_trace_compare(fixture->path, same, &difference, NULL));
    g_assert_null(difference);
    g_assert_true(rw_trace_compare(fixture->path, other, &difference, NULL));
    g_assert_cmpstr(difference, ==, "at step 2000: this one ends there");
}

// Finds a good part of what is the same, and nothing else, without decompressing it.
static void assert_same_until(RwTrace *a, RwTrace *b, uint64_t until)
{
    uint64_t step, before = rw_trace_get_first_step(a, rw_trace_get_blocks(a) / 3);
    guint read = rw_trace_get_blocks_read(a);
    g_assert_true(rw_trace_find_same(a, b, NULL, &step, NULL));
    g_assert_cmpuint(rw_trace_get_blocks_read(a), ==, read);
    g_assert_cmpuint(step, <=, until);
    g_assert_cmpuint(step, >, before);
}

static void test_find_same(Fixture *fixture, gconstpointer data)
{
    char sha[RW_SHA256_HEX_SIZE];
    uint64_t step;
    g_autofree char *half_path = g_build_filename(fixture->dir, "half", NULL);
    g_autofree char *other_path = g_build_filename(fixture->dir, "other", NULL);
    write_run(fixture->path, 9, STEPS, sha);
    write_run(half_path, 9, STEPS / 2, sha);
    write_run(other_path, 8, STEPS, sha);
    g_autoptr(RwTrace) trace = open_trace(fixture->path), half = open_trace(half_path),
                       other = open_trace(other_path);
    g_autofree char *fork_path = write_fork(fixture->dir, "fork", trace, 7, STEPS / 2);
    g_autoptr(RwTrace) fork_ = open_trace(fork_path);
    g_assert_cmpuint(rw_trace_get_blocks(trace), >=, 9);
    assert_same_until(trace, half, STEPS / 2 + 1);
    assert_same_until(half, trace, STEPS / 2 + 1);
    assert_same_until(trace, fork_, STEPS / 2 + 1);
    assert_same_until(trace, trace, STEPS + 1);
    g_assert_true(rw_trace_find_same(trace, other, NULL, &step, NULL));
    g_assert_cmpuint(step, ==, 1);
}

static void on_error(void *data)
{
    ++*(int *)data;
}

// A disk that is full: told once, and the error comes back at the end.
static void test_full(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    char sha[RW_SHA256_HEX_SIZE];
    struct rlimit limit, small = {.rlim_cur = 20000, .rlim_max = RLIM_INFINITY};
    int told = 0;
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(fixture->path, NULL);
    rw_trace_writer_set_on_error(writer, on_error, &told);
    Fake fake = fake_new((FakeRun){.seed = 10, .per_step = 5}, writer);
    getrlimit(RLIMIT_FSIZE, &limit);
    small.rlim_max = limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    fake_tell(&fake, STEPS);
    bool finished = rw_trace_writer_finish(writer, sha, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    g_assert_false(finished);
    g_assert_nonnull(error);
    g_assert_cmpint(told, ==, 1);
}

static void add(const char *name, void (*test)(Fixture *, gconstpointer))
{
    g_test_add(name, Fixture, NULL, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add("/trace/round-trip", test_round_trip);
    add("/trace/grows", test_grows);
    add("/trace/places", test_places);
    add("/trace/forks", test_forks);
    add("/trace/fork-without-base", test_fork_without_base);
    add("/trace/find-same", test_find_same);
    add("/trace/looking-up", test_looking_up);
    add("/trace/tail", test_tail);
    add("/trace/copy", test_copy);
    add("/trace/cut-short", test_cut_short);
    add("/trace/changed-bytes", test_changed_bytes);
    add("/trace/newer", test_newer);
    add("/trace/compare", test_compare);
    add("/trace/full", test_full);
    return g_test_run();
}
