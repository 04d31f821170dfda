// SPDX-License-Identifier: MIT
#include "commands.h"

#include "inspect.h"
#include "rw-image.h"
#include "rw-shell.h"
#include "setup.h"
#include "status.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const CliOption shell_options[] = {
    {"pid", 0, CLI_NUMBER, "PID",
     "in this process's directory, root, namespaces and environment (the one that has the CPU, or else the "
     "job's first that is alive)",
     1, UINT32_MAX, NULL},
    {"with", 0, CLI_TEXTS, "ROOT",
     "bring the programs of a directory, tarball or image along; may be given up to 4 times", 0, 0, NULL},
    {"keep", 0, CLI_TEXT, "DIR", "copy what is in $REWIND_KEEP in the end to DIR", 0, 0, NULL},
    CLI_END,
};
const CliGroup cli_shell_group = {"Options", shell_options};

typedef struct {
    int fds[RW_SHELL_IMAGES_MAX];
    unsigned n;
} Images;

static void close_images(Images *images)
{
    for (unsigned i = 0; i < images->n; i++)
        close(images->fds[i]);
}

static bool open_image(const RwContext *context, const char *root, Images *images, GError **error)
{
    g_autoptr(RwImage) image = rw_image_prepare(root, rw_store_get_images_dir(context->store), NULL, NULL,
                                                NULL, context->cancellable, error);
    if (!image)
        return false;
    int fd = open(image->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "%s", image->path);
        return false;
    }
    images->fds[images->n++] = fd;
    return true;
}

// Once they are open nobody can take them away.
static bool open_images(Cli *cli, Images *images, GError **error)
{
    GPtrArray *roots = cli_texts(cli, "with");
    RwContext context;
    int hold = -1;
    if (!roots)
        return true;
    if (roots->len > RW_SHELL_IMAGES_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--with: at most %u of them", RW_SHELL_IMAGES_MAX);
        return false;
    }
    bool ok = cli_context(cli, &context, error) && rw_context_hold(&context, &hold, error);
    for (guint i = 0; ok && i < roots->len; i++)
        ok = open_image(&context, g_ptr_array_index(roots, i), images, error);
    cli_end_progress();
    if (hold >= 0)
        close(hold);
    return ok;
}

// ---- Its place ----

// Of the job's processes the one that has the CPU.
static void choose_process(Cli *cli, const Inspect *inspect, RwShellConfig *config)
{
    uint32_t tid;
    config->pid = (uint32_t)cli_number(cli, "pid", 0);
    if (config->pid)
        return;
    rw_machine_get_current(inspect->machine, &config->pid, &tid);
    config->or_first = true;
    if (config->pid && !rw_machine_get_program(inspect->machine, config->pid))
        config->pid = 0;
}

static char **make_environment(bool terminal)
{
    g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
    static const char *const names[] = {"TERM", "COLORTERM"};
    for (size_t i = 0; terminal && i < G_N_ELEMENTS(names); i++) {
        const char *value = g_getenv(names[i]);
        g_autofree char *entry = g_strdup_printf("%s=%s", names[i], value ? value : "");
        if (value && strlen(value) < 256)
            g_strv_builder_add(builder, entry);
    }
    return g_strv_builder_end(builder);
}

// ---- Running it ----

static void greet(Cli *cli, const Inspect *inspect)
{
    g_autofree char *position = rw_position_dup_text(&inspect->position);
    if (isatty(STDERR_FILENO) && !cli->job)
        fprintf(stderr,
                "rewind: a shell at step %s of %s: what is done in it is gone afterwards; exit leaves it\n",
                position, inspect->run.entry->id);
    status_tell(cli, "at %s", position);
}

static void on_place(uint32_t pid, void *data)
{
    status_tell(data, "pid %u", pid);
}

static void on_busy(bool busy, void *data)
{
    status_tell(data, busy ? "runs" : "rests");
}

static bool converse(Cli *cli, Inspect *inspect, RwShellConfig *config, RwShellEnd *end, GError **error)
{
    config->terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    g_auto(GStrv) environment = make_environment(config->terminal);
    config->env = (const char *const *)environment;
    config->size = terminal_size;
    config->place = on_place;
    config->busy = on_busy;
    config->data = cli;
    greet(cli, inspect);
    if (config->terminal && terminal_open(&config->size_fd))
        terminal_size(&config->rows, &config->columns, NULL);
    bool ok = rw_shell_run(inspect->machine, config, cli->cancellable, end, error);
    terminal_close();
    return ok;
}

static bool keep(Cli *cli, const Inspect *inspect, const RwShellEnd *end, GError **error)
{
    const char *dir = cli_text(cli, "keep");
    unsigned left_out = 0;
    if (!dir)
        return true;
    bool ok = rw_shell_keep(inspect->machine, end, dir, &left_out, cli->cancellable, error);
    if (left_out)
        fprintf(stderr, "rewind: --keep: %u devices, FIFOs or sockets are left out\n", left_out);
    return ok;
}

static int exit_status(const RwShellEnd *end)
{
    return WIFSIGNALED(end->status) ? 128 + WTERMSIG(end->status) : WEXITSTATUS(end->status);
}

int command_shell(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    g_auto(RwShellEnd) end = {0};
    Inspect inspect;
    Images images = {.n = 0};
    bool has_command = cli->job && cli->job[0];
    RwShellConfig config = {
        .argv = has_command ? (const char *const *)cli->job : NULL,
        .in_fd = STDIN_FILENO,
        .out_fd = STDOUT_FILENO,
        .err_fd = STDERR_FILENO,
        .size_fd = -1,
        .image_fds = images.fds,
    };
    int status = CLI_OK;
    if (!status_check(cli, &error))
        return cli_fail(error);
    if (!inspect_open(cli, &inspect, &error)) {
        status = inspect_fail(&inspect, error);
    } else if (!open_images(cli, &images, &error)) {
        status = cli_fail(error);
    } else {
        config.n_images = images.n;
        choose_process(cli, &inspect, &config);
        if (!converse(cli, &inspect, &config, &end, &error))
            status = inspect_fail(&inspect, error);
        else
            status = keep(cli, &inspect, &end, &error) ? exit_status(&end) : cli_fail(error);
        if (!error)
            status_tell(cli, "end");
    }
    close_images(&images);
    inspect_close(&inspect);
    return status;
}
