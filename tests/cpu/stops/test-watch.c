// SPDX-License-Identifier: MIT
// What is told of the data that user mode accesses: each kind of access, interpreted and as host code.
#include "bare-guest.h"

// RSI points into one page, RDI into another, RSP to the stack's top.
#define A (DATA + 0x100)
#define B (DATA + 0x1100)
#define IRQ 0x20

typedef struct {
    Guest *g;
    GString *log; // "r4 60100", "w8 …", "m4 …" (both), " …"
    GString *pages; // "r60", "w61": page numbers
    bool watch_all;
    uint64_t icount, user_icount; // of the last access
    double thirds; // not exact: must not be seen in the guest's MXCSR
    uint64_t rip;
} Log;

static void on_page(void *data, uint64_t va, uint64_t gpa, bool write)
{
    Log *log = data;
    g_assert_cmphex(va & 0xfff, ==, gpa & 0xfff);
    log->thirds += 1.0 / (double)(va | 3);
    g_string_append_printf(log->pages, "%c%x ", write ? 'w' : 'r', (unsigned)(va >> 12));
    if (log->watch_all)
        rw_cpu_watch_page(log->g->cpu, gpa);
}

static void on_access(void *data, const RwWatchAccess *a)
{
    Log *log = data;
    g_assert_cmphex(a->va, ==, a->gpa);
    g_assert_cmpuint((a->va & 0xfff) + a->size, <=, 4096);
    g_string_append_printf(log->log, "%c%u %x ", " rwm"[a->flags], a -> size, (unsigned)a -> va);
    log->thirds += 1.0 / (double)(a->size + 2);
    log->icount = a->icount;
    log->user_icount = a->user_icount;
    log->rip = a->rip;
}

static void log_clear(Log *log)
{
    g_string_free(log->log, true);
    g_string_free(log->pages, true);
    guest_free(log->g);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Log, log_clear)

static void start(Log *log)
{
    guest_make_state(log->g);
    guest_make_user(log->g);
    log->g->state.gpr[1] = 5;
    log->g->state.gpr[6] = A;
    log->g->state.gpr[7] = B;
    log->g->state.gpr[5] = DATA + 0x800;
    guest_start(log->g);
}

static void begin(Log *log, const uint8_t *code, const uint8_t *code_end, bool watch_all)
{
    *log = (Log){
        .g = guest_new(code, (size_t)(code_end - code)),
        .log = g_string_new(NULL),
        .pages = g_string_new(NULL),
        .watch_all = watch_all,
    };
    *guest_u64(log->g, PT + (STUBS >> 12) * 8) &= ~PTE_U;
}

static void tell(Log *log)
{
    rw_cpu_set_watch(log->g->cpu, &(RwVcpuWatch){.page = on_page, .access = on_access, .data = log});
}

// ---- Kinds of accesses ----

#define ROW(name, text, list)                                                                              \
    GUEST_CODE(name, text "\n ud2");                                                                       \
    static const char name##_list[] = list
ROW(load8, "mov (%rsi), %al", "r1 60100 ");
ROW(load16, "mov (%rsi), %ax", "r2 60100 ");
ROW(load32, "mov 4(%rsi,%rcx,8), %eax", "r4 6012c ");
ROW(load64, "mov (%rsi), %rax", "r8 60100 ");
ROW(extend, "movsbl (%rsi), %eax\n movzwl (%rdi), %eax", "r1 60100 r2 61100 ");
ROW(store8, "mov %al, (%rsi)", "w1 60100 ");
ROW(store16, "movw $5, (%rsi)", "w2 60100 ");
ROW(store32, "mov %eax, (%rsi)", "w4 60100 ");
ROW(store64, "movq $5, (%rsi)\n movnti %rax, (%rdi)", "w8 60100 w8 61100 ");
ROW(modify, "add %eax, (%rsi)\n lock incl (%rsi)\n notb (%rdi)\n negq (%rdi)",
    "m4 60100 m4 60100 m1 61100 m8 61100 ");
ROW(arithmetic, "add (%rsi), %eax\n imul (%rdi), %rcx\n bt $3, (%rsi)", "r4 60100 r8 61100 r4 60100 ");
ROW(compare, "cmp %eax, (%rsi)\n je 1f\n 1: testb $1, (%rdi)\n jne 2f\n nop\n 2: cmp (%rsi), %rax",
    "r4 60100 r1 61100 r8 60100 ");
