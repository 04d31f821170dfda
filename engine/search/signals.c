// SPDX-License-Identifier: MIT
//
// A signal is taken somewhere in its task's code. It is made to come elsewhere: where the task touches what
// its handler touches, too, and where it is about to wait. Either the task is held there until the signal
// was sent, or the sender before it sends until the task is there. A timer is waited for as long as it
// takes.
#include "search-private.h"

#define STRIKES_A_KIND 64u
#define NEAR 8u // signals that an event may meet on either side
#define LIBRARIES 0x7f0000000000ull // where the kernel maps them: from here on
#define TIMER_SLACK_NS 100000u
#define UNIT_NS 10000u // times are whole multiples, to be read
#define FURTHER_DOUBLINGS 10

enum { CALL_RT_SIGRETURN = 15 };

// How much may come of it: places of each class have their turn as often as its weight is small.
typedef enum {
    STRIKE_SHARED, // the program's own code touches what the handler touches
    STRIKE_WAITS, // it is about to wait
    STRIKE_MERGED, // it is about to wait, and a second signal comes before the first is taken
    STRIKE_JUMPED, // any other system call, where the handler does not return
    STRIKE_LIBRARY, // a library touches what the handler touches
    STRIKE_CALL, // any other system call
    STRIKE_BACK, // a library does so, but only once the signal had come
    N_STRIKES,
} StrikeClass;

static const guint weights[N_STRIKES] = {2, 3, 4, 3, 4, 8, 8};

typedef struct {
    guint event, signal; // indices
    bool later; // the signal came later in that run
} Strike;

typedef struct {
    StrikeClass class;
    guint receiver, signo;
    guint rank;
    guint total, tried;
    GArray *strikes; // of Strike, some of them
    const RwLearned *learned;
    const RwSchedule *base;
} StrikeKind;

struct _RwStrikes {
    GPtrArray *kinds; // of StrikeKind
    GHashTable *known; // as text
    guint turns; // that they have before others get them
    guint next;
};

static void free_kind(gpointer data)
{
    StrikeKind *kind = data;
    g_array_unref(kind->strikes);
    g_free(kind);
}

RwStrikes *rw_strikes_new(void)
{
    RwStrikes *strikes = g_new0(RwStrikes, 1);
    strikes->kinds = g_ptr_array_new_with_free_func(free_kind);
    strikes->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return strikes;
}

void rw_strikes_free(RwStrikes *strikes)
{
    g_ptr_array_unref(strikes->kinds);
    g_hash_table_unref(strikes->known);
    g_free(strikes);
}

static const RwLearnedEvent *get_event(const RwLearned *learned, guint index)
{
    return &g_array_index(learned->events, RwLearnedEvent, index);
}

static const RwLearnedTask *get_task(const RwLearned *learned, guint index)
{
    return &g_array_index(learned->tasks, RwLearnedTask, index);
}

static const RwLearnedSignal *get_signal(const RwLearned *learned, guint index)
{
    return &g_array_index(learned->signals, RwLearnedSignal, index);
}

// ---- Where a signal could be taken instead ----

// What one handler touches, and which signals it was run for.
typedef struct {
    const RwLearned *learned;
    guint handler; // index + 1
    guint task, signo;
    GHashTable *objects; // index + 1 → flags
    GArray *signals; // of guint, in order
    guint next; // the first of them that was taken behind the event that is looked at
} Handler;

static void look_at_handler(Handler *handler)
{
    const RwLearned *learned = handler->learned;
    handler->objects = g_hash_table_new(NULL, NULL);
    handler->signals = g_array_new(false, false, sizeof(guint));
    for (guint i = 0; i < learned->sites->len; i++) {
        const RwLearnedSite *site = &g_array_index(learned->sites, RwLearnedSite, i);
        if (site->handler != handler->handler)
            continue;
        gpointer key = GUINT_TO_POINTER(site->object + 1);
        guint flags = GPOINTER_TO_UINT(g_hash_table_lookup(handler->objects, key));
        g_hash_table_replace(handler->objects, key, GUINT_TO_POINTER(flags | site->flags | 1u << 16));
    }
    for (guint i = 0; i < learned->signals->len; i++)
        if (get_signal(learned, i)->handler == handler->handler)
            g_array_append_val(handler->signals, i);
}

