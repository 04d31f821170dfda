// SPDX-License-Identifier: MIT
//
// Correct: processes that count in a shared mapping, under a mutex in it.

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 3, ROUNDS = 10 };

struct shared {
    pthread_mutex_t lock;
    int count;
};

int main(void)
{
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;

    if (shared == MAP_FAILED)
        return 2;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &attributes);
    for (int i = 0; i < PROCESSES; i++) {
        pid_t child = fork();
        if (child < 0)
            return 2;
        if (child > 0)
            continue;
        for (int round = 0; round < ROUNDS; round++) {
            pthread_mutex_lock(&shared->lock);
            shared->count++;
            pthread_mutex_unlock(&shared->lock);
        }
        _exit(0);
    }
    while (wait(NULL) > 0)
        continue;
    printf("count %d\n", shared->count);
    return shared->count != PROCESSES * ROUNDS;
}
