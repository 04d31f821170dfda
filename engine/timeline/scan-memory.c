// SPDX-License-Identifier: MIT
//
// Memory that is read, written or changed. It is watched by the guest-physical pages that it is in: those
// that it is found in at first, and those that an access by its address leads to later.
#include "scan-private.h"

#define PAGE 4096ull

// A write that was told: what it makes of the bytes is known when it is done.
typedef struct {
    RwSeen seen;
    uint64_t gpa;
    uint8_t size;
    uint8_t old[16];
} Write;

static bool is_memory(const RwWhen *when)
{
    return when->kind == RW_WHEN_READ || when->kind == RW_WHEN_WRITTEN || when->kind == RW_WHEN_CHANGED;
}

// ---- Whose memory ----

static gpointer page_key(uint64_t address)
{
    return GSIZE_TO_POINTER(address / PAGE);
}

// Of the process that has the CPU, for when it has not.
static void learn_root(RwScan *s)
{
    uint32_t pid, tid;
    rw_machine_get_current(s->timeline->machine, &pid, &tid);
    for (size_t i = 0; pid && i < s->n; i++)
        if (is_memory(&s->whens[i]) && s->whens[i].pid == pid)
            g_hash_table_insert(s->roots, GUINT_TO_POINTER(pid),
                                GSIZE_TO_POINTER(rw_machine_root(s->timeline->machine)));
}

// 0: not known.
static uint64_t root_of(const RwScan *s, const RwWhen *when)
{
    if (when->root)
        return when->root;
    return GPOINTER_TO_SIZE(g_hash_table_lookup(s->roots, GUINT_TO_POINTER(when->pid)));
}

// Whether what lies at `va` in the condition's address space is at `gpa`. Where it is nobody's in
// particular `own` says whether the access was by that address.
static bool is_there(RwScan *s, const RwWhen *when, uint64_t va, uint64_t gpa, bool own)
{
    if (when->physical)
        return true;
    uint64_t root = root_of(s, when), found;
    if (!root)
        return own && !when->pid;
    return rw_machine_translate(s->timeline->machine, root, va, &found) && found == gpa;
}

// ---- Accesses ----

static bool suits(const RwWhen *when, const RwWatchAccess *access)
{
    return access->flags & (when->kind == RW_WHEN_READ ? RW_WATCH_READ : RW_WATCH_WRITE);
}

static void keep_write(RwScan *s, const RwSeen *seen, uint64_t gpa, unsigned size)
{
    Write write = {.seen = *seen, .gpa = gpa, .size = (uint8_t)size};
    if (rw_machine_read_memory(s->timeline->machine, gpa, write.old, size))
        g_array_append_val(s->writes, write);
}

// The part of it that is the condition's, from `va` on.
static void note_access(RwScan *s, size_t which, const RwWatchAccess *access, uint64_t va)
{
    const RwWhen *when = &s->whens[which];
    uint64_t from = MAX(va, when->address);
    uint64_t size = MIN(va + access->size, when->address + when->length) - from;
    RwSpot spot = {rw_machine_steps(s->timeline->machine), access->icount + 1, s->timeline->base};
    RwSeen seen = rw_scan_seen(s, which, &spot);
    if (!rw_scan_covers(s, &spot) || (when->tid && when->tid != seen.hit.tid))
        return;
    seen.hit.rip = access->rip;
    seen.hit.kernel = access->flags & RW_WATCH_KERNEL;
    seen.hit.address = from;
    seen.hit.size = (unsigned)size;
    if (when->kind == RW_WHEN_CHANGED)
        keep_write(s, &seen, access->gpa + (from - va), (unsigned)size);
    else
        rw_scan_take(s, &seen);
    if (s->forward) {
        s->left = true;
        rw_machine_leave(s->timeline->machine);
    }
}

static bool overlaps(const RwWhen *when, uint64_t va, uint64_t size)
{
    return va < when->address + when->length && when->address < va + size;
}

static void on_access(void *data, const RwWatchAccess *access)
{
    RwScan *s = data;
    gpointer page;
    rw_scan_settle(s);
    if (!g_hash_table_lookup_extended(s->pages, page_key(access->gpa), NULL, &page))
        return;
    learn_root(s);
    uint64_t va = GPOINTER_TO_SIZE(page) * PAGE + access->gpa % PAGE;
    for (size_t i = 0; i < s->n; i++) {
        const RwWhen *when = &s->whens[i];
        uint64_t at = when->physical ? access->gpa : va;
        if (is_memory(when) && suits(when, access) && overlaps(when, at, access->size) &&
            is_there(s, when, va, access->gpa, va == access->va))
            note_access(s, i, access, at);
    }
}

// ---- Pages ----

static void add_page(RwScan *s, uint64_t va, uint64_t gpa)
{
    g_hash_table_insert(s->pages, page_key(gpa), page_key(va));
    rw_machine_watch_page(s->timeline->machine, gpa);
}

static void on_page(void *data, uint64_t va, uint64_t gpa, bool write)
{
    RwScan *s = data;
    for (size_t i = 0; i < s->n; i++) {
        const RwWhen *when = &s->whens[i];
        if (!is_memory(when) || when->physical || !overlaps(when, va - va % PAGE, PAGE))
            continue;
        add_page(s, va, gpa);
        return;
    }
}

// What is known of a page that others look for by its address in a process stays.
static void find_physical(RwScan *s, const RwWhen *when)
{
    uint64_t end = when->address + when->length;
    for (uint64_t gpa = when->address - when->address % PAGE; gpa < end; gpa += PAGE)
        if (!g_hash_table_contains(s->pages, page_key(gpa)))
            add_page(s, gpa, gpa);
}

static void find_pages_of(RwScan *s, const RwWhen *when, uint64_t root)
{
    uint64_t gpa, end = when->address + when->length;
    for (uint64_t va = when->address - when->address % PAGE; va < end; va += PAGE)
        if (rw_machine_translate(s->timeline->machine, root, va, &gpa))
            add_page(s, va, gpa);
}

void rw_scan_find_pages(RwScan *s)
{
    g_hash_table_remove_all(s->pages);
    g_array_set_size(s->writes, 0);
    learn_root(s);
    for (size_t i = 0; i < s->n; i++) {
        const RwWhen *when = &s->whens[i];
        uint64_t root = is_memory(when) && !when->physical ? root_of(s, when) : 0;
        if (root)
            find_pages_of(s, when, root);
        else if (is_memory(when) && when->physical)
            find_physical(s, when);
    }
}

void rw_scan_settle(RwScan *s)
{
    for (guint i = 0; s->writes && i < s->writes->len; i++) {
        const Write *write = &g_array_index(s->writes, Write, i);
        uint8_t now[sizeof write->old];
        if (rw_machine_read_memory(s->timeline->machine, write->gpa, now, write->size) &&
            memcmp(now, write->old, write->size) != 0)
            rw_scan_take(s, &write->seen);
    }
    if (s->writes)
        g_array_set_size(s->writes, 0);
}

// ---- Life ----

void rw_scan_add_watch(RwScan *s)
{
    s->pages = g_hash_table_new(NULL, NULL);
    s->roots = g_hash_table_new(NULL, NULL);
    s->writes = g_array_new(false, false, sizeof(Write));
    s->breaks.watch = (RwVcpuWatch){.page = on_page, .access = on_access, .data = s, .kernel = true};
}

void rw_scan_remove_watch(RwScan *s)
{
    g_hash_table_unref(s->pages);
    g_hash_table_unref(s->roots);
    g_array_unref(s->writes);
}
