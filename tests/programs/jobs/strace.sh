# SPDX-License-Identifier: MIT
echo hello >f; strace -o o -e trace=openat,read,write,close cat f; grep -c . o; grep -E '"f"|hello' o | sed 's/, 131072/, N/'
strace -f -c -o c sh -c 'true | true; sleep 0.01' && grep -cE ' (clone|vfork|execve|wait4)$' c
strace -e inject=openat:error=EACCES:when=3 cat f 2>&1 | grep -c INJECTED
