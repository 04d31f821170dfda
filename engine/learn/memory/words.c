// SPDX-License-Identifier: MIT
//
// Memory by page and by word of eight bytes.
#include "learn-private.h"

#define PAGE_WORDS 512u
#define SITES_A_WORD 64u
#define FRAMES_A_PAGE 16u
#define WORDS_MAX 2000000u // of the first ones only
#define RECENT 256u // pages that are found without looking in the table

typedef struct {
    uint32_t tid; // the first that touched it
    bool shared, written; // of several tasks
    bool handled, plain, changed; // of one task: by a handler, outside of it, and written, since it has one
    uint8_t atomics; // bytes
    uint8_t n, room, last; // of its sites, and the one that came last
    uint64_t *sites; // addresses and SITE_HANDLES
} Word;

#define SITE_HANDLES (1ull << 63) // its task had a handler by then

typedef struct {
    uint64_t key; // of its first byte
    uint32_t tid; // the first that touched it
    bool shared, written;
    bool atomic; // one of its words is accessed by atomic instructions
    guint n_frames;
    uint64_t *frames; // the guest-physical pages that it had
    Word **words; // of PAGE_WORDS; NULL: none yet
} Page;

typedef struct {
    uint64_t start, length;
} Range;

typedef struct {
    uint64_t rip;
    guint words; // how many shared ones it touches
    bool locks; // one of these is touched by atomic instructions
} Site;

// An access of those that were seen lately: most come again and again.
typedef struct {
    uint64_t rip, key;
    uint32_t who;
    uint8_t size, flags;
} Touch;

#define TOUCHES 8192u

struct _RwWords {
    Touch *touches; // of TOUCHES
    GHashTable *pages; // key → Page
    Page **recent; // of RECENT
    guint n_words;
    GArray *shared; // of Range
};

static void free_word(Word *word)
{
    if (word)
        g_free(word->sites);
    g_free(word);
}

static void free_page(gpointer data)
{
    Page *page = data;
    for (guint i = 0; page->words && i < PAGE_WORDS; i++)
        free_word(page->words[i]);
    g_free(page->words);
    g_free(page->frames);
    g_free(page);
}

RwWords *rw_words_new(void)
{
    RwWords *words = g_new0(RwWords, 1);
    words->pages = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_page);
    words->recent = g_new0(Page *, RECENT);
    words->touches = g_new0(Touch, TOUCHES);
    words->shared = g_array_new(false, false, sizeof(Range));
    return words;
}

void rw_words_free(RwWords *words)
{
    if (!words)
        return;
    g_hash_table_unref(words->pages);
    g_free(words->recent);
    g_free(words->touches);
    g_array_unref(words->shared);
    g_free(words);
}

// ---- Keys ----

void rw_words_add_shared(RwWords *words, uint64_t start, uint64_t length)
{
    for (guint i = 0; i < words->shared->len; i++) {
        const Range *range = &g_array_index(words->shared, Range, i);
        if (start >= range->start && length <= range->length &&
            start - range->start <= range->length - length)
            return;
    }
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

static Page *find_page(const RwWords *words, uint64_t key)
{
    Page **recent = &words->recent[key >> 12 & (RECENT - 1)];
    key &= ~(uint64_t)0xfff;
    if (!*recent || (*recent)->key != key) {
        Page *page = g_hash_table_lookup(words->pages, &key);
        if (!page)
            return NULL;
        *recent = page;
    }
    return *recent;
}

static Page *get_page(RwWords *words, uint64_t key, uint32_t tid)
{
    Page *page = find_page(words, key);
    if (!page) {
        page = g_new0(Page, 1);
        page->key = key & ~(uint64_t)0xfff;
        page->tid = tid;
        g_hash_table_insert(words->pages, &page->key, page);
    }
    return page;
}

static void add_frame(Page *page, uint64_t gpa)
{
    for (guint i = 0; i < page->n_frames; i++)
        if (page->frames[i] == gpa)
            return;
    if (page->n_frames == FRAMES_A_PAGE)
        return;
    page->frames = g_renew(uint64_t, page->frames, page->n_frames + 1);
    page->frames[page->n_frames++] = gpa;
}

void rw_words_touch_page(RwWords *words, uint32_t who, uint64_t key, uint64_t gpa, bool write)
{
    uint32_t tid = who & ~RW_WHO_HANDLES;
    Page *page = get_page(words, key, tid);
    page->written |= write;
    page->shared |= page->tid != tid;
    add_frame(page, gpa & ~(uint64_t)0xfff);
}

static bool is_met(const Page *page)
{
    return page->shared && page->written;
}

void rw_words_each_page(const RwWords *words, void (*each)(uint64_t gpa, bool atomic, void *data),
                        void *data)
{
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, words->pages);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Page *page = value;
        for (guint i = 0; is_met(page) && i < page->n_frames; i++)
            each(page->frames[i], page->atomic, data);
    }
}

