# SPDX-License-Identifier: MIT
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z' GIT_CONFIG_GLOBAL=/dev/null
git init -q -b main r && cd r && git config user.name A && git config user.email a@b
for i in 1 2 3 4 5 6 7 8; do echo "line $i" >>f; git add f; git commit -qm "c$i"; done
git checkout -qb side HEAD~3 && echo side >s && git add s && git commit -qm side && git checkout -q main && git merge -q --no-edit side
git log --oneline --graph | cat; git fsck 2>&1 | tail -1; git gc -q; git count-objects -v | grep in-pack
git clone -q . ../c && cd ../c && git log -1 --format=%H && git blame -s f | tail -2 && git diff HEAD~1 --stat && git bisect start -q HEAD HEAD~6 2>&1 | tail -1
