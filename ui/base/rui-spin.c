// SPDX-License-Identifier: MIT
#include "rui-spin.h"

void rui_spin_in_sight(GtkSpinner *spinner)
{
    g_signal_connect(spinner, "map", G_CALLBACK(gtk_spinner_start), NULL);
    g_signal_connect(spinner, "unmap", G_CALLBACK(gtk_spinner_stop), NULL);
}
