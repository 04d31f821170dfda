// SPDX-License-Identifier: MIT
//
// Correct: a server on a unix socket that listens before its clients, processes, are made.

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLIENTS = 3 };

static const struct sockaddr_un address = {AF_UNIX, "server.socket"};

static int ask(int number)
{
    unsigned char answer = 0, question = (unsigned char)number;
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (server < 0 || connect(server, (const struct sockaddr *)&address, sizeof address) != 0)
        return 1;
    if (send(server, &question, 1, MSG_NOSIGNAL) != 1 || recv(server, &answer, 1, 0) != 1)
        return 1;
    return answer != question + 100;
}

static int serve(int listening)
{
    unsigned char question;
    for (int i = 0; i < CLIENTS; i++) {
        int client = accept(listening, NULL, NULL);
        if (client < 0 || recv(client, &question, 1, 0) != 1)
            return 1;
        question += 100;
        if (send(client, &question, 1, MSG_NOSIGNAL) != 1)
            return 1;
        close(client);
    }
    return 0;
}

int main(void)
{
    int failed = 0, status;

    unlink(address.sun_path);
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listening < 0 || bind(listening, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listening, CLIENTS) != 0)
        return 2;
    for (int i = 0; i < CLIENTS; i++) {
        pid_t child = fork();
        if (child < 0)
            return 2;
        if (child == 0)
            _exit(ask(i));
    }
    failed += serve(listening);
    while (wait(&status) > 0)
        failed += status != 0;
    printf("%d failed\n", failed);
    return failed != 0;
}
