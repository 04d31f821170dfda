// SPDX-License-Identifier: MIT
//
// The accesses to each word of memory, compared with the last ones of other tasks: ordered, by what, or
// not.
#include "order-private.h"

#include <string.h>

#define PAGE_WORDS 512u
#define ENTRIES_A_WORD 32u // of the latest ones only
#define ENTRIES_MAX 4000000u
#define PAIRS_MAX 100000u
#define LOCKS_HELD 8u // by one task, and
#define LOCKS_TOLD 3u // of these, the latest of an access
#define LIBRARIES 0x7f0000000000ull // where the kernel maps them: from here on

// The last access of a task from an instruction.
typedef struct {
    uint64_t rip;
    uint32_t epoch, count, seen, site; // seen: the word's version; site: index + 1
    uint32_t locks[LOCKS_TOLD]; // words' numbers
    uint16_t task;
    uint8_t mask, flags;
    bool jumps, is_counted;
} Entry;

typedef struct {
    uint64_t key, va;
    guint number; // from 1
    guint object; // index + 1
    guint task; // that was there last
    uint8_t atomics;
    bool was_lock;
    bool is_no_lock; // what one adds is not taken back: a count
    uint16_t n, room;
    uint32_t version; // how many accesses were kept
    guint holder; // task + 1 that took it as a lock; 0: nobody
    uint64_t free_value; // as it was before that
    Entry *entries;
    RwSync *syncs; // of each byte; NULL: nothing was left
} Word;

typedef struct {
    Word *words[PAGE_WORDS];
} Page;

typedef struct {
    guint n;
    uint32_t words[LOCKS_HELD];
} Held;

struct _RwOrder {
    RwLearned *learned;
    RwOrderNames names;
    RwClocks clocks;
    GHashTable *pages; // number → Page
    GPtrArray *words; // of Word, by number - 1
    GArray *held; // of Held, by task
    GHashTable *pairs; // two sites → index + 1
    uint64_t entries;
};

static void free_word(gpointer data)
{
    Word *word = data;
    g_free(word->entries);
    g_free(word->syncs);
    g_free(word);
}

RwOrder *rw_order_new(RwLearned *learned, const RwOrderNames *names)
{
    RwOrder *order = g_new0(RwOrder, 1);
    order->learned = learned;
    order->names = *names;
    rw_clocks_init(&order->clocks);
    order->pages = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    order->words = g_ptr_array_new_with_free_func(free_word);
    order->held = g_array_new(false, true, sizeof(Held));
    order->pairs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return order;
}

void rw_order_free(RwOrder *order)
{
    if (!order)
        return;
    for (guint i = 0; i < order->words->len; i++) {
        Word *word = order->words->pdata[i];
        for (guint byte = 0; word->syncs && byte < 8; byte++)
            rw_sync_clear(&order->clocks, &word->syncs[byte]);
    }
    rw_clocks_clear(&order->clocks);
    g_hash_table_unref(order->pages);
    g_ptr_array_unref(order->words);
    g_array_unref(order->held);
    g_hash_table_unref(order->pairs);
    g_free(order);
}

RwClocks *rw_order_clocks(RwOrder *order)
{
    return &order->clocks;
}

// ---- Words ----

static Page *find_page(const RwOrder *order, uint64_t key)
{
    uint64_t number = key >> 12;
    return g_hash_table_lookup(order->pages, &number);
}

static Word *find_word(const RwOrder *order, uint64_t key)
{
    const Page *page = find_page(order, key);
    return page ? page->words[key / 8 % PAGE_WORDS] : NULL;
}

void rw_order_add_word(RwOrder *order, uint64_t key, uint8_t atomics)
{
    Page *page = find_page(order, key);
    if (!page) {
        uint64_t number = key >> 12;
        page = g_new0(Page, 1);
        g_hash_table_insert(order->pages, g_memdup2(&number, sizeof number), page);
    }
    Word **word = &page->words[key / 8 % PAGE_WORDS];
    if (!*word) {
        *word = g_new0(Word, 1);
        (*word)->key = key;
        g_ptr_array_add(order->words, *word);
        (*word)->number = order->words->len;
    }
    (*word)->atomics |= atomics;
}

static Held *get_held(RwOrder *order, guint task)
{
    if (order->held->len <= task)
        g_array_set_size(order->held, task + 1);
    return &g_array_index(order->held, Held, task);
}

static void drop_lock(RwOrder *order, Word *word)
{
    Held *held = get_held(order, word->holder - 1);
    guint to = 0;
    for (guint i = 0; i < held->n; i++)
        if (held->words[i] != word->number)
            held->words[to++] = held->words[i];
    held->n = to;
    word->holder = 0;
}

static void forget_words(RwOrder *order, Page *page, uint64_t start, uint64_t length)
{
    for (guint i = 0; i < PAGE_WORDS; i++) {
        Word *word = page->words[i];
        if (!word || word->key - start >= length)
            continue;
        order->entries -= word->n;
        word->n = 0;
        if (word->holder)
            drop_lock(order, word);
        for (guint byte = 0; word->syncs && byte < 8; byte++)
            rw_sync_clear(&order->clocks, &word->syncs[byte]);
    }
}

