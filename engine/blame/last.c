// SPDX-License-Identifier: MIT
//
// The last write. What the kernel does to have a page at all (it is cleared, copied after a fork, read from
// its file) is nobody's write: that is gone through.
#include "blame-private.h"

#include "rw-kernel.h"

#define HOPS_MAX 64u // copies of pages that are gone through

const char *rw_blame_how_name(RwBlameHow how)
{
    static const char *const names[RW_N_BLAMES] = {"nobody", "image", "store", "call", "kernel"};
    return how < RW_N_BLAMES ? names[how] : "?";
}

void rw_blame_write_clear(RwBlameWrite *write)
{
    g_free(write->program);
    rw_inspect_task_free(write->task);
    for (size_t i = 0; i < write->n_from; i++)
        rw_symbol_clear(&write->from[i].symbol);
    *write = (RwBlameWrite){0};
}

// ---- One write ----

static bool is_in_image(uint64_t gpa)
{
    return gpa >= REWIND_IMAGE_GPA && gpa < REWIND_SWAP_GPA;
}

// 1: found, and the timeline stands before it; 0: nobody; -1: an error.
static int find_write(const RwBlame *b, const RwBlamePlace *place, RwWhenHit *ret, GError **error)
{
    RwWhen whens[RW_BLAME_SPANS_MAX];
    for (size_t i = 0; i < place->n; i++)
        whens[i] = (RwWhen){.kind = RW_WHEN_WRITTEN,
                            .physical = true,
                            .address = place->spans[i].gpa,
                            .length = place->spans[i].length};
    if (!place->n)
        return 0;
    RwWent went = rw_timeline_run(b->timeline, false, whens, place->n, ret, b->cancellable, error);
    if (went != RW_WENT_HIT)
        return went == RW_WENT_OUT ? 0 : -1;
    return rw_timeline_go_icount(b->timeline, ret->icount - 1, b->cancellable, error) ? 1 : -1;
}

static void take_hit(const RwBlame *b, const RwWhenHit *hit, RwBlameWrite *ret)
{
    RwMachine *machine = rw_timeline_get_machine(b->timeline);
    g_autoptr(RwKernel) kernel = hit->kernel ? rw_kernel_new(machine, NULL) : NULL;
    g_autofree RwKernelTask *task = kernel ? rw_kernel_find(kernel, hit->tid) : NULL;
    rw_blame_write_clear(ret);
    ret->how = !hit->kernel                             ? RW_BLAME_STORE
               : hit->pid && (!task || task->call >= 0) ? RW_BLAME_CALL
                                                        : RW_BLAME_KERNEL;
    ret->position = hit->position;
    ret->icount = hit->icount;
    ret->has_position = true;
    ret->pid = hit->pid;
    ret->tid = hit->tid;
    ret->program = *hit->program ? g_strdup(hit->program) : NULL;
    ret->gpa = hit->address;
}

static void add_from(RwBlameWrite *write, const BlameOrigin *origin)
{
    write->from[write->n_from++] =
        (RwBlameFrom){.va = origin->va, .span = {origin->gpa, origin->length}, .icount = origin->icount};
}

// The timeline comes back to where it stood.
static bool find_from(const RwBlame *b, const RwWhenHit *hit, BlamePageWork *ret_work, RwBlameWrite *write,
                      GError **error)
{
    BlameOrigins origins;
    if (!blame_find_page_work(b, hit, ret_work, error) ||
        !rw_timeline_go_icount(b->timeline, hit->icount - 1, b->cancellable, error) ||
        !blame_find_origins(b, hit, &origins, error))
        return false;
    write->moved = origins.moved.known;
    if (write->moved)
        add_from(write, &origins.moved);
    for (unsigned i = 0; i < origins.inputs.n && !write->moved; i++)
        add_from(write, &origins.inputs.of[i]);
    return rw_timeline_go_icount(b->timeline, hit->icount - 1, b->cancellable, error);
}

// ---- Who ----

static bool is_cancelled(const GError *why, GError **error)
{
    if (!g_error_matches(why, RW_ERROR, RW_ERROR_CANCELLED))
        return false;
    g_propagate_error(error, g_error_copy(why));
    return true;
}

// What is not known is no error.
static bool add_symbols(const RwBlame *b, RwMachine *asked, RwBlameWrite *write, GError **error)
{
    for (size_t i = 0; i < write->n_from && write->pid; i++) {
        RwBlameFrom *from = &write->from[i];
        RwInspectAddresses what = {write->pid, &from->va, 1};
        g_autoptr(GError) why = NULL;
        if (from->va < BLAME_HALF &&
            !rw_inspect_where(asked, b->symbols, &what, &from->symbol, b->cancellable, &why) &&
            is_cancelled(why, error))
            return false;
    }
    return true;
}

