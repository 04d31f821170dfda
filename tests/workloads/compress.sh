# SPDX-License-Identifier: MIT
# gzip, bzip2, xz, zstd: their output's bytes, and back again.
set -e
cd /tmp
cat /usr/bin/gzip /etc/passwd /usr/lib/os-release >in
seq 1 5000 >>in
for tool in 'gzip -n -6' 'gzip -n -9' 'bzip2 -9' 'xz -3 -T1' 'zstd -q -3 --single-thread' 'zstd -q -15 --single-thread'; do
    set -- $tool
    $tool -c <in >out
    echo "$tool: $(wc -c <out) $(sha256sum <out | cut -c 1-16)"
    $1 -d -c <out | cmp - in
done
tar cf in.tar --sort=name --mtime=@0 -C /usr/lib/python3.11 json && wc -c <in.tar
