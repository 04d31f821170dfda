// SPDX-License-Identifier: MIT
//
// Names of C++. The library of that language reads them; here what makes them long is left out.
#include "symbols-private.h"

#include <stdlib.h>
#include <string.h>

#define MANGLED_MAX 2048u // characters of one that is read

// Of the library, whose header is none of C's.
char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *ret_status);

static bool is_behind_arguments(const char *text, size_t *length)
{
    static const char *const ends[] = {" const", " volatile", " &", " &&"};
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        size_t n = strlen(ends[i]);
        if (*length > n && !strncmp(text + *length - n, ends[i], n)) {
            *length -= n;
            return true;
        }
    }
    return false;
}

// "[clone .constprop.0]" and the like, "const": how much comes before them.
static size_t before_ends(const char *text)
{
    const char *clone = strstr(text, " [clone");
    size_t length = clone ? (size_t)(clone - text) : strlen(text);
    while (is_behind_arguments(text, &length)) {
    }
    return length;
}

// Where the bracket is that the one before `length` closes; `length`: there is none.
static size_t find_opening(const char *text, size_t length)
{
    size_t depth = 0;
    for (size_t i = length; i-- > 0;) {
        depth += text[i] == ')';
        if (text[i] == '(' && --depth == 0)
            return i;
    }
    return length;
}

// Templates' functions have the type that they return before their names.
static const char *skip_type(const char *text)
{
    const char *start = text;
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (g_str_has_prefix(at, "operator") && !depth)
            break;
        depth += (*at == '<' || *at == '(' || *at == '{') - (*at == '>' || *at == ')' || *at == '}');
        if (*at == ' ' && depth == 0)
            start = at + 1;
    }
    return start;
}

char *rw_name_dup_demangled(const char *name)
{
    int status;
    if (!g_str_has_prefix(name, "_Z") || strnlen(name, MANGLED_MAX + 1) > MANGLED_MAX)
        return NULL;
    char *whole = __cxa_demangle(name, NULL, NULL, &status);
    if (!whole)
        return NULL;
    size_t length = before_ends(whole);
    bool is_function = length && whole[length - 1] == ')';
    size_t opening = is_function ? find_opening(whole, length) : length;
    g_autofree char *bare = g_strndup(whole, opening ? opening : length);
    free(whole);
    return g_utf8_make_valid(is_function ? skip_type(bare) : bare, -1);
}
