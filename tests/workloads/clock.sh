# SPDX-License-Identifier: MIT
# Times as the shell sees them, over sleeps that cost nothing.
date --iso-8601=ns
sleep 1.5; date --iso-8601=ns
sleep 3600; date --iso-8601=ns
cat /proc/uptime
touch /tmp/now; stat -c '%y %z' /tmp/now
time sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done'
ps -eo pid,ppid,stat,time,etime,rss,vsz,comm
