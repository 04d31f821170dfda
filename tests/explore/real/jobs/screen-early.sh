# SPDX-License-Identifier: MIT
# screen -dm returns before its session can be found: "No screen session found".
mkdir -p -m 700 sockets
export SCREENDIR=$PWD/sockets
screen -dmS job sleep 30
sleep 0.05
screen -S job -X quit >/dev/null