ROW(shift, "shll $3, (%rsi)\n shlq %cl, (%rdi)\n shld $3, %eax, (%rsi)", "m4 60100 m8 61100 m4 60100 ");
ROW(bits, "lock btsl $3, (%rsi)\n bts %rcx, (%rdi)\n mov $70, %eax\n btc %rax, (%rdi)",
    "m4 60100 m8 61100 m8 61108 ");
ROW(exchange,
    "xchg %eax, (%rsi)\n lock xadd %rcx, (%rdi)\n lock cmpxchg %ecx, (%rsi)\n xor %eax, %eax\n"
    "lock cmpxchg %ecx, 64(%rsi)",
    "m4 60100 m8 61100 m4 60100 m4 60140 ");
ROW(exchange_wide, "lock cmpxchg8b (%rsi)\n lock cmpxchg16b (%rdi)\n lock cmpxchg16b (%rdi)",
    "m8 60100 m8 61100 m8 61108 m8 61100 m8 61108 ");
ROW(stack, "push %rax\n pop %rcx\n pushw $5\n pushf\n popf\n popw %ax",
    "w8 1fff8 r8 1fff8 w2 1fffe w8 1fff6 r8 1fff6 r2 1fffe ");
ROW(stack_memory, "pushq (%rsi)\n popq (%rdi)", "r8 60100 w8 1fff8 r8 1fff8 w8 61100 ");
ROW(frame, "enter $16, $0\n leave\n enter $0, $2\n",
    "w8 1fff8 r8 1fff8 w8 1fff8 r8 607f8 w8 1fff0 w8 1ffe8 ");
ROW(call,
    "call 1f\n jmp 2f\n 1: ret\n 2: lea 3f-call_start+0x30000, %rax\n call *%rax\n jmp 4f\n 3: ret\n 4: "
    "nop",
    "w8 1fff8 r8 1fff8 w8 1fff8 r8 1fff8 ");
ROW(call_memory, "movq $1f-call_memory_start+0x30000, (%rsi)\n call *(%rsi)\n 1: jmp *8(%rsp)\n",
    "w8 60100 r8 60100 w8 1fff8 r8 20000 ");
ROW(conditional, "cmovc (%rsi), %eax\n setc (%rdi)", "r4 60100 w1 61100 ");
ROW(crossing,
    "mov 0xefe(%rsi), %eax\n mov %rcx, 0xefd(%rsi)\n addl $1, 0xeff(%rsi)\n movups 0xef8(%rsi), %xmm0",
    "r2 60ffe r2 61000 w3 60ffd w5 61000 m1 60fff m3 61000 r8 60ff8 r8 61000 ");
ROW(sse, "movdqa (%rsi), %xmm0\n movups %xmm0, 4(%rdi)\n addps (%rsi), %xmm1\n pshufd $5, (%rdi), %xmm1",
    "r16 60100 w16 61104 r16 60100 r16 61100 ");
ROW(sse_scalar,
    "movss (%rsi), %xmm0\n addsd (%rsi), %xmm0\n movsd %xmm0, (%rdi)\n cvtsi2sdl (%rsi), %xmm1\n"
    "movhps (%rsi), %xmm0\n movlps %xmm0, (%rdi)\n ucomiss (%rsi), %xmm0\n pextrb $3, %xmm0, (%rdi)",
    "r4 60100 r8 60100 w8 61100 r4 60100 r8 60100 w8 61100 r4 60100 w1 61100 ");
ROW(sse_mask, "pcmpeqb %xmm1, %xmm1\n psrldq $14, %xmm1\n maskmovdqu %xmm1, %xmm0", "w1 61100 w1 61101 ");
ROW(mmx, "movq (%rsi), %mm0\n paddb (%rsi), %mm0\n movd %mm0, (%rdi)\n emms",
    "r8 60100 r8 60100 w4 61100 ");
