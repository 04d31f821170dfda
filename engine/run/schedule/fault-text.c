// SPDX-License-Identifier: MIT
//
// Faults in words, one form for options, manifests and people:
//     1.2:call read#3 short 1 from 700 before 900
#include "rw-inputs.h"

static const char *const kinds[RW_N_FAULTS] = {"short", "wake", "error", "reversed"};

// Those of the machine: asm-generic/errno.h.
static const char *const errors[RW_FAULT_ERRNO_MAX + 1] = {
#define RW_ERRNO(NUMBER, NAME) [NUMBER] = NAME,
#include "errnos.def"
#undef RW_ERRNO
};

const char *rw_errno_name(uint32_t number)
{
    return number <= RW_FAULT_ERRNO_MAX ? errors[number] : NULL;
}

static void append_amount(GString *text, const RwFault *fault)
{
    const char *name = fault->kind == RW_FAULT_ERROR ? rw_errno_name(fault->amount) : NULL;
    if (name)
        g_string_append_printf(text, " %s", name);
    else if (fault->amount)
        g_string_append_printf(text, " %u", fault->amount);
}

char *rw_fault_dup_text(const RwFault *fault)
{
    g_autofree char *place = rw_place_dup_text(&fault->place);
    GString *text = g_string_new(place);
    g_string_append_printf(text, " %s", kinds[fault->kind]);
    append_amount(text, fault);
    if (fault->from)
        g_string_append_printf(text, " from %" G_GUINT64_FORMAT, fault->from);
    if (fault->before != UINT64_MAX)
        g_string_append_printf(text, " before %" G_GUINT64_FORMAT, fault->before);
    return g_string_free(text, false);
}

// ---- And back ----

static bool take(const char **at, const char *what)
{
    if (!g_str_has_prefix(*at, what))
        return false;
    *at += strlen(what);
    return true;
}

static bool take_number(const char **at, uint64_t most, uint64_t *ret)
{
    char *end;
    if (!g_ascii_isdigit(**at))
        return false;
    errno = 0;
    *ret = g_ascii_strtoull(*at, &end, 10);
    *at = end;
    return errno == 0 && *ret <= most;
}

static bool take_kind(const char **at, RwFaultKind *ret)
{
    for (*ret = 0; *ret < RW_N_FAULTS; (*ret)++)
        if (take(at, kinds[*ret]))
            return true;
    return false;
}

// The name, where there is one; else the number.
static bool take_error(const char **at, uint32_t *ret)
{
    size_t length = strcspn(*at, " ");
    uint64_t number;
    for (uint32_t i = 1; i <= RW_FAULT_ERRNO_MAX; i++)
        if (errors[i] && strlen(errors[i]) == length && !strncmp(*at, errors[i], length)) {
            *at += length;
            *ret = i;
            return true;
        }
    bool ok = take_number(at, RW_FAULT_ERRNO_MAX, &number);
    *ret = ok ? (uint32_t)number : 0;
    return ok;
}

static bool take_amount(const char **at, RwFault *fault)
{
    uint64_t bytes = 0;
    if (fault->kind == RW_FAULT_ERROR)
        return take(at, " ") && take_error(at, &fault->amount);
    if (fault->kind != RW_FAULT_SHORT)
        return true;
    bool ok = take(at, " ") && take_number(at, UINT32_MAX, &bytes);
    fault->amount = (uint32_t)bytes;
    return ok;
}

bool rw_fault_parse(const char *whole, RwFault *ret, GError **error)
{
    const char *at = whole;
    *ret = (RwFault){.before = UINT64_MAX};
    bool ok = rw_place_parse_front(&at, &ret->place) && take(&at, " ") && take_kind(&at, &ret->kind) &&
              take_amount(&at, ret);
    if (ok && take(&at, " from "))
        ok = take_number(&at, UINT64_MAX, &ret->from);
    if (ok && take(&at, " before "))
        ok = take_number(&at, UINT64_MAX, &ret->before);
    if (ok && !*at && rw_fault_is_valid(ret))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                "%s: must be TASK:call NAME#N and what it answers: short BYTES (read, write, recvfrom, "
                "sendto), wake "
                "(futex), error ERRNO or reversed (getdents64); as in \"1.2:call read#3 short 1\"",
                whole);
    return false;
}
