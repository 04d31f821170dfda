// SPDX-License-Identifier: MIT
#include "fails-private.h"

#include "rw-event.h"

#include <sys/wait.h>

void rw_fails_free(RwFails *fails)
{
    if (!fails)
        return;
    for (unsigned i = 0; i < fails->n_texts; i++)
        g_free(fails->texts[i].text);
    g_array_unref(fails->facts);
    g_free(fails);
}

// ---- What the job wrote ----

bool rw_fails_reads_output(const RwFails *fails)
{
    return fails && fails->n_texts;
}

static void feed_byte(const RwFailsText *text, uint8_t byte, uint8_t *matched, bool *found)
{
    while (*matched && (uint8_t)text->text[*matched] != byte)
        *matched = text->back[*matched];
    if ((uint8_t)text->text[*matched] == byte)
        ++*matched;
    if (*matched == text->length) {
        *found = true;
        *matched = text->back[*matched];
    }
}

void rw_fails_feed(const RwFails *fails, RwFailsOutput *output, const uint8_t *bytes, size_t length)
{
    for (unsigned i = 0; i < fails->n_texts; i++)
        for (size_t n = 0; n < length && !output->found[i]; n++)
            feed_byte(&fails->texts[i], bytes[n], &output->matched[i], &output->found[i]);
}

bool rw_fails_feed_trace(const RwFails *fails, RwFailsOutput *output, const char *trace_path, uint64_t step,
                         GError **error)
{
    g_autoptr(RwTrace) trace = rw_trace_open(trace_path, error);
    g_autoptr(RwTraceCursor) cursor = trace ? rw_trace_cursor_new(trace, 1, error) : NULL;
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0 && item.step < step) {
        uint32_t fd;
        const uint8_t *bytes;
        size_t length;
        if (rw_event_get_output(&item, &fd, &bytes, &length))
            rw_fails_feed(fails, output, bytes, length);
    }
    return more >= 0;
}

// ---- Facts ----

static bool compare(RwFactOp op, int value, int number)
{
    switch (op) {
    case RW_FACT_IS:
        return value == number;
    case RW_FACT_IS_NOT:
        return value != number;
    case RW_FACT_LESS:
        return value < number;
    case RW_FACT_MOST:
        return value <= number;
    case RW_FACT_MORE:
        return value > number;
    case RW_FACT_LEAST:
        return value >= number;
    }
    return false;
}

static bool signal_is(const RwFact *fact, const RwEnd *end)
{
    if (!end->job_exited || !WIFSIGNALED(end->job_status))
        return false;
    return !fact->number || compare(fact->op, WTERMSIG(end->job_status), fact->number);
}

static bool holds(const RwFact *fact, const RwEnd *end, const RwFailsOutput *output)
{
    switch (fact->kind) {
    case RW_FACT_EXIT:
        return end->job_exited && WIFEXITED(end->job_status) &&
               compare(fact->op, WEXITSTATUS(end->job_status), fact->number);
    case RW_FACT_SIGNAL:
        return signal_is(fact, end);
    case RW_FACT_END:
        return !end->job_exited && (int)end->kind == fact->number;
    case RW_FACT_OUTPUT:
        return output->found[fact->number] == (fact->op == RW_FACT_IS);
    }
    return false;
}

bool rw_fails_match(const RwFails *fails, const RwEnd *end, const RwFailsOutput *output)
{
    if (!fails)
        return !(end->kind == RW_END_POWEROFF && end->job_exited && end->job_status == 0);
    for (guint i = 0; i < fails->facts->len;) {
        unsigned alternative = g_array_index(fails->facts, RwFact, i).alternative;
        bool all = true;
        for (; i < fails->facts->len; i++) {
            const RwFact *fact = &g_array_index(fails->facts, RwFact, i);
            if (fact->alternative != alternative)
                break;
            all = all && holds(fact, end, output);
        }
        if (all)
            return true;
    }
    return false;
}
