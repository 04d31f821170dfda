// SPDX-License-Identifier: MIT
// Records of the guest: checked, followed where the machine needs them, handed to the sink.
#include "rw-machine-private.h"

#include <string.h>

// The fixed part that a record's payload must have; a type that isn't here is nothing we know.
typedef uint8_t nothing[0];
static const struct {
    bool known;
    uint16_t fixed;
} record_types[] = {
#define RW_RECORD_KIND(ID, NAME, FIXED, ...) [REWIND_RECORD_##ID] = {true, sizeof(FIXED)},
#include "rw-records.def"
#undef RW_RECORD_KIND
};

// ---- What the machine itself keeps of them ----

static void keep_console(RwMachine *m, const uint8_t *text, size_t length)
{
    size_t fill = strlen(m->now.console_part);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n') {
            g_strlcpy(m->now.console_line, m->now.console_part, sizeof m->now.console_line);
            fill = 0;
        } else if (fill + 1 < sizeof m->now.console_part) {
            m->now.console_part[fill++] = text[i] >= 32 && text[i] < 127 ? (char)text[i] : '?';
        }
        m->now.console_part[fill] = '\0';
    }
}

static void keep_name(RwMachine *m, const struct rewind_record *r, const uint8_t *payload, size_t length)
{
    size_t fixed = sizeof(struct rewind_exec);
    rw_names_set(&m->now.names, r->pid, (const char *)payload + fixed, length - fixed);
}

static void inherit_name(RwMachine *m, const struct rewind_record *r, const struct rewind_fork *fork)
{
    const char *name = rw_names_get(&m->now.names, r->pid);
    if (name && fork->child_pid != r->pid)
        rw_names_set(&m->now.names, fork->child_pid, name, strlen(name));
}

// Init's other children and the kernel's threads never exec once the job runs.
static bool of_job(RwMachine *m, uint32_t pid)
{
    return rw_names_get(&m->now.names, pid) != NULL;
}

void rw_end_add_output(uint8_t outputs[32], const char *path, uint32_t state, const uint8_t sha256[32])
{
    g_autoptr(GByteArray) text = g_byte_array_new();
    rw_put_bytes(text, outputs, 32);
    rw_put_bytes(text, sha256, 32);
    rw_put_u32(text, state);
    rw_put_string(text, path);
    rw_sha256_bytes(text->data, text->len, outputs);
}

// The path has a NUL at its end, or this is none.
static void keep_product(RwMachine *m, const uint8_t *payload, size_t length)
{
    struct rewind_product product;
    RwReader reader = RW_READER_INIT(payload, length);
    memcpy(&product, payload, sizeof product);
    rw_reader_skip(&reader, sizeof product);
    const char *path = rw_reader_string(&reader);
    if (!reader.failed && product.state <= REWIND_PRODUCT_UNREADABLE)
        rw_end_add_output(m->now.device.outputs, path, product.state, product.sha256);
}

static void follow(RwMachine *m, const struct rewind_record *r, const uint8_t *payload, size_t length)
{
    union {
        struct rewind_fork fork;
        struct rewind_exit exit;
        struct rewind_switch sw;
        struct rewind_job_exit job_exit;
    } u = {0};
    memcpy(&u, payload, MIN(length, sizeof u));
    rw_tasks_follow(&m->now.tasks, r, payload, length);
    if (!rw_scheduler_is_any_open(&m->now.scheduler, m->now.device.step))
        m->now.tasks.n_ending = 0; // nobody waits for them
    switch (r->type) {
    case REWIND_RECORD_CONSOLE:
        keep_console(m, payload, length);
        break;
    case REWIND_RECORD_EXEC:
        keep_name(m, r, payload, length);
        break;
    case REWIND_RECORD_FORK:
        inherit_name(m, r, &u.fork);
        break;
    case REWIND_RECORD_EXIT:
        if (u.exit.group_dead)
            rw_names_drop(&m->now.names, r->pid);
        break;
    case REWIND_RECORD_SWITCH:
        m->now.device.current_pid = u.sw.next_pid;
        m->now.device.current_tid = u.sw.next_tid;
        if (of_job(m, r->pid) || of_job(m, u.sw.next_pid))
            m->now.device.job_ran = r->tsc;
        break;
    case REWIND_RECORD_JOB_START:
        m->now.device.job_started = 1;
        m->now.device.job_ran = r->tsc;
        break;
    case REWIND_RECORD_JOB_EXIT:
        m->now.device.job_exited = 1;
        m->now.device.job_status = u.job_exit.status;
        break;
    case REWIND_RECORD_PRODUCT:
        keep_product(m, payload, length);
        break;
    }
}

// ---- Taking them ----

static bool record_ok(const struct rewind_record *r, uint64_t room)
{
    return r->size >= sizeof *r && r->size <= room && r->size <= REWIND_RECORD_MAX &&
           r->type < G_N_ELEMENTS(record_types) && record_types[r->type].known &&
           r->size - sizeof *r >= record_types[r->type].fixed;
}

// All of it is in the trace: what the job prints, and names, paths and arguments.
static void count_output(RwMachine *m, size_t length)
{
    char where[sizeof m->now.end.where];
    m->now.device.output += length;
    if (m->now.device.output <= m->now.max_output || m->now.end.kind != RW_END_NONE)
        return;
    g_snprintf(where, sizeof where,
               "the job printed, or else gave to be recorded, %" G_GUINT64_FORMAT
               " bytes; --max-output %" G_GUINT64_FORMAT " (MiB) allows no more: raise it if that is meant",
               m->now.device.output, m->now.max_output >> 20);
    rw_device_finish(m, RW_END_OUTPUT, where);
}

static void give(RwMachine *m, const struct rewind_record *r, const uint8_t *payload)
{
    size_t length = r->size - sizeof *r;
    if (r->type == REWIND_RECORD_AGENT) {
        rw_ask_take(m, payload, length);
        return;
    }
    follow(m, r, payload, length);
    if (m->now.max_output && m->now.device.job_started && !m->now.device.job_exited)
        count_output(m, length);
    if (m->sink.record)
        m->sink.record(m->sink.data, r, payload, length);
}

// The shared page is copied from once: the guest cannot change what was checked.
void rw_record_take(RwMachine *m)
{
    struct rewind_shared *shared = m->memory.shared;
    uint32_t length = shared->record_len;
    const uint8_t *from = rw_memory_at(&m->memory, shared->record_gpa, length);
    struct rewind_record r;
    if (!from || length < sizeof r)
        return;
    memcpy(&r, from, sizeof r);
    if (!record_ok(&r, length))
        return;
    r.step = m->now.device.step;
    r.flags &= (rw_u16)~REWIND_RECORD_BUFFERED;
    give(m, &r, from + sizeof r);
}

void rw_record_drain(RwMachine *m)
{
    struct rewind_shared *shared = m->memory.shared;
    uint32_t used = shared->ring_used;
    shared->ring_used = 0;
    const uint8_t *ring = rw_memory_at(&m->memory, shared->ring_gpa, used);
    if (!ring)
        return;
    for (uint64_t at = 0; at + sizeof(struct rewind_record) <= used;) {
        struct rewind_record r;
        memcpy(&r, ring + at, sizeof r);
        if (!record_ok(&r, used - at))
            return; // what follows cannot be found any more
        r.flags |= REWIND_RECORD_BUFFERED;
        r.step = MIN(r.step, m->now.device.step - 1);
        give(m, &r, ring + at + sizeof r);
        at += (r.size + 7u) & ~7u;
    }
}