ROW(x87,
    "fldt (%rsi)\n fstps (%rdi)\n fildq (%rsi)\n fstpt (%rdi)\n fldl (%rsi)\n fisttps (%rdi)\n fnstcw "
    "(%rdi)\n"
    "fldcw (%rdi)\n fnstsw (%rdi)",
    "r10 60100 w4 61100 r8 60100 w10 61100 r8 60100 w2 61100 w2 61100 r2 61100 w2 61100 ");
ROW(x87_environment, "fnstenv (%rdi)", "w4 61100 w4 61104 w4 61108 w4 6110c w4 61110 w4 61114 w4 61118 ");
ROW(mxcsr, "stmxcsr (%rdi)\n ldmxcsr (%rdi)", "w4 61100 r4 61100 ");
ROW(strings, "movsb\n stosl\n lodsw\n cmpsb\n scasq",
    "r1 60100 w1 61100 w4 61101 r2 60101 r1 61105 r1 60103 r8 61106 ");
ROW(rep_movs, "mov $3, %ecx\n rep movsl", "r4 60100 w4 61100 r4 60104 w4 61104 r4 60108 w4 61108 ");
ROW(rep_movs_down, "mov $2, %ecx\n std\n rep movsb\n cld", "r1 60100 w1 61100 r1 600ff w1 610ff ");
ROW(rep_crossing, "mov $3, %ecx\n lea 0xefe(%rsi), %rsi\n rep movsb\n",
    "r1 60ffe w1 61100 r1 60fff w1 61101 r1 61000 w1 61102 ");
ROW(rep_element_crossing, "mov $2, %ecx\n lea 0xefe(%rsi), %rdi\n rep stosl\n",
    "w2 60ffe w2 61000 w4 61002 ");
ROW(rep_stos, "mov $2, %ecx\n rep stosq", "w8 61100 w8 61108 ");
ROW(rep_nothing, "xor %ecx, %ecx\n rep movsb", "");
ROW(repe_cmps, "movb $1, 1(%rsi)\n mov $4, %ecx\n repe cmpsb",
    "w1 60101 r1 61100 r1 60100 r1 61101 r1 60101 ");
ROW(repne_scas, "mov $2, %ecx\n mov $1, %al\n repne scasb", "r1 61100 r1 61101 ");
ROW(nothing, "lea (%rsi), %rax\n prefetcht0 (%rsi)\n nopl (%rsi)\n mfence", "");
ROW(segment, "mov %fs:0x60100, %eax\n movl $3, %gs:0x61100", "r4 60100 w4 61100 ");

#define TELLS(name)                                                                                        \
    {                                                                                                      \
#name, name##_start, name##_end, name##_list                                                       \
    }
static const struct {
    const char *name;
    const uint8_t *start, *end;
    const char *list;
} rows[] = {
    TELLS(load8),
    TELLS(load16),
    TELLS(load32),
    TELLS(load64),
    TELLS(extend),
    TELLS(store8),
    TELLS(store16),
    TELLS(store32),
    TELLS(store64),
    TELLS(modify),
    TELLS(arithmetic),
    TELLS(compare),
    TELLS(shift),
    TELLS(bits),
    TELLS(exchange),
    TELLS(exchange_wide),
    TELLS(stack),
    TELLS(stack_memory),
    TELLS(frame),
    TELLS(call),
    TELLS(call_memory),
    TELLS(conditional),
    TELLS(crossing),
    TELLS(sse),
    TELLS(sse_scalar),
    TELLS(sse_mask),
    TELLS(mmx),
    TELLS(x87),
    TELLS(strings),
    TELLS(rep_movs),
    TELLS(rep_movs_down),
    TELLS(rep_crossing),
    TELLS(rep_stos),
    TELLS(rep_nothing),
    TELLS(repe_cmps),
    TELLS(repne_scas),
    TELLS(nothing),
    TELLS(segment),
    TELLS(mxcsr),
    TELLS(x87_environment),
    TELLS(rep_element_crossing),
};

