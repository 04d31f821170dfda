# SPDX-License-Identifier: MIT
cat >a.c <<'END'
#include <stdio.h>
#include <string.h>
struct s { int n; const char *t; };
static int add(int a, int b) { int c = a + b; return c; }
int main(void) { struct s s = {1, "text"}; for (int i = 0; i < 5; i++) s.n = add(s.n, i); printf("%d\n", s.n); char *p = NULL; return *p; }
END
gcc -g -O0 a.c -o a && gdb -q -batch -ex 'set debuginfod enabled off' -ex 'break add if b == 3' -ex run -ex 'print a' -ex bt -ex finish -ex 'watch s.n' -ex continue -ex 'print s' -ex delete -ex continue -ex 'print $_siginfo.si_signo' ./a 2>&1 | grep -vE 'libthread_db|warning: Error disabling|0x[0-9a-f]{6}'
