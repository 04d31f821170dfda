// SPDX-License-Identifier: MIT
//
// Counts lines, words and characters of a book. Two threads read every other page each; what they find goes
// into one set of totals. The pages are made here, so it is known what must come out.

#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGES = 10, READERS = 2, LINES_PER_PAGE = 40 };

static const char line[] = "It was the best of times, it was the worst of times.\n";
enum { WORDS_PER_LINE = 12, CHARACTERS_PER_LINE = sizeof line - 1 };

struct totals {
    long lines;
    long words;
    long characters;
};

static char book[PAGES][LINES_PER_PAGE * CHARACTERS_PER_LINE + 1];
static struct totals totals;

static void write_book(void)
{
    for (int page = 0; page < PAGES; page++)
        for (int i = 0; i < LINES_PER_PAGE; i++)
            strcat(book[page], line);
}

// Adds a page to the totals. The loop works on a copy, which the compiler can keep in registers.
static void count_page(const char *page)
{
    struct totals now = totals; /* side: passes */
    bool in_word = false;

    for (const char *c = page; *c != '\0'; c++) { /* side: held */
        bool space = isspace((unsigned char)*c); /* side: held */
        now.characters++; /* side: held */
        now.lines += *c == '\n'; /* side: held */
        now.words += in_word && space; /* side: held */
        in_word = !space;
    }
    totals = now; /* side: held */ /* side: passes */
}

static void *read_pages(void *arg)
{
    int reader = (int)(long)arg;

    for (int page = reader; page < PAGES; page += READERS) {
        count_page(book[page]);
        char report[48];
        int length = snprintf(report, sizeof report, "reader %d: page %d counted\n", reader, page);
        if (write(STDOUT_FILENO, report, length) != length)
            abort();
    }
    return NULL;
}

static bool totals_are_right(void)
{
    const long lines = PAGES * LINES_PER_PAGE;
    printf("%ld lines, %ld words, %ld characters\n", totals.lines, totals.words, totals.characters);
    if (totals.lines == lines && totals.words == lines * WORDS_PER_LINE &&
        totals.characters == lines * CHARACTERS_PER_LINE)
        return true;
    printf("WRONG: the book has %ld lines, %ld words, %ld characters\n", lines, lines * WORDS_PER_LINE,
           lines * CHARACTERS_PER_LINE);
    return false;
}

int main(void)
{
    pthread_t readers[READERS];

    write_book();
    for (long reader = 0; reader < READERS; reader++)
        if (pthread_create(&readers[reader], NULL, read_pages, (void *)reader) != 0)
            return 2;
    for (int reader = 0; reader < READERS; reader++)
        pthread_join(readers[reader], NULL);
    return totals_are_right() ? EXIT_SUCCESS : EXIT_FAILURE;
}
