// SPDX-License-Identifier: MIT
#include "handlers-private.h"

#include "rw-error.h"

#include <string.h>

// How often an instruction is met before it is left out: each time costs as much as some hundred others.
#define SITE_MEETINGS_MAX 20000u

// Whose memory it is.
typedef struct {
    uint32_t tid, pid;
} Lent;

typedef enum { LEARN_PAGES, LEARN_WORDS, LEARN_EVENTS } Pass;

typedef struct _RwSite {
    uint64_t rip;
    guint meetings;
    bool dropped;
    GHashTable *counts; // task → how often it was there
} Site;

typedef struct {
    const RwLearnOptions *options;
    RwSnapshot *from; // borrowed
    RwLearned *learned;
    RwMachine *machine;
    Pass pass;
    uint32_t tid, pid; // who ran last in user mode, and whose memory that is
    uint32_t self; // who it is itself
    int signo; // in which handler it was at its last point
    bool handles; // that process handles signals
    RwWords *words;
    RwTables tables;
    RwCalls calls;
    RwUnseen unseen;
    RwHandlers *handlers;
    GHashTable *sites; // rip → Site
    // tid → Lent: tasks that have their creator's memory until they execute a program
    GHashTable *lent;
    GHashTable *mappings; // see rw_mappings_new()
    RwCodes *codes;
    RwJudge *judge;
    RwBudget *budget;
    RwWatcher watcher;
    uint64_t begun; // instructions where the pass began
    guint percent; // as it was told last
} Learning;

const char *rw_object_kind_name(RwObjectKind kind)
{
    static const char *const names[RW_N_OBJECTS] = {"memory",  "path", "stream", "futex",
                                                    "process", "lock", "signal", "none"};
    return names[kind];
}

// ---- Callbacks ----

// A handler is somebody else than whom it interrupts, but for what it does on its own part of the stack.
static uint32_t who(const Learning *l, uint64_t va)
{
    uint32_t handles = l->handles ? RW_WHO_HANDLES : 0;
    int signo = l->signo ? rw_handlers_signal(l->handlers, l->self) : 0;
    if (!signo || rw_handlers_is_stack(l->handlers, l->self, va))
        return l->tid | handles;
    return l->tid | (uint32_t)signo << RW_WHO_SIGNAL_SHIFT | handles;
}

static void on_page(void *data, uint64_t va, uint64_t gpa, bool write)
{
    Learning *l = data;
    if (l->pass == LEARN_PAGES && l->tid)
        rw_words_touch_page(l->words, who(l, va), rw_words_key(l->words, l->pid, va, gpa), gpa, write);
}

static uint64_t key_of(const Learning *l, const RwWatchAccess *access)
{
    return rw_words_key(l->words, l->pid, access->va, access->gpa);
}

// Bytes of this word, from `key` up to `end`.
static void add_word(Learning *l, RwLearnedEvent *event, uint64_t word, uint64_t key, uint64_t end,
                     uint64_t va)
{
    if (!rw_words_is_shared(l->words, word))
        return;
    event->start = MAX(key, word) - word;
    event->end = MIN(end, word + 8) - word;
    event->object = rw_tables_word(&l->tables, word, va);
    if (!rw_machine_read_user(l->machine, va, &event->value, sizeof event->value))
        event->value = 0;
    g_array_index(l->learned->objects, RwObject, event->object).pid =
        g_array_index(l->learned->tasks, RwLearnedTask, event->task).pid;
    rw_tables_add(&l->tables, event);
}

// How often the task was there, before it was watched, too; 0: that is not counted any more.
static guint count_of(const Learning *l, const Site *site, guint task, const RwTaskPoint *point)
{
    if (!site || site->dropped)
        return 0;
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(site->counts, GUINT_TO_POINTER(task)));
    return n ? n : rw_machine_get_count(l->machine, point->task, RW_PLACE_AT, site->rip);
}