void rw_order_forget(RwOrder *order, uint64_t start, uint64_t length)
{
    uint64_t first = start >> 12, pages = (length + (start & 0xfff) + 0xfff) >> 12;
    GHashTableIter iter;
    gpointer key, page;
    if (pages <= g_hash_table_size(order->pages)) {
        for (uint64_t i = 0; i < pages; i++)
            if ((page = find_page(order, (first + i) << 12)))
                forget_words(order, page, start, length);
        return;
    }
    g_hash_table_iter_init(&iter, order->pages);
    while (g_hash_table_iter_next(&iter, &key, &page))
        if (*(const uint64_t *)key - first < pages)
            forget_words(order, page, start, length);
}

// ---- Locks ----

// A word is a lock that a task has from the atomic instruction that finds it free until that task's next
// change of it, which makes it free again. Others that change it meanwhile wait.
static void note_lock(RwOrder *order, Word *word, const RwOrderAccess *access)
{
    Held *held = get_held(order, access->task);
    if (word->holder == access->task + 1) {
        drop_lock(order, word);
        return;
    }
    if (word->holder || word->is_no_lock || !(access->flags & RW_EVENT_ATOMIC))
        return;
    word->is_no_lock = word->was_lock && word->free_value != access->value;
    if (word->is_no_lock)
        return;
    word->was_lock = true;
    word->free_value = access->value;
    word->holder = access->task + 1;
    if (held->n == LOCKS_HELD) {
        Word *oldest = order->words->pdata[held->words[0] - 1];
        drop_lock(order, oldest);
    }
    held->words[held->n++] = word->number;
}

static void tell_locks(RwOrder *order, guint task, uint32_t *ret_locks)
{
    const Held *held = get_held(order, task);
    for (guint i = 0; i < LOCKS_TOLD; i++)
        ret_locks[i] = i < held->n ? held->words[held->n - 1 - i] : 0;
}

static guint common_lock(const Entry *a, const Entry *b)
{
    for (guint i = 0; i < LOCKS_TOLD && a->locks[i]; i++)
        for (guint j = 0; j < LOCKS_TOLD && b->locks[j]; j++)
            if (a->locks[i] == b->locks[j])
                return a->locks[i];
    return 0;
}

// ---- What orders others ----

// Reading an atomic word tells what was left there, changing it leaves something. What an instruction that
// does both finds stays there, since it knows it.
static void synchronise(RwOrder *order, Word *word, const RwOrderAccess *access)
{
    uint8_t bytes = access->mask & word->atomics;
    if (!word->syncs)
        word->syncs = g_new0(RwSync, 8);
    for (guint i = 0; i < 8 && access->flags & RW_EVENT_READS; i++)
        if (bytes & 1u << i)
            rw_clocks_acquire(&order->clocks, access->task, &word->syncs[i]);
    if (!(access->flags & RW_EVENT_CHANGES))
        return;
    note_lock(order, word, access);
    for (guint i = 0; i < 8; i++)
        if (bytes & 1u << i)
            rw_clocks_release(&order->clocks, access->task, &word->syncs[i], RW_RELEASE_STORE);
}

void rw_order_end_at(RwOrder *order, guint task, uint64_t key)
{
    uint64_t of = key & ~7ull;
    rw_order_add_word(order, of, 0);
    Word *word = find_word(order, of);
    // Where tasks take it as a lock the next one to take it may be any.
    RwRelease how = word->atomics ? RW_RELEASE_STORE : RW_RELEASE_END;
    if (word->atomics && word->holder)
        drop_lock(order, word);
    if (!word->syncs)
        word->syncs = g_new0(RwSync, 8);
    for (guint i = key & 4; i < (key & 4) + 4; i++) {
        rw_sync_clear(&order->clocks, &word->syncs[i]); // another task's end, of a stack that is used again
        rw_clocks_release(&order->clocks, task, &word->syncs[i], how);
    }
}

// ---- Pairs ----

static guint object_of(const RwOrder *order, Word *word)
{
    if (!word->object)
        word->object = order->names.object(order->names.data, word->task, word->key, word->va) + 1;
    return word->object - 1;
}

// G_MAXUINT: there is no room for more.
static guint site_of(const RwOrder *order, Word *word, Entry *entry)
{
    const RwOrderNames *names = &order->names;
    guint site = entry->site - 1;
    if (!entry->site)
        site = names->site(names->data, entry->task, object_of(order, word), entry->rip, entry->flags);
    if (!entry->site && site != G_MAXUINT)
        names->count(names->data, site, entry->count);
    entry->site = site + 1;
    return site;
}

static RwLearnedPair *find_pair(RwOrder *order, guint first, guint second)
{
    uint64_t key = (uint64_t)MIN(first, second) << 32 | MAX(first, second);
    GArray *pairs = order->learned->pairs;
    guint known = GPOINTER_TO_UINT(g_hash_table_lookup(order->pairs, &key));
    if (first == G_MAXUINT || second == G_MAXUINT || (!known && pairs->len >= PAIRS_MAX)) {
        order->learned->unjudged = true;
        return NULL;
    }
    if (!known) {
        RwLearnedPair pair = {.first = first, .second = second};
        g_array_append_val(pairs, pair);
        known = pairs->len;
        g_hash_table_insert(order->pairs, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(known));
    }
    return &g_array_index(pairs, RwLearnedPair, known - 1);
}

