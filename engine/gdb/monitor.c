// SPDX-License-Identifier: MIT
//
// monitor: what gdb has no command of its own for.
#include "world-private.h"

#include "rw-blame.h"
#include "rw-debuginfo.h"
#include "rw-event.h"

typedef char *(*Answer)(RwGdb *g, const char *argument, GError **error);

static RwPosition get_position(RwGdb *g)
{
    return rw_timeline_get_position(g->timeline);
}

static char *answer_when(RwGdb *g, const char *argument, GError **error)
{
    RwPosition position = get_position(g);
    g_autofree char *text = rw_position_dup_text(&position), *left = rw_position_dup_text(&g->left);
    if (gdb_has_left(g))
        return g_strdup_printf("%s, in what is not recorded: history was left at %s\n", text, left);
    return g_strdup_printf("%s\n", text);
}

static char *answer_step(RwGdb *g, const char *argument, GError **error)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT "\n", get_position(g).step);
}

static char *answer_instructions(RwGdb *g, const char *argument, GError **error)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT "\n", rw_timeline_get_icount(g->timeline));
}

static char *answer_time(RwGdb *g, const char *argument, GError **error)
{
    uint64_t tsc = rw_machine_tsc(rw_timeline_get_machine(g->timeline));
    return g_strdup_printf("%.9f s\n", (double)tsc / 4e9);
}

// The last event of the process before the position.
static char *answer_event(RwGdb *g, const char *argument, GError **error)
{
    RwPosition here = get_position(g);
    g_autofree char *last = NULL;
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(g->config.trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    if (gdb_has_left(g))
        here = g->left;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0) {
        if (item.is_step || (g->pid && item.record.pid != g->pid))
            continue;
        RwPosition at = {item.at, item.at_known ? item.after_ticks : 0};
        if (item.step > here.step + 1)
            break;
        if (rw_position_compare(&at, &here) > 0)
            continue;
        g_autofree char *text = rw_event_dup_text(&item), *place = rw_event_dup_place(&item, true);
        g_free(last);
        last = g_strdup_printf("%s  %u/%u  %s  %s\n", place, item.record.pid, item.record.tid,
                               rw_event_kind_name(item.record.type), text);
    }
    return more < 0 ? NULL : last ? g_steal_pointer(&last) : g_strdup("none\n");
}

static bool choose(RwGdb *g, uint32_t pid, uint32_t tid, GError **error)
{
    if (g->config.kernel)
        return gdb_choose_kernel(g, error);
    return gdb_choose(g, pid, tid, error) && gdb_settle(g, error);
}

// Where the process is not there at that position it stays in the recorded run where it was.
static char *go_to(RwGdb *g, RwPosition to, uint32_t tid, GError **error)
{
    uint32_t pid = g->pid;
    bool left = gdb_has_left(g);
    RwPosition before = left ? g->left : get_position(g);
    gdb_return(g);
    bool ok = gdb_go(g, &to, error) && choose(g, pid, tid, error);
    if (!ok && gdb_go(g, &before, NULL))
        choose(g, pid, 0, NULL);
    if (ok || left)
        gdb_session_moved(g->session, g->tid);
    return ok ? answer_when(g, NULL, error) : NULL;
}

static char *answer_go(RwGdb *g, const char *argument, GError **error)
{
    RwPosition to;
    if (!rw_position_parse(argument, &to, error) ||
        !rw_timeline_clamp(g->config.trace, &g->config.seek->manifest->end, &to, error))
        return NULL;
    return go_to(g, to, 0, error);
}

static char *answer_back(RwGdb *g, const char *argument, GError **error)
{
    return gdb_has_left(g) ? go_to(g, g->left, g->left_tid, error) : answer_when(g, NULL, error);
}

// ---- Who wrote there last ----

#define WHO_BYTES 8

static bool parse_address(const char *text, uint64_t *ret, GError **error)
{
    char *end;
    *ret = g_ascii_strtoull(text, &end, 0);
    if (end != text && !*end)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: not an address: see `help who`", text);
    return false;
}

