#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: session.sh COMMAND [ARG...], within xvfb-run
#
# A session bus for COMMAND. What the bus and what it starts say goes to standard error, so that standard output has
# COMMAND's alone.
exec 3>&1 >&2
# A server that has just begun where another has just ended may not answer at once.
n=0
until xdotool getdisplaygeometry >/dev/null 2>&1 || [ $n -ge 50 ]; do
    sleep 0.1
    n=$((n + 1))
done
exec dbus-run-session -- sh -c 'exec "$@" >&3 3>&-' session "$@"
