# SPDX-License-Identifier: MIT
cat >c.y <<'END'
%{
#include <ctype.h>
#include <stdio.h>
int yylex(void); void yyerror(const char *s) { printf("%s\n", s); }
%}
%token NUM
%left '+' '-'
%left '*' '/'
%%
lines: | lines line; line: '\n' | e '\n' { printf("%d\n", $1); } | error '\n' { yyerrok; };
e: NUM | e '+' e { $$ = $1 + $3; } | e '-' e { $$ = $1 - $3; } | e '*' e { $$ = $1 * $3; } | '(' e ')' { $$ = $2; };
%%
int yylex(void) { int c; while ((c = getchar()) == ' ') ; if (isdigit(c)) { ungetc(c, stdin); scanf("%d", &yylval); return NUM; } return c == EOF ? 0 : c; }
int main(void) { return yyparse(); }
END
bison c.y && gcc -w c.tab.c -o c && printf '1 + 2 * 3\n(4 - 6) * 5\n1 +\n7\n' | ./c