// Most accesses to watched pages are to words that only one task touches.
static bool is_of_interest(const Learning *l, const Site *site, uint64_t key, unsigned size)
{
    bool follows = site && !site->dropped;
    for (uint64_t word = key & ~(uint64_t)7; !follows && word < key + size; word += 8)
        follows = rw_judge_follows(l->judge, word);
    return follows;
}

static bool is_any_shared(const Learning *l, uint64_t word, uint64_t end)
{
    for (; word < end; word += 8)
        if (rw_words_is_shared(l->words, word))
            return true;
    return false;
}

static void add_access(Learning *l, const RwWatchAccess *access)
{
    RwTaskPoint point;
    const RwCode *code = rw_codes_get(l->codes, l->machine, access->rip);
    const Site *site = code->site;
    uint64_t key = key_of(l, access), word = key & ~(uint64_t)7, va = access->va & ~(uint64_t)7;
    if (!is_of_interest(l, site, key, access->size) || !rw_machine_current(l->machine, &point))
        return;
    if (l->tid != point.tid)
        return; // it is its creator that will find it so
    guint task = rw_tables_task(&l->tables, &point), n = count_of(l, site, task, &point);
    rw_judge_access(l->judge, &point, access, code, n > 0);
    if (!n)
        return;
    uint64_t freed = rw_heap_freed(l->machine, access), end = key + MAX(freed, access->size);
    if (!is_any_shared(l, word, end))
        return;
    RwLearnedEvent event = {
        .task = task,
        .handler = rw_handlers_index(l->handlers, point.tid),
        .place = {.task = *point.task, .kind = RW_PLACE_AT, .number = access->rip, .nth = n},
        .flags = rw_event_flags(access, code->flags) | (freed ? RW_EVENT_FREES : 0),
        .step = rw_machine_steps(l->machine),
        .ns = rw_handlers_now(l->handlers),
    };
    for (; word < end; word += 8, va += 8)
        add_word(l, &event, word, key, end, va);
    rw_unseen_access(&l->unseen, l->learned->events, access, point.tid);
}

static void touch_word(Learning *l, const RwWatchAccess *access)
{
    uint64_t key = key_of(l, access);
    if (!rw_words_touch(l->words, who(l, access->va), key, access))
        return;
    const RwCode *code = rw_codes_get(l->codes, l->machine, access->rip);
    if (code->flags & RW_EVENT_ATOMIC || code->declared)
        rw_words_touch_atomic(l->words, key, access);
}

static void on_access(void *data, const RwWatchAccess *access)
{
    Learning *l = data;
    RwSpent spent = rw_budget_spend(l->budget, access);
    if (l->pass == LEARN_WORDS && l->tid)
        touch_word(l, access);
    else if (l->pass == LEARN_EVENTS)
        add_access(l, access);
    if (spent == RW_SPENT_ATOMIC && l->pass == LEARN_EVENTS)
        rw_judge_stop(l->judge); // what is taken and given back there is not seen any more
}

static void drop_site(Learning *l, Site *site)
{
    RwVcpuStops *stops = &l->watcher.stops;
    for (guint i = 0; i < stops->n; i++)
        if (stops->addresses[i] == site->rip) {
            stops->addresses[i] = stops->addresses[--stops->n];
            break;
        }
    site->dropped = true;
    rw_machine_set_watched_points(l->machine, stops);
}

static void meet_site(Learning *l, const RwTaskPoint *point)
{
    Site *site = g_hash_table_lookup(l->sites, &point->rip);
    if (!site)
        return;
    guint task = rw_tables_task(&l->tables, point), n = count_of(l, site, task, point);
    g_hash_table_replace(site->counts, GUINT_TO_POINTER(task), GUINT_TO_POINTER(n + 1));
    if (++site->meetings >= SITE_MEETINGS_MAX)
        drop_site(l, site);
}

#define PASSES 3u

static void tell_progress(Learning *l)
{
    const RwLearnOptions *options = l->options;
    if (!options->progress || !options->length)
        return;
    uint64_t length = MIN(options->length, options->budget);
    uint64_t done = MIN(rw_machine_icount(l->machine) - l->begun, length);
    guint percent = (guint)(100 * (l->pass * length + done) / (PASSES * length));
    if (percent > l->percent)
        options->progress(percent, options->progress_data);
    l->percent = MAX(l->percent, percent);
}