guint rw_words_count_pages(const RwWords *words)
{
    GHashTableIter iter;
    gpointer value;
    guint n = 0;
    g_hash_table_iter_init(&iter, words->pages);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        n += is_met(value);
    return n;
}

// ---- Words ----

static Word *find_word(const RwWords *words, uint64_t key)
{
    const Page *page = find_page(words, key);
    return page && page->words ? page->words[key / 8 % PAGE_WORDS] : NULL;
}

// NULL: there is no room for more.
static Word *get_word(RwWords *words, uint64_t key, uint32_t tid)
{
    Page *page = get_page(words, key, tid);
    if (!page->words)
        page->words = g_new0(Word *, PAGE_WORDS);
    Word **word = &page->words[key / 8 % PAGE_WORDS];
    if (!*word && words->n_words < WORDS_MAX) {
        *word = g_new0(Word, 1);
        (*word)->tid = tid;
        words->n_words++;
    }
    return *word;
}

static void add_site(Word *word, uint64_t rip, uint64_t handles)
{
    if (word->n && word->sites[word->last] == (rip | handles))
        return;
    for (uint8_t i = 0; i < word->n; i++)
        if ((word->sites[i] & ~SITE_HANDLES) == rip) {
            word->sites[i] |= handles;
            word->last = i;
            return;
        }
    if (word->n == SITES_A_WORD)
        return;
    if (word->n == word->room) {
        word->room = word->room ? (uint8_t)(2 * word->room) : 2;
        word->sites = g_renew(uint64_t, word->sites, word->room);
    }
    word->last = word->n;
    word->sites[word->n++] = rip | handles;
}

static void touch_word(RwWords *words, uint32_t who, uint64_t key, const RwWatchAccess *access)
{
    uint32_t tid = who & RW_WHO_TASK;
    bool write = access->flags & RW_WATCH_WRITE;
    Word *word = get_word(words, key, tid);
    if (!word)
        return;
    word->written |= write;
    word->shared |= word->tid != tid;
    word->handled |= (who & RW_WHO_SIGNAL) != 0;
    word->plain |= who & RW_WHO_HANDLES && !(who & RW_WHO_SIGNAL);
    word->changed |= who & RW_WHO_HANDLES && write;
    add_site(word, access->rip, who & RW_WHO_HANDLES ? SITE_HANDLES : 0);
}

static bool is_known(RwWords *words, const Touch *touch)
{
    uint64_t hash = (touch->rip ^ touch->key * 31) * 0x9e3779b97f4a7c15ull >> 32;
    Touch *known = &words->touches[hash & (TOUCHES - 1)];
    if (known->rip == touch->rip && known->key == touch->key && known->who == touch->who &&
        known->size == touch->size && known->flags == touch->flags)
        return true;
    *known = *touch;
    return false;
}

bool rw_words_touch(RwWords *words, uint32_t who, uint64_t key, const RwWatchAccess *access)
{
    Touch touch = {access->rip, key, who, access->size, access->flags};
    if (is_known(words, &touch))
        return false;
    uint64_t last = (key + access->size - 1) & ~7ull;
    for (uint64_t word = key & ~7ull; word <= last; word += 8)
        touch_word(words, who, word, access);
    return true;
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
        Word *word = find_word(words, of);
        if (!word)
            continue;
        word->atomics |= rw_words_bytes(of, key, access->size);
        find_page(words, of)->atomic = true;
    }
}

