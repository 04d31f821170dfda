// SPDX-License-Identifier: MIT
#include "compare-file.h"

#include "inspect.h"

#include <stdio.h>

#define FILE_MAX (256u << 20)

// The bytes of the file at the run's end; NULL without an error when it is not there.
static bool read_file(Cli *cli, const CliRun *run, const char *path, GBytes **ret, GError **error)
{
    GError *local = NULL;
    RwMachine *machine = inspect_reach(cli, run, &inspect_end, error);
    if (!machine)
        return false;
    RwInspectPath what = {.path = path};
    *ret = rw_inspect_read(machine, &what, FILE_MAX, cli->cancellable, &local);
    rw_machine_free(machine);
    if (local && !g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND)) {
        g_propagate_error(error, local);
        return false;
    }
    g_clear_error(&local);
    return true;
}

size_t compare_file_differs_at(GBytes *a, GBytes *b)
{
    gsize n, m, i = 0;
    const uint8_t *x = g_bytes_get_data(a, &n), *y = g_bytes_get_data(b, &m);
    while (i < n && i < m && x[i] == y[i])
        i++;
    return i;
}

guint compare_file_line_of(GBytes *bytes, size_t at)
{
    guint line = 1;
    const char *data = g_bytes_get_data(bytes, NULL);
    for (size_t i = 0; i < at; i++)
        line += data[i] == '\n';
    return line;
}

static void print(const char *path, GBytes *left, GBytes *right, bool same)
{
    if (!left || !right) {
        printf("%s: %s\n", path,
               left    ? "only left has it"
               : right ? "only right has it"
                       : "neither has it");
        return;
    }
    if (same) {
        printf("%s: same, %zu bytes\n", path, g_bytes_get_size(left));
        return;
    }
    size_t at = compare_file_differs_at(left, right);
    printf("%s: differs from byte %zu on, line %u; left has %zu bytes, right %zu\n", path, at,
           compare_file_line_of(left, at), g_bytes_get_size(left), g_bytes_get_size(right));
}

static void print_object(const char *path, GBytes *left, GBytes *right, bool same)
{
    JsonObject *object = json_object_new();
    cli_set_bytes(object, "path", path);
    json_object_set_boolean_member(object, "same", same);
    if (left)
        json_object_set_int_member(object, "left_size", (gint64)g_bytes_get_size(left));
    if (right)
        json_object_set_int_member(object, "right_size", (gint64)g_bytes_get_size(right));
    if (left && right && !same)
        json_object_set_int_member(object, "differs_at", (gint64)compare_file_differs_at(left, right));
    cli_print_json(object);
}

bool compare_file(Cli *cli, CliRun *left, CliRun *right, const char *path, int *ret_status, GError **error)
{
    g_autoptr(GBytes) a = NULL;
    g_autoptr(GBytes) b = NULL;
    if (!read_file(cli, left, path, &a, error) || !read_file(cli, right, path, &b, error))
        return false;
    bool same = a && b ? g_bytes_equal(a, b) : !a && !b;
    if (cli_flag(cli, "json"))
        print_object(path, a, b, same);
    else
        print(path, a, b, same);
    *ret_status = !a && !b ? CLI_ABSENT : same ? CLI_OK : CLI_FAILED;
    return true;
}
