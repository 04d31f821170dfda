// SPDX-License-Identifier: MIT
//
// usage: test-walk RUN
//
// A debugger's commands in any order, forwards and backwards: wherever they lead the machine is the one
// that comes there by itself, and what steps forward is back after a step backward.
#include "fixture.h"
#include "world-private.h"

static const char *run_name;

static RwGdb *open_gdb(Fixture *f, RwPosition position)
{
    g_autoptr(GError) error = NULL;
    RwGdbConfig config = {.seek = &f->again.seek, .trace = f->trace, .position = position};
    RwGdb *g = rw_gdb_new(&config, &error);
    g_assert_no_error(error);
    return g;
}

static const char *ask(RwGdb *g, const char *packet)
{
    gdb_session_take(g->session, (const uint8_t *)packet, strlen(packet));
    return g->session->reply->str;
}

// An address of what the process executes or has on its stack there.
static void set_point(RwGdb *g, GRand *rand, char how)
{
    GdbRegisters r;
    gdb_world_registers(g, g->tid, &r);
    int kind = g_rand_int_range(rand, 0, 5);
    uint64_t at = kind < 2 ? r.rip : r.gpr[4] - (uint64_t)g_rand_int_range(rand, -64, 64) * 8;
    g_autofree char *packet = g_strdup_printf("%c%d,%" G_GINT64_MODIFIER "x,8", how, kind, at);
    g_assert_cmpstr(ask(g, packet), ==, "OK");
}

static void clear_points(RwGdb *g)
{
    g_array_set_size(g->session->points, 0);
}

static void do_something(RwGdb *g, GRand *rand)
{
    static const char *const packets[] = {"s", "bs", "s", "bs", "vCont;c", "bc", "?"};
    int what = g_rand_int_range(rand, 0, (int)G_N_ELEMENTS(packets) + 2);
    if (what < (int)G_N_ELEMENTS(packets)) {
        const char *reply = ask(g, packets[what]);
        g_assert_true(g_str_has_prefix(reply, "T"));
    } else if (what == (int)G_N_ELEMENTS(packets)) {
        set_point(g, rand, 'Z');
    } else if (g_rand_int_range(rand, 0, 3) == 0) {
        clear_points(g);
    }
}

static void check_here(Fixture *f, RwGdb *g, bool seek)
{
    RwPosition position = rw_timeline_get_position(rw_gdb_get_timeline(g));
    g_autofree char *text = rw_position_dup_text(&position);
    if (rw_machine_hash(rw_timeline_get_machine(g->timeline), true) != fixture_hash(f, &position, seek))
        g_error("at %s it is another machine", text);
}

static void test_commands(void)
{
    Fixture f;
    fixture_open(&f, run_name, 0);
    RwGdb *g = open_gdb(&f, (RwPosition){UINT64_MAX - 1, 0});
    for (int i = 0; i < 200; i++) {
        do_something(g, f.rand);
        check_here(&f, g, i % 25 == 0);
    }
    rw_gdb_free(g);
    fixture_close(&f);
}

// ---- There and back ----

#define STEPS 60
#define PLACES 4

typedef struct {
    uint64_t rip, sp, rax;
} Here;

static Here here(RwGdb *g, uint32_t tid)
{
    GdbRegisters r;
    gdb_world_registers(g, tid, &r);
    g_assert_true(r.known);
    return (Here){r.rip, r.gpr[4], r.gpr[0]};
}

static void check_there_and_back(RwGdb *g)
{
    static Here there[STEPS];
    uint32_t tid = g->tid;
    int n = 0;
    for (; n < STEPS && !strstr(ask(g, "s"), "replaylog"); n++)
        there[n] = here(g, tid);
    g_assert_cmpint(n, >, 1);
    for (n--; n-- > 0;) {
        g_assert_null(strstr(ask(g, "bs"), "replaylog"));
        Here now = here(g, tid);
        g_assert_cmpmem(&now, sizeof now, &there[n], sizeof now);
    }
}

// Signals of the program stop it on the way back, too.
static void go_to_start(RwGdb *g)
{
    const char *reply = ask(g, "bc");
    for (int signals = 0; signals < 100 && !strstr(reply, "replaylog:begin"); signals++) {
        if (!g_str_has_prefix(reply, "T"))
            g_error("on the way back: %s", reply);
        reply = ask(g, "bc");
    }
    g_assert_nonnull(strstr(reply, "replaylog:begin"));
}

