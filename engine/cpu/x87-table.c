// SPDX-License-Identifier: MIT
/* The x87 group's mnemonics. */
#include "sse.h"
#include "x87.h"

#define ROW(name, emitter, arg)                                                                            \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, emitter, arg                                                                \
    }

const RwMnemonic rw_group_x87[] = {
    ROW(FXSAVE, rw_emit_fx, RW_FX_SAVE),
    ROW(FXSAVE64, rw_emit_fx, RW_FX_SAVE64),
    ROW(FXRSTOR, rw_emit_fx, RW_FX_RSTOR),
    ROW(FXRSTOR64, rw_emit_fx, RW_FX_RSTOR64),
    ROW(FNINIT, rw_emit_x87_plain, RW_X87_FNINIT),
    ROW(FNCLEX, rw_emit_x87_plain, RW_X87_FNCLEX),
    ROW(FWAIT, rw_emit_x87_plain, RW_X87_FWAIT),
    ROW(FNOP, rw_emit_x87_plain, RW_X87_FNOP),
    ROW(FINCSTP, rw_emit_x87_plain, RW_X87_FINCSTP),
    ROW(FDECSTP, rw_emit_x87_plain, RW_X87_FDECSTP),
    ROW(EMMS, rw_emit_x87_plain, RW_X87_EMMS),
    ROW(FFREE, rw_emit_x87_ffree, 0),
    ROW(FFREEP, rw_emit_x87_ffree, 1),
    ROW(FNSTSW, rw_emit_x87_fnstsw, 0),
    ROW(FLDCW, rw_emit_x87_mem, RW_X87_FLDCW),
    ROW(FNSTCW, rw_emit_x87_mem, RW_X87_FNSTCW),
    ROW(FNSTENV, rw_emit_x87_mem, RW_X87_FNSTENV),
    ROW(FLDENV, rw_emit_x87_mem, RW_X87_FLDENV),
    ROW(FNSAVE, rw_emit_x87_mem, RW_X87_FNSAVE),
    ROW(FRSTOR, rw_emit_x87_mem, RW_X87_FRSTOR),
    {ZYDIS_MNEMONIC_INVALID, NULL, 0},
};
