# SPDX-License-Identifier: MIT
mkdir p && cd p && printf 'AC_INIT([p], [1.0])\nAM_INIT_AUTOMAKE([foreign subdir-objects])\nAC_PROG_CC\nAC_CHECK_FUNCS([strlcpy memmove])\nAC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n' >configure.ac
printf 'bin_PROGRAMS = e\ne_SOURCES = e.c\nTESTS = t.sh\n' >Makefile.am; printf '#!/bin/sh\n./e\n' >t.sh; chmod +x t.sh
echo 'int main(void) { return 0; }' >e.c
autoreconf -i >log 2>&1; ./configure >log && grep -E 'memmove|strlcpy' log; make >log && make check 2>&1 | grep -E '^# (TOTAL|PASS|FAIL)'
