// SPDX-License-Identifier: MIT
//
// Who had the CPU, of a trace that is made up.
#include "rw-turns.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct {
    RwTraceWriter *writer;
    RwStepInfo last;
} Story;

static void step(Story *story, RwStepKind kind, RwPerturb perturb)
{
    story->last.step++;
    story->last.kind = kind;
    story->last.icount += 100;
    story->last.tsc += 100;
    story->last.perturb = perturb;
    rw_trace_writer_step(story->writer, &story->last);
}

static void record(Story *story, unsigned type, uint32_t pid, uint32_t tid, uint64_t after,
                   const void *payload, size_t length)
{
    bool buffered = type == REWIND_RECORD_SWITCH;
    struct rewind_record head = {.type = (rw_u16)type,
                                 .flags = buffered ? REWIND_RECORD_BUFFERED : 0,
                                 .size = (rw_u32)(sizeof head + length),
                                 .step = story->last.step + (buffered ? 0 : 1),
                                 .tsc = story->last.tsc + after,
                                 .pid = pid,
                                 .tid = tid};
    rw_trace_writer_record(story->writer, &head, payload, length);
    if (!buffered)
        step(story, RW_STEP_RECORD, (RwPerturb){0});
}

static void give(Story *story, uint32_t pid, uint32_t tid, uint64_t after, uint32_t to_pid, uint32_t to_tid,
                 uint32_t state)
{
    struct rewind_switch change = {.next_pid = to_pid, .next_tid = to_tid, .prev_state = state};
    record(story, REWIND_RECORD_SWITCH, pid, tid, after, &change, sizeof change);
}

static void exec(Story *story, uint32_t pid, const char *path)
{
    char payload[128] = {1, 0, 0, 0, 1};
    static const char file[] = "/bin/busybox";
    size_t length = strlen(path) + 1;
    memcpy(payload + 8, file, sizeof file);
    memcpy(payload + 8 + sizeof file, path, length);
    record(story, REWIND_RECORD_EXEC, pid, pid, 0, payload, 8 + sizeof file + length);
}

static void fork_(Story *story, uint32_t pid, uint32_t tid, uint32_t child, bool thread)
{
    struct rewind_fork made = {.child_pid = thread ? pid : child,
                               .child_tid = child,
                               .kind = thread ? REWIND_FORK_THREAD : REWIND_FORK_PROCESS};
    record(story, REWIND_RECORD_FORK, pid, tid, 0, &made, sizeof made);
}

// As guests tell it that say why.
static void give_told(Story *story, uint32_t tid, uint64_t after, uint32_t to,
                      const struct rewind_switch_why *why, uint32_t waker)
{
    struct {
        struct rewind_switch change;
        struct rewind_switch_why why;
    } told = {
        {.next_pid = to, .next_tid = to, .prev_state = why->left == REWIND_LEFT_SLEEP, .waker = waker},
        *why};
    record(story, REWIND_RECORD_SWITCH, tid, tid, after, &told, sizeof told);
}

// The job (33) makes a thread (34), which the schedule lets go first, and that a process (35).
static RwTrace *make(const char *path)
{
    g_autoptr(GError) error = NULL;
    Story story = {rw_trace_writer_new(path, &error)};
    g_assert_no_error(error);
    record(&story, REWIND_RECORD_JOB_START, 33, 33, 0, NULL, 0); // step 1
    exec(&story, 33, "/usr/bin/a-name-that-is-too-long"); // 2
    fork_(&story, 33, 33, 34, true); // 3
    step(&story, RW_STEP_SYSCALL, (RwPerturb){.kinds = RW_PERTURB_RESCHED}); // 4
    give(&story, 33, 33, 7, 33, 34, 0);
    fork_(&story, 33, 34, 35, false); // 5
    give(&story, 33, 34, 10, 10, 10, 1);
    give(&story, 10, 10, 12, 35, 35, 2);
    exec(&story, 35, "/bin/b"); // 6
    step(&story, RW_STEP_SYSCALL, (RwPerturb){.kinds = RW_PERTURB_STALL, .stall_ns = 1000}); // 7
    give(&story, 35, 35, 20, 0, 0, 2);
    step(&story, RW_STEP_IDLE, (RwPerturb){0}); // 8
    give(&story, 0, 0, 30, 33, 33, 0);
    step(&story, RW_STEP_HOLD, (RwPerturb){.hold = 1}); // 9
    give(&story, 33, 33, 5, 35, 35, 2);
    give(&story, 35, 35, 60, 33, 33, 0x80);
    step(&story, RW_STEP_STOP, (RwPerturb){0}); // 10
    g_assert_true(rw_trace_writer_finish(story.writer, (char[RW_SHA256_HEX_SIZE]){0}, &error));
    rw_trace_writer_free(story.writer);
    RwTrace *trace = rw_trace_open(path, &error);
    g_assert_no_error(error);
    return trace;
}