// What the instruction is, where its line is known.
static char *dup_place(const RwBlameWrite *write)
{
    const GPtrArray *frames = write->task ? write->task->frames : NULL;
    const RwSymbol *symbol =
        frames && frames->len ? &((const RwInspectFrame *)frames->pdata[0])->symbol : NULL;
    const char *function = !symbol ? NULL : symbol->inlined ? symbol->inlined : symbol->function;
    if (!function)
        return g_strdup("");
    return symbol->file ? g_strdup_printf(", in %s at %s:%u", function, symbol->file, symbol->line)
                        : g_strdup_printf(", in %s", function);
}

static char *dup_writer(const RwBlameWrite *write)
{
    g_autofree char *position = rw_position_dup_text(&write->position), *place = dup_place(write);
    if (write->how == RW_BLAME_IMAGE)
        return g_strdup("nobody: it is as the root image has it\n");
    if (write->how == RW_BLAME_NOBODY && write->has_position)
        return g_strdup_printf("nobody since the guest handed out that memory, zeroed, at %s\n", position);
    if (write->how == RW_BLAME_NOBODY)
        return g_strdup("nobody since the job began\n");
    return g_strdup_printf("%s  %u/%u  %s%s%s\n", position, write->pid, write->tid,
                           write->program ? write->program : "?",
                           write->how == RW_BLAME_STORE ? "" : ", the kernel for it", place);
}

static char *answer_who(RwGdb *g, const char *argument, GError **error)
{
    RwPosition here = get_position(g);
    g_autoptr(RwSymbols) symbols = rw_debuginfo_symbols_new(g->config.cancellable);
    RwBlame blame = {g->timeline, symbols, NULL};
    RwBlameWanted wanted = {.task = true, .places = {.frames = 1}};
    g_auto(RwBlameWrite) write = {0};
    RwBlamePlace place;
    uint64_t address;
    if (!parse_address(argument, &address, error))
        return NULL;
    if (!rw_blame_find_by_root(&blame, g->root, address, WHO_BYTES, &place))
        return g_strdup(
            "nobody since the job began: the process has no memory there, or has not touched it\n");
    gdb_forget(g);
    bool ok = rw_blame_last(&blame, &place, &wanted, &write, error);
    return gdb_go(g, &here, ok ? error : NULL) && ok ? dup_writer(&write) : NULL;
}

// ---- All of them ----

static char *answer_help(RwGdb *g, const char *argument, GError **error);

static const struct {
    const char *name, *help;
    Answer answer;
} commands[] = {
    {"help", "what there is", answer_help},
    {"when", "the position: steps, and instructions after the last one", answer_when},
    {"step", "the number of the last step", answer_step},
    {"instructions", "how many were executed since power-on", answer_instructions},
    {"time", "virtual time since power-on", answer_time},
    {"event", "the last thing that the process did that is recorded", answer_event},
    {"who", "ADDRESS: who wrote to the 8 bytes there last, before here", answer_who},
    {"go", "POSITION: stand there; then `maintenance flush register-cache`", answer_go},
    {"back", "where the recorded run was left by a change: stand there again; then the same", answer_back},
    {"detach", "leave the run", NULL},
    {"kill", "the same", NULL},
};

static char *answer_help(RwGdb *g, const char *argument, GError **error)
{
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        g_string_append_printf(out, "monitor %-13s %s\n", commands[i].name, commands[i].help);
    return g_string_free(out, false);
}

char *gdb_world_monitor(void *data, const char *command, GError **error)
{
    g_auto(GStrv) words = g_strsplit_set(command, " \t", 2);
    const char *name = words[0] ? words[0] : "", *argument = words[0] && words[1] ? words[1] : "";
    while (g_ascii_isspace(*argument))
        argument++;
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (commands[i].answer && !strcmp(commands[i].name, *name ? name : "help"))
            return commands[i].answer(data, argument, error);
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: no such command: see `monitor help`", name);
    return NULL;
}
