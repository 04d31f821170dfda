// SPDX-License-Identifier: MIT
#pragma once

#include "rw-debuginfo.h"

#include <stdbool.h>

#define RW_DEBUGINFO_MAX (256u << 20) // bytes of a file

// ---- Servers (servers.c) ----

typedef struct _RwServers RwServers;
// By libdebuginfod, which need not be there. Nothing is loaded before the first question.
RwServers *rw_servers_new(GCancellable *cancellable);
void rw_servers_free(RwServers *servers);
// The path of the file in the library's cache, owned; NULL: nobody has it. After a failure of the network
// nobody is asked any more.
char *rw_servers_dup_path(RwServers *servers, const char *build_id);
// Why nobody is asked, or NULL.
const char *rw_servers_get_failure(const RwServers *servers);