static void on_point(void *data, const RwTaskPoint *point)
{
    Learning *l = data;
    tell_progress(l);
    rw_budget_refill(l->budget);
    const Lent *lent = g_hash_table_lookup(l->lent, GUINT_TO_POINTER(point->tid));
    uint32_t tid = lent ? lent->tid : point->tid;
    rw_handlers_point(l->handlers, point);
    int signo = rw_handlers_signal(l->handlers, point->tid);
    if ((tid != l->tid || signo != l->signo) && l->pass == LEARN_PAGES)
        rw_machine_forget_user(l->machine);
    l->self = point->tid;
    l->signo = signo;
    l->tid = tid;
    l->pid = lent ? lent->pid : point->pid;
    l->handles = rw_handlers_has(l->handlers, l->pid);
    if (l->pass == LEARN_PAGES)
        rw_mappings_point(l->mappings, l->words, l->machine, point);
    if (l->pass != LEARN_EVENTS)
        return;
    rw_tables_task(&l->tables, point);
    RwBack back = {0};
    if (point->kind == RW_EXIT_USER)
        back = rw_handlers_back(l->handlers, point);
    if (point->kind == RW_EXIT_CALL)
        rw_calls_enter(&l->calls, point);
    else if (point->kind == RW_EXIT_USER)
        rw_calls_user(&l->calls, point, &back);
    else
        meet_site(l, point);
    rw_judge_point(l->judge, point, &back);
}

// ---- Records: processes and their programs ----

// After vfork(2) the creator waits until its child executes a program or ends: its memory is only lent.
static void note_lent(Learning *l, const struct rewind_record *record, const uint8_t *payload)
{
    struct rewind_fork fork;
    if (record->type == REWIND_RECORD_FORK) {
        memcpy(&fork, payload, sizeof fork);
        if (fork.kind == REWIND_FORK_VFORK)
            g_hash_table_replace(l->lent, GUINT_TO_POINTER(fork.child_tid),
                                 g_memdup2(&(Lent){record->tid, record->pid}, sizeof(Lent)));
    } else if (record->type == REWIND_RECORD_EXEC || record->type == REWIND_RECORD_EXIT) {
        g_hash_table_remove(l->lent, GUINT_TO_POINTER(record->tid));
    }
}

static void note_opened(Learning *l, const struct rewind_record *record, const uint8_t *payload,
                        size_t length)
{
    struct rewind_open open;
    memcpy(&open, payload, sizeof open);
    g_autofree char *name = g_strndup((const char *)payload + sizeof open, length - sizeof open);
    if (open.result >= 0)
        rw_calls_opened(&l->calls, record->tid, name);
}

static void on_record(void *data, const struct rewind_record *record, const uint8_t *payload, size_t length)
{
    Learning *l = data;
    struct rewind_fork fork = {0};
    note_lent(l, record, payload);
    rw_handlers_record(l->handlers, record, payload);
    l->handles = rw_handlers_has(l->handlers, l->pid);
    if (l->pass != LEARN_EVENTS)
        return;
    rw_judge_record(l->judge, record, payload);
    if (record->type == REWIND_RECORD_EXEC) {
        size_t fixed = sizeof(struct rewind_exec);
        rw_answers_exec(&l->calls.answers, record->pid);
        rw_tables_exec(&l->tables, record->tid, (const char *)payload + fixed, length - fixed);
    } else if (record->type == REWIND_RECORD_FORK) {
        memcpy(&fork, payload, sizeof fork);
        rw_calls_fork(&l->calls, record->pid, fork.child_pid);
        rw_tables_fork(&l->tables, record->pid, &fork);
    } else if (record->type == REWIND_RECORD_EXIT && record->tid == record->pid) {
        rw_ends_drop(&l->calls, record->pid);
    } else if (record->type == REWIND_RECORD_OPEN) {
        note_opened(l, record, payload, length);
    }
}

