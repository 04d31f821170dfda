// SPDX-License-Identifier: MIT
// Boots one machine without store or trace, for tests and for finding faults.
//
//   machine-run [options] GUEST-DIR [IMAGE] -- COMMAND…
//
// --hash-every N   writes "icount step hash" to --hashes FILE every N instructions
// --compare FILE   instead compares with such a file and names the first difference: the two runs
//                  are the same up to the line before it; a smaller N from --hash-from narrows it
// --jit N          a block becomes host code after N executions, 0: none does; the hashes stay
// --forget N       forgets all translations at instants of a fixed sequence, N instructions apart on
// average: the hashes stay
// --told           the CPU tells all that user mode accesses, and stops at system calls, returns to user
// mode and hundreds of instructions, for nothing: the hashes stay, and what was told has a hash of its own
// --hash-memory    the hashes cover RAM too (slow)
#include "rw-machine-private.h"

#include <stdio.h>
#include <string.h>

static gint64 hash_every, hash_from, mem = 1024, cores = 1, schedule, seed, limit_icount, jit = -1, forget;
static char *hashes, *compare, *clock_name, *cwd, *kernel_args;
static bool hash_memory, quiet, console, steps, via_snapshot, told;

static const GOptionEntry options[] = {
    {"hash-every", 0, 0, G_OPTION_ARG_INT64, &hash_every, "hash the state every N instructions", "N"},
    {"hash-from", 0, 0, G_OPTION_ARG_INT64, &hash_from, "only from this instruction on", "N"},
    {"hash-memory", 0, 0, G_OPTION_ARG_NONE, &hash_memory, "hash RAM too", NULL},
    {"hashes", 0, 0, G_OPTION_ARG_FILENAME, &hashes, "write them here", "FILE"},
    {"compare", 0, 0, G_OPTION_ARG_FILENAME, &compare, "compare with these", "FILE"},
    {"mem", 0, 0, G_OPTION_ARG_INT64, &mem, "RAM", "MiB"},
    {"cores", 0, 0, G_OPTION_ARG_INT64, &cores, "CPUs told of", "N"},
    {"schedule", 0, 0, G_OPTION_ARG_INT64, &schedule, "schedule", "N"},
    {"seed", 0, 0, G_OPTION_ARG_INT64, &seed, "seed", "N"},
    {"limit", 0, 0, G_OPTION_ARG_INT64, &limit_icount, "stop at this instruction", "N"},
    {"clock", 0, 0, G_OPTION_ARG_STRING, &clock_name, "instructions or exits", "CLOCK"},
    {"cwd", 0, 0, G_OPTION_ARG_STRING, &cwd, "working directory", "DIR"},
    {"kernel-args", 0, 0, G_OPTION_ARG_STRING, &kernel_args, "more kernel arguments", "STR"},
    {"jit", 0, 0, G_OPTION_ARG_INT64, &jit, "host code after so many executions, 0: none", "N"},
    {"forget", 0, 0, G_OPTION_ARG_INT64, &forget, "forget translations every N instructions or so", "N"},
    {"told", 0, 0, G_OPTION_ARG_NONE, &told, "be told of accesses, and stop, for nothing", NULL},
    {"console", 'c', 0, G_OPTION_ARG_NONE, &console, "show the kernel's log", NULL},
    {"steps", 's', 0, G_OPTION_ARG_NONE, &steps, "show every step", NULL},
    {"snapshot", 0, 0, G_OPTION_ARG_NONE, &via_snapshot, "go on in a fork from the job's hand-over", NULL},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "no last line", NULL},
    {NULL},
};

static void on_record(void *data, const struct rewind_record *r, const uint8_t *payload, size_t length)
{
    if (r->type == REWIND_RECORD_CONSOLE && console) {
        fwrite(payload, 1, length, stderr);
    } else if (r->type == REWIND_RECORD_OUTPUT) {
        struct rewind_output out;
        memcpy(&out, payload, sizeof out);
        FILE *to = out.fd == 2 ? stderr : stdout;
        fwrite(payload + sizeof out, 1, length - sizeof out, to);
        fflush(to);
    } else if (steps) {
        fprintf(stderr, "  record %u step %" G_GUINT64_FORMAT " tsc %" G_GUINT64_FORMAT " %u/%u\n", r->type,
                (guint64)r->step, (guint64)r->tsc, r->pid, r->tid);
    }
}

