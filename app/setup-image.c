// SPDX-License-Identifier: MIT
#include "setup-private.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void show_progress(uint64_t done, uint64_t total, void *data)
{
    if (total)
        fprintf(stderr, "\rrewind: reading the root: %3d%%\033[K",
                (int)((double)done * 100 / (double)total));
    else
        fprintf(stderr, "\rrewind: reading the root: %" G_GUINT64_FORMAT " MiB\033[K", done >> 20);
}

RwImage *setup_make_image(Cli *cli, const char *root, GError **error)
{
    bool shows = isatty(STDERR_FILENO);
    RwStore *store = cli_store(cli, error);
    if (!store)
        return NULL;
    RwImage *image = rw_image_prepare(root, rw_store_get_images_dir(store), NULL,
                                      shows ? show_progress : NULL, NULL, cli->cancellable, error);
    if (shows)
        fprintf(stderr, "\r\033[K");
    return image;
}

// Directories that the guest makes by itself.
static bool is_made_by_guest(const char *path)
{
    static const char *const made[] = {"/proc", "/sys", "/dev", "/tmp"};
    for (size_t i = 0; i < G_N_ELEMENTS(made); i++) {
        size_t n = strlen(made[i]);
        if (!strncmp(path, made[i], n) && (!path[n] || path[n] == '/'))
            return true;
    }
    return false;
}

static gboolean check_cwd(RwImageReader *reader, const char *cwd, GError **error)
{
    RwImageStat st;
    if (is_made_by_guest(cwd))
        return TRUE;
    if (!rw_image_lookup(reader, cwd, &st, error)) {
        g_prefix_error(error, "--cwd ");
        return FALSE;
    }
    if ((st.mode & S_IFMT) == S_IFDIR)
        return TRUE;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "--cwd %s: not a directory in the root", cwd);
    return FALSE;
}

static const char *get_search_path(const RwInputs *inputs)
{
    for (char **variable = inputs->env; *variable; variable++)
        if (g_str_has_prefix(*variable, "PATH="))
            return *variable + strlen("PATH=");
    return "";
}

// Found out before anything boots: a command that is not there.
gboolean setup_check_job(const RwImage *image, const RwInputs *inputs, GError **error)
{
    g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, error);
    if (!reader || !check_cwd(reader, inputs->cwd, error))
        return FALSE;
    if (is_made_by_guest(inputs->argv[0]) ||
        (strchr(inputs->argv[0], '/') && is_made_by_guest(inputs->cwd)))
        return TRUE;
    g_autofree char *program =
        rw_image_dup_program(reader, inputs->argv[0], get_search_path(inputs), inputs->cwd, error);
    return program != NULL;
}
