// SPDX-License-Identifier: MIT
//
// The page store: pages of guest memory by the SHA-256 of their contents, shared by all runs of a store.
//
//   <home>/store/lock       shared by whoever reads or writes pages, exclusive for rw_pages_gc()
//   <home>/store/pack-<16 hex digits>        complete: pages, a sorted index and a trailer; never changed
//   <home>/store/.pack-<16 hex digits>.part  being written (its writer holds a lock on it), or left behind
//
// An object has 1 to 4096 bytes. A page of zeros is never stored: its hash is 32 zero bytes. A killed
// writer loses its own pack and nothing else. Every object read is verified against its hash.
#pragma once

#include "rw-store.h"

G_BEGIN_DECLS

#define RW_PAGES_VERSION 1
#define RW_PAGE_BYTES 4096u

typedef struct {
    uint8_t v[RW_SHA256_SIZE];
} RwPageHash; // all zero: zeros

static inline bool rw_page_hash_is_zero(const RwPageHash *hash)
{
    static const RwPageHash zero = {0};
    return !memcmp(hash, &zero, sizeof zero);
}

// Of 1 to 4096 bytes.
void rw_page_hash(const void *bytes, size_t length, RwPageHash *ret_hash);

// ---- Sets of hashes ----

typedef struct _RwPageSet RwPageSet;
RwPageSet *rw_page_set_new(void);
void rw_page_set_free(RwPageSet *set);
bool rw_page_set_add(RwPageSet *set, const RwPageHash *hash); // false: it was in there
bool rw_page_set_has(const RwPageSet *set, const RwPageHash *hash);

// ---- Reading. From any thread ----

typedef struct _RwPages RwPages;

// Holds the store's lock until it is freed: shared (waiting for a gc to end), or exclusive for gc
// (RW_ERROR_BUSY when somebody has it; any other error when a pack could not be read, so that nobody knows
// what it holds). Those that are not exclusive are one handle of the store, which outlives it. What dead
// writers left is swept away.
RwPages *rw_pages_open(RwStore *store, bool exclusive, GError **error);
void rw_pages_free(RwPages *pages);

bool rw_pages_has(RwPages *pages, const RwPageHash *hash);
// The object's bytes, which must be `length` many. The hash of zeros gives zeros. RW_ERROR_NOT_FOUND when
// no pack has it, RW_ERROR_INVALID when every copy is proven to be damaged; where one could not be read, or
// a pack could not be looked into, it is another error: so an absence or damage is a fact.
bool rw_pages_get(RwPages *pages, const RwPageHash *hash, void *ret_bytes, size_t length, GError **error);

typedef struct {
    uint64_t packs, objects; // objects: those in several packs count several times
    uint64_t stored; // bytes of all complete packs
    uint64_t damaged; // packs that cannot be used
} RwPagesStats;

// For tests.
void rw_pages_get_stats(RwPages *pages, RwPagesStats *ret_stats);

// ---- Writing: one thread a writer, any number of writers ----

typedef struct _RwPagesWriter RwPagesWriter;

RwPagesWriter *rw_pages_writer_new(RwPages *pages, GError **error); // borrows pages
// Drops what was put unless rw_pages_writer_finish() was called.
void rw_pages_writer_free(RwPagesWriter *writer);
// Stores 1 to 4096 bytes unless the store has them already, in a copy that is whole.
bool rw_pages_writer_put(RwPagesWriter *writer, const void *bytes, size_t length, RwPageHash *ret_hash,
                         GError **error);
// Makes what was put durable and visible to every reader, or nothing of it. Without new objects no pack is
// made.
bool rw_pages_writer_finish(RwPagesWriter *writer, GError **error);
// For tests.
uint64_t rw_pages_writer_get_objects(const RwPagesWriter *writer); // new ones
uint64_t rw_pages_writer_get_bytes(const RwPagesWriter *writer); // of its pack so far

// ---- Trees: a whole memory by one hash ----
//
// A node is an object of 32 hashes (1 KiB). There are four levels of nodes, so a root stands for 32^4 pages
// (4 GiB), and another level for each 32 times as much memory. A node without pages is zeros: not stored,
// hash zero.

#define RW_TREE_FANOUT 32u
#define RW_TREE_LEVELS 4u
#define RW_TREE_LEVELS_MAX 6u
#define RW_TREE_NODE_BYTES (RW_TREE_FANOUT * RW_SHA256_SIZE)

// How many levels a memory of so many bytes has, RW_TREE_LEVELS_MAX at most.
unsigned rw_page_tree_levels(uint64_t bytes);
uint64_t rw_page_tree_pages(unsigned levels); // that so many levels stand for

// A tree being changed. Reads nodes of the tree it started from as it needs them.
typedef struct _RwPageTree RwPageTree;
// Borrows pages. `levels` is RW_TREE_LEVELS to RW_TREE_LEVELS_MAX, and always the same for a tree.
RwPageTree *rw_page_tree_new(RwPages *pages, const RwPageHash *root, unsigned levels);
void rw_page_tree_free(RwPageTree *tree);
// `page` is below rw_page_tree_pages(levels).
bool rw_page_tree_set(RwPageTree *tree, uint64_t page, const RwPageHash *hash, GError **error);
// Puts the nodes that changed since the last time. Their pages were put before. Without a writer it only
// hashes.
bool rw_page_tree_flush(RwPageTree *tree, RwPagesWriter *writer, RwPageHash *ret_root, GError **error);

// Calls `page` for every page of the tree that is not zeros, in order. false with the error that `page`
// set, or that of a missing or damaged node.
typedef bool (*RwPageTreeFunc)(uint64_t page, const RwPageHash *hash, void *data, GError **error);
bool rw_page_tree_walk(RwPages *pages, const RwPageHash *root, unsigned levels, RwPageTreeFunc page,
                       void *data, GError **error);
// Everything that the tree consists of, nodes and pages, except what `seen` has, which gets all of it: to
// find out what is alive, and to copy trees. A node comes before what is below it; `length` is what
// rw_pages_get() wants. object may be NULL.
typedef bool (*RwPageObjectFunc)(const RwPageHash *hash, size_t length, void *data, GError **error);
bool rw_page_tree_collect(RwPages *pages, const RwPageHash *root, unsigned levels, RwPageSet *seen,
                          RwPageObjectFunc object, void *data, GError **error);
// Fills memory that is zero so far, by a tree of its levels; touched[n] = 1 for every page n that is not. A
// tree with more pages than `size` has is RW_ERROR_INVALID. Works with up to `threads` threads.
bool rw_page_tree_load(RwPages *pages, const RwPageHash *root, uint8_t *memory, uint64_t size,
                       uint8_t *touched, unsigned threads, GError **error);

// ---- Garbage ----

typedef struct {
    // Objects. Several copies of one count as one live, the first that is whole, and the others dead.
    uint64_t live, dead;
    uint64_t stored_before, stored_after; // bytes of all packs
} RwPagesGcStats;

// Removes all objects that are not in `live`, and merges packs that are small or many. Needs an exclusive
// handle, and reading from it after this needs a new one. At every instant each live object is in some
// complete pack. An error of reading changes nothing that lives; what is proven to be damaged may go.
// With dry_run nothing changes; ret_stats tells what would.
bool rw_pages_gc(RwPages *pages, const RwPageSet *live, bool dry_run, RwPagesGcStats *ret_stats,
                 GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwPageSet, rw_page_set_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwPages, rw_pages_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwPagesWriter, rw_pages_writer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwPageTree, rw_page_tree_free)

G_END_DECLS
