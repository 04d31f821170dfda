// SPDX-License-Identifier: MIT
//
// Numbers and words in the user's language. Runs under several: $REWIND_TEST_LANGUAGE says which.
#include "harness.h"

#include "rui-words.h"

#include "story.h"

#include <signal.h>

static const struct {
    const char *language, *number, *killed, *exited, *failed, *schedule, *window;
} words[] = {
    {"C", "1234567", "killed by SIGSEGV", "exited with 2", "failed, exited with 2", "schedule 7",
     "schedule 7 from step 5"},
    {"de", "1.234.567", "beendet durch SIGSEGV", "beendet mit 2", "fehlgeschlagen, beendet mit 2",
     "Ablaufplan 7", "Ablaufplan 7 ab Schritt 5"},
    {"fr", "1\u202f234\u202f567", "tué par SIGSEGV", "terminé avec 2", "échoué, terminé avec 2",
     "ordonnancement 7", "ordonnancement 7 à partir de l’étape 5"},
};

static guint get_language(void)
{
    const char *language = g_getenv("REWIND_TEST_LANGUAGE");
    for (guint i = 0; i < G_N_ELEMENTS(words); i++)
        if (!strcmp(words[i].language, language ? language : "C"))
            return i;
    g_error("no words for %s", language);
}

static void test_numbers(App *app, gconstpointer data)
{
    g_autofree char *number = rui_dup_number(1234567);
    g_autofree char *small = rui_dup_number(123);
    g_assert_cmpstr(number, ==, words[get_language()].number);
    g_assert_cmpstr(small, ==, "123");
}

// What any language shows can be typed.
static void test_typed(App *app, gconstpointer data)
{
    static const char *const good[] = {
        "1234567",   "1,234,567", "1.234.567",           "1 234 567",           "1'234'567",
        "12,34,567", " 1234567 ", "1\u2019234\u2019567", "1\u202f234\u202f567", "1\u00a0234\u00a0567"};
    static const char *const bad[] = {
        "", " ", ",", "1,", ",1", "1,,2", "-1", "+1", "0x10", "1e3", "99999999999999999999", "9.999.999"};
    guint64 value;
    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        g_assert_true(rui_parse_number(words[i].number, G_MAXUINT64, &value));
        g_assert_cmpuint(value, ==, 1234567);
    }
    for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
        g_assert_true(rui_parse_number(good[i], 1234567, &value));
        g_assert_cmpuint(value, ==, 1234567);
    }
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
        g_assert_false(rui_parse_number(bad[i], 1234567, &value));
}

static void test_go_to(App *app, gconstpointer data)
{
    g_autofree char *id = fixture_add_big_run(harness_get_home(), 1, 3000);
    g_autofree char *typed = rui_dup_number(2345);
    app_open(app, id);
    app_press(app, "g");
    AdwMessageDialog *dialog = harness_find_window(ADW_TYPE_MESSAGE_DIALOG);
    g_assert_nonnull(dialog);
    g_autofree char *last = rui_dup_number(rui_view_get_steps(rui_window_get_view(app->window)));
    g_assert_nonnull(strstr(adw_message_dialog_get_body(dialog), last));
    gtk_editable_set_text(GTK_EDITABLE(adw_message_dialog_get_extra_child(dialog)), typed);
    adw_message_dialog_response(dialog, "ok");
    app_wait_idle(app);
    g_assert_cmpuint(rui_view_get_step(rui_window_get_view(app->window)), ==, 2345);
    app_take_picture(app, GTK_WINDOW(app->window), "numbers");
}

static RwRunItem *find_run(App *app, const char *id)
{
    RwSession *session = rui_application_get_session(app->application);
    wait_for(rw_session_find(session, id));
    return rw_session_find(session, id);
}

static void test_endings(App *app, gconstpointer data)
{
    const RwEnd killed = {.kind = RW_END_POWEROFF, .job_exited = true, .job_status = 11};
    const RwEnd exited = {.kind = RW_END_POWEROFF, .job_exited = true, .job_status = 2 << 8};
    g_autofree char *how = rui_dup_end(&killed), *other = rui_dup_end(&exited);
    g_assert_cmpstr(how, ==, words[get_language()].killed);
    g_assert_cmpstr(other, ==, words[get_language()].exited);
    for (guint kind = RW_END_POWEROFF; kind < RW_N_ENDS; kind++) {
        g_autofree char *end = rui_dup_end(&(RwEnd){.kind = kind});
        g_assert_cmpstr(end, !=, "");
    }
    g_autofree char *id = fixture_add_run(harness_get_home(), "make", "story", 7);
    RwRunItem *item = find_run(app, id);
    g_autofree char *ending = rui_dup_ending(item), *schedule = rui_dup_schedule(item, NULL);
    g_assert_cmpstr(ending, ==, words[get_language()].failed);
    g_assert_cmpstr(schedule, ==, words[get_language()].schedule);
}

