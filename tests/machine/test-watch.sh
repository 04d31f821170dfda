#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test-watch on the guest. The processes that it ends leave no cores.
set -eu
ulimit -c 0
exec "$TEST_WATCH" "$REWIND_GUEST_DIR"
