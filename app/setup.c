// SPDX-License-Identifier: MIT
#include "setup.h"

#include "rw-import.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define EPOCH_MAX 8000000000ull // about where the kernel's clock ends, with room for a long run

// The vocabulary of later accelerators, clocks and CPUs is known already, so that a command line for one of
// them gets an answer that says why not.
static const char *const accels[] = {"auto", "soft", "kvm", NULL};
static const char *const clocks[] = {"auto", "instructions", "exits", "branches", NULL};
static const char *const cpus[] = {"v2", "v3", "host", NULL};

#define END                                                                                                \
    {                                                                                                      \
        NULL, 0, CLI_FLAG, NULL, NULL, 0, 0, NULL                                                          \
    }

static const CliOption job_options[] = {
    {"root", 0, CLI_TEXT, "PATH",
     "root filesystem: a directory, a tarball as docker export writes it, an image as docker save or an "
     "OCI "
     "layout has it, or an erofs image",
     0, 0, NULL},
    {"env", 'e', CLI_TEXTS, "KEY=VALUE",
     "a variable of the command's environment; it gets nothing from the host's", 0, 0, NULL},
    {"cwd", 0, CLI_TEXT, "DIR", "where the command starts (the image's own, else /)", 0, 0, NULL},
    {"user", 0, CLI_TEXT, "UID[:GID]", "who the command runs as (the image's own, else 0:0)", 0, 0, NULL},
    {"output", 0, CLI_TEXTS, "PATH",
     "a file or folder that the command makes: its hash is kept and belongs to how the run ended", 0, 0,
     NULL},
    {"tty", 't', CLI_FLAG, NULL, "give the command a terminal of 24 rows and 80 columns", 0, 0, NULL},
    END,
};

static const CliOption machine_options[] = {
    {"seed", 0, CLI_NUMBER, "N", "of the guest's random numbers (0)", 0, UINT64_MAX, NULL},
    {"epoch", 0, CLI_NUMBER, "SECS",
     "wall clock as the command starts, in seconds since 1970 (the first midnight UTC after the root's "
     "newest file)",
     0, EPOCH_MAX, NULL},
    {"mem", 0, CLI_NUMBER, "MiB", "memory (1024)", RW_MEMORY_MIN >> 20, REWIND_RAM_MAX >> 20, NULL},
    {"cores", 0, CLI_NUMBER, "N", "how many CPUs programs are told of; there is one (1)", 1, 64, NULL},
    {"accel", 0, CLI_CHOICE, NULL, "what executes the machine; auto is soft", 0, 0, accels},
    {"clock", 0, CLI_CHOICE, NULL, "what moves virtual time: retired instructions (auto), or 5 us a step",
     0, 0, clocks},
    {"cpu", 0, CLI_CHOICE, NULL, "the CPU that programs see, an x86-64 level (v2)", 0, 0, cpus},
    {"kernel-args", 0, CLI_TEXT, "STR", "appended to the guest kernel's command line", 0, 0, NULL},
    {"no-keyframes", 0, CLI_FLAG, NULL, "record no keyframes: looking at a step executes from the start", 0,
     0, NULL},
    {"timeout", 0, CLI_NUMBER, "SECS", "end a run that takes longer than this on the host's clock", 1,
     1000000000, NULL},
    {"name", 0, CLI_TEXT, "TEXT", "a name to find the run by", 0, 0, NULL},
    END,
};

const char *const setup_strategies[] = {"mixed", "preempt", "stall", "sparse", NULL};

static const CliOption schedule_options[] = {
    {"strategy", 0, CLI_CHOICE, NULL,
     "what a schedule does: everything (mixed); only preemptions, or only stalls, often; everything, "
     "seldom",
     0, 0, setup_strategies},
    {"schedule-from", 0, CLI_NUMBER, "S", "perturb no step before this one", 0, UINT64_MAX, NULL},
    {"schedule-until", 0, CLI_NUMBER, "S", "perturb no step from this one on", 0, UINT64_MAX, NULL},
    {"schedule-last", 0, CLI_TEXT, "KINDS",
     "of what strikes at the last step of all only this: reschedule, stall, late, preempt, "
     "preempt=INSTRUCTIONS; joined by +",
     0, 0, NULL},
    {"window", 0, CLI_TEXTS, "N@FROM..UNTIL",
     "perturb these steps by schedule N; may be given again for later steps", 0, 0, NULL},
    {"reseed", 0, CLI_TEXTS, "N@STEP", "the guest's random numbers follow seed N from this step on", 0, 0,
     NULL},
    END,
};

