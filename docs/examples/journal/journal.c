// SPDX-License-Identifier: MIT
//
// A converter of pictures looks at files whose kind it doesn't know, and closes those that are none. Another
// thread opens a journal and makes an entry from time to time.

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 3, ENTRIES = 3, PAUSE_US = 200 };

static int lost;

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static bool convert(const char *path)
{
    char magic[4];
    bool converted = false;

    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    if (read(file, magic, sizeof magic) != sizeof magic || memcmp(magic, "\211PNG", sizeof magic) != 0) {
        fprintf(stderr, "%s is no picture\n", path);
        close(file);
        goto out;
    }
    converted = true;
out:
    close(file); /* side: held */
    return converted;
}

static void *convert_all(void *arg)
{
    (void)arg;
    for (int i = 0; i < FILES; i++)
        convert("picture");
    return NULL;
}

static void add_entry(int journal, int number)
{
    char text[32];
    int length = snprintf(text, sizeof text, "entry %d\n", number);
    if (write(journal, text, length) == length)
        return;
    perror("journal.txt: an entry is lost");
    lost++;
}

static void *keep_journal(void *arg)
{
    (void)arg;
    int journal = open("journal.txt", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666); /* side: passes */
    if (journal < 0)
        fail("journal.txt");
    for (int i = 0; i < ENTRIES; i++) {
        add_entry(journal, i);
        usleep(PAUSE_US);
    }
    close(journal);
    return NULL;
}

int main(void)
{
    pthread_t converter, keeper;

    FILE *picture = fopen("picture", "w");
    if (picture == NULL || fputs("this is a text\n", picture) < 0 || fclose(picture) != 0)
        fail("picture");
    if (pthread_create(&keeper, NULL, keep_journal, NULL) != 0 ||
        pthread_create(&converter, NULL, convert_all, NULL) != 0)
        return 2;
    pthread_join(converter, NULL);
    pthread_join(keeper, NULL);
    printf("%d entries, %d lost\n", ENTRIES, lost);
    return lost == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
