#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The server greets a client.
set -u
cd "$(dirname "$0")" || exit 2

rm -f greeter.socket
./greeter serve & # side: held
# Give it time to start.
sleep 0.1 # side: passes
./greeter ask # side: passes
status=$?
kill $!
exit $status
