# SPDX-License-Identifier: MIT
# options: cores=4
mkdir p && cd p && printf "project('p', 'c')\ne = executable('e', 'e.c')\ntest('runs', e)\ntest('fails', e, args: 'x', should_fail: true)\n" >meson.build
printf 'int main(int n, char **v) { return n - 1; }\n' >e.c
meson setup b >log 2>&1; grep -E '^(Project name|Build targets)' log; ninja -C b | tail -n 1; meson test -C b 2>&1 | grep -E '^(Ok|Fail|Expected Fail):'
