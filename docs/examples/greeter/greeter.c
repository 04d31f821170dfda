// SPDX-License-Identifier: MIT
//
// usage: greeter serve|ask
//
// A server that greets who connects to its socket, and the client.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const struct sockaddr_un address = {AF_UNIX, "greeter.socket"};
static const char greeting[] = "good evening\n";

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

_Noreturn static void serve(void)
{
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listening < 0 || bind(listening, (const struct sockaddr *)&address, sizeof address) != 0) /* side: held */
        fail("bind");
    if (listen(listening, 5) != 0) /* side: held */
        fail("listen");
    for (;;) {
        int client = accept(listening, NULL, NULL);
        if (client < 0)
            fail("accept");
        send(client, greeting, sizeof greeting - 1, MSG_NOSIGNAL);
        close(client);
    }
}

static int ask(void)
{
    char answer[64];
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (server < 0)
        fail("socket");
    if (connect(server, (const struct sockaddr *)&address, sizeof address) != 0) /* side: passes */
        fail("connect");
    ssize_t length = recv(server, answer, sizeof answer, MSG_WAITALL);
    if (length != sizeof greeting - 1 || memcmp(answer, greeting, length) != 0)
        fail("recv");
    fputs(greeting, stdout);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "serve") == 0)
        serve();
    return ask();
}
