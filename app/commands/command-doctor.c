// SPDX-License-Identifier: MIT
#include "commands.h"

#include "setup.h"

#include <errno.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

typedef enum { GOOD, WARN, BAD } Level;

typedef struct {
    Level level;
    char *text; // owned
} Finding;

static Finding finding(Level level, const char *format, ...) G_GNUC_PRINTF(2, 3);

static Finding finding(Level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Finding made = {level, g_strdup_vprintf(format, args)};
    va_end(args);
    return made;
}

static Finding look_at_guest(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *dir = rw_dup_guest_dir(&error);
    RwGuest *guest = dir ? rw_guest_load(dir, &error) : NULL;
    if (!guest)
        return finding(BAD, "%s", error->message);
    Finding found = finding(GOOD, "guest %.16s in %s", rw_guest_get_hash(guest), dir);
    rw_guest_unref(guest);
    return found;
}

static Finding look_at_store(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    RwStore *store = cli_store(cli, &error);
    if (!store)
        return finding(BAD, "%s: set REWIND_HOME to a directory that can be written", error->message);
    g_autofree char *path = g_build_filename(rw_store_get_runs_dir(store), ".doctor-XXXXXX", NULL);
    int fd = g_mkstemp(path);
    if (fd < 0)
        return finding(BAD, "%s: cannot be written: %s: set REWIND_HOME to another directory",
                       rw_store_get_home(store), g_strerror(errno));
    close(fd);
    unlink(path);
    return finding(GOOD, "runs are kept in %s", rw_store_get_home(store));
}

static Finding look_at_disk(Cli *cli)
{
    struct statvfs fs;
    if (!cli->store || statvfs(rw_store_get_home(cli->store), &fs) != 0)
        return finding(WARN, "free space in the store is not known");
    double gib = (double)fs.f_bavail * (double)fs.f_frsize / (double)(1u << 30);
    if (gib < 0.1)
        return finding(BAD, "%.2f GiB free in the store: make room", gib);
    return finding(gib < 2 ? WARN : GOOD, "%.1f GiB free in the store", gib);
}

static uint64_t available_memory(void)
{
    g_autofree char *text = NULL;
    const char *line;
    if (g_file_get_contents("/proc/meminfo", &text, NULL, NULL) && (line = strstr(text, "MemAvailable:")))
        return g_ascii_strtoull(line + strlen("MemAvailable:"), NULL, 10) << 10;
    return (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static Finding look_at_memory(Cli *cli)
{
    double mib = (double)available_memory() / (double)(1u << 20);
    if (mib < 192)
        return finding(BAD, "%.0f MiB of memory free: a machine needs 192 at least", mib);
    return finding(mib < 1536 ? WARN : GOOD,
                   "%.0f MiB of memory free; a machine takes up to --mem (1024 MiB) of it", mib);
}

static Finding look_at_cpu(Cli *cli)
{
    __builtin_cpu_init();
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
        return finding(BAD, "the host's CPU is older than x86-64-v2, which the software CPU needs");
    return finding(GOOD, "software CPU (x86-64-v2), %ld machines at a time", cpus);
}

static Finding look_at_host_code(Cli *cli)
{
    int error;
    switch (rw_machine_probe_host_code(&error)) {
    case RW_HOST_CODE_PLAIN:
        return finding(GOOD, "host code is made of what runs often");
    case RW_HOST_CODE_TWICE:
        return finding(
            GOOD, "host code is made of what runs often; its memory is mapped twice, as memory that is "
                  "writable and executable is refused here");
    default:
        return finding(
            WARN,
            "no host code, so that runs take several times as long: executable memory is refused "
            "(%s), as by SELinux's execmem or systemd's MemoryDenyWriteExecute",
            g_strerror(error));
    }
}

static Finding look_at_kvm(Cli *cli)
{
    bool there = access("/dev/kvm", F_OK) == 0;
    return finding(GOOD, "KVM: %s; this build does not use it", there ? "there" : "not there");
}

static Finding look_at_gdb(Cli *cli)
{
    g_autofree char *path = cli_dup_gdb();
    return path ? finding(GOOD, "gdb: %s", path)
                : finding(GOOD, "gdb: none, which `rewind gdb` needs: install the package gdb");
}

static Finding (*const checks[])(Cli *cli) = {look_at_guest,  look_at_store, look_at_disk,
                                              look_at_memory, look_at_cpu,   look_at_host_code,
                                              look_at_kvm,    look_at_gdb};

int command_doctor(Cli *cli)
{
    static const char *const levels[] = {"ok", "warn", "fail"};
    Level worst = GOOD;
    for (size_t i = 0; i < G_N_ELEMENTS(checks); i++) {
        Finding found = checks[i](cli);
        worst = MAX(worst, found.level);
        if (cli_flag(cli, "json")) {
            JsonObject *object = json_object_new();
            json_object_set_string_member(object, "level", levels[found.level]);
            json_object_set_string_member(object, "text", found.text);
            cli_print_json(object);
        } else {
            printf("%-4s  %s\n", levels[found.level], found.text);
        }
        g_free(found.text);
    }
    return worst == BAD ? CLI_FAILED : CLI_OK;
}