static bool is_own(const RwLearnedEvent *event)
{
    return event->place.kind != RW_PLACE_AT || event->place.number < LIBRARIES;
}

static bool is_met(const Handler *handler, const RwLearnedEvent *event)
{
    const RwObject *object = &g_array_index(handler->learned->objects, RwObject, event->object);
    guint flags =
        GPOINTER_TO_UINT(g_hash_table_lookup(handler->objects, GUINT_TO_POINTER(event->object + 1)));
    return object->kind != RW_OBJECT_NONE && flags && (flags | event->flags) & RW_EVENT_CHANGES;
}

static bool classify(const Handler *handler, const RwLearnedEvent *event, StrikeClass *ret)
{
    bool is_call = event->place.kind == RW_PLACE_CALL;
    if (event->task != handler->task || event->handler == handler->handler)
        return false;
    if (is_call && event->place.number == CALL_RT_SIGRETURN)
        return false;
    if (is_met(handler, event))
        *ret = is_own(event) ? STRIKE_SHARED : STRIKE_LIBRARY;
    else if (is_call)
        *ret = event->flags & RW_EVENT_BLOCKS ? STRIKE_WAITS : STRIKE_CALL;
    return is_call || is_met(handler, event);
}

static const RwLearnedSignal *signal_of(const Handler *handler, guint i)
{
    return get_signal(handler->learned, g_array_index(handler->signals, guint, i));
}

// The receiver can wait there for it to be sent.
static bool can_wait(const RwLearned *learned, const RwLearnedEvent *event, const RwLearnedSignal *signal)
{
    if (event->order <= signal->installed || event->order > signal->order)
        return false;
    switch (signal->origin) {
    case RW_SIGNAL_ITSELF:
        return false;
    case RW_SIGNAL_TIMER:
        return signal->armed < event->order;
    case RW_SIGNAL_TASK:
    case RW_SIGNAL_CHILD:
        return event->order > get_task(learned, signal->sender)->created;
    default:
        return true;
    }
}

// The sender can wait for the receiver to be there.
static bool can_be_waited_for(const RwLearnedEvent *event, const RwLearnedSignal *signal)
{
    return signal->sent.task.path[0] && event->order > signal->order;
}

// The next signals behind the event, two since the second may come before the first is taken, else one of
// the last before it. Events are asked for in order. Returns how many.
static guint find_strikes(Handler *handler, guint index, Strike ret[2])
{
    const RwLearnedEvent *event = get_event(handler->learned, index);
    guint n = handler->signals->len, found = 0;
    while (handler->next < n && signal_of(handler, handler->next)->order < event->order)
        handler->next++;
    for (guint i = handler->next; i < MIN(n, handler->next + NEAR); i++) {
        ret[found] = (Strike){index, g_array_index(handler->signals, guint, i), true};
        if (can_wait(handler->learned, event, signal_of(handler, i)) && ++found == 2)
            return found;
    }
    for (guint i = handler->next; !found && i > 0 && i + NEAR > handler->next; i--) {
        ret[found] = (Strike){index, g_array_index(handler->signals, guint, i - 1), false};
        found += can_be_waited_for(event, signal_of(handler, i - 1));
    }
    return found;
}

// ---- Kinds ----

static char *dup_key(const Handler *handler, const RwLearnedEvent *event, bool merged)
{
    return g_strdup_printf("%u %u %u %" G_GINT64_MODIFIER "x %u", handler->task, handler->signo,
                           event->place.kind, event->place.number, merged);
}

static StrikeKind *add_kind(GHashTable *here, GPtrArray *list, const Handler *handler, char *key)
{
    StrikeKind *kind = g_new0(StrikeKind, 1);
    *kind = (StrikeKind){.receiver = handler->task,
                         .signo = handler->signo,
                         .learned = handler->learned,
                         .strikes = g_array_new(false, false, sizeof(Strike))};
    g_hash_table_insert(here, key, kind);
    g_ptr_array_add(list, kind);
    return kind;
}

