// SPDX-License-Identifier: MIT
//
// Processes as slices in rows, of histories that are made up.
#include "rw-event.h"
#include "rw-spans.h"

#include <string.h>

static void feed(RwProcs *procs, uint64_t at, unsigned type, uint32_t pid, const void *payload,
                 size_t length)
{
    RwTraceItem item = {.step = at, .at = at, .at_known = true, .payload = payload, .length = length};
    item.record = (struct rewind_record){.type = (rw_u16)type,
                                         .size = (rw_u32)(sizeof item.record + length),
                                         .step = at,
                                         .pid = pid,
                                         .tid = pid};
    rw_procs_feed(procs, &item);
}

static void fork_(RwProcs *procs, uint64_t at, uint32_t pid, uint32_t child)
{
    struct rewind_fork made = {.child_pid = child, .child_tid = child, .kind = REWIND_FORK_PROCESS};
    feed(procs, at, REWIND_RECORD_FORK, pid, &made, sizeof made);
}

static void exec(RwProcs *procs, uint64_t at, uint32_t pid, const char *const *argv)
{
    struct rewind_exec head = {0};
    g_autoptr(GByteArray) payload = g_byte_array_new();
    g_byte_array_append(payload, (const guint8 *)&head, sizeof head);
    g_byte_array_append(payload, (const guint8 *)"/bin/x", 7);
    for (; argv[head.argc]; head.argc++)
        g_byte_array_append(payload, (const guint8 *)argv[head.argc], (guint)strlen(argv[head.argc]) + 1);
    head.real_argc = head.argc;
    memcpy(payload->data, &head, sizeof head);
    feed(procs, at, REWIND_RECORD_EXEC, pid, payload->data, payload->len);
}

#define EXEC(PROCS, AT, PID, ...) exec(PROCS, AT, PID, (const char *const[]){__VA_ARGS__, NULL})

static void exit_(RwProcs *procs, uint64_t at, uint32_t pid, int status)
{
    struct rewind_exit gone = {.status = status, .group_dead = 1};
    feed(procs, at, REWIND_RECORD_EXIT, pid, &gone, sizeof gone);
}

// Init forked the job's first process: number 10, make.
static RwProcs *start(void)
{
    RwProcs *procs = rw_procs_new_empty();
    fork_(procs, 1, 1, 10);
    EXEC(procs, 2, 10, "/usr/bin/make", "-j4", "check");
    return procs;
}

static const RwSpan *find(const RwSpans *spans, uint32_t pid, guint number)
{
    for (guint i = 0; i < rw_spans_count(spans); i++)
        if (rw_spans_get(spans, i)->pid == pid && !number--)
            return rw_spans_get(spans, i);
    return NULL;
}

// In each row one comes after the other, and all are found where they are.
static void check_rows(const RwSpans *spans)
{
    for (guint row = 0; row < rw_spans_count_rows(spans); row++) {
        guint first, end;
        rw_spans_get_row(spans, row, &first, &end);
        g_assert_cmpuint(first, <, end);
        for (guint i = first; i < end; i++) {
            const RwSpan *span = rw_spans_get(spans, i);
            g_assert_cmpuint(span->row, ==, row);
            g_assert_cmpuint(span->from, <, span->until);
            g_assert_true(i == first || rw_spans_get(spans, i - 1)->until <= span->from);
            g_assert_true(rw_spans_get_at(spans, row, span->from) == span);
            g_assert_true(rw_spans_get_at(spans, row, span->until - 1) == span);
            g_assert_true(g_utf8_validate(span->label, -1, NULL));
        }
    }
}

