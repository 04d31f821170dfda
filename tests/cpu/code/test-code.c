// SPDX-License-Identifier: MIT
// What is kept of decoded code: how much work stores to pages with code make, and room that is made.
#include "../smoke/bare-guest.h"
#include "code-private.h"

#define PAGE 0x40000u
#define N_ROUNDS 6

static void start_at(Guest *g, uint64_t rip)
{
    g->state.rip = rip;
    guest_start(g);
}

// As many functions of 16 bytes as go into a page: "mov $i, %eax; ret".
static unsigned fill_page(Guest *g, uint64_t gpa)
{
    for (unsigned i = 0; i < 256; i++) {
        uint8_t code[] = {0xb8, (uint8_t)i, 0, 0, 0, 0xc3};
        memcpy(g->ram + gpa + i * 16, code, sizeof code);
    }
    return 256;
}

// ---- Stores ----

// Calls each function of the page, then writes to one of them, over and over: RBX counts the writes.
GUEST_CODE(writer_code, "mov $0x40000, %edx\n"
                        "1: call *%rdx\n"
                        "add $16, %edx\n"
                        "cmp $0x41000, %edx\n"
                        "jne 1b\n"
                        "mov %ebx, %ecx\n"
                        "2: mov %cl, 0x40801\n"
                        "mov $0x40800, %edx\n"
                        "call *%rdx\n"
                        "dec %ecx\n"
                        "jnz 2b\n"
                        "hlt\n");

static uint64_t visited_by(unsigned writes)
{
    g_autoptr(Guest) g = GUEST_NEW(writer_code);
    fill_page(g, PAGE);
    g->state.gpr[3] = writes;
    start_at(g, CODE);
    g_assert_cmpint(guest_run(g, 10000000), ==, RW_EXIT_HLT);
    g_assert_cmpuint(g->state.gpr[0], ==, 1); // the last that was written
    return g->cpu->code->n_visited;
}

// A store looks at the blocks near it: those of 13 granules with 4 functions each, not at all 256.
static void test_stores(void)
{
    uint64_t few = visited_by(100), many = visited_by(1100);
    g_assert_cmpuint(many, >, few); // something is counted
    g_assert_cmpuint((many - few) / 1000, <=, 14 * 4);
}

// Drops all blocks of a page by one store each: as many looks as there are blocks near, not the square.
GUEST_CODE(sweeper_code, "mov %ebx, %esi\n"
                         "3: mov $0x40000, %edx\n"
                         "1: call *%rdx\n"
                         "add $16, %edx\n"
                         "cmp $0x41000, %edx\n"
                         "jne 1b\n"
                         "mov $0x40000, %edi\n"
                         "2: movb $0xb8, (%rdi)\n"
                         "add $16, %edi\n"
                         "cmp $0x41000, %edi\n"
                         "jne 2b\n"
                         "dec %esi\n"
                         "jnz 3b\n"
                         "hlt\n");

static void test_sweep(void)
{
    g_autoptr(Guest) g = GUEST_NEW(sweeper_code);
    unsigned n = fill_page(g, PAGE), rounds = 10;
    g->state.gpr[3] = rounds;
    start_at(g, CODE);
    g_assert_cmpint(guest_run(g, 10000000), ==, RW_EXIT_HLT);
    g_assert_cmpuint(g->cpu->code->n_visited, >=, n * rounds);
    g_assert_cmpuint(g->cpu->code->n_visited, <=, n * rounds * 14 * 4);
}

// ---- Room ----

// Runs through functions in many pages, RBX times.
GUEST_CODE(wanderer_code, "xor %esi, %esi\n"
                          "3: mov $0x100000, %edx\n"
                          "1: call *%rdx\n"
                          "add %rax, %rsi\n"
                          "add $16, %edx\n"
                          "cmp $0x140000, %edx\n"
                          "jne 1b\n"
                          "dec %ebx\n"
                          "jnz 3b\n"
                          "hlt\n");

static Guest *wanderer(void)
{
    Guest *g = GUEST_NEW(wanderer_code);
    for (uint64_t page = 0x100000; page < 0x140000; page += 4096)
        fill_page(g, page);
    g->state.gpr[3] = N_ROUNDS;
    return g;
}

// 16,384 functions of more than 200 bytes each do not fit into 8 regions of 256 KiB; what is used
// meanwhile, the loop, is decoded again each time that it has become the oldest.
static void test_room(void)
{
    for (unsigned hot = 0; hot <= 3; hot++) {
        g_autoptr(Guest) whole = wanderer(), small = wanderer();
        rw_cpu_set_jit(whole->cpu, hot);
        rw_cpu_set_jit(small->cpu, hot);
        rw_code_set_region_size(small->cpu, 256 << 10);
        start_at(whole, CODE);
        start_at(small, CODE);
        g_assert_cmpint(guest_run(whole, 100000000), ==, RW_EXIT_HLT);
        g_assert_cmpint(guest_run(small, 100000000), ==, RW_EXIT_HLT);
        g_assert_cmpmem(&whole->state, sizeof whole->state, &small->state, sizeof small->state);
        g_assert_cmpuint(whole->cpu->code->region, ==, 0);
        g_assert_cmpuint(small->cpu->code->n_emptied, >, 8);
    }
}

static unsigned count_blocks(const RwCodeCache *c)
{
    unsigned n = 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(c->hash); i++)
        for (const RwBlock *b = c->hash[i]; b; b = b->next_in_hash)
            n++;
    return n;
}

// A guest that makes code again and again has what is dead thrown away; other code lives.
static void test_made_again(void)
{
    g_autoptr(Guest) g = GUEST_NEW(sweeper_code);
    fill_page(g, PAGE);
    g->state.gpr[3] = 100;
    start_at(g, CODE);
    rw_code_set_region_size(g->cpu, 256 << 10);
    g_assert_cmpint(guest_run(g, 10000000), ==, RW_EXIT_HLT);
    g_assert_cmpuint(g->cpu->code->n_emptied, >,
                     RW_CODE_REGIONS); // 256 blocks of some 200 bytes, 100 times
    for (unsigned i = 2; i < RW_CODE_REGIONS; i++)
        g_assert_cmpuint(g->cpu->code->taken[i], ==, 0);
}

// What is kept when a region is emptied: most.
static void test_oldest(void)
{
    g_autoptr(Guest) g = wanderer();
    g->state.gpr[3] = 1;
    start_at(g, CODE);
    rw_code_set_region_size(g->cpu, 1 << 20);
    g_assert_cmpint(guest_run(g, 100000000), ==, RW_EXIT_HLT);
    unsigned before = count_blocks(g->cpu->code);
    rw_code_make_room(g->cpu);
    rw_code_make_room(g->cpu);
    g_assert_cmpuint(before, >, 16384);
    g_assert_cmpuint(count_blocks(g->cpu->code), ==, before); // free ones come first
    for (unsigned i = 0; i < RW_CODE_REGIONS; i++)
        rw_code_make_room(g->cpu);
    g_assert_cmpuint(count_blocks(g->cpu->code), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/code/stores", test_stores);
    g_test_add_func("/code/sweep", test_sweep);
    g_test_add_func("/code/room", test_room);
    g_test_add_func("/code/made-again", test_made_again);
    g_test_add_func("/code/oldest", test_oldest);
    return g_test_run();
}
