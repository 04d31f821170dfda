// SPDX-License-Identifier: MIT
// Exceptions and interrupts: from a vector to the handler's first instruction, through the IDT.
// Intel SDM volume 3, chapter 6, "interrupt and exception handling in 64-bit mode".
#include "system-private.h"

typedef struct {
    int vector;
    int64_t error; // RW_NO_ERROR: none is pushed
    bool software; // INT n, INT3: the gate's DPL counts, and the cause isn't external
    bool fault; // RFLAGS.RF is set in the pushed image
} Event;

typedef enum { BENIGN, CONTRIBUTORY, PAGE_FAULT, DOUBLE_FAULT } EventClass;

static const char *const vector_names[32] = {
    "#DE", "#DB", "NMI", "#BP", "#OF", "#BR", "#UD", "#NM", "#DF", NULL,
    "#TS", "#NP", "#SS", "#GP", "#PF", NULL,  "#MF", "#AC", "#MC", "#XM",
};

static EventClass classify(const Event *ev)
{
    static const uint8_t classes[32] = {
        [RW_DE] = CONTRIBUTORY,       [RW_TS] = CONTRIBUTORY, [RW_NP] = CONTRIBUTORY,
        [RW_SS_FAULT] = CONTRIBUTORY, [RW_GP] = CONTRIBUTORY, [RW_PF] = PAGE_FAULT,
        [RW_DF] = DOUBLE_FAULT,
    };
    return ev->software || ev->vector > 31 ? BENIGN : classes[ev->vector];
}

static bool has_error(int vector)
{
    return vector == RW_DF || (vector >= RW_TS && vector <= RW_PF) || vector == RW_AC;
}

bool rw_sys_raise(RwCpu *cpu, int vector, uint32_t error)
{
    cpu->fault_vector = (uint8_t)vector;
    cpu->fault_error = error;
    return false;
}

bool rw_sys_unsupported(RwCpu *cpu, const char *what)
{
    cpu->fault_vector = RW_SYS_UNSUPPORTED;
    g_strlcpy(cpu->exit.why, what, sizeof cpu->exit.why);
    return false;
}

// What a failed access or check left in the CPU.
static Event take_fault(RwCpu *cpu)
{
    int vector = cpu->fault_vector;
    if (vector == RW_PF)
        cpu->cr2 = cpu->fault_cr2;
    return (Event){
        .vector = vector,
        .error = has_error(vector) ? (int64_t)cpu->fault_error : RW_NO_ERROR,
        .fault = true,
    };
}

// ---- One try ----

typedef struct {
    uint64_t rip;
    uint16_t selector;
    uint8_t ist, type;
    uint64_t code; // descriptor of the handler's segment
} Gate;

static bool read_gate(RwCpu *cpu, const Event *ev, uint32_t ext, Gate *ret_gate)
{
    uint64_t d[2];
    uint32_t offset = (uint32_t)ev->vector * 16, error = (uint32_t)ev->vector * 8 + 2 + ext;
    uint16_t attr;
    if (offset + 15 > cpu->idt_limit)
        return rw_sys_raise(cpu, RW_GP, error);
    if (!rw_sys_read(cpu, cpu->idt_base + offset, d, sizeof d))
        return false;
    attr = (uint16_t)(d[0] >> 40);
    ret_gate->type = attr & 0x1f;
    if (ret_gate->type != RW_TYPE_INTERRUPT_GATE && ret_gate->type != RW_TYPE_TRAP_GATE)
        return rw_sys_raise(cpu, RW_GP, error);
    if (ev->software && rw_attr_dpl(attr) < cpu->cpl)
        return rw_sys_raise(cpu, RW_GP, error);
    if (!(attr & RW_ATTR_P))
        return rw_sys_raise(cpu, RW_NP, error);
    ret_gate->selector = (uint16_t)(d[0] >> 16);
    ret_gate->ist = d[0] >> 32 & 7;
    ret_gate->rip = (d[0] & 0xffff) | (d[0] >> 48) << 16 | d[1] << 32;
    return true;
}

static bool read_handler_segment(RwCpu *cpu, Gate *gate, uint32_t ext)
{
    if (!(gate->selector & ~3u))
        return rw_sys_raise(cpu, RW_GP, ext);
    if (!rw_read_descriptor(cpu, gate->selector, RW_GP, ext, &gate->code))
        return false;
    if (!rw_check_code64(cpu, gate->selector, gate->code, ext))
        return false;
    if (rw_attr_dpl((uint16_t)(gate->code >> 40)) > cpu->cpl)
        return rw_sys_raise(cpu, RW_GP, (gate->selector & ~3u) | ext);
    return true;
}

