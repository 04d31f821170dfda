// SPDX-License-Identifier: MIT
//
// The run store: where runs, images and caches lie on disk.
//
//   <home>/runs/<id>/            a finished run: manifest.json, trace, lock
//   <home>/runs/<id>.part-XXXXXX one being recorded (its lock is held), or interrupted (nobody holds it)
//   <home>/runs/<id>.differs[-N] a second recording of <id> that was not the same: a determinism failure
//   <home>/runs/.gone-XXXXXX     being removed; whoever finds one without a holder goes on removing it
//   <home>/runs/.lock            held for the moments in which a directory gets or loses its name
//   <home>/images/, <home>/guests/, <home>/cache/
//   <home>/inputs/<sha256>       the standard input of runs
//   <home>/lock                  shared by whoever adds to the store, exclusive for gc
//
// A directory gets its final name only when everything in it is on disk, so that a killed recorder loses
// its own run and nothing else. Everything read here may be damaged: one bad run never hides the others.
#pragma once

#include "rw-base.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

// ---- The store ----

typedef struct _RwStore RwStore;

// $REWIND_HOME, else $XDG_DATA_HOME/rewind, else ~/.local/share/rewind.
char *rw_store_dup_default_home(void);
// Makes what is missing of it, mode 0700. home NULL: the default one. Immutable, for any thread.
RwStore *rw_store_open(const char *home, GError **error);
void rw_store_free(RwStore *store);
const char *rw_store_get_home(const RwStore *store);
const char *rw_store_get_runs_dir(const RwStore *store);
const char *rw_store_get_images_dir(const RwStore *store);
const char *rw_store_get_cache_dir(const RwStore *store);
const char *rw_store_get_guests_dir(const RwStore *store); // of the runs' guests, each by its hash

// A descriptor that keeps gc away while it is open: for whoever makes or looks for what no run names yet,
// such as the image of a run that is going to be recorded. Waits for a gc to end. A store that is read-only
// is fine: -1 without an error.
int rw_store_use(RwStore *store, GError **error);

// ---- Standard inputs ----

// Reads `fd` to its end into the store, by its hash. The caller holds rw_store_use() until a run names it.
bool rw_store_keep_input(RwStore *store, int fd, GCancellable *cancellable,
                         char ret_sha256[RW_SHA256_HEX_SIZE], uint64_t *ret_size, GError **error);
// The same of a file on the same file system whose hash that is: it is moved.
bool rw_store_take_input(RwStore *store, const char *path, const char *sha256, GError **error);
// Its bytes, mapped, after a look whether they have that hash. NOT_FOUND, INVALID.
GBytes *rw_store_open_input(RwStore *store, const char *sha256, GError **error);
char *rw_store_dup_input_path(RwStore *store, const char *sha256);

// ---- Manifests ----

#define RW_MANIFEST_VERSION 6
#define RW_MANIFEST_FORMAT "rewind-run"
#define RW_ID_LENGTH 16 // hex digits

// The object in <dir>/manifest.json, with "format", "version", "id" (16 hex digits) and "created_us"
// checked. RW_ERROR_NEWER for a version above ours, RW_ERROR_INVALID for a damaged one.
JsonObject *rw_manifest_read_object(const char *dir, GError **error);
// The same of a manifest's text; `what` is for messages.
JsonObject *rw_manifest_parse_object(const char *text, size_t length, const char *what, GError **error);
// Replaces it, whole or not at all. Takes nothing over.
bool rw_manifest_write_object(const char *dir, JsonObject *object, GError **error);

// ---- Runs there are ----

typedef enum {
    RW_RUN_FINISHED,
    RW_RUN_RECORDING, // somebody holds its lock
    RW_RUN_INTERRUPTED, // its recorder was killed
    RW_RUN_DAMAGED, // `problem` says what is wrong
    RW_RUN_NEWER, // made by a newer Rewind; `problem` says so
} RwRunState;

const char *rw_run_state_name(RwRunState state); // "finished", "recording", …

