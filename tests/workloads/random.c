// SPDX-License-Identifier: MIT
//
// Every source of chance that a program has: random bytes, addresses, process ids, times.

#include "w.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <time.h>

static void print_bytes(const char *name, const unsigned char *bytes, size_t count)
{
    printf("%s ", name);
    for (size_t i = 0; i < count; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

static void print_device(const char *path)
{
    unsigned char bytes[16];
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && read(fd, bytes, sizeof bytes) == sizeof bytes);
    print_bytes(path, bytes, sizeof bytes);
    close(fd);
}

static void print_addresses(void)
{
    int local;
    void *small = malloc(10), *large = malloc(1 << 20);
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("stack %p code %p data %p heap %p large %p mmap %p libc %p vdso %lx brk %p\n", (void *)&local,
           (void *)print_addresses, (void *)&stdout, small, large, page, (void *)printf,
           getauxval(AT_SYSINFO_EHDR), sbrk(0));
    free(small);
    free(large);
}

int main(void)
{
    unsigned char bytes[32];
    CHECK(getrandom(bytes, sizeof bytes, 0) == sizeof bytes);
    print_bytes("getrandom", bytes, sizeof bytes);
    CHECK(getrandom(bytes, 16, GRND_RANDOM) == 16);
    print_bytes("GRND_RANDOM", bytes, 16);
    print_device("/dev/urandom");
    print_device("/dev/random");
    print_bytes("AT_RANDOM", (const unsigned char *)getauxval(AT_RANDOM), 16);
    print_addresses();
    for (int i = 0; i < 3; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            print_addresses();
            exit(0);
        }
        w_wait(pid);
        printf("pid %d\n", (int)pid);
    }
    char name[] = "/tmp/random-XXXXXX";
    CHECK(mkstemp(name) >= 0);
    printf("%s time %lld hwcap %lx hwcap2 %lx platform %s\n", name, (long long)time(NULL),
           getauxval(AT_HWCAP), getauxval(AT_HWCAP2), (const char *)getauxval(AT_PLATFORM));
    return 0;
}
