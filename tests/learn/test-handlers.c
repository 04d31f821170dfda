// SPDX-License-Identifier: MIT
//
// Who is in a signal's handler, and where signals come from: on a made-up machine that has a stack and
// registers.
#include "handlers-private.h"

#include <signal.h>
#include <string.h>

#define STACK 0x7ffc00000000ull // of the task: where its memory begins
#define ALTERNATE 0x10000ull
#define TOP 0x8000 // its stack pointer, from there

enum { RAX = 0, RSP = 4, RDI = 7 };

static struct {
    RwCpuState cpu;
    uint8_t stack[0x10000], alternate[0x4000];
    uint64_t tsc;
} made;

// ---- What the machine would say ----

void rw_machine_get_cpu(RwMachine *machine, RwCpuState *ret_state)
{
    (void)machine;
    *ret_state = made.cpu;
}

bool rw_machine_read_user(RwMachine *machine, uint64_t va, void *ret_bytes, size_t length)
{
    (void)machine;
    bool on_stack = va >= STACK && va - STACK + length <= sizeof made.stack;
    bool on_alternate = va >= ALTERNATE && va - ALTERNATE + length <= sizeof made.alternate;
    if (on_stack)
        memcpy(ret_bytes, made.stack + (va - STACK), length);
    else if (on_alternate)
        memcpy(ret_bytes, made.alternate + (va - ALTERNATE), length);
    return on_stack || on_alternate;
}

uint64_t rw_machine_tsc(RwMachine *machine)
{
    (void)machine;
    return made.tsc;
}

// ---- What happens in it ----

typedef struct {
    RwLearned *learned;
    RwTables tables;
    RwHandlers *handlers;
} Story;

static const RwTaskName names[] = {{{1}}, {{1, 1}}};

static RwTaskPoint point_of(guint task, RwExitKind kind)
{
    return (RwTaskPoint){.kind = kind, .tid = 10 + task, .pid = 10 + task, .task = &names[task]};
}

static void begin(Story *story)
{
    memset(&made, 0, sizeof made);
    made.cpu.gpr[RSP] = STACK + TOP;
    story->learned = g_new0(RwLearned, 1);
    story->learned->tasks = g_array_new(false, true, sizeof(RwLearnedTask));
    story->learned->objects = g_array_new(false, true, sizeof(RwObject));
    story->learned->sites = g_array_new(false, true, sizeof(RwLearnedSite));
    story->learned->events = g_array_new(false, true, sizeof(RwLearnedEvent));
    story->learned->handlers = g_array_new(false, true, sizeof(RwLearnedHandler));
    story->learned->signals = g_array_new(false, true, sizeof(RwLearnedSignal));
    rw_tables_init(&story->tables, story->learned);
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        RwTaskPoint point = point_of(i, RW_EXIT_USER);
        rw_tables_task(&story->tables, &point);
    }
    story->handlers = rw_handlers_new();
    rw_handlers_start(story->handlers, NULL, &story->tables);
}

static void finish(Story *story)
{
    rw_handlers_free(story->handlers);
    rw_tables_clear(&story->tables);
    GArray **arrays[] = {&story->learned->tasks,  &story->learned->objects,  &story->learned->sites,
                         &story->learned->events, &story->learned->handlers, &story->learned->signals};
    for (guint i = 0; i < G_N_ELEMENTS(arrays); i++)
        g_array_unref(*arrays[i]);
    g_free(story->learned);
}

static void take(Story *story, int signo, int code, uint32_t sender)
{
    struct rewind_record record = {.type = REWIND_RECORD_SIGNAL, .pid = 10, .tid = 10};
    struct rewind_signal signal = {.signo = signo, .code = code, .sender = sender};
    rw_handlers_record(story->handlers, &record, (const uint8_t *)&signal);
}

static void put(uint64_t va, uint64_t word)
{
    uint8_t *at = va >= STACK ? made.stack + (va - STACK) : made.alternate + (va - ALTERNATE);
    memcpy(at, &word, sizeof word);
}

// A frame of the kernel's, at `sp`: what it interrupted was at `below`.
static void push_frame(uint64_t sp, uint64_t below, bool alternate)
{
    put(sp + 24, alternate ? ALTERNATE : 0);
    put(sp + 40, alternate ? sizeof made.alternate : 0);
    put(sp + 168, below);
    made.cpu.gpr[RSP] = sp;
}

static int arrive(Story *story, RwExitKind kind)
{
    RwTaskPoint point = point_of(0, kind);
    rw_handlers_point(story->handlers, &point);
    return rw_handlers_signal(story->handlers, 10);
}

static const RwLearnedSignal *get_signal(const Story *story, guint i)
{
    return &g_array_index(story->learned->signals, RwLearnedSignal, i);
}

