// SPDX-License-Identifier: MIT
//
// What is wrong with what somebody types into the form, as far as its text alone tells. The words are for
// the caller to free; NULL: nothing is wrong.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

char *record_check_command(const char *text);
char *record_check_env(const char *text);
char *record_check_cwd(const char *text);
char *record_check_number(GtkSpinButton *spin); // what stands in it, not what it takes it for

G_END_DECLS
