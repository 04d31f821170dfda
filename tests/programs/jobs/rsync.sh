# SPDX-License-Identifier: MIT
mkdir -p a/x && seq 1 5000 >a/f && echo one >a/x/g && ln -s f a/l; rsync -a a/ b/ && diff -r a b && echo same; seq 2 5000 >a/f; rm a/x/g; rsync -ai --delete a/ b/ | cut -c1-2,13- | sort
printf '[m]\npath = %s/a\nread only = no\nuid = root\nuse chroot = no\n' "$PWD" >r.conf; rsync --daemon --config=r.conf --port=8730 --address=127.0.0.1; sleep 0.5; rsync -a rsync://127.0.0.1:8730/m/ c/ && diff -r a c && echo served; pkill rsync; true
