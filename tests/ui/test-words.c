// SPDX-License-Identifier: MIT
//
// Numbers and words in the user's language. Runs under several: $REWIND_TEST_LANGUAGE says which.
#include "harness.h"

#include "rui-words.h"

#include "story.h"

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
    g_autofree char *ending = rui_dup_ending(item), *schedule = rui_dup_schedule(item);
    g_assert_cmpstr(ending, ==, words[get_language()].failed);
    g_assert_cmpstr(schedule, ==, words[get_language()].schedule);
}

static void test_forks(App *app, gconstpointer data)
{
    g_autofree char *parent = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *id = fixture_add_fork(harness_get_home(), parent, 5, 7, 0);
    RwRunItem *item = find_run(app, id);
    g_autofree char *all = rui_dup_schedule(item), *own = rui_dup_fork(item);
    g_assert_cmpstr(all, ==, words[get_language()].window);
    g_assert_true(g_str_has_suffix(own, words[get_language()].schedule));
    // The window's title is in the same words.
    app_open(app, id);
    g_assert_nonnull(strstr(adw_window_title_get_subtitle(app->window->title), all));
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/words/numbers", test_numbers}, {"/words/typed", test_typed}, {"/words/go-to", test_go_to},
        {"/words/endings", test_endings}, {"/words/forks", test_forks},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
