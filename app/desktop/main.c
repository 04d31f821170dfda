// SPDX-License-Identifier: MIT
//
// rewind-app [RUN|FILE.rwd|URL], or rewind-app --batch COMMAND …: any command of rewind, with neither a
// display nor GTK's initialisation.
#include "rui-application.h"

#include "cli.h"
#include "settings.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <signal.h>

static int run_app(int argc, char **argv)
{
    g_autofree char *locales = desktop_dup_locales();
    setlocale(LC_ALL, "");
    signal(SIGXFSZ, SIG_IGN); // as in cli_main()
    bindtextdomain(GETTEXT_PACKAGE, locales);
    bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
    textdomain(GETTEXT_PACKAGE);
    g_autoptr(RuiApplication) application = rui_application_new();
    return g_application_run(G_APPLICATION(application), argc, argv);
}

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--batch"))
        return run_app(argc, argv);
    setlocale(LC_CTYPE, "");
    return cli_main(argc - 1, argv + 1);
}
