#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: display.sh COMMAND [ARG...]
#
# A display that nobody sees, for COMMAND. The server keeps what it has when its last client goes: one that resets itself then turns
# away whoever connects meanwhile.
exec xvfb-run -a -s '-screen 0 1600x1000x24 -noreset' "$@"