// Writes the frame below *rsp and moves it there.
static bool push_frame(RwCpu *cpu, const Event *ev, uint64_t *rsp)
{
    uint64_t flags = rw_get_rflags(cpu) | (ev->fault ? RW_FLAG_RF : 0);
    uint64_t frame[6] = {(uint64_t)ev->error,      cpu->rip,
                         cpu->seg[RW_CS].selector, flags,
                         cpu->r[RW_R_RSP],         cpu->seg[RW_SS].selector};
    unsigned first = ev->error == RW_NO_ERROR ? 1 : 0;
    unsigned size = 8 * (6 - first);
    uint64_t top = (*rsp & ~(uint64_t)15) - size;
    if (!rw_sys_write(cpu, top, frame + first, size)) {
        // The slots are pushed from the top, so the highest one that can't be written faults.
        for (unsigned i = 6; i-- > first;)
            if (!rw_sys_write(cpu, top + 8 * (i - first), frame + i, 8))
                break;
        // A stack at a non-canonical address is a fault of the stack.
        return cpu->fault_vector == RW_GP ? rw_sys_raise(cpu, RW_SS_FAULT, 0) : false;
    }
    *rsp = top;
    return true;
}

static void enter_handler(RwCpu *cpu, const Gate *gate, unsigned new_cpl, uint64_t rsp)
{
    RwSegment cs = rw_unpack_segment((uint16_t)((gate->selector & ~3u) | new_cpl),
                                     gate->code | (uint64_t)RW_ATTR_ACCESSED << 40);
    cpu->seg[RW_CS] = cs;
    if (new_cpl != cpu->cpl)
        cpu->seg[RW_SS] = rw_null_segment((uint16_t)new_cpl);
    cpu->r[RW_R_RSP] = rsp;
    cpu->rip = gate->rip;
    cpu->rflags &= ~(uint32_t)(RW_FLAG_TF | RW_FLAG_NT | RW_FLAG_RF | RW_FLAG_VM);
    if (gate->type == RW_TYPE_INTERRUPT_GATE)
        cpu->rflags &= ~(uint32_t)RW_FLAG_IF;
    cpu->shadow = 0;
    cpu->event = 1;
    if (new_cpl != cpu->cpl)
        rw_set_cpl(cpu, new_cpl);
    rw_update_single_step(cpu);
}

// False: another exception, left in the CPU; nothing has changed.
static bool try_deliver(RwCpu *cpu, const Event *ev)
{
    Gate gate;
    uint32_t ext = ev->software ? 0 : 1;
    uint16_t attr;
    unsigned new_cpl;
    uint64_t rsp = cpu->r[RW_R_RSP];
    if (!read_gate(cpu, ev, ext, &gate) || !read_handler_segment(cpu, &gate, ext))
        return false;
    attr = (uint16_t)(gate.code >> 40);
    new_cpl = attr & RW_ATTR_CONFORMING ? cpu->cpl : rw_attr_dpl(attr);
    if ((gate.ist || new_cpl < cpu->cpl) && !rw_read_tss_stack(cpu, new_cpl, gate.ist, ext, &rsp))
        return false;
    if (!rw_is_canonical(gate.rip))
        return rw_sys_raise(cpu, RW_GP, ext);
    if (!rw_mark_accessed(cpu, gate.selector, gate.code) || !push_frame(cpu, ev, &rsp))
        return false;
    if (ev->vector == RW_DB && !ev->software)
        cpu->dr[7] &= ~(uint64_t)RW_DR7_GD;
    enter_handler(cpu, &gate, new_cpl, rsp);
    return true;
}

// ---- Exceptions while delivering one ----

static void describe(GString *text, const RwCpu *cpu, const Event *ev)
{
    const char *name = ev->vector < 32 ? vector_names[ev->vector] : NULL;
    if (text->len)
        g_string_append(text, ", then ");
    if (name)
        g_string_append(text, name);
    else
        g_string_append_printf(text, "interrupt %d", ev->vector);
    if (ev->error != RW_NO_ERROR)
        g_string_append_printf(text, "(0x%x)", (unsigned)ev->error);
    if (ev->vector == RW_PF)
        g_string_append_printf(text, " at 0x%" G_GINT64_MODIFIER "x", cpu->cr2);
}

static int shut_down(RwCpu *cpu, const GString *story)
{
    cpu->exit.kind = RW_EXIT_SHUTDOWN;
    g_snprintf(cpu->exit.why, sizeof cpu->exit.why, "rip 0x%" G_GINT64_MODIFIER "x: %s", cpu->rip,
               story->str);
    cpu->event = 1;
    return RW_LEAVE;
}

