// SPDX-License-Identifier: MIT
//
// Packets and replies, on a process that is made up; then the same over a socket.
#include "made-world.h"
#include "world-private.h"

#include <elf.h>
#include <sys/socket.h>
#include <unistd.h>

static MadeWorld made;

static GdbSession *new_session(void)
{
    GdbWorld world;
    made_world_init(&made, &world);
    return gdb_session_new(&world, MADE_PID);
}

static const char *ask(GdbSession *s, const char *packet)
{
    gdb_session_take(s, (const uint8_t *)packet, strlen(packet));
    return s->reply->str;
}

static void check(GdbSession *s, const char *packet, const char *reply)
{
    g_assert_cmpstr(ask(s, packet), ==, reply);
}

static void test_frames(void)
{
    g_autoptr(GByteArray) out = g_byte_array_new(), payload = g_byte_array_new();
    size_t used;
    gdb_packet_frame(out, "OK", 2);
    g_assert_cmpmem(out->data, out->len, "$OK#9a", 6);
    for (size_t n = 0; n < 6; n++)
        g_assert_cmpint(gdb_packet_parse(out->data, n, &used, payload), ==, GDB_NOTHING);
    g_assert_cmpint(gdb_packet_parse(out->data, 6, &used, payload), ==, GDB_PACKET);
    g_assert_cmpuint(used, ==, 6);
    g_assert_cmpmem(payload->data, payload->len, "OK", 2);
    out->data[5] = 'b';
    g_assert_cmpint(gdb_packet_parse(out->data, 6, &used, payload), ==, GDB_DAMAGED);
    g_assert_cmpint(gdb_packet_parse((const uint8_t *)"$#00", 4, &used, payload), ==, GDB_PACKET);
    g_assert_cmpuint(payload->len, ==, 0);
    g_assert_cmpint(gdb_packet_parse((const uint8_t *)"\x03", 1, &used, payload), ==, GDB_INTERRUPT);
    g_assert_cmpint(gdb_packet_parse((const uint8_t *)"+$", 2, &used, payload), ==, GDB_ACK);
    g_assert_cmpuint(used, ==, 1);
    g_autofree uint8_t *big = g_malloc(GDB_PACKET_MAX + 16);
    memset(big, '$', GDB_PACKET_MAX + 16);
    g_assert_cmpint(gdb_packet_parse(big, GDB_PACKET_MAX + 16, &used, payload), ==, GDB_DAMAGED);
    g_assert_cmpuint(used, ==, GDB_PACKET_MAX + 16);
}

static void test_bytes(void)
{
    uint8_t bytes[] = "a}\x03"
                      "b";
    uint8_t back[4];
    g_autoptr(GString) out = g_string_new(NULL);
    g_assert_cmpint(gdb_unescape(bytes, 4), ==, 3);
    g_assert_cmpmem(bytes, 3, "a#b", 3);
    g_assert_cmpint(gdb_unescape((uint8_t[]){'x', '}'}, 2), ==, -1);
    gdb_put_binary(out, "#$}*\0a", 6);
    g_assert_cmpmem(out->str, out->len, "}\x03}\x04}]}\n\0a", 10);
    g_assert_cmpint(gdb_from_hex("00ff7", 5, back, 4), ==, -1);
    g_assert_cmpint(gdb_from_hex("00fg", 4, back, 4), ==, -1);
    g_assert_cmpint(gdb_from_hex("0011223344", 10, back, 4), ==, -1);
    g_assert_cmpint(gdb_from_hex("00Ff", 4, back, 4), ==, 2);
    g_assert_cmpuint(back[1], ==, 0xff);
}

static void test_queries(void)
{
    g_autoptr(GdbSession) s = new_session();
    check(s, "qfThreadInfo", "m28,29");
    g_assert_nonnull(strstr(ask(s, "qSupported:multiprocess+;swbreak+;hwbreak+"), "ReverseContinue+"));
    check(s, "qfThreadInfo", "mp28.28,p28.29");
    check(s, "qsThreadInfo", "l");
    check(s, "qC", "QCp28.28");
    check(s, "qAttached:28", "1");
    check(s, "qSymbol::", "OK");
    check(s, "vMustReplyEmpty", "");
    check(s, "qTStatus", "");
    check(s, "Tp28.29", "OK");
    check(s, "Tp28.30", "E03");
    check(s, "Tp29.29", "E03");
    check(s, "Hgp28.29", "OK");
    check(s, "Hgp28.99", "E03");
    check(s, "Hx1", "E16");
    check(s, "Hg", "E16");
    check(s, "qRcmd,7768656e", "31322b330a");
    g_assert_true(g_str_has_prefix(ask(s, "qRcmd,7768"), "726577696e643a20"));
    check(s, "qRcmd,7", "E16");
    check(s, "QPassSignals:e;14;17", "OK");
    check(s, "QPassSignals:x", "E16");
    check(s, "?", "T05thread:p28.28;");
}

