// SPDX-License-Identifier: MIT
// Segment descriptors and segment registers. Intel SDM volume 3, 3.4 and 5.
#include "system-private.h"

void rw_put_segment(RwCpu *cpu, unsigned s, const RwSegment *segment)
{
    cpu->seg[s] = *segment;
    if (s == RW_FS)
        cpu->r[RW_R_FSBASE] = segment->base;
    else if (s == RW_GS)
        cpu->r[RW_R_GSBASE] = segment->base;
}

RwSegment rw_null_segment(uint16_t selector)
{
    return (RwSegment){.selector = selector, .attr = RW_ATTR_UNUSABLE};
}

RwSegment rw_unpack_segment(uint16_t selector, uint64_t d)
{
    uint32_t limit = (uint32_t)(d & 0xffff) | (uint32_t)(d >> 32 & 0xf0000);
    uint16_t attr = (uint16_t)(d >> 40 & 0xf0ff);
    if (attr & RW_ATTR_G)
        limit = limit << 12 | 0xfff;
    return (RwSegment){
        .base = (d >> 16 & 0xffffff) | (d >> 56) << 24,
        .limit = limit,
        .selector = selector,
        .attr = attr,
    };
}

// The table that a selector names; false when it has none (no LDT).
static bool get_table(const RwCpu *cpu, uint16_t selector, uint64_t *ret_base, uint32_t *ret_limit)
{
    const RwSegment *ldt = &cpu->seg[RW_LDTR];
    if (!(selector & 4)) {
        *ret_base = cpu->gdt_base;
        *ret_limit = cpu->gdt_limit;
        return true;
    }
    *ret_base = ldt->base;
    *ret_limit = ldt->limit;
    return !(ldt->attr & RW_ATTR_UNUSABLE) && (ldt->attr & RW_ATTR_P);
}

static bool read_table(RwCpu *cpu, uint16_t selector, unsigned part, int vector, uint32_t ext,
                       uint64_t *ret)
{
    uint64_t base;
    uint32_t limit, offset = (selector & ~7u) + part;
    if (!get_table(cpu, selector, &base, &limit) || offset + 7 > limit)
        return rw_sys_raise(cpu, vector, (selector & ~3u) | ext);
    return rw_sys_read(cpu, base + offset, ret, 8);
}

bool rw_read_descriptor(RwCpu *cpu, uint16_t selector, int vector, uint32_t ext, uint64_t *ret_descriptor)
{
    return read_table(cpu, selector, 0, vector, ext, ret_descriptor);
}

bool rw_read_descriptor_high(RwCpu *cpu, uint16_t selector, int vector, uint32_t ext, uint64_t *ret_high)
{
    return read_table(cpu, selector, 8, vector, ext, ret_high);
}

bool rw_mark_accessed(RwCpu *cpu, uint16_t selector, uint64_t descriptor)
{
    uint64_t base;
    uint32_t limit;
    uint8_t access = (uint8_t)(descriptor >> 40) | RW_ATTR_ACCESSED;
    if (descriptor >> 40 & RW_ATTR_ACCESSED)
        return true;
    get_table(cpu, selector, &base, &limit);
    return rw_sys_write(cpu, base + (selector & ~7u) + 5, &access, 1);
}

bool rw_load_ss(RwCpu *cpu, uint16_t selector, unsigned new_cpl, RwSegment *ret_segment)
{
    uint64_t d;
    uint16_t attr;
    if (!(selector & ~3u)) {
        // 64-bit mode runs with a null SS in every ring but 3.
        if (new_cpl == 3 || (selector & 3) != new_cpl)
            return rw_sys_raise(cpu, RW_GP, 0);
        *ret_segment = rw_null_segment(selector);
        return true;
    }
    if (!rw_read_descriptor(cpu, selector, RW_GP, 0, &d))
        return false;
    attr = (uint16_t)(d >> 40);
    if ((selector & 3) != new_cpl || rw_attr_dpl(attr) != new_cpl || !(attr & RW_ATTR_S) ||
        (attr & RW_ATTR_CODE) || !(attr & RW_ATTR_WRITABLE))
        return rw_sys_raise(cpu, RW_GP, selector & ~3u);
    if (!(attr & RW_ATTR_P))
        return rw_sys_raise(cpu, RW_SS_FAULT, selector & ~3u);
    if (!rw_mark_accessed(cpu, selector, d))
        return false;
    *ret_segment = rw_unpack_segment(selector, d | (uint64_t)RW_ATTR_ACCESSED << 40);
    return true;
}