static void test_packed(void)
{
    g_autoptr(RwProcs) procs = start();
    fork_(procs, 3, 10, 11);
    EXEC(procs, 5, 11, "cc", "-O2", "-c", "m00.c", "-o", "m00.o");
    fork_(procs, 6, 10, 12);
    EXEC(procs, 7, 12, "cc", "-O2", "-c", "m01.c");
    exit_(procs, 9, 11, 0);
    fork_(procs, 9, 10, 13);
    EXEC(procs, 10, 13, "ld", "prog");
    exit_(procs, 12, 12, 0);
    exit_(procs, 14, 13, 1 << 8);
    exit_(procs, 15, 10, 2 << 8);
    g_autoptr(RwSpans) spans = rw_spans_new(procs, 20);
    check_rows(spans);
    g_assert_cmpuint(rw_spans_count(spans), ==, 4); // init is left out
    g_assert_cmpuint(rw_spans_count_rows(spans), ==, 3);
    g_assert_cmpuint(find(spans, 10, 0)->row, ==, 0);
    g_assert_cmpstr(find(spans, 10, 0)->label, ==, "make check");
    g_assert_cmpuint(find(spans, 11, 0)->from, ==, 5); // from exec to exit
    g_assert_cmpuint(find(spans, 11, 0)->until, ==, 9);
    g_assert_cmpuint(find(spans, 11, 0)->row, ==, 1);
    g_assert_cmpuint(find(spans, 12, 0)->row, ==, 2);
    g_assert_cmpuint(find(spans, 13, 0)->row, ==, 1); // which is free again
    g_assert_cmpstr(find(spans, 12, 0)->label, ==, "cc m01.c");
    g_assert_cmpuint(find(spans, 11, 0)->program, ==, find(spans, 12, 0)->program);
    g_assert_cmpuint(find(spans, 11, 0)->program, !=, find(spans, 13, 0)->program);
    g_assert_true(rw_spans_find_bad_end(spans, 14) == find(spans, 13, 0));
    g_assert_true(rw_spans_find_bad_end(spans, 13) == find(spans, 13, 0)); // the signal came before
    g_assert_null(rw_spans_find_bad_end(spans, 16));
    g_assert_cmpuint(rw_spans_count_between(spans, 8, 10), ==, 3);
    g_assert_cmpuint(rw_spans_count_between(spans, 15, 20), ==, 0);
    g_assert_null(rw_spans_get_at(spans, 1, 9));
    g_assert_null(rw_spans_get_at(spans, 9, 9));
}

// Whose parent has ended stays below it; a number that comes again is another process.
static void test_orphans_and_numbers(void)
{
    g_autoptr(RwProcs) procs = start();
    fork_(procs, 3, 10, 11);
    fork_(procs, 4, 11, 12); // its parent never was a program
    exit_(procs, 5, 11, 0);
    EXEC(procs, 6, 12, "daemon");
    fork_(procs, 7, 12, 11); // the number again
    EXEC(procs, 8, 11, "late");
    exit_(procs, 9, 11, 0);
    fork_(procs, 10, 10, 10); // who has it lives yet
    g_autoptr(RwSpans) spans = rw_spans_new(procs, 20);
    check_rows(spans);
    g_assert_cmpuint(find(spans, 11, 0)->from, ==, 3);
    g_assert_cmpstr(find(spans, 11, 0)->name, ==, "make");
    g_assert_cmpuint(find(spans, 12, 0)->row, >, find(spans, 10, 0)->row);
    g_assert_false(find(spans, 12, 0)->ended);
    g_assert_cmpuint(find(spans, 12, 0)->until, ==, 21); // to the run's end
    const RwSpan *late =
        g_str_equal(find(spans, 11, 0)->name, "late") ? find(spans, 11, 0) : find(spans, 11, 1);
    g_assert_cmpstr(late->name, ==, "late");
    g_assert_cmpuint(late->row, >, find(spans, 12, 0)->row);
    g_assert_nonnull(find(spans, 10, 1));
}

