# SPDX-License-Identifier: MIT
# A process is looked for by the name of a program that it may not execute yet.
sleep 30 & sleeper=$!
sleep 0.02 # the program needs time to start
pgrep -f '^sleep 30$' >found
status=$?
kill $sleeper
exit $status
