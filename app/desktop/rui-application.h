// SPDX-License-Identifier: MIT
//
// The app: one instance a desktop session, a window a run.
#pragma once

#include <adwaita.h>

#include "rui-window.h"

G_BEGIN_DECLS

#define RUI_TYPE_APPLICATION (rui_application_get_type())
G_DECLARE_FINAL_TYPE(RuiApplication, rui_application, RUI, APPLICATION, AdwApplication)

RuiApplication *rui_application_new(void);
RwSession *rui_application_get_session(RuiApplication *application); // NULL before it has started up
// A window that shows a run: the one that has it, an empty one, or a new one.
RuiWindow *rui_application_open(RuiApplication *application, const char *run, const char *compare,
                                guint64 step);

G_END_DECLS