// The jump at the end of call_memory goes to the end as well.
static void test_kind(const void *data)
{
    unsigned i = GPOINTER_TO_UINT(data) / 2;
    g_auto(Log) log;
    g_auto(Log) plain;
    begin(&log, rows[i].start, rows[i].end, true);
    begin(&plain, rows[i].start, rows[i].end, false);
    rw_cpu_set_jit(log.g->cpu, GPOINTER_TO_UINT(data) % 2);
    *guest_u64(log.g, STACK) = *guest_u64(plain.g, STACK) =
        CODE + (uint64_t)(rows[i].end - rows[i].start) - 2;
    tell(&log);
    for (unsigned k = 0; k < 4; k++) {
        memset(log.g->ram + DATA, 0, 0x2000);
        memset(plain.g->ram + DATA, 0, 0x2000);
        g_string_truncate(log.log, 0);
        start(&log);
        start(&plain);
        g_assert_cmpint(guest_run(log.g, 1000), ==, RW_EXIT_HLT);
        g_assert_cmpint(guest_run(plain.g, 1000), ==, RW_EXIT_HLT);
        g_assert_cmpint(guest_vector(log.g), ==, 6);
        g_assert_cmpstr(log.log->str, ==, rows[i].list);
        g_assert_cmpmem(&log.g->state, sizeof log.g->state, &plain.g->state, sizeof plain.g->state);
        g_assert_cmpmem(log.g->ram + STACK - 4096, 4096, plain.g->ram + STACK - 4096, 4096);
        g_assert_cmpmem(log.g->ram + DATA, 0x3000, plain.g->ram + DATA, 0x3000);
    }
}

// ---- FXSAVE: its 416 bytes, each once ----

GUEST_CODE(fx, "fxsave (%rdi)\n fxrstor (%rdi)\n ud2");

static void test_fxsave(void)
{
    g_auto(Log) log;
    g_autoptr(GString) want = g_string_new(NULL);
    begin(&log, fx_start, fx_end, true);
    tell(&log);
    start(&log);
    g_assert_cmpint(guest_run(log.g, 1000), ==, RW_EXIT_HLT);
    for (unsigned i = 0; i < 416; i += 16)
        g_string_append_printf(want, "w16 %x ", B + i);
    g_assert_true(g_str_has_prefix(log.log->str, want->str));
    g_assert_nonnull(strstr(log.log->str, "r16 61290 ")); // XMM15
}

// ---- First accesses ----

// Each page twice, and kernel accesses between: the interrupt's stack frame, and the handler's own.
GUEST_CODE(pages, "1: mov (%rsi), %eax\n mov (%rsi), %eax\n mov %eax, 4(%rsi)\n mov %eax, (%rsi)\n"
                  "mov %eax, (%rdi)\n mov (%rdi), %eax\n incl (%rdi)\n"
                  "incl 0x1000(%rdi)\n mov 0x1000(%rdi), %eax\n mov 0x1000(%rdi), %eax\n jmp 1b");
GUEST_CODE(touch, "incl 0x63000\n iretq");

static void run_pages(Log *log, unsigned rounds)
{
    guest_run(log->g, log->g->state.icount + rounds * 11);
    g_assert_cmpint(log->g->exit.kind, ==, RW_EXIT_ICOUNT);
}

static void check_pages(Log *log, const char *want)
{
    g_assert_cmpstr(log->pages->str, ==, want);
    g_string_truncate(log->pages, 0);
}

static void test_pages(void)
{
    for (unsigned hot = 0; hot < 2; hot++) {
        g_auto(Log) log;
        begin(&log, pages_start, pages_end, false);
        memcpy(log.g->ram + STUBS + 16 * IRQ, touch_start, (size_t)(touch_end - touch_start));
        rw_cpu_set_jit(log.g->cpu, hot);
        start(&log);
        run_pages(&log, 3); // fast before anybody watches
        tell(&log);
        run_pages(&log, 3);
        check_pages(&log, "r60 w60 w61 r61 w62 r62 ");
        run_pages(&log, 3);
        check_pages(&log, "");
        rw_cpu_forget_user(log.g->cpu);
        run_pages(&log, 3);
        check_pages(&log, "r60 w60 w61 r61 w62 r62 ");
        log.g->state.rflags |= 0x200;
        guest_start(log.g); // forgets translations, but not what was told
        rw_cpu_set_irq(log.g->cpu, IRQ);
        run_pages(&log, 3);
        check_pages(&log, "");
        *guest_u64(log.g, PT + 0x60 * 8) = 0x64000 | PTE_P | PTE_W | PTE_U; // another page there
        rw_cpu_memory_written(log.g->cpu, PT + 0x60 * 8, 8);
        run_pages(&log, 3);
        check_pages(&log, "r60 w60 ");
        g_assert_cmpstr(log.log->str, ==, "");
        rw_cpu_set_watch(log.g->cpu, NULL);
        run_pages(&log, 3);
        check_pages(&log, "");
    }
}

