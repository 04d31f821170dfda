// SPDX-License-Identifier: MIT
//
// What is ordered, of a run as it is watched: words, tasks and system calls go to those who know, and sites
// are made for what they find.
#include "order-private.h"

struct _RwJudge {
    RwOrder *order;
    RwOrderCalls *calls;
    RwTables *tables;
    RwMachine *machine;
    const RwWords *words;
    GArray *tasks; // of guint: index among the tables' + 1, by the clocks'
};

// ---- Names ----

static guint learned_task(const RwJudge *judge, guint task)
{
    guint known = task < judge->tasks->len ? g_array_index(judge->tasks, guint, task) : 0;
    return known ? known - 1 : 0;
}

static guint make_object(void *data, guint task, uint64_t word, uint64_t va)
{
    const RwJudge *judge = data;
    const RwLearned *learned = judge->tables->learned;
    guint object = rw_tables_word(judge->tables, word, va & ~7ull);
    RwObject *made = &g_array_index(learned->objects, RwObject, object);
    if (!made->pid && made->kind == RW_OBJECT_MEMORY)
        made->pid = g_array_index(learned->tasks, RwLearnedTask, learned_task(judge, task)).pid;
    return object;
}

static guint make_site(void *data, guint task, guint object, uint64_t rip, uint32_t flags)
{
    const RwJudge *judge = data;
    guint index = learned_task(judge, task);
    RwTaskName name = g_array_index(judge->tables->learned->tasks, RwLearnedTask, index).name;
    RwLearnedEvent event = {
        .task = index,
        .object = object,
        .place = {.task = name, .kind = RW_PLACE_AT, .number = rip},
        .flags = flags,
        .step = rw_machine_steps(judge->machine),
    };
    return rw_tables_site(judge->tables, &event);
}

static void count_site(void *data, guint site, uint64_t times)
{
    const RwJudge *judge = data;
    g_array_index(judge->tables->learned->sites, RwLearnedSite, site).count += times;
}

// ---- All of it ----

static void add_word(uint64_t key, uint8_t atomics, void *data)
{
    rw_order_add_word(data, key, atomics);
}

RwJudge *rw_judge_new(RwMachine *machine, RwTables *tables, const RwWords *words, const RwFds *fds)
{
    RwJudge *judge = g_new0(RwJudge, 1);
    *judge = (RwJudge){.tables = tables, .machine = machine, .words = words};
    judge->tasks = g_array_new(false, true, sizeof(guint));
    RwOrderNames names = {make_object, make_site, count_site, judge};
    judge->order = rw_order_new(tables->learned, &names);
    rw_words_each_shared(words, add_word, judge->order);
    RwOrderContext context = {judge->order, machine, words, fds};
    judge->calls = rw_order_calls_new(&context);
    return judge;
}

void rw_judge_free(RwJudge *judge)
{
    if (!judge)
        return;
    rw_order_calls_free(judge->calls);
    rw_order_free(judge->order);
    g_array_unref(judge->tasks);
    g_free(judge);
}

void rw_judge_point(RwJudge *judge, const RwTaskPoint *point, const RwBack *back)
{
    if (point->kind == RW_EXIT_CALL)
        rw_order_calls_enter(judge->calls, point);
    else if (point->kind == RW_EXIT_USER)
        rw_order_calls_user(judge->calls, point, back);
}

void rw_judge_record(RwJudge *judge, const struct rewind_record *record, const uint8_t *payload)
{
    rw_order_calls_record(judge->calls, record, payload);
}

void rw_judge_stop(RwJudge *judge)
{
    rw_order_stop(judge->order);
}

bool rw_judge_follows(const RwJudge *judge, uint64_t word)
{
    return rw_order_has_word(judge->order, word);
}

void rw_judge_access(RwJudge *judge, const RwTaskPoint *point, const RwWatchAccess *access,
                     const RwCode *code, bool is_counted)
{
    uint64_t key = rw_words_key(judge->words, point->pid, access->va, access->gpa);
    RwOrderAccess part = {
        .task = rw_order_calls_task(judge->calls, point),
        .rip = access->rip,
        .flags = (uint8_t)rw_event_flags(access, code->flags & RW_EVENT_ATOMIC),
        .jumps = code->jumps,
        .is_counted = is_counted,
    };
    if (judge->tasks->len <= part.task)
        g_array_set_size(judge->tasks, part.task + 1);
    g_array_index(judge->tasks, guint, part.task) = rw_tables_task(judge->tables, point) + 1;
    for (part.word = key & ~7ull; part.word < key + access->size; part.word += 8) {
        part.va = access->va - key + part.word;
        part.mask = rw_words_bytes(part.word, key, access->size);
        if (code->flags & RW_EVENT_ATOMIC &&
            !rw_machine_read_user(judge->machine, part.va, &part.value, sizeof part.value))
            part.value = 0;
        rw_order_access(judge->order, &part);
    }
}
