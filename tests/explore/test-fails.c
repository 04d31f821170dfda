// SPDX-License-Identifier: MIT
//
// What a user calls a failure: what is taken, what is refused, and what it holds for.
#include "rw-fails.h"

#include <signal.h>

static RwEnd exited(int status)
{
    return (RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .job_status = status << 8};
}

static RwEnd killed(int signo)
{
    return (RwEnd){.kind = RW_END_POWEROFF, .job_exited = true, .job_status = signo};
}

static RwEnd ended(RwEndKind kind)
{
    return (RwEnd){.kind = kind};
}

// Whether it fails: fed with what was written, in pieces of every size.
static bool fails(const char *expression, RwEnd end, const char *written)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwFails) fails = rw_fails_parse(expression, &error);
    g_assert_no_error(error);
    size_t length = strlen(written);
    int last = -1;
    for (size_t piece = 1; piece <= MAX(length, 1); piece++) {
        RwFailsOutput output = {0};
        for (size_t at = 0; at < length; at += piece)
            rw_fails_feed(fails, &output, (const uint8_t *)written + at, MIN(piece, length - at));
        bool now = rw_fails_match(fails, &end, &output);
        g_assert_true(last < 0 || last == now);
        last = now;
    }
    return last;
}

static void test_default(void)
{
    RwEnd ends[] = {
        exited(1),           killed(SIGSEGV),     ended(RW_END_STALLED), ended(RW_END_TIMED_OUT),
        ended(RW_END_PANIC), ended(RW_END_HALTED)};
    RwEnd passes = exited(0);
    g_assert_false(rw_fails_match(NULL, &passes, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++)
        g_assert_true(rw_fails_match(NULL, &ends[i], NULL));
}

static void test_facts(void)
{
    g_assert_true(fails("exit=16", exited(16), ""));
    g_assert_false(fails("exit=16", exited(1), ""));
    g_assert_true(fails("exit", exited(1), ""));
    g_assert_false(fails("exit", exited(0), ""));
    g_assert_false(fails("exit!=0", killed(SIGABRT), ""));
    g_assert_true(fails("exit>=2", exited(2), "") && !fails("exit>2", exited(2), ""));
    g_assert_true(fails("exit<=2", exited(2), "") && !fails("exit<2", exited(2), ""));
    g_assert_true(fails("signal", killed(SIGABRT), ""));
    g_assert_false(fails("signal", exited(SIGABRT), ""));
    g_assert_true(fails("signal=SIGSEGV", killed(SIGSEGV), "") &&
                  fails("signal=SEGV", killed(SIGSEGV), ""));
    g_assert_true(fails("signal=11", killed(11), "") && !fails("signal=11", killed(6), ""));
    g_assert_true(fails("signal!=SIGKILL", killed(11), "") && !fails("signal!=SIGKILL", killed(9), ""));
    g_assert_true(fails("stalled", ended(RW_END_STALLED), "") && !fails("stalled", exited(1), ""));
    g_assert_true(fails("timed-out", ended(RW_END_TIMED_OUT), ""));
    g_assert_true(fails("panic", ended(RW_END_PANIC), ""));
}

static void test_output(void)
{
    g_assert_true(fails("output~lost", exited(0), "one update was lost here"));
    g_assert_false(fails("output~lost", exited(0), "los t, lo-st"));
    g_assert_true(fails("output!~PASS", exited(0), "PAS") && !fails("output!~PASS", exited(0), "all PASS"));
    g_assert_true(fails("output~\"two, words\"", exited(0), "two, words"));
    g_assert_true(fails("output~\"a \\\"b\\\"\"", exited(0), "say a \"b\""));
    // A start that comes again within itself.
    g_assert_true(fails("output~aabaaac", exited(0), "aabaabaaac"));
    g_assert_true(fails("output~aaab", exited(0), "aaaaab"));
    g_assert_true(fails("output~abcabd", exited(0), "abcabcabd"));
}

static void test_joined(void)
{
    g_assert_true(fails("exit=16,stalled", ended(RW_END_STALLED), ""));
    g_assert_true(fails("exit=16 or stalled", exited(16), "") &&
                  !fails("exit=16 or stalled", exited(1), ""));
    g_assert_true(fails("exit=1 and output~x", exited(1), "x") &&
                  !fails("exit=1 and output~x", exited(1), "y"));
    // "and" binds more closely.
    g_assert_true(fails("exit=1 and output~x, signal", killed(6), "y"));
    g_assert_true(fails("signal, exit=1 and output~x", exited(1), "x"));
    g_assert_false(fails("signal, exit=1 and output~x", exited(1), "y"));
    g_assert_true(fails("output~a and output~b and output!~c", exited(0), "ba"));
}

static void test_refused(void)
{
    static const char *const wrong[][2] = {
        {"", "exit, signal, stalled, timed-out, panic or output is expected at its end"},
        {"exits", "is expected at \"exits\""},
        {"exit=", "a status from 0 to 255 is expected at its end"},
        {"exit=256", "a status from 0 to 255"},
        {"exit==1", "a status from 0 to 255 is expected at \"=1\""},
        {"signal=SIGNONE", "a signal"},
        {"signal=0", "a signal"},
        {"signal<SIGSEGV", "a signal"},
        {"stalled and", "is expected at its end"},
        {"stalled exit=1", "\"and\", \"or\" or a comma is expected at \"exit=1\""},
        {"exit=1,,stalled", "is expected at \",stalled\""},
        {"output", "~TEXT or !~TEXT is expected at its end"},
        {"output~", "a text of 1 to 255 bytes"},
        {"output~\"open", "with its closing quote"},
        {"output~a,output~a,output~a,output~a,output~a,output~a,output~a,output~a,output~a", "8 texts"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_null(rw_fails_parse(wrong[i][0], &error));
        g_assert_error(error, RW_ERROR, RW_ERROR_USAGE);
        if (!strstr(error->message, wrong[i][1]))
            g_error("%s: \"%s\" has no \"%s\"", wrong[i][0], error->message, wrong[i][1]);
        g_assert_null(strchr(error->message, '\n'));
    }
    g_autofree char *most = g_strnfill(RW_FAILS_TEXT_MAX, 'a');
    g_autofree char *longest = g_strconcat("output~", most, NULL);
    g_autofree char *longer = g_strconcat(longest, "a", NULL);
    g_autoptr(RwFails) ok = rw_fails_parse(longest, NULL);
    g_assert_nonnull(ok);
    g_assert_null(rw_fails_parse(longer, NULL));
    g_assert_true(fails(longest, exited(0), most));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fails/default", test_default);
    g_test_add_func("/fails/facts", test_facts);
    g_test_add_func("/fails/output", test_output);
    g_test_add_func("/fails/joined", test_joined);
    g_test_add_func("/fails/refused", test_refused);
    return g_test_run();
}
