// SPDX-License-Identifier: MIT
#include "self.h"

#include <string.h>
#include <ucontext.h>

// Its own frame is part of the stack: the first call that is found is that of who called it.
__attribute__((noinline)) void self_capture(RwSymbolsThread *ret, uint8_t *bytes, uint64_t end)
{
    static const int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                      REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                      REG_R12, REG_R13, REG_R14, REG_R15};
    ucontext_t context;
    getcontext(&context);
    for (int i = 0; i < 16; i++)
        ret->gpr[i] = (uint64_t)context.uc_mcontext.gregs[registers[i]];
    ret->ip = (uint64_t)context.uc_mcontext.gregs[REG_RIP];
    ret->stack = ret->gpr[4];
    ret->bytes = bytes;
    ret->size = MIN(SELF_STACK_MAX, end - ret->stack);
    memcpy(bytes, (void *)ret->stack, ret->size);
}

GBytes *self_read_file(const char *path, size_t max, void *data)
{
    const SelfFiles *files = data;
    char *text;
    gsize length;
    if (files->self && strcmp(path, files->path))
        return NULL;
    if (files->self)
        return g_bytes_new_from_bytes(files->self, 0, MIN(max, g_bytes_get_size(files->self)));
    if (!g_file_get_contents(path, &text, &length, NULL))
        return NULL;
    GBytes *bytes = g_bytes_new(text, MIN(length, max));
    g_free(text);
    return bytes;
}

char *self_dup_path(const char *path, void *data)
{
    const SelfFiles *files = data;
    return g_strdup_printf("%p %s", (void *)files->self, path);
}
