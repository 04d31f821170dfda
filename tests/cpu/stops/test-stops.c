// SPDX-License-Identifier: MIT
// Stops at system calls, returns to user mode and addresses. What is to be met is told by a guest that
// makes one instruction at a time and has no stops; the one under test must meet just that, and be in the
// same state in the end, whatever it was interrupted by.
#include "bare-guest.h"

#define KERNEL 0x38000u // SYSCALL leads here,
#define UPPER 0xffffff8000000000ull // or to the same memory from here on
#define IRQ 0x20
#define CHECKED 0x100000u // bytes of RAM that the program may reach
#define MAX_COUNT 100000

// Loops that get hot, calls, system calls, strings, an instruction in two pages, code that writes to
// itself.
GUEST_CODE(user_code, "mov $40, %ebp\n"
                      "1: mov %ebp, %ecx\n"
                      "2: add %rcx, %rax\n"
                      "cmp $7, %ecx\n" // joined with its jump
                      "jne 3f\n"
                      "call 6f\n"
                      "3: dec %ecx\n"
                      "jnz 2b\n"
                      "cli\n"
                      "sti\n" // holds interrupts off for the next one
                      "syscall\n"
                      "mov $0x60000, %edi\n"
                      "mov $200, %ecx\n"
                      "rep stosb\n"
                      "mov %bpl, 4f+1-user_code_start+0x30000\n"
                      "4: mov $0, %dl\n"
                      "movzbl %dl, %edx\n"
                      "add %edx, %ebx\n"
                      "jmp 7f\n"
                      "5: dec %ebp\n"
                      "jnz 1b\n"
                      "syscall\n"
                      "ud2\n"
                      "6: push %rcx\n"
                      "syscall\n"
                      "pop %rcx\n"
                      "ret\n"
                      ".skip 0xffb - (. - user_code_start), 0xcc\n"
                      "7: movabs $0x1122334455667788, %rsi\n"
                      "xor %rsi, %r8\n"
                      "jmp 5b\n");
GUEST_CODE(kernel_code, "nop\n inc %r13\n sysretq");
GUEST_CODE(return_code, "orl $0x10000, 16(%rsp)\n iretq"); // with RF: past a breakpoint

typedef struct {
    RwExitKind kind;
    uint64_t rip, icount;
} Point;

typedef enum { DO_NOTHING, DO_INTERRUPT, DO_CHANGE } Action;

// What happens at a count.
typedef struct {
    uint64_t icount;
    Action action;
    RwVcpuStops stops; // from then on
} Act;

typedef struct {
    RwVcpuStops stops; // at first
    Act act[64];
    unsigned n;
    unsigned irq_at; // at this stop, counted from 1, an interrupt comes; 0: at none
    bool trace; // with TF
    uint64_t breakpoint; // address, or 0
    unsigned hot;
    bool upper; // the kernel is where kernels are
} Plan;

static bool is_user(const RwCpuState *s)
{
    return (s->seg[RW_CS].selector & 3) == 3;
}

// An interrupt comes before anything else.
static bool is_interrupted(const RwCpuState *s)
{
    return s->irq_pending && s->rflags & 0x200 && !s->shadow;
}

static Guest *make(const Plan *plan)
{
    Guest *g = GUEST_NEW(user_code);
    memcpy(g->ram + KERNEL, kernel_code_start, (size_t)(kernel_code_end - kernel_code_start));
    for (unsigned v = 0; v < 256; v++)
        if (v == IRQ || v == 1)
            memcpy(g->ram + STUBS + 16 * v, return_code_start,
                   (size_t)(return_code_end - return_code_start));
    guest_make_user(g);
    g->state.rflags |= 0x3200 | (plan->trace ? 0x100 : 0);
    g->state.dr[0] = plan->breakpoint;
    g->state.dr[7] |= plan->breakpoint ? 1 : 0;
    g->state.star = (uint64_t)(SEL_USER_DATA - 8) << 48 | (uint64_t)SEL_CODE << 32;
    g->state.lstar = KERNEL + (plan->upper ? UPPER : 0);
    *guest_u64(g, PML4 + 511 * 8) = *guest_u64(g, PML4);
    g->state.fmask = 0x300;
    rw_cpu_set_jit(g->cpu, plan->hot);
    guest_start(g);
    return g;
}

// ---- What is to be met ----

