# SPDX-License-Identifier: MIT
# head leaves when it has seen enough; if tee still writes SIGPIPE ends it, and its file is not complete.
seq 1 1500 | tee all | head -n 1 >first
[ "$(wc -l <all)" = 1500 ]
