// SPDX-License-Identifier: MIT
#include "job-private.h"

#include <unistd.h>

RwJobRequest *rw_job_request_new(void)
{
    RwJobRequest *request = g_new0(RwJobRequest, 1);
    request->memory = RW_MEMORY_DEFAULT;
    request->swap = RW_SWAP_DEFAULT;
    request->max_output = RW_MAX_OUTPUT_DEFAULT;
    request->cores = 1;
    request->epoch = -1;
    return request;
}

void rw_job_request_free(RwJobRequest *request)
{
    g_free(request->root);
    g_strfreev(request->argv);
    g_strfreev(request->env);
    g_free(request->cwd);
    g_free(request->user);
    g_strfreev(request->outputs);
    g_free(request->kernel_args);
    g_free(request->stdin_hash);
    g_free(request);
}

static int64_t default_epoch(const RwImage *image)
{
    int64_t newest = CLAMP(image->newest, 0, (int64_t)RW_EPOCH_MAX - 86400);
    return (newest / 86400 + 1) * 86400;
}

static void take_machine(const RwJobRequest *request, RwInputs *inputs)
{
    inputs->model = RW_CPU_MODEL_V2;
    inputs->memory = request->memory;
    inputs->swap = request->swap;
    inputs->max_output = request->max_output;
    inputs->cores = request->cores;
    inputs->seed = request->seed;
    inputs->clock = request->clock;
    inputs->kernel_args = g_strdup(request->kernel_args);
    inputs->schedule = request->schedule;
}

static bool take_outputs(const RwJobRequest *request, RwInputs *inputs, GError **error)
{
    for (char **path = request->outputs; path && *path; path++)
        if (**path != '/' || strlen(*path) >= PATH_MAX) {
            g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--output %s: must be an absolute path", *path);
            return false;
        }
    inputs->outputs = g_strdupv(request->outputs);
    return true;
}

static bool take_command(const RwJobRequest *request, RwInputs *inputs, GError **error)
{
    inputs->argv = g_strdupv(request->argv);
    inputs->cwd = g_strdup(request->cwd ? request->cwd : "/");
    inputs->hostname = g_strdup("rewind");
    inputs->tty = request->tty;
    inputs->tty_rows = inputs->tty ? 24 : 0;
    inputs->tty_cols = inputs->tty ? 80 : 0;
    if (*inputs->cwd != '/') {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--cwd %s: must be an absolute path", inputs->cwd);
        return false;
    }
    if (request->tty && request->reads_stdin) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "-i and -t: the terminal has no input: say one of them");
        return false;
    }
    return rw_job_parse_user(request->user, inputs, error) && take_outputs(request, inputs, error) &&
           rw_job_make_env(request, NULL, NULL, inputs, error);
}

// What the image says of itself, where the request says nothing.
static bool take_defaults(const RwJobRequest *request, const RwImage *image, RwInputs *inputs,
                          GError **error)
{
    const RwImageDefaults *defaults = image->defaults;
    RwImageUser user = {0};
    if (!defaults)
        return true;
    if (defaults->cwd && !request->cwd) {
        g_free(inputs->cwd);
        inputs->cwd = g_strdup(defaults->cwd);
    }
    if (defaults->user && !request->user) {
        g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, error);
        if (!reader || !rw_image_find_user(reader, defaults->user, &user, error))
            return false;
        inputs->uid = user.uid;
        inputs->gid = user.gid;
    }
    bool ok = rw_job_make_env(request, defaults, user.home, inputs, error);
    g_free(user.home);
    return ok;
}

static bool take_stdin(const RwContext *context, const RwJobRequest *request, RwInputs *inputs,
                       GError **error)
{
    uint64_t size;
    char sha256[RW_SHA256_HEX_SIZE];
    if (request->stdin_hash) {
        inputs->stdin_hash = g_strdup(request->stdin_hash);
        return rw_inputs_open_stdin(inputs, context->store, error);
    }
    if (!request->reads_stdin)
        return true;
    if (isatty(request->stdin_fd) && context->warn)
        context->warn("reading standard input to its end (Ctrl+D) before the command starts",
                      context->data);
    if (!rw_store_keep_input(context->store, request->stdin_fd, context->cancellable, sha256, &size, error))
        return false;
    inputs->stdin_hash = g_strdup(sha256);
    return rw_inputs_open_stdin(inputs, context->store, error);
}

static RwGuest *load_guest(const RwContext *context, GError **error)
{
    g_autofree char *dir = rw_dup_guest_dir(error);
    return dir ? rw_guest_open(dir, rw_store_get_cache_dir(context->store), error) : NULL;
}

static bool prepare(const RwContext *context, const RwJobRequest *request, RwPreparedJob *job,
                    GError **error)
{
    RwInputs *inputs = job->inputs;
    if (!take_command(request, inputs, error))
        return false;
    take_machine(request, inputs);
    if (!(job->guest = load_guest(context, error)) ||
        !(job->image = rw_job_make_image(context, job->root, error)) ||
        !take_defaults(request, job->image, inputs, error) || !rw_job_check(job->image, inputs, error))
        return false;
    inputs->guest_hash = g_strdup(rw_guest_get_hash(job->guest));
    inputs->image_hash = g_strdup(job->image->sha256);
    inputs->epoch = request->epoch >= 0 ? request->epoch : default_epoch(job->image);
    return take_stdin(context, request, inputs, error);
}

bool rw_job_prepare(const RwContext *context, const RwJobRequest *request, RwPreparedJob *ret,
                    GError **error)
{
    *ret = (RwPreparedJob){.inputs = rw_inputs_new(), .hold = -1};
    if (!request->root) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "no root filesystem: say --root PATH, a directory, a tarball or an image");
        return false;
    }
    ret->root = g_canonicalize_filename(request->root, NULL);
    return rw_context_hold(context, &ret->hold, error) && prepare(context, request, ret, error);
}

void rw_prepared_job_clear(RwPreparedJob *job)
{
    g_clear_pointer(&job->guest, rw_guest_unref);
    g_clear_pointer(&job->image, rw_image_free);
    g_clear_pointer(&job->root, g_free);
    g_clear_pointer(&job->inputs, rw_inputs_free);
    if (job->hold >= 0)
        close(job->hold);
    job->hold = -1;
}
