// SPDX-License-Identifier: MIT
#include "index-private.h"

// One write; its bytes start where those of the one before end.
typedef struct {
    guint64 step;
    guint32 start;
    guint32 pid;
    guint32 fd;
} Write;

struct _RwText {
    GByteArray *bytes;
    GArray *writes; // of Write
    GArray *lines; // of guint32: where each starts
    bool open; // the last line goes on
    guint64 cut; // step of the first write that was left out, 0: none was
};

RwText *rw_text_new(void)
{
    RwText *text = g_new0(RwText, 1);
    text->bytes = g_byte_array_new();
    text->writes = g_array_new(false, false, sizeof(Write));
    text->lines = g_array_new(false, false, sizeof(guint32));
    return text;
}

void rw_text_free(RwText *text)
{
    if (!text)
        return;
    g_byte_array_unref(text->bytes);
    g_array_unref(text->writes);
    g_array_unref(text->lines);
    g_free(text);
}

void rw_text_append(RwText *text, guint64 step, guint32 pid, guint32 fd, const void *bytes, gsize length)
{
    if (!length || text->cut)
        return;
    if (length > RW_TEXT_MAX - text->bytes->len) {
        text->cut = step;
        return;
    }
    Write write = {step, text->bytes->len, pid, fd};
    g_array_append_val(text->writes, write);
    g_byte_array_append(text->bytes, bytes, (guint)length);
    for (guint32 at = write.start; at < text->bytes->len;) {
        if (!text->open)
            g_array_append_val(text->lines, at);
        const guint8 *end = memchr(text->bytes->data + at, '\n', text->bytes->len - at);
        text->open = !end;
        at = end ? (guint32)(end - text->bytes->data) + 1 : text->bytes->len;
    }
}

// How many writes there were by `step`.
static guint count_writes(const RwText *text, guint64 step)
{
    guint low = 0, high = text->writes->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(text->writes, Write, middle).step <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static guint32 get_end(const RwText *text, guint64 step)
{
    guint writes = count_writes(text, step);
    return writes < text->writes->len ? g_array_index(text->writes, Write, writes).start : text->bytes->len;
}

guint rw_text_count_lines(const RwText *text, guint64 step)
{
    guint32 end = get_end(text, step);
    guint low = 0, high = text->lines->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(text->lines, guint32, middle) < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const Write *find_write(const RwText *text, guint32 offset)
{
    guint low = 0, high = text->writes->len;
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(text->writes, Write, middle).start <= offset)
            low = middle;
        else
            high = middle;
    }
    return &g_array_index(text->writes, Write, low);
}

void rw_text_get_line(const RwText *text, guint line, guint64 step, RwLine *ret)
{
    guint32 start = g_array_index(text->lines, guint32, line);
    guint32 end = get_end(text, step);
    if (line + 1 < text->lines->len)
        end = MIN(end, g_array_index(text->lines, guint32, line + 1));
    if (end > start && text->bytes->data[end - 1] == '\n')
        end--;
    const Write *write = find_write(text, start);
    *ret = (RwLine){
        .step = write->step,
        .pid = write->pid,
        .fd = write->fd,
        .bytes = (const char *)text->bytes->data + start,
        .length = end > start ? end - start : 0,
    };
}

GArray *rw_text_find_lines(const RwText *text, const RwFilter *filter)
{
    GArray *lines = g_array_new(false, false, sizeof(guint32));
    for (guint32 line = 0, write = 0; line < text->lines->len; line++) {
        guint32 start = g_array_index(text->lines, guint32, line);
        while (write + 1 < text->writes->len &&
               g_array_index(text->writes, Write, write + 1).start <= start)
            write++;
        const Write *first = &g_array_index(text->writes, Write, write);
        if (rw_filter_has(filter, first->step, first->pid))
            g_array_append_val(lines, line);
    }
    return lines;
}

guint64 rw_text_get_cut(const RwText *text)
{
    return text->cut;
}
