// SPDX-License-Identifier: MIT
//
// Conditions of breakpoints: what each instruction of them computes, and what can't be computed.
#include "made-world.h"

static MadeWorld made; // its registers have their numbers as values, its memory the low byte of its address

static GBytes *parse(const char *text)
{
    GByteArray *out = g_byte_array_new();
    while (*text) {
        if (g_ascii_isspace(*text)) {
            text++;
            continue;
        }
        rw_put_u8(out, (uint8_t)(gdb_hex_digit(text[0]) * 16 + gdb_hex_digit(text[1])));
        text += 2;
    }
    return g_byte_array_free_to_bytes(out);
}

static bool holds(const char *const *codes)
{
    g_autoptr(GPtrArray) conditions = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    for (; *codes; codes++)
        g_ptr_array_add(conditions, parse(*codes));
    GdbPoint point = {.conditions = conditions};
    GdbStand stand = {&made.registers[0], made_world_read, &made};
    return gdb_point_holds(&point, &stand);
}

// The code's value is that, and no other: an equality holds, its negation does not.
static void check(const char *code, uint64_t value)
{
    g_autofree char *is = g_strdup_printf("%s 25 %016" G_GINT64_MODIFIER "x 13 27", code, value);
    g_autofree char *is_not = g_strdup_printf("%s 25 %016" G_GINT64_MODIFIER "x 13 0e 27", code, value);
    if (!holds((const char *[]){is, NULL}) || holds((const char *[]){is_not, NULL}))
        g_error("%s is not %" G_GINT64_MODIFIER "x", code, value);
}

// No value: the debugger is to tell, whatever would be done with one.
static void fails(const char *code)
{
    g_autofree char *none = g_strdup_printf("%s 29 22 00 27", code);
    if (!holds((const char *[]){none, NULL}))
        g_error("%s has a value", code);
}

static void test_numbers(void)
{
    check("22 80", 0x80);
    check("23 8001", 0x8001);
    check("24 80010203", 0x80010203);
    check("25 8001020304050607", 0x8001020304050607);
    check("22 80 16 08", 0xffffffffffffff80);
    check("22 7f 16 08", 0x7f);
    check("23 1f80 2a 08", 0x80);
    check("22 03 16 02", UINT64_MAX);
    check("25 8001020304050607 16 40", 0x8001020304050607);
    check("25 8001020304050607 2a ff", 0x8001020304050607);
    fails("22 01 16 00");
    fails("22 01 2a 00");
}

static void test_computing(void)
{
    check("22 07 22 05 02", 12);
    check("22 05 22 07 03", (uint64_t)-2);
    check("22 05 22 07 04", 35);
    check("22 f9 16 08 22 02 05", (uint64_t)-3);
    check("22 f9 16 08 22 02 07", (uint64_t)-1);
    check("22 f9 22 02 06", 124);
    check("22 f9 22 02 08", 1);
    check("22 01 22 3f 09", 1ull << 63);
    check("22 01 22 3f 09 22 3f 0a", UINT64_MAX);
    check("22 01 22 3f 09 22 3f 0b", 1);
    check("22 0c 22 0a 0f", 8);
    check("22 0c 22 0a 10", 14);
    check("22 0c 22 0a 11", 6);
    check("22 0c 12", ~12ull);
    check("22 0c 0e", 0);
    check("22 00 0e", 1);
    check("22 ff 16 08 22 01 14", 1);
    check("22 ff 16 08 22 01 15", 0);
    check("22 01 22 01 14", 0);
    fails("22 01 22 00 05");
    fails("22 01 22 00 06");
    fails("22 01 22 00 07");
    fails("22 01 22 00 08");
    fails("22 01 22 3f 09 22 ff 16 08 05"); // of the least number by -1
    fails("22 01 22 3f 09 22 ff 16 08 07");
    fails("22 01 22 40 09");
}

static void test_stack(void)
{
    check("22 01 22 02 2b 03", 1); // 2 - 1
    check("22 03 28 04", 9);
    check("22 01 22 02 29", 1);
    check("22 01 22 02 22 03 32 02", 1);
    check("22 01 22 02 32 00", 2);
    check("22 01 22 02 22 03 33", 2); // 3 1 2
    check("22 01 22 02 22 03 33 29", 1);
    check("22 01 22 02 22 03 33 29 29", 3);
    fails("29");
    fails("22 01 02");
    fails("22 01 32 01");
    fails("22 01 22 02 33");
}

static void test_jumps(void)
{
    check("22 05 21 0007 22 06", 5);
    check("22 00 20 000a 22 07 21 000c 22 09", 7);
    check("22 01 20 000a 22 07 21 000c 22 09", 9);
    check("22 64 22 01 03 28 20 0002", 0); // from 100 down
    fails("21 ffff");
    fails("22 00 20 ffff");
    fails("20 0000");
    fails("21 00");
    fails("21 0000"); // for ever
    fails("22 00 21 0000"); // likewise, until the stack is full
}

