// SPDX-License-Identifier: MIT
//
// A store of its own with made-up runs, and waiting for what a session does on its own time.
#pragma once

#include "rw-session-comparison.h"
#include "rw-session.h"

typedef struct {
    char *home;
    RwSession *session; // listed once
} Fixture;

void fixture_set_up(Fixture *fixture, gconstpointer data);
void fixture_tear_down(Fixture *fixture, gconstpointer data);

// Puts the story of tests/run into the store, as the run of `command`. Returns its id.
char *fixture_add_run(const char *home, const char *command, const char *name, guint64 schedule);
// A fork of that run at a step, under a schedule of its own from there on; it exits with `status`.
char *fixture_add_fork(const char *home, const char *parent, guint64 step, guint64 schedule, int status);
// The same with a made-up trace of about so many steps.
char *fixture_add_big_run(const char *home, guint64 seed, guint64 steps);
// One whose output is longer than what a session keeps of it.
#define LOUD_STEPS 2200
char *fixture_add_loud_run(const char *home, bool lines); // as story_write_loud()
// One of two threads: it passes, or the second thread writes first and it fails.
char *fixture_add_turns_run(const char *home, bool fails);
// A big build with at least so many events; part_at: the event from which it is another run, 0 for never.
char *fixture_add_build_run(const char *home, guint64 part_at, guint64 events);
// The same with other numbers for its processes, and another seed.
char *fixture_add_shifted_run(const char *home, guint64 part_at, guint64 events);

// These wait.
RwSessionRun *fixture_open_run(RwSession *session, const char *ref); // with its index
RwSessionComparison *fixture_compare(RwSessionRun *left, RwSessionRun *right);

// Runs the main loop until the condition holds; fails when it is late. What other threads do is looked at
// too. A machine is many times slower with the sanitizers, and others run beside it.
#ifdef __SANITIZE_ADDRESS__
#define FIXTURE_LATE 600 // seconds
#else
#define FIXTURE_LATE 120
#endif
#define wait_for(condition)                                                                                \
    do {                                                                                                   \
        guint late_ = g_timeout_add_seconds(FIXTURE_LATE, fixture_too_late, (gpointer) #condition);        \
        guint look_ = g_timeout_add(20, fixture_look_again, NULL);                                         \
        while (!(condition))                                                                               \
            g_main_context_iteration(NULL, true);                                                          \
        g_source_remove(late_);                                                                            \
        g_source_remove(look_);                                                                            \
    } while (0)
gboolean fixture_look_again(gpointer data);
gboolean fixture_too_late(gpointer condition);

// For an asynchronous call: pass on_result and a GAsyncResult * that is NULL, then wait for it to be set.
void on_result(GObject *source, GAsyncResult *result, gpointer data);
