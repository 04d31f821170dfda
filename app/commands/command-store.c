// SPDX-License-Identifier: MIT
//
// The store's runs: ls, show.
#include "commands.h"

#include "holds.h"
#include "rw-cpu.h"
#include "rw-sides.h"
#include "setup.h"
#include "story.h"

#include <stdio.h>

// ---- ls ----

char *cli_dup_command_words(const RwManifest *manifest)
{
    g_autofree char *words = g_strjoinv(" ", manifest->inputs->argv);
    g_autofree char *valid = g_utf8_make_valid(words, -1);
    g_strdelimit(valid, "\n\r\t\033", ' ');
    if (g_utf8_strlen(valid, -1) <= 50)
        return g_steal_pointer(&valid);
    g_autofree char *cut = g_utf8_substring(valid, 0, 47);
    return g_strconcat(cut, "...", NULL);
}

static char *dup_time(gint64 created_us)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(created_us / G_USEC_PER_SEC);
    return time ? g_date_time_format(time, "%Y-%m-%d %H:%M") : g_strdup("");
}

static void print_unusable(const RwRunEntry *entry)
{
    printf("%-16s  %-12s %s\n", entry->ref, rw_run_state_name(entry->state),
           entry->problem ? entry->problem->message : "");
}

static void print_entry(const RwRunEntry *entry)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwManifest) manifest =
        entry->manifest && !entry->problem ? rw_manifest_load(entry, &error) : NULL;
    if (!manifest) {
        if (error)
            printf("%-16s  %-12s %s\n", entry->ref, "damaged", error->message);
        else
            print_unusable(entry);
        return;
    }
    g_autofree char *ending =
        manifest->ended && entry->state == RW_RUN_FINISHED ? rw_end_dup_text(&manifest->end) : NULL;
    g_autofree char *time = dup_time(manifest->created_us);
    g_autofree char *words = cli_dup_command_words(manifest);
    g_autofree char *steps =
        ending ? g_strdup_printf("%" G_GUINT64_FORMAT " steps", manifest->end.steps) : g_strdup("");
    bool forked = manifest->parent_id[0] != 0;
    printf("%-16s  %-12s %16s  %s  %s%s%s%s%s\n", entry->ref,
           ending ? ending : rw_run_state_name(entry->state), steps, time,
           manifest->name ? manifest->name : "", manifest->name ? ": " : "", words,
           forked ? "  fork of " : "", manifest->parent_id);
}

static JsonObject *entry_object(const RwRunEntry *entry)
{
    JsonObject *object = json_object_new();
    g_autoptr(RwManifest) manifest =
        entry->manifest && !entry->problem ? rw_manifest_load(entry, NULL) : NULL;
    json_object_set_string_member(object, "ref", entry->ref);
    json_object_set_string_member(object, "id", entry->id);
    json_object_set_string_member(object, "path", entry->path);
    bool damaged = entry->manifest && !manifest && !entry->problem;
    json_object_set_string_member(object, "state",
                                  rw_run_state_name(damaged ? RW_RUN_DAMAGED : entry->state));
    if (entry->problem)
        json_object_set_string_member(object, "problem", entry->problem->message);
    if (manifest)
        json_object_set_object_member(object, "manifest", rw_manifest_to_json(manifest));
    return object;
}

int command_ls(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    RwStore *store = cli_store(cli, &error);
    g_autoptr(GPtrArray) runs = store ? rw_store_list(store, &error) : NULL;
    if (!runs)
        return cli_fail(error);
    for (guint i = 0; i < runs->len; i++) {
        if (cli_flag(cli, "json"))
            cli_print_json(entry_object(runs->pdata[i]));
        else
            print_entry(runs->pdata[i]);
    }
    return CLI_OK;
}

// ---- show ----

