// SPDX-License-Identifier: MIT
#include "rw-event.h"

#include "rw-base.h"

#include <fcntl.h>
#include <signal.h>

typedef enum { SELDOM, OFTEN, READS_OFTEN } Often;
typedef enum { NO_PATH, PATH } Path;

typedef uint8_t nothing[0];
#define N_ // what is to be translated is where it is shown

static const struct {
    const char *name, *title;
    uint16_t fixed;
    Path path;
    Often often;
} kinds[] = {
#define RW_RECORD_KIND(ID, NAME, FIXED, PATH_, OFTEN_, TEXT, MEMBERS, TRACK, TITLE)                        \
    [REWIND_RECORD_##ID] = {NAME, TITLE, sizeof(FIXED), PATH_, OFTEN_},
#include "rw-records.def"
#undef RW_RECORD_KIND
};

const char *rw_event_kind_name(unsigned type)
{
    return type < G_N_ELEMENTS(kinds) ? kinds[type].name : NULL;
}

const char *rw_event_kind_title(unsigned type)
{
    return type < G_N_ELEMENTS(kinds) ? kinds[type].title : NULL;
}

unsigned rw_event_kind_from_name(const char *name)
{
    for (unsigned type = 1; type < G_N_ELEMENTS(kinds); type++)
        if (!strcmp(kinds[type].name, name))
            return type;
    return 0;
}

static bool copy_fixed(const RwTraceItem *item, unsigned type, void *ret, size_t size)
{
    return !item->is_step && item->record.type == type &&
           rw_copy_out(item->payload, item->length, 0, ret, size);
}

static bool reads_only(const RwTraceItem *item)
{
    struct rewind_open open_;
    return copy_fixed(item, REWIND_RECORD_OPEN, &open_, sizeof open_) &&
           (open_.flags & O_ACCMODE) == O_RDONLY && !(open_.flags & (O_CREAT | O_TRUNC));
}

bool rw_event_is_frequent(const RwTraceItem *item)
{
    unsigned type = item->record.type;
    Often often = !item->is_step && type < G_N_ELEMENTS(kinds) ? kinds[type].often : SELDOM;
    return often == OFTEN || (often == READS_OFTEN && reads_only(item));
}

const char *rw_event_get_path(const RwTraceItem *item, const char **ret_to)
{
    unsigned type = item->record.type;
    *ret_to = NULL;
    if (item->is_step || type >= G_N_ELEMENTS(kinds) || kinds[type].path == NO_PATH)
        return NULL;
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    rw_reader_skip(&reader, kinds[type].fixed);
    const char *path = rw_reader_string(&reader);
    if (type == REWIND_RECORD_RENAME)
        *ret_to = rw_reader_string(&reader);
    return reader.failed ? NULL : path;
}

bool rw_event_get_output(const RwTraceItem *item, uint32_t *ret_fd, const uint8_t **ret_bytes,
                         size_t *ret_length)
{
    struct rewind_output output;
    if (!copy_fixed(item, REWIND_RECORD_OUTPUT, &output, sizeof output))
        return false;
    *ret_fd = output.fd;
    *ret_bytes = item->payload + sizeof output;
    *ret_length = item->length - sizeof output;
    return true;
}

bool rw_event_get_fork(const RwTraceItem *item, struct rewind_fork *ret_fork)
{
    return copy_fixed(item, REWIND_RECORD_FORK, ret_fork, sizeof *ret_fork);
}

bool rw_event_get_switch(const RwTraceItem *item, struct rewind_switch *ret_switch)
{
    return copy_fixed(item, REWIND_RECORD_SWITCH, ret_switch, sizeof *ret_switch);
}

bool rw_event_get_switch_why(const RwTraceItem *item, struct rewind_switch_why *ret_why)
{
    return !item->is_step && item->record.type == REWIND_RECORD_SWITCH &&
           rw_copy_out(item->payload, item->length, sizeof(struct rewind_switch), ret_why, sizeof *ret_why);
}

const char *rw_event_get_name(const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    if (item->is_step || item->record.type != REWIND_RECORD_NAME)
        return NULL;
    const char *name = rw_reader_string(&reader);
    return reader.failed ? NULL : name;
}

bool rw_event_get_signal(const RwTraceItem *item, struct rewind_signal *ret_signal)
{
    return copy_fixed(item, REWIND_RECORD_SIGNAL, ret_signal, sizeof *ret_signal);
}

bool rw_event_get_open(const RwTraceItem *item, struct rewind_open *ret_open)
{
    return copy_fixed(item, REWIND_RECORD_OPEN, ret_open, sizeof *ret_open);
}

bool rw_event_get_write(const RwTraceItem *item, struct rewind_write *ret_write)
{
    return copy_fixed(item, REWIND_RECORD_WRITE, ret_write, sizeof *ret_write);
}

bool rw_event_get_unlink(const RwTraceItem *item, struct rewind_unlink *ret_unlink)
{
    return copy_fixed(item, REWIND_RECORD_UNLINK, ret_unlink, sizeof *ret_unlink);
}

bool rw_event_get_exit(const RwTraceItem *item, struct rewind_exit *ret_exit)
{
    return copy_fixed(item, REWIND_RECORD_EXIT, ret_exit, sizeof *ret_exit);
}

bool rw_event_get_reason(const RwTraceItem *item, struct rewind_reason *ret_reason)
{
    return copy_fixed(item, REWIND_RECORD_REASON, ret_reason, sizeof *ret_reason) &&
           ret_reason->length <= sizeof ret_reason->bytes;
}

const char *rw_reason_name(uint32_t kind)
{
    static const char *const names[] = {
        [REWIND_REASON_MEMORY] = "no-memory",        [REWIND_REASON_SPACE] = "no-space",
        [REWIND_REASON_INSTRUCTION] = "instruction", [REWIND_REASON_FORMAT] = "format",
        [REWIND_REASON_INPUT] = "no-input",          [REWIND_REASON_TERMINAL] = "terminal",
    };
    return kind < G_N_ELEMENTS(names) ? names[kind] : NULL;
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
