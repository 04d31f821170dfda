// SPDX-License-Identifier: MIT
#include "live.h"

#include "waits.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

// The job's output as it comes. A reader that has gone away does not disturb the recording.
void live_output(uint32_t fd, const uint8_t *bytes, size_t length, void *data)
{
    Live *live = data;
    int to = fd == 2 || live->to_stderr ? STDERR_FILENO : STDOUT_FILENO;
    while (length && !live->gone[to]) {
        ssize_t n = write(to, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            live->gone[to] = true;
            live->lost = errno == EPIPE ? live->lost : errno;
            return;
        }
        bytes += n;
        length -= (size_t)n;
    }
}

static void say_end(const RwManifest *manifest)
{
    g_autofree char *line = rw_manifest_dup_line(manifest);
    fprintf(stderr, "rewind: %s\n", line);
    if (manifest->end.where[0])
        fprintf(stderr, "rewind: %s: %s\n", rw_end_name(manifest->end.kind), manifest->end.where);
    if (manifest->why)
        fprintf(stderr, "rewind: %s\n", manifest->why);
}

// A run that was there before and came out another way this time.
static int say_difference(const RwRecorded *recorded)
{
    fprintf(stderr,
            "rewind: NOT DETERMINISTIC: run %s was recorded before and is not the same now: %s\n"
            "rewind: both are kept, the new one in %s: please report this\n",
            recorded->manifest->id, recorded->difference, recorded->path);
    return CLI_FAILED;
}

static const char *outcome_name(RwRecordedAs as)
{
    static const char *const names[] = {"new", "same", "differs", "dropped"};
    return names[as];
}

static void print_object(const RwRecorded *recorded, const GPtrArray *waits)
{
    JsonObject *object = rw_manifest_to_json(recorded->manifest);
    json_object_set_string_member(object, "recorded", outcome_name(recorded->as));
    json_object_set_string_member(object, "path", recorded->path);
    if (recorded->difference)
        json_object_set_string_member(object, "difference", recorded->difference);
    if (waits->len)
        json_object_set_array_member(object, "waits", waits_to_json(waits));
    cli_print_json(object);
}

static GPtrArray *find_waits(Cli *cli, const RwRecorded *recorded)
{
    g_autoptr(GError) error = NULL;
    GPtrArray *waits = waits_of_stalled(cli, recorded, &error);
    if (!waits)
        fprintf(stderr, "rewind: who waits for what cannot be told: %s\n", error->message);
    return waits ? waits : g_ptr_array_new();
}

static int report(Cli *cli, const RwRecorded *recorded)
{
    g_autoptr(GPtrArray) waits = find_waits(cli, recorded);
    say_end(recorded->manifest);
    waits_print(stderr, waits);
    if (cli_flag(cli, "json"))
        print_object(recorded, waits);
    if (recorded->as == RW_RECORDED_DROPPED)
        fprintf(stderr, "rewind: a longer recording of run %s is kept instead of this one\n",
                recorded->manifest->id);
    if (recorded->as == RW_RECORDED_DIFFERS)
        return say_difference(recorded);
    return rw_end_exit_status(&recorded->manifest->end);
}

int live_report(Cli *cli, const Live *live, const RwRecorded *recorded)
{
    int status = report(cli, recorded);
    if (!live->lost)
        return status;
    fprintf(stderr, "rewind: cannot write the command's output: %s; `rewind log %s` has all of it\n",
            g_strerror(live->lost), recorded->manifest->id);
    return status == CLI_OK ? CLI_FAILED : status;
}
