// SPDX-License-Identifier: MIT
//
// A kitchen with one waiter. Each order is cooked by a child process; the waiter sleeps until SIGCHLD says
// that the dish is ready, then serves it.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char *const orders[] = {"soup", "omelette"};

static volatile sig_atomic_t dish_ready;

static void on_child(int signo)
{
    (void)signo;
    dish_ready = 1;
}

static void say(const char *who, const char *what, const char *dish)
{
    char line[80];
    int length = snprintf(line, sizeof line, "%s: %s %s\n", who, what, dish);
    if (write(STDOUT_FILENO, line, length) != length)
        _exit(2);
}

static pid_t start_cook(const char *dish)
{
    pid_t cook = fork();
    if (cook != 0)
        return cook;
    say("cook", "made the", dish);
    _exit(0); /* side: passes */
}

static void listen_for_children(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_child;
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, NULL);
}

// Sleeps until the signal has come.
static void wait_for_dish(const char *dish)
{
    while (!dish_ready) {
        say("waiter", "waits for the", dish); /* side: held */
        pause(); /* side: held */
    }
}

static int serve(const char *dish)
{
    dish_ready = 0;

    pid_t cook = start_cook(dish);
    if (cook < 0)
        return -1;
    wait_for_dish(dish);

    int status;
    if (waitpid(cook, &status, 0) != cook || status != 0)
        return -1;
    say("waiter", "serves the", dish);
    return 0;
}

int main(void)
{
    listen_for_children();
    for (size_t i = 0; i < LENGTH(orders); i++)
        if (serve(orders[i]) < 0)
            return EXIT_FAILURE;
    return EXIT_SUCCESS;
}
