// SPDX-License-Identifier: MIT
//
// vCont, s, c, bs, bc: going on; and why it stopped.
#include "gdb-private.h"

#include <errno.h>

// gdb numbers signals in its own way.
static const uint8_t signals[] = {
    [1] = 1,   [2] = 2,   [3] = 3,   [4] = 4,   [5] = 5,   [6] = 6,   [7] = 10,  [8] = 8,
    [9] = 9,   [10] = 30, [11] = 11, [12] = 31, [13] = 13, [14] = 14, [15] = 15, [17] = 20,
    [18] = 19, [19] = 17, [20] = 18, [21] = 21, [22] = 22, [23] = 16, [24] = 24, [25] = 25,
    [26] = 26, [27] = 27, [28] = 28, [29] = 23, [30] = 32, [31] = 12,
};
enum { SIGNAL_TRAP = 5, SIGNAL_INT = 2, SIGNAL_UNKNOWN = 143, SIGNAL_REALTIME_34 = 46 };

static unsigned to_gdb(int signal)
{
    if (signal >= 34 && signal <= 63)
        return (unsigned)(SIGNAL_REALTIME_34 + signal - 34);
    if (signal < 1 || signal >= (int)G_N_ELEMENTS(signals) || !signals[signal])
        return SIGNAL_UNKNOWN;
    return signals[signal];
}

static uint64_t ignored_here(const GdbSession *s)
{
    uint64_t out = 0;
    for (int i = 1; i < 64; i++)
        if (to_gdb(i) < 64 && s->ignored >> to_gdb(i) & 1)
            out |= 1ull << i;
    return out;
}

// ---- Why it stopped ----

static void put_why(GdbSession *s)
{
    static const char *const watches[] = {
        [GDB_WRITE] = "watch", [GDB_READ] = "rwatch", [GDB_ACCESS] = "awatch"};
    const GdbStop *stop = &s->stop;
    if (stop->kind == GDB_STOP_WATCH && stop->point >= GDB_WRITE)
        g_string_append_printf(s->reply, "%s:%" G_GINT64_MODIFIER "x;", watches[stop->point],
                               stop->address);
    else if (stop->kind == GDB_STOP_BREAK && stop->point == GDB_CODE_TOO && s->hwbreak)
        g_string_append(s->reply, "hwbreak:;");
    else if (stop->kind == GDB_STOP_BREAK && s->swbreak)
        g_string_append(s->reply, "swbreak:;");
    else if (stop->kind == GDB_STOP_EXEC && stop->program) {
        g_string_append(s->reply, "exec:");
        gdb_put_hex(s->reply, stop->program, strlen(stop->program));
        g_string_append_c(s->reply, ';');
    } else if (stop->kind == GDB_STOP_BEGIN)
        g_string_append(s->reply, "replaylog:begin;");
    else if (stop->kind == GDB_STOP_END)
        g_string_append(s->reply, "replaylog:end;");
}

void gdb_put_stop(GdbSession *s)
{
    const GdbStop *stop = &s->stop;
    unsigned signal = stop->kind == GDB_STOP_SIGNAL        ? to_gdb(stop->signal.number)
                      : stop->kind == GDB_STOP_INTERRUPTED ? SIGNAL_INT
                                                           : SIGNAL_TRAP;
    g_string_printf(s->reply, "T%02xthread:", signal);
    gdb_put_thread(s, s->reply, stop->tid);
    g_string_append_c(s->reply, ';');
    put_why(s);
}

// ---- Going on ----

// A debugger that puts a breakpoint of its own (a step's end) where one with conditions is inserted does
// not tell of it, and misses it if only these are heeded. What it inserts at once before the program goes
// on is told right. So conditions count for that once; from the first stop on each hit is told, which the
// debugger looks at itself, until it inserts the breakpoint again.
static void forget_conditions(GdbSession *s)
{
    for (guint i = 0; i < s->points->len; i++)
        g_clear_pointer(&g_array_index(s->points, GdbPoint, i).conditions, g_ptr_array_unref);
}

static void resume(GdbSession *s, GdbResume *how)
{
    g_autoptr(GError) error = NULL;
    GdbStop stop = {0};
    how->points = (const GdbPoint *)s->points->data;
    how->n = s->points->len;
    how->ignored = ignored_here(s);
    how->exec = s->exec;
    how->interrupted = s->interrupted;
    how->data = s->interrupted_data;
    if (!how->tid)
        how->tid = s->stop.tid;
    gdb_session_tell(s, true);
    if (!s->world.ops->resume(s->world.data, how, &stop, &error)) {
        gdb_stop_clear(&stop);
        g_string_append_printf(s->console, "rewind: %s\n", error->message);
        stop = (GdbStop){.kind = GDB_STOP_STEP, .tid = s->stop.tid};
    }
    forget_conditions(s);
    gdb_session_tell(s, false);
    gdb_stop_clear(&s->stop);
    s->stop = stop;
    s->general = GDB_ANY;
    if (stop.note)
        g_string_append_printf(s->console, "rewind: %s\n", stop.note);
    gdb_put_stop(s);
}

// Of a vCont's actions the first that steps counts: all other threads go on in any case. Where only one
// goes on it alone is to stop.
typedef struct {
    GdbResume how;
    bool found, all;
} Actions;

static void take_action(GdbText *text, Actions *actions)
{
    char action = text->at < text->end ? *text->at++ : 0;
    GdbResume this = {.forward = true, .step = action == 's' || action == 'S' || action == 'r'};
    uint32_t pid;
    if (action == 'C' || action == 'S')
        gdb_text_hex(text); // the recording has its own signals
    if (action == 'r') {
        this.from = gdb_text_hex(text);
        gdb_text_expect(text, ',');
        this.until = gdb_text_hex(text);
    }
    text->failed |= !action || !strchr("cCsSrt", action);
    if (gdb_text_skip(text, ':'))
        gdb_text_thread(text, &pid, &this.tid);
    if (this.tid == GDB_ALL)
        this.tid = GDB_ANY;
    actions->all |= actions->found || !this.tid;
    if (!actions->found || (this.step && !actions->how.step))
        actions->how = this;
    actions->found = true;
}

static void take_vcont(GdbSession *s, const char *packet)
{
    GdbText text = {packet + strlen("vCont"), packet + strlen(packet), false};
    Actions actions = {0};
    while (gdb_text_skip(&text, ';') && !text.failed)
        take_action(&text, &actions);
    if (text.failed || !actions.found || !gdb_text_at_end(&text)) {
        gdb_reply_error(s, EINVAL);
        return;
    }
    GdbResume how = actions.how;
    if (!how.step && !actions.all)
        how.only = how.tid;
    resume(s, &how);
}

void gdb_take_resume(GdbSession *s, const char *packet)
{
    GdbResume how = {.forward = packet[0] != 'b'};
    if (!strcmp(packet, "vCont?")) {
        g_string_assign(s->reply, "vCont;c;C;s;S;r");
        return;
    }
    if (packet[0] == 'v') {
        take_vcont(s, packet);
        return;
    }
    char what = how.forward ? packet[0] : packet[1];
    if (!what || !strchr("cCsS", what))
        return;
    how.step = what == 's' || what == 'S';
    if (s->resumed != GDB_ALL)
        how.tid = s->resumed;
    if (!how.step)
        how.only = how.tid;
    resume(s, &how);
}
