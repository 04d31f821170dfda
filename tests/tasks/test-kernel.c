// SPDX-License-Identifier: MIT
//
// What engine/tasks says of a kernel that is made up, and of one that makes no sense.
#include "made-kernel.h"

#include "rw-base.h"
#include "rw-bytes.h"

#include <string.h>

typedef struct {
    uint8_t *bytes;
    MadeMemory memory;
    RwKernel *kernel;
} Made;

static void set_up(Made *made, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    made->bytes = made_kernel_new();
    made->memory = (MadeMemory){made->bytes, MADE_SIZE};
    RwKernelSource source = made_kernel_source(&made->memory);
    made->kernel = rw_kernel_new_of(&source, &error);
    g_assert_no_error(error);
}

static void tear_down(Made *made, gconstpointer data)
{
    rw_kernel_free(made->kernel);
    g_free(made->bytes);
}

static void test_tasks(Made *made, gconstpointer data)
{
    g_autoptr(GPtrArray) tasks = rw_kernel_tasks(made->kernel);
    static const uint32_t tids[] = {MADE_INIT, MADE_KERNEL_THREAD, MADE_JOB, MADE_THREAD};
    g_assert_cmpuint(tasks->len, ==, G_N_ELEMENTS(tids));
    for (guint i = 0; i < tasks->len; i++)
        g_assert_cmpuint(((RwKernelTask *)tasks->pdata[i])->tid, ==, tids[i]);
    const RwKernelTask *kthread = tasks->pdata[1], *job = tasks->pdata[2], *thread = tasks->pdata[3];
    g_assert_true(kthread->kernel && kthread->letter == 'I' && !kthread->has_registers);
    g_assert_true(job->state == RW_TASK_RUNNING && job->letter == 'R' && job->call == -1 &&
                  job->parent == 1);
    g_assert_true(thread->state == RW_TASK_SLEEPING && thread->letter == 'S' && thread->call == 0);
    g_assert_cmpuint(thread->pid, ==, MADE_JOB);
    g_assert_cmpuint(thread->own_pid, ==, MADE_OWN_PID);
    g_assert_cmpuint(thread->own_tid, ==, MADE_OWN_PID + 1);
    g_assert_cmpuint(thread->namespace_id, ==, 0xf0000001);
    g_assert_cmpstr(thread->name, ==, "thread");
    g_autofree char *object = rw_kernel_dup_descriptor(made->kernel, thread, 0);
    g_assert_cmpstr(object, ==, "pipe:[77]");
}

static void test_registers(Made *made, gconstpointer data)
{
    g_autofree RwKernelTask *job = rw_kernel_find(made->kernel, MADE_JOB);
    g_autofree RwKernelTask *thread = rw_kernel_find(made->kernel, MADE_THREAD);
    RwKernelRegisters registers;
    uint8_t fpu[RW_KERNEL_FXSAVE];
    g_assert_true(rw_kernel_registers(made->kernel, job, &registers));
    g_assert_cmpuint(registers.ip, ==, MADE_MM_VA + 32); // the CPU's
    g_assert_true(rw_kernel_registers(made->kernel, thread, &registers));
    g_assert_cmpuint(registers.ip, ==, MADE_MM_VA + 16); // of its stack
    g_assert_cmpuint(registers.fs_base, ==, 0x1234);
    g_assert_true(rw_kernel_fpu(made->kernel, job, fpu) && rw_kernel_fpu(made->kernel, thread, fpu));
    g_assert_null(rw_kernel_find(made->kernel, 999));
}