// Single steps of one thread, over system calls and everything that others do meanwhile.
static void test_there_and_back(void)
{
    Fixture f;
    fixture_open(&f, run_name, 0);
    RwGdb *g = open_gdb(&f, (RwPosition){UINT64_MAX - 1, 0});
    go_to_start(g);
    check_there_and_back(g);
    go_to_start(g);
    g_assert_nonnull(strstr(ask(g, "bs"), "replaylog:begin"));
    RwPosition first = rw_timeline_get_position(g->timeline), last = rw_timeline_get_end(g->timeline);
    rw_gdb_free(g);
    for (uint64_t i = 1; i <= PLACES; i++) {
        RwPosition place = {first.step + (last.step - first.step) * i / (PLACES + 1), 0};
        g = open_gdb(&f, place);
        check_there_and_back(g);
        rw_gdb_free(g);
    }
    fixture_close(&f);
}

// ---- Off the run ----

static void write_same(RwGdb *g)
{
    uint8_t bytes[8];
    GdbRegisters r;
    g_autoptr(GString) packet = g_string_new(NULL);
    gdb_world_registers(g, g->tid, &r);
    g_assert_cmpuint(gdb_world_read(g, r.gpr[4], bytes, sizeof bytes), ==, sizeof bytes);
    g_string_printf(packet, "M%" G_GINT64_MODIFIER "x,8:", r.gpr[4]);
    gdb_put_hex(packet, bytes, sizeof bytes);
    g_assert_cmpstr(ask(g, packet->str), ==, "OK");
    g_string_printf(packet, "P3=");
    gdb_put_hex(packet, &r.gpr[2], 8);
    g_assert_cmpstr(ask(g, packet->str), ==, "OK");
}

// Where nothing became another value everything goes on as it was recorded, both ways.
static void test_left(void)
{
    Fixture f;
    fixture_open(&f, run_name, 0);
    RwGdb *g = open_gdb(&f, (RwPosition){UINT64_MAX - 1, 0});
    ask(g, "bc");
    for (int i = 0; i < 3; i++)
        ask(g, "vCont;c");
    ask(g, "bc");
    RwPosition left = rw_timeline_get_position(g->timeline);
    write_same(g);
    g_assert_true(gdb_has_left(g));
    check_here(&f, g, false);
    for (int i = 0; i < 100; i++) {
        do_something(g, f.rand);
        check_here(&f, g, false);
    }
    ask(g, "qRcmd,6261636b"); // back
    g_assert_false(gdb_has_left(g));
    RwPosition back = rw_timeline_get_position(g->timeline);
    g_assert_cmpint(rw_position_compare(&left, &back), ==, 0);
    check_here(&f, g, true);
    rw_gdb_free(g);
    fixture_close(&f);
}

static bool always(void *data)
{
    return true;
}

// A register, or memory, becomes anything.
static void change_something(RwGdb *g, GRand *rand)
{
    GdbRegisters r;
    g_autofree char *packet = NULL;
    uint64_t value = (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
    unsigned number = (unsigned)g_rand_int_range(rand, 0, 18), small = value & 0xff;
    gdb_world_registers(g, g->tid, &r);
    switch (g_rand_int_range(rand, 0, 4)) {
    case 0:
        packet = g_strdup_printf("P%x=%016" G_GINT64_MODIFIER "x", number, value);
        break;
    case 1:
        packet = g_strdup_printf("P%x=%02x00000000000000", number, small);
        break;
    case 2:
        packet = g_strdup_printf("M%" G_GINT64_MODIFIER "x,1:%02x", r.gpr[4] + small * 8, small);
        break;
    default:
        packet =
            g_strdup_printf("M%" G_GINT64_MODIFIER "x,1:%02x", number < 9 ? r.rip + small : value, small);
    }
    const char *reply = ask(g, packet);
    g_assert_true(*reply == 'O' || *reply == 'E');
}

// Whatever becomes of the process: the debugger goes on, and the way back leads to what was recorded.
static void test_wild(void)
{
    Fixture f;
    fixture_open(&f, run_name, 0);
    RwGdb *g = open_gdb(&f, (RwPosition){UINT64_MAX - 1, 0});
    g->session->interrupted = always;
    for (int i = 0; i < 12; i++) {
        ask(g, "bc");
        for (int n = 0; n < 10; n++) {
            if (n % 3 == 0)
                change_something(g, f.rand);
            do_something(g, f.rand);
        }
        clear_points(g);
        ask(g, "qRcmd,6261636b"); // back
        g_assert_false(gdb_has_left(g));
        check_here(&f, g, false);
    }
    rw_gdb_free(g);
    fixture_close(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (argc < 2)
        return 2;
    run_name = argv[1];
    g_test_add_func("/gdb/commands", test_commands);
    g_test_add_func("/gdb/there-and-back", test_there_and_back);
    g_test_add_func("/gdb/left", test_left);
    g_test_add_func("/gdb/wild", test_wild);
    return g_test_run();
}
