// SPDX-License-Identifier: MIT
#include "fails-private.h"

#include "rw-base.h"
#include "rw-event.h"

#include <signal.h>
#include <string.h>

typedef struct {
    const char *text; // all of it
    const char *at;
    RwFails *fails;
    unsigned alternative;
    GError **error;
} Parser;

static bool expect(const Parser *parser, const char *what)
{
    g_autofree char *rest = g_strndup(parser->at, 24);
    if (*rest)
        g_set_error(parser->error, RW_ERROR, RW_ERROR_USAGE, "--fails %s: %s is expected at \"%s\"",
                    parser->text, what, rest);
    else
        g_set_error(parser->error, RW_ERROR, RW_ERROR_USAGE, "--fails %s: %s is expected at its end",
                    parser->text, what);
    return false;
}

static bool take(Parser *parser, const char *what)
{
    if (!g_str_has_prefix(parser->at, what))
        return false;
    parser->at += strlen(what);
    return true;
}

static void skip_spaces(Parser *parser)
{
    parser->at += strspn(parser->at, " ");
}

// A word of letters and dashes, whole.
static bool take_word(Parser *parser, const char *word)
{
    size_t length = strlen(word);
    char next = g_str_has_prefix(parser->at, word) ? parser->at[length] : 'a';
    return !g_ascii_isalnum(next) && next != '-' && take(parser, word);
}

static bool take_op(Parser *parser, RwFactOp *ret)
{
    static const struct {
        const char *text; // a longer one before its start
        RwFactOp op;
    } ops[] = {
        {"!=", RW_FACT_IS_NOT}, {"<=", RW_FACT_MOST}, {">=", RW_FACT_LEAST},
        {"=", RW_FACT_IS},      {"<", RW_FACT_LESS},  {">", RW_FACT_MORE},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(ops); i++)
        if (take(parser, ops[i].text)) {
            *ret = ops[i].op;
            return true;
        }
    return false;
}

static bool take_number(Parser *parser, int most, int *ret)
{
    size_t length = strspn(parser->at, "0123456789");
    g_autofree char *digits = g_strndup(parser->at, length);
    guint64 number;
    if (!g_ascii_string_to_unsigned(digits, 10, 0, (guint64)most, &number, NULL))
        return false;
    parser->at += length;
    *ret = (int)number;
    return true;
}

// ---- Facts ----

static bool parse_exit(Parser *parser, RwFact *fact)
{
    fact->kind = RW_FACT_EXIT;
    fact->op = RW_FACT_IS_NOT;
    if (!take_op(parser, &fact->op))
        return true;
    return take_number(parser, 255, &fact->number) || expect(parser, "a status from 0 to 255");
}

static int signal_from_name(const char *name)
{
    for (int signo = 1; signo <= SIGRTMAX; signo++) {
        g_autofree char *full = rw_signal_dup_name(signo);
        if (!strcmp(name, full) || (g_str_has_prefix(full, "SIG") && !strcmp(name, full + 3)))
            return signo;
    }
    return 0;
}

static bool parse_signal(Parser *parser, RwFact *fact)
{
    fact->kind = RW_FACT_SIGNAL;
    if (!take_op(parser, &fact->op))
        return true;
    if (take_number(parser, SIGRTMAX, &fact->number) && fact->number)
        return true;
    size_t length = strcspn(parser->at, " ,");
    g_autofree char *name = g_strndup(parser->at, length);
    fact->number = signal_from_name(name);
    if (!fact->number || fact->op > RW_FACT_IS_NOT)
        return expect(parser, "a signal, such as SIGSEGV or 11");
    parser->at += length;
    return true;
}

// Between double quotes a backslash takes the next byte as it is.
static char *take_text(Parser *parser)
{
    if (!take(parser, "\"")) {
        size_t length = strcspn(parser->at, " ,");
        parser->at += length;
        return g_strndup(parser->at - length, length);
    }
    g_autoptr(GString) text = g_string_new(NULL);
    for (; *parser->at && *parser->at != '"'; parser->at++) {
        parser->at += *parser->at == '\\' && parser->at[1];
        g_string_append_c(text, *parser->at);
    }
    return take(parser, "\"") ? g_string_free(g_steal_pointer(&text), false) : NULL;
}

static void prepare(RwFailsText *text)
{
    text->back[0] = text->back[1] = 0;
    for (unsigned n = 1; n < text->length; n++) {
        uint8_t back = text->back[n];
        while (back && text->text[back] != text->text[n])
            back = text->back[back];
        text->back[n + 1] = (uint8_t)(back + (text->text[back] == text->text[n]));
    }
}

static bool parse_output(Parser *parser, RwFact *fact)
{
    RwFails *fails = parser->fails;
    fact->kind = RW_FACT_OUTPUT;
    fact->op = take(parser, "!~") ? RW_FACT_IS_NOT : RW_FACT_IS;
    if (fact->op == RW_FACT_IS && !take(parser, "~"))
        return expect(parser, "~TEXT or !~TEXT");
    if (fails->n_texts == RW_FAILS_TEXTS_MAX)
        return expect(parser, "no more than 8 texts: something else");
    g_autofree char *text = take_text(parser);
    if (!text || !*text || strlen(text) > RW_FAILS_TEXT_MAX)
        return expect(parser, "a text of 1 to 255 bytes, with its closing quote");
    RwFailsText *to = &fails->texts[fails->n_texts];
    to->length = (uint8_t)strlen(text);
    to->text = g_steal_pointer(&text);
    prepare(to);
    fact->number = (int)fails->n_texts++;
    return true;
}

static bool parse_end(Parser *parser, RwFact *fact)
{
    static const RwEndKind kinds[] = {RW_END_STALLED, RW_END_TIMED_OUT, RW_END_PANIC,       RW_END_REBOOT,
                                      RW_END_HALTED,  RW_END_SHUTDOWN,  RW_END_UNSUPPORTED, RW_END_OUTPUT};
    fact->kind = RW_FACT_END;
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (take_word(parser, rw_end_name(kinds[i]))) {
            fact->number = (int)kinds[i];
            return true;
        }
    return expect(parser, "exit, signal, stalled, timed-out, panic or output");
}

static bool parse_fact(Parser *parser)
{
    RwFact fact = {.alternative = parser->alternative};
    skip_spaces(parser);
    bool ok = take_word(parser, "exit")     ? parse_exit(parser, &fact)
              : take_word(parser, "signal") ? parse_signal(parser, &fact)
              : take_word(parser, "output") ? parse_output(parser, &fact)
                                            : parse_end(parser, &fact);
    if (ok)
        g_array_append_val(parser->fails->facts, fact);
    skip_spaces(parser);
    return ok;
}

static bool parse_all(Parser *parser)
{
    while (parse_fact(parser)) {
        if (!*parser->at)
            return true;
        if (take_word(parser, "and"))
            continue;
        if (!take(parser, ",") && !take_word(parser, "or"))
            return expect(parser, "\"and\", \"or\" or a comma");
        parser->alternative++;
    }
    return false;
}

RwFails *rw_fails_parse(const char *text, GError **error)
{
    g_autoptr(RwFails) fails = g_new0(RwFails, 1);
    fails->facts = g_array_new(false, false, sizeof(RwFact));
    Parser parser = {.text = text, .at = text, .fails = fails, .error = error};
    return parse_all(&parser) ? g_steal_pointer(&fails) : NULL;
}
