// SPDX-License-Identifier: MIT
// The guest's side of holds: who it says has the CPU, and what it does with commands.
//
//   test-holds GUEST-DIR IMAGE
//
// The machine is stopped in the middle of its job's user code and is given commands as its device would.
#include "rw-machine-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define LETTERS_MAX 4096
#define MILLION 1000000ull

static int tests, failures;

static void ok(bool good, const char *name)
{
    tests++;
    failures += !good;
    printf("%sok %d - %s\n", good ? "" : "not ", tests, name);
}

// What a run did so far.
typedef struct {
    RwMachine *m;
    GString *text; // what was printed
    GArray *children; // tids, in order of creation
    unsigned told_wrong; // records whose sender is not who the shared page says has the CPU
    uint32_t exits[8]; // tids that ended, the first of them
    unsigned n_exits;
    RwEnd end;
} Run;

static RwSnapshot *root;

static void take(void *data, const struct rewind_record *record, const uint8_t *payload, size_t length)
{
    Run *run = data;
    const struct rewind_shared *shared = run->m->memory.shared;
    if (!(record->flags & REWIND_RECORD_BUFFERED) && record->pid)
        run->told_wrong += record->tid != shared->current_tid || record->pid != shared->current_pid;
    if (record->type == REWIND_RECORD_OUTPUT)
        g_string_append_len(run->text, (const char *)payload + sizeof(struct rewind_output),
                            (gssize)(length - sizeof(struct rewind_output)));
    if (record->type == REWIND_RECORD_FORK && run->children->len < LETTERS_MAX)
        g_array_append_val(run->children, ((const struct rewind_fork *)payload)->child_tid);
    if (record->type == REWIND_RECORD_EXIT && run->n_exits < G_N_ELEMENTS(run->exits))
        run->exits[run->n_exits++] = record->tid;
}

