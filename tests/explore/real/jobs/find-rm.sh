# SPDX-License-Identifier: MIT
# find has read a name, and the file is gone when it asks for its size: status 1.
mkdir d
for i in 1 2 3 4 5 6; do echo $i >d/$i; done
find d -type f -size -9 -print >found & finder=$!
rm -f d/3 d/4
wait $finder