// Of instructions that nobody else counts, and of two accesses in libraries, it is told only that nothing
// orders them. The table through which a program calls functions of libraries is filled in by these as it
// runs.
static bool is_told(const Entry *a, const Entry *b, bool ordered)
{
    bool library[] = {a->rip >= LIBRARIES, b->rip >= LIBRARIES};
    if (ordered && (!a->is_counted || !b->is_counted))
        return false;
    if (library[0] && library[1])
        return !ordered;
    return !(a->jumps && library[1]) && !(b->jumps && library[0]);
}

static void compare(RwOrder *order, Word *word, Entry *before, Entry *now)
{
    bool conflict = before->task != now->task && (before->flags | now->flags) & RW_EVENT_CHANGES;
    if (!conflict || !(before->mask & now->mask & ~word->atomics))
        return;
    bool ordered = rw_clocks_is_before(&order->clocks, before->task, before->epoch, now->task);
    if (!is_told(before, now, ordered))
        return;
    RwLearnedPair *pair = find_pair(order, site_of(order, word, before), site_of(order, word, now));
    guint lock = common_lock(before, now);
    if (!pair)
        return;
    pair->offset = (guint)g_bit_nth_lsf(before->mask & now->mask & ~word->atomics, -1);
    if (!ordered) {
        pair->unordered++;
    } else if (rw_clocks_is_forced(&order->clocks, before->task, before->epoch, now->task)) {
        pair->forced++;
    } else if (lock) {
        pair->locked++;
        pair->lock = object_of(order, order->words->pdata[lock - 1]) + 1;
    } else {
        pair->ordered++;
    }
}

// ---- Accesses ----

// One that happened before what the task does now says little more; else the oldest goes.
static guint choose_other(const RwOrder *order, const Word *word, guint task)
{
    guint oldest = 0;
    for (guint i = 0; i < word->n; i++) {
        const Entry *entry = &word->entries[i];
        if (entry->task != task && rw_clocks_is_before(&order->clocks, entry->task, entry->epoch, task))
            return i;
        if (entry->seen < word->entries[oldest].seen)
            oldest = i;
    }
    return oldest;
}

static Entry *find_entry(RwOrder *order, Word *word, const RwOrderAccess *access)
{
    for (guint i = 0; i < word->n; i++) {
        Entry *entry = &word->entries[i];
        if (entry->rip == access->rip && entry->task == access->task && entry->mask == access->mask)
            return entry;
    }
    Entry entry = {.rip = access->rip, .task = (uint16_t)access->task, .mask = access->mask};
    entry.jumps = access->jumps;
    guint at = word->n;
    if (word->n == ENTRIES_A_WORD) {
        at = choose_other(order, word, access->task);
    } else if (order->entries >= ENTRIES_MAX) {
        order->learned->unjudged = true;
        return NULL;
    } else {
        if (word->n == word->room) {
            word->room = word->room ? (uint16_t)(2 * word->room) : 2;
            word->entries = g_renew(Entry, word->entries, word->room);
        }
        word->n++;
        order->entries++;
    }
    word->entries[at] = entry;
    return &word->entries[at];
}

static void count_access(const RwOrder *order, Entry *entry, const RwOrderAccess *access)
{
    entry->flags |= access->flags;
    entry->is_counted = access->is_counted;
    if (access->is_counted)
        return;
    if (entry->site)
        order->names.count(order->names.data, entry->site - 1, 1);
    else
        entry->count++;
}

static void meet(RwOrder *order, Word *word, const RwOrderAccess *access)
{
    uint32_t now = rw_clocks_now(&order->clocks, access->task);
    Entry *entry = find_entry(order, word, access);
    if (!entry)
        return;
    count_access(order, entry, access);
    if (entry->epoch == now && entry->seen == word->version)
        return; // nothing has happened since
    entry->epoch = now;
    tell_locks(order, access->task, entry->locks);
    for (guint i = 0; i < word->n; i++)
        if (&word->entries[i] != entry)
            compare(order, word, &word->entries[i], entry);
    entry->seen = ++word->version;
}

void rw_order_access(RwOrder *order, const RwOrderAccess *access)
{
    Word *word = find_word(order, access->word);
    if (!word)
        return;
    word->task = access->task;
    word->va = access->va;
    order->learned->unjudged |= order->clocks.full;
    if (order->clocks.full)
        return;
    if (access->mask & ~word->atomics)
        meet(order, word, access);
    if (access->mask & word->atomics)
        synchronise(order, word, access);
    else if (word->syncs && access->flags & RW_EVENT_READS) // where the kernel tells of an end
        for (guint i = 0; i < 8; i++)
            if (access->mask & 1u << i)
                rw_clocks_acquire(&order->clocks, access->task, &word->syncs[i]);
}
