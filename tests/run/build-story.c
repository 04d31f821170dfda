// SPDX-License-Identifier: MIT
#include "build-story.h"

#include <fcntl.h>
#include <string.h>

#define SLOTS 4
#define JOB 33 // make's pid

// A compiler or a test that runs.
typedef struct {
    uint32_t pid; // 0: nobody
    uint64_t unit;
    guint action, left; // of the plan
} Slot;

typedef struct {
    BuildRun run;
    uint64_t state, events, units;
    uint32_t next_pid;
    RwTraceWriter *writer;
    RwStepInfo last;
    Slot slots[SLOTS];
} Story;

// splitmix64: https://prng.di.unimi.it/splitmix64.c describes it.
static uint64_t draw(Story *story, uint64_t below)
{
    uint64_t z = story->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (z ^ z >> 31) % below;
}

static void step(Story *story, RwStepKind kind)
{
    uint64_t ticks = 500 + draw(story, 20000);
    story->last.step++;
    story->last.kind = kind;
    story->last.icount += ticks;
    story->last.tsc += ticks;
    rw_trace_writer_step(story->writer, &story->last);
}

static void tell(Story *story, unsigned type, uint32_t pid, const void *payload, size_t length)
{
    bool buffered =
        type == REWIND_RECORD_OPEN || type == REWIND_RECORD_WRITE || type == REWIND_RECORD_SWITCH;
    struct rewind_record record = {.type = (rw_u16)type,
                                   .flags = buffered ? REWIND_RECORD_BUFFERED : 0,
                                   .size = (rw_u32)(sizeof record + length),
                                   .step = story->last.step,
                                   .tsc = story->last.tsc,
                                   .pid = pid,
                                   .tid = pid};
    rw_trace_writer_record(story->writer, &record, payload, length);
    if (!buffered)
        step(story, RW_STEP_RECORD);
    if (++story->events == story->run.part_at)
        story->state ^= 1;
}

// A fixed part and strings, each with its NUL.
static void tell_strings(Story *story, unsigned type, uint32_t pid, const void *fixed, size_t length,
                         const char *const *strings)
{
    g_autoptr(GByteArray) payload = g_byte_array_new();
    g_byte_array_append(payload, fixed, (guint)length);
    for (; *strings; strings++)
        g_byte_array_append(payload, (const guint8 *)*strings, (guint)strlen(*strings) + 1);
    tell(story, type, pid, payload->data, payload->len);
}

static void tell_open(Story *story, uint32_t pid, const char *path, guint flags)
{
    struct rewind_open open_ = {.result = 3, .flags = flags};
    tell_strings(story, REWIND_RECORD_OPEN, pid, &open_, sizeof open_, (const char *const[]){path, NULL});
}

static void tell_write(Story *story, uint32_t pid, const char *path)
{
    struct rewind_write write_ = {.length = 4096, .fd = 3, .kind = REWIND_WRITE_FILE};
    tell_strings(story, REWIND_RECORD_WRITE, pid, &write_, sizeof write_,
                 (const char *const[]){path, NULL});
}

static void tell_output(Story *story, uint32_t pid, uint32_t fd, const char *text)
{
    struct rewind_output output = {.fd = fd};
    g_autoptr(GByteArray) payload = g_byte_array_new();
    g_byte_array_append(payload, (const guint8 *)&output, sizeof output);
    g_byte_array_append(payload, (const guint8 *)text, (guint)strlen(text));
    tell(story, REWIND_RECORD_OUTPUT, pid, payload->data, payload->len);
}

static void tell_exec(Story *story, uint32_t pid, const char *path, const char *const *argv)
{
    struct rewind_exec exec = {0};
    const char *strings[8] = {path};
    while (argv[exec.argc]) {
        strings[exec.argc + 1] = argv[exec.argc];
        exec.argc++;
    }
    exec.real_argc = exec.argc;
    tell_strings(story, REWIND_RECORD_EXEC, pid, &exec, sizeof exec, strings);
}

static void tell_exit(Story *story, uint32_t pid, int status)
{
    struct rewind_exit exit_ = {.status = status, .group_dead = 1};
    tell(story, REWIND_RECORD_EXIT, pid, &exit_, sizeof exit_);
}

static void tell_fork(Story *story, uint32_t parent, uint32_t child)
{
    struct rewind_fork fork_ = {.child_pid = child, .child_tid = child, .kind = REWIND_FORK_PROCESS};
    tell(story, REWIND_RECORD_FORK, parent, &fork_, sizeof fork_);
}

// ---- What a compiler does ----

static char *dup_path(const Slot *slot, const char *folder, const char *suffix)
{
    return g_strdup_printf("/src/%s/part%" G_GUINT64_FORMAT "/unit%" G_GUINT64_FORMAT "%s", folder,
                           slot->unit % 37, slot->unit, suffix);
}

static void start(Story *story, Slot *slot)
{
    g_autofree char *source = dup_path(slot, "lib", ".c");
    slot->pid = story->next_pid++;
    tell_fork(story, JOB, slot->pid);
    tell_exec(story, slot->pid, "/usr/bin/cc", (const char *const[]){"cc", "-O2", "-c", source, NULL});
}

static void read_header(Story *story, Slot *slot)
{
    g_autofree char *path = g_strdup_printf("/usr/include/header%" G_GUINT64_FORMAT ".h", draw(story, 900));
    tell_open(story, slot->pid, path, O_RDONLY);
}

