// SPDX-License-Identifier: MIT
//
// g, G, p, P: registers, in the order of the description that gdb gets (qXfer:features).
#include "gdb-private.h"

#include <errno.h>

// ---- Where each is in the reply to g ----

enum {
    GPR = 0, // 16 of 8 bytes
    RIP = 128,
    FLAGS = 136, // from here on 4 bytes each: flags, cs, ss, ds, es, fs, gs
    ST = 164, // 8 of 10 bytes
    CONTROL = 244, // 8 of 4 bytes: fctrl fstat ftag fiseg fioff foseg fooff fop
    XMM = 276, // 16 of 16 bytes
    MXCSR = 532,
    ORIG_RAX = 536,
    BASES = 544, // fs_base, gs_base
    ALL = 560,
};

enum { FIRST_ST = 24, FIRST_CONTROL = 32, FIRST_XMM = 40, N_MXCSR = 56, N_REGISTERS = 60 };

static void get_place(unsigned number, unsigned *ret_at, unsigned *ret_size)
{
    if (number < 17)
        *ret_at = number * 8, *ret_size = 8;
    else if (number < FIRST_ST)
        *ret_at = FLAGS + (number - 17) * 4, *ret_size = 4;
    else if (number < FIRST_CONTROL)
        *ret_at = ST + (number - FIRST_ST) * 10, *ret_size = 10;
    else if (number < FIRST_XMM)
        *ret_at = CONTROL + (number - FIRST_CONTROL) * 4, *ret_size = 4;
    else if (number < N_MXCSR)
        *ret_at = XMM + (number - FIRST_XMM) * 16, *ret_size = 16;
    else if (number == N_MXCSR)
        *ret_at = MXCSR, *ret_size = 4;
    else
        *ret_at = ORIG_RAX + (number - N_MXCSR - 1) * 8, *ret_size = 8;
}