// A shell becomes a program, and that another: one slice, with the last one's name.
static void test_exec_twice(void)
{
    g_autoptr(RwProcs) procs = start();
    fork_(procs, 3, 10, 11);
    EXEC(procs, 4, 11, "/bin/sh", "-c", "exec /usr/bin/env cc x.c");
    EXEC(procs, 5, 11, "/usr/bin/env", "cc", "x.c");
    EXEC(procs, 6, 11, "/usr/bin/cc", "x.c");
    // Who forks before it becomes a program is there from then on.
    fork_(procs, 7, 10, 12);
    fork_(procs, 8, 12, 13);
    EXEC(procs, 9, 13, "child");
    EXEC(procs, 10, 12, "parent");
    g_autoptr(RwSpans) spans = rw_spans_new(procs, 20);
    check_rows(spans);
    g_assert_cmpuint(rw_spans_count(spans), ==, 4);
    g_assert_cmpstr(find(spans, 11, 0)->label, ==, "cc x.c");
    g_assert_cmpuint(find(spans, 11, 0)->from, ==, 4);
    g_assert_cmpuint(find(spans, 12, 0)->from, ==, 7);
    g_assert_cmpuint(find(spans, 13, 0)->row, >, find(spans, 12, 0)->row);
}

// 10,000 at once, each the parent of some: and one after the other.
static void test_many(void)
{
    g_autoptr(RwProcs) procs = start();
    for (uint32_t i = 0; i < 10000; i++) {
        fork_(procs, 10 + 2 * i, 10 + i / 3, 11 + i);
        EXEC(procs, 11 + 2 * i, 11 + i, i % 2 ? "cc" : "ld");
    }
    for (uint32_t i = 0; i < 10000; i++) {
        fork_(procs, 40000 + 3 * i, 10, 20000 + i);
        exit_(procs, 40002 + 3 * i, 20000 + i, 0);
    }
    gint64 start_ = g_get_monotonic_time();
    g_autoptr(RwSpans) spans = rw_spans_new(procs, 80000);
    g_test_message("20,000 processes packed in %.1f ms", (double)(g_get_monotonic_time() - start_) / 1000);
    check_rows(spans);
    g_assert_cmpuint(rw_spans_count(spans), ==, 20001);
    g_assert_cmpuint(rw_spans_count_rows(spans), ==, 10002); // all that came one by one share a row
}

static void test_hostile(void)
{
    g_autofree char *longest = g_strnfill(100000, 'x');
    g_autoptr(RwProcs) procs = start();
    fork_(procs, 3, 10, 11);
    EXEC(procs, 4, 11, "/\377\376\n\033[31mevil\r\t", "\001\002.c");
    fork_(procs, 5, 10, 12);
    EXEC(procs, 6, 12, longest, longest);
    fork_(procs, 7, 10, 13);
    EXEC(procs, 8, 13, "", "", "");
    fork_(procs, 9, 10, 14);
    exec(procs, 10, 14, (const char *const[]){NULL});
    fork_(procs, G_MAXUINT64, 10, 15);
    fork_(procs, 11, 77, 77); // its own parent
    exit_(procs, 3, 77, -1); // ends before it begins
    fork_(procs, 2, 77, 78); // begins before its parent
    exec(procs, 12, 99, (const char *const[]){"unseen", NULL});
    g_autoptr(RwSpans) spans = rw_spans_new(procs, 20);
    check_rows(spans);
    for (guint i = 0; i < rw_spans_count(spans); i++) {
        const char *label = rw_spans_get(spans, i)->label;
        g_assert_cmpuint(strlen(label), <, 600);
        for (; *label; label++)
            g_assert_true((guchar)*label >= ' ' && *label != 0x7f);
    }
    g_assert_nonnull(find(spans, 99, 0));
}

static void test_empty(void)
{
    g_autoptr(RwProcs) procs = rw_procs_new_empty();
    g_autoptr(RwSpans) spans = rw_spans_new(procs, 0);
    g_assert_cmpuint(rw_spans_count(spans), ==, 0);
    g_assert_cmpuint(rw_spans_count_rows(spans), ==, 0);
    g_assert_null(rw_spans_get_at(spans, 0, 0));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/spans/packed", test_packed);
    g_test_add_func("/spans/orphans-and-numbers", test_orphans_and_numbers);
    g_test_add_func("/spans/exec-twice", test_exec_twice);
    g_test_add_func("/spans/many", test_many);
    g_test_add_func("/spans/hostile", test_hostile);
    g_test_add_func("/spans/empty", test_empty);
    return g_test_run();
}
