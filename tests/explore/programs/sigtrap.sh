#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Kind: a variable that a trap sets is looked at, and then waited for.
# Holds: the shell between both until the signal was sent: one. Hangs.
trap 'told=yes' USR1
(
    sleep 0.02
    kill -USR1 $$
) &
sleep 20 &
[ -n "$told" ] || wait $!
kill $!
[ -n "$told" ]
