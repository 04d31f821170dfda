// SPDX-License-Identifier: MIT
//
// Messages, semaphores and memory by System V's names, POSIX message queues with priorities and a notice by
// signal.

#include "w.h"

#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>

struct message {
    long type;
    char text[32];
};

// Servants take what has their number, and answer under another.
static void serve(int queue, long number)
{
    struct message message;
    int sum = 0;
    for (int i = 0; i < 40; i++) {
        CHECK(msgrcv(queue, &message, sizeof message.text, number, 0) > 0);
        sum += atoi(message.text);
    }
    message.type = 100;
    snprintf(message.text, sizeof message.text, "%d", sum);
    CHECK(msgsnd(queue, &message, sizeof message.text, 0) == 0);
    _exit(0);
}

static void messages(void)
{
    int queue = msgget(IPC_PRIVATE, 0600), sum = 0;
    CHECK(queue >= 0);
    for (long number = 1; number <= 3; number++)
        if (!fork())
            serve(queue, number);
    for (int i = 0; i < 120; i++) {
        struct message message = {.type = i % 3 + 1};
        snprintf(message.text, sizeof message.text, "%d", i);
        CHECK(msgsnd(queue, &message, sizeof message.text, 0) == 0);
    }
    for (int i = 0; i < 3; i++) {
        struct message message;
        CHECK(msgrcv(queue, &message, sizeof message.text, 100, 0) > 0);
        sum += atoi(message.text);
    }
    while (wait(NULL) > 0)
        ;
    CHECK(msgctl(queue, IPC_RMID, NULL) == 0);
    printf("answers: %d\n", sum);
}

static void change(int semaphores, unsigned short which, short by)
{
    struct sembuf change = {which, by, SEM_UNDO};
    CHECK(semop(semaphores, &change, 1) == 0);
}

// Two processes take turns by a pair of semaphores; one dies with what it took, which is undone.
static void turns(void)
{
    int semaphores = semget(IPC_PRIVATE, 3, 0600), memory = shmget(IPC_PRIVATE, 4096, 0600);
    CHECK(semaphores >= 0 && memory >= 0);
    unsigned *shared = shmat(memory, NULL, 0);
    CHECK(shared != (void *)-1 && semctl(semaphores, 0, SETVAL, 1) == 0 &&
          semctl(semaphores, 2, SETVAL, 1) == 0);
    pid_t child = fork();
    for (int i = 0; i < 150; i++) {
        struct sembuf take = {child ? 0 : 1, -1, 0}, give = {child ? 1 : 0, 1, 0};
        CHECK(semop(semaphores, &take, 1) == 0);
        *shared = *shared * 3 + !child + 1;
        CHECK(semop(semaphores, &give, 1) == 0);
    }
    if (!child) {
        change(semaphores, 2, -1);
        _exit(0);
    }
    w_wait(child);
    printf("by turns: %08x, undone: %d\n", *shared, semctl(semaphores, 2, GETVAL));
    struct timespec limit = {0, 20000000};
    struct sembuf never = {2, -2, 0};
    printf("too late: %d\n", semtimedop(semaphores, &never, 1, &limit) < 0 && errno == EAGAIN);
    shmdt(shared);
    shmctl(memory, IPC_RMID, NULL);
    semctl(semaphores, 0, IPC_RMID);
}

static volatile sig_atomic_t noticed;

static void on_notice(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)context;
    noticed = info->si_code == SI_MESGQ ? info->si_value.sival_int : -1;
}

static void priorities(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 8, .mq_msgsize = 16};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1, .sigev_value.sival_int = 42};
    struct timespec limit;
    char text[16];
    unsigned priority;
    mqd_t queue = mq_open("/queues-test", O_RDWR | O_CREAT, 0600, &attributes);
    CHECK(queue >= 0 && mq_unlink("/queues-test") == 0);
    w_on_signal(SIGRTMIN + 1, on_notice, SA_RESTART);
    CHECK(mq_notify(queue, &event) == 0);
    pid_t child = fork();
    if (!child) {
        for (unsigned i = 0; i < 8; i++) {
            snprintf(text, sizeof text, "%u", i);
            CHECK(mq_send(queue, text, strlen(text) + 1, i * 5 % 8) == 0);
        }
        _exit(0);
    }
    w_wait(child);
    printf("noticed: %d; in order:", noticed);
    for (int i = 0; i < 8; i++) {
        CHECK(mq_receive(queue, text, sizeof text, &priority) > 0);
        printf(" %s/%u", text, priority);
    }
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 20000000;
    limit.tv_sec += limit.tv_nsec / 1000000000;
    limit.tv_nsec %= 1000000000;
    printf("; then none: %d\n",
           mq_timedreceive(queue, text, sizeof text, NULL, &limit) < 0 && errno == ETIMEDOUT);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    messages();
    turns();
    priorities();
    return 0;
}
