// SPDX-License-Identifier: MIT
//
// Kind: a driver's ioctl uses the file that a close on another thread ends, as in many a driver, in user space.
// Holds: the ioctl between its look-up and its use of the operations until the close has taken them away: one. SIGSEGV.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct operations {
    int (*control)(int request);
};

struct file {
    const struct operations *volatile operations;
    int number;
};

static int control(int request)
{
    return request + 1;
}

static const struct operations device = {control};
static struct file file = {&device, 3};
static struct file *volatile files[8] = {[3] = &file};

static void *do_ioctl(void *arg)
{
    (void)arg;
    for (int request = 0; request < 4; request++) {
        struct file *found = files[3];
        if (found == NULL)
            break;
        const struct operations *operations = found->operations; /* side: held */
        if (operations->control(request) != request + 1)
            exit(1);
    }
    return NULL;
}

static void *do_close(void *arg)
{
    (void)arg;
    struct file *found = files[3];
    files[3] = NULL;
    found->operations = NULL; /* side: passes */
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    if (pthread_create(&threads[0], NULL, do_close, NULL) != 0 ||
        pthread_create(&threads[1], NULL, do_ioctl, NULL) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
