// SPDX-License-Identifier: MIT
#include "world-private.h"

// How often one looks further back for somebody who has the CPU.
#define LOOKS_MAX 256

GdbPlace gdb_place(RwGdb *g)
{
    RwCpuState cpu;
    RwMachine *machine = rw_timeline_get_machine(g->timeline);
    GdbPlace place = {0};
    rw_machine_get_cpu(machine, &cpu);
    rw_machine_get_current(machine, &place.pid, &place.tid);
    place.user = (cpu.seg[RW_CS].selector & 3) == 3;
    place.ours = place.pid && place.pid == g->pid;
    place.rip = cpu.rip;
    place.icount = cpu.icount;
    if (place.ours && place.user)
        g->root = rw_machine_root(machine);
    return place;
}

// ---- Elsewhere ----

void gdb_forget(RwGdb *g)
{
    g_clear_pointer(&g->tasks, g_ptr_array_unref);
    g_clear_pointer(&g->kernel, rw_kernel_free);
    g->kernel_asked = false;
    rw_timeline_give_back(g->timeline, g_steal_pointer(&g->agent));
    g_clear_pointer(&g->maps, g_free);
}

bool gdb_go(RwGdb *g, const RwPosition *to, GError **error)
{
    gdb_forget(g);
    return rw_timeline_go(g->timeline, to, NULL, error);
}

bool gdb_go_icount(RwGdb *g, uint64_t icount, GError **error)
{
    gdb_forget(g);
    return rw_timeline_go_icount(g->timeline, icount, NULL, error);
}

RwMachine *gdb_agent(RwGdb *g, GError **error)
{
    if (!g->agent)
        g->agent = rw_timeline_fork(g->timeline, error);
    return g->agent;
}

// ---- Whose process ----

// Whom the job's programs belong to: not init.
static bool is_program(uint32_t pid)
{
    return pid > 1;
}

// Who had the CPU in user mode last; the position stays.
static bool find_last_user(RwGdb *g, uint32_t *ret_pid, uint32_t *ret_tid, GError **error)
{
    RwPosition here = rw_timeline_get_position(g->timeline);
    RwWhen user = {.kind = RW_WHEN_USER};
    RwWhenHit hit = {0};
    RwWent went = RW_WENT_HIT;
    gdb_forget(g);
    for (int i = 0; i < LOOKS_MAX && went == RW_WENT_HIT && !is_program(hit.pid); i++)
        went = rw_timeline_run(g->timeline, false, &user, 1, &hit, NULL, error);
    if (went == RW_WENT_FAILED || !gdb_go(g, &here, error))
        return false;
    if (is_program(hit.pid)) {
        *ret_pid = hit.pid;
        *ret_tid = hit.tid;
        return true;
    }
    g_set_error_literal(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                        "no program has executed anything by then: name a process with --pid");
    return false;
}

// Whether the guest tells it here.
static bool read_root(RwGdb *g)
{
    RwKernel *kernel = gdb_kernel(g);
    uint64_t mm = gdb_mm(g);
    g->root = mm ? rw_kernel_page_tables(kernel, mm) : 0;
    if (g->root && !gdb_task(g, g->tid))
        g->tid = ((RwKernelTask *)g->tasks->pdata[0])->tid;
    return g->root != 0;
}

// Of the process, as it is around here.
static bool learn_root(RwGdb *g, GError **error)
{
    GdbPlace place = gdb_place(g);
    RwPosition here = rw_timeline_get_position(g->timeline);
    RwWhen user = {.kind = RW_WHEN_USER, .pid = g->pid};
    RwWhenHit hit;
    if (read_root(g) || (g->root && place.ours))
        return true;
    g->root = 0;
    gdb_forget(g);
    RwWent went = rw_timeline_run(g->timeline, place.icount <= g->life.begin, &user, 1, &hit, NULL, error);
    if (went == RW_WENT_FAILED)
        return false;
    gdb_place(g);
    if (went == RW_WENT_HIT && !g->tid)
        g->tid = hit.tid;
    return gdb_go(g, &here, error);
}

