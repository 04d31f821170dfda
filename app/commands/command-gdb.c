// SPDX-License-Identifier: MIT
#include "commands.h"

#include "rw-debuginfo.h"
#include "rw-gdb.h"
#include "setup.h"
#include "status.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const CliOption gdb_options[] = {
    {"pid", 0, CLI_NUMBER, "PID", "the process to debug (the one that has the CPU at STEP)", 1, UINT32_MAX,
     NULL},
    {"tid", 0, CLI_NUMBER, "TID", "the thread of it to begin with", 1, UINT32_MAX, NULL},
    {"kernel", 0, CLI_FLAG, NULL, "debug the guest's kernel in place of a process", 0, 0, NULL},
    {"listen", 0, CLI_TEXT, "[HOST:]PORT",
     "start no gdb, but wait for one there; HOST is 127.0.0.1 unless it is named", 0, 0, NULL},
    CLI_END,
};

const CliGroup cli_gdb_group = {"Options", gdb_options};

char *cli_dup_gdb(void)
{
    const char *name = g_getenv("REWIND_GDB");
    return g_find_program_in_path(name && *name ? name : "gdb");
}

// ---- A debugger of our own ----

typedef struct {
    RwGdb *gdb;
    int listener; // a socket
    GError *error; // why serving ended, or NULL
} Service;

static gpointer serve(gpointer data)
{
    Service *service = data;
    int fd = accept4(service->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return NULL; // the debugger ended without a word
    rw_gdb_serve(service->gdb, fd, &service->error);
    close(fd);
    return NULL;
}

static int listen_at(const char *path, GError **error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_strlcpy(address.sun_path, path, sizeof address.sun_path);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 1) == 0)
        return fd;
    rw_error_from_errno(error, errno, "%s: cannot wait for gdb there", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

// What the debugger is told before the user's own words. On a busy machine an answer takes longer than the
// two seconds that it would wait.
static const char script[] = "set sysroot target:\n"
                             "set remotetimeout 60\n"
                             "define go\n"
                             "monitor go $arg0\n"
                             "maintenance flush register-cache\n"
                             "frame\n"
                             "end\n"
                             "document go\n"
                             "Stand at another position of the run: go 3237+41\n"
                             "end\n"
                             "define back\n"
                             "monitor back\n"
                             "maintenance flush register-cache\n"
                             "frame\n"
                             "end\n"
                             "document back\n"
                             "Stand where the recorded run was left by a change, in that run again\n"
                             "end\n"
                             "define who\n"
                             "eval \"monitor who %#lx\", (unsigned long) ($arg0)\n"
                             "end\n"
                             "document who\n"
                             "Who wrote there last before here: who &variable\n"
                             "end\n";

static char **make_arguments(Cli *cli, const char *program, const char *init, const char *connect)
{
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    g_strv_builder_add_many(argv, program, "-q", "-ix", init, "-ex", connect, NULL);
    for (unsigned i = 2; cli_arg(cli, i); i++)
        g_strv_builder_add(argv, cli_arg(cli, i));
    return g_strv_builder_end(argv);
}

static void before_exec(gpointer data)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
}

// Interrupts of the terminal are the debugger's.
static bool start(Cli *cli, char **argv, GPid *ret_pid, GError **error)
{
    g_autoptr(GError) why = NULL;
    cli_leave_interrupts(cli);
    signal(SIGQUIT, SIG_IGN);
    GSpawnFlags flags = G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CHILD_INHERITS_STDIN;
    if (g_spawn_async(NULL, argv, NULL, flags, before_exec, NULL, ret_pid, &why))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_IO, "%s", why->message);
    return false;
}

static void hang_up(GCancellable *cancellable, gpointer pid)
{
    kill(*(GPid *)pid, SIGHUP);
}

// Whoever ends this ends the debugger, as long as its number is its own.
static int wait_for(Cli *cli, GPid pid)
{
    int status = 0;
    siginfo_t info;
    gulong handler = g_cancellable_connect(cli->cancellable, G_CALLBACK(hang_up), &pid, NULL);
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    g_cancellable_disconnect(cli->cancellable, handler);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status))
        status_tell(cli, "end");
    g_spawn_close_pid(pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#define SYMBOLS "kernel"

static bool write_symbols(RwGdb *gdb, const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, SYMBOLS, NULL);
    g_autoptr(GBytes) elf = rw_gdb_kernel_symbols(gdb, error);
    gsize size;
    const char *bytes = elf ? g_bytes_get_data(elf, &size) : NULL;
    return bytes && g_file_set_contents(path, bytes, (gssize)size, error);
}

// The run's files are looked through for debug information below /usr/lib/debug, as they are for others.
static char *dup_folders(void)
{
    const char *folders = g_getenv(RW_DEBUGINFO_FOLDERS);
    if (!folders || !*folders || strchr(folders, '\n'))
        return g_strdup("");
    return g_strdup_printf("set debug-file-directory %s:/usr/lib/debug\n", folders);
}

static void greet(Cli *cli, const CliRun *run)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "rewind: gdb at step %s of %s: what is changed in it is gone afterwards\n",
                cli_arg(cli, 1), run->entry->id);
}

