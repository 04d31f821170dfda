// SPDX-License-Identifier: MIT
#pragma once

#include "rui-application.h"

// Registers it below the application's path; the registration's id, 0 with an error.
guint desktop_offer_search(RuiApplication *application, GDBusConnection *connection, const char *path,
                           GError **error);
