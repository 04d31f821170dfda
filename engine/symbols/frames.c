// SPDX-License-Identifier: MIT
//
// Where a function keeps what its caller needs, from .eh_frame, which nearly every compiler writes and no
// strip removes, else from .debug_frame. All that compilers write for ordinary functions is understood;
// what is not makes the answer "not known".
#include "rw-bytes.h"
#include "symbols-private.h"

#include <dwarf.h>
#include <string.h>

#define SAVED_MAX 8 // DW_CFA_remember_state within each other
#define SECTION_MAX (64u << 20)
#define COMMON_MAX 4096u

// How pointers are written.
enum { ENCODED_PCREL = 0x10, ENCODED_FORM = 0x0f };

// What functions have in common.
typedef struct {
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t encoding; // of addresses
    bool sized; // each function has data of its own, and before them their size
    bool signal; // what its "caller" was doing is in the kernel's frame, not here
    const uint8_t *program;
    size_t program_size;
} Common;

typedef struct {
    const uint8_t *bytes; // the section,
    size_t size;
    uint64_t address; // and where the file has it loaded
    bool debug; // .debug_frame, which says some things in another way
} Section;

typedef struct {
    const Section *section;
    const Common *common;
    uint64_t here, wanted; // addresses
    RwFrameRules now, first; // first: what all functions begin with
    RwFrameRules saved[SAVED_MAX];
    unsigned n_saved;
} Run;

// ---- The section ----

static bool find_section(const RwObject *object, bool debug, Section *ret)
{
    GElf_Shdr header;
    size_t size;
    if (debug && object->debug_frame) {
        const uint8_t *bytes = g_bytes_get_data(object->debug_frame, &size);
        *ret = (Section){bytes, size, 0, true};
        return bytes != NULL;
    }
    if (debug || !rw_object_section(object, ".eh_frame", &header) || header.sh_size > SECTION_MAX)
        return false;
    const uint8_t *bytes = g_bytes_get_data(object->bytes, &size);
    *ret = (Section){bytes + header.sh_offset, header.sh_size, header.sh_addr, false};
    return true;
}

// ---- Numbers ----

static int64_t read_signed(RwReader *reader)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = rw_reader_u8(reader);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !reader->failed);
    if (byte & 0x40 && shift < 64)
        value |= ~0ull << shift;
    return (int64_t)value;
}

// `form` is the lower half of an encoding; with the upper half it is an address, without it a length.
static bool read_form(RwReader *reader, uint8_t form, uint64_t *ret)
{
    switch (form) {
    case 0x00: // as long as an address
    case 0x04:
    case 0x0c:
        *ret = rw_reader_u64(reader);
        return !reader->failed;
    case 0x02:
        *ret = rw_reader_u16(reader);
        return !reader->failed;
    case 0x03:
        *ret = rw_reader_u32(reader);
        return !reader->failed;
    case 0x0a:
        *ret = (uint64_t)(int64_t)(int16_t)rw_reader_u16(reader);
        return !reader->failed;
    case 0x0b:
        *ret = (uint64_t)(int64_t)(int32_t)rw_reader_u32(reader);
        return !reader->failed;
    default:
        return false;
    }
}

static bool read_address(RwReader *reader, const Section *section, uint8_t encoding, uint64_t *ret)
{
    uint64_t at = section->address + (uint64_t)(reader->data + reader->pos - section->bytes);
    if (encoding & ~(ENCODED_PCREL | ENCODED_FORM) || !read_form(reader, encoding & ENCODED_FORM, ret))
        return false;
    if (encoding & ENCODED_PCREL)
        *ret += at;
    return true;
}

// ---- What functions have in common ----

static bool read_augmentation(RwReader *reader, const Section *section, const char *letters, Common *ret)
{
    uint64_t none;
    for (; *letters; letters++) {
        if (*letters == 'R')
            ret->encoding = rw_reader_u8(reader);
        else if (*letters == 'L')
            rw_reader_u8(reader);
        else if (*letters == 'S')
            ret->signal = true;
        else if (*letters != 'P' || !read_form(reader, rw_reader_u8(reader) & ENCODED_FORM, &none))
            return false;
    }
    return !reader->failed;
}

