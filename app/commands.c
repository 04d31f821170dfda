// SPDX-License-Identifier: MIT
//
// The command table.
#include "commands.h"

#include "setup.h"

static const CliOption json_options[] = {CLI_JSON, CLI_END};
static const CliOption show_options[] = {
    {"where", 0, CLI_FLAG, NULL, "also both sides of its holds", 0, 0, NULL}, CLI_JSON, CLI_END};
static const CliOption conflicts_options[] = {
    {"races", 0, CLI_FLAG, NULL, "only what nothing orders", 0, 0, NULL}, CLI_JSON, CLI_END};

static const CliOption run_options[] = {
    {"schedule", 0, CLI_NUMBER, "N", "perturb the run by this schedule; 0 does not (0)", 0, UINT64_MAX,
     NULL},
    {"quiet", 'q', CLI_FLAG, NULL, "do not show the command's output", 0, 0, NULL},
    {"json", 0, CLI_FLAG, NULL, "print the run as an object; the command's output goes to stderr", 0, 0,
     NULL},
    CLI_END,
};

static const CliOption compare_options[] = {
    {"file", 0, CLI_TEXT, "PATH", "compare this file, as both runs left it, instead of their events", 0, 0,
     NULL},
    {"all", 'a', CLI_FLAG, NULL, "also the frequent kinds of events, see `rewind events --help`", 0, 0,
     NULL},
    {"lines", 'n', CLI_NUMBER, "N", "how many events of each to show (8)", 1, 100000, NULL},
    {"where", 0, CLI_FLAG, NULL, "behind each event the line of the program that made it", 0, 0, NULL},
    CLI_JSON,
    CLI_END,
};

static const CliOption open_options[] = {
    {"compare", 0, CLI_TEXT, "RUN", "beside it another run to compare it with", 0, 0, NULL},
    CLI_END,
};

static const CliOption log_options[] = {
    {"steps", 0, CLI_FLAG, NULL, "before each line its step and process", 0, 0, NULL},
    {"console", 0, CLI_FLAG, NULL, "the guest kernel's log instead of the command's output", 0, 0, NULL},
    CLI_JSON,
    CLI_END,
};

static const CliOption events_options[] = {
    {"from", 0, CLI_NUMBER, "STEP", "the first step to show", 0, UINT64_MAX, NULL},
    {"to", 0, CLI_NUMBER, "STEP", "the last step to show", 0, UINT64_MAX, NULL},
    {"all", 'a', CLI_FLAG, NULL,
     "also the frequent kinds: opens for reading, writes to files, switches, the kernel's log", 0, 0, NULL},
    {"steps", 0, CLI_FLAG, NULL,
     "also the steps themselves: what kind, when, and what the schedule did there", 0, 0, NULL},
    {"kind", 'k', CLI_TEXTS, "KIND,...",
     "only these kinds: console, output, exec, fork, exit, signal, open, write, unlink, rename, mark, "
     "switch, start, end, product, name, reason",
     0, 0, NULL},
    {"pid", 0, CLI_NUMBER, "PID", "only events of this process", 0, UINT32_MAX, NULL},
    {"where", 0, CLI_FLAG, NULL, "the line of the program behind each event, up to 1000", 0, 0, NULL},
    CLI_JSON,
    CLI_END,
};

static const CliOption ps_options[] = {
    {"at", 0, CLI_NUMBER, "STEP", "the same as STEP", 0, UINT64_MAX, NULL},
    {"all", 'a', CLI_FLAG, NULL, "also those that have ended, with when and how", 0, 0, NULL},
    {"waits", 'w', CLI_FLAG, NULL, "what each thread waits for at STEP, or where the job ended", 0, 0,
     NULL},
    {"states", 0, CLI_FLAG, NULL, "what each thread does at STEP, which may be STEP+INSTRUCTIONS", 0, 0,
     NULL},
    CLI_JSON,
    CLI_END,
};

#define PID                                                                                                \
    {                                                                                                      \
        "pid", 0, CLI_NUMBER, "PID",                                                                       \
            "through the eyes of this process: its root, its directory, its /proc/self", 1, UINT32_MAX,    \
            NULL                                                                                           \
    }

