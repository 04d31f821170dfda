// SPDX-License-Identifier: MIT
//
// Memory by page and by word of eight bytes.
#include "learn-private.h"

#define SITES_A_WORD 64u
#define FRAMES_A_PAGE 16u
#define WORDS_MAX 2000000u // of the first ones only

typedef struct {
    uint32_t tid; // the first that touched it
    bool shared, written;
    GArray *frames; // of uint64_t: the guest-physical pages that it had
} Page;

typedef struct {
    uint64_t start, length;
} Range;

typedef struct {
    uint32_t tid;
    bool shared, written; // of several tasks
    bool handled, plain, changed; // of one task: by a handler, outside of it, and written, since it has one
    uint8_t atomics; // bytes
    GArray *sites; // of uint64_t, in the order in which they came: addresses and SITE_HANDLES
} Word;

#define SITE_HANDLES (1ull << 63) // its task had a handler by then

typedef struct {
    uint64_t rip;
    guint words; // how many shared ones it touches
} Site;

struct _RwWords {
    GHashTable *pages; // key of a page → Page
    GHashTable *words; // key of a word → Word
    GArray *shared; // of Range
};

static void free_page(gpointer data)
{
    Page *page = data;
    g_array_unref(page->frames);
    g_free(page);
}

static void free_word(gpointer data)
{
    Word *word = data;
    g_array_unref(word->sites);
    g_free(word);
}

RwWords *rw_words_new(void)
{
    RwWords *words = g_new0(RwWords, 1);
    words->pages = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_page);
    words->shared = g_array_new(false, false, sizeof(Range));
    words->words = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_word);
    return words;
}

void rw_words_free(RwWords *words)
{
    if (!words)
        return;
    g_hash_table_unref(words->pages);
    g_hash_table_unref(words->words);
    g_array_unref(words->shared);
    g_free(words);
}

static gpointer dup_key(uint64_t key)
{
    return g_memdup2(&key, sizeof key);
}

// ---- Keys ----

void rw_words_add_shared(RwWords *words, uint64_t start, uint64_t length)
{
    Range range = {start, length};
    g_array_append_val(words->shared, range);
}

#define USER_BITS 47 // of virtual addresses

uint64_t rw_words_key(const RwWords *words, uint32_t pid, uint64_t va, uint64_t gpa)
{
    for (guint i = 0; i < words->shared->len; i++) {
        const Range *range = &g_array_index(words->shared, Range, i);
        if (va - range->start < range->length)
            return gpa;
    }
    return (uint64_t)pid << USER_BITS | (va & ((1ull << USER_BITS) - 1));
}

// ---- Pages ----

static void add_frame(Page *page, uint64_t gpa)
{
    for (guint i = 0; i < page->frames->len; i++)
        if (g_array_index(page->frames, uint64_t, i) == gpa)
            return;
    if (page->frames->len < FRAMES_A_PAGE)
        g_array_append_val(page->frames, gpa);
}

void rw_words_touch_page(RwWords *words, uint32_t who, uint64_t key, uint64_t gpa, bool write)
{
    uint32_t tid = who & ~RW_WHO_HANDLES;
    uint64_t page_key = key & ~(uint64_t)0xfff;
    Page *page = g_hash_table_lookup(words->pages, &page_key);
    if (!page) {
        page = g_new0(Page, 1);
        page->tid = tid;
        page->frames = g_array_new(false, false, sizeof(uint64_t));
        g_hash_table_insert(words->pages, dup_key(page_key), page);
    }
    page->written |= write;
    page->shared |= page->tid != tid;
    add_frame(page, gpa & ~(uint64_t)0xfff);
}

static int by_number(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void rw_words_each_page(const RwWords *words, void (*each)(uint64_t gpa, void *data), void *data)
{
    g_autoptr(GArray) list = g_array_new(false, false, sizeof(uint64_t));
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, words->pages);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Page *page = value;
        if (page->shared && page->written)
            g_array_append_vals(list, page->frames->data, page->frames->len);
    }
    g_array_sort(list, by_number);
    for (guint i = 0; i < list->len; i++)
        if (!i || g_array_index(list, uint64_t, i) != g_array_index(list, uint64_t, i - 1))
            each(g_array_index(list, uint64_t, i), data);
}

guint rw_words_count_pages(const RwWords *words)
{
    GHashTableIter iter;
    gpointer value;
    guint n = 0;
    g_hash_table_iter_init(&iter, words->pages);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        n += ((Page *)value)->shared && ((Page *)value)->written;
    return n;
}

// ---- Words ----

static void add_site(Word *word, uint64_t rip, uint64_t handles)
{
    for (guint i = 0; i < word->sites->len; i++)
        if ((g_array_index(word->sites, uint64_t, i) & ~SITE_HANDLES) == rip) {
            g_array_index(word->sites, uint64_t, i) |= handles;
            return;
        }
    rip |= handles;
    if (word->sites->len < SITES_A_WORD)
        g_array_append_val(word->sites, rip);
}

