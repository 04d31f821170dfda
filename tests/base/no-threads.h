// SPDX-License-Identifier: MIT
//
// A host that has no more threads. Linked in, it takes the C library's place for the whole program, GLib
// included.
#pragma once

// From now on so many threads can be made, and no more; negative: as many as one likes.
void no_threads_after(int count);
