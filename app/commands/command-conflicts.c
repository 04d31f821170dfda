// SPDX-License-Identifier: MIT
#include "commands.h"

#include "place.h"
#include "rw-event.h"
#include "rw-watch.h"
#include "setup.h"

#include <stdio.h>

typedef RwWatched Found;

static const RwLearnedSite *get_site(const Found *found, guint i)
{
    return &g_array_index(found->learned->sites, RwLearnedSite, i);
}

static const RwSymbol *symbol_of_object(const Found *found, guint object)
{
    return &found->symbols[found->learned->sites->len + object];
}

// What is done to each object by anybody.
static uint32_t *collect_flags(const RwLearned *learned)
{
    uint32_t *flags = g_new0(uint32_t, learned->objects->len + 1);
    for (guint i = 0; i < learned->sites->len; i++) {
        const RwLearnedSite *site = &g_array_index(learned->sites, RwLearnedSite, i);
        flags[site->object] |= site->flags;
    }
    return flags;
}

// Names that come and go in a directory meet who reads them.
static bool is_met(const RwObject *object, uint32_t flags)
{
    bool changed = flags & RW_EVENT_CHANGES && (flags & RW_EVENT_READS || !(flags & RW_EVENT_MEMBER));
    return object->kind != RW_OBJECT_NONE && object->tasks > 1 && changed;
}

#define SITES_PRINTED 8 // of a race, of each side

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

static char *dup_memory(const RwObject *object, uint64_t address, const RwSymbol *symbol)
{
    g_autofree char *variable = dup_variable(symbol);
    return g_strdup_printf("%s 0x%" G_GINT64_MODIFIER "x%s%s", rw_object_kind_name(object->kind), address,
                           variable ? ", " : "", variable ? variable : "");
}

static char *dup_object(const Found *found, guint index)
{
    const RwObject *object = &g_array_index(found->learned->objects, RwObject, index);
    const char *kind = rw_object_kind_name(object->kind);
    if (object->kind == RW_OBJECT_PROCESS)
        return g_strdup_printf("%s %" G_GUINT64_FORMAT, kind, object->address);
    if (object->kind == RW_OBJECT_SIGNAL) {
        g_autofree char *signal = rw_signal_dup_name((int)object->address);
        return g_strdup_printf("%s %s of process %u", kind, signal, object->pid);
    }
    return object->name ? g_strdup_printf("%s %s", kind, object->name)
                        : dup_memory(object, object->address, symbol_of_object(found, index));
}

// What both sides of a race touch, to the byte.
typedef struct {
    const RwObject *object;
    uint64_t address;
    const RwSymbol *symbol;
} Bytes;