static void test_forks(App *app, gconstpointer data)
{
    g_autofree char *parent = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *id = fixture_add_fork(harness_get_home(), parent, 5, 7, 0);
    RwRunItem *item = find_run(app, id);
    g_autofree char *all = rui_dup_schedule(item, NULL), *own = rui_dup_fork(item, NULL);
    g_assert_cmpstr(all, ==, words[get_language()].window);
    g_assert_true(g_str_has_suffix(own, words[get_language()].schedule));
    // The window's title is in the same words.
    app_open(app, id);
    g_assert_nonnull(strstr(adw_window_title_get_subtitle(app->window->title), all));
}

// ---- Both sides of holds ----

static const struct {
    const char *lines, *brief, *taken, *late, *fault, *unknown, *ends;
} said[] = {
    {"held: thread 3 of ./bank before bank.c:57   balance = after;   (10th time, in pthread_mutex_lock, "
     "called by book)\n"
     "until: thread 2 of ./bank had passed work+0x1c of bank   (22nd time)",
     "thread 3 of ./bank held before bank.c:57 (10th time) until thread 2 of ./bank had passed work+0x1c "
     "of bank (22nd "
     "time)",
     "\nthen: thread 3 of ./bank took SIGALRM there", "thread 3 of ./bank was 51.2 ms late before ",
     "fault: thread 3 of ./bank at bank.c:57   balance = after;   (10th time, write() in "
     "pthread_mutex_lock, called by "
     "book)\nit gave 1 byte of 10",
     "held: task 1.1.2 before 0x401234   (10th time)\nuntil: nothing else could run",
     "until: thread 2 of ./bank had ended"},
    {"angehalten: Thread 3 von ./bank vor bank.c:57   balance = after;   (10. Mal, in pthread_mutex_lock, "
     "aufgerufen von "
     "book)\nbis: Thread 2 von ./bank hinter sich hatte: work+0x1c von bank   (22. Mal)",
     "Thread 3 von ./bank angehalten vor bank.c:57 (10. Mal), bis Thread 2 von ./bank hinter sich hatte: "
     "work+0x1c von "
     "bank (22. Mal)",
     "\ndann: Thread 3 von ./bank nahm dort SIGALRM", "Thread 3 von ./bank war 51,2 ms zu spät vor ",
     "Antwort: Thread 3 von ./bank bei bank.c:57   balance = after;   (10. Mal, write() in "
     "pthread_mutex_lock, aufgerufen "
     "von book)\nder Aufruf gab 1 Byte von 10",
     "angehalten: Aufgabe 1.1.2 vor 0x401234   (10. Mal)\nbis: nichts anderes laufen konnte",
     "bis: Thread 2 von ./bank zu Ende war"},
    {"retenu : thread 3 de ./bank avant bank.c:57   balance = after;   (10e fois, dans pthread_mutex_lock, "
     "appelé par "
     "book)\njusqu’à : thread 2 de ./bank avait dépassé work+0x1c de bank   (22e fois)",
     "thread 3 de ./bank retenu avant bank.c:57 (10e fois) jusqu’à : thread 2 de ./bank avait dépassé "
     "work+0x1c de bank "
     "(22e fois)",
     "\npuis : thread 3 de ./bank y a reçu SIGALRM", "thread 3 de ./bank avait 51,2 ms de retard avant ",
     "réponse : thread 3 de ./bank à bank.c:57   balance = after;   (10e fois, write() dans "
     "pthread_mutex_lock, appelé par "
     "book)\nl’appel a donné 1 octet sur 10",
     "retenu : tâche 1.1.2 avant 0x401234   (10e fois)\njusqu’à : rien d’autre ne pouvait s’exécuter",
     "jusqu’à : thread 2 de ./bank s’était terminé"},
};

// A thread of the bank at a line that calls a library's function.
static RwSymbol line_frames[] = {
    {.path = (char *)"/lib/libc.so.6", .function = (char *)"pthread_mutex_lock"},
    {.path = (char *)"/src/bank",
     .function = (char *)"work",
     .inlined = (char *)"book",
     .file = (char *)"/src/bank.c",
     .line = 57,
     .text = (char *)"balance =\tafter;"}};
static RwSymbol function_frames[] = {
    {.path = (char *)"/src/bank", .function = (char *)"work", .function_offset = 0x1c}};

