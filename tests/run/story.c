// SPDX-License-Identifier: MIT
#include "story.h"

#include <string.h>

typedef struct {
    RwTraceWriter *writer;
    RwStepInfo step;
    const char *words; // of the job
} Story;

static void tell(Story *story, unsigned type, uint32_t pid, uint32_t tid, const void *payload,
                 size_t length)
{
    struct rewind_record record = {.type = (rw_u16)type,
                                   .size = (rw_u32)(sizeof record + length),
                                   .step = story->step.step,
                                   .tsc = story->step.tsc,
                                   .pid = pid,
                                   .tid = tid};
    rw_trace_writer_record(story->writer, &record, payload, length);
    story->step.step++;
    story->step.kind = RW_STEP_RECORD;
    story->step.icount += 1000;
    story->step.tsc += 1000;
    rw_trace_writer_step(story->writer, &story->step);
}

static void tell_fork(Story *story, uint32_t pid, uint32_t child, uint32_t child_tid, unsigned kind)
{
    struct rewind_fork fork_ = {.child_pid = child, .child_tid = child_tid, .kind = kind};
    tell(story, REWIND_RECORD_FORK, pid, pid, &fork_, sizeof fork_);
}

static void tell_exec(Story *story, uint32_t pid, const char *strings, size_t length, uint32_t argc)
{
    struct rewind_exec exec = {.argc = argc, .real_argc = argc};
    g_autoptr(GByteArray) payload = g_byte_array_new();
    g_byte_array_append(payload, (const guint8 *)&exec, sizeof exec);
    g_byte_array_append(payload, (const guint8 *)strings, (guint)length);
    tell(story, REWIND_RECORD_EXEC, pid, pid, payload->data, payload->len);
}

static void tell_exit(Story *story, uint32_t pid, uint32_t tid, int status, bool last)
{
    struct rewind_exit exit_ = {.status = status, .group_dead = last};
    tell(story, REWIND_RECORD_EXIT, pid, tid, &exit_, sizeof exit_);
}

static void tell_output(Story *story, uint32_t pid, uint32_t tid, const char *text)
{
    struct rewind_output output = {.fd = 1};
    g_autoptr(GByteArray) payload = g_byte_array_new();
    g_byte_array_append(payload, (const guint8 *)&output, sizeof output);
    g_byte_array_append(payload, (const guint8 *)text, (guint)strlen(text));
    tell(story, REWIND_RECORD_OUTPUT, pid, tid, payload->data, payload->len);
}

static void tell_story(Story *story)
{
    struct rewind_signal segv = {.signo = 11, .code = 1, .addr = 0x108, .fatal = 1};
    struct rewind_open open_ = {.result = -2, .flags = 0101};
    struct rewind_unlink unlink_ = {.result = 0};
    struct rewind_job_exit job = {.status = 2 << 8};
    uint8_t with_path[sizeof open_ + 7];
    tell_fork(story, 0, 2, 2, REWIND_FORK_PROCESS); // 1: the kernel's own
    tell_fork(story, 2, 10, 10, REWIND_FORK_PROCESS); // 2
    tell_fork(story, 1, 33, 33, REWIND_FORK_PROCESS); // 3
    tell(story, REWIND_RECORD_JOB_START, 33, 33, NULL, 0); // 4
    tell_exec(story, 33, "/bin/make\0make\0check", 21, 2); // 5
    tell_fork(story, 33, 34, 34, REWIND_FORK_VFORK); // 6
    tell_exec(story, 34, "./t\0./t", 8, 1); // 7
    tell_fork(story, 34, 34, 35, REWIND_FORK_THREAD); // 8
    tell_output(story, 34, 35, story->words); // 9
    tell(story, REWIND_RECORD_SIGNAL, 34, 35, &segv, sizeof segv); // 10
    tell_exit(story, 34, 34, 11, false); // 11: the first thread ends before the last
    tell_exit(story, 34, 35, 11, true); // 12
    memcpy(with_path, &open_, sizeof open_);
    memcpy(with_path + sizeof open_, "/a/b\0cd", 7);
    tell(story, REWIND_RECORD_OPEN, 33, 33, with_path, sizeof open_ + 5); // 13
    memcpy(with_path, &unlink_, sizeof unlink_);
    memcpy(with_path + sizeof unlink_, "/a/b", 5);
    tell(story, REWIND_RECORD_UNLINK, 33, 33, with_path, sizeof unlink_ + 5); // 14
    tell(story, REWIND_RECORD_RENAME, 33, 33, "/old\0/new", 10); // 15
    tell(story, REWIND_RECORD_MARK, 33, 33, "here", 4); // 16
    tell_exit(story, 33, 33, 2 << 8, true); // 17
    tell(story, REWIND_RECORD_JOB_EXIT, 33, 33, &job, sizeof job); // 18
}