static const CliOption cat_options[] = {PID, CLI_END};
static const CliOption files_options[] = {PID, CLI_JSON, CLI_END};

static const CliOption replay_options[] = {
    {"from", 0, CLI_NUMBER, "STEP", "only from the last keyframe before this step on", 1, UINT64_MAX, NULL},
    {"to", 0, CLI_NUMBER, "STEP", "only to this step", 1, UINT64_MAX, NULL},
    CLI_JSON,
    CLI_END,
};

static const CliOption bookmark_options[] = {
    {"remove", 0, CLI_FLAG, NULL, "remove the step's bookmark", 0, 0, NULL},
    CLI_JSON,
    CLI_END,
};

static const CliGroup json_group = {"Options", json_options};
static const CliGroup show_group = {"Options", show_options};
static const CliGroup conflicts_group = {"Options", conflicts_options};
static const CliGroup run_group = {"Options", run_options};
static const CliGroup open_group = {"Options", open_options};
static const CliGroup compare_group = {"Options", compare_options};
static const CliGroup log_group = {"Options", log_options};
static const CliGroup events_group = {"Options", events_options};
static const CliGroup ps_group = {"Options", ps_options};
static const CliGroup bookmark_group = {"Options", bookmark_options};
static const CliGroup cat_group = {"Options", cat_options};
static const CliGroup files_group = {"Options", files_options};
static const CliGroup replay_group = {"Options", replay_options};

