// SPDX-License-Identifier: MIT
//
// Processes that share memory: a process-shared mutex and condition, a robust mutex whose owner dies, named
// semaphores, file locks.

#include "w.h"

#include <semaphore.h>
#include <sys/file.h>

struct shared {
    pthread_mutex_t lock, robust;
    pthread_cond_t changed;
    int turn;
    unsigned sum;
};

static struct shared *make_shared(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    int fd = shm_open("/ipc-test", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, sizeof(struct shared)) == 0);
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(shared != MAP_FAILED);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &mutex);
    pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&shared->robust, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &condition);
    return shared;
}

static void alternate(struct shared *shared, int me)
{
    pthread_mutex_lock(&shared->lock);
    for (int i = 0; i < 200; i++) {
        while (shared->turn % 2 != me)
            pthread_cond_wait(&shared->changed, &shared->lock);
        shared->sum = shared->sum * 3 + me + 1;
        shared->turn++;
        pthread_cond_signal(&shared->changed);
    }
    pthread_mutex_unlock(&shared->lock);
}

static void inherit_a_lock(struct shared *shared)
{
    pid_t pid = fork();
    if (pid == 0) {
        pthread_mutex_lock(&shared->robust);
        _exit(0);
    }
    w_wait(pid);
    printf("the owner died: %d", pthread_mutex_lock(&shared->robust) == EOWNERDEAD);
    printf(" mended: %d\n", pthread_mutex_consistent(&shared->robust) == 0);
    pthread_mutex_unlock(&shared->robust);
}

static void meet_at_semaphores(void)
{
    sem_t *first = sem_open("/first", O_CREAT, 0600, 0), *second = sem_open("/second", O_CREAT, 0600, 0);
    CHECK(first != SEM_FAILED && second != SEM_FAILED);
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 50; i++) {
            sem_wait(first);
            sem_post(second);
        }
        _exit(0);
    }
    for (int i = 0; i < 50; i++) {
        sem_post(first);
        sem_wait(second);
    }
    int status = w_wait(pid);
    printf("semaphores %d %d\n", status, sem_trywait(second) == -1);
    sem_unlink("/first");
    sem_unlink("/second");
}

static void lock_a_file(void)
{
    int fd = open("/tmp/lock", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int other = open("/tmp/lock", O_RDWR);
        struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};
        int refused = flock(other, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK;
        int granted = fcntl(other, F_SETLK, &range) == 0;
        _exit(refused * 2 + granted);
    }
    printf("file locks %d\n", WEXITSTATUS(w_wait(pid)));
    unlink("/tmp/lock");
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    struct shared *shared = make_shared();
    pid_t pid = fork();
    if (pid == 0) {
        alternate(shared, 1);
        _exit(0);
    }
    alternate(shared, 0);
    int status = w_wait(pid);
    printf("turns %d sum %u status %d\n", shared->turn, shared->sum, status);
    inherit_a_lock(shared);
    meet_at_semaphores();
    lock_a_file();
    shm_unlink("/ipc-test");
    return 0;
}
