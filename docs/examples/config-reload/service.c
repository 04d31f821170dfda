// SPDX-License-Identifier: MIT
//
// A service that reads its configuration file again before each request, so that a change takes effect at
// once, and an operator (a child process) who changes the file while requests come in.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUESTS = 12 };

struct config {
    char host[32];
    int port;
    int workers;
};

static const char path[] = "service.conf";

static const struct config first_config = {"alpha.example", 8080, 2};
static const struct config next_config = {"beta.example", 8081, 4};

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static void say(const char *line)
{
    size_t length = strlen(line);
    if (write(STDOUT_FILENO, line, length) != (ssize_t)length)
        exit(2);
}

static void write_host(FILE *file, const struct config *config)
{
    fprintf(file, "host %s\n", config->host); /* side: held */
    fflush(file); /* side: held */
    say("config: host saved\n"); /* side: held */
}

static void write_numbers(FILE *file, const struct config *config)
{
    fprintf(file, "port %d\n", config->port);
    fprintf(file, "workers %d\n", config->workers);
}

static void save(const struct config *config)
{
    FILE *file = fopen(path, "w"); /* side: passes */
    if (file == NULL)
        fail(path);
    write_host(file, config); /* side: held */
    write_numbers(file, config); /* side: held */
    if (fclose(file) != 0) /* side: held */
        fail(path);
}

// Whether the file held every setting. What is not in the file stays as it was in *ret_config.
static int load(struct config *ret_config)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail(path);

    memset(ret_config, 0, sizeof *ret_config);
    char line[64];
    while (fgets(line, sizeof line, file) != NULL) { /* side: held */ /* side: passes */
        sscanf(line, "host %31s", ret_config->host);
        sscanf(line, "port %d", &ret_config->port);
        sscanf(line, "workers %d", &ret_config->workers);
    }
    fclose(file);
    return ret_config->host[0] != '\0' && ret_config->port > 0 && ret_config->workers > 0;
}

static int handle(int request)
{
    struct config config;
    if (!load(&config)) {
        fprintf(stderr, "service: request %d: %s is incomplete: host '%s', port %d, workers %d\n", request,
                path, config.host, config.port, config.workers);
        return -1;
    }
    char line[128];
    snprintf(line, sizeof line, "service: request %d served by %s:%d with %d workers\n", request,
             config.host, config.port, config.workers);
    say(line);
    return 0;
}

static pid_t start_operator(void)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    say("operator: moving the service\n");
    save(&next_config);
    say("operator: done\n");
    _exit(0);
}

int main(void)
{
    int status = EXIT_SUCCESS;

    save(&first_config);
    if (start_operator() < 0)
        fail("fork");
    for (int request = 1; request <= REQUESTS && status == EXIT_SUCCESS; request++)
        if (handle(request) < 0)
            status = EXIT_FAILURE;
    wait(NULL);
    unlink(path);
    return status;
}
