# SPDX-License-Identifier: MIT
# A scratch repository: commits with fixed dates, a merge, a rebase, log, blame, gc, fsck, a clone.
set -e
cd /tmp
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org
export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000001 +0000' GIT_CONFIG_NOSYSTEM=1
git init -q -b main repo && cd repo
for i in 1 2 3 4 5; do
    seq 1 $((i * 10)) >numbers && echo "line $i" >>log && git add . && git commit -q -m "commit $i"
done
git checkout -q -b side HEAD~2 && echo side >side && git add side && git commit -q -m side
git checkout -q main && git merge -q -m merge side
git log --graph --format='%h %p %s %ad' --date=iso
git diff --stat HEAD~3 && git blame -s numbers | tail -n 2 && git show --stat --format=%T HEAD
git rev-parse HEAD HEAD^{tree} && git ls-files -s
git gc -q && git fsck --full 2>&1 && git count-objects -v | grep -E 'count|in-pack|packs'
git clone -q . ../clone && git -C ../clone rev-parse HEAD && git -C ../clone status --short --branch
git checkout -q side && git rebase -q main~1 2>&1 && git log -1 --format=%H
git stash list && git tag -a -m tag v1 && git describe