// SDM volume 3, table 6-5: what a second exception while delivering the first becomes.
static bool is_double_fault(EventClass first, EventClass second)
{
    return (first == CONTRIBUTORY && second == CONTRIBUTORY) ||
           (first == PAGE_FAULT && (second == CONTRIBUTORY || second == PAGE_FAULT));
}

// The way on after try_deliver() failed. Few guests come here: the text is made only now.
static int __attribute__((noinline, cold)) deliver_nested(RwCpu *cpu, Event ev)
{
    g_autoptr(GString) story = g_string_new(NULL);
    do {
        EventClass class = classify(&ev);
        Event next;
        describe(story, cpu, &ev);
        if (cpu->fault_vector == RW_SYS_UNSUPPORTED) {
            cpu->exit.kind = RW_EXIT_UNSUPPORTED;
            return RW_LEAVE;
        }
        next = take_fault(cpu);
        if (class == DOUBLE_FAULT && classify(&next) != BENIGN) {
            describe(story, cpu, &next);
            return shut_down(cpu, story);
        }
        if (is_double_fault(class, classify(&next))) {
            describe(story, cpu, &next);
            next = (Event){.vector = RW_DF, .error = 0, .fault = false};
        }
        ev = next;
    } while (!try_deliver(cpu, &ev));
    return RW_GO_ON;
}

static int deliver(RwCpu *cpu, Event ev)
{
    return RW_LIKELY(try_deliver(cpu, &ev)) ? RW_GO_ON : deliver_nested(cpu, ev);
}

// ---- Ways in ----

int rw_fault_at_rip(RwCpu *cpu, int vector, int64_t error)
{
    if (!has_error(vector))
        error = RW_NO_ERROR;
    if (vector == RW_PF) // the walk that failed left the address there
        cpu->cr2 = cpu->fault_cr2;
    return deliver(cpu, (Event){.vector = vector, .error = error, .fault = true});
}

int rw_fault(RwCpu *cpu, const RwOp *op, int vector, int64_t error)
{
    rw_stop_before(cpu, op);
    return rw_fault_at_rip(cpu, vector, error);
}

int rw_sys_fault(RwCpu *cpu, const RwOp *op)
{
    rw_stop_before(cpu, op);
    if (cpu->fault_vector == RW_SYS_UNSUPPORTED) {
        cpu->exit.kind = RW_EXIT_UNSUPPORTED;
        return RW_LEAVE;
    }
    return deliver(cpu, take_fault(cpu));
}

int rw_trap(RwCpu *cpu, const RwOp *op, int vector, bool software)
{
    Event ev = {.vector = vector, .error = RW_NO_ERROR, .software = software};
    rw_stop_after(cpu, op);
    if (RW_LIKELY(try_deliver(cpu, &ev)))
        return RW_GO_ON;
    // The instruction that asked for it faults: it has not retired.
    cpu->rip = rw_op_rip(cpu, op);
    cpu->budget++;
    return deliver_nested(cpu, ev);
}

bool rw_deliver_irq(RwCpu *cpu)
{
    cpu->irq_pending = 0;
    return deliver(cpu, (Event){.vector = cpu->irq_vector, .error = RW_NO_ERROR}) == RW_GO_ON;
}

int rw_single_step_trap(RwCpu *cpu)
{
    cpu->dr[6] |= RW_DR6_BS;
    return deliver(cpu, (Event){.vector = RW_DB, .error = RW_NO_ERROR});
}

int rw_watch_trap(RwCpu *cpu)
{
    return deliver(cpu, (Event){.vector = RW_DB, .error = RW_NO_ERROR});
}

bool rw_check_code_breakpoint(RwCpu *cpu, int *ret_action)
{
    uint64_t dr7 = cpu->dr[7], hits = 0;
    if (cpu->rflags & RW_FLAG_RF) {
        cpu->rflags &= ~(uint32_t)RW_FLAG_RF;
        return false;
    }
    for (unsigned i = 0; i < 4; i++)
        if ((dr7 >> (2 * i) & 3) && !(dr7 >> (16 + 4 * i) & 15) && cpu->dr[i] == cpu->rip)
            hits |= 1u << i;
    if (!hits)
        return false;
    cpu->dr[6] = (cpu->dr[6] & ~(uint64_t)15) | hits;
    *ret_action = rw_fault_at_rip(cpu, RW_DB, RW_NO_ERROR);
    return true;
}

int rw_sys_continue(RwCpu *cpu, uint64_t rip)
{
    cpu->rip = rip;
    if (RW_UNLIKELY(cpu->single_step || cpu->user_entered ||
                    (cpu->irq_pending && (cpu->rflags & RW_FLAG_IF))))
        return RW_GO_ON;
    return rw_jump(cpu, rip);
}