static uint64_t write_story(const char *path, const char *words, unsigned kinds,
                            char sha[RW_SHA256_HEX_SIZE])
{
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(path, NULL);
    g_assert_nonnull(writer);
    Story story = {
        .writer = writer, .words = words ? words : "job \"0\" done\n", .step.perturb.kinds = kinds};
    tell_story(&story);
    g_assert_true(rw_trace_writer_finish(writer, sha, NULL));
    return rw_trace_writer_get_events(writer);
}

uint64_t story_write(const char *path, char sha[RW_SHA256_HEX_SIZE])
{
    return write_story(path, NULL, 0, sha);
}

uint64_t story_write_fork(const char *path, const char *words, char sha[RW_SHA256_HEX_SIZE])
{
    return write_story(path, words, 1, sha);
}

uint64_t story_write_loud(const char *path, uint64_t steps, bool lines, char sha[RW_SHA256_HEX_SIZE])
{
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(path, NULL);
    g_assert_nonnull(writer);
    Story story = {.writer = writer};
    g_autofree char *text = g_strnfill(64000, '-');
    for (guint i = 63; lines && i < 64000; i += 64)
        text[i] = '\n';
    text[63999] = lines ? '\n' : 'x';
    for (uint64_t i = 0; i < steps; i++)
        tell_output(&story, 33, 33, text);
    g_assert_true(rw_trace_writer_finish(writer, sha, NULL));
    return rw_trace_writer_get_events(writer);
}

uint64_t story_write_turns(const char *path, bool second_first, char sha[RW_SHA256_HEX_SIZE])
{
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(path, NULL);
    g_assert_nonnull(writer);
    Story story = {.writer = writer};
    tell_fork(&story, 1, 33, 33, REWIND_FORK_PROCESS);
    tell(&story, REWIND_RECORD_JOB_START, 33, 33, NULL, 0);
    tell_exec(&story, 33, "/bin/t\0t", 9, 1);
    tell_fork(&story, 33, 33, 34, REWIND_FORK_THREAD);
    for (uint32_t turn = 0; turn < 2; turn++) {
        bool second = (turn == 1) != second_first;
        const char *const lines[] = {second ? "two a\n" : "one a\n", second ? "two b\n" : "one b\n"};
        for (uint32_t i = 0; i < G_N_ELEMENTS(lines); i++)
            tell_output(&story, 33, second ? 34 : 33, lines[i]);
    }
    tell_output(&story, 33, 33, second_first ? "wrong: failed\n" : "right\n");
    g_assert_true(rw_trace_writer_finish(writer, sha, NULL));
    return rw_trace_writer_get_events(writer);
}

RwInputs *story_inputs(const char *command)
{
    const char *argv[] = {command, "check", NULL};
    RwInputs *inputs = rw_inputs_new();
    inputs->guest_hash = g_strnfill(64, 'a');
    inputs->image_hash = g_strnfill(64, 'b');
    inputs->argv = g_strdupv((char **)argv);
    inputs->env = rw_inputs_dup_default_env(0, false);
    inputs->cwd = g_strdup("/src");
    inputs->hostname = g_strdup("rewind");
    inputs->model = RW_CPU_MODEL_V2;
    inputs->memory = 1024ull << 20;
    inputs->cores = 1;
    inputs->epoch = 1791331200;
    return inputs;
}
