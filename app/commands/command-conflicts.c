// SPDX-License-Identifier: MIT
#include "commands.h"

#include "place.h"
#include "rw-event.h"
#include "rw-watch.h"
#include "setup.h"

#include <stdio.h>

typedef struct {
    RwLearned *learned;
    RwSymbol *symbols; // of each site, then of each object
    uint32_t *flags; // what is done to each object by anybody
} Found;

static const RwLearnedSite *get_site(const Found *found, guint i)
{
    return &g_array_index(found->learned->sites, RwLearnedSite, i);
}

static const RwSymbol *symbol_of_object(const Found *found, guint object)
{
    return &found->symbols[found->learned->sites->len + object];
}

// Names that come and go in a directory meet who reads them.
static bool is_met(const RwObject *object, uint32_t flags)
{
    bool changed = flags & RW_EVENT_CHANGES && (flags & RW_EVENT_READS || !(flags & RW_EVENT_MEMBER));
    return object->kind != RW_OBJECT_NONE && object->tasks > 1 && changed;
}

static uint32_t *collect_flags(const RwLearned *learned)
{
    uint32_t *flags = g_new0(uint32_t, learned->objects->len + 1);
    for (guint i = 0; i < learned->sites->len; i++) {
        const RwLearnedSite *site = &g_array_index(learned->sites, RwLearnedSite, i);
        flags[site->object] |= site->flags;
    }
    return flags;
}

// "balance", "counters+0x8", "[heap]+0x2a0".
static char *dup_variable(const RwSymbol *symbol)
{
    g_autofree char *file = symbol->path ? g_path_get_basename(symbol->path) : NULL;
    const char *name = symbol->function ? symbol->function : file;
    uint64_t offset = symbol->function ? symbol->function_offset : symbol->offset;
    if (!name || !offset)
        return g_strdup(name);
    return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", name, offset);
}

static char *dup_object(const Found *found, guint index)
{
    const RwObject *object = &g_array_index(found->learned->objects, RwObject, index);
    g_autofree char *variable = dup_variable(symbol_of_object(found, index));
    const char *kind = rw_object_kind_name(object->kind);
    if (object->kind == RW_OBJECT_PROCESS)
        return g_strdup_printf("%s %" G_GUINT64_FORMAT, kind, object->address);
    if (object->kind == RW_OBJECT_SIGNAL) {
        g_autofree char *signal = rw_signal_dup_name((int)object->address);
        return g_strdup_printf("%s %s of process %u", kind, signal, object->pid);
    }
    if (variable)
        return g_strdup_printf("%s 0x%" G_GINT64_MODIFIER "x, %s", kind, object->address, variable);
    return object->name ? g_strdup_printf("%s %s", kind, object->name)
                        : g_strdup_printf("%s 0x%" G_GINT64_MODIFIER "x", kind, object->address);
}

static char *dup_place(const Found *found, guint index)
{
    const RwLearnedSite *site = get_site(found, index);
    char *where = site->kind == RW_PLACE_AT ? place_dup_symbol(&found->symbols[index]) : NULL;
    if (where)
        return where;
    if (site->kind == RW_PLACE_AT)
        return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", site->number);
    const char *name = rw_system_call_name((unsigned)site->number);
    return name ? g_strdup(name) : g_strdup_printf("system call %" G_GUINT64_FORMAT, site->number);
}

static const char *get_verb(uint32_t flags)
{
    return !(flags & RW_EVENT_CHANGES) ? "reads" : flags & RW_EVENT_READS ? "reads and changes" : "changes";
}

static const RwLearnedTask *get_task(const RwLearned *learned, guint index)
{
    return &g_array_index(learned->tasks, RwLearnedTask, index);
}

// "1.2", in a handler "1.2!SIGCHLD".
static char *dup_task(const RwLearned *learned, const RwLearnedSite *site)
{
    char *name = rw_task_name_dup_text(&get_task(learned, site->task)->name);
    if (!site->handler)
        return name;
    g_autofree char *task = name;
    g_autofree char *signal =
        rw_signal_dup_name(g_array_index(learned->handlers, RwLearnedHandler, site->handler - 1).signo);
    return g_strdup_printf("%s!%s", task, signal);
}

// ---- Words ----

static void print_site(const Found *found, guint index)
{
    const RwLearnedSite *site = get_site(found, index);
    const RwLearnedTask *task = get_task(found->learned, site->task);
    g_autofree char *name = dup_task(found->learned, site), *place = dup_place(found, index);
    printf("  %-12s %6u/%-6u %-24s %-18s %6" G_GUINT64_FORMAT "  %s\n", name, task->pid, task->tid,
           task->program ? task->program : "", get_verb(site->flags), site->count, place);
}

