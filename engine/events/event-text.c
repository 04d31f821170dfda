// SPDX-License-Identifier: MIT
#include "rw-event.h"

#include "rw-base.h"
#include "rw-products.h"

#include <fcntl.h>
#include <sys/wait.h>

#define TEXT_MAX 240 // bytes of a string shown
#define ARGS_MAX 12

static void quote_byte(GString *out, uint8_t byte)
{
    static const char named[] = "\n\t\r\"\\\033";
    static const char *const names[] = {"\\n", "\\t", "\\r", "\\\"", "\\\\", "\\e"};
    const char *at = byte ? strchr(named, byte) : NULL;
    if (at)
        g_string_append(out, names[at - named]);
    else if (byte < 0x20 || byte >= 0x7f)
        g_string_append_printf(out, "\\%03o", byte);
    else
        g_string_append_c(out, (char)byte);
}

char *rw_dup_line(const char *text, size_t max)
{
    g_autofree char *part = g_strndup(text, max);
    char *clean = g_utf8_make_valid(part, -1);
    for (char *at = clean; *at; at = g_utf8_next_char(at))
        if ((guchar)*at < ' ' || *at == 0x7f)
            *at = ' ';
    return clean;
}

char *rw_dup_quoted(const uint8_t *bytes, size_t length, size_t max)
{
    GString *out = g_string_new("\"");
    size_t shown = MIN(length, max);
    bool utf8 = g_utf8_validate_len((const char *)bytes, shown, NULL);
    for (size_t i = 0; i < shown; i++) {
        if (utf8 && bytes[i] >= 0x80)
            g_string_append_c(out, (char)bytes[i]);
        else
            quote_byte(out, bytes[i]);
    }
    g_string_append(out, shown < length ? "\"..." : "\"");
    return g_string_free(out, false);
}

static char *quoted(const char *text)
{
    return rw_dup_quoted((const uint8_t *)text, strlen(text), TEXT_MAX);
}

// "3" or "-2 ENOENT".
static char *result_text(int64_t result)
{
    const char *name = result < 0 && result >= -4095 ? strerrorname_np((int)-result) : NULL;
    return g_strdup_printf("%" G_GINT64_FORMAT "%s%s", result, name ? " " : "", name ? name : "");
}

static char *output_text(const RwTraceItem *item)
{
    uint32_t fd;
    const uint8_t *bytes;
    size_t length;
    if (!rw_event_get_output(item, &fd, &bytes, &length))
        return NULL;
    g_autofree char *text = rw_dup_quoted(bytes, length, TEXT_MAX);
    return fd ? g_strdup_printf("write(%u, %s)", fd, text) : g_strdup_printf("write(tty, %s)", text);
}

static char *exec_text(const RwTraceItem *item)
{
    g_autofree char *path = NULL;
    g_auto(GStrv) argv = rw_event_dup_exec(item, &path);
    struct rewind_exec exec;
    if (!argv || !rw_copy_out(item->payload, item->length, 0, &exec, sizeof exec))
        return NULL;
    g_autofree char *program = quoted(path);
    g_autoptr(GString) args = g_string_new(NULL);
    guint count = g_strv_length(argv);
    for (guint i = 0; i < MIN(count, ARGS_MAX); i++) {
        g_autofree char *arg = quoted(argv[i]);
        g_string_append_printf(args, "%s%s", i ? ", " : "", arg);
    }
    if (count > ARGS_MAX || exec.real_argc > count)
        g_string_append(args, ", ...");
    return g_strdup_printf("execve(%s, [%s])", program, args->str);
}

static char *fork_text(const RwTraceItem *item)
{
    struct rewind_fork fork_;
    if (!rw_event_get_fork(item, &fork_))
        return NULL;
    if (fork_.kind == REWIND_FORK_THREAD)
        return g_strdup_printf("clone(CLONE_THREAD) = %u", fork_.child_tid);
    return g_strdup_printf("%s() = %u", fork_.kind == REWIND_FORK_VFORK ? "vfork" : "fork",
                           fork_.child_pid);
}

