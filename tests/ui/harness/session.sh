#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: session.sh COMMAND [ARG...], within display.sh
#
# A session bus for COMMAND. What the bus and what it starts say goes to standard error, so that standard output has
# COMMAND's alone.
exec 3>&1 >&2
exec dbus-run-session -- sh -c 'exec "$@" >&3 3>&-' session "$@"
