// SPDX-License-Identifier: MIT
#include "index-private.h"

#include "rw-event.h"

#include <fcntl.h>

static gboolean open_changes(const RwTraceItem *item)
{
    struct rewind_open open_;
    return rw_copy_out(item->payload, item->length, 0, &open_, sizeof open_) && open_.result >= 0 &&
           (open_.flags & (O_CREAT | O_TRUNC));
}

gboolean rw_track_of(const RwTraceItem *item, RwTrack *ret_track)
{
    static const struct {
        bool known;
        RwTrack track;
    } tracks[] = {
        [REWIND_RECORD_CONSOLE] = {true, RW_TRACK_KERNEL},
        [REWIND_RECORD_OUTPUT] = {true, RW_TRACK_OUTPUT},
        [REWIND_RECORD_EXEC] = {true, RW_TRACK_PROCESS},
        [REWIND_RECORD_FORK] = {true, RW_TRACK_PROCESS},
        [REWIND_RECORD_EXIT] = {true, RW_TRACK_PROCESS},
        [REWIND_RECORD_SIGNAL] = {true, RW_TRACK_SIGNAL},
        [REWIND_RECORD_WRITE] = {true, RW_TRACK_FILE},
        [REWIND_RECORD_UNLINK] = {true, RW_TRACK_FILE},
        [REWIND_RECORD_RENAME] = {true, RW_TRACK_FILE},
        [REWIND_RECORD_MARK] = {true, RW_TRACK_SIGNAL},
        [REWIND_RECORD_SWITCH] = {true, RW_TRACK_SWITCH},
        [REWIND_RECORD_JOB_START] = {true, RW_TRACK_PROCESS},
        [REWIND_RECORD_JOB_EXIT] = {true, RW_TRACK_PROCESS},
    };
    unsigned type = item->record.type;
    if (item->is_step)
        return FALSE;
    if (type == REWIND_RECORD_OPEN) {
        *ret_track = RW_TRACK_FILE;
        return open_changes(item);
    }
    if (type >= G_N_ELEMENTS(tracks) || !tracks[type].known)
        return FALSE;
    *ret_track = tracks[type].track;
    return TRUE;
}

static gsize count_buckets(guint64 steps, guint most, guint *ret_shift)
{
    *ret_shift = 0;
    while ((steps >> *ret_shift) >= most)
        (*ret_shift)++;
    return (gsize)(steps >> *ret_shift) + 1;
}

gboolean rw_density_init(RwDensity *density, guint64 steps, GError **error)
{
    *density = (RwDensity){0};
    density->buckets = count_buckets(steps, RW_DENSITY_BUCKETS, &density->shift);
    density->time_buckets = count_buckets(steps, RW_TIME_BUCKETS, &density->time_shift);
    gboolean ok = (density->times = g_try_new0(guint64, density->time_buckets)) != NULL;
    for (guint track = 0; track < RW_TRACKS; track++)
        ok = (density->sums[track] = g_try_new0(guint32, density->buckets + 1)) && ok;
    if (ok)
        return TRUE;
    rw_density_clear(density);
    g_set_error(error, RW_ERROR, RW_ERROR_FULL,
                "not enough memory for a run of %" G_GUINT64_FORMAT " steps", steps);
    return FALSE;
}

void rw_density_clear(RwDensity *density)
{
    g_clear_pointer(&density->times, g_free);
    for (guint track = 0; track < RW_TRACKS; track++)
        g_clear_pointer(&density->sums[track], g_free);
}

void rw_density_feed(RwDensity *density, const RwTraceItem *item)
{
    guint64 step = item->is_step ? item->info.step : item->at;
    gsize bucket = MIN((gsize)(step >> density->shift), density->buckets - 1);
    RwTrack track;
    if (item->is_step)
        density->times[MIN((gsize)(step >> density->time_shift), density->time_buckets - 1)] =
            item->info.tsc;
    else if (rw_track_of(item, &track))
        density->sums[track][bucket + 1]++;
}

void rw_density_finish(RwDensity *density)
{
    for (guint track = 0; track < RW_TRACKS; track++)
        for (gsize i = 1; i <= density->buckets; i++)
            density->sums[track][i] += density->sums[track][i - 1];
    for (gsize i = 1; i < density->time_buckets; i++)
        density->times[i] = MAX(density->times[i], density->times[i - 1]);
}