// `at`: of its first byte behind length and number.
static bool read_common(const Section *section, size_t at, size_t length, Common *ret)
{
    RwReader reader = RW_READER_INIT(section->bytes + at, length);
    *ret = (Common){0};
    uint8_t version = rw_reader_u8(&reader);
    const char *augmentation = rw_reader_string(&reader);
    if (version == 4 && (rw_reader_u8(&reader) != 8 || rw_reader_u8(&reader) != 0))
        return false; // sizes of an address, and of a segment's number
    ret->code_factor = rw_reader_varint(&reader);
    ret->data_factor = read_signed(&reader);
    uint64_t returns = version == 1 ? rw_reader_u8(&reader) : rw_reader_varint(&reader);
    if (reader.failed || (version != 1 && version != 3 && version != 4) || returns != RW_FRAME_RETURN)
        return false;
    if (augmentation[0] == 'z') {
        uint64_t size = rw_reader_varint(&reader);
        if (reader.failed || size > rw_reader_left(&reader))
            return false;
        RwReader own = RW_READER_INIT(reader.data + reader.pos, size);
        if (!read_augmentation(&own, section, augmentation + 1, ret) || !rw_reader_skip(&reader, size))
            return false;
        ret->sized = true;
    } else if (augmentation[0]) {
        return false;
    }
    ret->program = reader.data + reader.pos;
    ret->program_size = rw_reader_left(&reader);
    return true;
}

// ---- The program that makes the rules ----

static void set_rule(Run *run, uint64_t number, RwFrameRule rule, uint64_t offset)
{
    if (number >= RW_FRAME_REGISTERS)
        return; // of what callers keep there nothing is needed
    run->now.rule[number] = (uint8_t)rule;
    run->now.offset[number] = offset;
}

static void restore_rule(Run *run, uint64_t number)
{
    if (number < RW_FRAME_REGISTERS)
        set_rule(run, number, run->first.rule[number], run->first.offset[number]);
}

static void set_cfa(Run *run, uint64_t number, uint64_t offset)
{
    run->now.cfa_known = number < RW_FRAME_RETURN;
    run->now.cfa_register = run->now.cfa_known ? (uint8_t)number : 0;
    run->now.cfa_offset = offset;
}

static bool save(Run *run)
{
    if (run->n_saved == SAVED_MAX)
        return false;
    run->saved[run->n_saved++] = run->now;
    return true;
}

static bool restore(Run *run)
{
    if (!run->n_saved)
        return false;
    run->now = run->saved[--run->n_saved];
    return true;
}

static bool skip_block(RwReader *reader)
{
    uint64_t size = rw_reader_varint(reader);
    return size <= rw_reader_left(reader) && rw_reader_skip(reader, size);
}

static bool move(Run *run, uint64_t delta)
{
    run->here += delta * run->common->code_factor;
    return true;
}

// Rules that an expression tells are not known.
static bool do_expression(Run *run, RwReader *reader, uint8_t what)
{
    if (what == DW_CFA_def_cfa_expression)
        run->now.cfa_known = false;
    else
        set_rule(run, rw_reader_varint(reader), RW_FRAME_UNKNOWN, 0);
    return skip_block(reader);
}

static bool do_cfa(Run *run, RwReader *reader, uint8_t what)
{
    uint64_t factor = (uint64_t)run->common->data_factor, number;
    switch (what) {
    case DW_CFA_def_cfa:
        number = rw_reader_varint(reader);
        set_cfa(run, number, rw_reader_varint(reader));
        return true;
    case DW_CFA_def_cfa_sf:
        number = rw_reader_varint(reader);
        set_cfa(run, number, (uint64_t)read_signed(reader) * factor);
        return true;
    case DW_CFA_def_cfa_register:
        set_cfa(run, rw_reader_varint(reader), run->now.cfa_offset);
        return true;
    case DW_CFA_def_cfa_offset:
        run->now.cfa_offset = rw_reader_varint(reader);
        return true;
    case DW_CFA_def_cfa_offset_sf:
        run->now.cfa_offset = (uint64_t)read_signed(reader) * factor;
        return true;
    default:
        return false;
    }
}

static bool do_rule(Run *run, RwReader *reader, uint8_t what)
{
    uint64_t factor = (uint64_t)run->common->data_factor, number = rw_reader_varint(reader), other;
    switch (what) {
    case DW_CFA_offset_extended:
        set_rule(run, number, RW_FRAME_SAVED, rw_reader_varint(reader) * factor);
        return true;
    case DW_CFA_offset_extended_sf:
        set_rule(run, number, RW_FRAME_SAVED, (uint64_t)read_signed(reader) * factor);
        return true;
    case DW_CFA_restore_extended:
        restore_rule(run, number);
        return true;
    case DW_CFA_same_value:
        set_rule(run, number, RW_FRAME_SAME, 0);
        return true;
    case DW_CFA_undefined:
        set_rule(run, number, RW_FRAME_UNKNOWN, 0);
        return true;
    case DW_CFA_register:
        other = rw_reader_varint(reader);
        set_rule(run, number, other < RW_FRAME_RETURN ? RW_FRAME_MOVED : RW_FRAME_UNKNOWN, other);
        return true;
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
        set_rule(run, number, RW_FRAME_UNKNOWN, 0);
        rw_reader_varint(reader);
        return true;
    default:
        return false;
    }
}

