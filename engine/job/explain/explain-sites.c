// SPDX-License-Identifier: MIT
//
// All addresses of a process are asked for at the step of the last of them. What is not mapped there, since
// it was a program of another time, is asked for again where it is code, at the step of the last of the
// rest.
#include "rw-explain.h"

#include "rw-inspect.h"
#include "rw-timeline.h"

#define ROUNDS_MAX 4 // for one process

typedef struct {
    uint32_t pid;
    uint64_t address, step;
    RwSymbol *symbol;
    bool is_code;
} Question;

static guint count_symbols(const RwLearned *learned)
{
    return learned->sites->len + learned->objects->len + learned->pairs->len;
}

// Of what nothing orders it is told what it is to the byte.
static void add_pairs(GArray *questions, const RwLearned *learned, RwSymbol *symbols)
{
    for (guint i = 0; i < learned->pairs->len; i++) {
        const RwLearnedPair *pair = &g_array_index(learned->pairs, RwLearnedPair, i);
        const RwLearnedSite *site = &g_array_index(learned->sites, RwLearnedSite, pair->second);
        const RwObject *object = &g_array_index(learned->objects, RwObject, site->object);
        Question data = {object->pid, object->address + pair->offset, site->step, &symbols[i], false};
        if (pair->unordered && object->pid)
            g_array_append_val(questions, data);
    }
}

static GArray *list_questions(const RwLearned *learned, RwSymbol *symbols)
{
    GArray *questions = g_array_new(false, false, sizeof(Question));
    for (guint i = 0; i < learned->sites->len; i++) {
        const RwLearnedSite *site = &g_array_index(learned->sites, RwLearnedSite, i);
        const RwObject *object = &g_array_index(learned->objects, RwObject, site->object);
        RwSymbol *what = &symbols[learned->sites->len + site->object];
        uint32_t pid = g_array_index(learned->tasks, RwLearnedTask, site->task).pid;
        Question code = {pid, site->number, site->step, &symbols[i], true};
        Question data = {pid, object->address, site->step, what, false};
        if (pid && site->kind == RW_PLACE_AT)
            g_array_append_val(questions, code);
        if (pid && object->kind == RW_OBJECT_MEMORY && object->pid == pid)
            g_array_append_val(questions, data);
    }
    add_pairs(questions, learned, symbols + learned->sites->len + learned->objects->len);
    return questions;
}

static gint by_process(gconstpointer a, gconstpointer b)
{
    const Question *x = a, *y = b;
    if (x->pid != y->pid)
        return (x->pid > y->pid) - (x->pid < y->pid);
    return (x->step > y->step) - (x->step < y->step);
}

// Those of `questions` that have no answer yet, at the step of the last of these.
static bool ask(RwMachine *machine, RwSymbols *symbols, const GPtrArray *open, GCancellable *cancellable,
                GError **error)
{
    const Question *last = open->pdata[open->len - 1];
    g_autofree uint64_t *addresses = g_new0(uint64_t, open->len);
    g_autofree RwSymbol *found = g_new0(RwSymbol, open->len);
    for (guint i = 0; i < open->len; i++)
        addresses[i] = ((Question *)open->pdata[i])->address;
    RwInspectAddresses what = {last->pid, addresses, open->len};
    g_autoptr(GError) local = NULL;
    rw_inspect_where(machine, symbols, &what, found, cancellable, &local); // the process may be gone
    for (guint i = 0; i < open->len; i++) {
        const Question *question = open->pdata[i];
        rw_symbol_clear(question->symbol);
        *question->symbol = found[i];
    }
    return rw_check_cancelled(cancellable, error);
}

typedef struct {
    RwTimeline *timeline;
    RwSymbols *symbols;
    GCancellable *cancellable;
} Asker;

// The questions from..until-1, which are about one process.
static bool ask_process(const Asker *asker, const GArray *questions, guint from, guint until,
                        GError **error)
{
    uint64_t below = UINT64_MAX;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        g_autoptr(GPtrArray) open = g_ptr_array_new();
        for (guint i = from; i < until; i++) {
            Question *question = &g_array_index(questions, Question, i);
            if (!question->symbol->path && question->step < below && (round == 0 || question->is_code))
                g_ptr_array_add(open, question);
        }
        if (!open->len)
            return true;
        below = ((Question *)open->pdata[open->len - 1])->step;
        RwPosition position = {MAX(below, rw_timeline_get_start(asker->timeline).step), 0};
        RwMachine *machine = rw_timeline_go(asker->timeline, &position, asker->cancellable, error)
                                 ? rw_timeline_fork(asker->timeline, error)
                                 : NULL;
        bool ok = machine && ask(machine, asker->symbols, open, asker->cancellable, error);
        rw_timeline_give_back(asker->timeline, machine);
        if (!ok)
            return false;
    }
    return true;
}

RwSymbol *rw_explain_sites(const RwAgain *again, const RwLearned *learned, RwSymbols *symbols,
                           GCancellable *cancellable, GError **error)
{
    g_autofree char *path = g_build_filename(again->seek.dir, "trace", NULL);
    g_autoptr(RwTrace) trace = rw_trace_open(path, error);
    RwTimelineConfig config = {.seek = &again->seek, .trace = trace};
    g_autoptr(RwTimeline) timeline = trace ? rw_timeline_new(&config, error) : NULL;
    if (!timeline)
        return NULL;
    RwSymbol *ret = g_new0(RwSymbol, count_symbols(learned));
    g_autoptr(GArray) questions = list_questions(learned, ret);
    Asker asker = {timeline, symbols, cancellable};
    bool ok = true;
    g_array_sort(questions, by_process);
    for (guint from = 0, until = 0; ok && from < questions->len; from = until) {
        uint32_t pid = g_array_index(questions, Question, from).pid;
        while (until < questions->len && g_array_index(questions, Question, until).pid == pid)
            until++;
        ok = ask_process(&asker, questions, from, until, error);
    }
    if (ok)
        return ret;
    rw_explained_sites_free(ret, learned);
    return NULL;
}

void rw_explained_sites_free(RwSymbol *symbols, const RwLearned *learned)
{
    for (guint i = 0; symbols && i < count_symbols(learned); i++)
        rw_symbol_clear(&symbols[i]);
    g_free(symbols);
}
