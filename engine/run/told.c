// SPDX-License-Identifier: MIT
//
// What a manifest needs of what a run's guest tells.
#include "origin-private.h"

#include "rw-event.h"

static void give_output(const RwRecordOptions *options, const RwTraceItem *item)
{
    uint32_t fd;
    const uint8_t *bytes;
    size_t count;
    if (rw_event_get_output(item, &fd, &bytes, &count))
        options->output(fd, bytes, count, options->data);
}

void rw_told_record(RwTold *told, const struct rewind_record *record, const uint8_t *payload, size_t length)
{
    if (record->type == REWIND_RECORD_REASON)
        rw_why_add(&told->why, record, payload, length);
    if (record->type == REWIND_RECORD_OUTPUT && told->options->output)
        give_output(told->options, &(RwTraceItem){.record = *record, .payload = payload, .length = length});
    RwProduct *product =
        record->type == REWIND_RECORD_PRODUCT ? rw_product_from_record(payload, length) : NULL;
    if (product)
        g_ptr_array_add(told->manifest->products, product);
}

void rw_told_end(RwTold *told, const RwEnd *end, gint64 start_us)
{
    RwManifest *manifest = told->manifest;
    manifest->end = *end;
    manifest->ended = true;
    manifest->why = rw_why_dup_text(&told->why, manifest->inputs, end);
    manifest->wall_us = g_get_monotonic_time() - start_us;
    rw_why_clear(&told->why);
}