static void print_object(const Found *found, guint object)
{
    const RwObject *which = &g_array_index(found->learned->objects, RwObject, object);
    g_autofree char *text = dup_object(found, object);
    printf("%s, %u tasks\n", text, which->tasks);
    for (guint i = 0; i < found->learned->sites->len; i++)
        if (get_site(found, i)->object == object)
            print_site(found, i);
}

static void print_words(const Found *found)
{
    const RwLearned *learned = found->learned;
    guint met = 0;
    for (guint i = 0; i < learned->objects->len; i++)
        if (is_met(&g_array_index(learned->objects, RwObject, i), found->flags[i])) {
            print_object(found, i);
            met++;
        }
    printf("%u tasks meet on %u of %u objects%s\n", learned->tasks->len, met, learned->objects->len,
           learned->cut ? ", in the beginning of the run" : "");
}

// ---- JSON ----

static JsonObject *site_to_json(const Found *found, guint index)
{
    const RwLearnedSite *site = get_site(found, index);
    const RwLearnedTask *task = get_task(found->learned, site->task);
    JsonObject *object = json_object_new();
    g_autofree char *name = dup_task(found->learned, site), *place = dup_place(found, index);
    json_object_set_string_member(object, "task", name);
    json_object_set_int_member(object, "pid", task->pid);
    json_object_set_int_member(object, "tid", task->tid);
    if (task->program)
        cli_set_bytes(object, "program", task->program);
    json_object_set_string_member(object, "place", place);
    if (site->kind == RW_PLACE_AT)
        json_object_set_int_member(object, "instruction", (gint64)site->number);
    place_symbol_to_json(&found->symbols[index], object);
    json_object_set_boolean_member(object, "reads", (site->flags & RW_EVENT_READS) != 0);
    json_object_set_boolean_member(object, "changes", (site->flags & RW_EVENT_CHANGES) != 0);
    json_object_set_int_member(object, "count", (gint64)site->count);
    json_object_set_int_member(object, "step", (gint64)site->step);
    return object;
}

static JsonObject *object_to_json(const Found *found, guint index)
{
    const RwObject *which = &g_array_index(found->learned->objects, RwObject, index);
    JsonObject *object = json_object_new();
    JsonArray *sites = json_array_new();
    json_object_set_string_member(object, "kind", rw_object_kind_name(which->kind));
    if (which->name)
        cli_set_bytes(object, "name", which->name);
    else
        json_object_set_int_member(object, "address", (gint64)which->address);
    place_symbol_to_json(symbol_of_object(found, index), object);
    json_object_set_int_member(object, "tasks", which->tasks);
    for (guint i = 0; i < found->learned->sites->len; i++)
        if (get_site(found, i)->object == index)
            json_array_add_object_element(sites, site_to_json(found, i));
    json_object_set_array_member(object, "sites", sites);
    return object;
}

static void print_json(const Found *found)
{
    const RwLearned *learned = found->learned;
    JsonObject *object = json_object_new();
    JsonArray *objects = json_array_new();
    for (guint i = 0; i < learned->objects->len; i++)
        if (is_met(&g_array_index(learned->objects, RwObject, i), found->flags[i]))
            json_array_add_object_element(objects, object_to_json(found, i));
    json_object_set_int_member(object, "tasks", learned->tasks->len);
    json_object_set_int_member(object, "instructions", (gint64)learned->base);
    json_object_set_int_member(object, "executed", (gint64)learned->executed);
    json_object_set_boolean_member(object, "cut", learned->cut);
    json_object_set_array_member(object, "objects", objects);
    cli_print_json(object);
}

// ---- The command ----

static bool watch(Cli *cli, const CliRun *run, Found *ret, GError **error)
{
    RwAgain again;
    if (cli_again_open(cli, run, &again, error))
        ret->learned = rw_watch_run(&again, cli->cancellable, error);
    if (ret->learned)
        ret->symbols = rw_explain_sites(&again, ret->learned, cli->cancellable, error);
    rw_again_close(&again);
    return ret->symbols != NULL;
}

static void clear(Found *found)
{
    rw_explained_sites_free(found->symbols, found->learned);
    rw_learned_free(found->learned);
    g_free(found->flags);
}

int command_conflicts(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    CliRun run = {0};
    Found found = {0};
    cli_catch_interrupts(cli);
    bool ok = cli_open_run(cli, false, &run, &error) && watch(cli, &run, &found, &error);
    cli_close_run(&run);
    if (ok) {
        found.flags = collect_flags(found.learned);
        if (cli_flag(cli, "json"))
            print_json(&found);
        else
            print_words(&found);
    }
    clear(&found);
    return ok ? CLI_OK : cli_fail(error);
}
