// SPDX-License-Identifier: MIT
//
// Memory of a guest whose kernel is looked at: a variant has words of it in the place of others, so that
// lists become rings and tables point to themselves.
#include "fuzz.h"

#include "made-kernel.h"
#include "rw-bytes.h"

static bool read_kernel(const uint8_t *bytes, size_t length)
{
    g_autoptr(GError) error = NULL;
    MadeMemory memory = {bytes, length};
    RwKernelSource source = made_kernel_source(&memory);
    g_autoptr(RwKernel) kernel = rw_kernel_new_of(&source, &error);
    g_assert_true(kernel || error->domain == RW_ERROR);
    return kernel && made_read_all(kernel);
}

void add_kernel(Inputs *inputs)
{
    g_ptr_array_add(inputs->inputs, g_bytes_new_take(made_kernel_new(), MADE_SIZE));
}

// The n-th of the words that are not 0, from `at` on and round.
static size_t find_word(const uint8_t *bytes, size_t at)
{
    for (size_t tries = 0; tries < MADE_SIZE / 8 && !rw_load_u64(bytes + at); tries++)
        at = (at + 8) % MADE_SIZE;
    return at;
}

static void vary(GByteArray *out, const Inputs *inputs, Random *random)
{
    const uint8_t *whole = g_bytes_get_data(inputs->inputs->pdata[0], NULL);
    rw_put_bytes(out, whole, MADE_SIZE);
    for (size_t n = 1 + random_below(random, 12); n; n--) {
        size_t to = find_word(whole, random_below(random, MADE_SIZE / 8) * 8);
        size_t from = find_word(whole, random_below(random, MADE_SIZE / 8) * 8);
        uint64_t word = rw_load_u64(whole + from);
        if (!random_below(random, 4))
            word = random_next(random) >> random_below(random, 64);
        rw_store_u64(out->data + to, word + 8 * random_below(random, 3));
    }
}

const Target target_kernel = {"kernel", read_kernel, NULL, vary};
