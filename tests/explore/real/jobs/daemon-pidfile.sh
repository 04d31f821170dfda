# SPDX-License-Identifier: MIT
# start-stop-daemon --background returns before the file with the process id is there.
start-stop-daemon --start --quiet --background --make-pidfile --pidfile "$PWD/pid" --exec /bin/sleep -- 30
sleep 0.02
kill "$(cat pid)"
