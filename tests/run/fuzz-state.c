// SPDX-License-Identifier: MIT
//
// Restores damaged and made-up machine states, with a real memory, and lets them run for a while. Prints
// how many were refused and how many ran; dies of what gets through.
//
//   fuzz-state GUEST-DIR IMAGE SEED COUNT
#include "rw-machine.h"

#include <stdio.h>
#include <stdlib.h>

#define MEMORY (128ull << 20)

typedef struct {
    uint8_t *bytes; // all of RAM that was touched, page after page
    GArray *pages; // of uint64_t
} Ram;

static void keep_page(uint64_t page, const uint8_t *bytes, void *data)
{
    Ram *ram = data;
    memcpy(ram->bytes + ram->pages->len * 4096ull, bytes, 4096);
    g_array_append_val(ram->pages, page);
}

static bool load(uint8_t *to, uint64_t size, uint8_t *touched, void *data, GError **error)
{
    const Ram *ram = data;
    for (guint i = 0; i < ram->pages->len; i++) {
        uint64_t page = g_array_index(ram->pages, uint64_t, i);
        memcpy(to + page * 4096, ram->bytes + i * 4096ull, 4096);
        touched[page] = 1;
    }
    return true;
}

// The check would keep nearly all of it out.
static void seal(uint8_t *bytes, size_t length)
{
    uint64_t hash = length - 8;
    for (size_t i = 0; i < length - 8; i++) {
        hash = (hash ^ bytes[i]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    rw_store_u64(bytes + length - 8, hash);
}

static uint64_t odd_number(GRand *rand)
{
    static const uint64_t odd[] = {0,          1,          UINT32_MAX,       UINT64_MAX,
                                   1ull << 63, 1ull << 47, (1ull << 62) - 1, 0xd0000ffe};
    uint64_t any = (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
    unsigned pick = (unsigned)g_rand_int_range(rand, 0, 12);
    return pick < G_N_ELEMENTS(odd) ? odd[pick] : any >> (any & 63);
}

// CPU and device come first and the names last: the first 2,000 bytes and the last 300 get most of it.
static GBytes *damage(GBytes *state, GRand *rand)
{
    size_t length;
    const uint8_t *bytes = g_bytes_get_data(state, &length);
    uint8_t *out = g_memdup2(bytes, length);
    for (int n = g_rand_int_range(rand, 1, 5); n; n--) {
        size_t at = (size_t)g_rand_int_range(rand, 0, (gint32)length - 16);
        if (g_rand_int_range(rand, 0, 3))
            at %= 2000;
        switch (g_rand_int_range(rand, 0, 4)) {
        case 0:
            out[at] = (uint8_t)g_rand_int(rand);
            break;
        case 1:
            out[at] ^= (uint8_t)(1u << (g_rand_int(rand) & 7));
            break;
        default:
            rw_store_u64(out + (at & ~(size_t)7), odd_number(rand));
        }
    }
    if (g_rand_int_range(rand, 0, 20) == 0)
        length -= (size_t)g_rand_int_range(rand, 1, (gint32)length - 40);
    seal(out, length);
    return g_bytes_new_take(out, length);
}

static bool try_one(const RwMachineConfig *config, GBytes *state, Ram *ram)
{
    g_autoptr(GError) error = NULL;
    RwMachine *machine = rw_machine_restore(config, state, load, ram, &error);
    g_assert_true((machine == NULL) == (error != NULL));
    if (!machine)
        return false;
    RwLimits limits = {
        .icount = rw_machine_icount(machine) + 300000,
        .step = rw_machine_steps(machine) + 2000,
        .deadline = g_get_monotonic_time() + 5 * G_USEC_PER_SEC,
    };
    rw_machine_run(machine, &limits);
    rw_machine_hash(machine, false);
    g_bytes_unref(rw_machine_save(machine));
    rw_machine_free(machine);
    return true;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    if (argc != 5)
        return 2;
    RwGuest *guest = rw_guest_load(argv[1], &error);
    g_assert_no_error(error);
    RwMachineConfig config = {
        .guest = guest,
        .image_path = argv[2],
        .memory = MEMORY,
        .model = RW_CPU_MODEL_V2,
        .clock = RW_CLOCK_INSTRUCTIONS,
        .cores = 1,
    };
    RwMachine *machine = rw_machine_new(&config, &error);
    g_assert_no_error(error);
    Ram ram = {g_malloc(MEMORY), g_array_new(false, false, sizeof(uint64_t))};
    uint64_t count = g_ascii_strtoull(argv[4], NULL, 10), ran = 0;
    rw_machine_run(machine, &(RwLimits){.before_input = true});
    rw_machine_each_touched(machine, keep_page, &ram);
    g_autoptr(GBytes) state = rw_machine_save(machine);
    rw_machine_free(machine);
    g_assert_true(try_one(&config, state, &ram));
    g_autoptr(GRand) rand = g_rand_new_with_seed((guint32)strtoul(argv[3], NULL, 10));
    for (uint64_t i = 0; i < count; i++) {
        g_autoptr(GBytes) damaged = damage(state, rand);
        ran += try_one(&config, damaged, &ram);
    }
    printf("%" G_GUINT64_FORMAT " states refused, %" G_GUINT64_FORMAT " ran\n", count - ran, ran);
    g_array_unref(ram.pages);
    g_free(ram.bytes);
    rw_guest_unref(guest);
    return ran && ran < count ? 0 : 1;
}
