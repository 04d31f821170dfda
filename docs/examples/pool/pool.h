// SPDX-License-Identifier: MIT
//
// A thread pool: jobs go into a queue, worker threads take them out and run them.

#ifndef POOL_H
#define POOL_H

struct pool;

// Starts `workers` threads (1 to 16). NULL when there are not enough resources.
struct pool *pool_new(int workers);

// Queues run(data), which returns the job's result. Returns the job's number, or -1 when the pool has
// already had as many jobs as it can hold.
int pool_submit(struct pool *pool, int (*run)(int data), int data);

// Waits until job `number`, which pool_submit() returned, has ended, and returns its result.
int pool_result(struct pool *pool, int number);

// Lends a hand until all jobs are done, ends the workers and frees the pool.
void pool_free(struct pool *pool);

#endif
