# SPDX-License-Identifier: MIT
# Two `git add` at once: "Unable to create .git/index.lock: File exists".
git init -q -b main .
echo 1 >a
echo 2 >b
git add a & first=$!
git add b & second=$!
status=0
wait $first || status=1
wait $second || status=1
exit $status
