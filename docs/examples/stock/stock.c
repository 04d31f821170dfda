// SPDX-License-Identifier: MIT
//
// A shop's stock in an SQLite database. Two tills, a process each, sell apples: a transaction reads how
// many are left and then stores one less. A till that finds the database locked waits for up to five
// seconds.

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TILLS = 2, SALES = 2, APPLES = 10, PATIENCE_MS = 5000 };

static const char path[] = "stock.db";

static void say(int till, const char *what, int apples)
{
    char line[80];
    int length = snprintf(line, sizeof line, "till %d: %s %d\n", till, what, apples);
    if (write(STDOUT_FILENO, line, length) != length)
        _exit(2);
}

static void run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK)
        return;
    fprintf(stderr, "stock: %s: %s\n", sql, message);
    _exit(1);
}

static sqlite3 *open_stock(void)
{
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK) {
        fprintf(stderr, "stock: %s: %s\n", path, sqlite3_errmsg(db));
        _exit(2);
    }
    sqlite3_busy_timeout(db, PATIENCE_MS);
    return db;
}

static int count_apples(sqlite3 *db)
{
    sqlite3_stmt *query;
    int apples = -1;
    const char sql[] = "SELECT count FROM stock WHERE item = 'apple'";
    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK && sqlite3_step(query) == SQLITE_ROW) /* side: passes */
        apples = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    return apples;
}

static void sell_apple(sqlite3 *db, int till)
{
    char update[80];

    run(db, "BEGIN");
    int apples = count_apples(db);
    say(till, "sells one of", apples); /* side: held */
    snprintf(update, sizeof update, "UPDATE stock SET count = %d WHERE item = 'apple'", apples - 1);
    run(db, update); /* side: held */ /* side: passes */
    run(db, "COMMIT");
    say(till, "sold, left:", apples - 1);
}

static pid_t start_till(int till)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    sqlite3 *db = open_stock();
    for (int sale = 0; sale < SALES; sale++)
        sell_apple(db, till);
    sqlite3_close(db);
    _exit(0);
}

static void fill_stock(void)
{
    char insert[80];
    sqlite3 *db = open_stock();
    run(db, "CREATE TABLE stock (item TEXT PRIMARY KEY, count INTEGER)");
    snprintf(insert, sizeof insert, "INSERT INTO stock VALUES ('apple', %d)", APPLES);
    run(db, insert);
    sqlite3_close(db);
}

// How many of the tills failed.
static int run_tills(void)
{
    int failed = 0, status;
    for (int till = 1; till <= TILLS; till++)
        if (start_till(till) < 0)
            failed++;
    while (wait(&status) > 0)
        failed += status != 0;
    return failed;
}

int main(void)
{
    fill_stock();
    int failed = run_tills();

    sqlite3 *db = open_stock();
    int left = count_apples(db);
    sqlite3_close(db);
    printf("%d tills failed, %d apples left\n", failed, left);
    return failed == 0 && left == APPLES - TILLS * SALES ? EXIT_SUCCESS : EXIT_FAILURE;
}
