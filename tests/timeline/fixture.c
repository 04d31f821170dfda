// SPDX-License-Identifier: MIT
#include "fixture.h"

#include "rw-store.h"

void fixture_open(Fixture *f, const char *run, uint64_t memory)
{
    g_autoptr(GError) error = NULL;
    *f = (Fixture){.rand = g_rand_new_with_seed(11)};
    f->store = rw_store_open(g_getenv("REWIND_HOME"), &error);
    g_assert_no_error(error);
    f->entry = rw_store_resolve(f->store, run, &error);
    g_assert_no_error(error);
    f->manifest = rw_manifest_load(f->entry, &error);
    g_assert_no_error(error);
    g_autofree char *path = g_build_filename(f->entry->path, "trace", NULL);
    f->trace = rw_trace_open(path, &error);
    g_assert_no_error(error);
    RwContext context = {.store = f->store};
    rw_again_open(&context, f->manifest, f->entry->path, &f->again, &error);
    g_assert_no_error(error);
    RwTimelineConfig config = {.seek = &f->again.seek, .trace = f->trace, .memory = memory};
    f->timeline = rw_timeline_new(&config, &error);
    g_assert_no_error(error);
    RwMachine *machine = rw_seek(&f->again.seek, rw_timeline_get_start(f->timeline).step, NULL, &error);
    g_assert_no_error(error);
    f->origin = rw_machine_snapshot(machine, &error);
    g_assert_no_error(error);
    rw_machine_free(machine);
    f->plain = rw_machine_fork(f->origin, &error);
    g_assert_no_error(error);
}

void fixture_close(Fixture *f)
{
    rw_timeline_free(f->timeline);
    rw_machine_free(f->plain);
    rw_snapshot_unref(f->origin);
    rw_again_close(&f->again);
    rw_trace_free(f->trace);
    rw_manifest_free(f->manifest);
    rw_run_entry_free(f->entry);
    rw_store_free(f->store);
    g_rand_free(f->rand);
}

static void bring(RwMachine *machine, const RwPosition *position)
{
    if (rw_machine_steps(machine) < position->step)
        rw_machine_run(machine, &(RwLimits){.step = position->step});
    g_assert_cmpuint(rw_machine_steps(machine), ==, position->step);
    if (position->after)
        rw_machine_run(machine, &(RwLimits){.icount = rw_machine_icount(machine) + position->after});
    g_assert_cmpuint(rw_machine_steps(machine), ==, position->step);
}

RwMachine *fixture_plain(Fixture *f, const RwPosition *position)
{
    g_assert_true(rw_machine_reset(f->plain, f->origin));
    bring(f->plain, position);
    return f->plain;
}

uint64_t fixture_hash(Fixture *f, const RwPosition *position, bool seek)
{
    g_autoptr(GError) error = NULL;
    if (!seek)
        return rw_machine_hash(fixture_plain(f, position), true);
    RwMachine *machine = rw_seek(&f->again.seek, position->step, NULL, &error);
    g_assert_no_error(error);
    bring(machine, position);
    uint64_t hash = rw_machine_hash(machine, true);
    rw_machine_free(machine);
    return hash;
}

void fixture_check(Fixture *f, bool seek)
{
    RwPosition position = rw_timeline_get_position(f->timeline);
    g_autofree char *text = rw_position_dup_text(&position);
    uint64_t want = fixture_hash(f, &position, seek);
    if (rw_machine_hash(rw_timeline_get_machine(f->timeline), true) != want)
        g_error("at %s it is another machine", text);
}

RwPosition fixture_random(Fixture *f)
{
    g_autoptr(GError) error = NULL;
    RwPosition start = rw_timeline_get_start(f->timeline), end = rw_timeline_get_end(f->timeline);
    RwStepInfo info, next;
    uint64_t step = start.step + (uint64_t)(g_rand_double(f->rand) * (double)(end.step - start.step));
    g_assert_true(rw_trace_step(f->trace, step, &info, &error));
    g_assert_true(rw_trace_step(f->trace, step + 1, &next, &error));
    uint64_t room = next.icount - info.icount;
    uint64_t after = room > 1 ? (uint64_t)(g_rand_double(f->rand) * (double)room) : 0;
    return (RwPosition){step, g_rand_boolean(f->rand) ? after : 0};
}