static void add_strike(StrikeKind *kind, const Strike *strike)
{
    guint n = kind->total++;
    if (kind->strikes->len < STRIKES_A_KIND)
        g_array_append_val(kind->strikes, *strike);
    else if (!(n & (n - 1))) // ever more seldom
        g_array_index(kind->strikes, Strike, n % STRIKES_A_KIND) = *strike;
}

// Kinds of one handler.
typedef struct {
    GHashTable *known; // before this run
    GHashTable *here; // text → StrikeKind
    GPtrArray *list;
} Kinds;

static void add_to_kind(const Kinds *kinds, const Handler *handler, StrikeClass class, const Strike *strike)
{
    const RwLearnedEvent *event = get_event(handler->learned, strike->event);
    g_autofree char *key = dup_key(handler, event, class == STRIKE_MERGED);
    StrikeKind *kind = g_hash_table_lookup(kinds->here, key);
    if (!kind && g_hash_table_contains(kinds->known, key))
        return;
    if (!kind) {
        kind = add_kind(kinds->here, kinds->list, handler, g_strdup(key));
        kind->class = class;
    }
    kind->class = MIN(kind->class, class);
    add_strike(kind, strike);
}

static void add_event(const Kinds *kinds, Handler *handler, guint index)
{
    StrikeClass class = STRIKE_CALL;
    Strike found[2];
    guint n = classify(handler, get_event(handler->learned, index), &class)
                  ? find_strikes(handler, index, found)
                  : 0;
    if (!n || (!found[0].later && class == STRIKE_CALL))
        return;
    if (!found[0].later && class == STRIKE_LIBRARY)
        class = STRIKE_BACK;
    if (class == STRIKE_CALL && get_signal(handler->learned, found[0].signal)->jumped)
        class = STRIKE_JUMPED;
    add_to_kind(kinds, handler, class, &found[0]);
    if (n > 1 && class == STRIKE_WAITS)
        add_to_kind(kinds, handler, STRIKE_MERGED, &found[1]);
}

// What comes with the system, make(1) and timeout(1) as a rule: it is seldom what the job is about.
static bool is_of_system(const RwLearned *learned, guint receiver)
{
    static const char *const folders[] = {"/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/usr/lib/"};
    const char *program = get_task(learned, receiver)->program;
    for (guint i = 0; program && i < G_N_ELEMENTS(folders); i++)
        if (g_str_has_prefix(program, folders[i]))
            return true;
    return false;
}

static void set_ranks(GPtrArray *list)
{
    guint turns[N_STRIKES] = {0};
    for (guint i = 0; i < list->len; i++) {
        StrikeKind *kind = list->pdata[i];
        guint seldom = is_of_system(kind->learned, kind->receiver) ? 2 : 1;
        kind->rank = ++turns[kind->class] * weights[kind->class] * seldom;
    }
}

// Of tasks that came later first: they are what the others are there for.
static gint by_rank(gconstpointer a, gconstpointer b)
{
    const StrikeKind *x = *(StrikeKind *const *)a, *y = *(StrikeKind *const *)b;
    if (x->rank != y->rank)
        return (x->rank > y->rank) - (x->rank < y->rank);
    return (x->receiver < y->receiver) - (x->receiver > y->receiver);
}

static void add_handler(RwStrikes *strikes, GPtrArray *all, const RwLearned *learned, guint index)
{
    const RwLearnedHandler *which = &g_array_index(learned->handlers, RwLearnedHandler, index);
    Handler handler = {
        .learned = learned, .handler = index + 1, .task = which->task, .signo = (guint)which->signo};
    g_autoptr(GHashTable) here = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    Kinds kinds = {strikes->known, here, list};
    GHashTableIter iter;
    gpointer key;
    look_at_handler(&handler);
    for (guint i = 0; i < learned->events->len; i++)
        add_event(&kinds, &handler, i);
    set_ranks(list);
    g_ptr_array_extend(all, list, NULL, NULL);
    g_hash_table_iter_init(&iter, here);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        g_hash_table_add(strikes->known, g_strdup(key));
    g_hash_table_unref(handler.objects);
    g_array_unref(handler.signals);
}

