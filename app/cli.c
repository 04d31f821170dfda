// SPDX-License-Identifier: MIT
#include "cli.h"

#include "rw-json.h"
#include "terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int cli_usage(const Cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    const char *name = cli && cli->command ? cli->command->name : "";
    fprintf(stderr, "rewind: %s%s%s: see `rewind %s%s--help`\n", name, *name ? ": " : "", text, name,
            *name ? " " : "");
    return CLI_USAGE;
}

int cli_fail(const GError *error)
{
    bool interrupted = g_error_matches(error, RW_ERROR, RW_ERROR_CANCELLED);
    fprintf(stderr, "rewind: %s\n", interrupted ? "interrupted" : error->message);
    if (g_error_matches(error, RW_ERROR, RW_ERROR_USAGE))
        return CLI_USAGE;
    if (g_error_matches(error, RW_ERROR, RW_ERROR_NO_COMMAND))
        return CLI_NO_COMMAND;
    if (g_error_matches(error, RW_ERROR, RW_ERROR_NOT_EXECUTABLE))
        return CLI_NOT_EXECUTABLE;
    return interrupted ? CLI_INTERRUPTED : CLI_FAILED;
}

void cli_clear(Cli *cli)
{
    g_clear_pointer(&cli->values, g_hash_table_unref);
    g_clear_pointer(&cli->args, g_ptr_array_unref);
    g_clear_pointer(&cli->job, g_strfreev);
    g_clear_pointer(&cli->store, rw_store_free);
    g_clear_object(&cli->cancellable);
}

RwStore *cli_store(Cli *cli, GError **error)
{
    if (!cli->store)
        cli->store = rw_store_open(NULL, error);
    return cli->store;
}

void cli_set_bytes(JsonObject *object, const char *member, const char *bytes)
{
    json_object_set_member(object, member, rw_json_bytes(bytes, strlen(bytes)));
}

void cli_print_json(JsonObject *object)
{
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    json_node_take_object(root, object);
    g_autofree char *text = json_to_string(root, false);
    printf("%s\n", text);
}

// ---- Interruption ----

typedef struct _CliInterrupts {
    sigset_t signals;
    GCancellable *cancellable;
    int left; // atomic: SIGINT is somebody else's
} Interrupts;

static int wait_for_signal(const Interrupts *interrupts)
{
    int signo;
    do
        sigwait(&interrupts->signals, &signo);
    while (signo == SIGINT && g_atomic_int_get(&interrupts->left));
    return signo;
}

// The first signal asks to stop, a second one does not wait for it; but a terminal that is closed tells
// more than once.
static gpointer wait_for_signals(gpointer data)
{
    Interrupts *interrupts = data;
    int signo = wait_for_signal(interrupts);
    g_cancellable_cancel(interrupts->cancellable);
    do
        signo = wait_for_signal(interrupts);
    while (signo == SIGHUP);
    terminal_restore();
    _exit(128 + signo);
}

// One that whoever started this has it ignore, as nohup does, stays so.
static void add_unless_ignored(sigset_t *signals, int signo)
{
    struct sigaction action;
    if (sigaction(signo, NULL, &action) != 0 || action.sa_handler != SIG_IGN)
        sigaddset(signals, signo);
}

void cli_catch_interrupts(Cli *cli)
{
    Interrupts *interrupts = g_new0(Interrupts, 1); // the thread's, to the end of the process
    cli->cancellable = g_cancellable_new();
    interrupts->cancellable = g_object_ref(cli->cancellable);
    cli->interrupts = interrupts;
    sigemptyset(&interrupts->signals);
    add_unless_ignored(&interrupts->signals, SIGINT);
    add_unless_ignored(&interrupts->signals, SIGTERM);
    add_unless_ignored(&interrupts->signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &interrupts->signals, NULL);
    signal(SIGPIPE, SIG_IGN); // a reader that goes away does not end a recording
    GThread *thread = g_thread_try_new("signals", wait_for_signals, interrupts, NULL);
    if (thread) {
        g_thread_unref(thread);
        return;
    }
    // Where the host has no more threads a signal ends the program at once.
    pthread_sigmask(SIG_UNBLOCK, &interrupts->signals, NULL);
    g_object_unref(interrupts->cancellable);
    g_clear_pointer(&cli->interrupts, g_free);
}

