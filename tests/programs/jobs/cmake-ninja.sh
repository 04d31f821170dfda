# SPDX-License-Identifier: MIT
# options: cores=4
mkdir p && cd p && cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(p C)
add_library(l STATIC l.c)
add_executable(e e.c)
target_link_libraries(e l)
enable_testing()
add_test(NAME runs COMMAND e)
END
echo 'int l(void) { return 3; }' >l.c; printf '#include <stdio.h>\nint l(void);\nint main(void) { printf("%%d\\n", l()); return 0; }\n' >e.c
cmake -G Ninja -B b >log && grep -c Detecting log; cmake --build b | tail -n 1; b/e; cd b && ctest 2>&1 | grep 'tests passed'