void rw_strikes_add(RwStrikes *strikes, const RwLearned *learned, const RwSchedule *base)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    for (guint i = 0; i < learned->handlers->len; i++)
        add_handler(strikes, all, learned, i);
    g_ptr_array_sort(all, by_rank);
    for (guint i = 0; i < all->len; i++) {
        StrikeKind *kind = all->pdata[i];
        kind->base = base;
        if (kind->class < STRIKE_CALL)
            strikes->turns += is_of_system(learned, kind->receiver) ? 1 : 2;
        g_ptr_array_add(strikes->kinds, kind);
    }
}

guint rw_strikes_count(const RwStrikes *strikes)
{
    return strikes->kinds->len;
}

guint rw_strikes_count_tried(const RwStrikes *strikes)
{
    guint n = 0;
    for (guint i = 0; i < strikes->kinds->len; i++)
        n += ((StrikeKind *)strikes->kinds->pdata[i])->tried > 0;
    return n;
}

// ---- Draws ----

// Each kind before its instruction first; then after it, or some instructions further.
static RwPlace draw_place(const StrikeKind *kind, const RwLearnedEvent *event, RwDraw *draw)
{
    RwPlace place = event->place;
    uint64_t which = kind->tried == 1 ? 0 : rw_draw_below(draw, 4);
    if (which < 2)
        return place;
    place.kind = place.kind == RW_PLACE_AT ? RW_PLACE_AFTER : RW_PLACE_RETURN;
    if (which == 3)
        place.further = (uint32_t)rw_draw_below(draw, 1ull << (1 + rw_draw_below(draw, FURTHER_DOUBLINGS)));
    return place;
}

static uint64_t rest_of_timer(const RwLearnedEvent *event, const RwLearnedSignal *signal)
{
    uint64_t ns = signal->ns - MIN(event->ns, signal->ns) + TIMER_SLACK_NS;
    return (ns + UNIT_NS - 1) / UNIT_NS * UNIT_NS;
}

// The receiver is held until the signal has been sent.
static void hold_receiver(const RwLearnedEvent *event, const RwLearnedSignal *signal, RwDraw *draw,
                          RwHold *hold)
{
    if (signal->origin == RW_SIGNAL_TIMER) {
        hold->until = RW_UNTIL_TIME;
        hold->limit_ns = rest_of_timer(event, signal);
    } else if (signal->origin == RW_SIGNAL_UNKNOWN) {
        hold->until = RW_UNTIL_IDLE;
    } else {
        hold->until = RW_UNTIL_PASSED;
        hold->passed = signal->behind;
        hold->other_next = !rw_draw_below(draw, 2);
    }
}

// The sender is held until the receiver is where it shall take it.
static void hold_sender(const RwLearnedSignal *signal, RwHold *hold)
{
    hold->until = RW_UNTIL_PASSED;
    hold->passed = hold->place;
    hold->place = signal->sent;
    hold->next = true;
}

bool rw_draw_signal(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    RwStrikes *strikes = search->strikes;
    guint n = strikes->kinds->len;
    // Once those that may well show something were tried the turn is another's, as a rule.
    if (!n || (strikes->next >= strikes->turns && rw_draw_below(draw, 3)))
        return false;
    StrikeKind *kind = strikes->kinds->pdata[strikes->next++ % n];
    guint index = kind->tried++ ? (guint)rw_draw_below(draw, kind->strikes->len) : 0;
    const Strike *strike = &g_array_index(kind->strikes, Strike, index);
    const RwLearnedEvent *event = get_event(kind->learned, strike->event);
    const RwLearnedSignal *signal = get_signal(kind->learned, strike->signal);
    RwPlace place = draw_place(kind, event, draw);
    RwHold hold = rw_make_hold(search, &place);
    if (strike->later)
        hold_receiver(event, signal, draw, &hold);
    else
        hold_sender(signal, &hold);
    hold.limit_ns = MIN(hold.limit_ns, search->options.max_delay_ns);
    if (kind->base)
        ret->schedule = *kind->base;
    rw_schedule_add_hold(&ret->schedule, &hold);
    return true;
}
