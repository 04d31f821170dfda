// SPDX-License-Identifier: MIT
#include "job-private.h"

#include <sys/stat.h>

// Progress of reading the root, for whoever asked.
static void on_progress(uint64_t done, uint64_t total, void *data)
{
    const RwContext *context = data;
    context->progress("reading the root", done, total, context->data);
}

RwImage *rw_job_make_image(const RwContext *context, const char *root, GError **error)
{
    return rw_image_prepare(root, rw_store_get_images_dir(context->store), NULL,
                            context->progress ? on_progress : NULL, (void *)context, context->cancellable,
                            error);
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

// What a shell would say of it, as its exit status.
static void call_it(GError **error, RwError usual, RwError code)
{
    if (error && g_error_matches(*error, RW_ERROR, (int)usual))
        (*error)->code = (int)code;
}

static bool check_cwd(RwImageReader *reader, const char *cwd, GError **error)
{
    RwImageStat st;
    if (is_made_by_guest(cwd))
        return true;
    if (!rw_image_lookup(reader, cwd, &st, error)) {
        g_prefix_error(error, "--cwd ");
        call_it(error, RW_ERROR_NOT_FOUND, RW_ERROR_NOT_EXECUTABLE);
        return false;
    }
    if ((st.mode & S_IFMT) == S_IFDIR)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_EXECUTABLE, "--cwd %s: not a directory in the root", cwd);
    return false;
}

static const char *get_search_path(const RwInputs *inputs)
{
    for (char **variable = inputs->env; *variable; variable++)
        if (g_str_has_prefix(*variable, "PATH="))
            return *variable + strlen("PATH=");
    return "";
}

// Found out before anything boots: a command that is not there.
bool rw_job_check(const RwImage *image, const RwInputs *inputs, GError **error)
{
    g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, error);
    if (!reader || !check_cwd(reader, inputs->cwd, error))
        return false;
    if (is_made_by_guest(inputs->argv[0]) ||
        (strchr(inputs->argv[0], '/') && is_made_by_guest(inputs->cwd)))
        return true;
    g_autofree char *program =
        rw_image_dup_program(reader, inputs->argv[0], get_search_path(inputs), inputs->cwd, error);
    call_it(error, RW_ERROR_NOT_FOUND, RW_ERROR_NO_COMMAND);
    return program != NULL;
}
