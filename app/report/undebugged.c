// SPDX-License-Identifier: MIT
#include "undebugged.h"

#include "rw-place-parts.h"
#include "setup.h"

#define TOLD_MAX 8u // files

void undebugged_warn(const RwSymbol *symbol, const RwSymbols *symbols, GHashTable *told)
{
    const RwSymbolsElsewhere *elsewhere = rw_symbols_get_elsewhere(symbols);
    if (!symbol->undebugged || !symbol->path || !elsewhere || g_hash_table_size(told) >= TOLD_MAX ||
        !g_hash_table_add(told, g_strdup(symbol->path)))
        return;
    g_autofree char *path = rw_without_controls(g_strdup(symbol->path)),
                    *advice = elsewhere->dup_advice(elsewhere->data);
    g_autofree char *text =
        *symbol->undebugged
            ? g_strdup_printf("no debug information for %s (build id %s): %s", path, symbol->undebugged,
                              advice)
            : g_strdup_printf("no debug information for %s, which has no build id: compile it with -g",
                              path);
    cli_warn(text, NULL);
}
