// SPDX-License-Identifier: MIT
//
// Faults as text: one form, read back as it was, and nothing else.
#include "rw-inputs.h"

static void check_same(const char *text)
{
    g_autoptr(GError) error = NULL;
    RwFault fault, again;
    g_assert_true(rw_fault_parse(text, &fault, &error));
    g_assert_no_error(error);
    g_autofree char *said = rw_fault_dup_text(&fault);
    g_assert_cmpstr(said, ==, text);
    g_assert_true(rw_fault_parse(said, &again, &error));
    g_assert_true(rw_fault_equal(&fault, &again));
}

static void test_same(void)
{
    check_same("1:call read short 1");
    check_same("1.2.65535:call recvfrom#4294967295 short 4294967295 from 700 before 900");
    check_same("1.2:call futex#3 wake");
    check_same("1.1:call clone error EAGAIN before 5");
    check_same("1.1:call 999#2 error EHWPOISON");
    check_same("1:call getdents64 reversed from 18446744073709551614");
}

static void test_refused(void)
{
    static const char *const texts[] = {
        "",
        "1:call read",
        "1:call read short",
        "1:call read short 0",
        "1:call read short 4294967296",
        "1:call read short -1",
        "1:call read short 1 ",
        "1:call read+1 short 1",
        "1:call read#0 short 1",
        "1:return read short 1",
        "1:start short 1",
        "1:call pread64 short 1", // no stream
        "1:call readv short 1", // another argument
        "1:call write wake",
        "1:call futex wake 1",
        "1:call read reversed",
        "1:call read error",
        "1:call read error 0",
        "1:call read error 134",
        "1:call read error EAGAI",
        "1:call exit_group error EIO",
        "1:call rt_sigreturn error EIO",
        "1:call read error EIO from 5 before 5",
        "1:call read error EIO before 0",
        "0:call read short 1",
        "1.:call read short 1",
    };
    for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GError) error = NULL;
        RwFault fault;
        g_assert_false(rw_fault_parse(texts[i], &fault, &error));
        g_assert_error(error, RW_ERROR, RW_ERROR_USAGE);
    }
}

// Every text that is cut, and every byte that is another, is refused or is another fault.
static void test_damage(void)
{
    static const char text[] = "1.2:call sendto#3 error ENOSPC from 700 before 900";
    RwFault fault;
    for (gsize length = 0; length < sizeof text - 1; length++) {
        g_autofree char *cut = g_strndup(text, length);
        if (rw_fault_parse(cut, &fault, NULL))
            g_assert_true(rw_fault_is_valid(&fault));
    }
    for (gsize i = 0; i < sizeof text - 1; i++)
        for (guint byte = 1; byte < 256; byte++) {
            g_autofree char *other = g_strdup(text);
            other[i] = (char)byte;
            if (rw_fault_parse(other, &fault, NULL))
                g_assert_true(rw_fault_is_valid(&fault));
        }
}

// In inputs, and so in the id; in options.
static void test_inputs(void)
{
    g_autoptr(RwInputs) inputs = rw_inputs_new();
    char plain[RW_RUN_ID_SIZE], struck[RW_RUN_ID_SIZE], held[RW_RUN_ID_SIZE];
    RwFault fault;
    inputs->argv = g_strsplit("true", " ", -1);
    rw_inputs_id(inputs, plain);
    g_assert_true(rw_fault_parse("1.1:call read short 7", &fault, NULL));
    for (guint i = 0; i < RW_FAULTS_MAX; i++)
        g_assert_true(rw_schedule_add_fault(&inputs->schedule, &fault));
    g_assert_false(rw_schedule_add_fault(&inputs->schedule, &fault));
    rw_inputs_id(inputs, struck);
    g_assert_cmpstr(plain, !=, struck);
    inputs->schedule.faults[3].amount++;
    rw_inputs_id(inputs, held);
    g_assert_cmpstr(struck, !=, held);
    g_autoptr(JsonObject) object = json_object_new();
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    RwSchedule again;
    rw_schedule_add_options(&inputs->schedule, words);
    g_assert_cmpuint(words->len, ==, 2 * RW_FAULTS_MAX);
    g_assert_cmpstr(words->pdata[7], ==, "1.1:call read short 8");
    rw_schedule_to_json(&inputs->schedule, object);
    g_assert_true(rw_schedule_from_json(object, &again));
    g_assert_true(rw_schedule_equal(&again, &inputs->schedule));
    again.faults[RW_FAULTS_MAX - 1].amount++;
    g_assert_false(rw_schedule_equal(&again, &inputs->schedule));
    g_assert_cmpuint(rw_schedule_parts_at(&again, &inputs->schedule), ==, 1);
    again = inputs->schedule;
    rw_schedule_cut(&again, 5);
    g_assert_cmpuint(again.n_faults, ==, RW_FAULTS_MAX);
    g_assert_cmpuint(again.faults[0].before, ==, 5);
    g_assert_cmpuint(rw_schedule_parts_at(&again, &inputs->schedule), ==, 5);
    rw_schedule_cut(&again, 0);
    g_assert_cmpuint(again.n_faults, ==, 0);
}

static void check_refused(const char *faults)
{
    g_autofree char *text = g_strdup_printf("{\"windows\": [], \"reseeds\": [], \"faults\": %s}", faults);
    g_autoptr(JsonNode) node = json_from_string(text, NULL);
    RwSchedule schedule;
    g_assert_nonnull(node);
    g_assert_false(rw_schedule_from_json(json_node_get_object(node), &schedule));
}

static void test_hostile(void)
{
    GString *many = g_string_new("[\"1:call read short 1\"");
    for (guint i = 0; i < RW_FAULTS_MAX; i++)
        g_string_append(many, ", \"1:call read short 1\"");
    g_string_append_c(many, ']');
    check_refused("[]"); // of none there is no list
    check_refused("{}");
    check_refused("1");
    check_refused("[1]");
    check_refused("[null]");
    check_refused("[\"1:call read\"]");
    check_refused("[\"1:call read short 1 from 9\", \"1:call read short 1 from 8\"]");
    check_refused(many->str);
    g_string_free(many, true);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fault/same", test_same);
    g_test_add_func("/fault/refused", test_refused);
    g_test_add_func("/fault/damage", test_damage);
    g_test_add_func("/fault/inputs", test_inputs);
    g_test_add_func("/fault/hostile", test_hostile);
    return g_test_run();
}