static void on_step(void *data, const RwStepInfo *step)
{
    Learning *l = data;
    RwTaskPoint point;
    const RwPerturb *perturb = &step->perturb;
    if (l->pass != LEARN_EVENTS)
        return;
    if (perturb->hold && perturb->hold <= RW_HOLDS_MAX && rw_machine_current(l->machine, &point)) {
        RwLearnedHold *hold = &l->learned->holds[perturb->hold - 1];
        if (hold->begun && rw_hold_is_of_others(&l->options->inputs->schedule.holds[perturb->hold - 1]))
            return; // another one
        *hold = (RwLearnedHold){.begun = MAX(l->tables.order, 1), .step = step->step};
        hold->task = rw_tables_task(&l->tables, &point);
    }
    if (perturb->fault && perturb->fault <= RW_FAULTS_MAX && rw_machine_current(l->machine, &point))
        l->learned->faults[perturb->fault - 1] =
            (RwLearnedFault){step->step, rw_calls_get_length(&l->calls, point.tid)};
    if (perturb->release && perturb->release <= RW_HOLDS_MAX)
        l->learned->holds[perturb->release - 1].ended = l->tables.order;
}

// ---- Executing ----

static void watch_page(uint64_t gpa, bool atomic, void *data)
{
    rw_budget_watch(data, gpa, atomic);
}

static bool set_schedule(Learning *l, GError **error)
{
    const RwSchedule *schedule = &l->options->inputs->schedule;
    if (!l->options->known)
        rw_machine_set_schedule(l->machine, schedule);
    else if (!rw_machine_swap_schedule(l->machine, schedule)) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "how far its holds are is not known");
        return false;
    }
    rw_machine_stop_counting(l->machine);
    return true;
}

static bool start(Learning *l, GError **error)
{
    RwJob job = rw_inputs_job(l->options->inputs);
    l->machine = rw_machine_fork(l->from, error);
    if (!l->machine || !rw_machine_set_job(l->machine, &job, error))
        return false;
    if (!set_schedule(l, error))
        return false;
    rw_machine_set_watcher(l->machine, &l->watcher);
    rw_machine_set_sink(l->machine, &(RwSink){.record = on_record, .step = on_step, .data = l});
    rw_handlers_start(l->handlers, l->machine, l->pass == LEARN_EVENTS ? &l->tables : NULL);
    g_hash_table_remove_all(l->lent);
    rw_budget_start(l->budget, l->machine);
    if (l->pass != LEARN_PAGES && l->words)
        rw_words_each_page(l->words, watch_page, l->budget);
    l->tid = l->self = 0;
    l->begun = rw_machine_icount(l->machine);
    return true;
}

static bool execute(Learning *l, GError **error)
{
    uint64_t before = rw_machine_icount(l->machine), tsc = rw_machine_tsc(l->machine);
    RwLimits limits = {.icount = before + l->options->budget, .cancellable = l->options->cancellable};
    RwEnd end = rw_machine_run(l->machine, &limits);
    uint64_t executed = rw_machine_icount(l->machine) - before;
    l->learned->cut |= end.kind == RW_END_NONE;
    l->learned->base = executed;
    l->learned->duration_ns = (rw_machine_tsc(l->machine) - tsc) / REWIND_TSC_PER_NS;
    l->learned->executed += executed;
    return rw_end_check(&end, error) && rw_check_cancelled(l->options->cancellable, error);
}

static bool run_pass(Learning *l, Pass pass, GError **error)
{
    l->pass = pass;
    bool ok = start(l, error) && execute(l, error);
    g_clear_pointer(&l->machine, rw_machine_free);
    return ok;
}

static void free_site(gpointer data)
{
    Site *site = data;
    g_hash_table_unref(site->counts);
    g_free(site);
}

static void take_sites(Learning *l)
{
    const RwVcpuStops *stops = &l->watcher.stops;
    for (guint i = 0; i < stops->n; i++) {
        Site *site = g_new0(Site, 1);
        site->rip = stops->addresses[i];
        site->counts = g_hash_table_new(NULL, NULL);
        g_hash_table_insert(l->sites, &site->rip, site);
        rw_codes_set_site(l->codes, site->rip, site);
    }
}

