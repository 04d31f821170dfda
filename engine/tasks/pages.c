// SPDX-License-Identifier: MIT
//
// Memory that is found by page tables; entries that are not present as Linux has them
// (arch/x86/include/asm/pgtable_64.h, pgtable-invert.h).
#include "kernel-private.h"
#include "rw-walk.h"

#define PROTECTED (1ull << 8) // of an entry that is not present: a page that the program may not touch
#define SWAP_TYPE_SHIFT 59

const uint8_t *rw_kernel_physical(RwKernel *kernel, uint64_t gpa, uint64_t length)
{
    return kernel->source.at(kernel->source.data, gpa, length);
}

static RwPageState not_present(RwKernel *kernel, uint64_t entry, uint64_t va, uint64_t *ret_gpa)
{
    if (!entry)
        return RW_PAGE_ABSENT;
    if (entry & PROTECTED) {
        *ret_gpa = (~entry & RW_ENTRY_ADDRESS) | (va & (RW_KERNEL_PAGE - 1));
        return RW_PAGE_PRESENT;
    }
    return entry >> SWAP_TYPE_SHIFT < FACT(kernel, SWAP_FILES_MAX) ? RW_PAGE_SWAPPED : RW_PAGE_MOVING;
}

RwPageState rw_kernel_walk(RwKernel *kernel, uint64_t root_gpa, uint64_t va, uint64_t *ret_gpa)
{
    RwTableWalk walk;
    *ret_gpa = 0;
    if ((va + (1ull << 47)) >> 48)
        return RW_PAGE_ABSENT; // no address at all
    if (!rw_walk_tables(kernel->source.at, kernel->source.data, root_gpa, va, &walk))
        return walk.is_page ? not_present(kernel, walk.entry, va, ret_gpa) : RW_PAGE_ABSENT;
    *ret_gpa = walk.gpa;
    return RW_PAGE_PRESENT;
}

// ---- The kernel's ----

static const uint8_t *page_at(RwKernel *kernel, uint64_t page)
{
    uint64_t number = page / RW_KERNEL_PAGE % TRANSLATIONS, gpa;
    if (page < RW_KERNEL_HALF)
        return NULL;
    if (kernel->translations[number].page == page)
        return kernel->translations[number].bytes;
    const uint8_t *bytes = NULL;
    if (rw_kernel_walk(kernel, FACT(kernel, PAGE_TABLES), page, &gpa) == RW_PAGE_PRESENT)
        bytes = rw_kernel_physical(kernel, gpa, RW_KERNEL_PAGE);
    kernel->translations[number].page = page;
    kernel->translations[number].bytes = bytes;
    return bytes;
}

bool rw_kernel_peek(RwKernel *kernel, uint64_t va, void *ret, size_t length)
{
    uint8_t *to = ret;
    while (length) {
        uint64_t inside = va % RW_KERNEL_PAGE, part = MIN(length, RW_KERNEL_PAGE - inside);
        const uint8_t *bytes = page_at(kernel, va - inside);
        if (!bytes)
            return false;
        memcpy(to, bytes + inside, part);
        to += part;
        va += part;
        length -= part;
    }
    return true;
}

uint64_t rw_kernel_u64(RwKernel *kernel, uint64_t va)
{
    uint8_t bytes[8];
    return rw_kernel_peek(kernel, va, bytes, sizeof bytes) ? rw_load_u64(bytes) : 0;
}

uint32_t rw_kernel_u32(RwKernel *kernel, uint64_t va)
{
    uint8_t bytes[4];
    return rw_kernel_peek(kernel, va, bytes, sizeof bytes) ? rw_load_u32(bytes) : 0;
}

uint16_t rw_kernel_u16(RwKernel *kernel, uint64_t va)
{
    uint8_t bytes[2];
    return rw_kernel_peek(kernel, va, bytes, sizeof bytes) ? rw_load_u16(bytes) : 0;
}

uint8_t rw_kernel_u8(RwKernel *kernel, uint64_t va)
{
    uint8_t byte;
    return rw_kernel_peek(kernel, va, &byte, 1) ? byte : 0;
}

char *rw_kernel_dup_text(RwKernel *kernel, uint64_t va, size_t max)
{
    g_autoptr(GString) text = g_string_new(NULL);
    char byte;
    while (rw_kernel_peek(kernel, va + text->len, &byte, 1)) {
        if (!byte)
            return g_string_free(g_steal_pointer(&text), false);
        if (text->len == max)
            break;
        g_string_append_c(text, byte);
    }
    return NULL;
}

// ---- A process's ----

uint64_t rw_kernel_page_tables(RwKernel *kernel, uint64_t mm)
{
    uint64_t gpa, root = U64(kernel, mm, MM_PGD);
    if (root < RW_KERNEL_HALF ||
        rw_kernel_walk(kernel, FACT(kernel, PAGE_TABLES), root, &gpa) != RW_PAGE_PRESENT)
        return 0;
    return gpa & RW_ENTRY_ADDRESS;
}

RwPageState rw_kernel_translate(RwKernel *kernel, uint64_t mm, uint64_t va, uint64_t *ret_gpa)
{
    uint64_t root = rw_kernel_page_tables(kernel, mm);
    *ret_gpa = 0;
    return root && va < RW_KERNEL_HALF ? rw_kernel_walk(kernel, root, va, ret_gpa) : RW_PAGE_ABSENT;
}

size_t rw_kernel_read(RwKernel *kernel, uint64_t mm, uint64_t va, void *ret_bytes, size_t length,
                      RwPageState *ret_state)
{
    uint64_t root = rw_kernel_page_tables(kernel, mm), gpa;
    size_t done = 0;
    *ret_state = root ? RW_PAGE_PRESENT : RW_PAGE_ABSENT;
    while (root && done < length) {
        uint64_t at = va + done;
        size_t part = MIN(length - done, RW_KERNEL_PAGE - at % RW_KERNEL_PAGE);
        *ret_state = at < RW_KERNEL_HALF ? rw_kernel_walk(kernel, root, at, &gpa) : RW_PAGE_ABSENT;
        const uint8_t *bytes = *ret_state == RW_PAGE_PRESENT ? rw_kernel_physical(kernel, gpa, part) : NULL;
        if (!bytes) {
            *ret_state = *ret_state == RW_PAGE_PRESENT ? RW_PAGE_ABSENT : *ret_state;
            break;
        }
        memcpy((uint8_t *)ret_bytes + done, bytes, part);
        done += part;
    }
    return done;
}

const char *rw_page_state_name(RwPageState state)
{
    static const char *const names[] = {"present", "absent", "swapped", "moving"};
    return state < G_N_ELEMENTS(names) ? names[state] : NULL;
}
