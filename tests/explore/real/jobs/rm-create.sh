# SPDX-License-Identifier: MIT
# A file is made in a directory that rm -rf has read: "Directory not empty".
mkdir -p d/sub
for i in 1 2 3 4; do : >d/sub/$i; done
(for i in 5 6 7 8; do : >d/sub/$i || exit 0; done) 2>/dev/null &
rm -rf d
status=$?
wait
exit $status