const CliGroup setup_job_options = {"Command", job_options};
const CliGroup setup_machine_options = {"Machine", machine_options};
const CliGroup setup_schedule_options = {"Window", schedule_options};

// ---- Choices that this build has not ----

static gboolean refuse(GError **error, const char *what, const char *why)
{
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "%s: %s", what, why);
    return FALSE;
}

static gboolean check_choices(Cli *cli, GError **error)
{
    const char *accel = cli_text(cli, "accel"), *clock = cli_text(cli, "clock"),
               *cpu = cli_text(cli, "cpu");
    if (!g_strcmp0(accel, "kvm"))
        return refuse(error, "--accel kvm", "this build has no KVM accelerator: use --accel soft");
    if (!g_strcmp0(clock, "branches"))
        return refuse(error, "--clock branches",
                      "only the KVM accelerator has that clock: use instructions or exits");
    if (!g_strcmp0(cpu, "v3") || !g_strcmp0(cpu, "host"))
        return refuse(error, "--cpu", "the software CPU is an x86-64-v2: use --cpu v2");
    return TRUE;
}

// ---- Environment and user ----

static gboolean set_variable(GPtrArray *env, const char *variable, GError **error)
{
    const char *equals = strchr(variable, '=');
    if (!equals || equals == variable) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "-e %s: must be KEY=VALUE", variable);
        return FALSE;
    }
    for (guint i = 0; i < env->len; i++)
        if (!strncmp(env->pdata[i], variable, (size_t)(equals - variable) + 1)) {
            g_free(env->pdata[i]);
            env->pdata[i] = g_strdup(variable);
            return TRUE;
        }
    g_ptr_array_add(env, g_strdup(variable));
    return TRUE;
}

static gboolean set_variables(GPtrArray *env, char **variables, GError **error)
{
    for (; variables && *variables; variables++)
        if (!set_variable(env, *variables, error))
            return FALSE;
    return TRUE;
}

// The usual ones, over them the image's, over those the options'.
static gboolean make_env(Cli *cli, const RwImageDefaults *defaults, const char *home, RwInputs *inputs,
                         GError **error)
{
    GPtrArray *env = g_ptr_array_new();
    g_auto(GStrv) usual = rw_inputs_dup_default_env(inputs->uid, inputs->tty);
    g_autofree char *own_home = g_strconcat("HOME=", home, NULL);
    GPtrArray *given = cli_texts(cli, "env");
    gboolean ok = set_variables(env, usual, error) && (!home || set_variable(env, own_home, error)) &&
                  set_variables(env, defaults ? defaults->env : NULL, error);
    for (guint i = 0; ok && given && i < given->len; i++)
        ok = set_variable(env, given->pdata[i], error);
    g_ptr_array_add(env, NULL);
    g_strfreev(inputs->env);
    inputs->env = (char **)g_ptr_array_free(env, FALSE);
    return ok;
}

static gboolean parse_user(const char *text, RwInputs *inputs, GError **error)
{
    if (!text)
        return TRUE;
    g_auto(GStrv) ids = g_strsplit(text, ":", 2);
    guint64 uid, gid;
    if (!ids[0] || !g_ascii_string_to_unsigned(ids[0], 10, 0, G_MAXUINT32 - 1, &uid, NULL) ||
        !g_ascii_string_to_unsigned(ids[1] ? ids[1] : ids[0], 10, 0, G_MAXUINT32 - 1, &gid, NULL)) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "--user %s: must be UID or UID:GID in numbers", text);
        return FALSE;
    }
    inputs->uid = (uint32_t)uid;
    inputs->gid = (uint32_t)gid;
    return TRUE;
}

// ---- The image ----

static void show_progress(uint64_t done, uint64_t total, void *data)
{
    if (total)
        fprintf(stderr, "\rrewind: reading the root: %3d%%\033[K",
                (int)((double)done * 100 / (double)total));
    else
        fprintf(stderr, "\rrewind: reading the root: %" G_GUINT64_FORMAT " MiB\033[K", done >> 20);
}

static RwImage *make_image(Cli *cli, const char *root, GError **error)
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
static gboolean check_job(const RwImage *image, const RwInputs *inputs, GError **error)
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

