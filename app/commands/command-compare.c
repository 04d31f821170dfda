// SPDX-License-Identifier: MIT
#include "commands.h"

#include "check-view.h"
#include "compare-file.h"

#include <stdio.h>

typedef struct {
    CliRun left, right;
    Lines left_lines, right_lines;
    RwComparison *comparison;
} Compare;

static bool compare_runs(Cli *cli, Compare *compare, GError **error)
{
    RwComparable left = {compare->left.trace, compare->left.manifest};
    RwComparable right = {compare->right.trace, compare->right.manifest};
    RwCompareOptions options = {
        .before = 3,
        .after = (guint)cli_number(cli, "lines", 8),
        .frequent = cli_flag(cli, "all"),
        .cancellable = cli->cancellable,
    };
    compare->comparison = rw_compare(&left, &right, &options, error);
    return compare->comparison != NULL;
}

// ---- In words ----

static void print_run(const char *word, const CliRun *run)
{
    g_autofree char *ending = rw_end_dup_text(&run->manifest->end);
    g_autofree char *schedule = rw_schedule_dup_text(&run->manifest->inputs->schedule);
    printf("%-6s run %s %s, %s\n", word, run->manifest->id, ending, schedule);
}

static void print_parting(const Compare *compare)
{
    const RwParting *parting = &compare->comparison->parting;
    if (!parting->from)
        printf("they differ in more than their schedules\n");
    if (!parting->step)
        return;
    g_autofree char *left = rw_perturb_dup_text(&parting->left);
    g_autofree char *right = rw_perturb_dup_text(&parting->right);
    printf("the two are the same run until step %" G_GUINT64_FORMAT ": there left has %s and right %s\n",
           parting->step, left ? left : "nothing", right ? right : "nothing");
}

static CompareLines get_lines(Compare *compare)
{
    return (CompareLines){"left", "right", &compare->left_lines, &compare->right_lines};
}

static void print_all(Compare *compare)
{
    CompareLines what = get_lines(compare);
    const RwComparison *comparison = compare->comparison;
    print_run("left:", &compare->left);
    print_run("right:", &compare->right);
    print_parting(compare);
    if (comparison->same) {
        printf("same: %" G_GUINT64_FORMAT " events\n", comparison->shared);
        return;
    }
    printf("%" G_GUINT64_FORMAT " events are the same, then:\n", comparison->shared);
    print_compare_lines(comparison, &what);
}

// ---- As an object ----

static void print_object(Compare *compare)
{
    CompareLines what = get_lines(compare);
    JsonObject *object = json_object_new();
    const RwParting *parting = &compare->comparison->parting;
    json_object_set_string_member(object, "left", compare->left.manifest->id);
    json_object_set_string_member(object, "right", compare->right.manifest->id);
    json_object_set_boolean_member(object, "same", compare->comparison->same);
    json_object_set_int_member(object, "shared", (gint64)compare->comparison->shared);
    if (parting->step) {
        g_autofree char *left = rw_perturb_dup_text(&parting->left);
        g_autofree char *right = rw_perturb_dup_text(&parting->right);
        json_object_set_int_member(object, "parting_step", (gint64)parting->step);
        json_object_set_string_member(object, "left_has", left ? left : "nothing");
        json_object_set_string_member(object, "right_has", right ? right : "nothing");
    }
    json_object_set_array_member(object, "lines", compare_lines_to_json(compare->comparison, &what));
    cli_print_json(object);
}

static bool open_lines(Cli *cli, Compare *compare, GError **error)
{
    return lines_open(cli, &compare->left, &compare->left_lines, error) &&
           lines_open(cli, &compare->right, &compare->right_lines, error);
}

static bool report(Cli *cli, Compare *compare, int *ret_status, GError **error)
{
    const char *path = cli_text(cli, "file");
    if (path)
        return compare_file(cli, &compare->left, &compare->right, path, ret_status, error);
    if (!compare_runs(cli, compare, error) || (cli_flag(cli, "where") && !open_lines(cli, compare, error)))
        return false;
    if (cli_flag(cli, "json"))
        print_object(compare);
    else
        print_all(compare);
    *ret_status = compare->comparison->same ? CLI_OK : CLI_FAILED;
    return true;
}

int command_compare(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    Compare compare = {.left = {.hold = -1}, .right = {.hold = -1}};
    int status;
    cli_catch_interrupts(cli);
    if (!cli_open_run_named(cli, cli_arg(cli, 0), true, &compare.left, &error) ||
        !cli_open_run_named(cli, cli_arg(cli, 1), true, &compare.right, &error) ||
        !report(cli, &compare, &status, &error))
        status = cli_fail(error);
    g_clear_pointer(&compare.comparison, rw_comparison_free);
    lines_close(&compare.left_lines);
    lines_close(&compare.right_lines);
    cli_close_run(&compare.left);
    cli_close_run(&compare.right);
    return status;
}
