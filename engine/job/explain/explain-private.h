// SPDX-License-Identifier: MIT
#pragma once

#include "rw-explain.h"

#include "rw-inspect.h"
#include "rw-timeline.h"

struct _RwExplainer {
    RwTrace *trace;
    RwTimeline *timeline;
    RwSymbols *symbols;
    GCancellable *cancellable; // or NULL
};

// The timeline stands at the position then; *ret_asked is a machine to be asked for programs and their
// files, to be given back also after an error, or NULL. ends: the thread is about to end, then it is one of
// a step before.
bool rw_explainer_go(RwExplainer *explainer, const RwPosition *position, bool ends, RwMachine **ret_asked,
                     GError **error);
bool rw_explainer_has_cpu(RwExplainer *explainer, uint32_t tid);
// Where the thread is that has the CPU. at: the instruction that is asked for in place of its next one,
// which it has just executed; 0: that one. false: it is not known. *ret_named: a line or function of its
// own program, or of the script that this executes, is among the frames.
bool rw_explainer_look(RwExplainer *explainer, RwMachine *asked, uint64_t at, RwExplainedSide *ret_side,
                       bool *ret_named);
// Takes the symbols of frames, of RwInspectFrame*, and adds them to a side's. frames: or NULL.
void rw_explained_take_frames(RwExplainedSide *side, const GPtrArray *frames);
// Adds to a side, which may have nothing, the line of the script or makefile by which the process was
// started, if it can be found: the first of its ancestors' that has one. The timeline stands anywhere then.
void rw_explainer_add_starter(RwExplainer *explainer, uint32_t pid, uint64_t step, RwExplainedSide *side);