static Bytes bytes_of(const Found *found, const RwRace *race)
{
    const RwLearned *learned = found->learned;
    const RwLearnedPair *pair = &g_array_index(learned->pairs, RwLearnedPair, race->pair);
    const RwObject *object =
        &g_array_index(learned->objects, RwObject, get_site(found, pair->first)->object);
    return (Bytes){object, object->address + pair->offset,
                   &found->symbols[learned->sites->len + learned->objects->len + race->pair]};
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

// ---- What is ordered ----

// Of all pairs of an object.
static RwLearnedPair sum_pairs(const Found *found, guint object)
{
    const GArray *pairs = found->learned->pairs;
    RwLearnedPair sum = {0};
    for (guint i = 0; i < pairs->len; i++) {
        const RwLearnedPair *pair = &g_array_index(pairs, RwLearnedPair, i);
        if (get_site(found, pair->first)->object != object)
            continue;
        sum.unordered += pair->unordered;
        sum.locked += pair->locked;
        sum.ordered += pair->ordered;
        sum.lock = sum.lock ? sum.lock : pair->lock;
    }
    return sum;
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
    RwLearnedPair sum = sum_pairs(found, object);
    if (sum.lock) {
        g_autofree char *lock = dup_object(found, sum.lock - 1);
        printf("  ordered by the lock at %s%s\n", lock,
               sum.unordered ? ", but not everywhere"
               : sum.ordered ? ", and by others"
                             : "");
    }
    for (guint i = 0; i < found->learned->sites->len; i++)
        if (get_site(found, i)->object == object)
            print_site(found, i);
}

static bool has_site(const GArray *sites, guint site)
{
    for (guint i = 0; i < sites->len; i++)
        if (g_array_index(sites, guint, i) == site)
            return true;
    return false;
}

static void print_race(const Found *found, const RwRace *race)
{
    Bytes bytes = bytes_of(found, race);
    g_autofree char *object = dup_memory(bytes.object, bytes.address, bytes.symbol);
    printf("%s on %s\n", rw_race_kind_name(race->kind), object);
    for (guint side = 0; side < 2; side++)
        for (guint i = 0; i < race->sites[side]->len && i < SITES_PRINTED; i++)
            if (!side || !has_site(race->sites[0], g_array_index(race->sites[1], guint, i)))
                print_site(found, g_array_index(race->sites[side], guint, i));
    printf("  %" G_GUINT64_FORMAT " time%s one after the other with nothing between them\n", race->count,
           race->count == 1 ? "" : "s");
}

static void print_races(const Found *found)
{
    guint data = 0;
    for (guint i = 0; i < found->races->len; i++) {
        const RwRace *race = &g_array_index(found->races, RwRace, i);
        print_race(found, race);
        data += race->kind == RW_RACE_DATA;
    }
    printf("%u data race%s", data, data == 1 ? "" : "s");
    if (found->races->len > data)
        printf(", %u more pairs of instructions that nothing orders, without lines of source",
               found->races->len - data);
    printf("%s\n", found->learned->unjudged
                       ? ", in the beginning of the run: there was too much for all of it"
                       : "");
}

static void print_words(const Found *found, bool races_only)
{
    const RwLearned *learned = found->learned;
    g_autofree uint32_t *flags = collect_flags(learned);
    guint met = 0;
    print_races(found);
    if (races_only)
        return;
    for (guint i = 0; i < learned->objects->len; i++)
        if (is_met(&g_array_index(learned->objects, RwObject, i), flags[i])) {
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

static JsonObject *name_to_json(const Found *found, guint index)
{
    const RwObject *which = &g_array_index(found->learned->objects, RwObject, index);
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "kind", rw_object_kind_name(which->kind));
    if (which->name)
        cli_set_bytes(object, "name", which->name);
    else
        json_object_set_int_member(object, "address", (gint64)which->address);
    place_symbol_to_json(symbol_of_object(found, index), object);
    return object;
}

static void order_to_json(const Found *found, guint index, JsonObject *object)
{
    RwLearnedPair sum = sum_pairs(found, index);
    json_object_set_int_member(object, "unordered", (gint64)sum.unordered);
    json_object_set_int_member(object, "locked", (gint64)sum.locked);
    json_object_set_int_member(object, "ordered", (gint64)sum.ordered);
    if (sum.lock)
        json_object_set_object_member(object, "lock", name_to_json(found, sum.lock - 1));
}

static JsonObject *object_to_json(const Found *found, guint index)
{
    const RwObject *which = &g_array_index(found->learned->objects, RwObject, index);
    JsonObject *object = name_to_json(found, index);
    JsonArray *sites = json_array_new();
    json_object_set_int_member(object, "tasks", which->tasks);
    order_to_json(found, index, object);
    for (guint i = 0; i < found->learned->sites->len; i++)
        if (get_site(found, i)->object == index)
            json_array_add_object_element(sites, site_to_json(found, i));
    json_object_set_array_member(object, "sites", sites);
    return object;
}

static JsonObject *race_to_json(const Found *found, const RwRace *race)
{
    static const char *const names[2] = {"first", "second"};
    JsonObject *object = json_object_new();
    Bytes bytes = bytes_of(found, race);
    json_object_set_string_member(object, "kind", rw_race_kind_name(race->kind));
    json_object_set_int_member(object, "count", (gint64)race->count);
    json_object_set_int_member(object, "address", (gint64)bytes.address);
    place_symbol_to_json(bytes.symbol, object);
    for (guint side = 0; side < 2; side++) {
        JsonArray *sites = json_array_new();
        for (guint i = 0; i < race->sites[side]->len; i++)
            json_array_add_object_element(sites,
                                          site_to_json(found, g_array_index(race->sites[side], guint, i)));
        json_object_set_array_member(object, names[side], sites);
    }
    return object;
}

static void print_json(const Found *found, bool races_only)
{
    const RwLearned *learned = found->learned;
    g_autofree uint32_t *flags = collect_flags(learned);
    JsonObject *object = json_object_new();
    JsonArray *objects = json_array_new(), *races = json_array_new();
    for (guint i = 0; i < found->races->len; i++)
        json_array_add_object_element(races, race_to_json(found, &g_array_index(found->races, RwRace, i)));
    for (guint i = 0; !races_only && i < learned->objects->len; i++)
        if (is_met(&g_array_index(learned->objects, RwObject, i), flags[i]))
            json_array_add_object_element(objects, object_to_json(found, i));
    json_object_set_int_member(object, "tasks", learned->tasks->len);
    json_object_set_int_member(object, "instructions", (gint64)learned->base);
    json_object_set_int_member(object, "executed", (gint64)learned->executed);
    json_object_set_boolean_member(object, "cut", learned->cut);
    json_object_set_boolean_member(object, "unjudged", learned->unjudged);
    json_object_set_array_member(object, "races", races);
    if (races_only)
        json_array_unref(objects);
    else
        json_object_set_array_member(object, "objects", objects);
    cli_print_json(object);
}

// ---- The command ----

static RwWatched *watch(Cli *cli, const CliRun *run, GError **error)
{
    RwAgain again;
    RwWatched *watched = NULL;
    if (cli_again_open(cli, run, &again, error))
        watched = rw_watch_run(&again, cli->cancellable, error);
    rw_again_close(&again);
    return watched;
}

int command_conflicts(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwWatched) found = NULL;
    CliRun run = {0};
    bool races_only = cli_flag(cli, "races");
    cli_catch_interrupts(cli);
    if (cli_open_run(cli, false, &run, &error))
        found = watch(cli, &run, &error);
    cli_close_run(&run);
    if (!found)
        return cli_fail(error);
    if (cli_flag(cli, "json"))
        print_json(found, races_only);
    else
        print_words(found, races_only);
    return CLI_OK;
}
