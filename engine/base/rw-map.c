// SPDX-License-Identifier: MIT
#include "rw-map.h"

#include "rw-error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u

struct RwMapNode {
    _Atomic(uintptr_t) start, end; // end 0: free
    atomic_bool is_private; // written to as well
    atomic_bool lost;
    RwMapNode *next; // does not change once it is in the list
};

static struct {
    GMutex guard; // of taking and giving nodes
    _Atomic(RwMapNode *) nodes;
    struct sigaction before;
} maps;

static RwMapNode *find(uintptr_t address)
{
    for (RwMapNode *node = atomic_load(&maps.nodes); node; node = node->next)
        if (address < atomic_load(&node->end) && address >= atomic_load(&node->start))
            return node;
    return NULL;
}

// ---- The signal ----

// As if this handler were not there: the instruction is executed again and meets the one before.
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (maps.before.sa_flags & SA_SIGINFO)
        maps.before.sa_sigaction(number, info, context);
    else if (maps.before.sa_handler != SIG_DFL && maps.before.sa_handler != SIG_IGN)
        maps.before.sa_handler(number);
    else
        sigaction(SIGBUS, &maps.before, NULL);
}

// What lies behind a page that is gone is gone too, where all of it is one file. mmap() is a bare system
// call: it may be called here.
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    uintptr_t address = (uintptr_t)info->si_addr;
    RwMapNode *node = info->si_code > 0 ? find(address) : NULL;
    void *page = (void *)(address & ~(uintptr_t)(PAGE - 1));
    bool is_private = node && atomic_load(&node->is_private);
    size_t length = !node ? 0 : is_private ? PAGE : atomic_load(&node->end) - (uintptr_t)page;
    int rights = is_private ? PROT_READ | PROT_WRITE : PROT_READ;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (node)
        atomic_store(&node->lost, true);
    if (!node || mmap(page, length, rights, flags, -1, 0) == MAP_FAILED)
        pass_on(number, info, context);
    errno = saved;
}

static void catch_bus_errors(void)
{
    static gsize done;
    if (!g_once_init_enter(&done))
        return;
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &maps.before);
    g_once_init_leave(&done, 1);
}

// ---- Nodes ----

static RwMapNode *take_node(const uint8_t *start, uint64_t size, bool is_private)
{
    g_mutex_lock(&maps.guard);
    RwMapNode *node = atomic_load(&maps.nodes);
    while (node && atomic_load(&node->end))
        node = node->next;
    if (!node) {
        node = g_new0(RwMapNode, 1);
        node->next = atomic_load(&maps.nodes);
        atomic_store(&maps.nodes, node);
    }
    atomic_store(&node->lost, false);
    atomic_store(&node->is_private, is_private);
    atomic_store(&node->start, (uintptr_t)start);
    atomic_store(&node->end, (uintptr_t)start + size);
    g_mutex_unlock(&maps.guard);
    return node;
}

// ---- Maps ----

static uint8_t *map_padded(int fd, uint64_t offset, uint64_t length, uint64_t size)
{
    uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return NULL;
    if (mmap(bytes, length, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, (off_t)offset) != MAP_FAILED)
        return bytes;
    int why = errno;
    munmap(bytes, size);
    errno = why;
    return NULL;
}

RwMap *rw_map_new(int fd, uint64_t offset, uint64_t length, uint64_t size, const char *path, GError **error)
{
    catch_bus_errors();
    uint8_t *bytes = map_padded(fd, offset, length, size);
    if (!bytes) {
        rw_error_from_errno(error, errno, "cannot map %s", path);
        return NULL;
    }
    RwMap *map = g_new(RwMap, 1);
    *map = (RwMap){bytes, size, take_node(bytes, size, false)};
    return map;
}

RwMap *rw_map_new_private(uint8_t *memory, uint64_t size)
{
    catch_bus_errors();
    RwMap *map = g_new(RwMap, 1);
    *map = (RwMap){memory, size, take_node(memory, size, true)};
    return map;
}

// First the memory: as long as the node is taken no other map can be where this one was.
void rw_map_free(RwMap *map)
{
    if (!map)
        return;
    g_mutex_lock(&maps.guard);
    atomic_store(&map->node->start, UINTPTR_MAX);
    munmap(map->bytes, map->size);
    atomic_store(&map->node->end, 0);
    g_mutex_unlock(&maps.guard);
    g_free(map);
}

bool rw_map_is_lost(const RwMap *map)
{
    return atomic_load(&map->node->lost);
}

bool rw_map_is_lost_at(const void *address)
{
    RwMapNode *node = find((uintptr_t)address);
    return node && atomic_load(&node->lost);
}

GBytes *rw_map_dup_file(const char *path, GError **error)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        rw_error_from_errno(error, errno, "cannot read %s", path);
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    uint64_t size = (uint64_t)st.st_size;
    RwMap *map = size ? rw_map_new(fd, 0, size, size, path, error) : NULL;
    close(fd);
    if (!map)
        return size ? NULL : g_bytes_new(NULL, 0);
    return g_bytes_new_with_free_func(map->bytes, size, (GDestroyNotify)rw_map_free, map);
}