void cli_leave_interrupts(Cli *cli)
{
    if (cli->interrupts)
        g_atomic_int_set(&cli->interrupts->left, 1);
    else
        signal(SIGINT, SIG_IGN);
}

// ---- Runs ----

bool cli_open_run(Cli *cli, bool with_trace, CliRun *ret, GError **error)
{
    return cli_open_run_named(cli, cli_arg(cli, 0), with_trace, ret, error);
}

bool cli_open_run_named(Cli *cli, const char *name, bool with_trace, CliRun *ret, GError **error)
{
    *ret = (CliRun){.hold = -1};
    RwStore *store = cli_store(cli, error);
    if (!store || !(ret->entry = rw_store_resolve(store, name, error)))
        return false;
    ret->manifest = rw_manifest_load(ret->entry, error);
    if (!ret->manifest)
        return false;
    g_autoptr(GError) local = NULL;
    ret->hold = rw_run_hold(ret->entry->path, &local);
    if (local && ret->entry->state != RW_RUN_RECORDING) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    g_autofree char *trace = g_build_filename(ret->entry->path, "trace", NULL);
    ret->trace = with_trace ? rw_trace_open(trace, error) : NULL;
    return !with_trace || ret->trace;
}

void cli_close_run(CliRun *run)
{
    g_clear_pointer(&run->trace, rw_trace_free);
    g_clear_pointer(&run->manifest, rw_manifest_free);
    g_clear_pointer(&run->entry, rw_run_entry_free);
    if (run->hold >= 0)
        close(run->hold);
    run->hold = -1;
}

bool cli_parse_step(const char *text, uint64_t *ret_step, GError **error)
{
    guint64 step;
    if (g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, &step, NULL)) {
        *ret_step = step;
        return true;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: not a step: a step is a number", text);
    return false;
}

bool cli_check_step(const CliRun *run, uint64_t step, GError **error)
{
    uint64_t steps = rw_trace_get_steps(run->trace);
    if (step <= steps)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "step %" G_GUINT64_FORMAT ": past the end: run %s has %" G_GUINT64_FORMAT " steps", step,
                run->entry->ref, steps);
    return false;
}

// ---- The program ----

// Of a closed descriptor's number nothing else may become: an opened file would get what is printed. It
// stays one that can't be written to.
static void hold_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

// Whatever was printed before and could not be written counts, too.
static int end_output(int status)
{
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (!lost || status != CLI_OK)
        return status;
    fprintf(stderr, "rewind: cannot write the output\n");
    return CLI_FAILED;
}

static int run_command(const CliCommand *command, int argc, char **argv)
{
    Cli cli = {.command = command};
    cli.values = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
    cli.args = g_ptr_array_new_with_free_func(g_free);
    int status = cli_parse(&cli, argc, argv);
    if (status < 0)
        status = command->run(&cli);
    cli_clear(&cli);
    return status;
}

static int run_program(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        cli_help_program();
        return CLI_USAGE;
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        printf("rewind %s\n", REWIND_VERSION);
        return CLI_OK;
    }
    bool help = !strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help");
    if (help && argc < 3) {
        cli_help_program();
        return CLI_OK;
    }
    const CliCommand *command = cli_find_command(help ? argv[2] : name);
    if (!command)
        return cli_usage(NULL, "%s: no such command", help ? argv[2] : name);
    if (!help)
        return run_command(command, argc - 2, argv + 2);
    cli_help_command(command);
    return CLI_OK;
}

int cli_main(int argc, char **argv)
{
    hold_standard_files();
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of that file
    return end_output(run_program(argc, argv));
}