static bool load_data_segment(RwCpu *cpu, uint16_t selector, RwSegment *ret_segment)
{
    uint64_t d;
    uint16_t attr;
    unsigned dpl, rpl = selector & 3;
    bool readable, conforming;
    if (!(selector & ~3u)) {
        *ret_segment = rw_null_segment(selector);
        return true;
    }
    if (!rw_read_descriptor(cpu, selector, RW_GP, 0, &d))
        return false;
    attr = (uint16_t)(d >> 40);
    dpl = rw_attr_dpl(attr);
    readable = !(attr & RW_ATTR_CODE) || (attr & RW_ATTR_READABLE);
    conforming = (attr & RW_ATTR_CODE) && (attr & RW_ATTR_CONFORMING);
    if (!(attr & RW_ATTR_S) || !readable || (!conforming && (rpl > dpl || cpu->cpl > dpl)))
        return rw_sys_raise(cpu, RW_GP, selector & ~3u);
    if (!(attr & RW_ATTR_P))
        return rw_sys_raise(cpu, RW_NP, selector & ~3u);
    if (!rw_mark_accessed(cpu, selector, d))
        return false;
    *ret_segment = rw_unpack_segment(selector, d | (uint64_t)RW_ATTR_ACCESSED << 40);
    return true;
}

bool rw_load_segment(RwCpu *cpu, unsigned s, uint16_t selector)
{
    RwSegment segment;
    bool ok = s == RW_SS ? rw_load_ss(cpu, selector, cpu->cpl, &segment)
                         : load_data_segment(cpu, selector, &segment);
    if (ok)
        rw_put_segment(cpu, s, &segment);
    return ok;
}

bool rw_read_tss_stack(RwCpu *cpu, unsigned ring, unsigned ist, uint32_t ext, uint64_t *ret_rsp)
{
    // SDM volume 3, figure 8-11: RSP0 at 4, IST1 at 36.
    unsigned offset = ist ? 28 + 8 * ist : 4 + 8 * ring;
    const RwSegment *tr = &cpu->seg[RW_TR];
    if ((tr->attr & RW_ATTR_UNUSABLE) || offset + 7 > tr->limit)
        return rw_sys_raise(cpu, RW_TS, (tr->selector & ~3u) | ext);
    if (!rw_sys_read(cpu, tr->base + offset, ret_rsp, 8))
        return false;
    return rw_is_canonical(*ret_rsp) || rw_sys_raise(cpu, RW_SS_FAULT, ext);
}

bool rw_check_code64(RwCpu *cpu, uint16_t selector, uint64_t descriptor, uint32_t ext)
{
    uint16_t attr = (uint16_t)(descriptor >> 40);
    uint32_t error = (selector & ~3u) | ext;
    if (!(attr & RW_ATTR_S) || !(attr & RW_ATTR_CODE))
        return rw_sys_raise(cpu, RW_GP, error);
    if (!(attr & RW_ATTR_P))
        return rw_sys_raise(cpu, RW_NP, error);
    if ((attr & RW_ATTR_L) && (attr & RW_ATTR_D))
        return rw_sys_raise(cpu, RW_GP, error);
    if (!(attr & RW_ATTR_L))
        return rw_sys_unsupported(cpu, "a 32-bit code segment");
    return true;
}

bool rw_load_cs(RwCpu *cpu, uint16_t selector, uint64_t d, unsigned new_cpl)
{
    if (!rw_mark_accessed(cpu, selector, d))
        return false;
    d |= (uint64_t)RW_ATTR_ACCESSED << 40;
    cpu->seg[RW_CS] = rw_unpack_segment((uint16_t)((selector & ~3u) | new_cpl), d);
    return true;
}
