# SPDX-License-Identifier: MIT
# Two processes move a branch, for which git waits for 100 ms: "cannot lock ref".
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
git init -q -b main .
git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
git update-ref refs/heads/side main & first=$!
git update-ref refs/heads/side main & second=$!
status=0
wait $first || status=1
wait $second || status=1
exit $status
