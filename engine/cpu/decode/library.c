// SPDX-License-Identifier: MIT
// Any instruction, by the decoder library.
#include "library-private.h"

#include "state-private.h"

void rw_library_init(ZydisDecoder *zydis)
{
    ZydisDecoderInit(zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    // Extensions that reuse older encodings: without them ENDBR64, BNDxx and CLDEMOTE are the NOPs, and
    // F3 BSR/BSF the plain instructions, that they are on a CPU of this model.
    static const ZydisDecoderMode off[] = {
        ZYDIS_DECODER_MODE_MPX,   ZYDIS_DECODER_MODE_CET,      ZYDIS_DECODER_MODE_LZCNT,
        ZYDIS_DECODER_MODE_TZCNT, ZYDIS_DECODER_MODE_CLDEMOTE,
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(off); i++)
        ZydisDecoderEnableMode(zydis, off[i], ZYAN_FALSE);
}

// ---- Registers ----

static RwRegClass class_of(ZydisRegister reg)
{
    switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
        return RW_CLASS_GPR8;
    case ZYDIS_REGCLASS_GPR16:
        return RW_CLASS_GPR16;
    case ZYDIS_REGCLASS_GPR32:
        return RW_CLASS_GPR32;
    case ZYDIS_REGCLASS_GPR64:
        return RW_CLASS_GPR64;
    case ZYDIS_REGCLASS_XMM:
        return RW_CLASS_XMM;
    case ZYDIS_REGCLASS_MMX:
        return RW_CLASS_MMX;
    case ZYDIS_REGCLASS_X87:
        return RW_CLASS_X87;
    case ZYDIS_REGCLASS_SEGMENT:
        return RW_CLASS_SEGMENT;
    case ZYDIS_REGCLASS_CONTROL:
        return RW_CLASS_CONTROL;
    case ZYDIS_REGCLASS_DEBUG:
        return RW_CLASS_DEBUG;
    default:
        return RW_CLASS_OTHER;
    }
}

static uint8_t number_of(ZydisRegister reg)
{
    if (ZydisRegisterGetClass(reg) != ZYDIS_REGCLASS_GPR8)
        return (uint8_t)ZydisRegisterGetId(reg);
    if (reg < ZYDIS_REGISTER_AH)
        return (uint8_t)((reg - ZYDIS_REGISTER_AL) * 8);
    if (reg < ZYDIS_REGISTER_SPL)
        return (uint8_t)((reg - ZYDIS_REGISTER_AH) * 8 + 1);
    return (uint8_t)((reg - ZYDIS_REGISTER_SPL + RW_R_RSP) * 8);
}

static uint8_t address_slot(ZydisRegister reg)
{
    if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP)
        return RW_R_PAGE;
    return reg == ZYDIS_REGISTER_NONE ? RW_R_ZERO : number_of(reg);
}

// The bases of the others are 0 in 64-bit mode.
static uint8_t segment_slot(ZydisRegister segment)
{
    return segment == ZYDIS_REGISTER_FS   ? RW_R_FSBASE
           : segment == ZYDIS_REGISTER_GS ? RW_R_GSBASE
                                          : RW_R_ZERO;
}

// ---- Operands ----

static void take_memory(RwOpnd *to, const ZydisDecodedOperand *from)
{
    to->type = RW_OPND_MEM;
    to->size = from->size;
    to->base = address_slot(from->mem.base);
    to->index = address_slot(from->mem.index);
    to->segment = segment_slot(from->mem.segment);
    to->scale = from->mem.scale > 1 ? (uint8_t)__builtin_ctz(from->mem.scale) : 0;
    to->disp = from->mem.disp.has_displacement ? from->mem.disp.value : 0;
}

static void take_operand(RwOpnd *to, const ZydisDecodedOperand *from)
{
    *to = (RwOpnd){.type = RW_OPND_NONE};
    switch (from->type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
        to->type = RW_OPND_REG;
        to->class = class_of(from->reg.value);
        to->reg = number_of(from->reg.value);
        to->size = rw_opnd_is_any_gpr(to) ? from->size : 0;
        break;
    case ZYDIS_OPERAND_TYPE_MEMORY:
        take_memory(to, from);
        break;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
        to->type = RW_OPND_IMM;
        to->imm = from->imm.value.s;
        break;
    default:
        to->type = RW_OPND_FAR;
        break;
    }
}