bool gdb_choose(RwGdb *g, uint32_t pid, uint32_t tid, GError **error)
{
    GdbPlace place = gdb_place(g);
    if (!pid) {
        pid = place.pid;
        tid = place.tid;
    }
    if (!is_program(pid) && !find_last_user(g, &pid, &tid, error))
        return false;
    GdbLife life;
    if (!gdb_life_find(&g->config, pid, place.icount, &life, error))
        return false;
    gdb_life_clear(&g->life);
    g->life = life;
    gdb_forget(g);
    g->root = 0;
    g->pid = pid;
    g->tid = tid ? tid : place.pid == pid ? place.tid : 0;
    return learn_root(g, error);
}

bool gdb_settle(RwGdb *g, GError **error)
{
    GdbRegisters r;
    RwWhenHit hit;
    bool over = gdb_place(g).icount >= g->life.end, found;
    GdbGoing going = {g, NULL, &(GdbStop){0}, error};
    gdb_world_registers(g, g->tid, &r);
    if (r.known && !over)
        return true;
    RwWhen whens[2] = {gdb_when_user(g, 0)};
    GdbRan ran = gdb_run(&going, true, whens, 1, g->life.end, &hit);
    if (ran == GDB_RAN_HIT)
        g->tid = hit.tid;
    return ran == GDB_RAN_LIMIT ? gdb_go_last(&going, g->life.end, &found) : ran == GDB_RAN_HIT;
}

// ---- Life ----

static uint32_t get_pid(void *data)
{
    return ((RwGdb *)data)->pid;
}

static const GdbWorldOps ops = {
    .pid = get_pid,
    .threads = gdb_world_threads,
    .registers = gdb_world_registers,
    .set_registers = gdb_world_set_registers,
    .read = gdb_world_read,
    .write = gdb_world_write,
    .resume = gdb_world_resume,
    .auxv = gdb_world_auxv,
    .program = gdb_world_program,
    .file = gdb_world_file,
    .link = gdb_world_link,
    .monitor = gdb_world_monitor,
};

static bool stand(RwGdb *g, GError **error)
{
    const RwGdbConfig *config = &g->config;
    const RwEnd *end = &config->seek->manifest->end;
    RwPosition at = config->position;
    if (at.step > end->steps)
        at = (RwPosition){end->steps, 0};
    if (!rw_timeline_clamp(config->trace, end, &at, error) ||
        !rw_timeline_go(g->timeline, &at, config->cancellable, error))
        return false;
    if (config->kernel)
        return gdb_choose_kernel(g, error);
    return gdb_choose(g, config->pid, config->tid, error) && gdb_settle(g, error);
}

static void tell(bool goes, void *data)
{
    RwGdb *g = data;
    RwPosition position = gdb_has_left(g) ? g->left : rw_timeline_get_position(g->timeline);
    if (g->config.stands)
        g->config.stands(goes ? NULL : &position, g->config.data);
}

RwGdb *rw_gdb_new(const RwGdbConfig *config, GError **error)
{
    g_autoptr(RwGdb) g = g_new0(RwGdb, 1);
    RwTimelineConfig timeline = {
        .seek = config->seek, .trace = config->trace, .progress = gdb_look_for_interrupt, .data = g};
    g->config = *config;
    g->stop = g_cancellable_new();
    g->contents = gdb_contents_new();
    g->execs = g_array_new(false, false, sizeof(uint64_t));
    g->absent = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g->timeline = g->recorded = rw_timeline_new(&timeline, error);
    if (!g->recorded || !stand(g, error))
        return NULL;
    GdbWorld world = {config->kernel ? &gdb_kernel_ops : &ops, g};
    g->session = gdb_session_new(&world, g->tid);
    g->session->warn = config->warn;
    g->session->warn_data = config->data;
    g->session->going = tell;
    g->session->going_data = g;
    return g_steal_pointer(&g);
}

void rw_gdb_free(RwGdb *g)
{
    if (!g)
        return;
    if (g->recorded) {
        gdb_forget(g);
        gdb_return(g);
    }
    g_clear_pointer(&g->session, gdb_session_free);
    rw_timeline_free(g->recorded);
    g_hash_table_unref(g->contents);
    g_hash_table_unref(g->absent);
    g_array_unref(g->execs);
    gdb_life_clear(&g->life);
    g_object_unref(g->stop);
    g_free(g);
}

uint32_t rw_gdb_get_pid(const RwGdb *g)
{
    return g->pid;
}

bool rw_gdb_serve(RwGdb *g, int fd, GError **error)
{
    return gdb_serve(g->session, fd, g->config.cancellable, error);
}

RwTimeline *rw_gdb_get_timeline(RwGdb *g)
{
    return g->timeline;
}
