// SPDX-License-Identifier: MIT
//
// Which runs somebody means by some words.
#pragma once

#include "rw-run-item.h"

G_BEGIN_DECLS

// Whether each word is in the run's name, its command, what disturbed it or how it ended, whatever its
// case, or is what its id begins with. No words: any run.
gboolean rui_run_matches(RwRunItem *item, char **words);
// The words of a text, with nothing empty among them; NULL: there is none.
char **rui_run_words(const char *text);

G_END_DECLS
