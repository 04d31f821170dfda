// SPDX-License-Identifier: MIT
//
// Rare answers of system calls: each call of a program has its turn, first of programs that are the job's
// own.
#include "search-private.h"

#include "rw-error.h"

#include <errno.h>
#include <string.h>

#define ANSWERS_A_CALL 64u
#define TRIES_A_CALL 2u // where nobody asked for more
#define CALL_MMAP 9u
#define CALL_BRK 12u

static const struct {
    const char *name;
    RwFaultKind fault;
    uint32_t amount; // of ERROR
} kinds[RW_N_ANSWERS] = {
    [RW_ANSWER_WAKEUP] = {"wakeup", RW_FAULT_WAKE, 0},
    [RW_ANSWER_SHORT] = {"short", RW_FAULT_SHORT, 0},
    [RW_ANSWER_EINTR] = {"eintr", RW_FAULT_ERROR, EINTR},
    [RW_ANSWER_EAGAIN] = {"eagain", RW_FAULT_ERROR, EAGAIN},
    [RW_ANSWER_ENOMEM] = {"enomem", RW_FAULT_ERROR, ENOMEM},
    [RW_ANSWER_ENOSPC] = {"enospc", RW_FAULT_ERROR, ENOSPC},
    [RW_ANSWER_READDIR] = {"readdir", RW_FAULT_REVERSED, 0},
};

static uint32_t bits_of(const char *name)
{
    if (!strcmp(name, "all"))
        return RW_ANSWERS_ALL;
    for (guint i = 0; i < RW_N_ANSWERS; i++)
        if (!strcmp(name, kinds[i].name))
            return 1u << i;
    return 0;
}

bool rw_answers_parse(const char *text, uint32_t *ret, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    *ret = 0;
    if (!strcmp(text, "none"))
        return true;
    for (char **word = words; *word; word++) {
        uint32_t bits = bits_of(*word);
        *ret = bits ? *ret | bits : 0;
        if (!bits)
            break;
    }
    if (*ret)
        return true;
    GString *list = g_string_new(NULL);
    for (guint i = 0; i < RW_N_ANSWERS; i++)
        g_string_append_printf(list, ", %s", kinds[i].name);
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--faults %s: must be none, all, or of%s", text,
                list->str + 1);
    g_string_free(list, true);
    return false;
}

// ---- Calls ----

// Of a program, from one instruction, of one kind of answer.
typedef struct {
    RwAnswerKind kind;
    bool own; // no program of the system's
    guint order;
    guint tried;
    GArray *answers; // of guint, indices, some of them
} Call;

static void free_call(gpointer data)
{
    Call *call = data;
    g_array_unref(call->answers);
    g_free(call);
}

static const RwLearnedAnswer *get_answer(const RwLearned *learned, guint index)
{
    return &g_array_index(learned->answers, RwLearnedAnswer, index);
}

static const char *program_of(const RwLearned *learned, const RwLearnedAnswer *answer)
{
    const char *program = g_array_index(learned->tasks, RwLearnedTask, answer->task).program;
    return program ? program : "";
}

static bool is_own(const char *program)
{
    return !g_str_has_prefix(program, "/bin/") && !g_str_has_prefix(program, "/sbin/") &&
           !g_str_has_prefix(program, "/usr/bin/") && !g_str_has_prefix(program, "/usr/sbin/") &&
           !g_str_has_prefix(program, "/usr/lib");
}

static gint by_promise(gconstpointer a, gconstpointer b)
{
    const Call *x = *(Call *const *)a, *y = *(Call *const *)b;
    if (x->own != y->own)
        return x->own ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void add_answer(GPtrArray *calls, GHashTable *known, const RwLearned *learned, guint index)
{
    const RwLearnedAnswer *answer = get_answer(learned, index);
    const char *program = program_of(learned, answer);
    g_autofree char *key = g_strdup_printf("%u %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %s",
                                           answer->kind, answer->place.number, answer->site, program);
    Call *call = g_hash_table_lookup(known, key);
    if (!call) {
        call = g_new0(Call, 1);
        *call = (Call){.kind = answer->kind,
                       .own = is_own(program),
                       .order = index,
                       .answers = g_array_new(false, false, sizeof(guint))};
        g_ptr_array_add(calls, call);
        g_hash_table_insert(known, g_steal_pointer(&key), call);
    }
    if (call->answers->len < ANSWERS_A_CALL)
        g_array_append_val(call->answers, index);
}

GPtrArray *rw_answer_calls_new(const RwLearned *learned, uint32_t wanted)
{
    GPtrArray *calls = g_ptr_array_new_with_free_func(free_call);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; learned && i < learned->answers->len; i++)
        if (wanted & 1u << get_answer(learned, i)->kind)
            add_answer(calls, known, learned, i);
    g_ptr_array_sort(calls, by_promise);
    return calls;
}

// ---- Draws ----

static RwFault make_fault(const RwSearch *search, const RwLearnedAnswer *answer)
{
    return (RwFault){.from = search->options.window.from,
                     .before = search->options.window.until,
                     .place = answer->place,
                     .kind = kinds[answer->kind].fault,
                     .amount = kinds[answer->kind].amount};
}

// Little, nearly all, half, or any.
static uint32_t draw_length(const RwLearnedAnswer *answer, guint tried, RwDraw *draw)
{
    uint32_t more = answer->most - answer->least;
    switch (tried % 4) {
    case 0:
        return answer->least + more / 2;
    case 1:
        return answer->least;
    case 2:
        return answer->most;
    default:
        return answer->least + (uint32_t)rw_draw_below(draw, (uint64_t)more + 1);
    }
}

// Where the heap cannot grow malloc(3) maps memory instead.
static void add_mapping(const RwSearch *search, guint index, RwSearchTry *ret)
{
    const RwLearnedAnswer *heap = get_answer(search->learned, index);
    uint32_t before = 0;
    for (guint i = 0; i < index; i++) {
        const RwLearnedAnswer *other = get_answer(search->learned, i);
        if (other->task == heap->task && other->place.number == CALL_MMAP)
            before = other->place.nth;
    }
    RwFault fault = make_fault(search, heap);
    fault.place.number = CALL_MMAP;
    fault.place.nth = before + 1;
    rw_schedule_add_fault(&ret->schedule, &fault);
}

// In turn; NULL: none is left.
static Call *next_call(RwSearch *search)
{
    guint n = search->calls->len;
    for (guint i = 0; i < n; i++) {
        Call *call = search->calls->pdata[search->next_call++ % n];
        if (search->options.many_faults || call->tried < TRIES_A_CALL)
            return call;
    }
    return NULL;
}

bool rw_draw_fault(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    Call *call = next_call(search);
    if (!call)
        return false;
    guint which = call->tried ? (guint)rw_draw_below(draw, call->answers->len) : 0;
    guint index = g_array_index(call->answers, guint, which);
    const RwLearnedAnswer *answer = get_answer(search->learned, index);
    RwFault fault = make_fault(search, answer);
    if (fault.kind == RW_FAULT_SHORT)
        fault.amount = draw_length(answer, call->tried, draw);
    call->tried++;
    bool added = rw_schedule_add_fault(&ret->schedule, &fault);
    if (added && answer->place.number == CALL_BRK)
        add_mapping(search, index, ret);
    return added;
}
