// SPDX-License-Identifier: MIT
//
// From a command line to something that can be run: guest, image, inputs.
#pragma once

#include "cli.h"
#include "rw-image.h"

// The guest's directory: $REWIND_GUEST_DIR, beside the program, where the build leaves it, where it is
// installed. NULL with an error that says how to get one.
char *setup_dup_guest_dir(GError **error);

typedef struct {
    RwGuest *guest;
    RwImage *image;
    char *root; // absolute
    RwInputs *inputs; // with the schedule of the options
    int use; // keeps gc away
    RwWindow window; // what the options say of it, number 0 too: where check perturbs
} Setup;

// For `run` and `check`: all of the options, checked.
gboolean setup_job(Cli *cli, Setup *ret, GError **error);
// The schedule that the options ask for; `ret_window` is that of --schedule and its window.
gboolean setup_schedule(Cli *cli, RwSchedule *ret, RwWindow *ret_window, GError **error);
void setup_clear(Setup *setup);

// For a recorded run: its guest and its image, or an error that says what is missing. *ret_image_path is
// owned.
gboolean setup_again(Cli *cli, const RwManifest *manifest, RwGuest **ret_guest, char **ret_image_path,
                     GError **error);

extern const char *const setup_strategies[];
// The same, and where the guest is.
typedef struct {
    RwGuest *guest;
    char *guest_dir, *image_path;
} SetupParts;

gboolean setup_parts(Cli *cli, const RwManifest *manifest, SetupParts *ret, GError **error);
void setup_parts_clear(SetupParts *parts);

extern const CliGroup setup_job_options; // --root, -e, …
extern const CliGroup setup_machine_options; // --seed, --mem, …
extern const CliGroup setup_schedule_options;
