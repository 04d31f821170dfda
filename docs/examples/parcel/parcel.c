// SPDX-License-Identifier: MIT
//
// Parcels go through a stream socket: a length, then so many bytes. The sender is another process. What
// comes must be what was sent.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE_MAX_PARCEL = 512, PARCELS = 3 };

struct parcel {
    uint32_t size;
    char bytes[SIZE_MAX_PARCEL];
};

static void fill(struct parcel *parcel, int number)
{
    parcel->size = (uint32_t)(100 + 150 * number);
    memset(parcel->bytes, 'a' + number, parcel->size);
}

static void send_all(int out, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = write(out, bytes, size);
        if (sent < 0)
            abort();
        bytes += sent;
        size -= (size_t)sent;
    }
}

static void send_parcels(int out)
{
    for (int i = 0; i < PARCELS; i++) {
        struct parcel parcel;
        fill(&parcel, i);
        send_all(out, (const char *)&parcel, sizeof parcel.size + parcel.size);
    }
    _exit(0);
}

// 0: there is no more.
static int receive(int in, struct parcel *ret)
{
    memset(ret, 0, sizeof *ret);
    if (read(in, &ret->size, sizeof ret->size) != sizeof ret->size || ret->size > sizeof ret->bytes)
        return 0;
    return read(in, ret->bytes, ret->size) > 0;
}

static int is_as_sent(const struct parcel *parcel, int number)
{
    struct parcel sent = {0};
    fill(&sent, number);
    return parcel->size == sent.size && memcmp(parcel->bytes, sent.bytes, sent.size) == 0;
}

int main(void)
{
    int ends[2], good = 0, status = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        abort();
    pid_t sender = fork();
    if (sender == 0) {
        close(ends[0]);
        send_parcels(ends[1]);
    }
    close(ends[1]);
    for (int i = 0; i < PARCELS; i++) {
        struct parcel parcel;
        if (!receive(ends[0], &parcel) || !is_as_sent(&parcel, i)) {
            printf("parcel %d IS DAMAGED\n", i);
            break;
        }
        good++;
    }
    close(ends[0]);
    if (good == PARCELS)
        waitpid(sender, &status, 0);
    printf("%d of %d parcels are as they were sent\n", good, PARCELS);
    return good != PARCELS || status != 0;
}
