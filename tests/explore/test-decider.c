// SPDX-License-Identifier: MIT
//
// What a check tells of the deciding step, on runs told by hand: whom it strikes, who runs instead, that an earlier stall
// ends there, and what other programs do to the files that the failing one shares with them.
#include "rw-decider.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define WRITER 40 // processes: make starts both
#define READER 41

typedef struct {
    RwTraceWriter *writer;
    RwStepInfo step;
} Story;

static void tell_step(Story *story, RwStepKind kind, unsigned perturb)
{
    story->step.step++;
    story->step.kind = kind;
    story->step.icount += 1000;
    story->step.tsc += 1000;
    story->step.perturb = (RwPerturb){.kinds = perturb};
    rw_trace_writer_step(story->writer, &story->step);
}

static void tell(Story *story, unsigned type, uint32_t pid, const void *fixed, size_t length, const char *strings,
                 size_t more)
{
    bool buffered = type == REWIND_RECORD_OPEN || type == REWIND_RECORD_SWITCH;
    g_autoptr(GByteArray) payload = g_byte_array_new();
    g_byte_array_append(payload, fixed, (guint)length);
    g_byte_array_append(payload, (const guint8 *)strings, (guint)more);
    struct rewind_record record = {.type = (rw_u16)type,
                                   .flags = buffered ? REWIND_RECORD_BUFFERED : 0,
                                   .size = (rw_u32)(sizeof record + payload->len),
                                   .step = story->step.step,
                                   .tsc = story->step.tsc,
                                   .pid = pid,
                                   .tid = pid};
    rw_trace_writer_record(story->writer, &record, payload->data, payload->len);
    if (!buffered)
        tell_step(story, RW_STEP_RECORD, 0);
}

static void tell_program(Story *story, uint32_t parent, uint32_t pid, const char *name)
{
    struct rewind_fork fork_ = {.child_pid = pid, .child_tid = pid, .kind = REWIND_FORK_PROCESS};
    struct rewind_exec exec = {.argc = 1, .real_argc = 1};
    g_autoptr(GString) strings = g_string_new(name);
    g_string_append_c(strings, '\0');
    g_string_append(strings, name);
    g_string_append_c(strings, '\0');
    tell(story, REWIND_RECORD_FORK, parent, &fork_, sizeof fork_, "", 0);
    tell(story, REWIND_RECORD_EXEC, pid, &exec, sizeof exec, strings->str, strings->len);
}

static void tell_switch(Story *story, uint32_t from, uint32_t to)
{
    struct rewind_switch change = {.next_pid = to, .next_tid = to};
    tell(story, REWIND_RECORD_SWITCH, from, &change, sizeof change, "", 0);
}

static void tell_unlink(Story *story, uint32_t pid, const char *path)
{
    struct rewind_unlink unlink_ = {0};
    tell(story, REWIND_RECORD_UNLINK, pid, &unlink_, sizeof unlink_, path, strlen(path) + 1);
}

static void tell_open(Story *story, uint32_t pid, const char *path, int result)
{
    struct rewind_open open_ = {.result = result, .flags = O_RDONLY};
    tell(story, REWIND_RECORD_OPEN, pid, &open_, sizeof open_, path, strlen(path) + 1);
}

static void tell_exit(Story *story, uint32_t pid, int status)
{
    struct rewind_exit exit_ = {.status = status, .group_dead = 1};
    tell(story, REWIND_RECORD_EXIT, pid, &exit_, sizeof exit_, "", 0);
}

