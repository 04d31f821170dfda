// SPDX-License-Identifier: MIT
//
// How many accesses are told. A few pages have most of a large program's: where the heap's next free byte
// is, what an interpreter keeps of itself. These are watched for a part of the time only. All of it is
// counted in accesses and instructions, so that what is learned is the same on every host.
#include "learn-private.h"

#include <string.h>

#define LEAST (16ull << 20) // accesses that any run may have,
#define INSTRUCTIONS 20u // and one more for so many that were executed
#define PART 16u // of all accesses, which make a page one that may go
#define PART_ATOMIC 4u // the same where tasks take locks, say: that tells what is ordered
#define RECENT 256u // pages that are found without looking in the table

typedef struct {
    uint64_t number; // guest-physical page
    uint64_t told; // accesses
    bool atomic, dropped, again; // again: it was dropped before
} Frame;

struct _RwBudget {
    RwMachine *machine;
    uint64_t begun; // instructions where the pass began
    uint64_t told, allowed;
    GHashTable *frames; // number → Frame
    Frame **recent; // of RECENT
    GPtrArray *dropped; // of Frame
};

RwBudget *rw_budget_new(void)
{
    RwBudget *budget = g_new0(RwBudget, 1);
    budget->frames = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    budget->recent = g_new0(Frame *, RECENT);
    budget->dropped = g_ptr_array_new();
    return budget;
}

void rw_budget_free(RwBudget *budget)
{
    g_hash_table_unref(budget->frames);
    g_ptr_array_unref(budget->dropped);
    g_free(budget->recent);
    g_free(budget);
}

void rw_budget_start(RwBudget *budget, RwMachine *machine)
{
    g_hash_table_remove_all(budget->frames);
    memset(budget->recent, 0, RECENT * sizeof(Frame *));
    g_ptr_array_set_size(budget->dropped, 0);
    budget->machine = machine;
    budget->begun = rw_machine_icount(machine);
    budget->told = 0;
    budget->allowed = LEAST;
}

static Frame *get_frame(RwBudget *budget, uint64_t gpa)
{
    uint64_t number = gpa >> 12;
    Frame **recent = &budget->recent[number & (RECENT - 1)];
    if (*recent && (*recent)->number == number)
        return *recent;
    Frame *frame = g_hash_table_lookup(budget->frames, &number);
    if (!frame) {
        frame = g_new0(Frame, 1);
        frame->number = number;
        g_hash_table_insert(budget->frames, &frame->number, frame);
    }
    return *recent = frame;
}

void rw_budget_watch(RwBudget *budget, uint64_t gpa, bool atomic)
{
    get_frame(budget, gpa)->atomic |= atomic;
    rw_machine_watch_page(budget->machine, gpa);
}

// The further above what is allowed, the more pages.
static bool must_go(const RwBudget *budget, const Frame *frame)
{
    uint64_t step = budget->allowed / PART, above = (budget->told - budget->allowed) / step;
    uint64_t least = budget->told / (frame->atomic ? PART_ATOMIC : PART);
    return frame->again || frame->told > least >> MIN(above, 63);
}

RwSpent rw_budget_spend(RwBudget *budget, const RwWatchAccess *access)
{
    Frame *frame = get_frame(budget, access->gpa);
    frame->told++;
    if (++budget->told <= budget->allowed)
        return RW_SPENT_LITTLE;
    budget->allowed = LEAST + (access->icount - budget->begun) / INSTRUCTIONS;
    if (budget->told <= budget->allowed || frame->dropped || !must_go(budget, frame))
        return RW_SPENT_LITTLE;
    frame->dropped = frame->again = true;
    g_ptr_array_add(budget->dropped, frame);
    rw_machine_unwatch_page(budget->machine, access->gpa);
    return frame->atomic ? RW_SPENT_ATOMIC : RW_SPENT_PAGE;
}

void rw_budget_refill(RwBudget *budget)
{
    if (!budget->dropped->len)
        return;
    budget->allowed = LEAST + (rw_machine_icount(budget->machine) - budget->begun) / INSTRUCTIONS;
    if (budget->told + budget->allowed / (2 * PART) > budget->allowed)
        return;
    for (guint i = 0; i < budget->dropped->len; i++) {
        Frame *frame = budget->dropped->pdata[i];
        frame->dropped = false;
        rw_machine_watch_page(budget->machine, frame->number << 12);
    }
    g_ptr_array_set_size(budget->dropped, 0);
}
