# SPDX-License-Identifier: MIT
seq 1 60000 >f; for c in gzip bzip2 xz zstd; do $c -k -c f >f.$c 2>/dev/null; $c -dc f.$c | cmp - f && echo "$c same"; done; xz -T4 -c f | xz -dc | sha256sum; zstd -19 -T3 -q -c f | zstd -dqc | sha256sum; tar -C / -cf - etc/passwd etc/group | xz | tar -xJOf - | sha256sum
