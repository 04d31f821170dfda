# SPDX-License-Identifier: MIT
# The commands that xargs -P runs write to the same pipe: a line that is made by two writes is torn.
seq 1 4 | xargs -P 4 -I{} sh -c 'printf "begin {} "; echo "end {}"' | awk '!/^begin . end .$/ { wrong++ } END { exit wrong > 0 }'
