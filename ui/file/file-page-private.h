// SPDX-License-Identifier: MIT
#pragma once

#include "rui-file-page.h"
#include "rui-file-tree.h"
#include "rui-find-bar.h"
#include "rui-hex-model.h"
#include "rui-request.h"
#include "rui-text-fill.h"
#include "rui-virtual-list.h"
#include "rw-session-files.h"

#include <adwaita.h>
#include <gtksourceview/gtksource.h>

// What a page is asked for.
typedef struct {
    RwSessionRun *run; // borrowed
    guint64 step;
    const char *path;
    gsize max; // bytes
    RwSessionRun *other; // that it is compared with there, or NULL
    guint64 other_step;
} FileQuestion;

struct _RuiFilePage {
    GtkBox parent_instance;
    // template
    AdwFlap *flap;
    RuiFileTree *tree;
    GtkEntry *path;
    GtkSpinner *spinner;
    GtkStack *stack;
    AdwStatusPage *problem, *absent, *note;
    GtkWidget *absent_go;
    GtkSourceView *text;
    RuiFindBar *find;
    RuiVirtualList *hex, *folder;
    GtkWidget *more;
    GtkLabel *more_text;
    GtkWidget *bar, *writes;
    GtkLabel *write, *size;
    GtkToggleButton *both;
    // owned
    RuiView *view;
    RuiHexModel *bytes; // that the hex dump shows
    RuiTextFill *fill; // of the text, or NULL
    GListStore *rows; // of the folder
    gsize length; // of what is shown of the file
    gsize max; // as much of it is asked for
    gboolean partial; // the file goes on
    guint place; // the line or row that was the first in sight, to be gone back to when there is more; or 0
    RuiRequest *request;
    guint settle; // source id
    FileQuestion asked; // what is shown; owns what it names
    GtkNativeDialog *chooser;
};

// file-page-show.c
void file_page_show_state(RuiFilePage *page, const char *state);
void file_page_show_content(RuiFilePage *page, RwFileContent *content);
void file_page_show_diff(RuiFilePage *page, RwFileDiff *diff);
void file_page_show_error(RuiFilePage *page, const GError *error);
guint file_page_get_first(RuiFilePage *page); // the line or row that is the first in sight

// file-page-writes.c: where the file was changed, before and after the playhead.
void file_page_update_writes(RuiFilePage *page);
void file_page_go_to_write(GtkWidget *widget, const char *action, GVariant *parameter);

// file-page-save.c
void file_page_save(GtkWidget *widget, const char *action, GVariant *parameter);
