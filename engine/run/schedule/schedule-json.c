// SPDX-License-Identifier: MIT
#include "rw-json.h"
#include "rw-inputs.h"

static JsonArray *holds_to_json(const RwSchedule *schedule)
{
    JsonArray *holds = json_array_new();
    for (uint32_t i = 0; i < schedule->n_holds; i++) {
        g_autofree char *text = rw_hold_dup_text(&schedule->holds[i]);
        json_array_add_string_element(holds, text);
    }
    return holds;
}

static JsonArray *faults_to_json(const RwSchedule *schedule)
{
    JsonArray *faults = json_array_new();
    for (uint32_t i = 0; i < schedule->n_faults; i++) {
        g_autofree char *text = rw_fault_dup_text(&schedule->faults[i]);
        json_array_add_string_element(faults, text);
    }
    return faults;
}

void rw_schedule_to_json(const RwSchedule *schedule, JsonObject *object)
{
    JsonArray *windows = json_array_new(), *reseeds = json_array_new();
    for (uint32_t i = 0; i < schedule->n_windows; i++) {
        const RwWindow *window = &schedule->windows[i];
        JsonObject *item = json_object_new();
        rw_json_set_u64(item, "schedule", window->number);
        rw_json_set_u64(item, "from", window->from);
        rw_json_set_u64(item, "until", window->until);
        json_object_set_int_member(item, "last_kinds", window->last_kinds);
        json_object_set_int_member(item, "last_after", window->last_after);
        json_object_set_string_member(item, "strategy", rw_strategy_name(window->strategy));
        json_array_add_object_element(windows, item);
    }
    for (uint32_t i = 0; i < schedule->n_reseeds; i++) {
        JsonObject *item = json_object_new();
        rw_json_set_u64(item, "step", schedule->reseeds[i].step);
        rw_json_set_u64(item, "seed", schedule->reseeds[i].seed);
        json_array_add_object_element(reseeds, item);
    }
    json_object_set_array_member(object, "windows", windows);
    json_object_set_array_member(object, "reseeds", reseeds);
    if (schedule->n_holds)
        json_object_set_array_member(object, "holds", holds_to_json(schedule));
    if (schedule->n_faults)
        json_object_set_array_member(object, "faults", faults_to_json(schedule));
}

// Manifests of version 1 have one window, of any number.
static bool read_window_1(JsonObject *object, RwSchedule *schedule)
{
    RwJsonReader reader = {object, NULL};
    RwWindow window = {.number = rw_json_u64(&reader, "schedule"),
                       .from = rw_json_u64(&reader, "schedule_from"),
                       .until = rw_json_u64(&reader, "schedule_until")};
    return !reader.failed && rw_schedule_add_window(schedule, &window);
}

static RwStrategy read_strategy(RwJsonReader *reader)
{
    g_autofree char *name = rw_json_dup_string(reader, "strategy");
    RwStrategy strategy;
    if (!rw_strategy_parse(name, &strategy) && !reader->failed)
        reader->failed = "strategy";
    return strategy;
}

static RwWindow read_window(RwJsonReader *reader)
{
    return (RwWindow){
        .number = rw_json_u64(reader, "schedule"),
        .from = rw_json_u64(reader, "from"),
        .until = rw_json_u64(reader, "until"),
        .last_kinds = (uint32_t)rw_json_int(reader, "last_kinds", 0, UINT32_MAX),
        .last_after = (uint32_t)rw_json_int(reader, "last_after", 0, UINT32_MAX),
        .strategy = read_strategy(reader),
    };
}

static JsonArray *get_array(JsonObject *object, const char *member, guint max)
{
    JsonNode *node = json_object_get_member(object, member);
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    return array && json_array_get_length(array) <= max ? array : NULL;
}

static JsonObject *get_element(JsonArray *array, guint i)
{
    JsonNode *node = json_array_get_element(array, i);
    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static bool read_windows(JsonArray *array, RwSchedule *schedule)
{
    for (guint i = 0; i < json_array_get_length(array); i++) {
        RwJsonReader reader = {get_element(array, i), NULL};
        if (!reader.object)
            return false;
        schedule->windows[schedule->n_windows++] = read_window(&reader);
        if (reader.failed)
            return false;
    }
    return true;
}

static bool read_reseeds(JsonArray *array, RwSchedule *schedule)
{
    for (guint i = 0; i < json_array_get_length(array); i++) {
        RwJsonReader reader = {get_element(array, i), NULL};
        if (!reader.object)
            return false;
        RwReseed *reseed = &schedule->reseeds[schedule->n_reseeds++];
        reseed->step = rw_json_u64(&reader, "step");
        reseed->seed = rw_json_u64(&reader, "seed");
        if (reader.failed)
            return false;
    }
    return true;
}

// They are missing where there are none.
static bool read_holds(JsonObject *object, RwSchedule *schedule)
{
    if (!json_object_has_member(object, "holds"))
        return true;
    RwJsonReader reader = {object, NULL};
    g_auto(GStrv) texts = rw_json_dup_strings(&reader, "holds");
    bool ok = !reader.failed && texts[0];
    for (char **text = texts; ok && *text; text++) {
        RwHold hold;
        ok = rw_hold_parse(*text, &hold, NULL) && rw_schedule_add_hold(schedule, &hold);
    }
    return ok;
}

static bool read_faults(JsonObject *object, RwSchedule *schedule)
{
    if (!json_object_has_member(object, "faults"))
        return true;
    RwJsonReader reader = {object, NULL};
    g_auto(GStrv) texts = rw_json_dup_strings(&reader, "faults");
    bool ok = !reader.failed && texts[0];
    for (char **text = texts; ok && *text; text++) {
        RwFault fault;
        ok = rw_fault_parse(*text, &fault, NULL) && rw_schedule_add_fault(schedule, &fault);
    }
    return ok;
}

bool rw_schedule_from_json(JsonObject *object, RwSchedule *ret)
{
    *ret = (RwSchedule){0};
    if (!json_object_has_member(object, "windows"))
        return read_window_1(object, ret);
    JsonArray *windows = get_array(object, "windows", RW_WINDOWS_MAX);
    JsonArray *reseeds = get_array(object, "reseeds", RW_RESEEDS_MAX);
    return windows && reseeds && read_windows(windows, ret) && read_reseeds(reseeds, ret) &&
           read_holds(object, ret) && read_faults(object, ret) && rw_schedule_is_valid(ret);
}