typedef struct {
    char *ref; // what names it on a command line: its id, or its directory's name where that is more
    char *id; // 16 hex digits
    char *path; // its directory
    char *name; // or NULL
    gint64 created; // µs since 1970; 0 when not known
    RwRunState state;
    GError *problem; // or NULL
    JsonObject *manifest; // NULL where it could not be read
} RwRunEntry;

void rw_run_entry_free(RwRunEntry *entry);

// All runs, the newest first. Only a store that cannot be read at all is an error.
GPtrArray *rw_store_list(RwStore *store, GError **error); // of RwRunEntry, owned by the array
// Of these all that were forked from another run, and perhaps some more: much cheaper where few were.
GPtrArray *rw_store_list_forks(RwStore *store, GError **error);

// What `run` names: a directory (".", or anything with a slash), "@" (the newest finished run), "@2" …,
// an id, a name (its newest run), or a prefix of one id. Damaged and newer runs are found as well, so
// that they can be removed: look at the state, or use rw_run_entry_check().
// Errors: NOT_FOUND, AMBIGUOUS.
RwRunEntry *rw_store_resolve(RwStore *store, const char *run, GError **error);
// false with the entry's problem when its manifest cannot be used.
bool rw_run_entry_check(const RwRunEntry *entry, GError **error);

// ---- Use and removal ----

// A descriptor that keeps others from removing the run while it is open. A store that is read-only is
// fine: nobody can remove anything there and the result is -1 without an error.
int rw_run_hold(const char *path, GError **error);
// For tests: one run.
bool rw_store_remove(RwStore *store, const RwRunEntry *entry, GError **error);
// All of them (RwRunEntry) or, when one is in use, none; in their order. RW_ERROR_BUSY while somebody
// records or reads one.
bool rw_store_remove_all(RwStore *store, const GPtrArray *entries, GError **error);
// Whether that would do now.
bool rw_store_may_remove_all(RwStore *store, const GPtrArray *entries, GError **error);

// ---- Garbage ----

// The other side of rw_store_use(): RW_ERROR_BUSY while somebody holds that.
int rw_store_use_alone(RwStore *store, GError **error);

typedef void (*RwGone)(const char *what, const char *name, uint64_t bytes, void *data);

// Removes what the dead left among the runs: "interrupted run", "remains". For whoever has the store alone.
// With dry_run it only says what would go.
bool rw_store_remove_remains(RwStore *store, bool dry_run, RwGone gone, void *data, GError **error);
// The same of standard inputs whose hash is not in `used`: "input", "remains".
bool rw_store_remove_inputs(RwStore *store, GHashTable *used, bool dry_run, RwGone gone, void *data,
                            GError **error);
uint64_t rw_tree_bytes(const char *path); // that removing it would free

// ---- Forks ----

// The id of the run that the entry is a fork of, borrowed; or NULL.
const char *rw_run_entry_get_parent(const RwRunEntry *entry);
// Of `runs` (as rw_store_list() gave them) the forks of the run with that id, forks of those, and so on:
// those that have none first, borrowed from runs.
GPtrArray *rw_runs_get_descendants(const GPtrArray *runs, const char *id);

// ---- Recording ----

typedef struct _RwRunPart RwRunPart;

// A fresh directory for a recording of `id`, its lock held. What dead recorders of the same id left goes.
RwRunPart *rw_store_begin(RwStore *store, const char *id, GError **error);
const char *rw_run_part_get_path(const RwRunPart *part);
// Removes the directory unless rw_run_part_commit() or rw_run_part_keep() gave it its name.
void rw_run_part_free(RwRunPart *part);

// Gives it the name <id>. false without an error when there is a finished run of that id already; then
// ret_existing is its directory. Sync the contents before.
bool rw_run_part_commit(RwRunPart *part, char **ret_existing, GError **error);
// The same, in place of the finished run there is, which goes. RW_ERROR_BUSY while somebody reads that.
bool rw_run_part_replace(RwRunPart *part, GError **error);
// Gives it a name of its own, <id>.differs or <id>.differs-N. Returns the directory.
char *rw_run_part_keep(RwRunPart *part, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwStore, rw_store_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwRunEntry, rw_run_entry_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwRunPart, rw_run_part_free)

G_END_DECLS
