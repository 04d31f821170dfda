// SPDX-License-Identifier: MIT
#include "commands.h"

#include "inspect.h"

#include "rw-event.h"
#include "rw-json.h"
#include "rw-procs.h"
#include "tasks.h"
#include "waits.h"

#include <stdio.h>
#include <sys/wait.h>

typedef struct {
    bool json;
    bool ended_too;
} View;

static char *dup_words(const RwProc *proc)
{
    if (proc->tid != proc->pid)
        return g_strdup("(thread)");
    g_autofree char *words = proc->argv ? g_strjoinv(" ", proc->argv) : g_strdup("?");
    g_autofree char *valid = g_utf8_make_valid(words, -1);
    return g_strdelimit(g_steal_pointer(&valid), "\n\r\t\033", ' ');
}

static char *dup_ending(const RwProc *proc)
{
    if (!WIFSIGNALED(proc->status))
        return g_strdup_printf("exited:%d", WEXITSTATUS(proc->status));
    g_autofree char *name = rw_signal_dup_name(WTERMSIG(proc->status));
    return g_strconcat("killed:", name, NULL);
}

static void print_object(const RwProc *proc, guint depth)
{
    JsonObject *object = json_object_new();
    g_autofree char *ending = proc->end ? dup_ending(proc) : NULL;
    json_object_set_int_member(object, "pid", proc->pid);
    json_object_set_int_member(object, "tid", proc->tid);
    json_object_set_int_member(object, "parent", proc->parent);
    json_object_set_int_member(object, "depth", depth);
    json_object_set_int_member(object, "start", (gint64)proc->start);
    if (ending) {
        json_object_set_int_member(object, "end", (gint64)proc->end);
        json_object_set_string_member(object, "ending", ending);
    }
    JsonArray *argv = json_array_new();
    for (char **arg = proc->argv; arg && *arg; arg++)
        json_array_add_element(argv, rw_json_bytes(*arg, strlen(*arg)));
    json_object_set_array_member(object, "argv", argv);
    cli_print_json(object);
}

static bool print_proc(const RwProc *proc, guint depth, void *data)
{
    const View *view = data;
    if (view->json) {
        print_object(proc, depth);
        return true;
    }
    g_autofree char *words = dup_words(proc);
    printf("%6u %*s%s", proc->tid, (int)depth * 2, "", words);
    if (view->ended_too && proc->end) {
        g_autofree char *ending = dup_ending(proc);
        printf("  [%" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT " %s]", proc->start, proc->end, ending);
    } else if (view->ended_too) {
        printf("  [%" G_GUINT64_FORMAT "..]", proc->start);
    }
    printf("\n");
    return true;
}

// Instructions after a step mean something where a machine is looked at.
static bool parse(Cli *cli, const char *text, RwPosition *ret, GError **error)
{
    return cli_flag(cli, "waits") ? rw_position_parse(text, ret, error)
                                  : cli_parse_step(text, &ret->step, error);
}

static bool get_position(Cli *cli, const CliRun *run, RwPosition *ret, GError **error)
{
    const char *step = cli_arg(cli, 1);
    if (step && cli_flag(cli, "at")) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "STEP and --at: say one of the two");
        return false;
    }
    *ret = (RwPosition){cli_number(cli, "at", UINT64_MAX), 0};
    if (step && !parse(cli, step, ret, error))
        return false;
    return ret->step == UINT64_MAX || cli_check_step(run, ret->step, error);
}

static int print_procs(Cli *cli, const CliRun *run, const RwPosition *position, GError **error)
{
    uint64_t step = position->step;
    g_autoptr(RwProcs) procs = rw_procs_new(run->trace, step, error);
    View view = {cli_flag(cli, "json"), cli_flag(cli, "all") || step == UINT64_MAX};
    if (!procs)
        return -1;
    rw_procs_walk(procs, view.ended_too, print_proc, &view);
    return CLI_OK;
}

static int print_waits(Cli *cli, const CliRun *run, const RwPosition *position, GError **error)
{
    cli_catch_interrupts(cli);
    bool all = position->step == UINT64_MAX;
    RwMachine *machine = inspect_reach(cli, run, all ? &inspect_end : position, error);
    g_autoptr(GPtrArray) waits = machine ? rw_inspect_waits(machine, cli->cancellable, error) : NULL;
    rw_machine_free(machine);
    if (!waits)
        return -1;
    if (cli_flag(cli, "json")) {
        JsonObject *object = json_object_new();
        json_object_set_array_member(object, "waits", waits_to_json(waits));
        cli_print_json(object);
    } else {
        waits_print(stdout, waits);
    }
    return CLI_OK;
}

static int print_states(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    Inspect inspect;
    if (!cli_arg(cli, 1))
        return cli_usage(cli, "--states: at which STEP?");
    bool ok = inspect_open(cli, &inspect, &error);
    g_autoptr(GPtrArray) tasks = ok ? rw_inspect_tasks(inspect.machine, &error) : NULL;
    if (tasks && cli_flag(cli, "json"))
        tasks_print_json(tasks, false);
    else if (tasks)
        tasks_print(tasks);
    int status = tasks ? CLI_OK : inspect_fail(&inspect, error);
    inspect_close(&inspect);
    return status;
}

int command_ps(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    if (cli_flag(cli, "states"))
        return print_states(cli);
    CliRun run;
    RwPosition position;
    int status = -1;
    if (cli_open_run(cli, true, &run, &error) && get_position(cli, &run, &position, &error))
        status = (cli_flag(cli, "waits") ? print_waits : print_procs)(cli, &run, &position, &error);
    if (status < 0)
        status = cli_fail(error);
    cli_close_run(&run);
    return status;
}
