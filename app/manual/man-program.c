// SPDX-License-Identifier: MIT
//
// The page rewind(1).
#include "man.h"

#include <stdio.h>

typedef struct {
    const char *term, *text;
} Item;

static const Item words[] = {
    {"RUN", "A run: its id or the start of one; a name, which means the newest run of that name; `@`, the "
            "newest run, `@2`, the one before, and so on; or a run's directory."},
    {"STEP",
     "A number from 0 to the run's last step. What is shown of a step includes what happened at it. "
     "`3237+41` is 41 instructions after step 3237."},
};

static const Item statuses[] = {
    {"0", "Done; `check`: all pass, and alike; `replay`: identical; `compare`: nothing differs."},
    {"1",
     "An error, one line on the standard error output; `check`: a schedule ended differently; `replay`: "
     "not identical; `compare`: something differs."},
    {"2", "The command line makes no sense."},
    {"3", "`cat`, `files`: the path, or the process, was not there at that step; `check`: the command "
          "fails alike under every schedule."},
    {"124", "`run`: the run took longer than --timeout."},
    {"130", "Interrupted by SIGINT, SIGTERM or SIGHUP."},
    {"other",
     "`run`, `fork`: the command's own status; 128 and the signal's number when a signal killed it."},
};

static const Item variables[] = {
    {"REWIND_HOME", "Where runs are kept. By default $XDG_DATA_HOME/rewind, and that is "
                    "~/.local/share/rewind where XDG_DATA_HOME is not set."},
    {"REWIND_GUEST_DIR", "The directory of the guest to boot: vmlinux, initrd.cpio, cmdline. By default "
                         "the one that was built or "
                         "installed with the program."},
    {"REWIND_DEBUG_FILE_DIRECTORY",
     "Folders of this host with debug information by build id, with colons between them, for what a run's "
     "files lack: gdb's debug-file-directory. By default /usr/lib/debug; none where it is empty."},
    {"DEBUGINFOD_URLS", "Servers that are asked for debug information that is in no such folder either, as "
                        "debuginfod(8) has them. Not set: none."},
    {"REWIND_GDB", "The gdb that `rewind gdb` starts."},
};

static const Item files[] = {
    {"$REWIND_HOME/runs/ID/", "A run: manifest.json, trace, keyframes, bookmarks.json."},
    {"$REWIND_HOME/images/", "Root filesystems as erofs images, named by their hash."},
    {"$REWIND_HOME/store/", "Pages of memory that keyframes refer to."},
    {"$REWIND_HOME/cache/", "What can be made again."},
    {REWIND_GUEST_INSTALLED "/", "The guest: its kernel and init."},
};

static const Item examples[] = {
    {"rewind run --root app.tar --cwd /src -- make check", "Records `make check` in the root of app.tar."},
    {"rewind check --root app.tar --cwd /src -- make check",
     "The same job under 64 thread schedules, until one ends differently."},
    {"rewind log @ --steps", "The newest run's output, each line with its step."},
    {"rewind replay @", "Executes that run again and compares every event."},
};

static void print_items(const char *title, const Item *items, size_t count)
{
    man_print_section(title);
    for (size_t i = 0; i < count; i++)
        man_print_item(items[i].term, items[i].text);
}

static void print_commands(void)
{
    man_print_section("COMMANDS");
    for (const CliCommand *command = cli_commands(); command->name; command++) {
        printf(".TP\n\\fBrewind\\-%s\\fR(1)\n", command->name);
        man_print_text(command->summary);
        printf("\n");
    }
}

static void print_see_also(void)
{
    man_print_section("SEE ALSO");
    for (const CliCommand *command = cli_commands(); command->name; command++)
        printf("%s\\fBrewind\\-%s\\fR(1)", command == cli_commands() ? "" : ",\n", command->name);
    printf("\n");
}

void man_print_program(void)
{
    man_print_head("rewind", "make a flaky build or test happen again");
    man_print_section("SYNOPSIS");
    printf("\\fBrewind\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.br\n"
           "\\fBrewind\\fR \\-\\-help | \\-\\-version\n");
    man_print_section("DESCRIPTION");
    man_print_text("Runs commands in a deterministic virtual machine with a software CPU, whose every "
                   "run is a function "
                   "of its inputs: the same inputs give the same run, which can be replayed and "
                   "looked into, and tried "
                   "under other thread schedules to find failures that seldom happen.\n");
    print_commands();
    print_items("RUNS AND STEPS", words, G_N_ELEMENTS(words));
    print_items("EXIT STATUS", statuses, G_N_ELEMENTS(statuses));
    print_items("ENVIRONMENT", variables, G_N_ELEMENTS(variables));
    print_items("FILES", files, G_N_ELEMENTS(files));
    print_items("EXAMPLES", examples, G_N_ELEMENTS(examples));
    print_see_also();
}

int cli_man(Cli *cli)
{
    const char *name = cli_arg(cli, 0);
    const CliCommand *command = name ? cli_find_command(name) : NULL;
    if (name && !command)
        return cli_usage(cli, "%s: no such command", name);
    if (command)
        man_print_command(command);
    else
        man_print_program();
    return CLI_OK;
}