// What was counted before. Of instructions that were not it is not known how often they were executed;
// those that are met too often are left out as ever.
static void count_earlier(Learning *l)
{
    RwVcpuStops *stops = &l->watcher.stops;
    for (guint i = stops->n; i-- > 0;) {
        Site *site = g_hash_table_lookup(l->sites, &stops->addresses[i]);
        site->meetings = rw_machine_get_count(l->machine, NULL, RW_PLACE_AT, site->rip);
        if (site->meetings >= SITE_MEETINGS_MAX || !rw_machine_counts(l->machine, site->rip))
            drop_site(l, site);
    }
}

// Where events are watched from.
static bool find_from(Learning *l, GError **error)
{
    RwVcpuStops *stops = &l->watcher.stops;
    const RwLearnOptions *options = l->options;
    if (options->tasks_only)
        return true;
    stops->n = rw_words_list_sites(l->words, stops->addresses, RW_WATCHER_ADDRESSES);
    if (options->known)
        l->from = options->counting(stops->addresses, stops->n, options->data, error);
    return l->from != NULL;
}

static bool run_events(Learning *l, GError **error)
{
    if (!find_from(l, error))
        return false;
    take_sites(l);
    l->pass = LEARN_EVENTS;
    rw_tables_init(&l->tables, l->learned);
    bool ok = start(l, error);
    bool whole = ok && rw_machine_is_held(l->machine);
    rw_calls_init(&l->calls, l->machine, &l->tables, l->handlers);
    l->calls.ends = l->options->ends ? rw_fds_new() : NULL;
    l->calls.cwd = g_strdup(whole ? rw_inputs_job(l->options->inputs).cwd : NULL);
    rw_unseen_init(&l->unseen, l->machine);
    l->judge = rw_judge_new(l->machine, &l->tables, l->words, l->calls.fds);
    if (ok && l->options->known)
        count_earlier(l);
    ok = ok && execute(l, error);
    g_clear_pointer(&l->judge, rw_judge_free);
    rw_calls_clear(&l->calls);
    rw_unseen_clear(&l->unseen);
    rw_tables_clear(&l->tables);
    g_clear_pointer(&l->machine, rw_machine_free);
    return ok;
}

static void set_up(Learning *l)
{
    const RwLearnOptions *options = l->options;
    l->words = options->known ? g_steal_pointer(&options->known->words) : rw_words_new();
    l->sites = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_site);
    l->lent = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    l->codes = rw_codes_new(options->atomics);
    l->mappings = rw_mappings_new();
    l->handlers = rw_handlers_new();
    l->budget = rw_budget_new();
    l->watcher = (RwWatcher){
        .stops = {.calls = true, .returns = true},
        .point = on_point,
        .watch = {.page = on_page, .access = on_access, .data = l},
        .data = l,
    };
    if (options->tasks_only)
        l->watcher.watch = (RwVcpuWatch){0};
}

static void clear(Learning *l)
{
    g_hash_table_unref(l->sites);
    g_hash_table_unref(l->lent);
    g_hash_table_unref(l->mappings);
    rw_handlers_free(l->handlers);
    rw_codes_free(l->codes);
    rw_budget_free(l->budget);
    if (l->options->keep)
        l->learned->words = l->words;
    else
        rw_words_free(l->words);
}

RwLearned *rw_learn(const RwLearnOptions *options, GError **error)
{
    g_autoptr(RwLearned) learned = rw_learned_new();
    Learning l = {.options = options, .learned = learned, .from = options->from};
    set_up(&l);
    bool ok = options->tasks_only || (run_pass(&l, LEARN_PAGES, error) && run_pass(&l, LEARN_WORDS, error));
    learned->n_pages = rw_words_count_pages(l.words);
    learned->n_words = rw_words_count(l.words);
    ok = ok && run_events(&l, error);
    clear(&l);
    if (!ok)
        return NULL;
    rw_learned_end(learned);
    return g_steal_pointer(&learned);
}
