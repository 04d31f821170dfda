// SPDX-License-Identifier: MIT
#include "rw-job.h"

#define DAY 86400

// One that was not chosen follows the root, whose files may be newer by now than the clock was then.
static int64_t get_epoch(const RwInputs *inputs)
{
    return inputs->epoch % DAY ? inputs->epoch : -1;
}

RwJobRequest *rw_job_request_new_again(const RwManifest *manifest)
{
    const RwInputs *inputs = manifest->inputs;
    RwJobRequest *request = rw_job_request_new();
    request->root = g_strdup(manifest->root);
    request->argv = g_strdupv(inputs->argv);
    request->env = g_strdupv(inputs->env);
    request->cwd = g_strdup(inputs->cwd);
    request->user = g_strdup_printf("%u:%u", inputs->uid, inputs->gid);
    request->outputs = g_strdupv(inputs->outputs);
    request->tty = inputs->tty;
    request->stdin_hash = g_strdup(inputs->stdin_hash);
    request->memory = inputs->memory;
    request->swap = inputs->swap;
    request->max_output = inputs->max_output;
    request->cores = inputs->cores;
    request->seed = inputs->seed;
    request->clock = inputs->clock;
    request->epoch = get_epoch(inputs);
    request->kernel_args = g_strdup(inputs->kernel_args);
    return request;
}