static bool is_shared(const Word *word)
{
    return meets_others(word) || (word->handled && word->plain && word->changed);
}

bool rw_words_is_shared(const RwWords *words, uint64_t key)
{
    const Word *word = find_word(words, key);
    return word && is_shared(word);
}

static int by_key(gconstpointer a, gconstpointer b)
{
    const Page *x = *(Page *const *)a, *y = *(Page *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

// Those with words, in order. For the caller to unref.
static GPtrArray *list_pages(const RwWords *words)
{
    GPtrArray *list = g_ptr_array_new();
    GHashTableIter iter;
    gpointer page;
    g_hash_table_iter_init(&iter, words->pages);
    while (g_hash_table_iter_next(&iter, NULL, &page))
        if (((Page *)page)->words)
            g_ptr_array_add(list, page);
    g_ptr_array_sort(list, by_key);
    return list;
}

typedef void EachWord(uint64_t key, const Word *word, void *data);

static void each_shared(const RwWords *words, EachWord *each, void *data)
{
    g_autoptr(GPtrArray) list = list_pages(words);
    for (guint n = 0; n < list->len; n++) {
        const Page *page = list->pdata[n];
        for (guint i = 0; i < PAGE_WORDS; i++)
            if (page->words[i] && is_shared(page->words[i]))
                each(page->key + i * 8, page->words[i], data);
    }
}

typedef struct {
    void (*each)(uint64_t key, uint8_t atomics, void *data);
    void *data;
} Teller;

static void tell_shared(uint64_t key, const Word *word, void *data)
{
    const Teller *teller = data;
    teller->each(key, word->atomics, teller->data);
}

void rw_words_each_shared(const RwWords *words, void (*each)(uint64_t key, uint8_t atomics, void *data),
                          void *data)
{
    each_shared(words, tell_shared, &(Teller){each, data});
}

static void count_word(uint64_t key, const Word *word, void *data)
{
    guint *n = data;
    (void)key;
    (void)word;
    ++*n;
}

guint rw_words_count(const RwWords *words)
{
    guint n = 0;
    each_shared(words, count_word, &n);
    return n;
}

// ---- Instructions ----

// Libraries lie high, programs low or around 0x55…: where the kernel maps them.
#define IS_LIBRARY(rip) ((rip) >= 0x7f0000000000ull)

// Locks before all else: holds need them. Those of few words first: they are for something of their own,
// and what touches many is everybody's.
static int by_use(gconstpointer a, gconstpointer b)
{
    const Site *x = a, *y = b;
    if (IS_LIBRARY(x->rip) != IS_LIBRARY(y->rip))
        return IS_LIBRARY(x->rip) ? 1 : -1;
    if (x->locks != y->locks)
        return y->locks ? 1 : -1;
    if (x->words != y->words)
        return x->words > y->words ? 1 : -1;
    return (x->rip > y->rip) - (x->rip < y->rip);
}

static void count_sites(uint64_t key, const Word *word, void *data)
{
    GHashTable *sites = data;
    (void)key;
    for (guint i = 0; i < word->n; i++) {
        uint64_t rip = word->sites[i] & ~SITE_HANDLES;
        if (!meets_others(word) && !(word->sites[i] & SITE_HANDLES))
            continue; // no handler could have come there
        Site *site = g_hash_table_lookup(sites, &rip);
        if (!site) {
            site = g_new0(Site, 1);
            site->rip = rip;
            g_hash_table_insert(sites, &site->rip, site);
        }
        site->words++;
        site->locks |= word->atomics != 0;
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
    g_autoptr(GHashTable) sites = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    g_autoptr(GArray) list = g_array_new(false, false, sizeof(Site));
    GHashTableIter iter;
    gpointer site;
    each_shared(words, count_sites, sites);
    g_hash_table_iter_init(&iter, sites);
    while (g_hash_table_iter_next(&iter, NULL, &site))
        g_array_append_vals(list, site, 1);
    g_array_sort(list, by_use);
    return take_most(list, ret_sites, most);
}
