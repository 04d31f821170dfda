# SPDX-License-Identifier: MIT
mkdir -p /run/sshd /root/.ssh k; ssh-keygen -q -t ed25519 -N '' -f k/host; ssh-keygen -q -t ed25519 -N '' -f k/user; cp k/user.pub /root/.ssh/authorized_keys; chmod 700 /root /root/.ssh
/usr/sbin/sshd -p 2222 -h "$PWD/k/host" -o UsePAM=no -o StrictModes=no -o PidFile="$PWD/pid" -E log; sleep 0.5
s() { ssh -q -p 2222 -i k/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "$@"; }
s root@127.0.0.1 'echo remote; exit 3'; echo $?; seq 1 20000 | s root@127.0.0.1 'sort -rn | head -2'; s -tt root@127.0.0.1 'tty >/dev/null && stty size | wc -w' </dev/null | tr -d '\r'
seq 1 30000 >f; scp -q -P 2222 -i k/user -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null f root@127.0.0.1:/tmp/g; cmp f /tmp/g && echo copied; kill "$(cat pid)"; echo done
