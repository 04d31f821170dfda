// SPDX-License-Identifier: MIT
// Runs a sequence in this process. A signal handler enters it, by putting its registers into the context
// that the handler returns to, and the handler of the signal that ends it takes them out again and goes
// back to the caller the same way. So the program's state is all the kernel's to load and store.
#include "random.h"

#include <asm/prctl.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

G_STATIC_ASSERT(sizeof(Fx) == 416);

static const int greg_of[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

// A signal handler has no other way to be told: what is running.
static struct {
    const Sequence *enter;
    Outcome *target; // where it ends up
    Outcome *out; // the same while the sequence runs, else NULL
    gregset_t gregs; // the caller's
    Fx fx;
    uint8_t *code, *data; // writable views
    uint64_t fs_base; // the C library's
} native;

// FS is the C library's: nothing of it may run while it points elsewhere.
static inline void set_fs(uint64_t base)
{
    long ret;

    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "0"((long)SYS_arch_prctl), "D"((long)ARCH_SET_FS), "S"(base)
                     : "rcx", "r11", "memory");
}

static void load(ucontext_t *uc, const Regs *regs)
{
    uint8_t *fp = (uint8_t *)uc->uc_mcontext.fpregs;
    uint64_t xstate_bv;

    for (unsigned i = 0; i < 16; i++)
        uc->uc_mcontext.gregs[greg_of[i]] = (greg_t)regs->gpr[i];
    uc->uc_mcontext.gregs[REG_RIP] = (greg_t)regs->rip;
    uc->uc_mcontext.gregs[REG_EFL] = (greg_t)regs->rflags;
    memcpy(fp, &regs->fx, sizeof(Fx));
    memcpy(&xstate_bv, fp + 512, 8);
    xstate_bv |= 3; // x87 and SSE state is to be loaded, not initialised
    memcpy(fp + 512, &xstate_bv, 8);
}

static void capture(const ucontext_t *uc, Outcome *out)
{
    const greg_t *g = uc->uc_mcontext.gregs;

    for (unsigned i = 0; i < 16; i++)
        out->regs.gpr[i] = (uint64_t)g[greg_of[i]];
    out->regs.rip = (uint64_t)g[REG_RIP];
    out->regs.rflags = (uint64_t)g[REG_EFL];
    memcpy(&out->regs.fx, uc->uc_mcontext.fpregs, sizeof(Fx));
    out->end.vector = (int)g[REG_TRAPNO];
    out->end.error = (uint32_t)g[REG_ERR];
    out->end.cr2 = (uint64_t)g[REG_CR2];
}

__attribute__((no_stack_protector)) static void on_signal(int sig, siginfo_t *info, void *context)
{
    __builtin_ia32_writeeflags_u64(0x202); // the program's AC and ID are no flags for this one
    if (native.out)
        set_fs(native.fs_base);
    ucontext_t *uc = context;
    Outcome *out = native.out;

    (void)info;
    if (out) {
        native.out = NULL;
        capture(uc, out);
        if (sig == SIGVTALRM)
            out->end.vector = ENDLESS;
        memcpy(uc->uc_mcontext.gregs, native.gregs, sizeof native.gregs);
        memcpy(uc->uc_mcontext.fpregs, &native.fx, sizeof(Fx));
    } else if (sig == SIGUSR1 && native.enter) {
        memcpy(native.gregs, uc->uc_mcontext.gregs, sizeof native.gregs);
        memcpy(&native.fx, uc->uc_mcontext.fpregs, sizeof(Fx));
        load(uc, &native.enter->regs);
        native.out = native.target;
        set_fs(FS_BASE);
    } else if (sig != SIGVTALRM) {
        signal(sig, SIG_DFL); // our own bug: die of it
    }
}

static uint8_t *map_twice(uint64_t va, size_t size, int prot, GError **error)
{
    int fd = memfd_create("random", 0);
    void *view, *fixed;

    if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
        goto fail;
    view = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    fixed = mmap((void *)va, size, prot, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    if (view == MAP_FAILED || fixed == MAP_FAILED)
        goto fail;
    close(fd);
    return view;
fail:
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "mapping memory at %#lx: %s",
                (unsigned long)va, g_strerror(errno));
    return NULL;
}

bool native_init(GError **error)
{
    static const int signals[] = {SIGUSR1, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGVTALRM};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_size = 1 << 16};

    native.code = map_twice(CODE_VA, CODE_SIZE, PROT_READ | PROT_EXEC, error);
    native.data = native.code ? map_twice(DATA_VA, DATA_SIZE, PROT_READ | PROT_WRITE, error) : NULL;
    if (!native.data)
        return false;
    // All present, or faults would look different.
    mlock((void *)CODE_VA, CODE_SIZE);
    mlock((void *)DATA_VA, DATA_SIZE);
    mprotect((void *)(DATA_VA + DATA_RW_SIZE), DATA_SIZE - DATA_RW_SIZE, PROT_READ);
    for (uint64_t va = DATA_VA; va < DATA_VA + DATA_SIZE; va += 0x1000)
        (void)*(volatile uint8_t *)va;
    stack.ss_sp = g_malloc(stack.ss_size); // for as long as the process lives
    sigaltstack(&stack, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(signals); i++)
        sigaction(signals[i], &action, NULL);
    syscall(SYS_arch_prctl, ARCH_SET_GS, GS_BASE);
    syscall(SYS_arch_prctl, ARCH_GET_FS, &native.fs_base);
    return true;
}

static void set_timer(suseconds_t us)
{
    struct itimerval timer = {.it_value.tv_usec = us};

    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

void native_run(const Sequence *s, Outcome *ret)
{
    memcpy(native.code, s->code, CODE_SIZE);
    memcpy(native.data, s->data, DATA_SIZE);
    memset(ret, 0, sizeof *ret);
    native.enter = s;
    native.target = ret;
    if (s->loops)
        set_timer(50000);
    raise(SIGUSR1); // comes back when the sequence has ended
    if (s->loops)
        set_timer(0);
    native.enter = NULL;
    memcpy(ret->data, native.data, DATA_SIZE);
}