static RwTrace *make_told(const char *path)
{
    g_autoptr(GError) error = NULL;
    Story story = {rw_trace_writer_new(path, &error)};
    g_assert_no_error(error);
    record(&story, REWIND_RECORD_JOB_START, 33, 33, 0, NULL, 0); // step 1
    record(&story, REWIND_RECORD_NAME, 33, 33, 0, "worker", 7); // 2
    exec(&story, 33, "/bin/other"); // 3
    fork_(&story, 33, 33, 35, false); // 4
    struct rewind_switch_why why = {
        .left = REWIND_LEFT_SLEEP, .call = 202, .woken = REWIND_WOKEN_BY_TASK, .woken_ago = 107};
    give_told(&story, 33, 10, 35, &why, 33); // woken at 3+3
    why = (struct rewind_switch_why){
        .left = REWIND_LEFT_SLICE, .call = -1, .woken = REWIND_WOKEN_BY_INTERRUPT, .woken_ago = 5};
    give_told(&story, 35, 20, 33, &why, 0);
    step(&story, RW_STEP_STOP, (RwPerturb){0}); // 5
    g_assert_true(rw_trace_writer_finish(story.writer, (char[RW_SHA256_HEX_SIZE]){0}, &error));
    rw_trace_writer_free(story.writer);
    RwTrace *trace = rw_trace_open(path, &error);
    g_assert_no_error(error);
    return trace;
}

static bool add_words(const RwTurn *turn, void *data)
{
    g_autofree char *why = rw_turn_dup_why(turn), *woken = rw_turn_dup_woken(turn, true);
    g_string_append_printf(data, "%u %s: %s%s%s\n", turn->tid, turn->name, why, woken ? "; " : "",
                           woken ? woken : "");
    return true;
}

static void test_told(RwTrace *trace)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    g_assert_true(rw_turns_walk(trace, 0, UINT64_MAX, add_words, lines, NULL));
    g_assert_cmpstr(lines->str, ==,
                    "33 worker: waits in futex\n"
                    "35 worker: its time slice is over; woken by 33 at 3+3\n"
                    "33 worker: the run ends; woken by an interrupt at 4+15\n");
}

static bool add_line(const RwTurn *turn, void *data)
{
    GString *lines = data;
    g_autofree char *from = rw_moment_dup_text(&turn->from, true),
                    *to = rw_moment_dup_text(&turn->to, true);
    g_string_append_printf(lines, "%s %s %u/%u %s%s %s\n", from, to, turn->pid, turn->tid,
                           turn->name ? turn->name : "-", turn->kernel ? " kernel" : "",
                           rw_left_name(turn->left));
    return true;
}

static void test_turns(RwTrace *trace)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) lines = g_string_new(NULL), part = g_string_new(NULL);
    g_assert_true(rw_turns_walk(trace, 0, UINT64_MAX, add_line, lines, &error));
    g_assert_cmpstr(lines->str, ==,
                    "1 4+7 33/33 a-name-that-is- schedule\n"
                    "4+7 5+10 33/34 a-name-that-is- sleep\n"
                    "5+10 5+12 10/10 - kernel sleep\n"
                    "5+12 7+20 35/35 b stall\n"
                    "7+20 8+30 0/0 - able\n"
                    "8+30 9+5 33/33 a-name-that-is- hold\n"
                    "9+5 9+60 35/35 b end\n"
                    "9+60 10 33/33 a-name-that-is- run-end\n");
    g_assert_true(rw_turns_walk(trace, 6, 7, add_line, part, &error));
    g_assert_cmpstr(part->str, ==, "5+12 7+20 35/35 b stall\n7+20 8+30 0/0 - able\n");
}

static void test_sums(RwTrace *trace)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) sums = rw_turns_sum(trace, 0, UINT64_MAX, &error);
    uint64_t ticks = 0;
    g_assert_no_error(error);
    g_assert_cmpuint(sums->len, ==, 5);
    for (guint i = 0; i < sums->len; i++)
        ticks += ((RwThreadSum *)sums->pdata[i])->ticks;
    g_assert_cmpuint(ticks, ==, 1000); // from power-on: the job's start is told before its step
    const RwThreadSum *job = sums->pdata[0], *process = sums->pdata[3];
    g_assert_cmpuint(job->turns, ==, 3);
    g_assert_cmpuint(job->left[RW_LEFT_HOLD], ==, 1);
    g_assert_cmpuint(process->tid, ==, 35);
    g_assert_cmpuint(process->left[RW_LEFT_END], ==, 1);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_test_init(&argc, &argv, NULL);
    g_autofree char *dir = g_dir_make_tmp("rewind-test-XXXXXX", &error);
    g_assert_no_error(error);
    g_autofree char *path = g_build_filename(dir, "trace", NULL);
    g_autoptr(RwTrace) trace = make(path);
    g_test_add_data_func("/turns/turns", trace, (GTestDataFunc)test_turns);
    g_autofree char *told_path = g_build_filename(dir, "told", NULL);
    g_autoptr(RwTrace) told = make_told(told_path);
    g_test_add_data_func("/turns/told", told, (GTestDataFunc)test_told);
    g_test_add_data_func("/turns/sums", trace, (GTestDataFunc)test_sums);
    int status = g_test_run();
    g_unlink(path);
    g_unlink(told_path);
    g_rmdir(dir);
    return status;
}
