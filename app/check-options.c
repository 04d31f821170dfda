// SPDX-License-Identifier: MIT
//
// The options of `check`, of which there are many.
#include "commands.h"

static const char *const keeps[] = {"endings", "different", "all", NULL};

static const CliOption check_options[] = {
    {"run", 0, CLI_TEXT, "RUN",
     "instead of a command: forks of this recorded run, from the step that --schedule-from names", 0, 0,
     NULL},
    {"schedules", 0, CLI_NUMBER, "N",
     "how many perturbed schedules to try (64, and more while all of them together took less than about a "
     "minute)",
     1, 1000000, NULL},
    {"search-seed", 0, CLI_NUMBER, "N",
     "draw other schedules from what was learned: their numbers mean others with each N (0)", 0, 1000000,
     NULL},
    {"max-delay", 0, CLI_NUMBER, "MS", "how long a task may be held, in virtual milliseconds (10000)", 1,
     3600000, NULL},
    {"faults", 0, CLI_TEXT, "KINDS", "rare answers to try, all or none (wakeup,short)", 0, 0, NULL},
    {"seeds", 0, CLI_NUMBER, "N",
     "vary the program's randomness too: so many seeds from --seed on, first under schedule 0, then in "
     "turn",
     1, 100000, NULL},
    {"fails", 0, CLI_TEXT, "EXPR",
     "what a failure is: exit=N, exit!=N, signal, signal=SIG, stalled, timed-out, output-limit, "
     "output~TEXT, "
     "output!~TEXT; "
     "joined by `and`, `or` and commas (every ending but an exit with 0)",
     0, 0, NULL},
    {"all", 0, CLI_FLAG, NULL,
     "try them all, and count, instead of stopping after 16 in which one ends differently", 0, 0, NULL},
    {"keep", 0, CLI_CHOICE, NULL, "which runs stay: one of each ending, each that differs, all (endings)",
     0, 0, keeps},
    {"where", 0, CLI_FLAG, NULL, "also the programs' lines for the events around where the two runs part",
     0, 0, NULL},
    {"no-narrow", 0, CLI_FLAG, NULL, "do not look for the step that decides", 0, 0, NULL},
    {"jobs", 'j', CLI_NUMBER, "N", "how many machines run at a time (one per CPU)", 1, 1024, NULL},
    {"quiet", 'q', CLI_FLAG, NULL, "only lines of schedules that end differently", 0, 0, NULL},
    CLI_JSON,
    CLI_END,
};

const CliGroup cli_check_group = {"Options", check_options};