// Those that are a whole byte.
static bool do_whole(Run *run, RwReader *reader, uint8_t what)
{
    switch (what) {
    case DW_CFA_nop:
        return true;
    case DW_CFA_set_loc:
        return read_address(reader, run->section, run->common->encoding, &run->here);
    case DW_CFA_advance_loc1:
        return move(run, rw_reader_u8(reader));
    case DW_CFA_advance_loc2:
        return move(run, rw_reader_u16(reader));
    case DW_CFA_advance_loc4:
        return move(run, rw_reader_u32(reader));
    case DW_CFA_remember_state:
        return save(run);
    case DW_CFA_restore_state:
        return restore(run);
    case DW_CFA_GNU_args_size:
        rw_reader_varint(reader);
        return true;
    case DW_CFA_def_cfa_expression:
    case DW_CFA_expression:
    case DW_CFA_val_expression:
        return do_expression(run, reader, what);
    default:
        return do_cfa(run, reader, what) || do_rule(run, reader, what);
    }
}

static bool do_one(Run *run, RwReader *reader)
{
    uint8_t what = rw_reader_u8(reader), low = what & 0x3f;
    switch (what & 0xc0) {
    case DW_CFA_advance_loc:
        return move(run, low);
    case DW_CFA_offset:
        set_rule(run, low, RW_FRAME_SAVED, rw_reader_varint(reader) * (uint64_t)run->common->data_factor);
        return true;
    case DW_CFA_restore:
        restore_rule(run, low);
        return true;
    default:
        return do_whole(run, reader, what);
    }
}

// Up to what is about instructions behind the one that is wanted.
static bool run_program(Run *run, const uint8_t *program, size_t size)
{
    RwReader reader = RW_READER_INIT(program, size);
    while (rw_reader_left(&reader)) {
        RwFrameRules before = run->now;
        if (!do_one(run, &reader) || reader.failed)
            return false;
        if (run->here > run->wanted) {
            run->now = before;
            return true;
        }
    }
    return true;
}

// ---- The function ----

void rw_frame_convention(RwFrameRules *rules)
{
    static const uint8_t kept[] = {3, 6, 12, 13, 14, 15}; // RBX, RBP, R12 to R15
    for (size_t i = 0; i < sizeof kept; i++)
        rules->rule[kept[i]] = RW_FRAME_SAME;
}

// false: that function does not have the address.
static bool read_function(const Section *section, RwReader *reader, const Common *common, Run *run)
{
    uint64_t start, length;
    if (!read_address(reader, section, common->encoding, &start) ||
        !read_form(reader, common->encoding & ENCODED_FORM, &length) || run->wanted < start ||
        run->wanted - start >= length)
        return false;
    run->here = start;
    return !common->sized || skip_block(reader);
}

static bool make_rules(const Section *section, RwReader *reader, const Common *common, Run *run)
{
    uint64_t start = run->here;
    run->section = section;
    run->common = common;
    run->now = (RwFrameRules){0};
    rw_frame_convention(&run->now);
    run->here = 0;
    if (common->signal || !run_program(run, common->program, common->program_size))
        return false;
    run->first = run->now;
    run->n_saved = 0;
    run->here = start;
    return run_program(run, reader->data + reader->pos, rw_reader_left(reader));
}

// What stands at `at`, behind its length. 1: it has the address; -1: and cannot be understood; 0: it has
// not.
static int try_entry(const Section *section, size_t at, size_t length, Run *run)
{
    RwReader reader = RW_READER_INIT(section->bytes + at, length);
    uint32_t back = rw_reader_u32(&reader), size;
    Common common;
    // What functions have in common stands among them. It is named by its distance, or its place.
    if (reader.failed || back == (section->debug ? UINT32_MAX : 0) || (!section->debug && back > at))
        return 0;
    size_t of = section->debug ? back : at - back; // its length field
    if (of > section->size || section->size - of < 8)
        return 0;
    memcpy(&size, section->bytes + of, sizeof size);
    if (size < 4 || size > COMMON_MAX || size > section->size - of - 4 ||
        !read_common(section, of + 8, size - 4, &common) || !read_function(section, &reader, &common, run))
        return 0;
    return make_rules(section, &reader, &common, run) ? 1 : -1;
}

// As try_entry(), of all of them.
static int try_section(const Section *section, Run *run)
{
    int found = 0;
    for (size_t at = 0; found == 0 && section->size - at >= 4;) {
        uint32_t length;
        memcpy(&length, section->bytes + at, sizeof length);
        at += 4;
        if (length == 0 || length > section->size - at) // 0xffffffff: longer ones, which nobody writes
            break;
        found = try_entry(section, at, length, run);
        at += length;
    }
    return found;
}

int rw_frame_rules(const RwObject *object, uint64_t address, RwFrameRules *ret)
{
    Section section;
    Run *run = g_new0(Run, 1);
    int found = 0;
    run->wanted = address;
    for (int debug = 0; debug < 2 && found == 0; debug++)
        if (find_section(object, debug, &section))
            found = try_section(&section, run);
    *ret = run->now;
    g_free(run);
    return found;
}
