// SPDX-License-Identifier: MIT
#include "server.h"

#include "rw-base.h"

#include <signal.h>
#include <sys/prctl.h>

// It ends with this process, however that ends.
static void on_child(gpointer data)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// The one line that it prints: the ports of http and https.
static void read_ports(Server *server)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GDataInputStream) lines =
        g_data_input_stream_new(g_subprocess_get_stdout_pipe(server->process));
    g_autofree char *line = g_data_input_stream_read_line(lines, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_nonnull(line);
    const char *space = strchr(line, ' ');
    g_assert_nonnull(space);
    server->secure = g_strdup_printf("https://localhost:%s", space + 1);
}

void server_start(Server *server, const char *file)
{
    static const char *const proxies[] = {"http_proxy",  "https_proxy", "HTTP_PROXY",
                                          "HTTPS_PROXY", "ALL_PROXY",   "all_proxy"};
    g_autoptr(GError) error = NULL;
    g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE);
    const char *program = g_getenv("REWIND_SERVER");
    g_assert_nonnull(program);
    for (gsize i = 0; i < G_N_ELEMENTS(proxies); i++)
        g_unsetenv(proxies[i]);
    server->dir = g_dir_make_tmp("rewind-server-XXXXXX", &error);
    g_assert_no_error(error);
    g_autofree char *log = g_build_filename(server->dir, "log", NULL);
    g_subprocess_launcher_set_child_setup(launcher, on_child, NULL, NULL);
    server->process =
        g_subprocess_launcher_spawn(launcher, &error, "python3", program, file, log, server->dir, NULL);
    g_assert_no_error(error);
    read_ports(server);
}

void server_stop(Server *server)
{
    server_trust(server, FALSE);
    g_subprocess_force_exit(server->process);
    g_assert_true(g_subprocess_wait(server->process, NULL, NULL));
    g_assert_true(rw_remove_tree(server->dir, NULL));
    g_clear_object(&server->process);
    g_clear_pointer(&server->dir, g_free);
    g_clear_pointer(&server->secure, g_free);
}

void server_trust(const Server *server, gboolean trust)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(server->dir, "cert.pem", NULL);
    g_autoptr(GTlsDatabase) database = trust ? g_tls_file_database_new(path, &error) : NULL;
    g_assert_no_error(error);
    g_tls_backend_set_default_database(g_tls_backend_get_default(), database);
}