static RwHoldAnswer make_answer(RwUntil until)
{
    RwTaskName one = {{1, 1, 2}}, other = {{1, 1, 1}};
    RwPlace place = {.task = one, .kind = RW_PLACE_AT, .number = 0x401234, .nth = 10};
    RwPlace passed = {.task = other, .kind = RW_PLACE_AFTER, .number = 0x401300, .nth = 22};
    return (RwHoldAnswer){.hold = {.place = place, .until = until, .passed = passed, .limit_ns = 51200000},
                          .step = 5,
                          .held = {.place = place, .thread = 3, .program = (char *)"/src/bank"},
                          .passed = {.place = passed, .thread = 2, .program = (char *)"./bank"}};
}

static char *say(RwHoldAnswer *answer, const RwExplained *explained, gboolean brief)
{
    g_autoptr(GPtrArray) answers = g_ptr_array_new(), known = g_ptr_array_new();
    RwSides sides = {answers, known};
    g_ptr_array_add(answers, answer);
    g_ptr_array_add(known, (gpointer)explained);
    g_autofree char *all = rui_dup_all_sides(&sides);
    char *one = rui_dup_sides(&sides, (RuiHeld){NULL, answer->is_fault, 0}, brief);
    if (!brief)
        g_assert_cmpstr(all, ==, one);
    g_assert_true(g_utf8_validate(one, -1, NULL));
    return one;
}

static void test_sides(App *app, gconstpointer data)
{
    RwExplained known = {.held = {.program = (char *)"./bank", .n = 2, .frames = line_frames, .caller = 1},
                         .passed = {.n = 1, .frames = function_frames}};
    RwHoldAnswer answer = make_answer(RW_UNTIL_PASSED);
    g_autofree char *lines = say(&answer, &known, FALSE), *brief = say(&answer, &known, TRUE);
    g_assert_cmpstr(lines, ==, said[get_language()].lines);
    g_assert_cmpstr(brief, ==, said[get_language()].brief);
    answer.held.took = SIGALRM;
    g_autofree char *taken = say(&answer, &known, FALSE);
    g_assert_true(g_str_has_suffix(taken, said[get_language()].taken));
    answer = make_answer(RW_UNTIL_TIME);
    g_autofree char *late = say(&answer, &known, FALSE);
    g_assert_true(g_str_has_prefix(late, said[get_language()].late));
    answer.is_fault = true;
    answer.fault = (RwFault){.kind = RW_FAULT_SHORT, .amount = 1};
    answer.length = 10;
    answer.held.place.kind = RW_PLACE_CALL;
    answer.held.place.number = 1; // write(2)
    g_autofree char *fault = say(&answer, &known, FALSE);
    g_assert_cmpstr(fault, ==, said[get_language()].fault);
    answer = make_answer(RW_UNTIL_PASSED);
    answer.passed.place.kind = RW_PLACE_END;
    g_autofree char *ends = say(&answer, &known, FALSE);
    g_assert_true(g_str_has_suffix(ends, said[get_language()].ends));
}

// Nothing is known but the place; a program's name is any bytes.
static void test_sides_unknown(App *app, gconstpointer data)
{
    RwExplained nothing = {0};
    RwHoldAnswer answer = make_answer(RW_UNTIL_IDLE);
    answer.held.program = NULL;
    g_autofree char *lines = say(&answer, &nothing, FALSE);
    g_assert_cmpstr(lines, ==, said[get_language()].unknown);
    answer.held.program = (char *)"\x1b[31m\xff\n";
    g_autofree char *odd = say(&answer, &nothing, TRUE);
    g_assert_null(strpbrk(odd, "\x1b\n"));
    // Of a hold that did not begin there is the schedule's text, as while nothing is known.
    RwSchedule schedule = {.n_holds = 1, .holds = {answer.hold}};
    g_autofree char *before = rui_dup_sides(NULL, (RuiHeld){&schedule, FALSE, 0}, FALSE);
    g_autofree char *today = rui_dup_hold(&answer.hold);
    g_assert_cmpstr(before, ==, today);
}

// A trace that tells of holds and faults which its run does not have.
static void test_sides_made_up(App *app, gconstpointer data)
{
    g_autofree char *id = fixture_add_run(harness_get_home(), "make", "story", 7);
    RwPerturb perturb = {
        .kinds = RW_PERTURB_ALL, .hold = G_MAXUINT32, .release = 1, .fault = RW_FAULTS_MAX + 1};
    app_open(app, id);
    g_autofree char *text =
        rui_dup_perturbation(rui_view_get_run(rui_window_get_view(app->window)), &perturb);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, RW_N_PERTURBS);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/words/numbers", test_numbers},
        {"/words/typed", test_typed},
        {"/words/go-to", test_go_to},
        {"/words/endings", test_endings},
        {"/words/forks", test_forks},
        {"/words/sides", test_sides},
        {"/words/sides-unknown", test_sides_unknown},
        {"/words/sides-made-up", test_sides_made_up},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
