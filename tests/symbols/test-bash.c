// SPDX-License-Identifier: MIT
// Where a script of bash's is, and for which line of a makefile make started it: of some that run here, and
// of memory that is damaged.
#include "other.h"
#include "self.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DAMAGED 100
#define FRAMES_MAX 50

// The script goes to another directory than the one that its name begins at, and reads in a function of
// another script, until it is killed.
static const char script[] = "#!/bin/bash\n"
                             "cd sub\n"
                             "inner() {\n"
                             "    for i in 1 2; do\n"
                             "        . ../library.sh\n"
                             "    done\n"
                             "}\n"
                             "outer() {\n"
                             "    true\n"
                             "    inner\n"
                             "}\n"
                             "outer\n";
static const char library[] = "# in a file of its own\n"
                              "wait_here() {\n"
                              "    echo \"$$ $PPID\"\n"
                              "    read -r line <fifo  # until it is killed\n"
                              "}\n"
                              "wait_here\n";
static const char makefile[] = "all:\n"
                               "\t@true \\\n"
                               "\t    and more\n"
                               "\t@exec bash ./script.sh\n";

static Other other;
static unsigned tests, failures;

static void ok(bool good, const char *name)
{
    printf("%sok %u - %s\n", good ? "" : "not ", ++tests, name);
    failures += !good;
}

static const RwSymbolsMemory memory = {other_read, &other};
static const RwSymbolsFiles files = {self_dup_path, self_read_file, &(SelfFiles){0}};

static bool has(const GPtrArray *frames, guint i, const char *function, const char *file, uint32_t line,
                const char *text)
{
    const RwSymbol *frame = frames && i < frames->len ? frames->pdata[i] : NULL;
    g_autofree char *base = frame && frame->file ? g_path_get_basename(frame->file) : NULL;
    bool good = frame && !g_strcmp0(frame->function, function) && !g_strcmp0(base, file) &&
                frame->line == line && !g_strcmp0(frame->text, text);
    if (!good)
        printf("# %s %s:%u, got %s %s:%u: %s\n", function, file, line,
               frame && frame->function ? frame->function : "none", frame && frame->file ? frame->file : "",
               frame ? frame->line : 0, frame && frame->text ? frame->text : "");
    return good;
}

// ---- Processes ----

static void write_file(const char *directory, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(directory, name, NULL);
    if (!g_file_set_contents(path, text, -1, NULL))
        abort();
}

static pid_t start(const char *directory, int *ret_out)
{
    int ends[2];
    pid_t pid = pipe(ends) ? -1 : fork();
    if (!pid) {
        dup2(ends[1], 1);
        setpgid(0, 0);
        if (!chdir(directory))
            execlp("make", "make", NULL);
        _exit(127);
    }
    close(ends[1]);
    *ret_out = ends[0];
    return pid;
}

// ---- Tests ----

static void test_bash(unsigned pid)
{
    g_autofree char *maps = other_open(&other, pid);
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    g_autoptr(GPtrArray) frames = rw_symbols_bash(symbols, maps, &files, &memory, FRAMES_MAX);
    ok(has(frames, 0, "wait_here", "library.sh", 4, "read -r line <fifo  # until it is killed"),
       "the line that it is at, in another script's function");
    ok(has(frames, 1, "source", "library.sh", 6, "wait_here"), "outside of that script's functions");
    ok(has(frames, 2, "inner", "script.sh", 5, ". ../library.sh"), "in a loop of the first one's");
    ok(has(frames, 3, "outer", "script.sh", 10, "inner"), "and its caller");
    ok(has(frames, 4, NULL, "script.sh", 12, "outer"), "up to what is in no function");
    ok(frames && frames->len == 5, "and no further");
    g_autoptr(GPtrArray) some = rw_symbols_bash(symbols, maps, &files, &memory, 2);
    ok(some && some->len == 2 && has(some, 1, "source", "library.sh", 6, "wait_here"),
       "as many as are asked for");
    other_close(&other);
}

static void test_make(unsigned pid, unsigned child)
{
    g_autofree char *maps = other_open(&other, pid);
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    g_autoptr(GPtrArray) frames = rw_symbols_make(symbols, maps, &files, &memory, child);
    ok(has(frames, 0, NULL, "Makefile", 4, "@exec bash ./script.sh"), "the line of the makefile");
    ok(!rw_symbols_make(symbols, maps, &files, &memory, child + 1), "of no other process");
    ok(!rw_symbols_bash(symbols, maps, &files, &memory, FRAMES_MAX), "make is no bash");
    other_close(&other);
}

// Whatever is read, what is made of it is text.
static void test_damaged(unsigned pid, unsigned make)
{
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    unsigned known = 0;
    other.damaged = 400;
    g_autofree char *maps = other_open(&other, pid);
    for (int n = 0; n < DAMAGED; n++) {
        g_autoptr(GPtrArray) frames = rw_symbols_bash(symbols, maps, &files, &memory, FRAMES_MAX);
        other_check(frames);
        known += frames ? frames->len : 0;
    }
    other_close(&other);
    g_autofree char *of_make = other_open(&other, make);
    for (int n = 0; n < DAMAGED; n++) {
        g_autoptr(GPtrArray) frames = rw_symbols_make(symbols, of_make, &files, &memory, pid);
        other_check(frames);
        known += frames ? frames->len : 0;
    }
    other_close(&other);
    printf("# %u frames of damaged memory\n", known);
    ok(true, "damaged memory");
}

int main(void)
{
    unsigned pid = 0, parent = 0;
    int out;
    g_autofree char *directory = g_dir_make_tmp("rewind-test-XXXXXX", NULL);
    g_autofree char *sub = g_build_filename(directory, "sub", NULL);
    g_autofree char *fifo = g_build_filename(sub, "fifo", NULL);
    if (!directory || g_mkdir_with_parents(sub, 0700) || mkfifo(fifo, 0600))
        return 1;
    write_file(directory, "script.sh", script);
    write_file(directory, "library.sh", library);
    write_file(directory, "Makefile", makefile);
    pid_t started = start(directory, &out);
    FILE *lines = fdopen(out, "r");
    if (fscanf(lines, "%u %u", &pid, &parent) == 2) {
        usleep(300000);
        test_bash(pid);
        test_make(parent, pid);
        test_damaged(pid, parent);
    }
    kill(-started, SIGKILL);
    waitpid(started, NULL, 0);
    g_autofree char *remove = g_strdup_printf("rm -rf %s", directory);
    if (system(remove) || !pid)
        printf("1..0 # SKIP needs bash and make\n");
    else
        printf("1..%u\n", tests);
    return failures != 0;
}
