#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every feature that the product promises is there. A failure anywhere in a pipeline counts.
set -u -o pipefail
cd "$(dirname "$0")" || exit 2

failures=0
for feature in threads sockets; do
    if ./features.sh | grep -q "^$feature: yes$"; then # side: passes
        echo "ok: $feature"
    else
        echo "NOT OK: $feature (status ${PIPESTATUS[*]})"
        failures=$((failures + 1))
    fi
done
echo "$failures features are missing"
[ $failures -eq 0 ]
