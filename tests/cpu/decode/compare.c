// SPDX-License-Identifier: MIT
#include "compare.h"

#include <string.h>

void compare_init(Compare *c)
{
    *c = (Compare){.decoder = rw_insn_decoder_new(), .mnemonics = g_hash_table_new(NULL, NULL)};
}

void compare_clear(Compare *c)
{
    rw_insn_decoder_free(c->decoder);
    g_hash_table_unref(c->mnemonics);
}

// ---- Words ----

static void append_operand(GString *s, const RwOpnd *o)
{
    g_string_append_printf(s, " {type %u class %u reg %u size %u element %u", o->type, o->class, o->reg,
                           o->size, o->element);
    g_string_append_printf(s, " base %u index %u scale %u segment %u value %" G_GINT64_MODIFIER "x}",
                           o->base, o->index, o->scale, o->segment, (guint64)o->uimm);
}

static char *words(const RwDecoded *d)
{
    GString *s = g_string_new(ZydisMnemonicGetString(d->mnemonic));
    g_string_append_printf(
        s, " length %u width %u address %u map %u opcode %02x modrm %02x rep %02x segment %u", d->length,
        d->operand_width, d->address_width, d->map, d->opcode, d->modrm, d->rep, d->segment);
    g_string_append_printf(s, " flow %u far %d w %d n %u:", d->flow, d->far, d->rex_w, d->n_opnds);
    for (unsigned i = 0; i < RW_INSN_MAX_OPNDS; i++)
        append_operand(s, &d->opnd[i]);
    return g_string_free(s, FALSE);
}

static char *words_of_bytes(const uint8_t *bytes, unsigned n)
{
    GString *s = g_string_new(NULL);
    for (unsigned i = 0; i < n; i++)
        g_string_append_printf(s, "%02x ", bytes[i]);
    return g_string_free(s, FALSE);
}

// ---- Comparison ----

static bool same_operand(const RwOpnd *a, const RwOpnd *b)
{
    return a->type == b->type && a->class == b->class && a->reg == b->reg && a->size == b->size &&
           a->element == b->element && a->base == b->base && a->index == b->index && a->scale == b->scale &&
           a->segment == b->segment && a->uimm == b->uimm;
}

static bool same(const RwDecoded *a, const RwDecoded *b)
{
    bool header = a->mnemonic == b->mnemonic && a->length == b->length &&
                  a->operand_width == b->operand_width && a->address_width == b->address_width &&
                  a->map == b->map && a->opcode == b->opcode && a->modrm == b->modrm && a->rep == b->rep &&
                  a->segment == b->segment && a->flow == b->flow && a->far == b->far &&
                  a->rex_w == b->rex_w && a->n_opnds == b->n_opnds;
    if (!header)
        return false;
    for (unsigned i = 0; i < RW_INSN_MAX_OPNDS; i++)
        if (i < a->n_opnds ? !same_operand(&a->opnd[i], &b->opnd[i]) : a->opnd[i].type != b->opnd[i].type)
            return false;
    return true;
}

static void fail(const uint8_t *bytes, unsigned n, const char *ours, const char *theirs)
{
    g_autofree char *text = words_of_bytes(bytes, n);
    g_error("%s\n  table:   %s\n  library: %s", text, ours, theirs);
}

static void compare_decoded(Compare *c, const uint8_t *bytes, unsigned n, const RwDecoded *ours,
                            RwDecodeStatus status, const RwDecoded *theirs)
{
    c->decoded++;
    g_hash_table_add(c->mnemonics, GUINT_TO_POINTER(ours->mnemonic));
    if (status == RW_DECODED && same(ours, theirs))
        return;
    g_autofree char *a = words(ours);
    g_autofree char *b =
        status == RW_DECODED ? words(theirs) : g_strdup_printf("not an instruction: %d", (int)status);
    fail(bytes, n, a, b);
}

void compare_bytes(Compare *c, const uint8_t *bytes, unsigned n)
{
    RwDecoded ours, theirs;
    memset(&ours, 0xa5, sizeof ours);
    RwTableStatus said = rw_table_decode(&c->decoder->table, bytes, n, &ours);
    c->asked++;
    if (said == RW_TABLE_RARE) {
        c->rare++;
        return;
    }
    RwDecodeStatus status = rw_library_decode(&c->decoder->zydis, bytes, n, &theirs);
    if (said == RW_TABLE_DECODED) {
        compare_decoded(c, bytes, n, &ours, status, &theirs);
        return;
    }
    c->more++;
    if (status != RW_DECODE_MORE)
        fail(bytes, n, "more bytes", status == RW_DECODED ? "an instruction" : "no instruction");
}