static void on_step(void *data, const RwStepInfo *s)
{
    if (steps)
        fprintf(stderr,
                "step %" G_GUINT64_FORMAT " kind %d icount %" G_GUINT64_FORMAT " tsc %" G_GUINT64_FORMAT
                " perturb %x\n",
                s->step, s->kind, s->icount, s->tsc, s->perturb.kinds);
}

// ---- All that the CPU can tell ----

static struct {
    RwVcpu *cpu;
    RwVcpuStops stops; // at the last instructions that accessed memory
    uint64_t n_pages, n_accesses, hash;
} telling;

static void on_page(void *data, uint64_t va, uint64_t gpa, bool write)
{
    (void)data, (void)va, (void)write;
    telling.n_pages++;
    rw_vcpu_watch_page(telling.cpu, gpa);
}

static void on_access(void *data, const RwWatchAccess *a)
{
    const uint64_t words[] = {a->va, a->gpa, a->rip, a->icount, (uint64_t)a->size << 8 | a->flags};
    (void)data;
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        telling.hash = (telling.hash ^ words[i]) * 0x9e3779b97f4a7c15u + (telling.hash >> 29);
    telling.stops.addresses[telling.n_accesses++ % RW_STOPS_MAX] = a->rip;
}

static void tell(RwMachine *m)
{
    telling.cpu = m->cpu;
    telling.stops = (RwVcpuStops){.calls = true, .returns = true};
    rw_vcpu_set_watch(m->cpu, &(RwVcpuWatch){.page = on_page, .access = on_access});
    rw_vcpu_set_stops(m->cpu, &telling.stops);
}

// Now and then others are stopped at, and first accesses are told anew.
static void tell_more(void)
{
    telling.stops.n = (unsigned)MIN(telling.n_accesses, RW_STOPS_MAX);
    rw_vcpu_set_stops(telling.cpu, &telling.stops);
    rw_vcpu_forget_user(telling.cpu);
}

// ---- Running ----

// One line of hashes; false at a difference from the file compared with.
static bool hash_line(RwMachine *m, FILE *out, FILE *in)
{
    char line[128], other[128];
    g_snprintf(line, sizeof line,
               "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %016" G_GINT64_MODIFIER "x\n",
               rw_machine_icount(m), rw_machine_steps(m), rw_machine_hash(m, hash_memory));
    if (out)
        fputs(line, out);
    if (!in)
        return true;
    if (!fgets(other, sizeof other, in) || strcmp(line, other)) {
        fprintf(stderr, "first difference:\n  here  %s  there %s", line, feof(in) ? "(end)\n" : other);
        return false;
    }
    return true;
}

// To `limit`, 0: to the end.
static RwEnd run_to(RwMachine *m, uint64_t limit)
{
    static uint64_t random = 1;
    if (!forget)
        return rw_machine_run(m, &(RwLimits){.icount = limit});
    for (;;) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t at = rw_machine_icount(m) + 1 + (random >> 33) % (2 * (uint64_t)forget);
        bool last = limit && at >= limit;
        RwEnd end = rw_machine_run(m, &(RwLimits){.icount = last ? limit : at});
        if (last || end.kind != RW_END_NONE)
            return end;
        rw_machine_forget(m);
    }
}

static RwEnd run_hashed(RwMachine *m, bool *ret_same)
{
    FILE *out = hashes ? fopen(hashes, "w") : NULL;
    FILE *in = compare ? fopen(compare, "r") : NULL;
    RwEnd end = {0};
    uint64_t at = (uint64_t)hash_from;
    *ret_same = true;
    while (end.kind == RW_END_NONE && *ret_same) {
        at += (uint64_t)hash_every;
        end = run_to(m, at);
        *ret_same = hash_line(m, out, in);
        if (told)
            tell_more();
    }
    if (out)
        fclose(out);
    if (in)
        fclose(in);
    return end;
}

