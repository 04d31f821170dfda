// SPDX-License-Identifier: MIT
#include "index-private.h"

#include "rw-event.h"

#include <fcntl.h>

static bool open_changes(const RwTraceItem *item)
{
    struct rewind_open open_;
    return rw_copy_out(item->payload, item->length, 0, &open_, sizeof open_) && open_.result >= 0 &&
           (open_.flags & (O_CREAT | O_TRUNC));
}

bool rw_track_of(const RwTraceItem *item, RwTrack *ret_track)
{
    static const struct {
        bool known;
        RwTrack track;
    } tracks[] = {
#define TRACK(NAME)                                                                                        \
    {                                                                                                      \
        true, RW_TRACK_##NAME                                                                              \
    }
#define NO_TRACK                                                                                           \
    {                                                                                                      \
        false, 0                                                                                           \
    }
#define RW_RECORD_KIND(ID, NAME, FIXED, PATH, OFTEN, TEXT, MEMBERS, TRACK_, TITLE)                         \
    [REWIND_RECORD_##ID] = TRACK_,
#include "rw-records.def"
#undef RW_RECORD_KIND
    };
    unsigned type = item->record.type;
    if (item->is_step)
        return false;
    if (type >= G_N_ELEMENTS(tracks) || !tracks[type].known)
        return false;
    *ret_track = tracks[type].track;
    return type != REWIND_RECORD_OPEN || open_changes(item);
}

static gsize count_buckets(guint64 steps, guint most, guint *ret_shift)
{
    *ret_shift = 0;
    while ((steps >> *ret_shift) >= most)
        (*ret_shift)++;
    return (gsize)(steps >> *ret_shift) + 1;
}

bool rw_density_init(RwDensity *density, guint64 steps, GError **error)
{
    *density = (RwDensity){0};
    density->buckets = count_buckets(steps, RW_DENSITY_BUCKETS, &density->shift);
    density->time_buckets = count_buckets(steps, RW_TIME_BUCKETS, &density->time_shift);
    bool ok = (density->times = g_try_new0(guint64, density->time_buckets)) != NULL;
    for (guint track = 0; track < RW_TRACKS; track++)
        ok = (density->sums[track] = g_try_new0(guint32, density->buckets + 1)) && ok;
    if (ok)
        return true;
    rw_density_clear(density);
    g_set_error(error, RW_ERROR, RW_ERROR_FULL,
                "not enough memory for a run of %" G_GUINT64_FORMAT " steps", steps);
    return false;
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
