// SPDX-License-Identifier: MIT
//
// Text in the man(7) macros.
#pragma once

#include "cli.h"

G_BEGIN_DECLS

// Prints text with everything that roff would take for itself escaped; what is in backticks comes out bold.
void man_print_text(const char *text);
// NULL-ended.
void man_print_paragraphs(char **paragraphs);
// A definition: the term bold.
void man_print_item(const char *term, const char *text);
void man_print_section(const char *title);
// The page's first lines: its title, and the section NAME.
void man_print_head(const char *page, const char *summary);

void man_print_program(void);
void man_print_command(const CliCommand *command);

G_END_DECLS
