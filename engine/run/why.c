// SPDX-License-Identifier: MIT
#include "rw-why.h"

#include "rw-cpu.h"
#include "rw-event.h"

#include <elf.h>

void rw_why_clear(RwWhy *why)
{
    for (unsigned kind = 0; kind < RW_WHY_KINDS; kind++)
        g_free(why->texts[kind]);
    *why = (RwWhy){0};
}

void rw_why_add(RwWhy *why, const struct rewind_record *record, const uint8_t *payload, size_t length)
{
    struct rewind_reason reason;
    RwTraceItem item = {.record = *record, .payload = payload, .length = length};
    if (!rw_event_get_reason(&item, &reason) || !reason.kind || reason.kind >= RW_WHY_KINDS)
        return;
    const char *text = (const char *)payload + sizeof reason;
    g_autofree char *copy = g_strndup(text, strnlen(text, length - sizeof reason));
    g_free(why->texts[reason.kind]);
    why->texts[reason.kind] = g_utf8_make_valid(copy, -1);
    g_strdelimit(why->texts[reason.kind], "\n\r\t\033", ' ');
    why->reasons[reason.kind] = reason;
    why->pids[reason.kind] = record->pid;
}

// ---- In words ----

static uint64_t more_memory(const RwInputs *inputs)
{
    return (inputs->memory >> 20) * 2;
}

static char *memory_text(const RwWhy *why, const RwInputs *inputs)
{
    return g_strdup_printf("process %u was killed for want of memory, of which there are %" G_GUINT64_FORMAT
                           " MiB: try --mem %" G_GUINT64_FORMAT,
                           why->pids[REWIND_REASON_MEMORY], inputs->memory >> 20, more_memory(inputs));
}

static char *space_text(const RwWhy *why, const RwInputs *inputs)
{
    return g_strdup_printf("a file system of %" G_GUINT64_FORMAT
                           " MiB was full; its size goes with the memory: try --mem %" G_GUINT64_FORMAT,
                           why->reasons[REWIND_REASON_SPACE].value >> 20, more_memory(inputs));
}

static char *instruction_text(const RwWhy *why, const RwInputs *inputs)
{
    const struct rewind_reason *reason = &why->reasons[REWIND_REASON_INSTRUCTION];
    g_autofree char *text = rw_cpu_dup_disassembly(reason->bytes, reason->length, reason->value);
    return g_strdup_printf("the CPU does not know the instruction %s%s%s at 0x%" G_GINT64_MODIFIER
                           "x: --cpu v2 is an %s, which programs must be built for",
                           text ? "'" : "", text ? text : "", text ? "'" : "", reason->value,
                           rw_cpu_model_name(inputs->model));
}

static char *format_text(const RwWhy *why, const RwInputs *inputs)
{
    (void)inputs;
    const struct rewind_reason *reason = &why->reasons[REWIND_REASON_FORMAT];
    bool small = reason->length > EI_CLASS && reason->bytes[EI_CLASS] == ELFCLASS32;
    return g_strdup_printf("%s is a %s: only 64-bit x86 programs run here",
                           why->texts[REWIND_REASON_FORMAT],
                           small ? "32-bit program" : "program for another kind of processor");
}

static char *terminal_text(const RwWhy *why, const RwInputs *inputs)
{
    (void)inputs;
    return g_strdup_printf(
        "process %u waits for input on the terminal, which has none: -i in place of -t gives "
        "the command an input",
        why->pids[REWIND_REASON_TERMINAL]);
}

static char *input_text(const RwWhy *why, const RwInputs *inputs)
{
    (void)why, (void)inputs;
    return g_strdup("standard input was read and is empty: -i gives the command one");
}

// ---- Which of them counts ----

typedef enum { FAILED, STALLED, ALWAYS } When;

// What explains most comes first.
static const struct {
    unsigned kind;
    When when;
    char *(*text)(const RwWhy *why, const RwInputs *inputs);
} words[] = {
    {REWIND_REASON_MEMORY, FAILED, memory_text},      {REWIND_REASON_INSTRUCTION, FAILED, instruction_text},
    {REWIND_REASON_SPACE, FAILED, space_text},        {REWIND_REASON_FORMAT, FAILED, format_text},
    {REWIND_REASON_TERMINAL, STALLED, terminal_text}, {REWIND_REASON_INPUT, ALWAYS, input_text},
};

static bool applies(When when, const RwEnd *end)
{
    if (when == FAILED)
        return !end->job_exited || end->job_status != 0;
    return when == ALWAYS || end->kind == RW_END_STALLED || end->kind == RW_END_TIMED_OUT;
}

char *rw_why_dup_text(const RwWhy *why, const RwInputs *inputs, const RwEnd *end)
{
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (why->reasons[words[i].kind].kind && applies(words[i].when, end))
            return words[i].text(why, inputs);
    return NULL;
}
