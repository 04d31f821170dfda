// SPDX-License-Identifier: MIT
#include "rw-kept-pages.h"

#include <string.h>

#define PAGES 64u

static uint8_t *new_memory(void)
{
    uint8_t *memory = g_malloc(PAGES * RW_KEPT_PAGE_SIZE);
    for (unsigned i = 0; i < PAGES * RW_KEPT_PAGE_SIZE; i++)
        memory[i] = (uint8_t)(i / RW_KEPT_PAGE_SIZE + i % 251);
    return memory;
}

// All pages that are a multiple of `each`.
static RwKeptPages *keep(const uint8_t *memory, unsigned each, const RwKeptPages *like)
{
    g_autoptr(GError) error = NULL;
    uint32_t *numbers = g_new(uint32_t, PAGES);
    uint64_t n = 0;
    for (uint32_t i = 0; i < PAGES; i += each)
        numbers[n++] = i;
    RwKeptPages *pages = rw_kept_pages_new(numbers, n, memory, like, &error);
    g_assert_no_error(error);
    return pages;
}

static void check(const RwKeptPages *pages, const uint8_t *memory)
{
    for (uint64_t i = 0; i < rw_kept_pages_get_count(pages); i++)
        g_assert_cmpmem(rw_kept_pages_get(pages, i), RW_KEPT_PAGE_SIZE,
                        memory + (uint64_t)rw_kept_pages_get_numbers(pages)[i] * RW_KEPT_PAGE_SIZE,
                        RW_KEPT_PAGE_SIZE);
}

static uint64_t own(const RwKeptPages *pages)
{
    return rw_kept_pages_get_own(pages) / RW_KEPT_PAGE_SIZE;
}

static void test_one(void)
{
    g_autofree uint8_t *memory = new_memory();
    RwKeptPages *pages = keep(memory, 3, NULL);
    g_assert_cmpuint(rw_kept_pages_get_count(pages), ==, 22);
    g_assert_cmpuint(own(pages), ==, 22);
    check(pages, memory);
    rw_kept_pages_free(pages);
    rw_kept_pages_free(NULL);
}

static void test_none(void)
{
    g_autofree uint8_t *memory = new_memory();
    RwKeptPages *none = rw_kept_pages_new(NULL, 0, memory, NULL, NULL);
    RwKeptPages *some = keep(memory, 2, none);
    RwKeptPages *again = rw_kept_pages_new(NULL, 0, memory, some, NULL);
    g_assert_cmpuint(rw_kept_pages_get_count(again), ==, 0);
    g_assert_cmpuint(own(again), ==, 0);
    g_assert_cmpuint(own(some), ==, 32);
    rw_kept_pages_free(none);
    rw_kept_pages_free(some);
    rw_kept_pages_free(again);
}

// What changed is copied, nothing else; and stays as it was, whoever goes first.
static void test_shared(void)
{
    g_autofree uint8_t *memory = new_memory(), *later = new_memory();
    later[6 * RW_KEPT_PAGE_SIZE + 4095]++;
    later[12 * RW_KEPT_PAGE_SIZE]++;
    RwKeptPages *first = keep(memory, 3, NULL), *second = keep(later, 2, first);
    // Multiples of six are in both, all but two of them the same.
    g_assert_cmpuint(rw_kept_pages_get_count(second), ==, 32);
    g_assert_cmpuint(own(second), ==, 32 - 11 + 2);
    g_assert_cmpuint(own(first), ==, 0);
    RwKeptPages *third = keep(later, 1, second);
    g_assert_cmpuint(own(third), ==, 32);
    check(first, memory);
    rw_kept_pages_free(first);
    check(second, later);
    check(third, later);
    rw_kept_pages_free(second);
    check(third, later);
    // Of the first one's pages some are needed still, so all of them are there.
    g_assert_cmpuint(own(third), ==, 32 + 23 + 22);
    rw_kept_pages_free(third);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/kept-pages/one", test_one);
    g_test_add_func("/base/kept-pages/none", test_none);
    g_test_add_func("/base/kept-pages/shared", test_shared);
    return g_test_run();
}