// The writer is put to sleep at step 8 and wakes at step 10, where a reschedule decides: then it removes the file before
// the reader opens it.
static char *write_story(const char *dir, const char *name, bool fails)
{
    char *path = g_build_filename(dir, name, NULL);
    char sha[RW_SHA256_HEX_SIZE];
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(path, NULL);
    Story story = {.writer = writer};
    tell_program(&story, 1, 33, "make"); // 1, 2
    tell(&story, REWIND_RECORD_JOB_START, 33, "", 0, "", 0); // 3
    tell_program(&story, 33, WRITER, "writer"); // 4, 5
    tell_program(&story, 33, READER, "reader"); // 6, 7
    tell_switch(&story, 33, WRITER);
    tell_step(&story, RW_STEP_SYSCALL, RW_PERTURB_STALL); // 8
    tell_switch(&story, WRITER, READER);
    tell_unlink(&story, READER, "/tmp/mine"); // 9
    tell_step(&story, RW_STEP_SYSCALL, fails ? RW_PERTURB_RESCHED : 0); // 10
    if (fails) {
        tell_switch(&story, READER, WRITER);
        tell_unlink(&story, WRITER, "/tmp/elsewhere"); // 11
        tell_unlink(&story, WRITER, "/tmp/shared"); // 12
        tell_switch(&story, WRITER, READER);
        tell_open(&story, READER, "/tmp/shared", -2);
    } else {
        tell_open(&story, READER, "/tmp/shared", 3);
    }
    tell_exit(&story, READER, fails ? 1 << 8 : 0);
    if (!fails) {
        tell_switch(&story, READER, WRITER);
        tell_unlink(&story, WRITER, "/tmp/elsewhere");
        tell_unlink(&story, WRITER, "/tmp/shared");
    }
    tell_exit(&story, WRITER, 0);
    g_assert_true(rw_trace_writer_finish(writer, sha, NULL));
    return path;
}

typedef struct {
    char *dir, *paths[2];
    RwTrace *failing, *passing;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
    fixture->dir = g_dir_make_tmp("rewind-test-XXXXXX", NULL);
    fixture->paths[0] = write_story(fixture->dir, "failing", true);
    fixture->paths[1] = write_story(fixture->dir, "passing", false);
    fixture->failing = rw_trace_open(fixture->paths[0], NULL);
    fixture->passing = rw_trace_open(fixture->paths[1], NULL);
    g_assert_true(fixture->failing && fixture->passing);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    rw_trace_free(fixture->failing);
    rw_trace_free(fixture->passing);
    for (guint i = 0; i < 2; i++) {
        unlink(fixture->paths[i]);
        g_free(fixture->paths[i]);
    }
    rmdir(fixture->dir);
    g_free(fixture->dir);
}

static void test_who(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    RwCaller caller = {.pid = READER, .tid = READER};
    g_autoptr(RwDecider) decider = rw_decider_new(fixture->failing, fixture->passing, 10, &caller, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(decider->struck.program, ==, "reader");
    g_assert_true(decider->parts);
    g_assert_cmpstr(decider->ran.program, ==, "writer");
    g_assert_cmpuint(decider->ran.tid, ==, WRITER);
    g_assert_cmpuint(decider->ran.stalled, ==, 8); // its sleep of step 8 ends
    g_assert_cmpstr(decider->instead.program, ==, "reader");
    g_assert_cmpuint(decider->instead.stalled, ==, 0);
}

static RwComparison *compare(Fixture *fixture, bool related)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *culprit = rw_compare_dup_culprit(fixture->passing, fixture->failing, NULL, &error);
    RwCompareOptions options = {.before = 3, .after = 8, .program = culprit, .related = related};
    g_autoptr(RwInputs) plain = rw_inputs_new(), disturbed = rw_inputs_new();
    RwManifest failing = {.inputs = disturbed}, passing = {.inputs = plain};
    g_assert_true(rw_schedule_add_window(&disturbed->schedule, &(RwWindow){.number = 1, .from = 10, .until = 11}));
    RwComparison *comparison = rw_compare(&(RwComparable){fixture->failing, &failing},
                                          &(RwComparable){fixture->passing, &passing}, &options, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(culprit, ==, "reader#1");
    return comparison;
}

static char *dup_events(const GPtrArray *events)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < events->len; i++) {
        const RwProgramEvent *event = events->pdata[i];
        g_autofree char *what = rw_event_dup_text(&event->item);
        g_string_append_printf(text, "%s: %s\n", event->program, what);
    }
    return g_string_free(text, false);
}

// The writer's removal of the file that both touch is shown, and not that of one that is its own.
static void test_others(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwComparison) alone = compare(fixture, false), related = compare(fixture, true);
    g_autofree char *of_one = dup_events(alone->left.after), *of_both = dup_events(related->left.after);
    g_assert_cmpstr(of_one, ==, "reader#1: exit_group(1)\n");
    g_assert_cmpstr(of_both, ==, "writer#1: unlink(\"/tmp/shared\") = 0\n"
                                     "reader#1: open(\"/tmp/shared\", O_RDONLY) = -2 ENOENT\n"
                                     "reader#1: exit_group(1)\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/decider/who", Fixture, NULL, set_up, test_who, tear_down);
    g_test_add("/decider/others", Fixture, NULL, set_up, test_others, tear_down);
    return g_test_run();
}
