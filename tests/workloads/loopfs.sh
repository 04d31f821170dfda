# SPDX-License-Identifier: MIT
#
# A file system on a file: ext4 with its journal and the threads that write back in their own time, filled, synced, torn
# off, checked, grown.
set -eu
cd /tmp
truncate -s 24M disk
export E2FSPROGS_FAKE_TIME=1700000000
mke2fs -q -t ext4 -U 00000000-0000-0000-0000-000000000001 -E hash_seed=00000000-0000-0000-0000-000000000002 disk
mkdir -p there
mount -o loop,commit=1 disk there
mkdir there/many
for i in 1 2 3 4 5 6 7 8 9; do
    seq "$i" 4000 >"there/many/$i"
    [ $((i % 3)) -ne 0 ] || sync
done
(cd there/many && for i in 1 2 3; do mv "$i" "moved-$i" & done; wait)
sleep 3 # the journal is committed, and pages are written back
ln there/many/4 there/link
dd if=/dev/zero of=there/fill bs=64k 2>/dev/null || echo "full: $(df --output=pcent there | tail -n 1)"
rm there/fill
sha256sum there/many/* | sha256sum
cp disk torn # as if the power had gone
sync
umount there
e2fsck -fp disk >/dev/null 2>&1
echo "checked: $?"
e2fsck -fy torn >/dev/null 2>&1 || echo "torn: mended"
mount -o loop torn there
sha256sum there/many/* | sha256sum
umount there
truncate -s 40M disk
resize2fs disk >/dev/null 2>&1
mount -o loop disk there
df --output=size there | tail -n 1
rm -r there/many
umount there