static void start_at(Run *run, RwSnapshot *snapshot)
{
    *run = (Run){.m = rw_machine_fork(snapshot, NULL),
                 .text = g_string_new(NULL),
                 .children = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
    rw_machine_set_sink(run->m, &(RwSink){.record = take, .data = run});
}

static void start(Run *run, const char *mode)
{
    const char *argv[] = {"/bin/guest-holds", mode, NULL};
    RwJob job = {.argv = argv, .cwd = "/", .hostname = "rewind", .epoch = 1767225600};
    start_at(run, root);
    rw_machine_set_job(run->m, &job, NULL);
}

static void stop(Run *run)
{
    rw_machine_free(run->m);
    g_string_free(run->text, TRUE);
    g_array_free(run->children, TRUE);
}

static void go(Run *run, uint64_t instructions)
{
    run->end = rw_machine_run(run->m, &(RwLimits){.icount = rw_machine_icount(run->m) + instructions});
}

static void finish(Run *run)
{
    run->end = rw_machine_run(run->m, &(RwLimits){.give_up = rw_machine_icount(run->m) + 2000 * MILLION});
}

static bool in_user_mode(Run *run)
{
    RwCpuState state;
    rw_vcpu_get_state(run->m->cpu, &state);
    return (state.seg[RW_CS].selector & 3) == 3;
}

static uint32_t current(Run *run)
{
    return run->m->memory.shared->current_tid;
}

static uint32_t child(Run *run, unsigned n)
{
    return n < run->children->len ? g_array_index(run->children, uint32_t, n) : 0;
}

static bool is_over(Run *run)
{
    return run->end.kind != RW_END_NONE;
}

// Goes on until `tid` executes user code.
static bool reach(Run *run, uint32_t tid)
{
    for (int i = 0; i < 100000 && !is_over(run); i++, go(run, 1009))
        if (tid && current(run) == tid && in_user_mode(run))
            return true;
    return false;
}

// Until `text` was printed.
static bool reach_text(Run *run, const char *text)
{
    for (int i = 0; i < 20000 && !is_over(run) && !strstr(run->text->str, text); i++)
        go(run, 20011);
    return strstr(run->text->str, text) != NULL;
}

static void reach_length(Run *run, size_t length)
{
    for (int i = 0; i < 20000 && !is_over(run) && run->text->len < length; i++)
        go(run, 20011);
}

static bool reach_children(Run *run, unsigned n)
{
    while (!is_over(run) && run->children->len < n)
        go(run, 10007);
    return !is_over(run);
}

static void command(Run *run, unsigned n, uint32_t what, uint32_t tid)
{
    struct rewind_shared *shared = run->m->memory.shared;
    shared->commands[n] = (struct rewind_command){what, tid};
    shared->n_commands = n + 1;
    rw_device_raise(run->m, REWIND_PENDING_COMMANDS);
}

static unsigned count(Run *run, char letter)
{
    unsigned n = 0;
    for (const char *p = run->text->str; *p; p++)
        n += *p == letter;
    return n;
}

static bool ended_with(Run *run, int status)
{
    bool good = run->end.kind == RW_END_POWEROFF && run->end.job_exited && WIFEXITED(run->end.job_status) &&
                WEXITSTATUS(run->end.job_status) == status;
    if (!good || run->told_wrong)
        printf("# %s, status %x, %u records of somebody else, printed: %s\n", rw_end_name(run->end.kind),
               run->end.job_status, run->told_wrong, run->text->str);
    return good && run->told_wrong == 0;
}

// ---- Held ----

static void test_hold(void)
{
    Run run, other;
    start(&run, "count");
    uint32_t a = reach_children(&run, 4) ? child(&run, 0) : 0;
    ok(reach(&run, a), "a thread is met in user mode");
    command(&run, 0, REWIND_COMMAND_HOLD, a);
    reach_length(&run, 18);
    ok(count(&run, 'a') == 0 && count(&run, 'b') == 6 && count(&run, 'c') == 6 && count(&run, 'd') == 6,
       "a held thread makes no progress while others do");
    ok(current(&run) != a && run.m->memory.shared->n_commands == 0, "it does not have the CPU");
    RwSnapshot *snapshot = rw_machine_snapshot(run.m, NULL);
    command(&run, 0, REWIND_COMMAND_RELEASE, a);
    finish(&run);
    ok(ended_with(&run, 0) && count(&run, 'a') == 6, "released it does the rest");

    start_at(&other, snapshot);
    command(&other, 0, REWIND_COMMAND_RELEASE, a);
    finish(&other);
    ok(rw_machine_hash(run.m, true) == rw_machine_hash(other.m, true) && run.end.icount == other.end.icount,
       "a held thread is part of a snapshot");
    rw_snapshot_unref(snapshot);
    stop(&other);
    stop(&run);
}

static void test_signal(const char *mode, int status)
{
    Run run;
    start(&run, mode);
    uint32_t held = reach_children(&run, 1) ? child(&run, 0) : 0;
    ok(reach(&run, held), "a child is met in user mode");
    command(&run, 0, REWIND_COMMAND_HOLD, held);
    reach_text(&run, "RRRRRRRRRRRRRRRRRRRRRRRRRRRRRR"); // the signals came at the 20th
    ok(count(&run, 'R') >= 30 && run.text->len == count(&run, 'R'), "a held process is shown as running");
    ok(run.n_exits == 0, "no signal ends it");
    command(&run, 0, REWIND_COMMAND_RELEASE, held);
    finish(&run);
    ok(ended_with(&run, status) && run.exits[0] == held, "released it takes the signal");
    stop(&run);
}

static void test_exec(void)
{
    Run run;
    start(&run, "exec");
    reach_children(&run, 2);
    uint32_t pid = run.m->memory.shared->current_pid;
    ok(reach(&run, pid), "the leader is met in user mode");
    command(&run, 0, REWIND_COMMAND_HOLD, pid);
    ok(reach_text(&run, "f"), "a held thread's process can fork");
    go(&run, MILLION);
    ok(count(&run, 'b') == 1 && count(&run, 'x') == 0, "exec waits for a held thread");
    command(&run, 0, REWIND_COMMAND_RELEASE, pid);
    ok(reach_text(&run, "x") && reach(&run, pid), "and goes on when it is released, as the leader");
    finish(&run);
    ok(ended_with(&run, 0), "with its number");
    stop(&run);
}

// ---- Released, next ----

// A thread holds nobody's place: where it is released the current one goes on.
static void test_release(void)
{
    Run run;
    start(&run, "count");
    uint32_t a = reach_children(&run, 4) ? child(&run, 0) : 0;
    uint32_t b = child(&run, 1);
    reach(&run, a);
    command(&run, 0, REWIND_COMMAND_HOLD, a);
    reach(&run, b);
    command(&run, 0, REWIND_COMMAND_RELEASE, a);
    go(&run, 20000);
    ok(b && current(&run) == b, "a release interrupts nobody");
    reach(&run, a);
    command(&run, 0, REWIND_COMMAND_HOLD, a);
    reach(&run, b);
    command(&run, 0, REWIND_COMMAND_RELEASE, a);
    command(&run, 1, REWIND_COMMAND_NEXT, a);
    go(&run, 20000);
    ok(a && current(&run) == a && in_user_mode(&run), "unless the released one is to be the next");
    finish(&run);
    ok(ended_with(&run, 0), "and the job ends as always");
    stop(&run);
}

// From whoever runs to each of the others, and to itself.
static void test_next(const char *mode)
{
    Run run;
    start(&run, mode);
    reach_children(&run, 4);
    reach(&run, child(&run, 0));
    unsigned good = 0;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t next = child(&run, i * 3 % 4);
        reach(&run, current(&run));
        command(&run, 0, REWIND_COMMAND_NEXT, next);
        go(&run, 20000);
        good += next && current(&run) == next && in_user_mode(&run);
    }
    if (good < 16)
        printf("# %u of 16\n", good);
    ok(good == 16, "a thread that can run is the next");
    finish(&run);
    ok(ended_with(&run, 0) && run.text->len == 25, "and the job ends as always");
    stop(&run);
}