// One that is taken begins as its task is in user mode, and ends with rt_sigreturn.
static void test_returns(void)
{
    Story story;
    begin(&story);
    take(&story, SIGUSR1, SI_USER, 11);
    g_assert_cmpint(rw_handlers_signal(story.handlers, 10), ==, 0);
    push_frame(STACK + TOP - 0x500, STACK + TOP, false);
    made.cpu.gpr[RDI] = SIGUSR1;
    g_assert_cmpint(arrive(&story, RW_EXIT_USER), ==, SIGUSR1);
    g_assert_cmpuint(rw_handlers_index(story.handlers, 10), ==, 1);
    g_assert_cmpint(g_array_index(story.learned->handlers, RwLearnedHandler, 0).signo, ==, SIGUSR1);
    g_assert_true(rw_handlers_is_stack(story.handlers, 10, STACK + TOP - 0x800));
    g_assert_true(rw_handlers_is_stack(story.handlers, 10, STACK + TOP - 0x100));
    g_assert_false(rw_handlers_is_stack(story.handlers, 10, STACK + TOP - 8)); // the red zone
    g_assert_false(rw_handlers_is_stack(story.handlers, 10, STACK + TOP + 16));
    g_assert_false(rw_handlers_is_stack(story.handlers, 10, 0x404040));
    made.cpu.gpr[RSP] += 8;
    made.cpu.gpr[RAX] = 15;
    g_assert_cmpint(arrive(&story, RW_EXIT_CALL), ==, 0);
    g_assert_false(get_signal(&story, 0)->jumped);
    g_assert_cmpuint(get_signal(&story, 0)->handler, ==, 1);
    finish(&story);
}

// One that is jumped out of, from either stack.
static void test_jumps(void)
{
    for (int alternate = 0; alternate < 2; alternate++) {
        Story story;
        begin(&story);
        take(&story, SIGALRM, SI_KERNEL, 0);
        push_frame(alternate ? ALTERNATE + 0x3000 : STACK + TOP - 0x500, STACK + TOP, alternate);
        made.cpu.gpr[RDI] = SIGALRM;
        g_assert_cmpint(arrive(&story, RW_EXIT_USER), ==, SIGALRM);
        made.cpu.gpr[RSP] -= 0x40;
        g_assert_cmpint(arrive(&story, RW_EXIT_CALL), ==, SIGALRM);
        made.cpu.gpr[RSP] = STACK + TOP;
        g_assert_cmpint(rw_handlers_signal(story.handlers, 10), ==, 0);
        g_assert_true(get_signal(&story, 0)->jumped);
        g_assert_cmpint(get_signal(&story, 0)->origin, ==, RW_SIGNAL_TIMER);
        finish(&story);
    }
}

// Two at once: the second interrupts the first before its first instruction.
static void test_two(void)
{
    Story story;
    begin(&story);
    take(&story, SIGUSR1, SI_USER, 11);
    take(&story, SIGUSR2, SI_USER, 11);
    push_frame(STACK + TOP - 0x500, STACK + TOP, false);
    push_frame(STACK + TOP - 0xa00, STACK + TOP - 0x500, false);
    made.cpu.gpr[RDI] = SIGUSR2;
    g_assert_cmpint(arrive(&story, RW_EXIT_USER), ==, SIGUSR2);
    made.cpu.gpr[RSP] += 8;
    made.cpu.gpr[RAX] = 15;
    g_assert_cmpint(arrive(&story, RW_EXIT_CALL), ==, SIGUSR1);
    made.cpu.gpr[RSP] = STACK + TOP - 0x500 + 8;
    g_assert_cmpint(arrive(&story, RW_EXIT_CALL), ==, 0);
    finish(&story);
}

// The call that both interrupted is over where the first one begins, and what it gave is in the outer
// frame.
static void test_back(void)
{
    Story story;
    RwTaskPoint point = point_of(0, RW_EXIT_USER);
    begin(&story);
    point.rip = 0x401000;
    made.cpu.gpr[RAX] = 3;
    rw_handlers_point(story.handlers, &point);
    RwBack back = rw_handlers_back(story.handlers, &point);
    g_assert_cmphex(back.rip, ==, 0x401000);
    g_assert_cmpint(back.result, ==, 3);
    take(&story, SIGCHLD, CLD_EXITED, 11);
    take(&story, SIGUSR2, SI_USER, 11);
    push_frame(STACK + TOP - 0x500, STACK + TOP, false);
    put(STACK + TOP - 0x500 + 152, 11); // RAX
    put(STACK + TOP - 0x500 + 176, 0x401002); // RIP
    push_frame(STACK + TOP - 0xa00, STACK + TOP - 0x500, false);
    put(STACK + TOP - 0xa00 + 176, 0x402000);
    made.cpu.gpr[RDI] = SIGUSR2;
    point.rip = 0x403000;
    rw_handlers_point(story.handlers, &point);
    back = rw_handlers_back(story.handlers, &point);
    g_assert_cmphex(back.rip, ==, 0x401002);
    g_assert_cmpint(back.result, ==, 11);
    rw_handlers_point(story.handlers, &point); // in the handler: back from a call of its own
    back = rw_handlers_back(story.handlers, &point);
    g_assert_cmphex(back.rip, ==, 0x403000);
    finish(&story);
}

