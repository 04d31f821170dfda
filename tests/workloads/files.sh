# SPDX-License-Identifier: MIT
# Files on the root overlay, on /tmp and on /dev/shm: links, modes, sparse files, renames, big directories.
set -e
for place in /tmp /dev/shm /root; do
    cd $place
    mkdir files && cd files
    echo one >a && ln a b && ln -s a c && mkfifo d && cp -a a e
    chmod 4751 e && chown 12:34 e
    dd if=/dev/zero of=sparse bs=1 count=1 seek=1000000 2>/dev/null
    mkdir -p deep/er/and/deeper && echo x >deep/er/and/deeper/file
    mv deep/er deep/moved && mv a a-new && echo two >>b
    i=0; while [ $i -lt 300 ]; do : >many-$i; i=$((i + 1)); done
    find . -printf '%y %m %U %G %n %s %p %l\n' | grep -v ' \./many-2' | sed 's/^\(d [^ ]* [^ ]* [^ ]*\) [^ ]* [^ ]*/\1/' | sort -k 7
    find . -name 'many-*' | wc -l
    cat b a-new && stat -c %s sparse && cmp sparse sparse && du -k sparse | cut -f 1 >/dev/null
    (echo locked; flock 9; echo inside) 9>lock
    truncate -s 10 sparse && od -An -tx1 sparse
    rm -rf many-* && ls | wc -l
    cd .. && rm -rf files
done
# A file of the root filesystem: changed, deleted, made again.
echo extra >>/etc/passwd && tail -n 1 /etc/passwd && rm /etc/hostname && ls /etc/hostname 2>&1 || true
mkdir /etc/hostname && rmdir /etc/hostname && mv /etc/group /etc/group2 && head -n 1 /etc/group2
mv /usr/share/perl5 /usr/share/perl5-moved 2>&1 && ls -d /usr/share/perl5*
