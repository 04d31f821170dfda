// SPDX-License-Identifier: MIT
#pragma once

#include "setup.h"

#include "rw-import.h"

#define EPOCH_MAX 8000000000ull // about where the kernel's clock ends, with room for a long run

// FALSE for a choice that this build has not, with the reason.
gboolean setup_check_choices(Cli *cli, GError **error);
// The usual variables, over them the image's, over those the options'. home: of the image's user, or NULL.
gboolean setup_make_env(Cli *cli, const RwImageDefaults *defaults, const char *home, RwInputs *inputs,
                        GError **error);
gboolean setup_parse_user(const char *text, RwInputs *inputs, GError **error); // text NULL: as it is
RwImage *setup_make_image(Cli *cli, const char *root, GError **error);
// Whether the image has the directory and the program that the job wants.
gboolean setup_check_job(const RwImage *image, const RwInputs *inputs, GError **error);