static bool add_task(const RwBlame *b, const RwBlameWanted *wanted, RwBlameWrite *write, GError **error)
{
    RwInspectPlaces places = wanted->places;
    g_autoptr(GError) why = NULL;
    if (!wanted->task || !write->tid)
        return true;
    RwMachine *asked = rw_timeline_fork(b->timeline, error);
    if (!asked)
        return false;
    places.pid = write->pid;
    places.tid = write->tid;
    g_autoptr(GPtrArray) tasks = rw_inspect_places(rw_timeline_get_machine(b->timeline), asked, b->symbols,
                                                   &places, b->cancellable, &why);
    bool ok = add_symbols(b, asked, write, error);
    rw_timeline_give_back(b->timeline, asked);
    if (tasks && tasks->len)
        write->task = g_ptr_array_steal_index(tasks, 0);
    return ok && !is_cancelled(why, error);
}

// ---- All of it ----

static bool end_with_nobody(RwBlameWrite *ret, bool cleared)
{
    RwPosition position = ret->position;
    uint64_t gpa = ret->gpa;
    rw_blame_write_clear(ret);
    *ret =
        (RwBlameWrite){.how = RW_BLAME_NOBODY, .position = position, .has_position = cleared, .gpa = gpa};
    return true;
}

static bool end_with_image(RwBlameWrite *ret)
{
    end_with_nobody(ret, false);
    ret->how = RW_BLAME_IMAGE;
    return true;
}

// ---- Pages that are handed out ----

static uint64_t page_of(uint64_t gpa)
{
    return gpa - gpa % BLAME_PAGE;
}

// Bytes of the page at `from` are to be looked for in the one at `to`.
static void move_page(RwBlamePlace *place, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < place->n; i++)
        if (page_of(place->spans[i].gpa) == from)
            place->spans[i].gpa = to + place->spans[i].gpa % BLAME_PAGE;
}

static void drop_page(RwBlamePlace *place, uint64_t page)
{
    size_t n = 0;
    for (size_t i = 0; i < place->n; i++)
        if (page_of(place->spans[i].gpa) != page)
            place->spans[n++] = place->spans[i];
    place->n = n;
}

// Nobody writes there.
static bool drop_image(RwBlamePlace *place)
{
    size_t n = 0, before = place->n;
    for (size_t i = 0; i < place->n; i++)
        if (!is_in_image(place->spans[i].gpa))
            place->spans[n++] = place->spans[i];
    place->n = n;
    return n < before;
}

// The page was cleared or copied as a whole: where its bytes are before that.
static void go_through(RwBlamePlace *place, BlamePageWork work, const RwBlameWrite *write)
{
    if (work == BLAME_PAGE_CLEARED)
        drop_page(place, page_of(write->gpa));
    else
        move_page(place, page_of(write->gpa), page_of(write->from[0].span.gpa));
}

bool rw_blame_last(const RwBlame *b, const RwBlamePlace *place, const RwBlameWanted *wanted,
                   RwBlameWrite *ret, GError **error)
{
    RwBlamePlace at = *place;
    RwWhenHit hit;
    BlamePageWork work = BLAME_PAGE_NONE;
    *ret = (RwBlameWrite){0};
    for (unsigned hop = 0; hop < HOPS_MAX; hop++) {
        if (drop_image(&at) && !at.n)
            return end_with_image(ret);
        int found = find_write(b, &at, &hit, error);
        if (found <= 0)
            return found == 0 && end_with_nobody(ret, work == BLAME_PAGE_CLEARED && !at.n);
        take_hit(b, &hit, ret);
        if (!find_from(b, &hit, &work, ret, error))
            return false;
        if (work == BLAME_PAGE_NONE || (work == BLAME_PAGE_COPIED && !ret->moved))
            return add_task(b, wanted, ret, error);
        go_through(&at, work, ret);
    }
    return end_with_nobody(ret, false);
}

bool rw_blame_follow(const RwBlame *b, const RwBlameWrite *write, RwBlamePlace *ret_place, GError **error)
{
    *ret_place = (RwBlamePlace){.spans = {write->from[0].span}, .n = 1};
    return rw_timeline_go_icount(b->timeline, write->from[0].icount, b->cancellable, error);
}
