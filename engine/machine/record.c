// SPDX-License-Identifier: MIT
/* Records of the guest: checked, followed where the machine needs them, handed to the sink. */
#include "rw-machine-private.h"

#include <string.h>

/* The fixed part that a record's payload must have; a type that isn't here is nothing we know. */
static const struct {
    bool known;
    uint16_t fixed;
} record_types[] = {
    [REWIND_RECORD_CONSOLE] = {true, 0},
    [REWIND_RECORD_OUTPUT] = {true, sizeof(struct rewind_output)},
    [REWIND_RECORD_EXEC] = {true, sizeof(struct rewind_exec)},
    [REWIND_RECORD_FORK] = {true, sizeof(struct rewind_fork)},
    [REWIND_RECORD_EXIT] = {true, sizeof(struct rewind_exit)},
    [REWIND_RECORD_SIGNAL] = {true, sizeof(struct rewind_signal)},
    [REWIND_RECORD_OPEN] = {true, sizeof(struct rewind_open)},
    [REWIND_RECORD_WRITE] = {true, sizeof(struct rewind_write)},
    [REWIND_RECORD_UNLINK] = {true, sizeof(struct rewind_unlink)},
    [REWIND_RECORD_RENAME] = {true, 0},
    [REWIND_RECORD_MARK] = {true, 0},
    [REWIND_RECORD_SWITCH] = {true, sizeof(struct rewind_switch)},
    [REWIND_RECORD_JOB_START] = {true, 0},
    [REWIND_RECORD_JOB_EXIT] = {true, sizeof(struct rewind_job_exit)},
    [REWIND_RECORD_AGENT] = {true, 0},
    [REWIND_RECORD_PRODUCT] = {true, sizeof(struct rewind_product)},
};

/* ---- What the machine itself keeps of them ---- */

static void keep_console(RwMachine *m, const uint8_t *text, size_t length)
{
    size_t fill = strlen(m->console_part);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n') {
            g_strlcpy(m->console_line, m->console_part, sizeof m->console_line);
            fill = 0;
        } else if (fill + 1 < sizeof m->console_part) {
            m->console_part[fill++] = text[i] >= 32 && text[i] < 127 ? (char)text[i] : '?';
        }
        m->console_part[fill] = '\0';
    }
}

static void keep_name(RwMachine *m, const struct rewind_record *r, const uint8_t *payload, size_t length)
{
    size_t fixed = sizeof(struct rewind_exec);
    char *path = g_strndup((const char *)payload + fixed, length - fixed);
    g_hash_table_insert(m->names, GUINT_TO_POINTER(r->pid), path);
}

static void inherit_name(RwMachine *m, const struct rewind_record *r, const struct rewind_fork *fork)
{
    const char *name = g_hash_table_lookup(m->names, GUINT_TO_POINTER(r->pid));
    if (name && fork->child_pid != r->pid)
        g_hash_table_insert(m->names, GUINT_TO_POINTER(fork->child_pid), g_strdup(name));
}

/* Init's other children and the kernel's threads never exec once the job runs. */
static bool of_job(RwMachine *m, uint32_t pid)
{
    return g_hash_table_contains(m->names, GUINT_TO_POINTER(pid));
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

/* The path has a NUL at its end, or this is none. */
static void keep_product(RwMachine *m, const uint8_t *payload, size_t length)
{
    struct rewind_product product;
    RwReader reader = RW_READER_INIT(payload, length);
    memcpy(&product, payload, sizeof product);
    rw_reader_skip(&reader, sizeof product);
    const char *path = rw_reader_string(&reader);
    if (!reader.failed && product.state <= REWIND_PRODUCT_UNREADABLE)
        rw_end_add_output(m->device.outputs, path, product.state, product.sha256);
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
            g_hash_table_remove(m->names, GUINT_TO_POINTER(r->pid));
        break;
    case REWIND_RECORD_SWITCH:
        m->device.current_pid = u.sw.next_pid;
        m->device.current_tid = u.sw.next_tid;
        if (of_job(m, r->pid) || of_job(m, u.sw.next_pid))
            m->device.job_ran = r->tsc;
        break;
    case REWIND_RECORD_JOB_START:
        m->device.job_started = 1;
        m->device.job_ran = r->tsc;
        break;
    case REWIND_RECORD_JOB_EXIT:
        m->device.job_exited = 1;
        m->device.job_status = u.job_exit.status;
        break;
    case REWIND_RECORD_PRODUCT:
        keep_product(m, payload, length);
        break;
    }
}

/* ---- Taking them ---- */

static bool record_ok(const struct rewind_record *r, uint64_t room)
{
    return r->size >= sizeof *r && r->size <= room && r->size <= REWIND_RECORD_MAX &&
           r->type < G_N_ELEMENTS(record_types) && record_types[r->type].known &&
           r->size - sizeof *r >= record_types[r->type].fixed;
}

static void give(RwMachine *m, const struct rewind_record *r, const uint8_t *payload)
{
    size_t length = r->size - sizeof *r;
    if (r->type == REWIND_RECORD_AGENT) {
        rw_ask_take(m, payload, length);
        return;
    }
    follow(m, r, payload, length);
    if (m->sink.record)
        m->sink.record(m->sink.data, r, payload, length);
}

/* The shared page is copied from once: the guest cannot change what was checked. */
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
    r.step = m->device.step;
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
            return; /* what follows cannot be found any more */
        r.flags |= REWIND_RECORD_BUFFERED;
        r.step = MIN(r.step, m->device.step - 1);
        give(m, &r, ring + at + sizeof r);
        at += (r.size + 7u) & ~7u;
    }
}