static char *exit_text(const RwTraceItem *item)
{
    struct rewind_exit exit_;
    if (!rw_event_get_exit(item, &exit_))
        return NULL;
    if (!WIFSIGNALED(exit_.status))
        return g_strdup_printf("%s(%d)", exit_.group_dead ? "exit_group" : "exit",
                               WEXITSTATUS(exit_.status));
    g_autofree char *name = rw_signal_dup_name(WTERMSIG(exit_.status));
    return g_strdup_printf("%s by %s", exit_.group_dead ? "killed" : "thread killed", name);
}

static char *signal_text(const RwTraceItem *item)
{
    struct rewind_signal signal_;
    if (!rw_copy_out(item->payload, item->length, 0, &signal_, sizeof signal_))
        return NULL;
    g_autofree char *name = rw_signal_dup_name(signal_.signo);
    return g_strdup_printf("%s code=%d addr=0x%" G_GINT64_MODIFIER "x", name, signal_.code, signal_.addr);
}

// The string after a fixed part.
static const char *string_at(const RwTraceItem *item, size_t offset)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    rw_reader_skip(&reader, offset);
    return rw_reader_string(&reader);
}

static char *open_flags(uint32_t flags)
{
    static const struct {
        uint32_t bits;
        const char *name;
    } names[] = {{O_CREAT, "O_CREAT"},
                 {O_EXCL, "O_EXCL"},
                 {O_TRUNC, "O_TRUNC"},
                 {O_APPEND, "O_APPEND"},
                 {__O_TMPFILE & ~O_DIRECTORY, "O_TMPFILE"},
                 {O_DIRECTORY, "O_DIRECTORY"},
                 {O_PATH, "O_PATH"}};
    static const char *const access_names[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
    GString *text = g_string_new(access_names[flags & O_ACCMODE]);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (flags & names[i].bits)
            g_string_append_printf(text, "|%s", names[i].name);
    return g_string_free(text, false);
}

static char *open_text(const RwTraceItem *item)
{
    struct rewind_open open_;
    if (!rw_copy_out(item->payload, item->length, 0, &open_, sizeof open_))
        return NULL;
    g_autofree char *path = quoted(string_at(item, sizeof open_));
    g_autofree char *flags = open_flags(open_.flags);
    g_autofree char *result = result_text(open_.result);
    return g_strdup_printf("open(%s, %s) = %s", path, flags, result);
}

static char *write_text(const RwTraceItem *item)
{
    struct rewind_write write_;
    if (!rw_copy_out(item->payload, item->length, 0, &write_, sizeof write_))
        return NULL;
    g_autofree char *path = quoted(string_at(item, sizeof write_));
    g_autofree char *result = result_text(write_.length);
    if (write_.kind == REWIND_WRITE_FILE)
        return g_strdup_printf("write to %s at %" G_GUINT64_FORMAT " = %s", path, write_.offset, result);
    return g_strdup_printf("write to %s = %s", path, result);
}

static char *unlink_text(const RwTraceItem *item)
{
    struct rewind_unlink unlink_;
    if (!rw_copy_out(item->payload, item->length, 0, &unlink_, sizeof unlink_))
        return NULL;
    g_autofree char *path = quoted(string_at(item, sizeof unlink_));
    g_autofree char *result = result_text(unlink_.result);
    return g_strdup_printf("%s(%s) = %s", unlink_.directory ? "rmdir" : "unlink", path, result);
}

static char *rename_text(const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    g_autofree char *from = quoted(rw_reader_string(&reader));
    g_autofree char *to = quoted(rw_reader_string(&reader));
    return reader.failed ? NULL : g_strdup_printf("rename(%s, %s)", from, to);
}

static const char *why_text(const RwTraceItem *item, const struct rewind_switch *switch_)
{
    static const char *const texts[] = {
        [REWIND_LEFT_SLICE] = " (its time slice is over)",
        [REWIND_LEFT_WOKEN] = " (which woke up)",
        [REWIND_LEFT_YIELD] = " (it yields)",
        [REWIND_LEFT_SCHEDULE] = " (the schedule)",
        [REWIND_LEFT_STALL] = " (it is stalled)",
        [REWIND_LEFT_HOLD] = " (it is held)",
    };
    struct rewind_switch_why why;
    if (rw_event_get_switch_why(item, &why) && why.left < G_N_ELEMENTS(texts) && texts[why.left])
        return texts[why.left];
    return switch_->prev_state || !item->record.tid ? "" : " (it could go on)";
}

static char *switch_text(const RwTraceItem *item)
{
    struct rewind_switch switch_;
    if (!rw_copy_out(item->payload, item->length, 0, &switch_, sizeof switch_))
        return NULL;
    const char *why = why_text(item, &switch_);
    if (!switch_.next_tid)
        return g_strdup_printf("leaves the CPU idle%s", why);
    return g_strdup_printf("gives the CPU to %u/%u%s", switch_.next_pid, switch_.next_tid, why);
}

static char *name_text(const RwTraceItem *item)
{
    const char *name = rw_event_get_name(item);
    g_autofree char *text = name ? quoted(name) : NULL;
    return text ? g_strdup_printf("is called %s", text) : NULL;
}

static char *console_text(const RwTraceItem *item)
{
    g_autofree char *text = rw_dup_quoted(item->payload, item->length, TEXT_MAX);
    return g_strconcat("console ", text, NULL);
}

static char *mark_text(const RwTraceItem *item)
{
    g_autofree char *text = rw_dup_quoted(item->payload, item->length, TEXT_MAX);
    return g_strconcat("mark ", text, NULL);
}

static char *start_text(const RwTraceItem *item)
{
    return g_strdup_printf("the job starts as process %u", item->record.pid);
}

static char *end_text(const RwTraceItem *item)
{
    struct rewind_job_exit job;
    if (!rw_copy_out(item->payload, item->length, 0, &job, sizeof job))
        return NULL;
    if (!WIFSIGNALED(job.status))
        return g_strdup_printf("the job exited:%d", WEXITSTATUS(job.status));
    g_autofree char *name = rw_signal_dup_name(WTERMSIG(job.status));
    return g_strdup_printf("the job killed:%s", name);
}

static char *product_text(const RwTraceItem *item)
{
    g_autoptr(RwProduct) product = rw_product_from_record(item->payload, item->length);
    if (!product)
        return NULL;
    g_autofree char *path = quoted(product->path);
    g_autofree char *text = rw_product_dup_text(product);
    return g_strdup_printf("output %s %s", path, text);
}

static char *reason_text(const RwTraceItem *item)
{
    struct rewind_reason reason;
    if (!rw_event_get_reason(item, &reason))
        return NULL;
    g_autofree char *about = quoted(string_at(item, sizeof reason));
    switch (reason.kind) {
    case REWIND_REASON_MEMORY:
        return g_strdup("killed: no memory is left");
    case REWIND_REASON_SPACE:
        return g_strdup_printf("a file system of %" G_GUINT64_FORMAT " MiB is full", reason.value >> 20);
    case REWIND_REASON_INSTRUCTION:
        return g_strdup_printf("the instruction at 0x%" G_GINT64_MODIFIER "x is none that the CPU knows",
                               reason.value);
    case REWIND_REASON_FORMAT:
        return g_strdup_printf("execve(%s): a program for another machine", about);
    case REWIND_REASON_INPUT:
        return g_strdup("standard input is empty");
    case REWIND_REASON_TERMINAL:
        return g_strdup("waits for input on the terminal");
    default:
        return NULL;
    }
}

static char *(*const texts[])(const RwTraceItem *item) = {
#define RW_RECORD_KIND(ID, NAME, FIXED, PATH, OFTEN, TEXT, ...) [REWIND_RECORD_##ID] = TEXT,
#include "rw-records.def"
#undef RW_RECORD_KIND
};

char *rw_event_dup_text(const RwTraceItem *item)
{
    unsigned type = item->record.type;
    char *text = type < G_N_ELEMENTS(texts) && texts[type] ? texts[type](item) : NULL;
    return text ? text : g_strdup_printf("record %u of %zu bytes", type, item->length);
}

char *rw_event_dup_place(const RwTraceItem *item, bool with_ticks)
{
    if (with_ticks && item->at_known && item->after_ticks)
        return g_strdup_printf("%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT, item->at, item->after_ticks);
    return g_strdup_printf("%" G_GUINT64_FORMAT, item->at);
}
