// SPDX-License-Identifier: MIT
#include "setup-private.h"

#include <unistd.h>

static int64_t default_epoch(const RwImage *image)
{
    int64_t newest = CLAMP(image->newest, 0, (int64_t)EPOCH_MAX - 86400);
    return (newest / 86400 + 1) * 86400;
}

static void take_machine(Cli *cli, RwInputs *inputs)
{
    inputs->model = RW_CPU_MODEL_V2;
    inputs->memory = cli_number(cli, "mem", 1024) << 20;
    inputs->cores = (uint32_t)cli_number(cli, "cores", 1);
    inputs->seed = cli_number(cli, "seed", 0);
    inputs->clock = g_strcmp0(cli_text(cli, "clock"), "exits") ? RW_CLOCK_INSTRUCTIONS : RW_CLOCK_EXITS;
    inputs->kernel_args = g_strdup(cli_text(cli, "kernel-args"));
}

static gboolean take_outputs(Cli *cli, RwInputs *inputs, GError **error)
{
    GPtrArray *outputs = cli_texts(cli, "output");
    g_autoptr(GStrvBuilder) paths = g_strv_builder_new();
    for (guint i = 0; outputs && i < outputs->len; i++) {
        const char *path = outputs->pdata[i];
        if (*path != '/' || strlen(path) >= PATH_MAX) {
            g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--output %s: must be an absolute path", path);
            return FALSE;
        }
        g_strv_builder_add(paths, path);
    }
    inputs->outputs = outputs ? g_strv_builder_end(paths) : NULL;
    return TRUE;
}

static gboolean take_job(Cli *cli, RwInputs *inputs, GError **error)
{
    const char *cwd = cli_text(cli, "cwd");
    inputs->argv = g_strdupv(cli->job);
    inputs->cwd = g_strdup(cwd ? cwd : "/");
    inputs->hostname = g_strdup("rewind");
    inputs->tty = cli_flag(cli, "tty");
    inputs->tty_rows = inputs->tty ? 24 : 0;
    inputs->tty_cols = inputs->tty ? 80 : 0;
    if (*inputs->cwd != '/') {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--cwd %s: must be an absolute path", inputs->cwd);
        return FALSE;
    }
    return setup_parse_user(cli_text(cli, "user"), inputs, error) && take_outputs(cli, inputs, error) &&
           setup_make_env(cli, NULL, NULL, inputs, error);
}

// What the image says of itself, where no option says otherwise.
static gboolean take_defaults(Cli *cli, const RwImage *image, RwInputs *inputs, GError **error)
{
    const RwImageDefaults *defaults = image->defaults;
    RwImageUser user = {0};
    if (!defaults)
        return TRUE;
    if (defaults->cwd && !cli_text(cli, "cwd")) {
        g_free(inputs->cwd);
        inputs->cwd = g_strdup(defaults->cwd);
    }
    if (defaults->user && !cli_text(cli, "user")) {
        g_autoptr(RwImageReader) reader = rw_image_reader_open(image->path, error);
        if (!reader || !rw_image_find_user(reader, defaults->user, &user, error))
            return FALSE;
        inputs->uid = user.uid;
        inputs->gid = user.gid;
    }
    gboolean ok = setup_make_env(cli, defaults, user.home, inputs, error);
    g_free(user.home);
    return ok;
}

static RwGuest *load_guest(GError **error)
{
    g_autofree char *dir = setup_dup_guest_dir(error);
    return dir ? rw_guest_load(dir, error) : NULL;
}

static gboolean prepare(Cli *cli, Setup *setup, GError **error)
{
    RwInputs *inputs = setup->inputs;
    if (!setup_check_choices(cli, error) ||
        !setup_schedule(cli, &inputs->schedule, &setup->window, error) || !take_job(cli, inputs, error))
        return FALSE;
    take_machine(cli, inputs);
    if (!(setup->guest = load_guest(error)) ||
        !(setup->image = setup_make_image(cli, setup->root, error)) ||
        !take_defaults(cli, setup->image, inputs, error) || !setup_check_job(setup->image, inputs, error))
        return FALSE;
    inputs->guest_hash = g_strdup(rw_guest_get_hash(setup->guest));
    inputs->image_hash = g_strdup(setup->image->sha256);
    inputs->epoch = (int64_t)cli_number(cli, "epoch", (uint64_t)default_epoch(setup->image));
    return TRUE;
}

// No gc may take the image away before the run that needs it is there.
static gboolean hold_store(Cli *cli, Setup *setup, GError **error)
{
    g_autoptr(GError) local = NULL;
    RwStore *store = cli_store(cli, error);
    if (!store)
        return FALSE;
    setup->use = rw_store_use(store, &local);
    if (!local)
        return TRUE;
    g_propagate_error(error, g_steal_pointer(&local));
    return FALSE;
}

gboolean setup_job(Cli *cli, Setup *ret, GError **error)
{
    const char *root = cli_text(cli, "root");
    *ret = (Setup){.inputs = rw_inputs_new(), .use = -1};
    if (!root) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "no root filesystem: say --root PATH, a directory, a tarball or an image");
        return FALSE;
    }
    ret->root = g_canonicalize_filename(root, NULL);
    return hold_store(cli, ret, error) && prepare(cli, ret, error);
}

void setup_clear(Setup *setup)
{
    if (setup->guest)
        rw_guest_unref(setup->guest);
    if (setup->image)
        rw_image_free(setup->image);
    g_free(setup->root);
    rw_inputs_free(setup->inputs);
    if (setup->use >= 0)
        close(setup->use);
    *setup = (Setup){.use = -1};
}
