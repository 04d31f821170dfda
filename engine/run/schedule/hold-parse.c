// SPDX-License-Identifier: MIT
#include "rw-event.h"
#include "rw-inputs.h"

// What is left of a text that is read from its front.
typedef struct {
    const char *at;
    bool ok;
} Text;

static bool take(Text *text, const char *what)
{
    if (!text->ok || !g_str_has_prefix(text->at, what))
        return false;
    text->at += strlen(what);
    return true;
}

static void need(Text *text, const char *what)
{
    text->ok = take(text, what) && text->ok;
}

static uint64_t take_number(Text *text, guint base, uint64_t most)
{
    char *end;
    if (!text->ok || !(base == 16 ? g_ascii_isxdigit(*text->at) : g_ascii_isdigit(*text->at))) {
        text->ok = false;
        return 0;
    }
    errno = 0;
    uint64_t number = g_ascii_strtoull(text->at, &end, base);
    text->at = end;
    text->ok = errno == 0 && number <= most;
    return number;
}

static RwTaskName take_task(Text *text)
{
    RwTaskName name = {0};
    for (guint i = 0; i < RW_TASK_DEPTH; i++) {
        name.path[i] = (uint16_t)take_number(text, 10, UINT16_MAX);
        text->ok = text->ok && name.path[i];
        if (!take(text, "."))
            return name;
    }
    text->ok = false;
    return name;
}

static RwPlaceKind take_kind(Text *text)
{
    for (RwPlaceKind kind = 0; kind < RW_N_PLACES; kind++)
        if (take(text, rw_place_kind_name(kind)))
            return kind;
    text->ok = false;
    return RW_PLACE_START;
}

static uint64_t take_call(Text *text)
{
    if (g_ascii_isdigit(*text->at))
        return take_number(text, 10, UINT32_MAX);
    size_t length = strcspn(text->at, "#+ ");
    g_autofree char *name = g_strndup(text->at, length);
    unsigned number;
    text->at += length;
    text->ok = text->ok && rw_system_call_from_name(name, &number);
    return text->ok ? number : 0;
}

static void take_what(Text *text, RwPlace *place)
{
    need(text, " ");
    if (place->kind == RW_PLACE_CALL || place->kind == RW_PLACE_RETURN) {
        place->number = take_call(text);
    } else {
        need(text, "0x");
        place->number = take_number(text, 16, UINT64_MAX);
    }
    if (take(text, "#"))
        place->nth = (uint32_t)take_number(text, 10, UINT32_MAX);
}

static RwPlace take_place(Text *text)
{
    RwPlace place = {.task = take_task(text), .nth = 1};
    need(text, ":");
    place.kind = take_kind(text);
    if (place.kind != RW_PLACE_START && place.kind != RW_PLACE_END)
        take_what(text, &place);
    if (take(text, "+"))
        place.further = (uint32_t)take_number(text, 10, UINT32_MAX);
    return place;
}

// Or that of all others.
static RwPlace take_held(Text *text)
{
    if (take(text, RW_HOLD_OTHERS_TEXT))
        return (RwPlace){.kind = RW_PLACE_START, .nth = 1};
    return take_place(text);
}

bool rw_place_parse_front(const char **text, RwPlace *ret)
{
    Text all = {*text, true};
    *ret = take_place(&all);
    *text = all.at;
    return all.ok;
}

static uint64_t take_time(Text *text)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    uint64_t number = take_number(text, 10, RW_HOLD_NS_MAX);
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (take(text, units[i].name)) {
            text->ok = number <= RW_HOLD_NS_MAX / units[i].ns;
            return number * units[i].ns;
        }
    text->ok = false;
    return 0;
}

// "80ms", and no place: that has a colon.
static bool is_time(const char *at)
{
    return g_ascii_isdigit(*at) && g_ascii_isalpha(at[strspn(at, "0123456789")]);
}

static void take_until(Text *text, RwHold *hold)
{
    need(text, " until ");
    if (is_time(text->at)) {
        hold->until = RW_UNTIL_TIME;
        hold->limit_ns = take_time(text);
        return;
    }
    hold->until = take(text, "idle") ? RW_UNTIL_IDLE : RW_UNTIL_PASSED;
    if (hold->until == RW_UNTIL_PASSED)
        hold->passed = take_place(text);
    hold->other_next = hold->until == RW_UNTIL_PASSED && take(text, " next");
    if (take(text, " for "))
        hold->limit_ns = take_time(text);
}

bool rw_hold_parse(const char *whole, RwHold *ret, GError **error)
{
    Text text = {whole, true};
    *ret = (RwHold){.before = UINT64_MAX, .limit_ns = RW_HOLD_NS_DEFAULT, .place = take_held(&text)};
    take_until(&text, ret);
    ret->next = take(&text, " then next");
    ret->again = take(&text, " then again");
    if (take(&text, " from "))
        ret->from = take_number(&text, 10, UINT64_MAX);
    if (take(&text, " before "))
        ret->before = take_number(&text, 10, UINT64_MAX);
    if (text.ok && !*text.at && rw_hold_is_valid(ret))
        return true;
    g_set_error(
        error, RW_ERROR, RW_ERROR_USAGE,
        "%s: must be TASK:PLACE until (TASK:PLACE | idle | TIME), or others:start until idle; a place "
        "start, call NAME#N, return "
        "NAME#N, at 0xADDRESS#N, after 0xADDRESS#N, within 0xADDRESS#N or unseen 0xADDRESS#N+COUNT; as in "
        "\"1.2:call write#3 until "
        "1.3:return read\"",
        whole);
    return false;
}
