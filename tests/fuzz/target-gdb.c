// SPDX-License-Identifier: MIT
//
// What a debugger sends: packets to a process that is made up, and the conditions of its breakpoints.
#include "fuzz.h"
#include "made-world.h"

static const char *const conversation[] = {
    "$Z0,1180,1;X6,2600001a2a0827X3,221027#00$c#00$Z1,1180,1;X1,27#00$bc#00$z0,1180,1#00",
    "+$qSupported:multiprocess+;swbreak+;hwbreak+#00+$QStartNoAckMode#00$?#00$qXfer:features:read:target."
    "xml:0,fff#00"
    "$vFile:open:2f62696e2f6d616465,0,0#00$vFile:pread:0,ff,8#00$vFile:fstat:0#00$vFile:close:0#00"
    "$vFile:readlink:2f6c696e6b#00",
    "$Hgp28.29#00$g#00$p10#00$P10=4433000000000000#00$m1010,40#00$M1010,2:abcd#00$X1010,2:}\x03z#00"
    "$qfThreadInfo#00$qsThreadInfo#00$qXfer:threads:read::0,fff#00$qThreadExtraInfo,p28.28#00$Tp28.28#00",
    "$Z0,1180,1#00$Z2,1190,8#00$Z4,1200,10#00$vCont;s:p28.28;c#00$vCont;r1100,1110:28;c#00$bs#00$bc#00\x03"
    "$qSupported:exec-events+#00$bc#00$c#00$qXfer:siginfo:read::0,80#00$c#00$C0b#00$bc#00$G00#00"
    "$P0=0000000000000000#00$z0,1180,1#00$QPassSignals:e;14#00$qRcmd,7768656e#00$qXfer:auxv:read::0,fff#00$"
    "D;28#00$k#00",
};

void add_gdb_inputs(Inputs *inputs)
{
    for (size_t i = 0; i < G_N_ELEMENTS(conversation); i++) {
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        rw_put_bytes(bytes, conversation[i], strlen(conversation[i]));
        mend_gdb(bytes);
        g_ptr_array_add(inputs->inputs, g_bytes_new(bytes->data, bytes->len));
    }
}

// Sums that are right.
void mend_gdb(GByteArray *bytes)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t sum = 0;
    bool within = false;
    for (guint i = 0; i < bytes->len; i++) {
        uint8_t byte = bytes->data[i];
        if (!within) {
            within = byte == '$';
            sum = 0;
        } else if (byte != '#') {
            sum = (uint8_t)(sum + byte);
        } else if (i + 2 < bytes->len) {
            bytes->data[++i] = (uint8_t)digits[sum >> 4];
            bytes->data[++i] = (uint8_t)digits[sum & 15];
            within = false;
        }
    }
}

static bool read_packets(const uint8_t *bytes, size_t length)
{
    static MadeWorld made;
    GdbWorld world;
    made_world_init(&made, &world);
    g_autoptr(GdbSession) session = gdb_session_new(&world, MADE_PID);
    g_autoptr(GByteArray) payload = g_byte_array_new();
    bool taken = false;
    while (length) {
        size_t used;
        GdbInput input = gdb_packet_parse(bytes, length, &used, payload);
        if (input == GDB_NOTHING)
            break;
        g_assert_true(used && used <= length);
        bytes += used;
        length -= used;
        if (input != GDB_PACKET)
            continue;
        gdb_session_take(session, payload->data, payload->len);
        g_assert_cmpuint(session->reply->len, <=, GDB_PACKET_MAX + 64);
        taken |= session->reply->len > 0;
    }
    return taken;
}

// ---- Conditions ----

// *(rax + 0x1000) == 7 ? 1 : !(rip < 0x1100), which holds; behind its end others that jump and compute
static const uint8_t condition[] = {
    0x26, 0,    0,    0x23, 0x10, 0x00, 0x02, 0x17, 0x22, 0x07, 0x13, 0x28, 0x20, 0,
    30,   0x29, 0x26, 0,    16,   0x25, 0,    0,    0,    0,    0,    0,    0x11, 0x00,
    0x15, 0x0e, 0x27, 0x16, 0x08, 0x32, 0,    0x2b, 0x33, 0x2a, 0x20, 0x21, 0,    30,
};

void add_condition_inputs(Inputs *inputs)
{
    g_ptr_array_add(inputs->inputs, g_bytes_new_static(condition, sizeof condition));
}

static bool read_condition(const uint8_t *bytes, size_t length)
{
    static MadeWorld made;
    GdbWorld world;
    if (!made.registers[0].known)
        made_world_init(&made, &world);
    g_autoptr(GPtrArray) conditions = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    g_ptr_array_add(conditions, g_bytes_new(bytes, length));
    GdbPoint point = {.conditions = conditions};
    GdbStand stand = {&made.registers[0], made_world_read, &made};
    return gdb_point_holds(&point, &stand);
}

const Target target_condition = {"condition", read_condition, NULL, NULL};
const Target target_gdb = {"gdb", read_packets, mend_gdb, NULL};
