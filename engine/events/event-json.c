// SPDX-License-Identifier: MIT
//
// An event as an object: where, who, which kind, its own members, and the text that people read.
#include "rw-event.h"

#include "rw-base.h"
#include "rw-json.h"
#include "rw-products.h"

static void set_bytes(JsonObject *object, const char *member, const void *bytes, size_t length)
{
    json_object_set_member(object, member, rw_json_bytes(bytes, length));
}

static void set_path(JsonObject *object, const char *member, RwReader *reader)
{
    const char *path = rw_reader_string(reader);
    set_bytes(object, member, path, strlen(path));
}

static void bytes_members(JsonObject *object, const RwTraceItem *item)
{
    set_bytes(object, "bytes", item->payload, item->length);
}

static void output_members(JsonObject *object, const RwTraceItem *item)
{
    uint32_t fd;
    const uint8_t *bytes;
    size_t length;
    if (!rw_event_get_output(item, &fd, &bytes, &length))
        return;
    json_object_set_int_member(object, "fd", fd);
    set_bytes(object, "bytes", bytes, length);
}

static void exec_members(JsonObject *object, const RwTraceItem *item)
{
    g_autofree char *path = NULL;
    g_auto(GStrv) argv = rw_event_dup_exec(item, &path);
    if (!argv)
        return;
    rw_json_set_string(object, "path", path);
    rw_json_set_strings(object, "argv", argv);
}

static void fork_members(JsonObject *object, const RwTraceItem *item)
{
    struct rewind_fork fork_;
    if (!rw_event_get_fork(item, &fork_))
        return;
    json_object_set_int_member(object, "child_pid", fork_.child_pid);
    json_object_set_int_member(object, "child_tid", fork_.child_tid);
    json_object_set_boolean_member(object, "thread", fork_.kind == REWIND_FORK_THREAD);
}

static void exit_members(JsonObject *object, const RwTraceItem *item)
{
    struct rewind_exit exit_;
    if (!rw_event_get_exit(item, &exit_))
        return;
    json_object_set_int_member(object, "status", exit_.status);
    json_object_set_boolean_member(object, "last_thread", exit_.group_dead != 0);
}

static void signal_members(JsonObject *object, const RwTraceItem *item)
{
    struct rewind_signal signal_;
    if (!rw_copy_out(item->payload, item->length, 0, &signal_, sizeof signal_))
        return;
    g_autofree char *name = rw_signal_dup_name(signal_.signo);
    json_object_set_string_member(object, "signal", name);
    json_object_set_int_member(object, "code", signal_.code);
    rw_json_set_u64(object, "addr", signal_.addr);
    json_object_set_int_member(object, "sender", signal_.sender);
    json_object_set_boolean_member(object, "fatal", signal_.fatal != 0);
}

static void open_members(JsonObject *object, const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    json_object_set_int_member(object, "result", (int32_t)rw_reader_u32(&reader));
    json_object_set_int_member(object, "flags", rw_reader_u32(&reader));
    json_object_set_int_member(object, "mode", rw_reader_u32(&reader));
    rw_reader_skip(&reader, 4);
    set_path(object, "path", &reader);
}

static void write_members(JsonObject *object, const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    json_object_set_int_member(object, "length", (gint64)rw_reader_u64(&reader));
    rw_json_set_u64(object, "offset", rw_reader_u64(&reader));
    json_object_set_int_member(object, "fd", (int32_t)rw_reader_u32(&reader));
    rw_reader_skip(&reader, 4);
    set_path(object, "path", &reader);
}

static void unlink_members(JsonObject *object, const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    json_object_set_int_member(object, "result", (int32_t)rw_reader_u32(&reader));
    json_object_set_boolean_member(object, "directory", rw_reader_u32(&reader) != 0);
    set_path(object, "path", &reader);
}

static void rename_members(JsonObject *object, const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    set_path(object, "from", &reader);
    set_path(object, "to", &reader);
}

static void switch_members(JsonObject *object, const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    json_object_set_int_member(object, "next_pid", rw_reader_u32(&reader));
    json_object_set_int_member(object, "next_tid", rw_reader_u32(&reader));
    json_object_set_int_member(object, "prev_state", rw_reader_u32(&reader));
    uint32_t waker = rw_reader_u32(&reader);
    struct rewind_switch_why why;
    if (!rw_event_get_switch_why(item, &why))
        return;
    json_object_set_int_member(object, "left", why.left);
    json_object_set_int_member(object, "call", why.call);
    json_object_set_int_member(object, "woken", why.woken);
    json_object_set_int_member(object, "waker", waker);
    rw_json_set_u64(object, "woken_ago", why.woken_ago);
}

static void name_members(JsonObject *object, const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    set_path(object, "name", &reader);
}

static void end_members(JsonObject *object, const RwTraceItem *item)
{
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    json_object_set_int_member(object, "status", (int32_t)rw_reader_u32(&reader));
}

static void product_members(JsonObject *object, const RwTraceItem *item)
{
    g_autoptr(RwProduct) product = rw_product_from_record(item->payload, item->length);
    if (!product)
        return;
    g_autofree char *text = rw_product_dup_text(product);
    rw_json_set_string(object, "path", product->path);
    json_object_set_string_member(object, "state", rw_product_state_name(product->state));
    rw_json_set_string(object, "sha256", product->state == REWIND_PRODUCT_PRESENT ? text : NULL);
}

static void reason_members(JsonObject *object, const RwTraceItem *item)
{
    struct rewind_reason reason;
    if (!rw_event_get_reason(item, &reason))
        return;
    RwReader reader = RW_READER_INIT(item->payload, item->length);
    rw_reader_skip(&reader, sizeof reason);
    rw_json_set_string(object, "reason", rw_reason_name(reason.kind));
    rw_json_set_u64(object, "value", reason.value);
    set_bytes(object, "bytes", reason.bytes, reason.length);
    set_path(object, "about", &reader);
}

static void (*const members[])(JsonObject *object, const RwTraceItem *item) = {
#define RW_RECORD_KIND(ID, NAME, FIXED, PATH, OFTEN, TEXT, MEMBERS, ...) [REWIND_RECORD_##ID] = MEMBERS,
#include "rw-records.def"
#undef RW_RECORD_KIND
};

JsonObject *rw_event_to_json(const RwTraceItem *item, bool with_ticks)
{
    JsonObject *object = json_object_new();
    unsigned type = item->record.type;
    const char *kind = rw_event_kind_name(type);
    g_autofree char *text = rw_event_dup_text(item);
    rw_json_set_u64(object, "event", item->event);
    rw_json_set_u64(object, "step", item->at);
    if (with_ticks && item->at_known)
        rw_json_set_u64(object, "instructions", item->after_ticks);
    json_object_set_int_member(object, "pid", item->record.pid);
    json_object_set_int_member(object, "tid", item->record.tid);
    json_object_set_string_member(object, "kind", kind ? kind : "unknown");
    rw_json_set_string(object, "text", text);
    if (type < G_N_ELEMENTS(members) && members[type])
        members[type](object, item);
    return object;
}
