// SPDX-License-Identifier: MIT
#pragma once

#include "rw-again.h"
#include "rw-learn.h"

// Executes the run again from its job's start, watched. `options`: what is wanted besides; where it starts
// and its inputs are set here. NULL with an error.
RwLearned *rw_learn_again(const RwAgain *again, RwLearnOptions *options, GError **error);
