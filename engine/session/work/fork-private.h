// SPDX-License-Identifier: MIT
//
// What forks, checks and explanations of a run have in common.
#pragma once

#include "work-private.h"

#include "rw-check.h"

typedef struct {
    RwSessionRun *run;
    guint64 step;
    guint64 schedule; // of a fork
    guint64 search_seed; // of an explanation
    guint count; // of the schedules of which `executed` tells
    _Atomic uint64_t *executed; // how far each schedule is
    _Atomic uint64_t started; // the instructions before its first step; 0 until they are known
    _Atomic guint known; // of an explanation: schedules that were tried when it was asked for before
    _Atomic uint64_t spent; // of an explanation: instructions for the schedules that are done
    RwWorkOptions options;
} RwWorkFork;

RwWorkFork *rw_work_fork_new(RwSessionRun *run, guint64 step, RwWorkOptions options);
void rw_work_fork_free(gpointer fork_);
RwRecordOptions rw_work_fork_options(RwSessionWork *work, const RwWorkFork *fork_);
void rw_work_fork_note_start(RwWorkFork *fork_, guint64 step); // what comes after it is what is counted
// As `check` has them where it is told nothing, for this run's store, cells and cancellable.
RwCheckOptions rw_work_fork_check_options(RwSessionWork *work, const RwWorkFork *fork_);
void rw_work_fork_result(const RwCheckResult *result, void *data); // of these options; data: the work
