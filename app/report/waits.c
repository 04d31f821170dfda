// SPDX-License-Identifier: MIT
#include "waits.h"

#include "inspect.h"
#include "rw-compare.h"
#include "rw-event.h"

static char *dup_doing(const RwInspectWait *wait)
{
    g_autofree char *call =
        wait->in_call ? rw_system_call_dup_text(wait->number, wait->argument) : g_strdup("no system call");
    return g_strdup_printf("%s%s%s%s%s", call, wait->object ? " " : "", wait->object ? wait->object : "",
                           wait->where ? ", " : "", wait->where ? wait->where : "");
}

static void print_wait(FILE *to, const RwInspectWait *wait)
{
    g_autofree char *program = rw_line_dup_short(wait->program);
    g_autofree char *doing = dup_doing(wait);
    fprintf(to, "  %5u/%-5u %s waits in %s\n", wait->pid, wait->tid, program, doing);
}

static void add_wait(const RwInspectWait *wait, JsonArray *array)
{
    JsonObject *object = json_object_new();
    g_autofree char *call = wait->in_call ? rw_system_call_dup_text(wait->number, wait->argument) : NULL;
    json_object_set_int_member(object, "pid", wait->pid);
    json_object_set_int_member(object, "tid", wait->tid);
    cli_set_bytes(object, "program", wait->program);
    if (call)
        json_object_set_string_member(object, "in", call);
    if (wait->object)
        cli_set_bytes(object, "object", wait->object);
    if (wait->where)
        cli_set_bytes(object, "where", wait->where);
    json_array_add_object_element(array, object);
}

void waits_print(FILE *to, const GPtrArray *waits)
{
    for (guint i = 0; i < waits->len; i++)
        print_wait(to, waits->pdata[i]);
}

JsonArray *waits_to_json(const GPtrArray *waits)
{
    JsonArray *array = json_array_new();
    for (guint i = 0; i < waits->len; i++)
        add_wait(waits->pdata[i], array);
    return array;
}

GPtrArray *waits_of_stalled(Cli *cli, const RwRecorded *recorded, GError **error)
{
    CliRun run = {.hold = -1};
    RwMachine *machine = NULL;
    if (recorded->manifest->end.kind != RW_END_STALLED)
        return g_ptr_array_new();
    if (cli_open_run_named(cli, recorded->path, true, &run, error))
        machine = inspect_reach(cli, &run, &inspect_end, error);
    GPtrArray *waits = machine ? rw_inspect_waits(machine, cli->cancellable, error) : NULL;
    rw_machine_free(machine);
    cli_close_run(&run);
    return waits;
}
