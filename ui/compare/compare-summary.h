// SPDX-License-Identifier: MIT
#pragma once

#include "rw-session-comparison.h"

// Where two runs part, and what their schedules do there, in sentences; owned.
char *compare_dup_summary(RwSessionComparison *comparison);