static void test_objects(void)
{
    g_autoptr(GdbSession) s = new_session();
    check(s, "qXfer:threads:read::0,ffff",
          "l<?xml version=\"1.0\"?><threads><thread id=\"28\" core=\"0\" name=\"main\"></thread>"
          "<thread id=\"29\" core=\"0\" name=\"&lt;a&amp;b&gt; \357\277\275\"></thread></threads>");
    check(s, "qXfer:threads:read::0,4", "m<?xm");
    check(s, "qXfer:threads:read::4,2", "ml ");
    check(s, "qXfer:threads:read::ffffffffffffffff,ffffffffffffffff", "l");
    check(s, "qXfer:exec-file:read:28:0,ff", "l/bin/made");
    check(s, "qXfer:nonsense:read::0,ff", "");
    check(s, "qXfer:features:read:other.xml:0,ff", "E02");
    check(s, "qXfer:auxv:read::0", "E16");
    ask(s, "qXfer:auxv:read::0,ff");
    g_assert_cmpmem(s->reply->str, s->reply->len, "l\0\0\0\0\0\0\0\0}]}\x03}\x04}\n", 17);
    const char *xml = ask(s, "qXfer:features:read:target.xml:0,1fff");
    g_assert_true(xml[0] == 'l' && strstr(xml, "fs_base") && !strstr(xml, "ymm"));
}

static void put(uint64_t va, const void *bytes, size_t length)
{
    g_assert_true(rw_copy_in(made.memory, MADE_SIZE, va - MADE_BASE, bytes, length));
}

static void put_map(uint64_t va, uint64_t address, uint64_t name, uint64_t dynamic, uint64_t next)
{
    put(va, (const uint64_t[]){address, name, dynamic, next}, 32);
}

#define NO_LIBRARIES "l<?xml version=\"1.0\"?><library-list-svr4 version=\"1.0\"></library-list-svr4>"

// What a dynamic linker keeps: a program, two libraries, and another list; then lists without an end.
static void test_libraries(void)
{
    g_autoptr(GdbSession) s = new_session();
    check(s, "qXfer:libraries-svr4:read::0,fff", NO_LIBRARIES);
    made.headers = 0x1040;
    made.n_headers = 2;
    put(0x1040, &(Elf64_Phdr){.p_type = PT_PHDR, .p_vaddr = 0x40}, sizeof(Elf64_Phdr));
    put(0x1078, &(Elf64_Phdr){.p_type = PT_DYNAMIC, .p_vaddr = 0x100}, sizeof(Elf64_Phdr));
    put(0x1100, (const uint64_t[]){DT_HASH, 1, DT_DEBUG, 0x1200, DT_NULL, 0}, 48);
    put(0x1200, (const uint64_t[]){2, 0x1300, 0, 0, 0, 0x1280}, 48);
    put(0x1280, (const uint64_t[]){2, 0x13c0, 0, 0, 0, 0}, 48);
    put(0x1500, "\0/lib/a&b.so\0/lib/c.so", 23);
    put_map(0x1300, 0, 0x1500, 0, 0x1340);
    put_map(0x1340, 0x7000, 0x1501, 0x7100, 0);
    put_map(0x13c0, 0x8000, 0x150d, 0x8100, 0);
    check(s, "qXfer:libraries-svr4:read::0,fff",
          "l<?xml version=\"1.0\"?><library-list-svr4 version=\"1.0\" main-lm=\"0x1300\">"
          "<library name=\"/lib/a&amp;b.so\" lm=\"0x1340\" l_addr=\"0x7000\" l_ld=\"0x7100\" "
          "lmid=\"0x1200\"/>"
          "<library name=\"/lib/c.so\" lm=\"0x13c0\" l_addr=\"0x8000\" l_ld=\"0x8100\" lmid=\"0x1280\"/>"
          "</library-list-svr4>");
    put_map(0x1340, 0x7000, 0x1501, 0x7100, 0x1340);
    put(0x1280, (const uint64_t[]){2, 0x13c0, 0, 0, 0, 0x1280}, 48);
    g_assert_cmpuint(strlen(ask(s, "qXfer:libraries-svr4:read::0,fffff")), <, GDB_PACKET_MAX + 1);
    put(0x1100, (const uint64_t[]){DT_DEBUG, 0xfffffffffffffff8}, 16);
    check(s, "qXfer:libraries-svr4:read::0,fff", NO_LIBRARIES);
    made.n_headers = UINT64_MAX;
    made.headers = 0x1ff0;
    check(s, "qXfer:libraries-svr4:read::0,fff", NO_LIBRARIES);
}

