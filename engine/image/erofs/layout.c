// SPDX-License-Identifier: MIT
#include "layout-private.h"

#include <sys/stat.h>

#define HOLE_BLOCKS_MIN 64u // 256 KiB
#define HOLE_SHARE 8u
#define CHUNKS_MAX_BITS 16u // a table of at most 65,536 entries

static uint64_t blocks_of(uint64_t bytes)
{
    return (bytes + EROFS_BLOCK - 1) / EROFS_BLOCK;
}

// ---- Files ----

// Chunks that hold anything, each counted once.
static uint64_t count_chunks(const GArray *runs, unsigned bits)
{
    uint64_t count = 0, next = 0;
    for (guint i = 0; i < runs->len; i++) {
        const RwRun *run = &g_array_index(runs, RwRun, i);
        uint64_t first = MAX(run->block >> bits, next), end = ((run->block + run->count - 1) >> bits) + 1;
        if (end > first)
            count += end - first;
        next = MAX(next, end);
    }
    return count;
}

void rw_layout_file(RwLayout *layout, RwNode *node, const GArray *runs)
{
    uint64_t total = blocks_of(node->file.size);
    unsigned bits = 0;
    while (total >> bits > 1u << CHUNKS_MAX_BITS)
        bits++;
    uint64_t stored = MIN(count_chunks(runs, bits) << bits, total);
    node->block = (uint32_t)layout->blocks;
    node->layout = EROFS_LAYOUT_PLAIN;
    if (total - stored < HOLE_BLOCKS_MIN || total - stored < total / HOLE_SHARE) {
        layout->blocks += total;
        return;
    }
    node->layout = EROFS_LAYOUT_CHUNKED;
    node->chunk_bits = (uint8_t)bits;
    layout->blocks += stored;
    layout->chunked = true;
}

uint32_t *rw_layout_dup_chunks(const RwNode *node, const GArray *runs, uint64_t *ret_n)
{
    unsigned bits = node->chunk_bits;
    uint64_t n = (blocks_of(node->file.size) + (1ull << bits) - 1) >> bits;
    uint32_t *table = g_new(uint32_t, n), block = node->block;
    memset(table, 0xff, n * sizeof *table); // EROFS_HOLE
    for (guint i = 0; i < runs->len; i++) {
        const RwRun *run = &g_array_index(runs, RwRun, i);
        for (uint64_t c = run->block >> bits; c <= (run->block + run->count - 1) >> bits; c++) {
            if (table[c] != EROFS_HOLE)
                continue;
            table[c] = block;
            block += 1u << bits; // too far for a short last chunk, which nothing follows
        }
    }
    *ret_n = n;
    return table;
}

// ---- Directories and links ----

uint32_t rw_layout_dir_block(const RwTreeName *names, uint32_t n, uint32_t *ret_used)
{
    uint32_t used = 0, i = 0;
    for (; i < n; i++) {
        uint32_t more = EROFS_DIRENT + (uint32_t)strlen(names[i].name);
        if (used + more > EROFS_BLOCK)
            break;
        used += more;
    }
    *ret_used = used;
    return i;
}

static uint64_t dir_size(const RwNode *dir)
{
    uint64_t size = 0;
    for (uint32_t at = 0; at < dir->dir.n_sorted;) {
        uint32_t used;
        at += rw_layout_dir_block(dir->dir.sorted + at, dir->dir.n_sorted - at, &used);
        size += at < dir->dir.n_sorted ? EROFS_BLOCK : used;
    }
    return size;
}

uint64_t rw_layout_data_size(const RwNode *node)
{
    if (S_ISDIR(node->mode))
        return dir_size(node);
    return S_ISLNK(node->mode) ? strlen(node->target) : 0;
}

// The last part of a block goes behind the inode where the two fit into one block.
static void place_data(RwLayout *layout, RwNode *node)
{
    uint64_t size = rw_layout_data_size(node), tail = size % EROFS_BLOCK;
    bool inlined = tail && rw_layout_head(node) + tail <= EROFS_BLOCK;
    node->layout = inlined ? EROFS_LAYOUT_INLINE : EROFS_LAYOUT_PLAIN;
    node->tail = inlined ? (uint16_t)tail : 0;
    node->block = (uint32_t)layout->blocks;
    layout->blocks += blocks_of(size) - inlined;
}

// ---- Metadata ----

uint64_t rw_layout_head(const RwNode *node)
{
    return EROFS_I_EXTENDED_SIZE + (node->xattrs ? g_bytes_get_size(node->xattrs) : 0);
}

static uint64_t chunk_table_size(const RwNode *node)
{
    uint64_t chunks = (blocks_of(node->file.size) + (1ull << node->chunk_bits) - 1) >> node->chunk_bits;
    return chunks * sizeof(uint32_t);
}

static void place_inode(RwLayout *layout, RwNode *node)
{
    uint64_t at = (layout->meta_size + EROFS_SLOT - 1) / EROFS_SLOT * EROFS_SLOT;
    uint64_t head = rw_layout_head(node);
    // Inline data must not cross into another block.
    if (node->tail && (at + head) % EROFS_BLOCK + node->tail > EROFS_BLOCK)
        at = blocks_of(at) * EROFS_BLOCK;
    node->meta = at;
    node->nid = at / EROFS_SLOT;
    bool table = S_ISREG(node->mode) && node->layout == EROFS_LAYOUT_CHUNKED;
    layout->meta_size = at + head + (table ? chunk_table_size(node) : node->tail);
}

bool rw_layout_finish(RwLayout *layout, RwTree *tree, GError **error)
{
    for (guint i = 0; i < tree->order->len; i++) {
        RwNode *node = g_ptr_array_index(tree->order, i);
        if (S_ISDIR(node->mode) || S_ISLNK(node->mode))
            place_data(layout, node);
    }
    layout->meta_block = layout->blocks;
    layout->meta_size = RW_LAYOUT_META_START;
    for (guint i = 0; i < tree->order->len; i++)
        place_inode(layout, g_ptr_array_index(tree->order, i));
    uint64_t all = layout->meta_block + blocks_of(layout->meta_size);
    if (all <= layout->max_blocks)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                "its image would take more than %" G_GUINT64_FORMAT " MiB", layout->max_blocks >> 8);
    return false;
}
