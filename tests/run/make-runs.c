// SPDX-License-Identifier: MIT
//
// make-runs HOME N: puts N runs that nothing executed into a store, beside those that it has. For
// tests/bench/store.py.
#include "made.h"

#include "rw-pages-care.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: make-runs HOME N\n");
        return 2;
    }
    g_autoptr(RwStore) store = rw_store_open(argv[1], &error);
    if (!store) {
        fprintf(stderr, "make-runs: %s\n", error->message);
        return 1;
    }
    guint count = (guint)strtoul(argv[2], NULL, 10);
    for (guint n = 0; n < count; n++) {
        made_run(store, n);
        rw_pages_merge(store); // as a recording does
    }
    return 0;
}