static bool has_address(const RwVcpuStops *stops, uint64_t rip)
{
    for (unsigned i = 0; i < stops->n; i++)
        if (stops->addresses[i] == rip)
            return true;
    return false;
}

// True: the CPU is still there.
static bool add_point(Guest *g, const Plan *plan, GArray *points, RwExitKind kind)
{
    Point p = {kind, g->state.rip, g->state.icount};
    g_array_append_val(points, p);
    if (points->len == plan->irq_at) {
        rw_cpu_set_irq(g->cpu, IRQ);
        rw_cpu_get_state(g->cpu, &g->state);
    }
    return !is_interrupted(&g->state);
}

// before: one instruction earlier; NULL: there is none.
static void expect(Guest *g, const Plan *plan, const RwVcpuStops *stops, bool entered,
                   const RwCpuState *before, GArray *points)
{
    const RwCpuState *s = &g->state;
    const uint8_t *bytes = g->ram + s->rip % RAM_SIZE;
    if (!is_user(s) && stops->kernel && s->rip >> 63 && has_address(stops, s->rip) && !is_interrupted(s))
        add_point(g, plan, points, RW_EXIT_AT);
    bool goes_on = before && is_user(before) && before->rip == s->rip && bytes[0] == 0xf3;
    if (!is_user(s) || is_interrupted(s))
        return;
    if (entered && stops->returns && !add_point(g, plan, points, RW_EXIT_USER))
        return;
    if (has_address(stops, s->rip) && !goes_on && !add_point(g, plan, points, RW_EXIT_AT))
        return;
    bool breaks = s->dr[7] & 1 && s->dr[0] == s->rip && !(s->rflags & 0x10000) && !s->shadow;
    if (stops->calls && bytes[0] == 0x0f && bytes[1] == 0x05 && !breaks)
        add_point(g, plan, points, RW_EXIT_CALL);
}

typedef struct {
    GArray *points;
    RwCpuState end;
    uint64_t user_icount;
    uint8_t *ram;
} Outcome;

static void outcome_clear(Outcome *o)
{
    g_array_unref(o->points);
    g_free(o->ram);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Outcome, outcome_clear)

static Outcome outcome_new(void)
{
    return (Outcome){.points = g_array_new(false, false, sizeof(Point))};
}

static void end(Outcome *o, const Guest *g)
{
    if (guest_vector(g) != 6)
        g_error("ended at 0x%" G_GINT64_MODIFIER "x, vector %d, after %" G_GUINT64_FORMAT, g->state.rip,
                guest_vector(g), g->state.icount);
    o->end = g->state;
    o->ram = g_memdup2(g->ram, CHECKED);
}

// One instruction at a time.
static Outcome walk(const Plan *plan)
{
    Outcome o = outcome_new();
    g_autoptr(Guest) g = make(plan);
    RwCpuState before = {0};
    const RwVcpuStops *stops = &plan->stops;
    bool entered = false;
    for (unsigned i = 0; g->state.icount < MAX_COUNT;) {
        for (; i < plan->n && plan->act[i].icount == g->state.icount; i++) {
            if (plan->act[i].action == DO_INTERRUPT)
                rw_cpu_set_irq(g->cpu, IRQ);
            else if (plan->act[i].action == DO_CHANGE)
                stops = &plan->act[i].stops;
            entered &= stops->returns;
            rw_cpu_get_state(g->cpu, &g->state);
        }
        expect(g, plan, stops, entered, g->state.icount ? &before : NULL, o.points);
        before = g->state;
        if (guest_run(g, g->state.icount + 1) == RW_EXIT_HLT)
            break;
        entered = is_user(&g->state) && !is_user(&before) && stops->returns;
        o.user_icount += is_user(&before) && !is_interrupted(&before);
    }
    end(&o, g);
    return o;
}

// ---- What is met ----

static void check_position(Guest *g)
{
    g_assert_cmphex(rw_cpu_rip(g->cpu), ==, g->state.rip);
    g_assert_cmpuint(rw_cpu_icount(g->cpu), ==, g->state.icount);
    g_assert_true(is_user(&g->state) || g->state.rip >> 63);
}

static void act(Guest *g, const Act *a)
{
    g_assert_cmpuint(g->state.icount, ==, a->icount);
    if (a->action == DO_INTERRUPT)
        rw_cpu_set_irq(g->cpu, IRQ);
    else if (a->action == DO_CHANGE)
        rw_cpu_set_stops(g->cpu, &a->stops);
}

