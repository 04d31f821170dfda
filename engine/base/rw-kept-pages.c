// SPDX-License-Identifier: MIT
#include "rw-kept-pages.h"

#include "rw-error.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

// What one set had to copy. Those made after it may have pages of it, too.
typedef struct {
    int refs; // one a set
    size_t size; // bytes
    uint8_t *bytes;
} Block;

typedef struct {
    const uint8_t *bytes;
    Block *block;
} Page;

struct _RwKeptPages {
    uint32_t *numbers;
    Page *pages;
    uint64_t n;
    GPtrArray *blocks; // each of its pages', once
};

// ---- Blocks ----

static void block_unref(gpointer data)
{
    Block *block = data;
    if (!g_atomic_int_dec_and_test(&block->refs))
        return;
    munmap(block->bytes, block->size);
    g_free(block);
}

// All of it is there at once: a fault for each page costs more than the page.
static Block *block_new(uint64_t n_pages, GError **error)
{
    size_t size = n_pages * RW_KEPT_PAGE_SIZE;
    void *bytes =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (bytes == MAP_FAILED) {
        rw_error_from_errno(error, errno, "cannot make a snapshot");
        return NULL;
    }
    Block *block = g_new(Block, 1);
    *block = (Block){1, size, bytes};
    return block;
}

// ---- Sets ----

static const uint8_t *in_memory(const uint8_t *memory, uint32_t number)
{
    return memory + (uint64_t)number * RW_KEPT_PAGE_SIZE;
}

// The page of that number in `like`, where it has the same contents, or NULL. *at goes on from one call to
// the next: numbers ascend.
static const Page *find_same(const RwKeptPages *like, uint64_t *at, uint32_t number, const uint8_t *bytes)
{
    while (*at < like->n && like->numbers[*at] < number)
        ++*at;
    if (*at == like->n || like->numbers[*at] != number ||
        memcmp(like->pages[*at].bytes, bytes, RW_KEPT_PAGE_SIZE) != 0)
        return NULL;
    return &like->pages[*at];
}

// Takes over contents that are the same there, and holds their blocks. Returns how many are not.
static uint64_t share(RwKeptPages *p, const uint8_t *memory, const RwKeptPages *like)
{
    g_autoptr(GHashTable) held = g_hash_table_new(NULL, NULL);
    uint64_t missing = 0;
    for (uint64_t i = 0, at = 0; i < p->n; i++) {
        const Page *same = find_same(like, &at, p->numbers[i], in_memory(memory, p->numbers[i]));
        if (!same) {
            missing++;
            continue;
        }
        p->pages[i] = *same;
        if (!g_hash_table_add(held, same->block))
            continue;
        g_atomic_int_inc(&same->block->refs);
        g_ptr_array_add(p->blocks, same->block);
    }
    return missing;
}

static bool copy_rest(RwKeptPages *p, const uint8_t *memory, uint64_t missing, GError **error)
{
    Block *block = missing ? block_new(missing, error) : NULL;
    if (!block)
        return !missing;
    g_ptr_array_add(p->blocks, block);
    uint8_t *to = block->bytes;
    for (uint64_t i = 0; i < p->n; i++) {
        if (p->pages[i].bytes)
            continue;
        memcpy(to, in_memory(memory, p->numbers[i]), RW_KEPT_PAGE_SIZE);
        p->pages[i] = (Page){to, block};
        to += RW_KEPT_PAGE_SIZE;
    }
    return true;
}

RwKeptPages *rw_kept_pages_new(uint32_t *numbers, uint64_t n, const uint8_t *memory,
                               const RwKeptPages *like, GError **error)
{
    RwKeptPages *p = g_new(RwKeptPages, 1);
    *p = (RwKeptPages){numbers, g_new0(Page, n), n, g_ptr_array_new_with_free_func(block_unref)};
    uint64_t missing = like ? share(p, memory, like) : n;
    if (copy_rest(p, memory, missing, error))
        return p;
    rw_kept_pages_free(p);
    return NULL;
}

void rw_kept_pages_free(RwKeptPages *pages)
{
    if (!pages)
        return;
    g_ptr_array_unref(pages->blocks);
    g_free(pages->numbers);
    g_free(pages->pages);
    g_free(pages);
}

uint64_t rw_kept_pages_get_count(const RwKeptPages *pages)
{
    return pages->n;
}

const uint32_t *rw_kept_pages_get_numbers(const RwKeptPages *pages)
{
    return pages->numbers;
}

const uint8_t *rw_kept_pages_get(const RwKeptPages *pages, uint64_t i)
{
    return pages->pages[i].bytes;
}

uint64_t rw_kept_pages_get_own(const RwKeptPages *pages)
{
    uint64_t own = 0;
    for (guint i = 0; i < pages->blocks->len; i++) {
        Block *block = pages->blocks->pdata[i];
        own += g_atomic_int_get(&block->refs) == 1 ? block->size : 0;
    }
    return own;
}
