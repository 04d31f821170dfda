// SPDX-License-Identifier: MIT
#pragma once

#include "rw-job.h"

// The usual variables, over them the image's, over those the request's. home: of the image's user, or NULL.
bool rw_job_make_env(const RwJobRequest *request, const RwImageDefaults *defaults, const char *home,
                     RwInputs *inputs, GError **error);
bool rw_job_parse_user(const char *text, RwInputs *inputs, GError **error); // text NULL: as it is
// Finds the image of a root in the store, or makes it.
RwImage *rw_job_make_image(const RwContext *context, const char *root, GError **error);
// Whether the image has the directory and the program that the job wants.
bool rw_job_check(const RwImage *image, const RwInputs *inputs, GError **error);
