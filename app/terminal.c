// SPDX-License-Identifier: MIT
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// A program has one terminal, and its signal one handler.
static struct {
    bool set;
    struct termios before;
    int changed; // an eventfd
} terminal = {.changed = -1};

static void on_resize(int signo)
{
    uint64_t one = 1;
    int saved = errno;
    ssize_t written = write(terminal.changed, &one, sizeof one);
    (void)written; // it is full: somebody will read it
    errno = saved;
}

bool terminal_open(int *ret_size_fd)
{
    if (tcgetattr(STDIN_FILENO, &terminal.before) != 0)
        return false;
    struct termios raw = terminal.before;
    terminal.changed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct sigaction action = {.sa_handler = on_resize, .sa_flags = SA_RESTART};
    sigaction(SIGWINCH, &action, NULL);
    cfmakeraw(&raw);
    terminal.set = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    *ret_size_fd = terminal.changed;
    return terminal.set;
}

void terminal_restore(void)
{
    if (terminal.set)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

void terminal_close(void)
{
    signal(SIGWINCH, SIG_DFL);
    if (terminal.set)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.before);
    if (terminal.changed >= 0)
        close(terminal.changed);
    terminal.set = false;
    terminal.changed = -1;
}

void terminal_size(uint16_t *rows, uint16_t *columns, void *data)
{
    struct winsize size = {0};
    ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
    *rows = size.ws_row ? size.ws_row : 24;
    *columns = size.ws_col ? size.ws_col : 80;
}
