// SPDX-License-Identifier: MIT
//
// The nth of the calls that read or change files below a folder fails. Linked in, it takes the C library's
// place for the whole program, GLib included.
#pragma once

// Only what is opened or named below it counts.
void faults_set_folder(const char *folder);
// From now on the nth call (from 0) fails once with that errno; what was counted is forgotten. -1: none.
void faults_arm(int nth, int error);
// Calls counted since faults_arm().
int faults_get_count(void);
