// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "init.h"

// Without the platform the job is a file that the initramfs brings, see docs/guest.md. It is opened
// before init leaves the initramfs.
#define JOB_FILE "/job"

static char buffer[REWIND_JOB_MAX] __attribute__((aligned(16)));

static size_t read_all(int fd)
{
    size_t length = 0;
    ssize_t got;

    errno = 0;
    while (length < sizeof(buffer) && (got = read(fd, buffer + length, sizeof(buffer) - length)) > 0)
        length += got;
    if (!length)
        fail("there is no job");
    return length;
}

// The strings behind the header, taken one by one.
struct strings {
    char *next, *end;
};

static char *take(struct strings *strings)
{
    char *string = strings->next;
    char *nul = memchr(string, 0, strings->end - string);

    if (!nul)
        fail("the job is cut off");
    strings->next = nul + 1;
    return string;
}

static char **take_many(struct strings *strings, size_t count, size_t spare)
{
    if (count > (size_t)(strings->end - strings->next))
        fail("the job is cut off");
    char **list = calloc(count + spare + 1, sizeof(*list));

    if (!list)
        fail("the job's strings");
    for (size_t i = 0; i < count; i++)
        list[i] = take(strings);
    return list;
}

static void add_default(char **envp, size_t *count, const char *name, const char *value)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < *count; i++)
        if (!strncmp(envp[i], name, length) && envp[i][length] == '=')
            return;
    char *entry = malloc(length + strlen(value) + 2);

    if (!entry)
        fail("the job's environment");
    stpcpy(stpcpy(stpcpy(entry, name), "="), value);
    envp[(*count)++] = entry;
}

static void add_defaults(struct job *job)
{
    size_t count = job->header->envc;

    add_default(job->envp, &count, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    add_default(job->envp, &count, "HOME", home_of(job->header->uid));
    if (job->header->flags & REWIND_JOB_TTY)
        add_default(job->envp, &count, "TERM", "xterm");
}

static void check_header(const struct rewind_job *header, size_t length)
{
    errno = 0;
    if (length < sizeof(*header) || header->magic != REWIND_JOB_MAGIC || header->size != length)
        fail("what came is not a job");
    if (header->version != REWIND_ABI_VERSION)
        fail("the job's version is %u, not %u", header->version, REWIND_ABI_VERSION);
    if (!header->argc)
        fail("the job has no command");
}

int job_open(void)
{
    int fd = platform_present() ? platform_open() : open(JOB_FILE, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        fail("there is neither the platform nor a job in %s", JOB_FILE);
    return fd;
}

// What the kernel does with seed and time where the platform brings the job. Unseeded, the random number
// generator would work for a second of processor time at its first use.
static void apply(const struct rewind_job *header)
{
    struct {
        struct rand_pool_info info;
        char seed[sizeof(header->seed)];
    } entropy = {.info = {.entropy_count = 8 * sizeof(header->seed), .buf_size = sizeof(header->seed)}};
    struct timespec now = {.tv_sec = header->epoch};
    int fd = open("/dev/random", O_WRONLY | O_CLOEXEC);

    memcpy(entropy.seed, header->seed, sizeof(header->seed));
    if (fd < 0 || ioctl(fd, RNDADDENTROPY, &entropy) || clock_settime(CLOCK_REALTIME, &now))
        fail("the job's seed and time");
    close(fd);
}

void job_read(struct job *job, int source)
{
    size_t length = read_all(source);

    job->header = (const struct rewind_job *)buffer;
    check_header(job->header, length);
    if (!platform_present())
        apply(job->header);
    struct strings strings = {buffer + sizeof(*job->header), buffer + length};

    job->hostname = take(&strings);
    job->cwd = take(&strings);
    job->argv = take_many(&strings, job->header->argc, 0);
    job->envp = take_many(&strings, job->header->envc, 3);
    job->outputs = take_many(&strings, job->header->outc, 0);
    add_defaults(job);
}
