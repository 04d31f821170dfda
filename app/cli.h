// SPDX-License-Identifier: MIT
//
// The command table and what a command gets of its command line. Help, parsing and completions are made
// from the table alone.
#pragma once

#include "rw-json.h"
#include "rw-record.h"

G_BEGIN_DECLS

typedef enum {
    CLI_FLAG,
    CLI_TEXT,
    CLI_TEXTS, // may be given more than once
    CLI_NUMBER, // from min to max
    CLI_CHOICE, // one of `choices`
} CliOptionKind;

typedef struct {
    const char *name; // without the dashes
    char letter; // or 0
    CliOptionKind kind;
    const char *arg; // what its value is called in the help
    const char *help;
    uint64_t min, max; // CLI_NUMBER
    const char *const *choices; // CLI_CHOICE, NULL-ended
} CliOption;

typedef struct {
    const char *title; // over the group in the help
    const CliOption *options; // up to one without a name
} CliGroup;

typedef struct _Cli Cli;

typedef struct {
    const char *name;
    const char *alias; // another name, or NULL
    const char *args; // "RUN [STEP]"; "-- COMMAND [ARG...]" for those that take a job
    const char *summary; // a few words
    const char *details; // paragraphs, and what the exit status says
    const CliGroup *groups[5]; // up to a NULL
    unsigned min_args, max_args;
    bool takes_job;
    bool job_optional;
    const char *job_unless; // an option that stands instead of a job, or NULL
    int (*run)(Cli *cli); // returns the exit status
} CliCommand;

const CliCommand *cli_commands(void); // up to one without a name

struct _Cli {
    const CliCommand *command;
    GHashTable *values; // option's name → GPtrArray of char*
    GPtrArray *args; // positional, of char*
    char **job; // what follows "--", NULL-ended, for commands that take a job
    RwStore *store; // once cli_store() was called
    GCancellable *cancellable; // cancelled by SIGINT, SIGTERM and SIGHUP after cli_catch_interrupts()
    struct _CliInterrupts *interrupts; // then; never freed
};

enum {
    CLI_OK = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_ABSENT = 3,
    CLI_ALIKE = 3, // check: the job fails alike everywhere
    CLI_NOT_EXECUTABLE = 126, // of a job's command, as shells have them
    CLI_NO_COMMAND = 127,
    CLI_INTERRUPTED = 130,
};

// ---- Options that were given ----

bool cli_flag(const Cli *cli, const char *name);
const char *cli_text(const Cli *cli, const char *name); // the last one, or NULL
GPtrArray *cli_texts(const Cli *cli, const char *name); // or NULL
// The number, or `otherwise`. It was checked already.
uint64_t cli_number(const Cli *cli, const char *name, uint64_t otherwise);
const char *cli_arg(const Cli *cli, unsigned index); // or NULL

// ---- Parsing and help ----

// An exit status, or -1: cli is filled and its command is to be run.
int cli_parse(Cli *cli, int argc, char **argv);
void cli_clear(Cli *cli);
// The whole program: what main() returns.
int cli_main(int argc, char **argv);
void cli_help_program(void);
void cli_help_command(const CliCommand *command);
const CliCommand *cli_find_command(const char *name);
int cli_completions(Cli *cli);
int cli_man(Cli *cli);

// ---- Errors: one line on stderr ----

int cli_usage(const Cli *cli, const char *format, ...) G_GNUC_PRINTF(2, 3); // returns CLI_USAGE
// "rewind: <message>"; returns the status that the error stands for.
int cli_fail(const GError *error);

// ---- What commands share ----

RwStore *cli_store(Cli *cli, GError **error); // borrowed from cli
void cli_catch_interrupts(Cli *cli);
// SIGINT is for somebody else on the same terminal from now on.
void cli_leave_interrupts(Cli *cli);
// Bytes of the guest as a member, see rw_json_bytes().
void cli_set_bytes(JsonObject *object, const char *member, const char *bytes);
// A line of JSON on stdout; takes the object over.
void cli_print_json(JsonObject *object);

// The run that the first argument names, readable, and held against removal while `hold` is open.
typedef struct {
    RwRunEntry *entry;
    RwManifest *manifest;
    RwTrace *trace; // NULL unless asked for
    int hold;
} CliRun;

bool cli_open_run(Cli *cli, bool with_trace, CliRun *ret, GError **error);
bool cli_open_run_named(Cli *cli, const char *name, bool with_trace, CliRun *ret, GError **error);
void cli_close_run(CliRun *run);
// A step as an argument: a number from 0; false with a usage error.
bool cli_parse_step(const char *text, uint64_t *ret_step, GError **error);
// false when the run has no such step.
bool cli_check_step(const CliRun *run, uint64_t step, GError **error);

G_END_DECLS
