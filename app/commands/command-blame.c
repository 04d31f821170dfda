// SPDX-License-Identifier: MIT
#include "commands.h"

#include "blame.h"
#include "compare-file.h"
#include "rw-debuginfo.h"
#include "setup.h"

#include <stdio.h>
#include <string.h>

static const CliOption blame_options[] = {
    {"pid", 0, CLI_NUMBER, "PID",
     "WHAT is in the memory of this process; a PATH is as this process sees it", 1, G_MAXINT32, NULL},
    {"tid", 0, CLI_NUMBER, "TID", "VARIABLE is one of this thread", 1, G_MAXINT32, NULL},
    {"depth", 0, CLI_NUMBER, "N", "go on over so many writes, with where the byte came from (1)", 1, 1000,
     NULL},
    CLI_PLACES,
    CLI_JSON,
    CLI_END,
};
const CliGroup cli_blame_group = {"Options", blame_options};

#define FILE_MAX (256u << 20)
#define SOURCES_MAX 8u
#define NAMINGS_MAX 32u
#define FOLLOWED_FRAMES 5u
#define WORD 8u // bytes of memory at an address

// ---- A run ----

typedef struct {
    Cli *cli;
    CliRun run;
    RwAgain again;
    RwContext context;
    RwTimeline *timeline;
    RwSymbols *symbols;
} Side;

static void tell_progress(double done, void *data)
{
    const Side *side = data;
    if (side->context.progress)
        side->context.progress("executing", (uint64_t)(done * 1000), 1000, side->context.data);
}

static bool open_side(Cli *cli, const char *name, Side *side, GError **error)
{
    RwTimelineConfig config = {.progress = tell_progress, .data = side};
    side->cli = cli;
    if (!cli_context(cli, &side->context, error) ||
        !cli_open_run_named(cli, name, true, &side->run, error) ||
        !cli_again_open(cli, &side->run, &side->again, error))
        return false;
    config.seek = &side->again.seek;
    config.trace = side->run.trace;
    side->timeline = rw_timeline_new(&config, error);
    side->symbols = rw_debuginfo_symbols_new(cli->cancellable);
    return side->timeline != NULL;
}

static void close_side(Side *side)
{
    rw_timeline_free(side->timeline);
    rw_symbols_free(side->symbols);
    rw_again_close(&side->again);
    cli_close_run(&side->run);
}

static bool go(Side *side, RwPosition position, GError **error)
{
    return rw_timeline_clamp(side->run.trace, &side->run.manifest->end, &position, error) &&
           rw_timeline_go(side->timeline, &position, side->cli->cancellable, error);
}

static RwBlame blame_of(const Side *side)
{
    return (RwBlame){side->timeline, side->symbols, side->cli->cancellable};
}

// ---- The chain ----

static bool add_sources(Side *side, BlameReport *report, GError **error)
{
    RwBlame blame = blame_of(side);
    const RwBlameWrite *write = &g_array_index(report->writes, RwBlameWrite, 0);
    if (write->how <= RW_BLAME_IMAGE || !write->pid)
        return true;
    report->sources = rw_blame_sources(&blame, side->run.trace, write->pid, SOURCES_MAX, error);
    return report->sources != NULL;
}

static bool follow(Side *side, RwBlamePlace place, BlameReport *report, GError **error)
{
    RwBlame blame = blame_of(side);
    RwBlameWanted wanted = {
        .task = true,
        .places = {.frames = (guint)cli_number(side->cli, "frames", 0), .variables = true},
    };
    uint64_t depth = report->path && report->file.ends ? 1 : cli_number(side->cli, "depth", 1);
    for (uint64_t i = 0; i < depth; i++) {
        RwBlameWrite write;
        if (!rw_blame_last(&blame, &place, &wanted, &write, error))
            return false;
        g_array_append_val(report->writes, write);
        // Of what is followed a few functions say enough.
        wanted.places.frames = wanted.places.frames ? wanted.places.frames : FOLLOWED_FRAMES;
        if (i == 0 && !add_sources(side, report, error))
            return false;
        if (!write.n_from || i + 1 == depth)
            break;
        if (!rw_blame_follow(&blame, &write, &place, error))
            return false;
    }
    return true;
}

// ---- A file ----

static char *dup_absolute(const char *path)
{
    return g_canonicalize_filename(path, "/");
}

// What happened to its name after the write; where nobody wrote, all that is known.
static bool add_namings(Side *side, const RwPosition *here, BlameReport *report, GError **error)
{
    g_autofree char *path = dup_absolute(report->path);
    const RwBlameWrite *write =
        report->writes->len ? &g_array_index(report->writes, RwBlameWrite, 0) : NULL;
    report->namings =
        rw_blame_namings(side->run.trace, path, here, NAMINGS_MAX, side->cli->cancellable, error);
    for (guint i = report->namings ? report->namings->len : 0; i-- > 0;) {
        const RwBlameNaming *naming = report->namings->pdata[i];
        if (write && write->has_position && rw_position_compare(&naming->position, &write->position) < 0)
            g_ptr_array_remove_index(report->namings, i);
    }
    return report->namings != NULL;
}

