// SPDX-License-Identifier: MIT
//
// Sides of a run as sides.json in its folder. What the schedule says of a hold is not in it; what else it
// says may be of anybody.
#include "rw-sides.h"

#include "rw-file.h"
#include "rw-json.h"

#define NAME "sides.json"
#define FORMAT "rewind-sides"
#define VERSION 1
#define FILE_MAX (1u << 20) // bytes
#define FRAMES_MAX 256u
#define THREADS_MAX (1 << 22) // numbers of tasks, as Linux gives them
#define SIGNALS_MAX 64

// ---- Writing ----

static JsonObject *frame_to_json(const RwSymbol *frame)
{
    JsonObject *object = json_object_new();
    rw_json_set_string(object, "path", frame->path);
    rw_json_set_u64(object, "offset", frame->offset);
    rw_json_set_string(object, "function", frame->function);
    rw_json_set_u64(object, "function_offset", frame->function_offset);
    rw_json_set_string(object, "inlined", frame->inlined);
    rw_json_set_string(object, "file", frame->file);
    json_object_set_int_member(object, "line", frame->line);
    rw_json_set_string(object, "text", frame->text);
    rw_json_set_string(object, "undebugged", frame->undebugged);
    return object;
}

static JsonObject *side_to_json(const RwHoldSide *side, const RwExplainedSide *explained)
{
    JsonObject *object = json_object_new();
    JsonArray *frames = json_array_new();
    json_object_set_int_member(object, "pid", side->pid);
    json_object_set_int_member(object, "tid", side->tid);
    json_object_set_int_member(object, "thread", side->thread);
    rw_json_set_string(object, "program", side->program);
    json_object_set_int_member(object, "took", side->took);
    json_object_set_boolean_member(object, "timer", side->timer);
    rw_json_set_string(object, "started_as", explained->program);
    json_object_set_int_member(object, "caller", (gint64)explained->caller);
    for (size_t i = 0; i < MIN(explained->n, FRAMES_MAX); i++)
        json_array_add_object_element(frames, frame_to_json(&explained->frames[i]));
    json_object_set_array_member(object, "frames", frames);
    return object;
}

static JsonObject *answer_to_json(const RwHoldAnswer *answer, const RwExplained *explained)
{
    JsonObject *object = json_object_new();
    json_object_set_boolean_member(object, "fault", answer->is_fault);
    json_object_set_int_member(object, "index", answer->index);
    rw_json_set_u64(object, "step", answer->step);
    rw_json_set_u64(object, "length", answer->length);
    rw_json_set_u64(object, "found_ns", answer->found_ns);
    json_object_set_object_member(object, "held", side_to_json(&answer->held, &explained->held));
    json_object_set_object_member(object, "passed", side_to_json(&answer->passed, &explained->passed));
    return object;
}

bool rw_sides_save(const GPtrArray *answers, const GPtrArray *explained, const char *run_path,
                   GError **error)
{
    g_autofree char *path = g_build_filename(run_path, NAME, NULL);
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    JsonObject *object = json_object_new();
    JsonArray *array = json_array_new();
    for (guint i = 0; i < answers->len; i++)
        json_array_add_object_element(array, answer_to_json(answers->pdata[i], explained->pdata[i]));
    json_object_set_string_member(object, "format", FORMAT);
    json_object_set_int_member(object, "version", VERSION);
    json_object_set_array_member(object, "sides", array);
    json_node_take_object(root, object);
    g_autofree char *text = json_to_string(root, true);
    return rw_write_file_atomic(path, text, strlen(text), error);
}

// ---- Reading ----

static bool take_frame(JsonObject *object, RwSymbol *ret)
{
    RwJsonReader reader = {object, NULL};
    if (!object)
        return false;
    *ret = (RwSymbol){
        .path = rw_json_dup_optional(&reader, "path"),
        .offset = rw_json_u64(&reader, "offset"),
        .function = rw_json_dup_optional(&reader, "function"),
        .function_offset = rw_json_u64(&reader, "function_offset"),
        .inlined = rw_json_dup_optional(&reader, "inlined"),
        .file = rw_json_dup_optional(&reader, "file"),
        .line = (uint32_t)rw_json_int(&reader, "line", 0, G_MAXINT32),
        .text = rw_json_dup_optional(&reader, "text"),
        .undebugged = rw_json_dup_optional(&reader, "undebugged"),
    };
    const char *const texts[] = {ret->path, ret->function, ret->inlined,
                                 ret->file, ret->text,     ret->undebugged};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        if (texts[i] && !g_utf8_validate(texts[i], -1, NULL)) // it may be bytes
            return false;
    return !reader.failed;
}

