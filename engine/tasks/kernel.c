// SPDX-License-Identifier: MIT
#include "kernel-private.h"

static bool fail(GError **error, const char *why)
{
    g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "the guest's table of its kernel makes no sense: %s", why);
    return false;
}

static bool read_table(RwKernel *kernel, bool known[REWIND_FACTS_MAX], GError **error)
{
    struct rewind_layout head;
    const RwKernelSource *source = &kernel->source;
    const uint8_t *bytes = rw_kernel_physical(kernel, source->layout_gpa, source->layout_size);
    if (!bytes || !rw_copy_out(bytes, source->layout_size, 0, &head, sizeof head))
        return fail(error, "it is not there");
    if (head.magic != REWIND_LAYOUT_MAGIC)
        return fail(error, "it is none");
    if (head.version != REWIND_LAYOUT_VERSION || head.fact_size < sizeof(struct rewind_fact))
        return fail(error, "its version is not known");
    for (uint64_t i = 0; i < head.n; i++) {
        struct rewind_fact fact;
        if (!rw_copy_out(bytes, source->layout_size, sizeof head + i * head.fact_size, &fact, sizeof fact))
            return fail(error, "it ends early");
        if (fact.number >= REWIND_FACTS_MAX)
            continue; // newer than this
        kernel->facts[fact.number] = fact.value;
        known[fact.number] = true;
    }
    return true;
}

// All that the first version has is there, and what bounds a walk or a copy is as it can be.
static bool check_facts(const RwKernel *kernel, const bool known[REWIND_FACTS_MAX], GError **error)
{
    static const uint16_t needed[] = {
#define NUMBER(number, name, value) number,
        REWIND_FACTS(NUMBER)
#undef NUMBER
    };
    for (size_t i = 0; i < G_N_ELEMENTS(needed); i++)
        if (!known[needed[i]])
            return fail(error, "something is missing");
    if (FACT(kernel, STACK_SIZE) > 1 << 20 || FACT(kernel, STACK_PADDING) > 64 ||
        FACT(kernel, REGS_SIZE) != 21 * 8 || FACT(kernel, STACK_SIZE) < 1024)
        return fail(error, "stacks");
    if (FACT(kernel, MAPLE_RANGE_SLOTS) - 1 > 63 || FACT(kernel, MAPLE_ARANGE_SLOTS) - 1 > 63 ||
        FACT(kernel, XA_BITS) - 1 > 9 || !FACT(kernel, PAGE_STRUCT_SIZE))
        return fail(error, "trees");
    return true;
}

RwKernel *rw_kernel_new_of(const RwKernelSource *source, GError **error)
{
    g_autoptr(RwKernel) kernel = g_new0(RwKernel, 1);
    bool known[REWIND_FACTS_MAX] = {false};
    kernel->source = *source;
    if (!source->layout_gpa) {
        g_set_error_literal(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                            "this run's guest tells nothing of its tasks");
        return NULL;
    }
    return read_table(kernel, known, error) && check_facts(kernel, known, error) ? g_steal_pointer(&kernel)
                                                                                 : NULL;
}

static const uint8_t *of_machine(void *data, uint64_t gpa, uint64_t length)
{
    return rw_machine_physical(data, gpa, length);
}

RwKernel *rw_kernel_new(RwMachine *machine, GError **error)
{
    RwKernelSource source = {.at = of_machine, .data = machine};
    rw_machine_layout(machine, &source.layout_gpa, &source.layout_size);
    rw_machine_get_cpu(machine, &source.cpu);
    return rw_kernel_new_of(&source, error);
}

void rw_kernel_free(RwKernel *kernel)
{
    g_free(kernel);
}
