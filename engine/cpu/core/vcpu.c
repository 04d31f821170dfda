// SPDX-License-Identifier: MIT
// The software CPU as a machine's virtual CPU.
#include "rw-cpu.h"

typedef struct {
    RwVcpu base;
    RwCpu *cpu;
} SoftVcpu;

static RwCpu *cpu_of(RwVcpu *vcpu)
{
    return ((SoftVcpu *)vcpu)->cpu;
}

static void soft_free(RwVcpu *vcpu)
{
    rw_cpu_free(cpu_of(vcpu));
    g_free(vcpu);
}

static void soft_map(RwVcpu *vcpu, uint64_t gpa, uint64_t size, uint8_t *host, bool writable,
                     uint8_t *dirty)
{
    rw_cpu_map(cpu_of(vcpu), gpa, size, host, writable, dirty);
}

static void soft_clear_dirty(RwVcpu *vcpu)
{
    rw_cpu_clear_dirty(cpu_of(vcpu));
}

static void soft_memory_written(RwVcpu *vcpu, uint64_t gpa, uint64_t size)
{
    rw_cpu_memory_written(cpu_of(vcpu), gpa, size);
}

static void soft_get_state(RwVcpu *vcpu, RwCpuState *ret_state)
{
    rw_cpu_get_state(cpu_of(vcpu), ret_state);
}

static void soft_set_state(RwVcpu *vcpu, const RwCpuState *state)
{
    rw_cpu_set_state(cpu_of(vcpu), state);
}

static uint64_t soft_hash(RwVcpu *vcpu)
{
    return rw_cpu_hash(cpu_of(vcpu));
}

static void soft_run(RwVcpu *vcpu, uint64_t limit_icount, RwExit *ret_exit)
{
    rw_cpu_run(cpu_of(vcpu), limit_icount, ret_exit);
}

static uint64_t soft_icount(RwVcpu *vcpu)
{
    return rw_cpu_icount(cpu_of(vcpu));
}

static uint64_t soft_user_icount(RwVcpu *vcpu)
{
    return rw_cpu_user_icount(cpu_of(vcpu));
}

static void soft_set_stops(RwVcpu *vcpu, const RwVcpuStops *stops)
{
    rw_cpu_set_stops(cpu_of(vcpu), stops);
}

static void soft_set_watch(RwVcpu *vcpu, const RwVcpuWatch *watch)
{
    rw_cpu_set_watch(cpu_of(vcpu), watch);
}

static void soft_forget_user(RwVcpu *vcpu)
{
    rw_cpu_forget_user(cpu_of(vcpu));
}

static void soft_watch_page(RwVcpu *vcpu, uint64_t gpa)
{
    rw_cpu_watch_page(cpu_of(vcpu), gpa);
}

static uint64_t soft_rip(RwVcpu *vcpu)
{
    return rw_cpu_rip(cpu_of(vcpu));
}

static bool soft_translate(RwVcpu *vcpu, uint64_t va, uint64_t *ret_gpa)
{
    return rw_cpu_translate(cpu_of(vcpu), va, ret_gpa);
}

static void soft_set_tsc(RwVcpu *vcpu, uint64_t base, bool runs)
{
    rw_cpu_set_tsc(cpu_of(vcpu), base, runs);
}

static void soft_set_irq(RwVcpu *vcpu, int vector)
{
    rw_cpu_set_irq(cpu_of(vcpu), vector);
}

static void soft_kick(RwVcpu *vcpu)
{
    rw_cpu_kick(cpu_of(vcpu));
}

static void soft_set_jit(RwVcpu *vcpu, unsigned hot)
{
    rw_cpu_set_jit(cpu_of(vcpu), hot);
}

static const RwVcpuOps soft_ops = {
    .free = soft_free,
    .map = soft_map,
    .clear_dirty = soft_clear_dirty,
    .memory_written = soft_memory_written,
    .get_state = soft_get_state,
    .set_state = soft_set_state,
    .check_state = rw_cpu_state_check,
    .hash = soft_hash,
    .run = soft_run,
    .icount = soft_icount,
    .rip = soft_rip,
    .translate = soft_translate,
    .set_tsc = soft_set_tsc,
    .set_irq = soft_set_irq,
    .kick = soft_kick,
    .set_jit = soft_set_jit,
    .set_stops = soft_set_stops,
    .user_icount = soft_user_icount,
    .set_watch = soft_set_watch,
    .forget_user = soft_forget_user,
    .watch_page = soft_watch_page,
};

RwVcpu *rw_cpu_new_vcpu(RwCpuModel model)
{
    RwCpu *cpu = rw_cpu_new(model);
    if (!cpu)
        return NULL;
    SoftVcpu *soft = g_new0(SoftVcpu, 1);
    soft->base.ops = &soft_ops;
    soft->cpu = cpu;
    return &soft->base;
}