static Outcome meet(const Plan *plan)
{
    Outcome o = outcome_new();
    g_autoptr(Guest) g = make(plan);
    uint64_t first = rw_cpu_user_icount(g->cpu);
    rw_cpu_set_stops(g->cpu, &plan->stops);
    for (unsigned i = 0; g->exit.kind != RW_EXIT_HLT;) {
        switch (guest_run(g, i < plan->n ? plan->act[i].icount : MAX_COUNT)) {
        case RW_EXIT_ICOUNT:
            g_assert_cmpuint(g->state.icount, <, MAX_COUNT);
            for (uint64_t now = g->state.icount; i < plan->n && plan->act[i].icount == now; i++)
                act(g, &plan->act[i]);
            break;
        case RW_EXIT_USER:
        case RW_EXIT_AT:
        case RW_EXIT_CALL:
            check_position(g);
            add_point(g, plan, o.points, g->exit.kind);
            break;
        default:
            g_assert_cmpint(g->exit.kind, ==, RW_EXIT_HLT);
        }
    }
    o.user_icount = rw_cpu_user_icount(g->cpu) - first;
    end(&o, g);
    return o;
}

static void compare_points(const GArray *want, const GArray *got)
{
    for (unsigned i = 0; i < MIN(want->len, got->len); i++) {
        const Point *w = &g_array_index(want, Point, i), *m = &g_array_index(got, Point, i);
        if (w->kind != m->kind || w->rip != m->rip || w->icount != m->icount)
            g_error("point %u: kind %d at 0x%" G_GINT64_MODIFIER "x, count %" G_GUINT64_FORMAT
                    ", not kind %d at 0x%" G_GINT64_MODIFIER "x, count %" G_GUINT64_FORMAT,
                    i, m->kind, m->rip, m->icount, w->kind, w->rip, w->icount);
    }
    g_assert_cmpuint(got->len, ==, want->len);
}

// Host code after so many executions.
static const unsigned hots[] = {0, 1, 10};

// Returns how many points there were.
static unsigned check(Plan *plan)
{
    g_auto(Outcome) want = walk(plan);
    for (unsigned i = 0; i < G_N_ELEMENTS(hots); i++) {
        plan->hot = hots[i];
        g_auto(Outcome) got = meet(plan);
        compare_points(want.points, got.points);
        g_assert_cmpmem(&got.end, sizeof got.end, &want.end, sizeof want.end);
        g_assert_cmpmem(got.ram, CHECKED, want.ram, CHECKED);
        if (!plan->trace && !plan->breakpoint)
            g_assert_cmpuint(got.user_icount, ==, want.user_icount);
    }
    return want.points->len;
}

// ---- Plans ----

// The addresses that the program is at, each once, in the order of their first time.
static GArray *visited(void)
{
    Plan plan = {0};
    g_autoptr(Guest) g = make(&plan);
    GArray *list = g_array_new(false, false, sizeof(uint64_t));
    while (guest_run(g, g->state.icount + 1) != RW_EXIT_HLT) {
        bool known = !is_user(&g->state);
        for (unsigned i = 0; i < list->len && !known; i++)
            known = g_array_index(list, uint64_t, i) == g->state.rip;
        if (!known)
            g_array_append_val(list, g->state.rip);
    }
    return list;
}

static void add_address(RwVcpuStops *stops, uint64_t va)
{
    g_assert_cmpuint(stops->n, <, RW_STOPS_MAX);
    stops->addresses[stops->n++] = va;
}

static void test_none(void)
{
    g_assert_cmpuint(check(&(Plan){0}), ==, 0);
}

static void test_calls(void)
{
    g_assert_cmpuint(check(&(Plan){.stops.calls = true}), ==, 40 + 34 + 1);
}

static void test_returns(void)
{
    g_assert_cmpuint(check(&(Plan){.stops.returns = true}), ==, 40 + 34 + 1);
}

// Each instruction alone, and all of them together with the other kinds.
static void test_addresses(void)
{
    g_autoptr(GArray) all = visited();
    Plan together = {.stops = {.calls = true, .returns = true}};
    g_assert_cmpuint(all->len, >, 25);
    for (unsigned k = 0; k < all->len; k++) {
        Plan plan = {0};
        add_address(&plan.stops, g_array_index(all, uint64_t, k));
        add_address(&together.stops, g_array_index(all, uint64_t, k));
        g_assert_cmpuint(check(&plan), >=, 1);
    }
    check(&together);
}

