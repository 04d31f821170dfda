# SPDX-License-Identifier: MIT
# tar says "file changed as we read it", status 1.
mkdir d
seq 1 200 >d/log
tar -cf archive.tar d & archiver=$!
echo more >>d/log
wait $archiver
