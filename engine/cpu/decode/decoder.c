// SPDX-License-Identifier: MIT
// Who decodes an instruction.
#include "library-private.h"

#include <glib.h>

RwInsnDecoder *rw_insn_decoder_new(void)
{
    RwInsnDecoder *d = g_new0(RwInsnDecoder, 1);
    rw_library_init(&d->zydis);
    return d;
}

void rw_insn_decoder_free(RwInsnDecoder *d)
{
    g_free(d);
}

RwDecodeStatus rw_decode_insn(const RwInsnDecoder *d, const uint8_t *bytes, unsigned n, RwDecoded *ret)
{
    return rw_library_decode(&d->zydis, bytes, n, ret);
}