static void test_places(void)
{
    check("26 0001", 3); // rbx is the fourth of the CPU's
    check("26 0010", 0x1100);
    check("26 0038", 0); // mxcsr
    check("26 003b", 0);
    fails("26 0018"); // more than an integer
    fails("26 0028");
    fails("26 003c");
    fails("26 ffff");
    fails("26 00");
    check("23 1010 17", 0x10);
    check("23 1010 18", 0x1110);
    check("23 1010 19", 0x13121110);
    check("23 1010 1a", 0x1716151413121110);
    check("23 1fff 17", 0xff);
    fails("23 1fff 18");
    fails("22 00 17");
    fails("22 00 12 1a");
    fails("17");
    made.registers[0].fpu_known = false;
    fails("26 0038");
    made.registers[0].fpu_known = true;
}

static void test_limits(void)
{
    static const unsigned none[] = {0x00, 0x01, 0x0c, 0x0d, 0x1b, 0x1e, 0x2c, 0x2d, 0x2e, 0x31, 0x34, 0xff};
    for (size_t i = 0; i < G_N_ELEMENTS(none); i++) {
        g_autofree char *code = g_strdup_printf("22 01 22 01 %02x", none[i]);
        fails(code);
    }
    g_autoptr(GString) code = g_string_new("");
    for (unsigned i = 0; i < 64; i++)
        g_string_append(code, "22 01");
    g_autofree char *full = g_strdup_printf("%s 29 29 28", code->str),
                    *over = g_strdup_printf("%s 28", code->str);
    check(full, 1);
    fails(over);
    for (unsigned i = 0; i < 2048; i++)
        g_string_append(code, "28 29");
    fails(code->str);
    const char *const cut[] = {"", "22", "25 00", "16", "2a", "32", "22 00", "27"};
    for (size_t i = 0; i < G_N_ELEMENTS(cut); i++)
        g_assert_true(holds((const char *[]){cut[i], NULL}));
}

static void test_several(void)
{
    static const char no[] = "22 00 27", yes[] = "22 02 27", wrong[] = "29";
    g_assert_true(holds((const char *[]){NULL}));
    g_assert_false(holds((const char *[]){no, NULL}));
    g_assert_false(holds((const char *[]){no, no, NULL}));
    g_assert_true(holds((const char *[]){no, yes, NULL}));
    g_assert_true(holds((const char *[]){no, wrong, no, NULL}));
    g_assert_true(gdb_point_holds(&(GdbPoint){0}, NULL));
}

// ---- Of packets ----

static void ask(GdbSession *s, const char *packet, const char *reply)
{
    gdb_session_take(s, (const uint8_t *)packet, strlen(packet));
    g_assert_cmpstr(s->reply->str, ==, reply);
}

static void test_packets(void)
{
    GdbWorld world;
    MadeWorld other;
    made_world_init(&other, &world);
    g_autoptr(GdbSession) s = gdb_session_new(&world, MADE_PID);
    ask(s, "Z0,1180,1;X3,220027", "OK");
    ask(s, "Z0,1190,1;X3,220027X3,220027", "OK");
    ask(s, "Z1,11a0,1;X3,220027;X3,220127", "OK");
    ask(s, "c", "T05thread:28;");
    ask(s, "p10", "a011000000000000");
    ask(s, "bs", "T05thread:28;");
    ask(s, "bc", "T05thread:28;"); // they counted once
    ask(s, "p10", "9011000000000000");
    ask(s, "Z0,1180,1;X3,220027", "OK");
    ask(s, "Z0,11a0,1", "OK");
    ask(s, "c", "T05thread:28;");
    ask(s, "p10", "a011000000000000");
    ask(s, "z0,11a0,1", "OK");
    ask(s, "Z0,1180,1;X3,220027", "OK");
    ask(s, "Z0,1190,1;X3,220127", "OK"); // another one in its place
    g_assert_cmpuint(s->points->len, ==, 3);
    ask(s, "bc", "T05thread:28;");
    ask(s, "p10", "9011000000000000");
    ask(s, "Z0,1180,1", "OK");
    ask(s, "bc", "T05thread:28;");
    ask(s, "p10", "8011000000000000");
    ask(s, "z0,1180,1", "OK");
    ask(s, "z0,1190,1", "OK");
    ask(s, "z1,11a0,1", "OK");
    g_assert_cmpuint(s->points->len, ==, 0);
    static const char *const wrong[] = {
        "Z0,1180,1;X",
        "Z0,1180,1;X3",
        "Z0,1180,1;X3,",
        "Z0,1180,1;X3,2200",
        "Z0,1180,1;X3,2200g7",
        "Z0,1180,1;X3,22002",
        "Z0,1180,1;Y3,220027",
        "Z0,1180,1;X3,220027cmds:0",
        "Z0,1180,1;Xffffffffffffffff,22",
        "Z0,1180,1;X8000000000000001,220027",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
        ask(s, wrong[i], "E16");
    g_assert_cmpuint(s->points->len, ==, 0);
    ask(s, "Z0,1180,1;", "OK");
    ask(s, "Z0,1180,1;X0,", "OK");
}

int main(int argc, char **argv)
{
    GdbWorld world;
    g_test_init(&argc, &argv, NULL);
    made_world_init(&made, &world);
    g_test_add_func("/condition/numbers", test_numbers);
    g_test_add_func("/condition/computing", test_computing);
    g_test_add_func("/condition/stack", test_stack);
    g_test_add_func("/condition/jumps", test_jumps);
    g_test_add_func("/condition/places", test_places);
    g_test_add_func("/condition/limits", test_limits);
    g_test_add_func("/condition/several", test_several);
    g_test_add_func("/condition/packets", test_packets);
    return g_test_run();
}