static void touch_word(RwWords *words, uint32_t who, uint64_t key, const RwWatchAccess *access)
{
    uint32_t tid = who & RW_WHO_TASK;
    bool write = access->flags & RW_WATCH_WRITE;
    Word *word = g_hash_table_lookup(words->words, &key);
    if (!word && g_hash_table_size(words->words) >= WORDS_MAX)
        return;
    if (!word) {
        word = g_new0(Word, 1);
        word->tid = tid;
        word->sites = g_array_new(false, false, sizeof(uint64_t));
        g_hash_table_insert(words->words, dup_key(key), word);
    }
    word->written |= write;
    word->shared |= word->tid != tid;
    word->handled |= (who & RW_WHO_SIGNAL) != 0;
    word->plain |= who & RW_WHO_HANDLES && !(who & RW_WHO_SIGNAL);
    word->changed |= who & RW_WHO_HANDLES && write;
    add_site(word, access->rip, who & RW_WHO_HANDLES ? SITE_HANDLES : 0);
}

void rw_words_touch(RwWords *words, uint32_t who, uint64_t key, const RwWatchAccess *access)
{
    uint64_t last = (key + access->size - 1) & ~7ull;
    for (uint64_t word = key & ~7ull; word <= last; word += 8)
        touch_word(words, who, word, access);
}

static bool meets_others(const Word *word)
{
    return word->shared && word->written;
}

uint8_t rw_words_bytes(uint64_t word, uint64_t key, unsigned size)
{
    uint8_t bytes = 0;
    for (guint i = 0; i < 8; i++)
        if (word + i - key < size)
            bytes |= (uint8_t)(1u << i);
    return bytes;
}

void rw_words_touch_atomic(RwWords *words, uint64_t key, const RwWatchAccess *access)
{
    for (uint64_t of = key & ~7ull; of < key + access->size; of += 8) {
        Word *word = g_hash_table_lookup(words->words, &of);
        if (word)
            word->atomics |= rw_words_bytes(of, key, access->size);
    }
}

static bool is_shared(const Word *word)
{
    return meets_others(word) || (word->handled && word->plain && word->changed);
}

bool rw_words_is_shared(const RwWords *words, uint64_t key)
{
    uint64_t of = key & ~7ull;
    const Word *word = g_hash_table_lookup(words->words, &of);
    return word && is_shared(word);
}

typedef struct {
    uint64_t key;
    uint8_t atomics;
} Shared;

void rw_words_each_shared(const RwWords *words, void (*each)(uint64_t key, uint8_t atomics, void *data),
                          void *data)
{
    g_autoptr(GArray) list = g_array_new(false, false, sizeof(Shared));
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, words->words);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        Shared shared = {*(const uint64_t *)key, ((const Word *)value)->atomics};
        if (is_shared(value))
            g_array_append_val(list, shared);
    }
    g_array_sort(list, by_number); // by its first member
    for (guint i = 0; i < list->len; i++)
        each(g_array_index(list, Shared, i).key, g_array_index(list, Shared, i).atomics, data);
}

guint rw_words_count(const RwWords *words)
{
    GHashTableIter iter;
    gpointer value;
    guint n = 0;
    g_hash_table_iter_init(&iter, words->words);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        n += is_shared(value);
    return n;
}

// ---- Instructions ----

// Libraries lie high, programs low or around 0x55…: where the kernel maps them.
#define IS_LIBRARY(rip) ((rip) >= 0x7f0000000000ull)

// Those of few words first: they are for something of their own, and what touches many is everybody's.
static int by_use(gconstpointer a, gconstpointer b)
{
    const Site *x = a, *y = b;
    if (IS_LIBRARY(x->rip) != IS_LIBRARY(y->rip))
        return IS_LIBRARY(x->rip) ? 1 : -1;
    if (x->words != y->words)
        return x->words > y->words ? 1 : -1;
    return (x->rip > y->rip) - (x->rip < y->rip);
}

static void count_sites(GHashTable *sites, const Word *word)
{
    for (guint i = 0; i < word->sites->len; i++) {
        uint64_t site = g_array_index(word->sites, uint64_t, i), rip = site & ~SITE_HANDLES;
        if (!meets_others(word) && !(site & SITE_HANDLES))
            continue; // no handler could have come there
        guint words = GPOINTER_TO_UINT(g_hash_table_lookup(sites, &rip));
        g_hash_table_replace(sites, dup_key(rip), GUINT_TO_POINTER(words + 1));
    }
}

// An interpreter has more of its own than fit; a quarter is left for libraries.
static guint take_most(const GArray *list, uint64_t *ret_sites, guint most)
{
    guint own = 0, n = 0;
    while (own < list->len && !IS_LIBRARY(g_array_index(list, Site, own).rip))
        own++;
    guint library = MIN(list->len - own, MAX(most / 4, most - MIN(own, most)));
    guint of_own = MIN(own, most - library);
    for (guint i = 0; i < of_own; i++)
        ret_sites[n++] = g_array_index(list, Site, i).rip;
    for (guint i = 0; i < library; i++)
        ret_sites[n++] = g_array_index(list, Site, own + i).rip;
    return n;
}

guint rw_words_list_sites(const RwWords *words, uint64_t *ret_sites, guint most)
{
    g_autoptr(GHashTable) sites = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GArray) list = g_array_new(false, false, sizeof(Site));
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, words->words);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        if (is_shared(value))
            count_sites(sites, value);
    g_hash_table_iter_init(&iter, sites);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        Site site = {*(const uint64_t *)key, GPOINTER_TO_UINT(value)};
        g_array_append_val(list, site);
    }
    g_array_sort(list, by_use);
    return take_most(list, ret_sites, most);
}