// What only stops its process has no handler.
static void test_none(void)
{
    Story story;
    begin(&story);
    take(&story, SIGTSTP, SI_KERNEL, 0);
    made.cpu.gpr[RDI] = 7;
    g_assert_cmpint(arrive(&story, RW_EXIT_USER), ==, 0);
    g_assert_cmpuint(get_signal(&story, 0)->handler, ==, 0);
    finish(&story);
}

static void call(Story *story, guint task, uint64_t number, uint64_t first, uint64_t second)
{
    RwTaskPoint point = point_of(task, RW_EXIT_CALL);
    RwPlace place = {.task = names[task], .kind = RW_PLACE_CALL, .number = number, .nth = 1};
    RwLearnedEvent event = {.task = task, .place = place};
    uint64_t arguments[6] = {first, second};
    event.object = rw_tables_object(&story->tables, RW_OBJECT_NONE, "", 0);
    rw_tables_add(&story->tables, &event);
    rw_handlers_call(story->handlers, &point, &event, arguments);
}

// kill(2) of another task, a child's end, a timer, and what a task does to itself.
static void test_origins(void)
{
    Story story;
    begin(&story);
    call(&story, 1, 62, 10, SIGUSR1);
    take(&story, SIGUSR1, SI_USER, 11);
    g_assert_cmpint(get_signal(&story, 0)->origin, ==, RW_SIGNAL_TASK);
    g_assert_cmpuint(get_signal(&story, 0)->sender, ==, 1);
    g_assert_cmpint(get_signal(&story, 0)->sent.kind, ==, RW_PLACE_CALL);
    g_assert_cmpint(get_signal(&story, 0)->behind.kind, ==, RW_PLACE_RETURN);
    call(&story, 1, 231, 0, 0);
    take(&story, SIGCHLD, CLD_EXITED, 11);
    g_assert_cmpint(get_signal(&story, 1)->origin, ==, RW_SIGNAL_CHILD);
    g_assert_cmpuint(get_signal(&story, 1)->sent.number, ==, 231);
    g_assert_cmpint(get_signal(&story, 1)->behind.kind, ==, RW_PLACE_END);
    call(&story, 0, 37, 1, 0);
    guint64 armed = story.tables.order;
    take(&story, SIGALRM, SI_KERNEL, 0);
    g_assert_cmpint(get_signal(&story, 2)->origin, ==, RW_SIGNAL_TIMER);
    g_assert_cmpuint(get_signal(&story, 2)->armed, ==, armed);
    call(&story, 0, 62, 10, SIGUSR2);
    take(&story, SIGUSR2, SI_USER, 10);
    g_assert_cmpint(get_signal(&story, 3)->origin, ==, RW_SIGNAL_ITSELF);
    finish(&story);
}

// What is done about a signal is an object that its sender touches, too.
static void test_disposition(void)
{
    Story story;
    guint n = 0;
    begin(&story);
    put(STACK + 0x100, 0x401000); // struct sigaction's first member
    call(&story, 0, 13, SIGUSR1, STACK + 0x100);
    call(&story, 1, 62, 10, SIGUSR1);
    for (guint i = 0; i < story.learned->events->len; i++) {
        const RwLearnedEvent *event = &g_array_index(story.learned->events, RwLearnedEvent, i);
        const RwObject *object = &g_array_index(story.learned->objects, RwObject, event->object);
        n += object->kind == RW_OBJECT_SIGNAL && object->address == SIGUSR1 && object->pid == 10 &&
             event->flags & RW_EVENT_CHANGES;
    }
    g_assert_cmpuint(n, ==, 2);
    take(&story, SIGUSR1, SI_USER, 11);
    g_assert_cmpuint(get_signal(&story, 0)->installed, >, 0);
    finish(&story);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/handlers/returns", test_returns);
    g_test_add_func("/handlers/jumps", test_jumps);
    g_test_add_func("/handlers/two", test_two);
    g_test_add_func("/handlers/back", test_back);
    g_test_add_func("/handlers/none", test_none);
    g_test_add_func("/handlers/origins", test_origins);
    g_test_add_func("/handlers/disposition", test_disposition);
    return g_test_run();
}
