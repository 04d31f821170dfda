#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Prints what this build can do, a feature a line.
set -eu

for feature in threads sockets files; do
    echo "$feature: yes" # side: held
done
for size in 8 16 32 64; do
    echo "int$size: yes" # side: held
done
echo "end" # side: held
