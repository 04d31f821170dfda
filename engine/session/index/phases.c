// SPDX-License-Identifier: MIT
//
// A run's phases: boot, the job, the end. A job that writes marks divides itself; one that doesn't is
// divided by the programs that its first process starts, as long as they are few enough to be told apart.
#include "index-private.h"

#include "rw-event.h"

#define PROGRAMS_MAX 32
#define NAME_MAX_CHARS 40

static void phase_clear(RwPhase *phase)
{
    g_free(phase->name);
}

void rw_phases_init(RwPhases *phases)
{
    *phases = (RwPhases){0};
    phases->phases = g_array_new(false, false, sizeof(RwPhase));
    phases->programs = g_array_new(false, false, sizeof(RwPhase));
    g_array_set_clear_func(phases->phases, (GDestroyNotify)phase_clear);
    g_array_set_clear_func(phases->programs, (GDestroyNotify)phase_clear);
    phases->children = g_hash_table_new(NULL, NULL);
    RwPhase boot = {.kind = RW_PHASE_BOOT};
    g_array_append_val(phases->phases, boot);
}

void rw_phases_clear(RwPhases *phases)
{
    g_clear_pointer(&phases->phases, g_array_unref);
    g_clear_pointer(&phases->programs, g_array_unref);
    g_clear_pointer(&phases->children, g_hash_table_unref);
}

static char *dup_name(const char *bytes, gsize length)
{
    g_autofree char *text = g_utf8_make_valid(bytes, (gssize)length);
    g_strdelimit(text, "\n\r\t\033", ' ');
    return g_utf8_strlen(text, -1) > NAME_MAX_CHARS ? g_utf8_substring(text, 0, NAME_MAX_CHARS)
                                                    : g_strdup(text);
}

static void on_start(RwPhases *phases, const RwTraceItem *item)
{
    phases->job = item->record.pid;
    phases->start = item->at;
    RwPhase job = {.from = item->at, .kind = RW_PHASE_JOB};
    g_array_append_val(phases->phases, job);
}

static void on_exec(RwPhases *phases, const RwTraceItem *item)
{
    g_autofree char *path = NULL;
    g_auto(GStrv) argv = rw_event_dup_exec(item, &path);
    bool is_job = item->record.pid == phases->job;
    bool is_child = g_hash_table_remove(phases->children, GUINT_TO_POINTER(item->record.pid));
    if (!argv || !(is_job || is_child) || phases->programs->len > PROGRAMS_MAX)
        return;
    g_autofree char *base = g_path_get_basename(argv[0] ? argv[0] : path);
    RwPhase program = {.from = item->at, .kind = RW_PHASE_JOB, .name = dup_name(base, strlen(base))};
    g_array_append_val(phases->programs, program);
}

static void on_fork(RwPhases *phases, const RwTraceItem *item)
{
    struct rewind_fork fork_;
    if (phases->job && item->record.pid == phases->job && rw_event_get_fork(item, &fork_) &&
        fork_.kind != REWIND_FORK_THREAD)
        g_hash_table_add(phases->children, GUINT_TO_POINTER(fork_.child_pid));
}

static void on_mark(RwPhases *phases, const RwTraceItem *item)
{
    RwPhase mark = {.from = item->at,
                    .kind = RW_PHASE_JOB,
                    .name = dup_name((const char *)item->payload, item->length)};
    g_array_append_val(phases->phases, mark);
}

void rw_phases_feed(RwPhases *phases, const RwTraceItem *item)
{
    static void (*const takers[])(RwPhases *, const RwTraceItem *) = {
        [REWIND_RECORD_JOB_START] = on_start,
        [REWIND_RECORD_EXEC] = on_exec,
        [REWIND_RECORD_FORK] = on_fork,
        [REWIND_RECORD_MARK] = on_mark,
    };
    unsigned type = item->record.type;
    if (item->is_step)
        return;
    if (type == REWIND_RECORD_JOB_EXIT)
        phases->end = item->at;
    else if (type < G_N_ELEMENTS(takers) && takers[type])
        takers[type](phases, item);
}

// Without marks: the programs in place of the one phase that is the job.
static void divide_by_programs(RwPhases *phases)
{
    for (guint i = 0; i < phases->programs->len; i++) {
        RwPhase *program = &g_array_index(phases->programs, RwPhase, i);
        if (i == 0) { // the job itself: its phase begins with its start
            RwPhase *job = &g_array_index(phases->phases, RwPhase, phases->phases->len - 1);
            job->name = g_steal_pointer(&program->name);
            continue;
        }
        g_array_append_val(phases->phases, *program);
        program->name = NULL;
    }
}

void rw_phases_finish(RwPhases *phases, guint64 steps)
{
    if (phases->start && phases->phases->len == 2 && phases->programs->len <= PROGRAMS_MAX)
        divide_by_programs(phases);
    if (phases->end) {
        RwPhase end = {.from = phases->end, .kind = RW_PHASE_END};
        g_array_append_val(phases->phases, end);
    }
    for (guint i = 0; i < phases->phases->len; i++) {
        guint64 next =
            i + 1 < phases->phases->len ? g_array_index(phases->phases, RwPhase, i + 1).from : steps + 1;
        g_array_index(phases->phases, RwPhase, i).until = next;
    }
}