// ---- All of it ----

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
    return parse_user(cli_text(cli, "user"), inputs, error) && take_outputs(cli, inputs, error) &&
           make_env(cli, NULL, NULL, inputs, error);
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
    gboolean ok = make_env(cli, defaults, user.home, inputs, error);
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
    if (!check_choices(cli, error) || !setup_schedule(cli, &inputs->schedule, &setup->window, error) ||
        !take_job(cli, inputs, error))
        return FALSE;
    take_machine(cli, inputs);
    if (!(setup->guest = load_guest(error)) || !(setup->image = make_image(cli, setup->root, error)) ||
        !take_defaults(cli, setup->image, inputs, error) || !check_job(setup->image, inputs, error))
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

// ---- A recorded run again ----

static gboolean check_versions(const RwInputs *inputs, GError **error)
{
    if (inputs->machine_version == RW_MACHINE_VERSION && inputs->abi_version == REWIND_ABI_VERSION)
        return TRUE;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                "the run was made by machine version %u.%u and this rewind is %u.%u: use the rewind "
                "that made it",
                inputs->machine_version, inputs->abi_version, RW_MACHINE_VERSION, REWIND_ABI_VERSION);
    return FALSE;
}

static RwGuest *load_guest_if(const char *dir, const char *hash, GError **error)
{
    RwGuest *guest = dir ? rw_guest_load(dir, error) : NULL;
    if (!guest || !strcmp(rw_guest_get_hash(guest), hash))
        return guest;
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "the run was made with guest %.12s and this one is %.12s: set REWIND_GUEST_DIR to the "
                "directory of that guest",
                hash, rw_guest_get_hash(guest));
    rw_guest_unref(guest);
    return NULL;
}

static gboolean not_exported(const RwManifest *manifest, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "run %s was exported without what executing it needs: have it exported with --replayable",
                manifest->id);
    return FALSE;
}

// This program's guest, or one that was imported.
static RwGuest *find_guest(Cli *cli, const RwManifest *manifest, char **ret_dir, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autofree char *dir = setup_dup_guest_dir(&local);
    RwGuest *guest = load_guest_if(dir, manifest->inputs->guest_hash, &local);
    if (!guest && cli_store(cli, NULL)) {
        g_free(dir);
        dir = rw_imported_dup_guest_dir(cli->store, manifest->inputs->guest_hash);
        guest = load_guest_if(dir, manifest->inputs->guest_hash, NULL);
    }
    if (guest)
        *ret_dir = g_steal_pointer(&dir);
    else if (manifest->trace_only)
        not_exported(manifest, error);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return guest;
}

static char *find_image(Cli *cli, const RwManifest *manifest, GError **error)
{
    const char *hash = manifest->inputs->image_hash;
    RwStore *store = cli_store(cli, error);
    if (!store)
        return NULL;
    g_autofree char *name = g_strconcat(hash, ".erofs", NULL);
    g_autofree char *path = g_build_filename(rw_store_get_images_dir(store), name, NULL);
    gboolean plain = strlen(hash) == 64 && strspn(hash, "0123456789abcdef") == 64;
    if (plain && g_file_test(path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer(&path);
    g_autoptr(RwImage) image = manifest->root ? make_image(cli, manifest->root, NULL) : NULL;
    if (image && !strcmp(image->sha256, hash))
        return g_strdup(image->path);
    if (manifest->trace_only) {
        not_exported(manifest, error);
        return NULL;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "image %.12s of the run is gone, and its root %s is %s", hash,
                manifest->root ? manifest->root : "", image ? "not what it was" : "not there any more");
    return NULL;
}

gboolean setup_parts(Cli *cli, const RwManifest *manifest, SetupParts *ret, GError **error)
{
    *ret = (SetupParts){0};
    if (check_versions(manifest->inputs, error) &&
        (ret->guest = find_guest(cli, manifest, &ret->guest_dir, error)) &&
        (ret->image_path = find_image(cli, manifest, error)))
        return TRUE;
    setup_parts_clear(ret);
    return FALSE;
}

void setup_parts_clear(SetupParts *parts)
{
    if (parts->guest)
        rw_guest_unref(parts->guest);
    g_free(parts->guest_dir);
    g_free(parts->image_path);
    *parts = (SetupParts){0};
}

gboolean setup_again(Cli *cli, const RwManifest *manifest, RwGuest **ret_guest, char **ret_image_path,
                     GError **error)
{
    SetupParts parts;
    if (!setup_parts(cli, manifest, &parts, error))
        return FALSE;
    *ret_guest = g_steal_pointer(&parts.guest);
    *ret_image_path = g_steal_pointer(&parts.image_path);
    setup_parts_clear(&parts);
    return TRUE;
}