static void test_ignored(void)
{
    Run run;
    start(&run, "count");
    uint32_t a = reach_children(&run, 4) ? child(&run, 0) : 0;
    uint32_t main_tid = run.m->memory.shared->current_pid;
    reach(&run, a);
    const struct rewind_command nothing[] = {
        {REWIND_COMMAND_HOLD, child(&run, 1)}, // not the current one
        {REWIND_COMMAND_HOLD, 0},
        {REWIND_COMMAND_HOLD, 4000000000u},
        {REWIND_COMMAND_RELEASE, a}, // not held
        {REWIND_COMMAND_RELEASE, 0},
        {REWIND_COMMAND_RELEASE, 99999},
        {REWIND_COMMAND_NEXT, main_tid}, // it sleeps
        {REWIND_COMMAND_NEXT, 0},
        {REWIND_COMMAND_NEXT, 99999},
        {0, a},
        {77, a},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(nothing); i++)
        command(&run, i, nothing[i].what, nothing[i].tid);
    run.m->memory.shared->n_commands = UINT32_MAX;
    go(&run, 20000);
    ok(a && current(&run) == a && run.m->memory.shared->n_commands == 0,
       "commands that mean nothing do nothing");
    finish(&run);
    ok(ended_with(&run, 0) && run.text->len == 25, "and the job ends as always");
    stop(&run);
}

static RwSnapshot *boot(char **argv)
{
    g_autoptr(GError) error = NULL;
    RwGuest *guest = rw_guest_load(argv[1], &error);
    RwMachineConfig config = {
        .guest = guest, .image_path = argv[2], .memory = 256 << 20, .model = RW_CPU_MODEL_V2, .cores = 2};
    RwMachine *m = guest ? rw_machine_new(&config, &error) : NULL;
    if (!m) {
        printf("Bail out! %s\n", error->message);
        exit(1);
    }
    rw_guest_unref(guest);
    rw_machine_run(m, &(RwLimits){.before_input = true});
    ok(m->memory.shared->features == (REWIND_FEATURE_HOLDS | REWIND_FEATURE_LAYOUT),
       "the guest says that it can hold tasks");
    ok(m->memory.shared->current_pid == 1 && m->memory.shared->current_tid == 1, "init has the CPU");
    RwSnapshot *snapshot = rw_machine_snapshot(m, NULL);
    rw_machine_free(m);
    return snapshot;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    root = boot(argv);
    test_hold();
    test_signal("kill", 9);
    test_signal("signals", 3);
    test_exec();
    test_release();
    test_next("count");
    test_next("fifo");
    test_ignored();
    rw_snapshot_unref(root);
    printf("1..%d\n", tests);
    return failures != 0;
}