static BlameReport *blame_file(Side *side, const RwInspectPath *path, uint64_t offset, GError **error)
{
    g_autoptr(BlameReport) report = blame_report_new();
    RwPosition here = rw_timeline_get_position(side->timeline);
    RwBlame blame = blame_of(side);
    RwBlamePlace place;
    report->run = side->run.manifest->id;
    report->path = g_strdup(path->path);
    report->offset = offset;
    report->what = g_strdup_printf("byte %" G_GUINT64_FORMAT " of %s", offset, path->path);
    if (!rw_blame_find_file(&blame, path, offset, &place, &report->file, error) ||
        !follow(side, place, report, error) || !add_namings(side, &here, report, error))
        return NULL;
    return g_steal_pointer(&report);
}

static BlameReport *blame_absence(Side *side, const char *path, GError **error)
{
    g_autoptr(BlameReport) report = blame_report_new();
    RwPosition here = rw_timeline_get_position(side->timeline);
    report->run = side->run.manifest->id;
    report->path = g_strdup(path);
    report->what = g_strdup(path);
    report->absent = true;
    return add_namings(side, &here, report, error) ? g_steal_pointer(&report) : NULL;
}

// ---- Memory ----

// `name`: of the variable that it is, or NULL.
static BlameReport *blame_memory(Side *side, uint64_t va, uint64_t length, const char *name, GError **error)
{
    g_autoptr(BlameReport) report = blame_report_new();
    RwBlame blame = blame_of(side);
    RwBlamePlace place;
    uint32_t pid = (uint32_t)cli_number(side->cli, "pid", 0);
    report->run = side->run.manifest->id;
    g_autofree char *address = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", va);
    report->what = g_strdup_printf("%s%s%s%s of process %u", name ? name : "", name ? " (at " : "", address,
                                   name ? ")" : "", pid);
    if (!rw_blame_find_memory(&blame, pid, va, length, &place, error) ||
        !follow(side, place, report, error))
        return NULL;
    return g_steal_pointer(&report);
}

static bool find_variable(Side *side, const char *name, RwSymbolsPlace *ret, GError **error)
{
    RwInspectVariable what = {(uint32_t)cli_number(side->cli, "pid", 0),
                              (uint32_t)cli_number(side->cli, "tid", 0), name};
    RwMachine *asked = rw_timeline_fork(side->timeline, error);
    bool ok = asked && rw_inspect_variable(rw_timeline_get_machine(side->timeline), asked, side->symbols,
                                           &what, ret, side->cli->cancellable, error);
    rw_timeline_give_back(side->timeline, asked);
    if (ok && !ret->in_memory) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "%s: the compiler has it in no memory there: a register, or nothing", name);
        return false;
    }
    return ok;
}

static BlameReport *blame_variable(Side *side, const char *name, GError **error)
{
    RwSymbolsPlace place;
    if (!find_variable(side, name, &place, error))
        return NULL;
    uint64_t most = (RW_BLAME_SPANS_MAX - 1) * 4096ull;
    return blame_memory(side, place.address, place.size ? MIN(place.size, most) : WORD, name, error);
}

// ---- One run ----

static bool is_variable(const char *text)
{
    for (const char *at = text; *at; at++)
        if (!g_ascii_isalnum(*at) && *at != '_' && *at != '$')
            return false;
    return *text && !g_ascii_isdigit(*text);
}

// "/src/out:12".
static char *split_offset(const char *text, uint64_t *ret_offset)
{
    const char *colon = strrchr(text, ':');
    *ret_offset = 0;
    if (colon && colon != text &&
        g_ascii_string_to_unsigned(colon + 1, 10, 0, G_MAXINT64, ret_offset, NULL))
        return g_strndup(text, (gsize)(colon - text));
    return g_strdup(text);
}

static BlameReport *ask(Side *side, const char *what, GError **error)
{
    uint32_t pid = (uint32_t)cli_number(side->cli, "pid", 0);
    uint64_t number;
    if (g_str_has_prefix(what, "0x") &&
        g_ascii_string_to_unsigned(what + 2, 16, 0, UINT64_MAX, &number, NULL)) {
        if (pid)
            return blame_memory(side, number, WORD, NULL, error);
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: an address of which process? --pid says it",
                    what);
        return NULL;
    }
    if (pid && is_variable(what))
        return blame_variable(side, what, error);
    g_autofree char *path = split_offset(what, &number);
    return blame_file(side, &(RwInspectPath){path, pid}, number, error);
}

static void print(const Side *side, const BlameReport *report)
{
    Cli *cli = side->cli;
    cli_end_progress();
    if (cli_flag(cli, "json"))
        cli_print_json(blame_report_to_json(report));
    else
        blame_report_print(report, cli_flag(cli, "full"));
    blame_report_warn_undebugged(report, side->symbols);
}

static int fail(const Side *side, const GError *error)
{
    cli_end_progress();
    int status = cli_fail(error);
    bool stands = side->timeline && rw_timeline_is_somewhere(side->timeline);
    return stands && g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND) ? CLI_ABSENT : status;
}

