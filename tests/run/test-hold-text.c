// SPDX-License-Identifier: MIT
//
// Holds as text: one form, read back as it was, and nothing else.
#include "rw-inputs.h"

static void check_same(const char *text)
{
    g_autoptr(GError) error = NULL;
    RwHold hold, again;
    g_assert_true(rw_hold_parse(text, &hold, &error));
    g_assert_no_error(error);
    g_autofree char *said = rw_hold_dup_text(&hold);
    g_assert_cmpstr(said, ==, text);
    g_assert_true(rw_hold_parse(said, &again, &error));
    g_assert_true(rw_hold_equal(&hold, &again));
}

static void test_same(void)
{
    check_same("1:start until idle for 10s");
    check_same(
        "1.2.65535:call openat#3+5 until 1.3:after 0x401234 next for 100ms then next from 700 before 900");
    check_same("1.2:return 999#2 until 1.1:end for 1ns");
    check_same("1.2:unseen 0x401234#7+2 until 1.3:after 0x401234 for 10s then next");
    check_same("1.2:within 0x401234#7 until 1.3:after 0x401234 for 10s then next");
    check_same("1.2:at 0xffffffffffffffff#4294967295+4294967295 until 80us");
    check_same("1.1.1.1.1.1.1.1.1.1.1.1:start until 3600s");
    check_same("1:call read until 1.1:at 0x0 for 1500ms");
    check_same("1.1:start until idle for 20ms then again");
    check_same("others:start until idle for 20ms from 7 before 9");
    check_same("1.1:at 0x401234#3 until idle for 20ms then again from 7 before 9");
}

static void test_defaults(void)
{
    RwHold hold;
    g_assert_true(rw_hold_parse("1.1:call write until 1.2:return read", &hold, NULL));
    g_assert_cmpuint(hold.limit_ns, ==, RW_HOLD_NS_DEFAULT);
    g_assert_cmpuint(hold.place.nth, ==, 1);
    g_assert_cmpuint(hold.from, ==, 0);
    g_assert_cmpuint(hold.before, ==, UINT64_MAX);
    g_assert_false(hold.next);
}

// Again and again is only until nothing else can run, in its turn.
static void test_refused(void)
{
    static const char *const texts[] = {"1:start until 5ms then again",
                                        "1:start until 1.1:end then again",
                                        "1:start until idle then next then again",
                                        "1:start until idle then again then next",
                                        "others:start until 5ms",
                                        "others:start until 1.1:end",
                                        "others:call read until idle",
                                        "others:start until idle then again",
                                        "1.1:start until others:start"};
    RwHold hold;
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        g_assert_false(rw_hold_parse(texts[i], &hold, NULL));
}

// Every text that is cut, and every byte that is another, is refused or is another hold.
static void test_damage(void)
{
    static const char text[] =
        "1.2:call openat#3+5 until 1.3:after 0x401234#7 for 100ms then next from 700 before 900";
    RwHold hold;
    for (gsize length = 0; length < sizeof text - 1; length++) {
        g_autofree char *cut = g_strndup(text, length);
        if (!rw_hold_parse(cut, &hold, NULL))
            continue;
        g_assert_true(rw_hold_is_valid(&hold));
    }
    for (gsize i = 0; i < sizeof text - 1; i++)
        for (guint byte = 1; byte < 256; byte++) {
            g_autofree char *other = g_strdup(text);
            other[i] = (char)byte;
            if (rw_hold_parse(other, &hold, NULL))
                g_assert_true(rw_hold_is_valid(&hold));
        }
}

// In inputs, and so in the id.
static void test_inputs(void)
{
    g_autoptr(RwInputs) inputs = rw_inputs_new();
    char plain[RW_RUN_ID_SIZE], held[RW_RUN_ID_SIZE];
    RwHold hold;
    inputs->argv = g_strsplit("true", " ", -1);
    rw_inputs_id(inputs, plain);
    g_assert_true(rw_hold_parse("1.1:start until idle", &hold, NULL));
    for (guint i = 0; i < RW_HOLDS_MAX; i++)
        g_assert_true(rw_schedule_add_hold(&inputs->schedule, &hold));
    g_assert_false(rw_schedule_add_hold(&inputs->schedule, &hold));
    rw_inputs_id(inputs, held);
    g_assert_cmpstr(plain, !=, held);
    g_autoptr(JsonObject) object = json_object_new();
    RwSchedule again;
    rw_schedule_to_json(&inputs->schedule, object);
    g_assert_true(rw_schedule_from_json(object, &again));
    g_assert_true(rw_schedule_equal(&again, &inputs->schedule));
    rw_schedule_cut(&again, 5);
    g_assert_cmpuint(again.n_holds, ==, RW_HOLDS_MAX);
    g_assert_cmpuint(again.holds[0].before, ==, 5);
    g_assert_cmpuint(rw_schedule_parts_at(&again, &inputs->schedule), ==, 5);
    rw_schedule_cut(&again, 0);
    g_assert_cmpuint(again.n_holds, ==, 0);
    json_object_set_array_member(object, "holds", json_array_new());
    g_assert_false(rw_schedule_from_json(object, &again)); // of none there is no list
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/hold/same", test_same);
    g_test_add_func("/hold/defaults", test_defaults);
    g_test_add_func("/hold/refused", test_refused);
    g_test_add_func("/hold/damage", test_damage);
    g_test_add_func("/hold/inputs", test_inputs);
    return g_test_run();
}