static RwMachine *through_snapshot(RwMachine *m, GError **error)
{
    rw_machine_run(m, &(RwLimits){.before_input = true});
    RwSnapshot *snapshot = rw_machine_snapshot(m, error);
    rw_machine_free(m);
    if (!snapshot)
        return NULL;
    m = rw_machine_fork(snapshot, error);
    rw_snapshot_unref(snapshot);
    return m;
}

static RwMachine *make(char **args, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    const char *dir = args[1], *image = NULL;
    int i = 2;
    if (args[i] && strcmp(args[i], "--"))
        image = args[i++];
    if (args[i] && !strcmp(args[i], "--"))
        i++;
    for (; args[i]; i++)
        g_ptr_array_add(argv, args[i]);
    g_ptr_array_add(argv, NULL);

    RwGuest *guest = rw_guest_load(dir, error);
    if (!guest)
        return NULL;
    RwMachineConfig config = {
        .guest = guest,
        .image_path = image,
        .memory = (uint64_t)mem << 20,
        .model = RW_CPU_MODEL_V2,
        .clock = clock_name && !strcmp(clock_name, "exits") ? RW_CLOCK_EXITS : RW_CLOCK_INSTRUCTIONS,
        .cores = (uint32_t)cores,
        .kernel_args = kernel_args,
    };
    RwMachine *m = rw_machine_new(&config, error);
    rw_guest_unref(guest);
    if (m && via_snapshot)
        m = through_snapshot(m, error);
    const char *env[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
                         NULL};
    RwJob job = {
        .argv = (const char *const *)argv->pdata,
        .envp = env,
        .cwd = cwd ? cwd : "/",
        .hostname = "rewind",
        .seed = (uint64_t)seed,
        .epoch = 1767225600,
    };
    if (m && argv->len > 1 && !rw_machine_set_job(m, &job, error)) {
        rw_machine_free(m);
        return NULL;
    }
    return m;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new("GUEST-DIR [IMAGE] -- COMMAND…");
    g_option_context_add_main_entries(context, options, NULL);
    g_option_context_set_strict_posix(context, true);
    if (!g_option_context_parse(context, &argc, &argv, &error) || argc < 2) {
        fprintf(stderr, "machine-run: %s\n", error ? error->message : "which guest?");
        return 2;
    }
    RwMachine *m = make(argv, &error);
    if (!m) {
        fprintf(stderr, "machine-run: %s\n", error->message);
        return 2;
    }
    rw_machine_set_sink(m, &(RwSink){.record = on_record, .step = on_step});
    if (jit >= 0)
        rw_machine_set_jit(m, (unsigned)jit);
    if (told)
        tell(m);
    RwSchedule all = {0};
    rw_schedule_add_window(&all, &(RwWindow){.number = (uint64_t)schedule, .until = UINT64_MAX});
    rw_machine_set_schedule(m, &all);
    gint64 start = g_get_monotonic_time();
    bool same = true;
    RwEnd end = hash_every ? run_hashed(m, &same) : run_to(m, (uint64_t)limit_icount);
    double wall = (double)(g_get_monotonic_time() - start) / 1e6;
    if (told)
        fprintf(stderr,
                "told of %" G_GUINT64_FORMAT " pages and %" G_GUINT64_FORMAT
                " accesses, %016" G_GINT64_MODIFIER "x\n",
                telling.n_pages, telling.n_accesses, telling.hash);
    if (!quiet)
        fprintf(stderr,
                "%s status %d, %" G_GUINT64_FORMAT " steps, %" G_GUINT64_FORMAT
                " instructions, %.3fs virtual, %.3fs wall, %.0f MIPS, hash %016" G_GINT64_MODIFIER "x %s\n",
                rw_end_name(end.kind), end.job_status, end.steps, end.icount, (double)end.tsc / 4e9, wall,
                (double)end.icount / 1e6 / wall, rw_machine_hash(m, true), end.where);
    rw_machine_free(m);
    return same && end.kind == RW_END_POWEROFF ? 0 : 1;
}
