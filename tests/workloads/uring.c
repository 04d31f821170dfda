// SPDX-License-Identifier: MIT
//
// io_uring by its system calls: chains of reads and writes, polls, times, what a thread of the kernel does
// in its own time, what is called off; and the older asynchronous reads.

#include "w.h"

#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>

#define ENTRIES 64

static struct {
    int fd;
    char *ring;
    struct io_uring_sqe *entries;
    struct io_uring_params params;
    unsigned queued;
} uring;

static unsigned *word(unsigned offset)
{
    return (unsigned *)(void *)(uring.ring + offset);
}

static void set_up(void)
{
    uring.fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &uring.params);
    CHECK(uring.fd >= 0 && uring.params.features & IORING_FEAT_SINGLE_MMAP);
    size_t size = uring.params.cq_off.cqes + uring.params.cq_entries * sizeof(struct io_uring_cqe);
    size_t other = uring.params.sq_off.array + uring.params.sq_entries * sizeof(unsigned);
    uring.ring = mmap(NULL, size > other ? size : other, PROT_READ | PROT_WRITE, MAP_SHARED, uring.fd,
                      IORING_OFF_SQ_RING);
    uring.entries = mmap(NULL, ENTRIES * sizeof *uring.entries, PROT_READ | PROT_WRITE, MAP_SHARED,
                         uring.fd, IORING_OFF_SQES);
    CHECK(uring.ring != MAP_FAILED && uring.entries != MAP_FAILED);
}

static struct io_uring_sqe *add(int op, int fd, const void *address, unsigned length, uint64_t data)
{
    unsigned *tail = word(uring.params.sq_off.tail), at = *tail & *word(uring.params.sq_off.ring_mask);
    struct io_uring_sqe *entry = &uring.entries[at];
    memset(entry, 0, sizeof *entry);
    entry->opcode = (uint8_t)op;
    entry->fd = fd;
    entry->addr = (uintptr_t)address;
    entry->len = length;
    entry->user_data = data;
    word(uring.params.sq_off.array)[at] = at;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    uring.queued++;
    return entry;
}

static void submit(unsigned wanted)
{
    unsigned count = uring.queued;
    uring.queued = 0;
    CHECK(syscall(SYS_io_uring_enter, uring.fd, count, wanted, IORING_ENTER_GETEVENTS, NULL, 0) == count);
}

// What came back, as it came.
static void show(const char *name, unsigned count)
{
    printf("%s:", name);
    while (count) {
        unsigned *head = word(uring.params.cq_off.head);
        if (*head == __atomic_load_n(word(uring.params.cq_off.tail), __ATOMIC_ACQUIRE)) {
            submit(1);
            continue;
        }
        struct io_uring_cqe *all = (void *)(uring.ring + uring.params.cq_off.cqes);
        struct io_uring_cqe *one = &all[*head & *word(uring.params.cq_off.ring_mask)];
        printf(" %llu=%d", (unsigned long long)one->user_data, one->res);
        __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
        count--;
    }
    putchar('\n');
}

static char blocks[16][4096];

static void files(int fd)
{
    for (unsigned i = 0; i < 16; i++) {
        memset(blocks[i], 'a' + (int)i, sizeof blocks[i]);
        add(IORING_OP_WRITE, fd, blocks[i], sizeof blocks[i], i)->off = i * sizeof blocks[i];
    }
    submit(16);
    show("written", 16);
    for (unsigned i = 0; i < 16; i++) { // one after the other, by threads of the kernel
        struct io_uring_sqe *entry = add(IORING_OP_READ, fd, blocks[15 - i], sizeof blocks[i], i);
        entry->off = i * sizeof blocks[i];
        entry->flags = (uint8_t)(IOSQE_ASYNC | (i % 4 < 3 ? IOSQE_IO_LINK : 0));
    }
    add(IORING_OP_FSYNC, fd, NULL, 0, 99)->flags = IOSQE_IO_DRAIN;
    submit(17);
    show("read", 17);
    printf("turned round: %c%c\n", blocks[0][0], blocks[15][4095]);
}

static void times(void)
{
    static struct __kernel_timespec waits[3] = {{0, 30000000}, {0, 10000000}, {5, 0}};
    int ends[2];
    CHECK(pipe(ends) == 0);
    for (unsigned i = 0; i < 3; i++)
        add(IORING_OP_TIMEOUT, -1, &waits[i], 1, i);
    add(IORING_OP_POLL_ADD, ends[0], NULL, 0, 10)->poll32_events = POLLIN;
    submit(1);
    show("times", 2);
    CHECK(write(ends[1], "x", 1) == 1);
    show("poll", 1);
    add(IORING_OP_TIMEOUT_REMOVE, -1, (void *)2ul, 0, 20);
    submit(2);
    show("called off", 2);
    static char byte;
    add(IORING_OP_READ, ends[0], &byte, 1, 30)->flags = IOSQE_IO_LINK;
    add(IORING_OP_WRITE, ends[1], "y", 1, 31)->flags = IOSQE_IO_LINK;
    add(IORING_OP_READ, ends[0], &byte, 1, 32);
    submit(3);
    show("linked", 3);
    add(IORING_OP_READ, ends[0], &byte, 1, 40)->flags = IOSQE_IO_LINK; // nobody writes that
    add(IORING_OP_LINK_TIMEOUT, -1, &waits[1], 1, 41);
    submit(2);
    show("given up", 2);
}

static void older(int fd)
{
    aio_context_t context = 0;
    struct iocb blocks_[4] = {0}, *list[4];
    struct io_event events[4];
    uint64_t sum = 0;
    if (syscall(SYS_io_setup, 8, &context)) {
        puts("older: none");
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        blocks_[i] = (struct iocb){.aio_lio_opcode = IOCB_CMD_PREAD,
                                   .aio_fildes = (uint32_t)fd,
                                   .aio_buf = (uintptr_t)blocks[i],
                                   .aio_nbytes = 4096,
                                   .aio_offset = i * 4096,
                                   .aio_data = i};
        list[i] = &blocks_[i];
    }
    CHECK(syscall(SYS_io_submit, context, 4, list) == 4);
    CHECK(syscall(SYS_io_getevents, context, 4, 4, events, NULL) == 4);
    for (unsigned i = 0; i < 4; i++)
        sum = w_sum(sum, blocks[i], 4096);
    printf("older: %016llx\n", (unsigned long long)sum);
    syscall(SYS_io_destroy, context);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    int fd = open("/tmp/uring", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0);
    set_up();
    files(fd);
    times();
    older(fd);
    return 0;
}
