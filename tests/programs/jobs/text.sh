# SPDX-License-Identifier: MIT
seq 1 20000 | gawk '{ n[$1 % 7] += $1 } END { for (i = 0; i < 7; i++) print i, n[i] }'; seq 1 300 | sed -n '/9$/{s/^/x/;p}' | tail -2; printf 'a b\nc d\n' | sed -E 's/(.) (.)/\2 \1/'; grep -rhoE 'root[^:]*' /etc/passwd | head -2
printf 'define(f, `$1 and $2'"'"')f(x, y)\n' | m4; echo 'scale=50; a(1)*4' | bc -l; printf '1 2\n3 4\n' >x; printf '1 2\n3 5\n' >y; diff -u --label x --label y x y; diff x y >d; patch -s x d && cmp x y && echo patched
printf '%%{\n%%}\n%%%%\n[0-9]+ { printf("<%%s>", yytext); }\n%%%%\nint main(void) { return yylex(); }\nint yywrap(void) { return 1; }\n' >l.l && flex -o l.c l.l && gcc l.c -o l && echo 'a12b3' | ./l
