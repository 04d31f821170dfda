// SPDX-License-Identifier: MIT
#include "setup.h"

// The vocabulary of later accelerators, clocks and CPUs is known already, so that a command line for one of
// them gets an answer that says why not.
static const char *const accels[] = {"auto", "soft", "kvm", NULL};
static const char *const clocks[] = {"auto", "instructions", "exits", "branches", NULL};
static const char *const cpus[] = {"v2", "v3", "host", NULL};

#define END                                                                                                \
    {                                                                                                      \
        NULL, 0, CLI_FLAG, NULL, NULL, 0, 0, NULL                                                          \
    }

static const CliOption job_options[] = {
    {"root", 0, CLI_TEXT, "PATH",
     "root filesystem: a directory, a tarball as docker export writes it, an image as docker save or an "
     "OCI "
     "layout has it, or an erofs image",
     0, 0, NULL},
    {"env", 'e', CLI_TEXTS, "KEY=VALUE",
     "a variable of the command's environment; it gets nothing from the host's", 0, 0, NULL},
    {"cwd", 0, CLI_TEXT, "DIR", "where the command starts (the image's own, else /)", 0, 0, NULL},
    {"user", 0, CLI_TEXT, "UID[:GID]", "who the command runs as (the image's own, else 0:0)", 0, 0, NULL},
    {"output", 0, CLI_TEXTS, "PATH",
     "a file or folder that the command makes: its hash is kept and belongs to how the run ended", 0, 0,
     NULL},
    {"stdin", 'i', CLI_FLAG, NULL,
     "give the command standard input, which is read to its end before the command starts and kept with "
     "the "
     "run; without -i nothing is read and the command's standard input is empty",
     0, 0, NULL},
    {"tty", 't', CLI_FLAG, NULL, "give the command a terminal of 24 rows and 80 columns", 0, 0, NULL},
    END,
};

static const CliOption machine_options[] = {
    {"seed", 0, CLI_NUMBER, "N", "of the guest's random numbers (0)", 0, UINT64_MAX, NULL},
    {"epoch", 0, CLI_NUMBER, "SECS",
     "wall clock as the command starts, in seconds since 1970 (the first midnight UTC after the root's "
     "newest file)",
     0, RW_EPOCH_MAX, NULL},
    {"mem", 0, CLI_NUMBER, "MiB", "memory (1024), as much as the host has", RW_MEMORY_MIN >> 20,
     RW_MEMORY_MAX >> 20, NULL},
    {"swap", 0, CLI_NUMBER, "MiB",
     "room beyond memory, for processes and for the files that the command writes (4096)", 0,
     RW_SWAP_MAX >> 20, NULL},
    {"max-output", 0, CLI_NUMBER, "MiB",
     "end the run as output-limit when it printed, or else gave to be recorded, more than this (2048)", 1,
     RW_MAX_OUTPUT_MAX >> 20, NULL},
    {"cores", 0, CLI_NUMBER, "N", "how many CPUs programs are told of; there is one (1)", 1, 64, NULL},
    {"accel", 0, CLI_CHOICE, NULL, "what executes the machine; auto is soft", 0, 0, accels},
    {"clock", 0, CLI_CHOICE, NULL, "what moves virtual time: retired instructions (auto), or 5 us a step",
     0, 0, clocks},
    {"cpu", 0, CLI_CHOICE, NULL, "the CPU that programs see, an x86-64 level (v2)", 0, 0, cpus},
    {"kernel-args", 0, CLI_TEXT, "STR", "appended to the guest kernel's command line", 0, 0, NULL},
    {"no-keyframes", 0, CLI_FLAG, NULL, "record no keyframes: looking at a step executes from the start", 0,
     0, NULL},
    {"timeout", 0, CLI_NUMBER, "SECS", "end a run that takes longer than this on the host's clock", 1,
     1000000000, NULL},
    {"name", 0, CLI_TEXT, "TEXT", "a name to find the run by", 0, 0, NULL},
    END,
};

static const CliOption schedule_options[] = {
    {"strategy", 0, CLI_TEXT, "NAME",
     "what a schedule does: everything, at random (mixed); only preemptions, or only stalls, often; "
     "everything, "
     "seldom (sparse). Of `check` which schedules it tries, one or more of flip, wait, late, order, "
     "demote, "
     "both, signal, faults, mixed, preempt, stall, sparse, joined by commas (all)",
     0, 0, NULL},
    {"schedule-from", 0, CLI_NUMBER, "S", "perturb no step before this one", 0, UINT64_MAX, NULL},
    {"schedule-until", 0, CLI_NUMBER, "S", "perturb no step from this one on", 0, UINT64_MAX, NULL},
    {"schedule-last", 0, CLI_TEXT, "KINDS",
     "of what strikes at the last step of all only this: reschedule, stall, late, preempt, "
     "preempt=INSTRUCTIONS; joined by +",
     0, 0, NULL},
    {"window", 0, CLI_TEXTS, "N@FROM..UNTIL",
     "perturb these steps by schedule N; may be given again for later steps", 0, 0, NULL},
    {"hold", 0, CLI_TEXTS, "PLACE until WHAT",
     "keep a task from going on at a place, as in \"1.2:call write#3 until 1.3:return read\"; until "
     "another's "
     "place, idle, or a time such as 80ms; may be given again",
     0, 0, NULL},
    {"fault", 0, CLI_TEXTS, "PLACE ANSWER",
     "answer a system call as seldom happens, as in \"1.2:call read#3 short 1\"; short BYTES, wake, error "
     "ERRNO or reversed; may be given again",
     0, 0, NULL},
    {"reseed", 0, CLI_TEXTS, "N@STEP", "the guest's random numbers follow seed N from this step on", 0, 0,
     NULL},
    END,
};

const CliGroup setup_job_options = {"Command", job_options};
const CliGroup setup_machine_options = {"Machine", machine_options};
const CliGroup setup_schedule_options = {"Window", schedule_options};

// ---- Choices that this build has not ----

static bool refuse(GError **error, const char *what, const char *why)
{
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "%s: %s", what, why);
    return false;
}

bool setup_check_choices(Cli *cli, GError **error)
{
    const char *accel = cli_text(cli, "accel"), *clock = cli_text(cli, "clock"),
               *cpu = cli_text(cli, "cpu");
    if (!g_strcmp0(accel, "kvm"))
        return refuse(error, "--accel kvm", "this build has no KVM accelerator: use --accel soft");
    if (!g_strcmp0(clock, "branches"))
        return refuse(error, "--clock branches",
                      "only the KVM accelerator has that clock: use instructions or exits");
    if (!g_strcmp0(cpu, "v3") || !g_strcmp0(cpu, "host"))
        return refuse(error, "--cpu", "the software CPU is an x86-64-v2: use --cpu v2");
    return true;
}
