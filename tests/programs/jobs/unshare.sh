# SPDX-License-Identifier: MIT
unshare -Urm sh -c 'id -u; mount -t tmpfs t /mnt && echo in >/mnt/f && cat /mnt/f'; ls /mnt | wc -l; unshare -fp --mount-proc sh -c 'ps -e -o pid=,comm= | sed "s/^ *//"'
unshare -n sh -c 'ip -o link | wc -l'; unshare -u sh -c 'echo other >/proc/sys/kernel/hostname; uname -n'; uname -n | wc -w; unshare -T --boottime 100 true && echo time