static int blame_at(Cli *cli, const RwPosition *position)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(BlameReport) report = NULL;
    Side side = {.run = {.hold = -1}};
    bool ok = open_side(cli, cli_arg(cli, 0), &side, &error) &&
              cli_check_step(&side.run, position->step, &error) && go(&side, *position, &error);
    report = ok ? ask(&side, cli_arg(cli, 2), &error) : NULL;
    if (report)
        print(&side, report);
    int status = report ? CLI_OK : fail(&side, error);
    close_side(&side);
    return status;
}

// ---- Two runs ----

static bool check_job(const Side *left, const Side *right, GError **error)
{
    const RwInputs *a = left->run.manifest->inputs, *b = right->run.manifest->inputs;
    const char *what = !g_strv_equal((const char *const *)a->argv, (const char *const *)b->argv) ? "command"
                       : g_strcmp0(a->image_hash, b->image_hash)                                 ? "root"
                       : g_strcmp0(a->cwd, b->cwd) ? "directory"
                                                   : NULL;
    if (what)
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "runs %s and %s are not of one job: another %s; blame RUN STEP PATH looks at one alone",
                    left->run.manifest->id, right->run.manifest->id, what);
    return !what;
}

// What the job left; NULL without an error: nothing.
static bool read_last(Side *side, const char *path, GBytes **ret, GError **error)
{
    GError *local = NULL;
    if (!go(side, (RwPosition){side->run.manifest->end.steps, 0}, error))
        return false;
    RwMachine *machine = rw_timeline_fork(side->timeline, error);
    if (!machine)
        return false;
    *ret =
        rw_inspect_read(machine, &(RwInspectPath){.path = path}, FILE_MAX, side->cli->cancellable, &local);
    rw_timeline_give_back(side->timeline, machine);
    if (local && !g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND)) {
        g_propagate_error(error, local);
        return false;
    }
    g_clear_error(&local);
    return true;
}

typedef struct {
    const char *path;
    Side *sides[2];
    GBytes *bytes[2];
} Pair;

static bool report_side(const Pair *pair, unsigned i, uint64_t offset, GError **error)
{
    static const char *const names[] = {"left", "right"};
    gsize size = 0;
    const uint8_t *bytes = pair->bytes[i] ? g_bytes_get_data(pair->bytes[i], &size) : NULL;
    g_autoptr(BlameReport) report = NULL;
    if (pair->bytes[i])
        report = blame_file(pair->sides[i], &(RwInspectPath){.path = pair->path}, offset, error);
    else
        report = blame_absence(pair->sides[i], pair->path, error);
    if (!report)
        return false;
    report->side = names[i];
    report->byte = offset < size ? bytes[offset] : -1;
    print(pair->sides[i], report);
    return true;
}

static int report_pair(const Pair *pair, GError **error)
{
    GBytes *left = pair->bytes[0], *right = pair->bytes[1];
    Cli *cli = pair->sides[0]->cli;
    cli_end_progress();
    if (!left && !right) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "%s: neither run left such a file", pair->path);
        return CLI_ABSENT;
    }
    if (left && right && g_bytes_equal(left, right)) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                    "%s: the same in both runs, %zu bytes: there is nobody to blame", pair->path,
                    g_bytes_get_size(left));
        return CLI_FAILED;
    }
    uint64_t offset = left && right ? compare_file_differs_at(left, right) : 0;
    if (!cli_flag(cli, "json") && left && right)
        printf("%s differs from byte %" G_GUINT64_FORMAT " on, line %u\n", pair->path, offset,
               compare_file_line_of(left, offset));
    return report_side(pair, 0, offset, error) && report_side(pair, 1, offset, error) ? CLI_OK : -1;
}

static int blame_two(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    Side left = {.run = {.hold = -1}}, right = {.run = {.hold = -1}};
    Pair pair = {cli_arg(cli, 2), {&left, &right}, {NULL, NULL}};
    int status = -1;
    if (open_side(cli, cli_arg(cli, 0), &left, &error) && open_side(cli, cli_arg(cli, 1), &right, &error) &&
        check_job(&left, &right, &error) && read_last(&left, pair.path, &pair.bytes[0], &error) &&
        read_last(&right, pair.path, &pair.bytes[1], &error))
        status = report_pair(&pair, &error);
    if (error)
        status = status > 0 ? (cli_fail(error), status) : fail(&left, error);
    for (unsigned i = 0; i < 2; i++)
        if (pair.bytes[i])
            g_bytes_unref(pair.bytes[i]);
    close_side(&left);
    close_side(&right);
    return status;
}

// A run's whole id may be digits only.
static bool is_position(const char *text, RwPosition *ret)
{
    return strlen(text) != RW_RUN_ID_SIZE - 1 && rw_position_parse(text, ret, NULL);
}

int command_blame(Cli *cli)
{
    RwPosition position;
    cli_catch_interrupts(cli);
    if (is_position(cli_arg(cli, 1), &position))
        return blame_at(cli, &position);
    if (cli_number(cli, "pid", 0) || cli_number(cli, "tid", 0))
        return cli_usage(cli, "--pid and --tid: of one run at a step");
    return blame_two(cli);
}