static const CliCommand commands[] = {
    {
        .name = "run",
        .args = "--root PATH -- COMMAND [ARG...]",
        .summary = "record a command in a root filesystem",
        .details =
            "Runs COMMAND in a virtual machine whose every run is a function of its inputs, and keeps the "
            "run.\n"
            "Exits as the command does: its own status, 128 and the signal that killed it; 124 when the "
            "run "
            "took longer than --timeout; 1 when the machine did not get as far; 130 when interrupted.",
        .groups = {&run_group, &setup_job_options, &setup_machine_options, &setup_schedule_options},
        .takes_job = true,
        .run = command_run,
    },
    {
        .name = "check",
        .args = "--root PATH -- COMMAND [ARG...]",
        .summary = "run a command under many thread schedules",
        .details =
            "Runs COMMAND as it is (schedule 0), learns what its tasks meet on, and runs it under other "
            "schedules, several machines at a time, until one of a batch of 16 ends differently: by exit "
            "status, signal, declared outputs, or not at all. Then it finds what decides: who had to wait "
            "where for whom. It keeps two runs that are the same until that step. Where schedule 0 fails, "
            "one that passes is looked for; where all fail, the commonest ending and the most alarming "
            "other one are told apart: a signal, a stall or a time-out comes before a status.\n"
            "A schedule that takes ten times the instructions of schedule 0, and at least 50 billion "
            "(about "
            "a minute), is given up, unless --timeout says otherwise.\n"
            "With --run the schedules are forks of a recorded run.\n"
            "Exits with 0 when all pass, 1 when one ends differently, 3 when all fail alike, 130 when "
            "interrupted. With --fails: 0 when none fails, 1 when one does.",
        .groups = {&cli_check_group, &setup_job_options, &setup_machine_options, &setup_schedule_options},
        .takes_job = true,
        .job_unless = "run",
        .run = command_check,
    },
    {
        .name = "replay",
        .args = "RUN",
        .summary = "execute a run again and compare every event and step",
        .details =
            "Executes the run again from its inputs and compares all it does with what was recorded. With "
            "--from, starts at the last keyframe from which that step can be reached.\n"
            "Exits with 0 when it is identical, 1 when it is not.",
        .groups = {&replay_group},
        .min_args = 1,
        .max_args = 1,
        .run = command_replay,
    },
    {
        .name = "fork",
        .args = "RUN STEP",
        .summary = "the same run up to a step, and something else from there",
        .details = "Goes on from STEP of a recorded run under another schedule or with other random "
                   "numbers. The run "
                   "stays as it is; the fork shares what was recorded until then.\n"
                   "Exits as the command does, see `rewind run --help`.",
        .groups = {&cli_fork_group},
        .min_args = 2,
        .max_args = 2,
        .run = command_fork,
    },
    {
        .name = "compare",
        .alias = "diff",
        .args = "RUN RUN",
        .summary = "show where two runs part",
        .details =
            "Prints the last events that both have and the first ones that only one has, and what only one "
            "schedule did before. Programs are matched by their arguments, threads by the order in which "
            "they appeared.\n"
            "Exits with 0 when no event differs, 1 when one does; with --file 3 when neither has the file.",
        .groups = {&compare_group},
        .min_args = 2,
        .max_args = 2,
        .run = command_compare,
    },
    {
        .name = "conflicts",
        .args = "RUN",
        .summary = "show what a run's tasks meet on, and data races",
        .details = "Executes RUN again, watched, and prints the data races of its tasks, then the memory, "
                   "files, pipes and processes that several of them touch and one changes: who, how often, "
                   "and where: the line of source, else function or file.",
        .groups = {&conflicts_group},
        .min_args = 1,
        .max_args = 1,
        .run = command_conflicts,
    },
    {
        .name = "ls",
        .args = "",
        .summary = "list the runs there are, the newest first",
        .details = "Lists the runs of the store: id, ending, steps, time, and name or command.",
        .groups = {&json_group},
        .run = command_ls,
    },
    {
        .name = "show",
        .args = "RUN",
        .summary = "show a run's inputs and the command that makes it again",
        .details = "Prints the command that makes the run again, its inputs, what failed first, and where "
                   "it parts from one that passed. --where executes it: who was held where until when.",
        .groups = {&show_group},
        .min_args = 1,
        .max_args = 1,
        .run = command_show,
    },
    {
        .name = "log",
        .args = "RUN [STEP]",
        .summary = "show a run's output",
        .details = "Prints what the command wrote to its stdout and stderr, up to STEP.",
        .groups = {&log_group},
        .min_args = 1,
        .max_args = 2,
        .run = command_log,
    },
    {
        .name = "events",
        .args = "RUN",
        .summary = "show what happened in a run",
        .details = "Prints an event a line: its step, process/thread, and what it was. One that happened "
                   "between two "
                   "steps is stamped with the step before it and the instructions since, as in 3237+41.",
        .groups = {&events_group},
        .min_args = 1,
        .max_args = 1,
        .run = command_events,
    },
    {
        .name = "ps",
        .args = "RUN [STEP]",
        .summary = "show a run's processes and threads",
        .details =
            "Prints the tree of processes that lived at STEP, with their threads. Without STEP: all "
            "that ever lived. With --waits the system call that each thread is in, what its descriptor is, "
            "and the kernel's function that it sleeps in: for runs that hang; STEP may have instructions "
            "after it then: 3237+41.",
        .groups = {&ps_group},
        .min_args = 1,
        .max_args = 2,
        .run = command_ps,
    },
    {
        .name = "threads",
        .args = "RUN",
        .summary = "show which thread had the CPU when, and why it lost it",
        .details = "Prints a line for each turn that a thread had on the CPU: where it began and ended "
                   "(the step, and the "
                   "instructions since, as in 3237+41), process/thread and its name, why it ended, and who "
                   "had woken the thread where. It is all in "
                   "the recording: nothing is executed.",
        .groups = {&cli_threads_group},
        .min_args = 1,
        .max_args = 1,
        .run = command_threads,
    },
    {
        .name = "open",
        .args = "RUN [STEP]",
        .summary = "open a run in the desktop app",
        .details = "Starts rewind-app with the run, at STEP if it is given.",
        .groups = {&open_group},
        .min_args = 1,
        .max_args = 2,
        .run = command_open,
    },
    {
        .name = "bookmark",
        .args = "RUN [STEP [NOTE]]",
        .summary = "keep a note at a step of a run, or list them",
        .details = "Sets the note of STEP, in place of the one that is there; without STEP lists those "
                   "there are. They "
                   "are kept with the run and go along when it is exported.",
        .groups = {&bookmark_group},
        .min_args = 1,
        .max_args = 3,
        .run = command_bookmark,
    },
    {
        .name = "cat",
        .args = "RUN STEP PATH",
        .summary = "print a file as it was at a step, also of /proc",
        .details =
            "Prints what PATH held at STEP, as a process of the run would have read it there. The run is "
            "executed to STEP in a machine that is thrown away afterwards, so nothing of the recording "
            "changes. STEP may have instructions after it: 3237+41. A step after the command's end shows "
            "what it left.\n"
            "Exits with 3 when PATH, or the process, was not there.",
        .groups = {&cat_group},
        .min_args = 3,
        .max_args = 3,
        .run = command_cat,
    },
    {
        .name = "shell",
        .args = "RUN STEP [-- COMMAND [ARG...]]",
        .summary = "a shell, or a command, among a run's processes at a step",
        .details =
            "Executes the run to STEP in a machine that is thrown away afterwards, and starts a shell "
            "there, as root, while all processes of the run stand still. STEP may have instructions after "
            "it: 3237+41. Nothing that is changed remains.\n"
            "On a terminal the shell has one of its own: keys, size and signals are the shell's. Else "
            "standard input, output and error are passed on as they are. Its clock goes on with the host's "
            "while it waits, and at once when its input has ended.\n"
            "ps lists the run's processes only; one of them runs while it is traced (gdb -p, strace -p). "
            "Where the root has no shell it is busybox's. With --with a program of that root is found "
            "first, and uses its own libraries; the root is at /rewind/with.\n"
            "Exits with the command's status, or with 128 and the signal that killed it; with 3 when the "
            "process was not there.",
        .groups = {&cli_shell_group, &cli_status_group},
        .min_args = 2,
        .max_args = 2,
        .takes_job = true,
        .job_optional = true,
        .run = command_shell,
    },
    {
        .name = "files",
        .args = "RUN STEP [DIR]",
        .summary = "list a directory as it was at a step",
        .details = "Lists what DIR held at STEP, sorted by name; times are UTC. STEP may have instructions "
                   "after it: "
                   "3237+41. Without DIR: the root, or with --pid where the process was.\n"
                   "Exits with 3 when DIR, or the process, was not there.",
        .groups = {&files_group},
        .min_args = 2,
        .max_args = 3,
        .run = command_files,
    },
    {
        .name = "where",
        .args = "RUN STEP [PID ADDRESS...]",
        .summary = "say which function and line an address, or each thread, is at a step",
        .details = "Prints for each ADDRESS of process PID at STEP the function or variable, and the line "
                   "of source with its text, from the program's files and their debug information in the "
                   "run; what is not known is left out. STEP may have instructions after it: 3237+41.\n"
                   "Without PID and ADDRESS: the functions that the thread that has the CPU is in, with "
                   "--all each thread, what it does, and their arguments and variables. Of the innermost "
                   "function whose source is in the run the lines around, too; of a script of Python "
                   "3.11 or bash its own functions and lines. Functions of the C library are named only, "
                   "unless --full is given.\n"
                   "Exits with 3 when the process was not there.",
        .groups = {&cli_where_group},
        .min_args = 2,
        .max_args = 100000,
        .run = command_where,
    },
    {
        .name = "blame",
        .args = "RUN RUN PATH | RUN STEP WHAT",
        .summary = "say who wrote a byte of a file, or of memory, last, and what it had read",
        .details =
            "Of two runs of one job: who wrote, in each, the first byte that differs of the file PATH as "
            "the "
            "job left it. Of RUN at STEP (3237+41 is 41 instructions after it): who wrote WHAT last "
            "before: "
            "PATH[:OFFSET], a byte of a file; with --pid 0xADDRESS, 8 bytes of that process's memory, or "
            "VARIABLE, a global one or one of the functions that the thread is in.\n"
            "Prints where that was, the thread and its system call, the functions that it was in with "
            "their "
            "lines, and what it had open to read. With --depth it goes on with where the byte came from.\n"
            "Exits with 3 when there is no such file, process or variable.",
        .groups = {&cli_blame_group},
        .min_args = 3,
        .max_args = 3,
        .run = command_blame,
    },
    {
        .name = "gdb",
        .args = "RUN STEP [-- GDB-ARG...]",
        .summary = "debug a process of a run with gdb, forwards and backwards",
        .details =
            "Starts gdb on a process of the run as it is at STEP, which may have instructions after it: "
            "3237+41. All that looks works, and all that goes on, also backwards: reverse-step, "
            "reverse-next, reverse-continue, reverse-finish, with breakpoints and watchpoints. Programs, "
            "libraries and sources are read from the run. Memory and registers can be changed and "
            "functions called: what follows is executed and is no part of the run; `back` in gdb leads to "
            "where it was left. `monitor help` says what else there is. With --kernel it is the guest's "
            "kernel that is debugged. The recording stays as it is.\nREWIND_GDB names another gdb. Exits "
            "with gdb's status.",
        .groups = {&cli_gdb_group, &cli_status_group},
        .min_args = 2,
        .max_args = 100000,
        .run = command_gdb,
    },
    {
        .name = "export",
        .args = "RUN",
        .summary = "write a run to one file",
        .details =
            "Writes a run's trace, its inputs and its bookmarks to a file that `rewind import` takes in. "
            "With --replayable also all that executing it needs, for every command that looks inside.",
        .groups = {&cli_export_group},
        .min_args = 1,
        .max_args = 1,
        .run = command_export,
    },
    {
        .name = "import",
        .args = "FILE|URL",
        .summary = "take in a run that somebody exported",
        .details = "Takes in a run from a file or an https URL, after checking all of it. A download that "
                   "was interrupted "
                   "goes on where it was. A run that is there already must be the same.",
        .groups = {&json_group},
        .min_args = 1,
        .max_args = 1,
        .run = command_import,
    },
    {
        .name = "remove",
        .args = "RUN...",
        .summary = "remove runs from the store",
        .details = "Removes runs, each with the forks of it and the forks of those. When one of them is "
                   "recorded or read by "
                   "another process none is removed.",
        .groups = {&cli_remove_group},
        .min_args = 1,
        .max_args = 100000,
        .run = command_remove,
    },
    {
        .name = "prune",
        .args = "RUN --identical",
        .summary = "remove forks of a run that brought nothing new",
        .details = "Removes of RUN's forks, and forks of those, the ones that did exactly what an older "
                   "one or RUN itself "
                   "did: the same events and steps at the same instructions.",
        .groups = {&cli_prune_group},
        .min_args = 1,
        .max_args = 1,
        .run = command_prune,
    },
    {
        .name = "gc",
        .args = "",
        .summary = "remove what no run needs any more",
        .details = "Removes images, guests and pages of memory that no run has, interrupted recordings and "
                   "downloads, and "
                   "what killed processes left. Refuses while a run is recorded or imported.",
        .groups = {&cli_remove_group},
        .run = command_gc,
    },
    {
        .name = "doctor",
        .args = "",
        .summary = "say what this machine can do",
        .details = "Checks what recording needs and says how to mend what is missing.\n"
                   "Exits with 1 only when nothing can be recorded.",
        .groups = {&json_group},
        .run = command_doctor,
    },
    {
        .name = "completions",
        .args = "bash|zsh|fish",
        .summary = "print completions for a shell",
        .details = "Prints a script for the shell to read: source <(rewind completions bash)",
        .min_args = 1,
        .max_args = 1,
        .run = command_completions,
    },
    {
        .name = "man",
        .args = "[COMMAND]",
        .summary = "print a manual page",
        .details = "Prints the manual page of rewind or of one of its commands, for man to read: "
                   "rewind man run | man -l -",
        .max_args = 1,
        .run = command_man,
    },
    {.name = NULL},
};

const CliCommand *cli_commands(void)
{
    return commands;
}

int command_completions(Cli *cli)
{
    return cli_completions(cli);
}

int command_man(Cli *cli)
{
    return cli_man(cli);
}
