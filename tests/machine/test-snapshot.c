// SPDX-License-Identifier: MIT
// Snapshots, snapshots of forks, and machines that are reset: all go on alike, to the last bit.
//
//   test-snapshot GUEST-DIR IMAGE
#include "rw-machine.h"

#include <stdio.h>

static const char *const argv_job[] = {
    "sh", "-c",
    "i=0; while [ $i -lt 25 ]; do echo $i >/tmp/f$i; cat /tmp/f$i | wc -c; sleep 0.01; i=$((i+1)); done",
    NULL};
static const char *const envp_job[] = {"PATH=/bin", NULL};

static int tests, failures;

static void ok(bool good, const char *name)
{
    tests++;
    failures += !good;
    printf("%sok %d - %s\n", good ? "" : "not ", tests, name);
}

typedef struct {
    uint64_t hash, steps, icount;
} Outcome;

static Outcome finish(RwMachine *m)
{
    RwEnd end = rw_machine_run(m, &(RwLimits){.step = 0});
    return (Outcome){rw_machine_hash(m, true), end.steps, end.icount};
}

static void same(const Outcome *a, Outcome b, const char *name)
{
    bool good = a->hash == b.hash && a->steps == b.steps && a->icount == b.icount;
    if (!good)
        printf("# %" G_GUINT64_FORMAT " steps and hash %016" G_GINT64_MODIFIER "x, not %" G_GUINT64_FORMAT
               " and %016" G_GINT64_MODIFIER "x\n",
               b.steps, b.hash, a->steps, a->hash);
    ok(good, name);
}

static RwMachine *boot(char **argv)
{
    g_autoptr(GError) error = NULL;
    RwGuest *guest = rw_guest_load(argv[1], &error);
    RwMachineConfig config = {
        .guest = guest,
        .image_path = argv[2],
        .memory = 256 << 20,
        .model = RW_CPU_MODEL_V2,
        .cores = 1,
    };
    RwMachine *m = guest ? rw_machine_new(&config, &error) : NULL;
    if (!m) {
        printf("Bail out! %s\n", error->message);
        exit(1);
    }
    rw_guest_unref(guest);
    rw_machine_run(m, &(RwLimits){.before_input = true});
    RwJob job = {.argv = argv_job, .envp = envp_job, .cwd = "/", .hostname = "rewind", .epoch = 1767225600};
    rw_machine_set_job(m, &job, NULL);
    return m;
}

static void perturb(RwMachine *m, uint64_t number)
{
    RwSchedule schedule = {0};
    rw_schedule_add_window(&schedule, &(RwWindow){.number = number, .until = UINT64_MAX});
    rw_machine_set_schedule(m, &schedule);
}

// A fork of `root` stops at `step`; it, a fork of its snapshot and a machine that did other things go on.
static void from_step(RwSnapshot *root, RwMachine *used, uint64_t step, const Outcome *whole)
{
    RwMachine *m = rw_machine_fork(root, NULL);
    rw_machine_run(m, &(RwLimits){.step = step});
    RwSnapshot *snapshot = rw_machine_snapshot(m, NULL);
    same(whole, finish(m), "a machine goes on after its snapshot was taken");
    rw_machine_free(m);
    m = rw_machine_fork(snapshot, NULL);
    same(whole, finish(m), "a fork of a fork's snapshot");
    ok(rw_machine_reset(used, snapshot), "a machine of the same root can be reset");
    same(whole, finish(used), "a machine that was reset to a fork's snapshot");
    ok(rw_machine_reset(m, root), "and to the root");
    same(whole, finish(m), "a machine that was reset to the root");
    rw_machine_free(m);
    rw_snapshot_unref(snapshot);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    RwMachine *m = boot(argv);
    RwSnapshot *root = rw_machine_snapshot(m, NULL);
    Outcome whole = finish(m);
    ok(whole.steps > 200, "the job does something");
    ok(!rw_machine_reset(m, root), "a machine that is no fork cannot be reset");
    rw_machine_free(m);

    RwMachine *used = rw_machine_fork(root, NULL);
    perturb(used, 5);
    Outcome other = finish(used);
    ok(other.hash != whole.hash, "a schedule makes another run");
    for (uint64_t step = 150; step < whole.steps; step += whole.steps / 4)
        from_step(root, used, step, &whole);
    rw_machine_reset(used, root);
    perturb(used, 5);
    same(&other, finish(used), "and the same again after a reset");

    RwMachine *late = rw_machine_fork(root, NULL);
    rw_machine_run(late, &(RwLimits){.give_up = whole.icount / 2});
    RwEnd end = rw_machine_run(late, &(RwLimits){.step = 0});
    ok(end.kind == RW_END_TIMED_OUT && end.icount == whole.icount / 2,
       "a machine gives up at its instruction");
    rw_machine_free(late);
    rw_machine_free(used);
    rw_snapshot_unref(root);
    printf("1..%d\n", tests);
    return failures != 0;
}
