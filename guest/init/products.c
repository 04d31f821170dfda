// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>

#include "init.h"

static void report(const char *path)
{
    struct rewind_product product = {0};
    int error = nar_hash(path, product.sha256);

    if (!error)
        product.state = REWIND_PRODUCT_PRESENT;
    else if (error == ENOENT || error == ENOTDIR)
        product.state = REWIND_PRODUCT_ABSENT;
    else
        product.state = REWIND_PRODUCT_UNREADABLE;
    if (error)
        memset(product.sha256, 0, sizeof(product.sha256));
    platform_product(&product, path);
}

void products_report(const struct job *job)
{
    for (char **path = job->outputs; *path; path++)
        report(*path);
}