static void print_field(const char *name, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void print_field(const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    printf("  %-10s %s\n", name, text);
}

static void print_ending(const CliRun *run)
{
    const RwManifest *manifest = run->manifest;
    if (!manifest->ended || run->entry->state != RW_RUN_FINISHED) {
        print_field("ending", "%s", rw_run_state_name(run->entry->state));
        return;
    }
    const RwEnd *end = &manifest->end;
    g_autofree char *ending = rw_end_dup_text(end);
    print_field("ending", "%s (%s)%s%s", ending, rw_end_name(end->kind), end->where[0] ? ": " : "",
                end->where);
    if (manifest->why)
        print_field("why", "%s", manifest->why);
    print_field("length",
                "%" G_GUINT64_FORMAT " steps, %" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT
                " instructions, %.3fs virtual",
                end->steps, manifest->events, end->icount, (double)end->tsc / (double)REWIND_TSC_HZ);
}

static void print_products(const RwManifest *manifest)
{
    for (guint i = 0; i < manifest->products->len; i++) {
        const RwProduct *product = manifest->products->pdata[i];
        g_autofree char *text = rw_product_dup_text(product);
        g_autofree char *path = g_utf8_make_valid(product->path, -1);
        print_field("output", "%s %s", g_strdelimit(path, "\n\r\t\033", ' '), text);
    }
}

static void print_inputs(const RwManifest *manifest)
{
    const RwInputs *inputs = manifest->inputs;
    g_autoptr(GDateTime) epoch = g_date_time_new_from_unix_utc(inputs->epoch);
    g_autofree char *date = epoch ? g_date_time_format(epoch, "%Y-%m-%d %H:%M:%S UTC") : g_strdup("");
    g_autofree char *env = g_strjoinv(" ", inputs->env);
    if (manifest->parent_id[0])
        print_field("parent", "%s, the same until step %" G_GUINT64_FORMAT, manifest->parent_id,
                    manifest->parent_step);
    print_field("root", "%s, image %.16s", manifest->root ? manifest->root : "(unknown)",
                inputs->image_hash);
    print_field("guest", "%.16s", inputs->guest_hash);
    print_field("cwd", "%s, as %u:%u%s", inputs->cwd, inputs->uid, inputs->gid,
                inputs->tty ? ", with a terminal" : "");
    print_field("stdin", "%s", inputs->stdin_hash ? inputs->stdin_hash : "empty");
    print_field("env", "%s", env);
    print_field("machine", "%s, %" G_GUINT64_FORMAT " MiB, %u cores, clock %s",
                rw_cpu_model_name(inputs->model), inputs->memory >> 20, inputs->cores,
                rw_clock_name(inputs->clock));
    print_field("epoch", "%" G_GINT64_FORMAT " (%s)", inputs->epoch, date);
    print_field("seed", "%" G_GUINT64_FORMAT, inputs->seed);
    g_autofree char *schedule = rw_schedule_dup_text(&inputs->schedule);
    print_field("schedule", "%s", schedule);
}

// The sides of its holds, where they are asked for.
static RwSides *find_sides(Cli *cli, const CliRun *run, GError **error)
{
    RwAgain again = {0};
    RwSides *sides = run->manifest->trace_only ? rw_sides_load(run->entry->path, run->manifest) : NULL;
    if (!sides && cli_again_open(cli, run, &again, error))
        sides = rw_sides_new(&again, cli->cancellable, error);
    rw_again_close(&again);
    return sides;
}

// NULL without an error where there is no trace that could be read.
static RwStory *find_story(Cli *cli, const CliRun *run, GError **error)
{
    g_autofree char *path = g_build_filename(run->entry->path, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, NULL);
    g_autoptr(GError) local = NULL;
    RwStory *story =
        trace ? rw_story_new(cli->store, run->manifest, trace, NULL, cli->cancellable, &local) : NULL;
    if (g_error_matches(local, RW_ERROR, RW_ERROR_CANCELLED))
        g_propagate_error(error, g_steal_pointer(&local));
    return story;
}

// What is found out about a run beside its manifest.
typedef struct {
    RwStory *story; // or NULL
    RwSides *sides; // or NULL
} Shown;

static void show_json(Cli *cli, const CliRun *run, const Shown *shown)
{
    JsonObject *object = rw_manifest_to_json(run->manifest);
    g_autofree char *command = rw_manifest_dup_command(run->manifest, cli->store);
    json_object_set_string_member(object, "state", rw_run_state_name(run->entry->state));
    json_object_set_string_member(object, "path", run->entry->path);
    g_autofree char *valid = g_utf8_make_valid(command, -1);
    json_object_set_string_member(object, "command", valid);
    if (shown->story)
        json_object_set_object_member(object, "story", story_to_json(shown->story));
    if (shown->sides)
        json_object_set_array_member(object, "holds",
                                     holds_to_json(shown->sides->answers, shown->sides->explained));
    cli_print_json(object);
}

static void show_text(Cli *cli, const CliRun *run, const Shown *shown)
{
    const RwSides *sides = shown->sides;
    g_autofree char *command = rw_manifest_dup_command(run->manifest, cli->store);
    printf("%s  # %s\n", command, run->manifest->id);
    print_ending(run);
    if (shown->story)
        story_print(shown->story, run->manifest);
    print_products(run->manifest);
    print_inputs(run->manifest);
    if (!sides)
        return;
    const RwSchedule *schedule = &run->manifest->inputs->schedule;
    guint never = schedule->n_holds + schedule->n_faults - sides->answers->len;
    holds_print(sides->answers, sides->explained, NULL);
    if (never)
        printf("  %u of its holds and faults did not begin\n", never);
}

int command_show(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    Shown shown = {0};
    CliRun run;
    bool ok = cli_open_run(cli, false, &run, &error);
    if (ok) {
        cli_catch_interrupts(cli);
        shown.story = find_story(cli, &run, &error);
        ok = !error;
    }
    if (ok && cli_flag(cli, "where"))
        ok = (shown.sides = find_sides(cli, &run, &error)) != NULL;
    if (ok)
        (cli_flag(cli, "json") ? show_json : show_text)(cli, &run, &shown);
    int status = ok ? CLI_OK : cli_fail(error);
    rw_story_free(shown.story);
    rw_sides_free(shown.sides);
    cli_close_run(&run);
    return status;
}
