# SPDX-License-Identifier: MIT
# du has read a name, and the file is gone when it asks for its size: status 1.
mkdir d
for i in 1 2 3 4 5 6; do echo $i >d/$i; done
du -a d >sizes & counter=$!
rm -f d/2 d/5
wait $counter