static void write_assembly(Story *story, Slot *slot)
{
    g_autofree char *path = g_strdup_printf("/tmp/cc%" G_GUINT64_FORMAT ".s", slot->unit);
    tell_open(story, slot->pid, path, O_CREAT | O_WRONLY);
    for (guint i = 0; i < 8; i++)
        tell_write(story, slot->pid, path);
}

static void write_object(Story *story, Slot *slot)
{
    g_autofree char *path = dup_path(slot, "build", ".o");
    tell_open(story, slot->pid, path, O_CREAT | O_WRONLY);
    for (guint i = 0; i < 12; i++)
        tell_write(story, slot->pid, path);
}

static void remove_assembly(Story *story, Slot *slot)
{
    struct rewind_unlink unlink_ = {0};
    g_autofree char *path = g_strdup_printf("/tmp/cc%" G_GUINT64_FORMAT ".s", slot->unit);
    tell_strings(story, REWIND_RECORD_UNLINK, slot->pid, &unlink_, sizeof unlink_,
                 (const char *const[]){path, NULL});
}

static void say_compiled(Story *story, Slot *slot)
{
    g_autofree char *path = dup_path(slot, "lib", ".c");
    g_autofree char *line = g_strdup_printf("  \033[32mCC\033[0m       %s\n", path);
    tell_output(story, slot->pid, 1, line);
}

static void say_tested(Story *story, Slot *slot)
{
    bool bad = draw(story, 400) == 0;
    g_autofree char *line =
        g_strdup_printf("%s %" G_GUINT64_FORMAT " - unit%" G_GUINT64_FORMAT " keeps what it was given%s\n",
                        bad ? "not ok" : "ok", story->events, slot->unit, bad ? ": error" : "");
    tell_output(story, slot->pid, bad ? 2 : 1, line);
}

static void stop(Story *story, Slot *slot)
{
    tell_exit(story, slot->pid, 0);
    slot->pid = 0;
}

static void be_scheduled(Story *story, Slot *slot)
{
    const Slot *next = &story->slots[draw(story, SLOTS)];
    struct rewind_switch switch_ = {.next_pid = next->pid, .next_tid = next->pid};
    tell(story, REWIND_RECORD_SWITCH, slot->pid, &switch_, sizeof switch_);
}

static const struct {
    void (*act)(Story *story, Slot *slot);
    guint least, most; // times
} plan[] = {
    {start, 1, 1},           {read_header, 20, 70}, {write_assembly, 1, 4},
    {be_scheduled, 5, 20},   {write_object, 1, 2},  {say_compiled, 1, 1},
    {remove_assembly, 1, 1}, {say_tested, 5, 60},   {stop, 1, 1},
};

static void go_on(Story *story, Slot *slot)
{
    if (!slot->pid && !slot->left) {
        slot->unit = story->units++;
        slot->action = 0;
        slot->left = 1;
    }
    while (!slot->left) {
        slot->action++;
        slot->left = plan[slot->action].least +
                     (guint)draw(story, plan[slot->action].most - plan[slot->action].least + 1);
    }
    slot->left--;
    plan[slot->action].act(story, slot);
    for (uint64_t calls = draw(story, 5); calls; calls--)
        step(story, RW_STEP_SYSCALL);
    if (draw(story, 3) == 0 && slot->pid)
        be_scheduled(story, slot);
}

// ---- The whole ----

static void boot(Story *story)
{
    for (guint i = 0; i < 200; i++) {
        g_autofree char *line = g_strdup_printf("[    0.%06u] device %u is here\n", i * 100, i);
        tell(story, REWIND_RECORD_CONSOLE, 1, line, strlen(line));
    }
    tell_fork(story, 1, JOB);
    tell(story, REWIND_RECORD_JOB_START, JOB, NULL, 0);
    tell_exec(story, JOB, "/usr/bin/make", (const char *const[]){"make", "-j4", "check", NULL});
}

static void crash(Story *story)
{
    struct rewind_signal segv = {.signo = 11, .code = 1, .addr = 0x108, .fatal = 1};
    struct rewind_job_exit job = {.status = 2 << 8};
    uint32_t pid = story->next_pid++;
    tell_fork(story, JOB, pid);
    tell_exec(story, pid, "/src/build/last", (const char *const[]){"./last", NULL});
    tell(story, REWIND_RECORD_SIGNAL, pid, &segv, sizeof segv);
    tell_exit(story, pid, 11);
    tell_exit(story, JOB, 2 << 8);
    tell(story, REWIND_RECORD_JOB_EXIT, JOB, &job, sizeof job);
}

uint64_t build_story_write(const char *path, BuildRun run, char sha[RW_SHA256_HEX_SIZE], RwEnd *ret_end)
{
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(path, NULL);
    g_assert_nonnull(writer);
    Story story = {.run = run, .state = 1, .next_pid = JOB + 1 + run.pids_before, .writer = writer};
    boot(&story);
    while (story.events < run.events)
        go_on(&story, &story.slots[draw(&story, SLOTS)]);
    crash(&story);
    *ret_end =
        (RwEnd){RW_END_POWEROFF, true, 2 << 8, story.last.step, story.last.icount, story.last.tsc, ""};
    g_assert_true(rw_trace_writer_finish(writer, sha, NULL));
    return rw_trace_writer_get_events(writer);
}
