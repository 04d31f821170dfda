// SPDX-License-Identifier: MIT
//
// Values by their types, as gdb prints them.
#include "location-private.h"

#include <string.h>

#define DEPTH_MAX 4 // of structures and arrays in each other
#define TEXT_MAX 400u // bytes
#define ELEMENTS_MAX 40u
#define MEMBERS_MAX 40u
#define STRING_MAX 120u
#define REPEATS 10u // of an element from which on they are counted
#define ENUMERATORS_MAX 2000u

typedef struct {
    const RwVariablesFrame *frame;
    GString *text;
    int depth;
} Print;

static void print_value(Print *print, Dwarf_Die *type, const uint8_t *bytes, size_t size);

// ---- Numbers and letters ----

static uint64_t load(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, bytes, MIN(size, sizeof value));
    return value;
}

static int64_t load_signed(const uint8_t *bytes, size_t size)
{
    unsigned shift = (unsigned)(64 - 8 * MIN(size, 8));
    return (int64_t)(load(bytes, size) << shift) >> shift;
}

static void append_letter(GString *text, uint8_t letter, char quote)
{
    static const char special[] = "\a\b\t\n\v\f\r", names[] = "abtnvfr";
    const char *at = letter ? strchr(special, letter) : NULL;
    if (at)
        g_string_append_printf(text, "\\%c", names[at - special]);
    else if (letter == (uint8_t)quote || letter == '\\')
        g_string_append_printf(text, "\\%c", letter);
    else if (letter >= 0x20 && letter < 0x7f)
        g_string_append_c(text, (char)letter);
    else
        g_string_append_printf(text, "\\%03o", letter);
}

static void print_letter(Print *print, const uint8_t *bytes, bool is_signed)
{
    g_string_append_printf(print->text, "%d '", is_signed ? (int8_t)bytes[0] : bytes[0]);
    append_letter(print->text, bytes[0], '\'');
    g_string_append_c(print->text, '\'');
}

static void print_float(Print *print, const uint8_t *bytes, size_t size)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    float single;
    double number;
    long double extended = 0;
    if (size == sizeof single) {
        memcpy(&single, bytes, sizeof single);
        g_string_append(print->text, g_ascii_formatd(buffer, sizeof buffer, "%.9g", (double)single));
    } else if (size == sizeof number) {
        memcpy(&number, bytes, sizeof number);
        g_string_append(print->text, g_ascii_formatd(buffer, sizeof buffer, "%.17g", number));
    } else if (size == sizeof extended) {
        memcpy(&extended, bytes, 10);
        g_string_append(print->text, g_ascii_formatd(buffer, sizeof buffer, "%.17g", (double)extended));
    } else {
        g_string_append(print->text, "...");
    }
}

static void print_base(Print *print, Dwarf_Die *type, const uint8_t *bytes, size_t size)
{
    uint64_t encoding = 0;
    rw_die_number(type, DW_AT_encoding, &encoding);
    if (encoding == DW_ATE_float)
        print_float(print, bytes, size);
    else if (size > 8)
        g_string_append(print->text, "...");
    else if (encoding == DW_ATE_boolean && load(bytes, size) <= 1)
        g_string_append(print->text, load(bytes, size) ? "true" : "false");
    else if (size == 1 && (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char))
        print_letter(print, bytes, encoding == DW_ATE_signed_char);
    else if (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char)
        g_string_append_printf(print->text, "%" G_GINT64_FORMAT, load_signed(bytes, size));
    else
        g_string_append_printf(print->text, "%" G_GUINT64_FORMAT, load(bytes, size));
}

// ---- Enumerations ----

static bool value_of_enumerator(Dwarf_Die *die, size_t size, uint64_t *ret)
{
    Dwarf_Attribute attribute;
    Dwarf_Sword value;
    if (dwarf_tag(die) != DW_TAG_enumerator || !dwarf_attr(die, DW_AT_const_value, &attribute) ||
        dwarf_formsdata(&attribute, &value))
        return false;
    *ret = size < 8 ? (uint64_t)value & ((1ull << 8 * size) - 1) : (uint64_t)value;
    return true;
}

// Several that are bits, together: (A | B).
static bool print_flags(Print *print, Dwarf_Die *type, uint64_t value, size_t size)
{
    Dwarf_Die die;
    unsigned looked = 0;
    uint64_t bit, left = value;
    g_autoptr(GString) text = g_string_new("(");
    if (dwarf_child(type, &die))
        return false;
    do {
        if (!value_of_enumerator(&die, size, &bit) || !bit || (bit & (bit - 1)) || !(left & bit))
            continue;
        g_string_append_printf(text, "%s%s", text->len > 1 ? " | " : "", rw_die_name(&die));
        left &= ~bit;
    } while (++looked < ENUMERATORS_MAX && !dwarf_siblingof(&die, &die));
    if (left || text->len == 1)
        return false;
    g_string_append_printf(print->text, "%s)", text->str);
    return true;
}

