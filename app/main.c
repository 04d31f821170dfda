// SPDX-License-Identifier: MIT
#include "cli.h"

#include <locale.h>

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    return cli_main(argc, argv);
}
