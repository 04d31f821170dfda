// SPDX-License-Identifier: MIT
#include "rw-watch.h"

#include "learn-again-private.h"
#include "rw-check.h"
#include "rw-debuginfo.h"
#include "rw-explain.h"

#include <string.h>

#define ROUNDS_MAX 3 // each may make known more accesses that are atomic

typedef struct {
    const RwAgain *again;
    GHashTable *atomics;
    RwSymbols *symbols;
    const RwWatchOptions *options;
} Watch;

static void on_progress(guint percent, void *data)
{
    const RwWatchOptions *options = data;
    char text[80];
    g_snprintf(text, sizeof text, "watching what the tasks meet on: %u %%", percent);
    options->progress(text, options->data);
}

static RwLearned *learn(const Watch *watch, GError **error)
{
    RwLearnOptions options = {.budget = RW_CHECK_LEARN_MAX,
                              .atomics = watch->atomics,
                              .progress = watch->options->progress ? on_progress : NULL,
                              .progress_data = (void *)watch->options,
                              .cancellable = watch->options->cancellable};
    return rw_learn_again(watch->again, &options, error);
}

// ---- What the source says ----

// An atomic load or store that orders no others is the instruction that any load or store is. Of C and its
// compilers, C++, Rust, GLib and the kernel.
static const char *const atomic_words[] = {
    "atomic_load",  "atomic_store", "atomic_flag",   "__atomic_",  "__sync_",   "g_atomic_",
    "memory_order", "Ordering::",   "READ_ONCE",     "WRITE_ONCE", "smp_load_", ".load(",
    "smp_store_",   ".store(",      "atomic_thread", "->load(",    "->store(",  NULL};
// Sources whose functions become part of those that call them.
static const char *const atomic_files[] = {"atomic", "atomic_base.h", "atomic.rs", "stdatomic.h", NULL};

static bool says_atomic(const RwSymbol *symbol)
{
    g_autofree char *file = symbol->file ? g_path_get_basename(symbol->file) : NULL;
    for (const char *const *word = atomic_words; symbol->text && *word; word++)
        if (strstr(symbol->text, *word))
            return true;
    return file && g_strv_contains(atomic_files, file);
}

static bool is_library(const RwSymbol *symbol)
{
    return !symbol->path || g_str_has_prefix(symbol->path, "/lib") ||
           g_str_has_prefix(symbol->path, "/usr/lib") || symbol->path[0] == '[';
}

// ---- Races ----

static const RwLearnedSite *get_site(const RwWatched *watched, guint site)
{
    return &g_array_index(watched->learned->sites, RwLearnedSite, site);
}

// Libraries have their own ways of ordering, and their own readers.
static bool is_race(const RwWatched *watched, const RwLearnedPair *pair, RwRaceKind *ret)
{
    const RwSymbol *a = &watched->symbols[pair->first], *b = &watched->symbols[pair->second];
    bool lines = (is_library(a) || a->text) && (is_library(b) || b->text);
    if (!pair->unordered || (is_library(a) && is_library(b)) || says_atomic(a) || says_atomic(b))
        return false;
    *ret = lines ? RW_RACE_DATA : RW_RACE_UNKNOWN;
    return true;
}

static void clear_race(gpointer data)
{
    RwRace *race = data;
    g_array_unref(race->sites[0]);
    g_array_unref(race->sites[1]);
}

static void add_site(GArray *sites, guint site)
{
    guint i = 0;
    while (i < sites->len && g_array_index(sites, guint, i) != site)
        i++;
    if (i == sites->len)
        g_array_append_val(sites, site);
}

