// SPDX-License-Identifier: MIT
#include "story.h"

#include "rw-event.h"
#include "rw-json.h"

#include <stdio.h>
#include <sys/wait.h>

// "exited with 1", "was killed by SIGSEGV".
static char *dup_status(int status)
{
    g_autofree char *signal_ = WIFSIGNALED(status) ? rw_signal_dup_name(WTERMSIG(status)) : NULL;
    return signal_ ? g_strdup_printf("was killed by %s", signal_)
                   : g_strdup_printf("exited with %d", WEXITSTATUS(status));
}

static void print_culprit(const RwCulprit *culprit)
{
    g_autofree char *status = dup_status(culprit->status);
    if (culprit->pid)
        printf("  %-10s %s (%u) %s at step %" G_GUINT64_FORMAT "\n", "failed",
               culprit->program ? culprit->program : "a process", culprit->pid, status, culprit->step);
    if (culprit->line)
        printf("  %-10s %s   %sat step %" G_GUINT64_FORMAT "\n", "last line", culprit->line,
               culprit->pid && !culprit->is_own ? "of the job, " : "", culprit->line_step);
}

static void print_twin(const RwStory *story, const RwManifest *manifest)
{
    if (!story->parts)
        return;
    printf("  %-10s from %s, which passed, at step %" G_GUINT64_FORMAT ": `rewind compare %s %s`\n",
           "parts", story->twin, story->parts, manifest->id, story->twin);
}

void story_print(const RwStory *story, const RwManifest *manifest)
{
    if (!story->passed)
        print_culprit(&story->culprit);
    print_twin(story, manifest);
    if (story->orders > 1)
        printf("  %-10s %u of this job ran, %u failed\n", "orders", story->orders, story->failed);
}

static JsonObject *culprit_to_json(const RwCulprit *culprit)
{
    JsonObject *object = json_object_new();
    g_autofree char *status = dup_status(culprit->status);
    if (culprit->program)
        json_object_set_string_member(object, "program", culprit->program);
    json_object_set_int_member(object, "pid", culprit->pid);
    json_object_set_string_member(object, "how", status);
    json_object_set_int_member(object, "status", culprit->status);
    rw_json_set_u64(object, "step", culprit->step);
    return object;
}

static JsonObject *line_to_json(const RwCulprit *culprit)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "text", culprit->line);
    json_object_set_boolean_member(object, "own", culprit->is_own);
    rw_json_set_u64(object, "step", culprit->line_step);
    return object;
}

static JsonObject *twin_to_json(const RwStory *story)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "run", story->twin);
    json_object_set_string_member(object, "schedule", story->twin_schedule);
    if (story->parts) {
        rw_json_set_u64(object, "step", story->parts);
        rw_json_set_u64(object, "its_step", story->twin_parts);
    }
    return object;
}

JsonObject *story_to_json(const RwStory *story)
{
    JsonObject *object = json_object_new();
    json_object_set_boolean_member(object, "passed", story->passed);
    if (story->culprit.pid)
        json_object_set_object_member(object, "failed", culprit_to_json(&story->culprit));
    if (story->culprit.line)
        json_object_set_object_member(object, "last_line", line_to_json(&story->culprit));
    if (story->twin)
        json_object_set_object_member(object, "parts_from", twin_to_json(story));
    json_object_set_int_member(object, "orders", story->orders);
    json_object_set_int_member(object, "orders_failed", story->failed);
    return object;
}
