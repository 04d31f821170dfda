// SPDX-License-Identifier: MIT
#include "symbols-private.h"

#include <string.h>

typedef struct {
    uint64_t start, end, offset;
    bool readable, writable, executable;
    const char *path; // in the text
    size_t path_length;
} Line;

static bool number(const char **text, int base, char end, uint64_t *ret)
{
    char *stop;
    *ret = g_ascii_strtoull(*text, &stop, (guint)base);
    bool good = stop != *text && *stop == end;
    *text = stop + good;
    return good;
}

// START-END PERMS OFFSET MAJOR:MINOR INODE   PATH
static bool parse(const char *text, const char *end, Line *line)
{
    uint64_t device;
    *line = (Line){0};
    if (!number(&text, 16, '-', &line->start) || !number(&text, 16, ' ', &line->end) || end - text < 5)
        return false;
    line->readable = text[0] == 'r';
    line->writable = text[1] == 'w';
    line->executable = text[2] == 'x';
    text += 5;
    if (!number(&text, 16, ' ', &line->offset) || !number(&text, 16, ':', &device) ||
        !number(&text, 16, ' ', &device))
        return false;
    while (text < end && *text != ' ')
        text++;
    while (text < end && *text == ' ')
        text++;
    line->path = text;
    line->path_length = (size_t)(end - text);
    return line->start < line->end;
}

// The kernel writes a newline of a name as \012, and nothing else.
static char *dup_path(const Line *line)
{
    GString *path = g_string_new_len(line->path, (gssize)line->path_length);
    g_string_replace(path, "\\012", "\n", 0);
    return g_string_free(path, false);
}

static bool is_file(const char *path)
{
    return (path[0] == '/' && !g_str_has_suffix(path, " (deleted)")) || !strcmp(path, RW_SYMBOLS_VDSO);
}

// Memory right behind the end of a file's mapping is what the file has there without content: .bss.
static void fill(const Line *line, const Line *before, uint64_t va, RwMapping *ret)
{
    const Line *of = line;
    if (!line->path_length && before->path_length && before->end == line->start)
        of = before;
    *ret = (RwMapping){.offset = va - of->start, .is_behind = of != line};
    ret->readable = line->readable;
    ret->writable = line->writable;
    ret->executable = line->executable;
    if (!of->path_length)
        return;
    ret->path = dup_path(of);
    ret->is_file = is_file(ret->path);
    if (of != line && !ret->is_file) {
        g_clear_pointer(&ret->path, g_free);
        ret->offset = va - line->start;
        ret->is_behind = false;
    }
    if (ret->path)
        ret->offset += of->offset;
}

bool rw_maps_find(const char *maps, uint64_t va, RwMapping *ret)
{
    Line line, before = {0};
    for (const char *text = maps; *text; before = line) {
        const char *end = strchrnul(text, '\n');
        if (!parse(text, end, &line))
            return false;
        if (va >= line.start && va < line.end) {
            fill(&line, &before, va, ret);
            return true;
        }
        text = end + (*end == '\n');
    }
    return false;
}

void rw_maps_each(const char *maps, RwMapsEach each, void *data)
{
    Line line, before = {0};
    bool go_on = true;
    for (const char *text = maps; *text && go_on; before = line) {
        const char *end = strchrnul(text, '\n');
        RwMapping mapping;
        if (!parse(text, end, &line))
            return;
        fill(&line, &before, line.start, &mapping);
        go_on = each(line.start, &mapping, data);
        g_free(mapping.path);
        text = end + (*end == '\n');
    }
}