// gdb's order of those of GdbRegisters.
static const uint8_t gpr_order[16] = {0, 3, 1, 2, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

// ---- x87: FXSAVE has a bit for each register that is in use, gdb wants the tag word ----

static unsigned get_tag(const uint8_t *st)
{
    uint64_t significand = rw_load_u64(st);
    unsigned exponent = rw_load_u16(st + 8) & 0x7fff;
    if (exponent == 0x7fff)
        return 2;
    if (!exponent)
        return significand ? 2 : 1;
    return significand >> 63 ? 0 : 2;
}

static uint16_t get_tags(const uint8_t *fxsave)
{
    unsigned tags = 0, top = rw_load_u16(fxsave + 2) >> 11 & 7;
    for (unsigned i = 0; i < 8; i++) {
        const uint8_t *st = fxsave + 32 + ((i + 8 - top) & 7) * 16;
        tags |= (fxsave[4] >> i & 1 ? get_tag(st) : 3u) << 2 * i;
    }
    return (uint16_t)tags;
}

static void put_fpu(uint8_t *out, const uint8_t *fxsave)
{
    const uint32_t control[8] = {
        rw_load_u16(fxsave),      rw_load_u16(fxsave + 2), get_tags(fxsave),
        rw_load_u16(fxsave + 12), rw_load_u32(fxsave + 8), rw_load_u16(fxsave + 20),
        rw_load_u32(fxsave + 16), rw_load_u16(fxsave + 6),
    };
    for (unsigned i = 0; i < 8; i++) {
        memcpy(out + ST + i * 10, fxsave + 32 + i * 16, 10);
        rw_store_u32(out + CONTROL + i * 4, control[i]);
    }
    memcpy(out + XMM, fxsave + 160, 256);
    rw_store_u32(out + MXCSR, rw_load_u32(fxsave + 24));
}

static void take_fpu(const uint8_t *in, uint8_t *fxsave)
{
    uint32_t tags = rw_load_u32(in + CONTROL + 8);
    for (unsigned i = 0; i < 8; i++)
        memcpy(fxsave + 32 + i * 16, in + ST + i * 10, 10);
    rw_store_u16(fxsave, (uint16_t)rw_load_u32(in + CONTROL));
    rw_store_u16(fxsave + 2, (uint16_t)rw_load_u32(in + CONTROL + 4));
    fxsave[4] = 0;
    for (unsigned i = 0; i < 8; i++)
        fxsave[4] |= (uint8_t)(((tags >> 2 * i & 3) != 3) << i);
    memcpy(fxsave + 160, in + XMM, 256);
    rw_store_u32(fxsave + 24, rw_load_u32(in + MXCSR));
}

// ---- All of them ----

static void put_all(uint8_t out[ALL], const GdbRegisters *r)
{
    const uint16_t segments[6] = {r->cs, r->ss, r->ds, r->es, r->fs, r->gs};
    memset(out, 0, ALL);
    for (unsigned i = 0; i < 16; i++)
        rw_store_u64(out + GPR + i * 8, r->gpr[gpr_order[i]]);
    rw_store_u64(out + RIP, r->rip);
    rw_store_u32(out + FLAGS, (uint32_t)r->flags);
    for (unsigned i = 0; i < 6; i++)
        rw_store_u32(out + FLAGS + 4 + i * 4, segments[i]);
    put_fpu(out, r->fxsave);
    rw_store_u64(out + ORIG_RAX, r->orig_rax);
    rw_store_u64(out + BASES, r->fs_base);
    rw_store_u64(out + BASES + 8, r->gs_base);
}

static void take_all(const uint8_t in[ALL], GdbRegisters *r)
{
    for (unsigned i = 0; i < 16; i++)
        r->gpr[gpr_order[i]] = rw_load_u64(in + GPR + i * 8);
    r->rip = rw_load_u64(in + RIP);
    r->flags = rw_load_u32(in + FLAGS);
    r->fs_base = rw_load_u64(in + BASES);
    r->gs_base = rw_load_u64(in + BASES + 8);
    r->orig_rax = rw_load_u64(in + ORIG_RAX);
    take_fpu(in, r->fxsave);
}

static bool is_known(const GdbRegisters *r, unsigned number)
{
    return r->known && (r->fpu_known || number < FIRST_ST || number > N_MXCSR);
}

bool gdb_register_value(const GdbRegisters *r, uint64_t number, uint64_t *ret)
{
    uint8_t bytes[ALL];
    unsigned at, size;
    if (number >= N_REGISTERS || !is_known(r, (unsigned)number))
        return false;
    get_place((unsigned)number, &at, &size);
    put_all(bytes, r);
    *ret = size == 4 ? rw_load_u32(bytes + at) : rw_load_u64(bytes + at);
    return size <= 8;
}

static void put_one(GdbSession *s, const GdbRegisters *r, const uint8_t *bytes, unsigned number)
{
    unsigned at, size;
    get_place(number, &at, &size);
    if (is_known(r, number))
        gdb_put_hex(s->reply, bytes + at, size);
    else
        for (unsigned i = 0; i < size; i++)
            g_string_append(s->reply, "xx");
}

static void set(GdbSession *s, const GdbRegisters *before, const uint8_t bytes[ALL])
{
    g_autoptr(GError) error = NULL;
    GdbRegisters to = *before;
    take_all(bytes, &to);
    if (s->world.ops->set_registers(s->world.data, gdb_current(s), &to, &error))
        gdb_reply_ok(s);
    else
        gdb_reply_message(s, error);
}

static void set_one(GdbSession *s, const GdbRegisters *r, uint8_t bytes[ALL], uint64_t number,
                    GdbText *text)
{
    unsigned at, size;
    gdb_text_expect(text, '=');
    if (text->failed || number >= N_REGISTERS) {
        gdb_reply_error(s, EINVAL);
        return;
    }
    get_place((unsigned)number, &at, &size);
    if (gdb_from_hex(text->at, (size_t)(text->end - text->at), bytes + at, size) == (gssize)size)
        set(s, r, bytes);
    else
        gdb_reply_error(s, EINVAL);
}

void gdb_take_registers(GdbSession *s, char letter, GdbText *text)
{
    uint8_t bytes[ALL];
    GdbRegisters r = {0};
    uint64_t number = letter == 'p' || letter == 'P' ? gdb_text_hex(text) : 0;
    s->world.ops->registers(s->world.data, gdb_current(s), &r);
    put_all(bytes, &r);
    if (letter == 'G') {
        if (gdb_from_hex(text->at, (size_t)(text->end - text->at), bytes, ALL) == ALL)
            set(s, &r, bytes);
        else
            gdb_reply_error(s, EINVAL);
    } else if (letter == 'P') {
        set_one(s, &r, bytes, number, text);
    } else if (letter == 'g') {
        for (unsigned i = 0; i < N_REGISTERS; i++)
            put_one(s, &r, bytes, i);
    } else if (text->failed || number >= N_REGISTERS) {
        gdb_reply_error(s, EINVAL);
    } else {
        put_one(s, &r, bytes, (unsigned)number);
    }
}

// ---- The description ----

#define REG(name, size, type) "<reg name=\"" name "\" bitsize=\"" size "\" type=\"" type "\"/>"
#define ST_REG(n) REG("st" n, "80", "i387_ext")
#define XMM_REG(n) REG("xmm" n, "128", "vec128")
#define FLAG(name, bit) "<field name=\"" name "\" start=\"" bit "\" end=\"" bit "\"/>"

const char gdb_target_xml[] =
    "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
    "<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>"
    "<feature name=\"org.gnu.gdb.i386.core\"><flags id=\"i386_eflags\" size=\"4\">" FLAG("CF", "0")
        FLAG("", "1") FLAG("PF", "2") FLAG("AF", "4") FLAG("ZF", "6") FLAG("SF", "7") FLAG("TF", "8") FLAG(
            "IF", "9") FLAG("DF", "10") FLAG("OF", "11") FLAG("NT", "14") FLAG("RF", "16") FLAG("VM", "17")
            FLAG("AC", "18") FLAG("VIF", "19") FLAG("VIP", "20") FLAG("ID", "21") "</flags>" REG(
                "rax", "64", "int64") REG("rbx", "64", "int64") REG("rcx", "64", "int64")
                REG("rdx", "64", "int64") REG("rsi", "64", "int64") REG("rdi", "64", "int64") REG(
                    "rbp", "64", "data_ptr") REG("rsp", "64", "data_ptr") REG("r8", "64", "int64")
                    REG("r9", "64", "int64") REG("r10", "64", "int64") REG("r11", "64", "int64") REG(
                        "r12", "64",
                        "int64") REG("r13", "64",
                                     "int64") REG("r14", "64", "int64")
                        REG("r15", "64", "int64") REG("rip", "64", "code_ptr") REG(
                            "eflags", "32",
                            "i386_eflags") REG("cs", "32",
                                               "int32") REG("ss", "32", "int32")
                            REG("ds", "32", "int32") REG("es", "32", "int32") REG("fs", "32", "int32") REG(
                                "gs",
                                "32", "int32") ST_REG("0") ST_REG("1") ST_REG("2") ST_REG("3") ST_REG("4")
                                ST_REG(
                                    "5") ST_REG("6")
                                    ST_REG(
                                        "7") "<reg name=\"fctrl\" bitsize=\"32\" type=\"int\" "
                                             "group=\"float\"/>"
                                             "<reg name=\"fstat\" bitsize=\"32\" type=\"int\" "
                                             "group=\"float\"/>"
                                             "<reg name=\"ftag\" bitsize=\"32\" type=\"int\" "
                                             "group=\"float\"/>"
                                             "<reg name=\"fiseg\" bitsize=\"32\" type=\"int\" "
                                             "group=\"float\"/>"
                                             "<reg name=\"fioff\" bitsize=\"32\" type=\"int\" "
                                             "group=\"float\"/>"
                                             "<reg name=\"foseg\" bitsize=\"32\" type=\"int\" "
                                             "group=\"float\"/>"
                                             "<reg name=\"fooff\" bitsize=\"32\" type=\"int\" "
                                             "group=\"float\"/>"
                                             "<reg name=\"fop\" bitsize=\"32\" type=\"int\" "
                                             "group=\"float\"/></feature>"
                                             "<feature name=\"org.gnu.gdb.i386.sse\">"
                                             "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/><vector "
                                             "id=\"v2d\" type=\"ieee_double\" count=\"2\"/>"
                                             "<vector id=\"v16i8\" type=\"int8\" count=\"16\"/><vector "
                                             "id=\"v8i16\" type=\"int16\" count=\"8\"/>"
                                             "<vector id=\"v4i32\" type=\"int32\" count=\"4\"/><vector "
                                             "id=\"v2i64\" type=\"int64\" count=\"2\"/>"
                                             "<union id=\"vec128\"><field name=\"v4_float\" "
                                             "type=\"v4f\"/><field name=\"v2_double\" type=\"v2d\"/>"
                                             "<field name=\"v16_int8\" type=\"v16i8\"/><field "
                                             "name=\"v8_int16\" type=\"v8i16\"/>"
                                             "<field name=\"v4_int32\" type=\"v4i32\"/><field "
                                             "name=\"v2_int64\" type=\"v2i64\"/>"
                                             "<field name=\"uint128\" type=\"uint128\"/></union>"
                                             "<flags id=\"i386_mxcsr\" size=\"4\">" FLAG("IE", "0") FLAG(
                                                 "DE", "1") FLAG("ZE", "2") FLAG("OE", "3") FLAG("UE", "4")
                                                 FLAG("PE", "5") FLAG("DAZ", "6") FLAG("IM", "7") FLAG(
                                                     "DM", "8") FLAG("ZM", "9") FLAG("OM", "10") FLAG("UM",
                                                                                                      "11")
                                                     FLAG("PM", "12") FLAG("FZ", "15") "</flags>" XMM_REG(
                                                         "0") XMM_REG("1") XMM_REG("2") XMM_REG("3")
                                                         XMM_REG("4") XMM_REG("5") XMM_REG("6") XMM_REG(
                                                             "7") XMM_REG("8") XMM_REG("9") XMM_REG("10")
                                                             XMM_REG("11") XMM_REG(
                                                                 "12") XMM_REG("13") XMM_REG("14")
                                                                 XMM_REG("15") REG(
                                                                     "mxcsr", "32",
                                                                     "i386_mxcsr") "</feature>"
                                                                                   "<feature "
                                                                                   "name=\"org.gnu.gdb."
                                                                                   "i386.linux\">" REG(
                                                                                       "orig_rax", "64",
                                                                                       "int") "</feature>"
                                                                                              "<feature "
                                                                                              "name=\"org."
                                                                                              "gnu.gdb."
                                                                                              "i386."
                                                                                              "segments\""
                                                                                              ">" REG(
                                                                                                  "fs_base",
                                                                                                  "64",
                                                                                                  "int")
                                                                                                  REG("gs_"
                                                                                                      "bas"
                                                                                                      "e",
                                                                                                      "64",
                                                                                                      "int") "</feature></target>";