// Addresses of nothing that user mode executes.
static void test_elsewhere(void)
{
    static const uint64_t nowhere[] = {
        CODE + 1, CODE + 2, KERNEL, KERNEL + 1, DATA, CODE + (1ull << 32), 0x8000000000000000, UINT64_MAX};
    Plan plan = {0};
    for (unsigned k = 0; k < G_N_ELEMENTS(nowhere); k++)
        add_address(&plan.stops, nowhere[k]);
    g_assert_cmpuint(check(&plan), ==, 0);
}

// The kernel's, only where they are asked for, and also when that is all that changes.
static void test_kernel(void)
{
    Plan plan = {.upper = true, .stops = {.calls = true}};
    for (unsigned k = 0; k < 5; k++)
        add_address(&plan.stops, UPPER + KERNEL + k);
    add_address(&plan.stops, CODE + 7);
    add_address(&plan.stops, KERNEL);
    unsigned without = check(&plan);
    plan.stops.kernel = true;
    g_assert_cmpuint(check(&plan), ==, without + 3 * (40 + 34 + 1));
    plan.stops.kernel = false;
    plan.act[plan.n++] = (Act){.icount = 500, .action = DO_CHANGE, .stops = plan.stops};
    plan.act[0].stops.kernel = true;
    g_assert_cmpuint(check(&plan), >, without);
}

static RwVcpuStops random_stops(const GArray *all)
{
    RwVcpuStops stops = {.calls = g_test_rand_bit(), .returns = g_test_rand_bit()};
    for (unsigned n = (unsigned)g_test_rand_int_range(0, 6); n; n--)
        add_address(&stops, g_array_index(all, uint64_t, g_test_rand_int_range(0, (int)all->len)));
    return stops;
}

static int by_count(const void *a, const void *b)
{
    const Act *x = a, *y = b;
    return x->icount < y->icount ? -1 : x->icount > y->icount;
}

// Limits, interrupts and other stops at any count.
static void random_plan(Plan *plan, const GArray *all)
{
    *plan = (Plan){.trace = g_test_rand_int_range(0, 8) == 0};
    plan->stops = random_stops(all);
    plan->irq_at = (unsigned)g_test_rand_int_range(0, 200);
    plan->n = (unsigned)g_test_rand_int_range(0, G_N_ELEMENTS(plan->act));
    for (unsigned i = 0; i < plan->n; i++) {
        plan->act[i] = (Act){.icount = (uint64_t)g_test_rand_int_range(1, 5000),
                             .action = (Action)g_test_rand_int_range(DO_NOTHING, DO_CHANGE + 1)};
        if (plan->act[i].action == DO_CHANGE)
            plan->act[i].stops = random_stops(all);
    }
    qsort(plan->act, plan->n, sizeof plan->act[0], by_count);
}

// At each kind of stop an interrupt, after which it is met again.
static void test_interrupt_at_stop(void)
{
    Plan plan = {.stops = {.calls = true, .returns = true}};
    add_address(&plan.stops, CODE + 7);
    add_address(&plan.stops, CODE + 0x1a); // a SYSCALL after STI
    for (plan.irq_at = 1; plan.irq_at < 100; plan.irq_at += 3)
        check(&plan);
}

// An interrupt that comes while STI holds interrupts off.
static void test_held_off(void)
{
    Plan *plan = g_new0(Plan, 1);
    g_autoptr(Guest) g = make(plan);
    plan->stops = (RwVcpuStops){.calls = true, .returns = true};
    while (guest_run(g, g->state.icount + 1) == RW_EXIT_ICOUNT)
        if (g->state.shadow && is_user(&g->state) && plan->n < 10)
            plan->act[plan->n++] = (Act){.icount = g->state.icount, .action = DO_INTERRUPT};
    g_assert_cmpuint(plan->n, ==, 10);
    plan->n = 1; // counts after the first one are others
    check(plan);
    g_free(plan);
}

// A breakpoint at an instruction that is stopped at, too.
static void test_breakpoint(void)
{
    g_autoptr(GArray) all = visited();
    for (unsigned i = 0; i < all->len; i++) {
        Plan plan = {.breakpoint = g_array_index(all, uint64_t, i),
                     .stops = {.calls = true, .returns = true}};
        check(&(Plan){.breakpoint = plan.breakpoint});
        check(&plan);
        add_address(&plan.stops, plan.breakpoint);
        check(&plan);
    }
}