static void add_race(RwWatched *watched, guint index, RwRaceKind kind)
{
    const RwLearnedPair *pair = &g_array_index(watched->learned->pairs, RwLearnedPair, index);
    const guint sites[2] = {pair->first, pair->second};
    uint64_t at[2] = {get_site(watched, sites[0])->number, get_site(watched, sites[1])->number};
    RwRace *race = NULL;
    bool turned = false;
    for (guint i = 0; i < watched->races->len && !race; i++) {
        RwRace *one = &g_array_index(watched->races, RwRace, i);
        turned = one->instructions[0] == at[1] && one->instructions[1] == at[0];
        if (turned || (one->instructions[0] == at[0] && one->instructions[1] == at[1]))
            race = one;
    }
    if (!race) {
        RwRace new = {.kind = kind, .pair = index, .instructions = {at[0], at[1]}};
        new.sites[0] = g_array_new(false, false, sizeof(guint));
        new.sites[1] = g_array_new(false, false, sizeof(guint));
        g_array_append_val(watched->races, new);
        race = &g_array_index(watched->races, RwRace, watched->races->len - 1);
        turned = false;
    }
    race->count += pair->unordered;
    add_site(race->sites[turned], sites[0]);
    add_site(race->sites[!turned], sites[1]);
}

static void list_races(RwWatched *watched)
{
    const GArray *pairs = watched->learned->pairs;
    RwRaceKind is;
    for (RwRaceKind kind = RW_RACE_DATA; kind <= RW_RACE_UNKNOWN; kind++)
        for (guint i = 0; i < pairs->len; i++) {
            const RwLearnedPair *pair = &g_array_index(pairs, RwLearnedPair, i);
            if (is_race(watched, pair, &is) && is == kind)
                add_race(watched, i, kind);
        }
}

const char *rw_race_kind_name(RwRaceKind kind)
{
    return kind == RW_RACE_DATA ? "data race" : "unordered accesses";
}

// ---- All of it ----

// The accesses that nothing seems to order and that the source says are atomic. Whether there are new ones.
static bool add_atomics(const RwWatched *watched, GHashTable *atomics)
{
    const GArray *pairs = watched->learned->pairs;
    guint before = g_hash_table_size(atomics);
    for (guint i = 0; i < pairs->len; i++) {
        const RwLearnedPair *pair = &g_array_index(pairs, RwLearnedPair, i);
        const guint sites[2] = {pair->first, pair->second};
        for (guint side = 0; pair->unordered && side < 2; side++) {
            uint64_t at = get_site(watched, sites[side])->number;
            if (says_atomic(&watched->symbols[sites[side]]))
                g_hash_table_add(atomics, g_memdup2(&at, sizeof at));
        }
    }
    return g_hash_table_size(atomics) > before;
}

void rw_watched_free(RwWatched *watched)
{
    if (!watched)
        return;
    rw_explained_sites_free(watched->symbols, watched->learned);
    rw_learned_free(watched->learned);
    if (watched->races)
        g_array_unref(watched->races);
    g_free(watched);
}

static RwWatched *watch_once(const Watch *watch, GError **error)
{
    const RwWatchOptions *options = watch->options;
    g_autoptr(RwWatched) watched = g_new0(RwWatched, 1);
    watched->learned = learn(watch, error);
    if (!watched->learned)
        return NULL;
    if (options->progress)
        options->progress("looking for the lines of source", options->data);
    watched->symbols =
        rw_explain_sites(watch->again, watched->learned, watch->symbols, options->cancellable, error);
    return watched->symbols ? g_steal_pointer(&watched) : NULL;
}

RwWatched *rw_watch_run(const RwAgain *again, const RwWatchOptions *options, GError **error)
{
    g_autoptr(GHashTable) atomics = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(RwSymbols) symbols = rw_debuginfo_symbols_new(options->cancellable);
    Watch watch = {again, atomics, symbols, options};
    g_autoptr(RwWatched) watched = watch_once(&watch, error);
    for (guint round = 1; watched && round < ROUNDS_MAX && add_atomics(watched, atomics); round++) {
        rw_watched_free(watched);
        watched = watch_once(&watch, error);
    }
    if (!watched)
        return NULL;
    watched->races = g_array_new(false, true, sizeof(RwRace));
    g_array_set_clear_func(watched->races, clear_race);
    list_races(watched);
    return g_steal_pointer(&watched);
}