static RwElement element_of(ZydisElementType type)
{
    return type == ZYDIS_ELEMENT_TYPE_INT       ? RW_ELEMENT_INT
           : type == ZYDIS_ELEMENT_TYPE_LONGBCD ? RW_ELEMENT_BCD
                                                : RW_ELEMENT_FLOAT;
}

// ---- The rest ----

static RwOpcodeMap map_of(ZydisOpcodeMap map)
{
    switch (map) {
    case ZYDIS_OPCODE_MAP_DEFAULT:
        return RW_MAP_ONE;
    case ZYDIS_OPCODE_MAP_0F:
        return RW_MAP_0F;
    case ZYDIS_OPCODE_MAP_0F38:
        return RW_MAP_0F38;
    case ZYDIS_OPCODE_MAP_0F3A:
        return RW_MAP_0F3A;
    default:
        return RW_MAP_OTHER;
    }
}

static RwFlow flow_of(ZydisInstructionCategory category)
{
    switch (category) {
    case ZYDIS_CATEGORY_COND_BR:
        return RW_FLOW_BRANCH;
    case ZYDIS_CATEGORY_UNCOND_BR:
        return RW_FLOW_JUMP;
    case ZYDIS_CATEGORY_CALL:
        return RW_FLOW_CALL;
    default:
        return RW_FLOW_NONE;
    }
}

static uint8_t last_repetition(const ZydisDecodedInstruction *insn)
{
    for (unsigned i = insn->raw.prefix_count; i-- > 0;)
        if (insn->raw.prefixes[i].value == 0xf2 || insn->raw.prefixes[i].value == 0xf3)
            return insn->raw.prefixes[i].value;
    return 0;
}

static void take(RwDecoded *to, const ZydisDecodedInstruction *from, const ZydisDecodedOperand *opnd)
{
    uint64_t attributes = from->attributes;
    *to = (RwDecoded){
        .mnemonic = (uint16_t)from->mnemonic,
        .length = from->length,
        .operand_width = from->operand_width,
        .address_width = from->address_width,
        .map = map_of(from->opcode_map),
        .opcode = from->opcode,
        .modrm = (uint8_t)(from->raw.modrm.mod << 6 | from->raw.modrm.reg << 3 | from->raw.modrm.rm),
        .rep = last_repetition(from),
        .segment = attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS   ? RW_R_FSBASE
                   : attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS ? RW_R_GSBASE
                                                              : RW_R_ZERO,
        .flow = flow_of(from->meta.category),
        .far = from->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR,
        .rex_w = attributes & ZYDIS_ATTRIB_HAS_REX && from->raw.rex.W,
        .n_opnds = MIN(from->operand_count_visible, RW_INSN_MAX_OPNDS),
    };
    bool x87 = to->map == RW_MAP_ONE && (to->opcode & 0xf8) == 0xd8;
    for (unsigned i = 0; i < to->n_opnds; i++) {
        take_operand(&to->opnd[i], &opnd[i]);
        if (x87)
            to->opnd[i].element = (uint8_t)element_of(opnd[i].element_type);
    }
}

RwDecodeStatus rw_library_decode(const ZydisDecoder *zydis, const uint8_t *bytes, unsigned n,
                                 RwDecoded *ret)
{
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand opnd[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderContext context;
    ZyanStatus status = ZydisDecoderDecodeInstruction(zydis, &context, bytes, n, &insn);
    if (ZYAN_SUCCESS(status))
        status = ZydisDecoderDecodeOperands(zydis, &context, &insn, opnd, insn.operand_count_visible);
    if (status == ZYDIS_STATUS_NO_MORE_DATA)
        return RW_DECODE_MORE;
    if (status == ZYDIS_STATUS_INSTRUCTION_TOO_LONG)
        return RW_DECODE_TOO_LONG;
    if (ZYAN_FAILED(status))
        return RW_DECODE_BAD;
    rw_library_mend(&insn, opnd);
    take(ret, &insn, opnd);
    return RW_DECODED;
}