static void test_memory(Made *made, gconstpointer data)
{
    g_autofree RwKernelTask *job = rw_kernel_find(made->kernel, MADE_JOB);
    g_autofree char *maps = rw_kernel_dup_maps(made->kernel, job->mm);
    g_autofree char *wanted = g_strdup_printf("%-73s/bin/job\n%-73s[heap]\n%-73s[stack]\n%-73s[vsyscall]\n",
                                              "00400000-00401000 r-xp 00000000 103:01 77",
                                              "00402000-00405000 rw-p 00000000 00:00 0",
                                              "7ffff000-80000000 rw-p 00000000 00:00 0",
                                              "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0");
    g_assert_cmpstr(maps, ==, wanted);
    bool changing;
    g_autoptr(GPtrArray) mappings = rw_kernel_mappings(made->kernel, job->mm, true, &changing);
    const RwKernelMapping *first = mappings->pdata[0];
    g_assert_cmpmem(first->build_id, first->build_id_size, "buildid!", 8);
    static const RwPageState states[] = {RW_PAGE_PRESENT, RW_PAGE_ABSENT, RW_PAGE_PRESENT, RW_PAGE_SWAPPED,
                                         RW_PAGE_MOVING};
    for (guint i = 0; i < G_N_ELEMENTS(states); i++) {
        uint64_t gpa;
        g_assert_cmpint(rw_kernel_translate(made->kernel, job->mm, MADE_MM_VA + i * 4096, &gpa), ==,
                        states[i]);
    }
    char text[8];
    RwPageState state;
    g_assert_cmpuint(rw_kernel_read(made->kernel, job->mm, MADE_MM_VA + 0x2020, text, 3, &state), ==, 3);
    g_assert_cmpmem(text, 3, "job", 3); // a page that the program itself may not touch
    g_assert_cmpuint(rw_kernel_read(made->kernel, job->mm, MADE_MM_VA + 0xffe, text, 8, &state), ==, 2);
    g_assert_cmpint(state, ==, RW_PAGE_ABSENT);
    g_autoptr(GBytes) arguments = rw_kernel_arguments(made->kernel, job->mm, 100);
    g_assert_cmpmem(g_bytes_get_data(arguments, NULL), g_bytes_get_size(arguments), "job\0-a\0\0", 8);
    g_autofree char *program = rw_kernel_dup_program(made->kernel, job->mm);
    g_assert_cmpstr(program, ==, "/bin/job");
}

static void test_nothing(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree uint8_t *bytes = made_kernel_new();
    MadeMemory memory = {bytes, MADE_SIZE};
    RwKernelSource source = made_kernel_source(&memory);
    source.layout_gpa = 0;
    g_assert_null(rw_kernel_new_of(&source, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED);
    g_clear_error(&error);
    source = made_kernel_source(&memory);
    source.layout_size -= 16;
    g_assert_null(rw_kernel_new_of(&source, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_GUEST);
}

// Words of the memory are put in the place of others: lists become rings, tables point to themselves.
static void test_damaged(void)
{
    g_autofree uint8_t *whole = made_kernel_new();
    g_autofree uint8_t *bytes = g_malloc(MADE_SIZE);
    g_autoptr(GRand) chance = g_rand_new_with_seed(1);
    g_autoptr(GArray) used = g_array_new(false, false, sizeof(uint32_t));
    for (uint32_t at = 0; at < MADE_SIZE; at += 8)
        if (rw_load_u64(whole + at))
            g_array_append_val(used, at);
    for (int round = 0; round < 3000; round++) {
        memcpy(bytes, whole, MADE_SIZE);
        for (int i = g_rand_int_range(chance, 1, 12); i > 0; i--) {
            gint32 n = (gint32)used->len;
            uint32_t to = g_array_index(used, uint32_t, g_rand_int_range(chance, 0, n));
            uint32_t from = g_array_index(used, uint32_t, g_rand_int_range(chance, 0, n));
            uint64_t random = (uint64_t)g_rand_int(chance) << g_rand_int_range(chance, 0, 33);
            rw_store_u64(bytes + to, g_rand_int_range(chance, 0, 4) ? rw_load_u64(whole + from) : random);
        }
        MadeMemory memory = {bytes, MADE_SIZE};
        RwKernelSource source = made_kernel_source(&memory);
        g_autoptr(RwKernel) kernel = rw_kernel_new_of(&source, NULL);
        if (kernel)
            made_read_all(kernel);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/tasks/tasks", Made, NULL, set_up, test_tasks, tear_down);
    g_test_add("/tasks/registers", Made, NULL, set_up, test_registers, tear_down);
    g_test_add("/tasks/memory", Made, NULL, set_up, test_memory, tear_down);
    g_test_add_func("/tasks/nothing", test_nothing);
    g_test_add_func("/tasks/damaged", test_damaged);
    return g_test_run();
}
