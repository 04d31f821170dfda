// SPDX-License-Identifier: MIT
#include "rw-event.h"

#include <string.h>

typedef struct {
    const char *name;
    bool has_arguments;
} Call;

static const Call calls[] = {
#define RW_CALL(NUMBER, NAME, HAS_ARGUMENTS) [NUMBER] = {#NAME, HAS_ARGUMENTS},
#include "system-calls.def"
#undef RW_CALL
};

// Descriptors, numbers of processes, -1; and addresses.
static char *dup_argument(uint64_t argument)
{
    int64_t number = (int32_t)argument;
    if (number >= -4096 && number < 1 << 20 &&
        (argument == (uint64_t)number || argument == (uint32_t)number))
        return g_strdup_printf("%" G_GINT64_FORMAT, number);
    return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", argument);
}

char *rw_system_call_dup_text(unsigned number, uint64_t argument)
{
    const Call *call = number < G_N_ELEMENTS(calls) && calls[number].name ? &calls[number] : NULL;
    g_autofree char *text = !call || call->has_arguments ? dup_argument(argument) : g_strdup("");
    return call ? g_strdup_printf("%s(%s)", call->name, text)
                : g_strdup_printf("system call %u(%s)", number, text);
}

const char *rw_system_call_name(unsigned number)
{
    return number < G_N_ELEMENTS(calls) ? calls[number].name : NULL;
}

bool rw_system_call_from_name(const char *name, unsigned *ret)
{
    for (*ret = 0; *ret < G_N_ELEMENTS(calls); ++*ret)
        if (calls[*ret].name && !strcmp(calls[*ret].name, name))
            return true;
    return false;
}