// ---- Watched from now on, by its physical page ----

GUEST_CODE(later, "1: mov (%rsi), %eax\n mov %eax, (%rsi)\n incl (%rdi)\n jmp 1b");

static void test_watch_page(void)
{
    for (unsigned hot = 0; hot < 2; hot++) {
        g_auto(Log) log;
        begin(&log, later_start, later_end, false);
        rw_cpu_set_jit(log.g->cpu, hot);
        *guest_u64(log.g, PT + 0x60 * 8) = 0x60000 | PTE_P | PTE_W | PTE_U;
        start(&log);
        tell(&log);
        guest_run(log.g, 40);
        g_assert_cmpstr(log.log->str, ==, "");
        rw_cpu_watch_page(log.g->cpu, 0x60ff0);
        guest_run(log.g, 44);
        g_assert_cmpstr(log.log->str, ==, "r4 60100 w4 60100 ");
        g_assert_cmpuint(log.icount, ==, 41);
        g_assert_cmpuint(log.user_icount, ==, 41);
        g_assert_cmphex(log.rip, ==, CODE + 2);
        check_pages(&log, "r60 w60 w61 ");
        rw_cpu_forget_user(log.g->cpu); // watched all the same
        guest_run(log.g, 48);
        g_assert_cmpstr(log.log->str, ==, "r4 60100 w4 60100 r4 60100 w4 60100 ");
        check_pages(&log, "r60 w60 w61 ");
        tell(&log); // anew: nothing is watched
        guest_run(log.g, 52);
        g_assert_cmpstr(log.log->str, ==, "r4 60100 w4 60100 r4 60100 w4 60100 ");
    }
}

// Written by two addresses, never read, then executed: the next writes are seen by the code.
GUEST_CODE(code, "mov $3, %ecx\n xor %ebx, %ebx\n 1: mov %ecx, %eax\n shl $8, %eax\n or $0xc300b0, %eax\n"
                 "mov %eax, (%rdi)\n mov %eax, 0x9f000(%rdi)\n call *%rdi\n" // mov $.., %al; ret
                 "movzbl %al, %eax\n add %eax, %ebx\n dec %ecx\n jnz 1b\n ud2");

static void test_code(void)
{
    for (unsigned hot = 0; hot < 2; hot++) {
        g_auto(Log) log;
        begin(&log, code_start, code_end, false);
        rw_cpu_set_jit(log.g->cpu, hot);
        *guest_u64(log.g, PT + 0x100 * 8) = 0x61000 | PTE_P | PTE_W | PTE_U;
        start(&log);
        tell(&log);
        g_assert_cmpint(guest_run(log.g, 100), ==, RW_EXIT_HLT);
        g_assert_cmpuint(log.g->state.gpr[3], ==, 3 + 2 + 1);
        check_pages(&log, "w61 w100 w1f r1f ");
    }
}

// A page that cannot be accessed is not told, one whose access comes in the end is.
static void test_fault(void)
{
    g_auto(Log) log;
    begin(&log, load64_start, load64_end, true);
    *guest_u64(log.g, PT + 0x60 * 8) = 0;
    start(&log);
    tell(&log);
    g_assert_cmpint(guest_run(log.g, 100), ==, RW_EXIT_HLT);
    g_assert_cmpint(guest_vector(log.g), ==, 14);
    check_pages(&log, "");
    g_assert_cmpstr(log.log->str, ==, "");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(rows); i++) {
        g_autofree char *path =
            g_strdup_printf("/watch/%s/%s", i % 2 ? "host-code" : "interpreted", rows[i / 2].name);
        g_test_add_data_func(path, GUINT_TO_POINTER(i), test_kind);
    }
    g_test_add_func("/watch/fxsave", test_fxsave);
    g_test_add_func("/watch/pages", test_pages);
    g_test_add_func("/watch/watch-page", test_watch_page);
    g_test_add_func("/watch/code", test_code);
    g_test_add_func("/watch/fault", test_fault);
    return g_test_run();
}
