// SPDX-License-Identifier: MIT
#include "rw-event.h"

#include "rw-base.h"

#include <fcntl.h>
#include <signal.h>

static const char *const kind_names[] = {
    [REWIND_RECORD_CONSOLE] = "console", [REWIND_RECORD_OUTPUT] = "output",
    [REWIND_RECORD_EXEC] = "exec",       [REWIND_RECORD_FORK] = "fork",
    [REWIND_RECORD_EXIT] = "exit",       [REWIND_RECORD_SIGNAL] = "signal",
    [REWIND_RECORD_OPEN] = "open",       [REWIND_RECORD_WRITE] = "write",
    [REWIND_RECORD_UNLINK] = "unlink",   [REWIND_RECORD_RENAME] = "rename",
    [REWIND_RECORD_MARK] = "mark",       [REWIND_RECORD_SWITCH] = "switch",
    [REWIND_RECORD_JOB_START] = "start", [REWIND_RECORD_JOB_EXIT] = "end",
    [REWIND_RECORD_AGENT] = "agent",     [REWIND_RECORD_PRODUCT] = "product",
};

const char *rw_event_kind_name(unsigned type)
{
    return type < G_N_ELEMENTS(kind_names) ? kind_names[type] : NULL;
}

unsigned rw_event_kind_from_name(const char *name)
{
    for (unsigned type = 1; type < G_N_ELEMENTS(kind_names); type++)
        if (!strcmp(kind_names[type], name))
            return type;
    return 0;
}

static gboolean copy_fixed(const RwTraceItem *item, unsigned type, void *ret, size_t size)
{
    return !item->is_step && item->record.type == type &&
           rw_copy_out(item->payload, item->length, 0, ret, size);
}

static gboolean reads_only(const RwTraceItem *item)
{
    struct rewind_open open_;
    return copy_fixed(item, REWIND_RECORD_OPEN, &open_, sizeof open_) &&
           (open_.flags & O_ACCMODE) == O_RDONLY && !(open_.flags & (O_CREAT | O_TRUNC));
}

gboolean rw_event_is_frequent(const RwTraceItem *item)
{
    switch (item->record.type) {
    case REWIND_RECORD_CONSOLE:
    case REWIND_RECORD_WRITE:
    case REWIND_RECORD_SWITCH:
        return TRUE;
    case REWIND_RECORD_OPEN:
        return reads_only(item);
    default:
        return FALSE;
    }
}

gboolean rw_event_get_output(const RwTraceItem *item, uint32_t *ret_fd, const uint8_t **ret_bytes,
                             size_t *ret_length)
{
    struct rewind_output output;
    if (!copy_fixed(item, REWIND_RECORD_OUTPUT, &output, sizeof output))
        return FALSE;
    *ret_fd = output.fd;
    *ret_bytes = item->payload + sizeof output;
    *ret_length = item->length - sizeof output;
    return TRUE;
}

gboolean rw_event_get_fork(const RwTraceItem *item, struct rewind_fork *ret_fork)
{
    return copy_fixed(item, REWIND_RECORD_FORK, ret_fork, sizeof *ret_fork);
}

gboolean rw_event_get_exit(const RwTraceItem *item, struct rewind_exit *ret_exit)
{
    return copy_fixed(item, REWIND_RECORD_EXIT, ret_exit, sizeof *ret_exit);
}

char **rw_event_dup_exec(const RwTraceItem *item, char **ret_path)
{
    struct rewind_exec exec;
    if (!copy_fixed(item, REWIND_RECORD_EXEC, &exec, sizeof exec))
        return NULL;
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    rw_reader_skip(&reader, sizeof exec);
    const char *path = rw_reader_string(&reader);
    for (uint32_t i = 0; i < exec.argc && rw_reader_left(&reader); i++) {
        const char *arg = rw_reader_string(&reader);
        if (!reader.failed)
            g_strv_builder_add(argv, arg);
    }
    if (ret_path)
        *ret_path = g_strdup(path);
    return g_strv_builder_end(argv);
}

char *rw_signal_dup_name(int signo)
{
    const char *name = sigabbrev_np(signo);
    if (name)
        return g_strconcat("SIG", name, NULL);
    // The kernel's numbers: 32 is the first real-time signal, of which glibc keeps two for itself.
    if (signo >= 34 && signo <= 64)
        return signo == 34 ? g_strdup("SIGRTMIN") : g_strdup_printf("SIGRTMIN+%d", signo - 34);
    return g_strdup_printf("signal %d", signo);
}
