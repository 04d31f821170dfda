// SPDX-License-Identifier: MIT
// Who decodes an instruction: the table most, the library what is rare.
#include "decoder-private.h"

#include <glib.h>

RwInsnDecoder *rw_insn_decoder_new(void)
{
    RwInsnDecoder *d = g_new0(RwInsnDecoder, 1);
    rw_library_init(&d->zydis);
    rw_table_init(&d->table);
    return d;
}

void rw_insn_decoder_free(RwInsnDecoder *d)
{
    g_free(d);
}

RwDecodeStatus rw_decode_insn(const RwInsnDecoder *d, const uint8_t *bytes, unsigned n, RwDecoded *ret)
{
    RwTableStatus status = rw_table_decode(&d->table, bytes, n, ret);
    if (status == RW_TABLE_DECODED)
        return RW_DECODED;
    return status == RW_TABLE_MORE ? RW_DECODE_MORE : rw_library_decode(&d->zydis, bytes, n, ret);
}
