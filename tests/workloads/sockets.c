// SPDX-License-Identifier: MIT
//
// Loopback TCP and UDP over IPv4 and IPv6, Unix sockets of three kinds, descriptors passed along.

#include "w.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

struct address {
    struct sockaddr_storage storage;
    socklen_t size;
};

static struct address loopback(int family)
{
    struct address address = {.size = family == AF_INET ? sizeof(struct sockaddr_in)
                                                        : sizeof(struct sockaddr_in6)};
    address.storage.ss_family = family;
    if (family == AF_INET)
        ((struct sockaddr_in *)&address.storage)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    else
        ((struct sockaddr_in6 *)&address.storage)->sin6_addr = in6addr_loopback;
    return address;
}

static int listen_at(int type, struct address *address)
{
    int fd = socket(address->storage.ss_family, type, 0);
    CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&address->storage, address->size) == 0);
    CHECK(getsockname(fd, (struct sockaddr *)&address->storage, &address->size) == 0);
    CHECK(type == SOCK_DGRAM || listen(fd, 4) == 0);
    return fd;
}

static void echo(int fd)
{
    char block[4096];
    for (ssize_t count; (count = read(fd, block, sizeof block)) > 0;)
        for (ssize_t done = 0; done < count;)
            done += write(fd, block + done, count - done);
}

// Sends `total` bytes from another process and sums up what comes back.
static void talk(int fd, int total)
{
    pid_t sender = fork();
    if (sender == 0) {
        char block[3000];
        for (int sent = 0; sent < total;) {
            for (size_t i = 0; i < sizeof block; i++)
                block[i] = (char)((sent + i) % 251);
            ssize_t count = write(fd, block, total - sent < 3000 ? total - sent : 3000);
            CHECK(count > 0);
            sent += count;
        }
        shutdown(fd, SHUT_WR);
        _exit(0);
    }
    unsigned char block[2048];
    long received = 0, wrong = 0;
    for (ssize_t count; (count = read(fd, block, sizeof block)) > 0; received += count)
        for (ssize_t i = 0; i < count; i++)
            wrong += block[i] != (received + i) % 251;
    printf("%ld bytes back, %ld wrong, sender %d\n", received, wrong, w_wait(sender));
}

static void run_stream(struct address address)
{
    int listener = listen_at(SOCK_STREAM, &address);
    pid_t server = fork();
    if (server == 0) {
        echo(accept(listener, NULL, NULL));
        _exit(0);
    }
    int fd = socket(address.storage.ss_family, SOCK_STREAM, 0), yes = 1;
    CHECK(connect(fd, (struct sockaddr *)&address.storage, address.size) == 0);
    if (address.storage.ss_family != AF_UNIX)
        CHECK(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0);
    talk(fd, 300000);
    close(fd);
    w_wait(server);
    close(listener);
}

static void run_datagrams(struct address address)
{
    int here = listen_at(SOCK_DGRAM, &address);
    int there = socket(address.storage.ss_family, SOCK_DGRAM, 0);
    for (int i = 0; i < 5; i++) {
        char text[32];
        snprintf(text, sizeof text, "datagram %d", i);
        CHECK(sendto(there, text, strlen(text), 0, (struct sockaddr *)&address.storage, address.size) > 0);
    }
    for (int i = 0; i < 5; i++) {
        char text[32] = "";
        CHECK(recv(here, text, sizeof text - 1, 0) > 0);
        printf("%s%s", text, i < 4 ? ", " : "\n");
    }
    close(here);
    close(there);
}

static void pass_descriptor(void)
{
    int pair[2];
    char space[CMSG_SPACE(sizeof(int))] = "", byte = 'd';
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = open("/etc/passwd", O_RDONLY);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &fd, sizeof fd);
        _exit(sendmsg(pair[1], &message, 0) != 1);
    }
    CHECK(recvmsg(pair[0], &message, 0) == 1);
    int fd;
    char text[5] = "";
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    CHECK(read(fd, text, 4) == 4);
    printf("passed a file that begins with %s, %d\n", text, w_wait(pid));
}

int main(void)
{
    struct address local = {.size = sizeof(sa_family_t) + 15};
    struct sockaddr_un *named = (struct sockaddr_un *)&local.storage;
    named->sun_family = AF_UNIX;
    memcpy(named->sun_path, "/tmp/socket-0", 14);

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    run_stream(loopback(AF_INET));
    run_stream(loopback(AF_INET6));
    run_stream(local);
    run_datagrams(loopback(AF_INET));
    run_datagrams(loopback(AF_INET6));
    unlink(named->sun_path);
    pass_descriptor();

    struct address nobody = loopback(AF_INET);
    ((struct sockaddr_in *)&nobody.storage)->sin_port = htons(9);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&nobody.storage, nobody.size) == -1);
    printf("nobody listens: errno %d\n", errno);
    return 0;
}