static void print_enumeration(Print *print, Dwarf_Die *type, const uint8_t *bytes, size_t size)
{
    uint64_t value = load(bytes, size), one;
    unsigned looked = 0;
    Dwarf_Die die;
    if (!dwarf_child(type, &die))
        do
            if (value_of_enumerator(&die, size, &one) && one == value && rw_die_name(&die)) {
                g_string_append(print->text, rw_die_name(&die));
                return;
            }
        while (++looked < ENUMERATORS_MAX && !dwarf_siblingof(&die, &die));
    if (!print_flags(print, type, value, size))
        g_string_append_printf(print->text, "%" G_GINT64_FORMAT, load_signed(bytes, size));
}

// ---- Pointers ----

static bool is_letter(Dwarf_Die type)
{
    uint64_t size, encoding;
    return rw_type_peel(&type) && dwarf_tag(&type) == DW_TAG_base_type &&
           rw_die_number(&type, DW_AT_byte_size, &size) && size == 1 &&
           rw_die_number(&type, DW_AT_encoding, &encoding) &&
           (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

// A string there, if it is readable at all.
static void append_string_at(Print *print, uint64_t address)
{
    char bytes[STRING_MAX];
    const RwSymbolsMemory *memory = print->frame->memory;
    size_t n = memory->read(address, bytes, sizeof bytes, memory->data), length = strnlen(bytes, n);
    if (!n)
        return;
    g_string_append(print->text, " \"");
    for (size_t i = 0; i < length; i++)
        append_letter(print->text, (uint8_t)bytes[i], '"');
    g_string_append(print->text, length == n ? "\"..." : "\"");
}

static void print_pointer(Print *print, Dwarf_Die *type, const uint8_t *bytes, size_t size)
{
    uint64_t address = load(bytes, size);
    Dwarf_Die to;
    bool has_type = rw_value_type_of(type, &to);
    g_string_append_printf(print->text, "0x%" G_GINT64_MODIFIER "x", address);
    g_autofree char *name =
        address ? rw_symbols_dup_name(print->frame->guest, print->frame->maps, address) : NULL;
    if (name)
        g_string_append_printf(print->text, " <%s>", name);
    if (address && has_type && is_letter(to))
        append_string_at(print, address);
}

static void print_reference(Print *print, Dwarf_Die *type, const uint8_t *bytes, size_t size)
{
    uint64_t address = load(bytes, size);
    Dwarf_Die to;
    uint8_t there[256];
    const RwSymbolsMemory *memory = print->frame->memory;
    g_string_append_printf(print->text, "@0x%" G_GINT64_MODIFIER "x", address);
    size_t wanted = rw_value_type_of(type, &to) ? MIN(rw_value_size(&to), sizeof there) : 0;
    if (wanted && memory->read(address, there, wanted, memory->data) == wanted) {
        g_string_append(print->text, ": ");
        print_value(print, &to, there, wanted);
    }
}

// ---- Structures ----

// A member of some bits, as a number of its type.
static bool read_bits(Dwarf_Die *member, uint64_t offset, const uint8_t *bytes, size_t size, uint8_t ret[8])
{
    uint64_t width, from, value = 0;
    if (!rw_die_number(member, DW_AT_bit_size, &width) || !width || width > 57 ||
        !rw_die_number(member, DW_AT_data_bit_offset, &from))
        return false;
    from += offset * 8;
    if (from / 8 >= size)
        return false;
    memcpy(&value, bytes + from / 8, MIN(8, size - from / 8));
    value = value >> from % 8 & ((1ull << width) - 1);
    memcpy(ret, &value, 8);
    return true;
}

static void print_member(Print *print, Dwarf_Die *member, const uint8_t *bytes, size_t size)
{
    Dwarf_Die type;
    uint8_t bits[8];
    uint64_t offset = 0, own;
    rw_die_number(member, DW_AT_data_member_location, &offset);
    own = rw_value_type_of(member, &type) ? rw_value_size(&type) : 0;
    if (own && own <= 8 && read_bits(member, offset, bytes, size, bits))
        print_value(print, &type, bits, own);
    else if (own && offset <= size && own <= size - offset)
        print_value(print, &type, bytes + offset, own);
    else
        g_string_append(print->text, "...");
}

static void print_structure(Print *print, Dwarf_Die *type, const uint8_t *bytes, size_t size)
{
    Dwarf_Die die;
    Dwarf_Attribute none;
    unsigned shown = 0, looked = 0;
    g_string_append_c(print->text, '{');
    if (!dwarf_child(type, &die))
        do {
            int tag = dwarf_tag(&die);
            if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
                dwarf_attr(&die, DW_AT_external, &none) || dwarf_attr(&die, DW_AT_declaration, &none))
                continue;
            const char *name = rw_die_name(&die);
            g_string_append(print->text, shown++ ? ", " : "");
            if (shown > MEMBERS_MAX || print->text->len > TEXT_MAX) {
                g_string_append(print->text, "...");
                break;
            }
            if (name)
                g_string_append_printf(print->text, "%s = ", name);
            print_member(print, &die, bytes, size);
        } while (++looked < RW_DIES_MAX && !dwarf_siblingof(&die, &die));
    g_string_append_c(print->text, '}');
}

// ---- Arrays ----

// Up to the zeros behind it, which are counted where there are many.
static void print_letters(Print *print, const uint8_t *bytes, size_t size)
{
    size_t used = size, shown;
    while (used && !bytes[used - 1])
        used--;
    size_t zeros = size > used ? size - used - 1 : 0; // the first one ends the string
    shown = MIN(used, STRING_MAX);
    g_string_append_c(print->text, '"');
    for (size_t i = 0; i < shown; i++)
        append_letter(print->text, bytes[i], '"');
    for (size_t i = 0; shown == used && zeros < REPEATS && i < zeros; i++)
        g_string_append(print->text, "\\000");
    g_string_append_c(print->text, '"');
    if (shown < used)
        g_string_append(print->text, "...");
    else if (zeros >= REPEATS)
        g_string_append_printf(print->text, ", '\\000' <repeats %zu times>", zeros);
}

static size_t count_same(const uint8_t *bytes, size_t n, size_t each)
{
    size_t same = 1;
    while (same < n && !memcmp(bytes, bytes + same * each, each))
        same++;
    return same;
}

static void print_elements(Print *print, Dwarf_Die *of, const uint8_t *bytes, size_t n, size_t each)
{
    unsigned shown = 0;
    g_string_append_c(print->text, '{');
    for (size_t i = 0; i < n;) {
        size_t same = count_same(bytes + i * each, n - i, each);
        g_string_append(print->text, shown++ ? ", " : "");
        if (shown > ELEMENTS_MAX || print->text->len > TEXT_MAX) {
            g_string_append(print->text, "...");
            break;
        }
        print_value(print, of, bytes + i * each, each);
        if (same >= REPEATS)
            g_string_append_printf(print->text, " <repeats %zu times>", same);
        i += same >= REPEATS ? same : 1;
    }
    g_string_append_c(print->text, '}');
}

static void print_array(Print *print, Dwarf_Die *type, const uint8_t *bytes, size_t size)
{
    Dwarf_Die of;
    uint64_t n;
    size_t each = rw_value_type_of(type, &of) ? rw_value_size(&of) : 0;
    if (!each || rw_type_dimensions(type) != 1 || !rw_type_elements(type, &n))
        g_string_append(print->text, "{...}");
    else if (is_letter(of))
        print_letters(print, bytes, (size_t)MIN(n, size));
    else
        print_elements(print, &of, bytes, (size_t)MIN(n, size / each), each);
}

// ---- Any ----

static void print_by_tag(Print *print, Dwarf_Die *type, const uint8_t *bytes, size_t size)
{
    switch (dwarf_tag(type)) {
    case DW_TAG_base_type:
        print_base(print, type, bytes, size);
        break;
    case DW_TAG_enumeration_type:
        print_enumeration(print, type, bytes, size);
        break;
    case DW_TAG_pointer_type:
        print_pointer(print, type, bytes, size);
        break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        print_reference(print, type, bytes, size);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        print_structure(print, type, bytes, size);
        break;
    case DW_TAG_array_type:
        print_array(print, type, bytes, size);
        break;
    default:
        g_string_append(print->text, "...");
    }
}

static void print_value(Print *print, Dwarf_Die *type, const uint8_t *bytes, size_t size)
{
    Dwarf_Die peeled = *type;
    if (print->depth >= DEPTH_MAX || print->text->len > TEXT_MAX || !rw_type_peel(&peeled)) {
        g_string_append(print->text, "...");
        return;
    }
    print->depth++;
    print_by_tag(print, &peeled, bytes, size);
    print->depth--;
}

char *rw_value_dup_text(const RwVariablesFrame *frame, Dwarf_Die *type, const RwValue *value)
{
    g_autoptr(GString) text = g_string_new(NULL);
    size_t size = rw_value_size(type);
    if (value->state == RW_VALUE_NONE)
        return g_strdup("<optimized out>");
    if (value->state == RW_VALUE_POINTER)
        return g_strdup("<synthetic pointer>");
    if (value->state == RW_VALUE_UNKNOWN || !size || value->size < size)
        return g_strdup("<unavailable>");
    print_value(&(Print){frame, text, 0}, type, value->bytes, size);
    return g_utf8_make_valid(text->str, (gssize)text->len);
}
