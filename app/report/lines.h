// SPDX-License-Identifier: MIT
//
// For `--where`: the lines of the programs that made a run's events.
#pragma once

#include "cli.h"
#include "rw-explain.h"
#include "setup.h"

typedef struct {
    Cli *cli; // NULL: nothing is looked for
    RwAgain again;
    RwExplainer *explainer;
    bool ticks; // virtual time counts instructions
    guint found; // events that were looked for
} Lines;

// The run is borrowed. To be closed, also after an error.
bool lines_open(Cli *cli, const CliRun *run, Lines *ret_lines, GError **error);
void lines_close(Lines *lines);
// Of the event: ret->n is 0 where nothing is known, or nothing is looked for. To be cleared. false: *error,
// and nothing more is looked for.
bool lines_find(Lines *lines, const RwTraceItem *item, RwExplainedSide *ret, GError **error);

// The line under an event, with so many blanks before it: nothing where it is not known.
void lines_print(const RwExplainedSide *found, int indent);
// "where": the line, and the calls that led there; likewise.
void lines_add_json(const RwExplainedSide *found, JsonObject *object);