// In a folder of its own: the socket, the script, the sources, or the kernel's symbols.
static int run_debugger(Cli *cli, const CliRun *run, RwGdb *gdb, const char *program, const char *folder,
                        GError **error)
{
    g_autofree char *path = g_build_filename(folder, "socket", NULL),
                    *init = g_build_filename(folder, "init", NULL);
    g_autofree char *connect = g_strdup_printf("target remote %s", path), *folders = dup_folders(),
                    *text = g_strdup_printf("%s%sdirectory %s/sources\n", script, folders, folder);
    g_auto(GStrv) argv = make_arguments(cli, program, init, connect);
    GPid pid;
    if (cli_flag(cli, "kernel")) {
        g_autofree char *before = g_steal_pointer(&text);
        text = g_strdup_printf("%ssymbol-file %s/" SYMBOLS "\n", before, folder);
    }
    if (!g_file_set_contents(init, text, -1, error))
        return -1;
    Service service = {gdb, listen_at(path, error), NULL};
    if (service.listener < 0)
        return -1;
    GThread *thread = g_thread_new("gdb", serve, &service);
    greet(cli, run);
    int status = start(cli, argv, &pid, error) ? wait_for(cli, pid) : -1;
    shutdown(service.listener, SHUT_RDWR);
    g_thread_join(thread);
    close(service.listener);
    if (service.error)
        cli_warn(service.error->message, NULL);
    g_clear_error(&service.error);
    return status;
}

// ---- One that comes ----

static bool wait_for_one(GSocketListener *listener, Cli *cli, RwGdb *gdb, GError **error)
{
    g_autoptr(GSocketConnection) connection =
        g_socket_listener_accept(listener, NULL, cli->cancellable, error);
    if (!connection)
        return false;
    fprintf(stderr, "rewind: gdb is there\n");
    return rw_gdb_serve(gdb, g_socket_get_fd(g_socket_connection_get_socket(connection)), error);
}

static bool listen_for(Cli *cli, RwGdb *gdb, const char *where, const char *folder, GError **error)
{
    g_autoptr(GSocketListener) listener = g_socket_listener_new();
    const char *colon = strrchr(where, ':');
    g_autofree char *host = colon ? g_strndup(where, (gsize)(colon - where)) : g_strdup("127.0.0.1");
    guint64 port;
    if (!g_ascii_string_to_unsigned(colon ? colon + 1 : where, 10, 0, G_MAXUINT16, &port, NULL)) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: not [HOST:]PORT", where);
        return false;
    }
    g_autoptr(GSocketAddress) address = g_inet_socket_address_new_from_string(host, (guint)port),
                              bound = NULL;
    if (!address) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: not the address of a host", host);
        return false;
    }
    if (!g_socket_listener_add_address(listener, address, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL,
                                       &bound, error))
        return false;
    if (cli_flag(cli, "kernel"))
        fprintf(stderr, "rewind: in gdb: symbol-file %s/" SYMBOLS "\n", folder);
    else
        fprintf(stderr, "rewind: in gdb: set sysroot target:\nrewind: in gdb: directory %s/sources\n",
                folder);
    fprintf(stderr, "rewind: in gdb: target remote %s:%u\n", host,
            g_inet_socket_address_get_port(G_INET_SOCKET_ADDRESS(bound)));
    return wait_for_one(listener, cli, gdb, error);
}

// ---- The command ----

static void on_stands(const RwPosition *position, void *data)
{
    g_autofree char *text = position ? rw_position_dup_text(position) : NULL;
    if (!position) {
        status_tell(data, "runs");
        return;
    }
    status_tell(data, "at %s", text);
    status_tell(data, "rests");
}

static RwGdb *open_run(Cli *cli, CliRun *run, RwAgain *again, const char *sources, GError **error)
{
    RwGdbConfig config = {
        .pid = (uint32_t)cli_number(cli, "pid", 0),
        .tid = (uint32_t)cli_number(cli, "tid", 0),
        .kernel = cli_flag(cli, "kernel"),
        .sources = sources,
        .warn = cli_warn,
        .stands = on_stands,
        .data = cli,
        .cancellable = cli->cancellable,
    };
    if (!rw_position_parse(cli_arg(cli, 1), &config.position, error) ||
        !cli_open_run(cli, true, run, error) || !cli_check_step(run, config.position.step, error) ||
        !cli_again_open(cli, run, again, error))
        return NULL;
    config.seek = &again->seek;
    config.trace = run->trace;
    return rw_gdb_new(&config, error);
}

static int debug(Cli *cli, const char *program, const char *folder, GError **error)
{
    const char *where = cli_text(cli, "listen");
    CliRun run = {.hold = -1};
    RwAgain again = {0};
    g_autofree char *sources = g_build_filename(folder, "sources", NULL);
    g_mkdir(sources, 0700); // gdb warns of a folder that is not there
    RwGdb *gdb = open_run(cli, &run, &again, sources, error);
    int status = -1;
    if (gdb && !cli_flag(cli, "kernel"))
        status_tell(cli, "pid %u", rw_gdb_get_pid(gdb));
    bool ok = gdb && (!cli_flag(cli, "kernel") || write_symbols(gdb, folder, error));
    if (ok && where)
        status = listen_for(cli, gdb, where, folder, error) ? CLI_OK : -1;
    else if (ok)
        status = run_debugger(cli, &run, gdb, program, folder, error);
    rw_gdb_free(gdb);
    rw_again_close(&again);
    cli_close_run(&run);
    return status;
}

int command_gdb(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *program = cli_dup_gdb();
    if (!program && !cli_text(cli, "listen")) {
        g_set_error(&error, RW_ERROR, RW_ERROR_NOT_FOUND,
                    "there is no gdb here: install the package gdb, or name one by REWIND_GDB");
        return cli_fail(error);
    }
    if (!status_check(cli, &error))
        return cli_fail(error);
    cli_catch_interrupts(cli);
    g_autofree char *folder = g_dir_make_tmp("rewind-gdb-XXXXXX", &error);
    int status = folder ? debug(cli, program, folder, &error) : -1;
    if (folder)
        rw_remove_tree(folder, NULL);
    return error ? cli_fail(error) : status;
}
