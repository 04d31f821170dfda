# SPDX-License-Identifier: MIT
# options: cores=4 timeout=1500
cp -r /usr/src/programs/zlib-* z && cd z && ./configure >/dev/null && make -j4 >/dev/null 2>&1 && make -j4 check 2>&1 | grep -E 'test OK|FAILED' | sort
seq 1 100000 | ./minigzip | ./minigzip -d | sha256sum