static bool take_frames(JsonObject *object, RwExplainedSide *ret)
{
    JsonArray *frames = rw_json_get_array(object, "frames");
    guint count = rw_json_count(frames);
    if (!frames || count > FRAMES_MAX)
        return false;
    ret->frames = g_new0(RwSymbol, count);
    ret->n = count;
    for (guint i = 0; i < count; i++)
        if (!take_frame(rw_json_get_element(frames, i), &ret->frames[i]))
            return false;
    return true;
}

static bool take_side(JsonObject *object, RwHoldSide *side, RwExplainedSide *explained)
{
    RwJsonReader reader = {object, NULL};
    if (!object || !take_frames(object, explained))
        return false;
    side->pid = (uint32_t)rw_json_int(&reader, "pid", 0, THREADS_MAX);
    side->tid = (uint32_t)rw_json_int(&reader, "tid", 0, THREADS_MAX);
    side->thread = (guint)rw_json_int(&reader, "thread", 0, THREADS_MAX);
    side->program = rw_json_dup_optional(&reader, "program");
    side->took = (int)rw_json_int(&reader, "took", 0, SIGNALS_MAX);
    side->timer = rw_json_bool(&reader, "timer");
    explained->program = rw_json_dup_optional(&reader, "started_as");
    explained->caller = (size_t)rw_json_int(&reader, "caller", 0, FRAMES_MAX);
    return !reader.failed && (!explained->caller || explained->caller < explained->n);
}

// As the schedule has the hold, or fault, of that index; false: it has none.
static bool take_schedule(RwHoldAnswer *answer, const RwSchedule *schedule)
{
    if (answer->index >= (answer->is_fault ? schedule->n_faults : schedule->n_holds))
        return false;
    if (answer->is_fault) {
        answer->hold = (RwHold){.until = RW_UNTIL_TIME};
        answer->fault = schedule->faults[answer->index];
        answer->held.place = answer->fault.place;
        return true;
    }
    answer->hold = schedule->holds[answer->index];
    answer->held.place = answer->hold.place;
    if (answer->hold.until == RW_UNTIL_PASSED)
        answer->passed.place = answer->hold.passed;
    return true;
}

static bool take_answer(JsonObject *object, const RwManifest *manifest, RwHoldAnswer *answer,
                        RwExplained *explained)
{
    RwJsonReader reader = {object, NULL};
    if (!object)
        return false;
    answer->is_fault = rw_json_bool(&reader, "fault");
    answer->index = (guint)rw_json_int(&reader, "index", 0, G_MAXINT32);
    answer->step = rw_json_u64(&reader, "step");
    answer->length = rw_json_u64(&reader, "length");
    answer->found_ns = rw_json_u64(&reader, "found_ns");
    return take_side(rw_json_get_object(object, "held"), &answer->held, &explained->held) &&
           take_side(rw_json_get_object(object, "passed"), &answer->passed, &explained->passed) &&
           take_schedule(answer, &manifest->inputs->schedule) && !reader.failed && answer->step &&
           answer->step <= manifest->end.steps;
}

static RwSides *take_sides(JsonArray *array, const RwManifest *manifest)
{
    const RwSchedule *schedule = &manifest->inputs->schedule;
    if (!array || rw_json_count(array) > schedule->n_holds + schedule->n_faults)
        return NULL;
    g_autoptr(RwSides) sides = g_new0(RwSides, 1);
    sides->answers = g_ptr_array_new_with_free_func(rw_hold_answer_free);
    sides->explained = g_ptr_array_new_with_free_func(rw_explained_free);
    for (guint i = 0; i < rw_json_count(array); i++) {
        RwHoldAnswer *answer = g_new0(RwHoldAnswer, 1);
        RwExplained *explained = g_new0(RwExplained, 1);
        g_ptr_array_add(sides->answers, answer);
        g_ptr_array_add(sides->explained, explained);
        if (!take_answer(rw_json_get_element(array, i), manifest, answer, explained))
            return NULL;
    }
    return g_steal_pointer(&sides);
}

RwSides *rw_sides_load(const char *run_path, const RwManifest *manifest)
{
    g_autofree char *path = g_build_filename(run_path, NAME, NULL);
    g_autoptr(JsonNode) root = rw_json_read_note(path, FILE_MAX, FORMAT, VERSION);
    if (!root || !manifest->ended)
        return NULL;
    return take_sides(rw_json_get_array(json_node_get_object(root), "sides"), manifest);
}
