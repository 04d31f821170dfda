# SPDX-License-Identifier: MIT
#
# Namespaces: a root of one's own, process numbers from 1, another name of the host, mounts that others do not see,
# clocks that are set off, a network that is nothing but a loopback; nested, and entered from outside.
set -eu
cd /tmp
unshare --user --map-root-user --pid --fork --mount --uts --ipc --net --time --boottime 1000000 sh -eu <<'END'
mount -t proc proc /proc
echo "root of its own: $(id -u), first process: $$"
hostname inside
echo "host: $(hostname)"
test "$(cut -d. -f1 /proc/uptime)" -ge 1000000 && echo "up for long"
echo "processes: $(ls /proc | grep -c '^[0-9]')"
echo "networks: $(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ' | tr '\n' ' ')"
mkdir -p lower upper work all lower/etc
echo below >lower/file
mount -t tmpfs none upper
mkdir upper/up upper/work
mount -t overlay -o lowerdir=lower,upperdir=upper/up,workdir=upper/work none all
echo above >all/file
rm -r all/etc
echo "layers: $(cat lower/file) $(cat all/file) $(ls all)"
mount --bind all lower
mount -o remount,bind,ro lower
touch lower/file 2>/dev/null || echo "read only"
unshare --pid --fork --mount-proc sh -c 'echo "deeper: $$ of $(ls /proc | grep -c "^[0-9]")"; sleep 1000 & sleep 0.1'
echo "and gone: $(pgrep -c sleep || true)"
END
echo "outside: $(hostname) $(ls lower 2>/dev/null)"
unshare --uts --fork sh -c 'hostname entered; echo $$ >where; while [ -e where ]; do sleep 0.05; done' &
while [ ! -s where ]; do sleep 0.02; done
echo "from outside: $(nsenter --uts -t "$(cat where)" hostname)"
rm where
wait
unshare --mount --root=/ --propagation private sh -c 'mount -t tmpfs none /mnt; touch /mnt/mine; ls /mnt'
echo "not seen: $(ls /mnt | wc -l)"
