// SPDX-License-Identifier: MIT
// Programs of images that are brought along into a conversation. Their libraries are not where they look
// for them, so they are started through a launcher, which is init's own program under another name.
#ifndef REWIND_INIT_WITH_H
#define REWIND_INIT_WITH_H

#include <stdbool.h>

#define WITH_LAUNCHER "rewind-with"

extern const char
    *const with_bin[]; // directories of programs, in the order of PATH, from the root; NULL-ended

// The directory of image i from 0; false: there is none.
bool with_root(const char *dir, unsigned i, char ret[64]);

// Becomes the program of an image whose link is argv[0].
_Noreturn void with_launch(char **argv);

#endif