static void test_memory(void)
{
    g_autoptr(GdbSession) s = new_session();
    check(s, "m1010,4", "10111213");
    check(s, "m1fff,4", "ff");
    check(s, "m2000,4", "E0e");
    check(s, "m1000,0", "");
    check(s, "m", "E16");
    check(s, "m1010,", "E16");
    check(s, "m11112222333344445,1", "E16");
    check(s, "M1010,2:abcd", "OK");
    check(s, "m1010,2", "abcd");
    check(s, "M1010,3:abcd", "E16");
    check(s, "X1010,2:}\x03z", "OK");
    check(s, "m1010,2", "237a");
    check(s, "X1010,0:", "OK");
    check(s, "X3000,1:a", "E0e");
    ask(s, "m1000,ffffffff");
    g_assert_cmpuint(s->reply->len, ==, MADE_SIZE * 2);
}

static void test_registers(void)
{
    g_autoptr(GdbSession) s = new_session();
    check(s, "p10", "0011000000000000");
    check(s, "p1", "0300000000000000"); // rbx is the fourth of the CPU's
    check(s, "p3c", "E16");
    check(s, "p", "E16");
    check(s, "P10=4433000000000000", "OK");
    check(s, "p10", "4433000000000000");
    check(s, "P10=44", "E16");
    check(s, "P10", "E16");
    const char *all = ask(s, "g");
    g_assert_cmpuint(strlen(all), ==, 560 * 2);
    g_autofree char *again = g_strconcat("G", all, NULL);
    check(s, again, "OK");
    g_assert_cmpstr(ask(s, "g"), ==, again + 1);
    check(s, "G00", "E16");
    check(s, "Hg29", "OK");
    check(s, "p28", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"); // its SSE is not known
}

static void test_points(void)
{
    g_autoptr(GdbSession) s = new_session();
    ask(s, "qSupported:swbreak+;hwbreak+");
    check(s, "Z0,1180,1", "OK");
    check(s, "Z0,1180,1", "OK");
    g_assert_cmpuint(s->points->len, ==, 1);
    check(s, "vCont;c", "T05thread:28;swbreak:;");
    check(s, "p10", "8011000000000000");
    check(s, "z0,1180,1", "OK");
    check(s, "z0,1180,1", "OK");
    check(s, "bc", "T05thread:28;replaylog:begin;");
    check(s, "QPassSignals:b", "OK");
    check(s, "vCont;c", "T05thread:28;replaylog:end;");
    check(s, "Z2,1180,0", "E16");
    check(s, "Z2,ffffffffffffffff,2", "E16");
    check(s, "Z5,1180,1", "");
    check(s, "Z2", "E16");
    for (unsigned i = 0; i < GDB_POINTS_MAX / 2; i++) {
        g_autofree char *packet = g_strdup_printf("Z4,%x,8", 0x1000 + i * 8);
        check(s, packet, "OK");
    }
    check(s, "Z4,0,8", "E1c");
}

static void test_signal(void)
{
    g_autoptr(GdbSession) s = new_session();
    check(s, "qXfer:siginfo:read::0,80", "E02"); // it stopped at none
    check(s, "c", "T0bthread:28;");
    const uint8_t head[] = {'l', 11, 0, 0, 0, 0, 0,    0,    0,    1,    0,
                            0,   0,  0, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 0x78};
    ask(s, "qXfer:siginfo:read::0,80");
    g_assert_cmpuint(s->reply->len, ==, 129);
    g_assert_cmpmem(s->reply->str, sizeof head, head, sizeof head);
    check(s, "qXfer:siginfo:write::0:00", "");
    s->stop.signal = (GdbSignalInfo){17, 1, 0, 0x55, 5};
    ask(s, "qXfer:siginfo:read::0,80");
    g_assert_cmpuint(rw_load_u32((const uint8_t *)s->reply->str + 17), ==, 0x55);
    g_assert_cmpuint(rw_load_u32((const uint8_t *)s->reply->str + 25), ==, 5);
    check(s, "c", "T05thread:28;replaylog:end;"); // execve(2) is no reason to stop
    check(s, "bc", "T0bthread:28;");
    check(s, "vCont;c", "T05thread:28;replaylog:end;");
}

static void test_exec(void)
{
    g_autoptr(GdbSession) s = new_session();
    g_assert_nonnull(strstr(ask(s, "qSupported:exec-events+"), "exec-events+"));
    check(s, "QPassSignals:b", "OK");
    check(s, "c", "T05thread:28;exec:2f62696e2f6d616465;");
    check(s, "c", "T05thread:28;replaylog:end;");
    check(s, "bc", "T05thread:28;exec:2f62696e2f6d616465;");
    check(s, "bc", "T05thread:28;replaylog:begin;");
}

static void test_resume(void)
{
    g_autoptr(GdbSession) s = new_session();
    check(s, "vCont?", "vCont;c;C;s;S;r");
    check(s, "s", "T05thread:28;");
    check(s, "bs", "T05thread:28;");
    check(s, "p10", "0011000000000000");
    check(s, "vCont;s:29;c", "T05thread:29;");
    check(s, "vCont;c;s:28", "T05thread:28;");
    check(s, "vCont;r1100,1110:28;c", "T05thread:28;");
    check(s, "p10", "1011000000000000");
    check(s, "vCont", "E16");
    check(s, "vCont;", "E16");
    check(s, "vCont;q", "E16");
    check(s, "vCont;r1100", "E16");
    check(s, "vCont;s:p28.", "E16");
    check(s, "b", "");
    check(s, "bx", "");
    g_assert_cmpuint(made.resumed, ==, 5);
}

// Whose stops count.
static void test_only(void)
{
    static const struct {
        const char *packet;
        uint32_t only;
    } all[] = {
        {"vCont;c", 0},         {"vCont;c:29", 0x29},   {"vCont;c:p28.29", 0x29},   {"vCont;c:p28.-1", 0},
        {"vCont;c:-1", 0},      {"vCont;s:29", 0},      {"vCont;s:29;c", 0},        {"vCont;c:29;c", 0},
        {"vCont;c:28;c:29", 0}, {"vCont;C0b:29", 0x29}, {"vCont;r1100,1110:29", 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_autoptr(GdbSession) s = new_session();
        g_assert_true(ask(s, all[i].packet)[0] == 'T');
        g_assert_cmpuint(made.last.only, ==, all[i].only);
    }
    g_autoptr(GdbSession) s = new_session();
    check(s, "Hc29", "OK");
    ask(s, "bc");
    g_assert_cmpuint(made.last.only, ==, 0x29);
    ask(s, "bs");
    g_assert_cmpuint(made.last.only, ==, 0);
    check(s, "Hc-1", "OK");
    ask(s, "bc");
    g_assert_cmpuint(made.last.only, ==, 0);
    check(s, "Hc0", "OK");
    ask(s, "bc");
    g_assert_cmpuint(made.last.only, ==, 0);
}

static void test_files(void)
{
    g_autoptr(GdbSession) s = new_session();
    check(s, "vFile:setfs:0", "F0");
    check(s, "vFile:open:2f62696e2f6d616465,0,0", "F0");
    check(s, "vFile:pread:0,7,0", "F7;content");
    check(s, "vFile:pread:0,ff,8", "Fe;}\x03}\x04}]}\n of a file");
    check(s, "vFile:pread:0,ff,ffffffffffffffff", "F0;");
    check(s, "vFile:pread:1,ff,0", "F-1,9");
    ask(s, "vFile:fstat:0");
    g_assert_true(g_str_has_prefix(s->reply->str, "F40;"));
    check(s, "vFile:open:2f62696e2f6d616465,1,0", "F-1,1");
    check(s, "vFile:open:2f6e6f,0,0", "F-1,2");
    check(s, "vFile:open:,0,0", "F-1,16");
    check(s, "vFile:open:2f6200,0,0", "F-1,16");
    check(s, "vFile:readlink:2f6c696e6b", "F9;/bin/made");
    check(s, "vFile:readlink:2f", "F-1,2");
    check(s, "vFile:close:0", "F0");
    check(s, "vFile:close:0", "F-1,9");
    check(s, "vFile:unlink:2f", "");
    for (unsigned i = 0; i < GDB_FILES_MAX; i++)
        g_assert_true(g_str_has_prefix(ask(s, "vFile:open:2f62696e2f6d616465,0,0"), "F"));
    check(s, "vFile:open:2f62696e2f6d616465,0,0", "F-1,18");
}

// ---- The kernel's symbols ----

static void test_symbols(void)
{
    static const char text[] =
        "ffffffff81000000 T _stext\nffffffff81000010 t inner\n\nnonsense\nffffffff81000020\n"
        "ffffffff81000020 D data\n0000000000000010 T low\nffffffffffffffff T last\tx\n "
        "ffffffff81000030 T [gone] \nffffffff81000040 ";
    g_assert_null(gdb_kernel_elf(""));
    g_assert_null(gdb_kernel_elf("ffffffff81000000 D data\n"));
    g_autoptr(GBytes) elf = gdb_kernel_elf(text);
    gsize size;
    const uint8_t *bytes = g_bytes_get_data(elf, &size);
    Elf64_Ehdr head;
    Elf64_Shdr sections[5];
    memcpy(&head, bytes, sizeof head);
    g_assert_cmpuint(head.e_shoff + sizeof sections, ==, size);
    memcpy(sections, bytes + head.e_shoff, sizeof sections);
    g_assert_cmpuint(sections[2].sh_size, ==, 5 * sizeof(Elf64_Sym)); // none, _stext, inner, last, [gone]
    g_assert_cmpuint(sections[1].sh_addr, ==, 0xffffffff81000000);
    g_assert_cmpuint(sections[1].sh_size, <=, (1u << 30) + 4096); // it does not go over the end
    g_assert_cmpstr((const char *)bytes + sections[3].sh_offset + 1, ==, "_stext");
}

// ---- Over a socket ----

static void say(int fd, const char *bytes)
{
    g_assert_cmpint(write(fd, bytes, strlen(bytes)), ==, (ssize_t)strlen(bytes));
}

static void hear(int fd, const char *bytes)
{
    char got[256] = {0};
    size_t n = 0;
    while (n < strlen(bytes)) {
        ssize_t more = read(fd, got + n, strlen(bytes) - n);
        g_assert_cmpint(more, >, 0);
        n += (size_t)more;
    }
    g_assert_cmpstr(got, ==, bytes);
}

static gpointer serve(gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GdbSession) s = new_session();
    g_assert_true(gdb_serve(s, GPOINTER_TO_INT(data), NULL, &error));
    g_assert_no_error(error);
    return NULL;
}

static void test_socket(void)
{
    int fds[2];
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
    GThread *thread = g_thread_new("serve", serve, GINT_TO_POINTER(fds[1]));
    say(fds[0], "+$qC#b4");
    hear(fds[0], "+$QC28#fe");
    say(fds[0], "-"); // it did not arrive
    hear(fds[0], "$QC28#fe");
    say(fds[0], "+$qC#00"); // damaged
    hear(fds[0], "-");
    say(fds[0], "$QStartNo");
    say(fds[0], "AckMode#b0");
    hear(fds[0], "+$OK#9a");
    say(fds[0], "+\x03$qC#b4$nothing#f7$?#3f");
    hear(fds[0], "$QC28#fe$#00$T05thread:28;#10");
    say(fds[0], "$D#44");
    hear(fds[0], "$OK#9a");
    g_thread_join(thread);
    close(fds[0]);
    close(fds[1]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gdb/frames", test_frames);
    g_test_add_func("/gdb/bytes", test_bytes);
    g_test_add_func("/gdb/queries", test_queries);
    g_test_add_func("/gdb/objects", test_objects);
    g_test_add_func("/gdb/libraries", test_libraries);
    g_test_add_func("/gdb/memory", test_memory);
    g_test_add_func("/gdb/registers", test_registers);
    g_test_add_func("/gdb/points", test_points);
    g_test_add_func("/gdb/signal", test_signal);
    g_test_add_func("/gdb/exec", test_exec);
    g_test_add_func("/gdb/resume", test_resume);
    g_test_add_func("/gdb/only", test_only);
    g_test_add_func("/gdb/files", test_files);
    g_test_add_func("/gdb/symbols", test_symbols);
    g_test_add_func("/gdb/socket", test_socket);
    return g_test_run();
}
