// SPDX-License-Identifier: MIT
#include "no-threads.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left = -1;

void no_threads_after(int count)
{
    left = count;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data)
{
    typeof(&pthread_create) real = (typeof(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");
    if (left == 0)
        return EAGAIN;
    if (left > 0)
        left--;
    return real(thread, attributes, start, data);
}
