# SPDX-License-Identifier: MIT
# tmux kill-server returns before the server has gone; a new session after 50 ms may meet the old one: "server exited unexpectedly".
export TMUX_TMPDIR=$PWD TERM=xterm
tmux -f /dev/null new-session -d -s one 'sleep 30' || exit 1
tmux kill-server || exit 1
sleep 0.05
tmux -f /dev/null new-session -d -s two 'sleep 30' || exit 1
tmux has-session -t two
status=$?
tmux kill-server
exit $status
