// SPDX-License-Identifier: MIT
#include "rw-inputs.h"

// Takes decimal digits off the front of *text.
static bool take_number(const char **text, uint64_t *ret)
{
    char *end;
    if (!g_ascii_isdigit(**text))
        return false;
    errno = 0;
    *ret = g_ascii_strtoull(*text, &end, 10);
    *text = end;
    return errno == 0;
}

static bool take(const char **text, const char *what)
{
    if (!g_str_has_prefix(*text, what))
        return false;
    *text += strlen(what);
    return true;
}

static bool bad(const char *text, const char *form, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: must be %s", text, form);
    return false;
}

// ---- What strikes at the last step ----

static bool parse_kind(char *word, RwWindow *window)
{
    char *equals = strchr(word, '=');
    if (equals)
        *equals = 0;
    uint32_t kind = rw_perturb_from_name(word);
    guint64 after = 0;
    if (!kind || (equals && (kind != RW_PERTURB_PREEMPT ||
                             !g_ascii_string_to_unsigned(equals + 1, 10, 1, UINT32_MAX, &after, NULL))))
        return false;
    window->last_kinds |= kind;
    if (equals)
        window->last_after = (uint32_t)after;
    return true;
}

bool rw_last_parse(const char *text, RwWindow *window, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, "+", 8);
    bool ok = words[0] != NULL;
    for (char **word = words; ok && *word; word++)
        ok = parse_kind(*word, window);
    return ok || bad(text, "reschedule, stall, late, preempt or preempt=INSTRUCTIONS, joined by +", error);
}

// ---- Windows ----

static bool take_strategy(const char **text, RwStrategy *ret)
{
    if (!take(text, ":"))
        return true;
    size_t length = strcspn(*text, "@");
    g_autofree char *name = g_strndup(*text, length);
    *text += length;
    return rw_strategy_parse(name, ret);
}

bool rw_window_parse(const char *text, RwWindow *ret, GError **error)
{
    const char *at = text;
    *ret = (RwWindow){.until = UINT64_MAX};
    bool ok = take_number(&at, &ret->number) && ret->number && take_strategy(&at, &ret->strategy) &&
              take(&at, "@") && take_number(&at, &ret->from) && take(&at, "..");
    if (ok && g_ascii_isdigit(*at))
        ok = take_number(&at, &ret->until);
    if (ok && take(&at, "/"))
        return ret->until == UINT64_MAX
                   ? bad(text, "a window with an end, when its last step is narrowed", error)
                   : rw_last_parse(at, ret, error);
    return (ok && !*at && ret->from < ret->until) || bad(text, "SCHEDULE@FROM..UNTIL", error);
}

bool rw_reseed_parse(const char *text, RwReseed *ret, GError **error)
{
    const char *at = text;
    bool ok = take_number(&at, &ret->seed) && take(&at, "@") && take_number(&at, &ret->step) && !*at;
    return ok || bad(text, "SEED@STEP", error);
}
