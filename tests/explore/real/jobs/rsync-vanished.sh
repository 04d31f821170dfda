# SPDX-License-Identifier: MIT
# A file is on rsync's list and gone when it is sent: status 24.
mkdir from
for i in 1 2 3 4; do seq 1 100 >from/$i; done
rsync -a from/ to/ & copier=$!
sleep 0.02
rm -f from/3
wait $copier