static void test_random(void)
{
    g_autoptr(GArray) all = visited();
    Plan *plan = g_new(Plan, 1);
    unsigned met = 0;
    for (unsigned i = 0; i < 40; i++) {
        random_plan(plan, all);
        met += check(plan);
    }
    g_assert_cmpuint(met, >, 500);
    g_free(plan);
}

// The stop after next is named at each stop: every user instruction, none passed by.
static void test_step_by_stops(void)
{
    Plan plan = {0};
    g_autoptr(GArray) all = visited();
    for (unsigned k = 0; k < all->len; k++)
        add_address(&plan.stops, g_array_index(all, uint64_t, k));
    g_auto(Outcome) want = walk(&plan);
    for (unsigned i = 0; i < G_N_ELEMENTS(hots); i++) {
        plan.hot = hots[i];
        g_autoptr(Guest) g = make(&plan);
        for (unsigned k = 0; k < want.points->len; k++) {
            const Point *p = &g_array_index(want.points, Point, k);
            RwVcpuStops next = {0};
            add_address(&next, p->rip);
            rw_cpu_set_stops(g->cpu, &next);
            g_assert_cmpint(guest_run(g, MAX_COUNT), ==, RW_EXIT_AT);
            g_assert_cmphex(g->state.rip, ==, p->rip);
            g_assert_cmpuint(g->state.icount, ==, p->icount);
        }
        rw_cpu_set_stops(g->cpu, NULL);
        g_assert_cmpint(guest_run(g, MAX_COUNT), ==, RW_EXIT_HLT);
        g_assert_cmpmem(&g->state, sizeof g->state, &want.end, sizeof want.end);
    }
}

// The same page by another virtual address, which has no stop; and after that by the one that has.
static void test_alias(void)
{
    const uint64_t alias = 0x100000;
    for (unsigned i = 0; i < G_N_ELEMENTS(hots); i++) {
        Plan plan = {.hot = hots[i]};
        g_autoptr(Guest) g = make(&plan);
        RwCpuState start = g->state;
        for (unsigned k = 0; k < 2; k++)
            *guest_u64(g, PT + (alias >> 12) * 8 + k * 8) = (CODE + k * 4096) | PTE_P | PTE_W | PTE_U;
        add_address(&plan.stops, CODE + 7); // add %rcx, %rax
        rw_cpu_set_stops(g->cpu, &plan.stops);
        g->state.rip = alias;
        guest_start(g);
        g_assert_cmpint(guest_run(g, MAX_COUNT), ==, RW_EXIT_HLT);
        g->state = start;
        guest_start(g);
        for (unsigned k = 0; k < 100; k++) {
            g_assert_cmpint(guest_run(g, MAX_COUNT), ==, RW_EXIT_AT);
            g_assert_cmphex(g->state.rip, ==, CODE + 7);
        }
    }
}

// A state that is set is met anew.
static void test_set_state(void)
{
    Plan plan = {0};
    g_autoptr(Guest) g = make(&plan);
    uint64_t first = rw_cpu_user_icount(g->cpu);
    add_address(&plan.stops, CODE + 7);
    rw_cpu_set_stops(g->cpu, &plan.stops);
    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmpint(guest_run(g, MAX_COUNT), ==, RW_EXIT_AT);
        g_assert_cmpuint(g->state.icount, ==, 2);
        g_assert_cmpuint(rw_cpu_user_icount(g->cpu) - first, ==, 2);
        guest_start(g);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stops/none", test_none);
    g_test_add_func("/stops/calls", test_calls);
    g_test_add_func("/stops/returns", test_returns);
    g_test_add_func("/stops/addresses", test_addresses);
    g_test_add_func("/stops/elsewhere", test_elsewhere);
    g_test_add_func("/stops/kernel", test_kernel);
    g_test_add_func("/stops/random", test_random);
    g_test_add_func("/stops/interrupt-at-stop", test_interrupt_at_stop);
    g_test_add_func("/stops/held-off", test_held_off);
    g_test_add_func("/stops/breakpoint", test_breakpoint);
    g_test_add_func("/stops/step-by-stops", test_step_by_stops);
    g_test_add_func("/stops/alias", test_alias);
    g_test_add_func("/stops/set-state", test_set_state);
    return g_test_run();
}
