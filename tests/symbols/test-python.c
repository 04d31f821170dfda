// SPDX-License-Identifier: MIT
// Where the threads of a Python program are: of one that runs here, and of memory that is damaged.
#include "other.h"
#include "self.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DAMAGED 100
#define FRAMES_MAX 50

// Two numbers, each in one piece: a print of both at once would mix them.
static const char program[] = "import os, threading, time\n"
                              "class Kitchen:\n"
                              "    def cook(self, n):\n"
                              "        if n:\n"
                              "            return self.cook(n - 1)\n"
                              "        os.write(1, b'%d ' % threading.get_native_id())\n"
                              "        for i in range(1000):\n"
                              "\n"
                              "            time.sleep(\n"
                              "                1)  # a call of two lines\n"
                              "t = threading.Thread(target=lambda: Kitchen().cook(3), daemon=True)\n"
                              "t.start()\n"
                              "os.write(1, b'%d ' % threading.get_native_id())\n"
                              "t.join()\n";

static Other other;
static unsigned tests, failures;

static void ok(bool good, const char *name)
{
    printf("%sok %u - %s\n", good ? "" : "not ", ++tests, name);
    failures += !good;
}

static const RwSymbolsMemory memory = {other_read, &other};
static const RwSymbolsFiles files = {self_dup_path, self_read_file, &(SelfFiles){0}};

static bool has(const GPtrArray *frames, guint i, const char *function, uint32_t line, const char *text)
{
    const RwSymbol *frame = frames && i < frames->len ? frames->pdata[i] : NULL;
    bool good = frame && !g_strcmp0(frame->function, function) && frame->line == line &&
                !g_strcmp0(frame->text, text);
    if (!good)
        printf("# %s line %u, got %s line %u: %s\n", function, line, frame ? frame->function : "none",
               frame ? frame->line : 0, frame && frame->text ? frame->text : "");
    return good;
}

static void test_sound(const char *maps, unsigned main_id, unsigned thread_id)
{
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    g_autoptr(GPtrArray) main_frames =
        rw_symbols_python(symbols, maps, &files, &memory, main_id, FRAMES_MAX);
    g_autoptr(GPtrArray) frames = rw_symbols_python(symbols, maps, &files, &memory, thread_id, FRAMES_MAX);
    guint last = main_frames ? main_frames->len - 1 : 0;
    ok(has(main_frames, last, "<module>", 14, "t.join()"), "the first thread, at its module's last line");
    ok(has(frames, 0, "Kitchen.cook", 9, "time.sleep("), "another, in a call of two lines");
    ok(has(frames, 1, "Kitchen.cook", 5, "return self.cook(n - 1)"), "its caller");
    ok(has(frames, 4, "<lambda>", 11,
           "t = threading.Thread(target=lambda: Kitchen().cook(3), daemon=True)"),
       "and the first function");
    ok(!rw_symbols_python(symbols, maps, &files, &memory, 1, FRAMES_MAX), "no such thread");
}

static void test_damaged(const char *maps, unsigned id)
{
    g_autoptr(RwSymbols) symbols = rw_symbols_new(NULL);
    unsigned known = 0;
    other.damaged = 40;
    for (int n = 0; n < DAMAGED; n++) {
        g_autoptr(GPtrArray) frames = rw_symbols_python(symbols, maps, &files, &memory, id, FRAMES_MAX);
        known += frames ? frames->len : 0;
        other_check(frames);
    }
    printf("# %u frames of damaged memory\n", known);
    ok(true, "damaged memory");
}

static pid_t start(const char *path, int *ret_out)
{
    int ends[2];
    pid_t pid = pipe(ends) ? -1 : fork();
    if (!pid) {
        dup2(ends[1], 1);
        execlp("python3", "python3", path, NULL);
        _exit(127);
    }
    close(ends[1]);
    *ret_out = ends[0];
    return pid;
}

int main(void)
{
    unsigned ids[2] = {0};
    int out;
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("rewind-test-XXXXXX.py", &path, NULL);
    if (fd < 0 || write(fd, program, sizeof program - 1) < 0)
        return 1;
    pid_t pid = start(path, &out);
    FILE *lines = fdopen(out, "r");
    for (int i = 0; i < 2; i++)
        if (fscanf(lines, "%u", &ids[i]) != 1)
            ids[0] = 0;
    usleep(300000);
    g_autofree char *maps = other_open(&other, (unsigned)pid);
    bool has_it = ids[0] && maps && strstr(maps, "python3.11");
    if (has_it) {
        unsigned main_id = (unsigned)pid, thread_id = ids[0] == main_id ? ids[1] : ids[0];
        test_sound(maps, main_id, thread_id);
        test_damaged(maps, thread_id);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    unlink(path);
    if (has_it)
        printf("1..%u\n", tests);
    else
        printf("1..0 # SKIP needs python3 of version 3.11\n");
    return failures != 0;
}
