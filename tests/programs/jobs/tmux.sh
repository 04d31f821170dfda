# SPDX-License-Identifier: MIT
export TERM=screen LC_ALL=C.UTF-8; tmux -L t new-session -d -x 60 -y 10 'PS1="> " exec sh'; sleep 1
tmux -L t send-keys 'echo $((6 * 7)); seq 1 3' Enter; sleep 1; tmux -L t split-window -h 'echo right; sleep 100'; sleep 1
tmux -L t capture-pane -p -t 0 | head -6; tmux -L t capture-pane -p -t 1 | head -1; tmux -L t list-panes -F '#{pane_width}x#{pane_height}'; tmux -L t kill-server
