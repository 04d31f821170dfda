// SPDX-License-Identifier: MIT
//
// The web server with moods of tests/app ($REWIND_SERVER), for one file.
#pragma once

#include <gio/gio.h>

typedef struct {
    GSubprocess *process;
    char *dir; // where its certificate is
    char *secure; // https://localhost:PORT
} Server;

void server_start(Server *server, const char *file);
void server_stop(Server *server);
// Whether this process takes its certificate for one that can be trusted.
void server_trust(const Server *server, gboolean trust);
