// SPDX-License-Identifier: MIT
#include "man.h"

#include <stdio.h>

static const char *escape_of(gunichar c)
{
    static const struct {
        gunichar c;
        const char *escape;
    } escapes[] = {
        {'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'^', "\\(ha"}, {'~', "\\(ti"}, {'"', "\\(dq"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(escapes); i++)
        if (escapes[i].c == c)
            return escapes[i].escape;
    return NULL;
}

void man_print_text(const char *text)
{
    bool bold = false;
    if (*text == '.')
        printf("\\&");
    for (; *text; text = g_utf8_next_char(text)) {
        gunichar c = g_utf8_get_char(text);
        if (c == '`')
            printf("%s", (bold = !bold) ? "\\fB" : "\\fR");
        else if (escape_of(c))
            printf("%s", escape_of(c));
        else if (c > '~')
            printf("\\[u%04X]", c);
        else
            printf("%c", (char)c);
    }
}

void man_print_paragraphs(char **paragraphs)
{
    for (char **paragraph = paragraphs; *paragraph; paragraph++) {
        printf("%s", paragraph == paragraphs ? "" : ".PP\n");
        man_print_text(*paragraph);
        printf("\n");
    }
}

void man_print_item(const char *term, const char *text)
{
    printf(".TP\n\\fB");
    man_print_text(term);
    printf("\\fR\n");
    man_print_text(text);
    printf("\n");
}

void man_print_section(const char *title)
{
    printf(".SH %s\n", title);
}

void man_print_head(const char *page, const char *summary)
{
    g_autofree char *upper = g_ascii_strup(page, -1);
    printf(".TH %s 1 \"\" \"Rewind %s\" \"Rewind\"\n", upper, REWIND_VERSION);
    man_print_section("NAME");
    man_print_text(page);
    printf(" \\- ");
    man_print_text(summary);
    printf("\n");
}
