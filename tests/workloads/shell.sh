#!/bin/bash
# SPDX-License-Identifier: MIT
# bash: pipelines, background jobs with wait, traps, arrays, process substitution, here documents, functions.
cd /tmp
for i in 1 2 3 4 5; do
    (sleep 0.0$((6 - i)); exit $i) &
    pids[i]=$!
done
for i in 5 4 3 2 1; do
    wait ${pids[i]}
    echo "job $i ended with $?"
done
seq 1 1000 | grep 7 | sed 's/7/x/g' | sort -r | head -n 3
false | true | (exit 3); echo "${PIPESTATUS[@]}"
trap 'echo got USR1' USR1
kill -USR1 $$
trap 'echo leaving' EXIT
diff <(seq 1 5) <(seq 1 6)
declare -A table=([one]=1 [two]=2 [three]=3)
for key in one two three; do echo -n "$key=${table[$key]} "; done; echo
fib() { [ $1 -lt 2 ] && echo $1 || echo $(($(fib $(($1 - 1))) + $(fib $(($1 - 2))))); }
fib 7
mapfile -t lines < <(printf 'a b\nc d\n'); echo "${#lines[@]} ${lines[1]}"
cat <<END | tr a-z A-Z
here is ${table[two]} $((1 << 40)) ${lines[0]//b/B}
END
[[ rewind-42 =~ ([a-z]+)-([0-9]+) ]] && echo "${BASH_REMATCH[2]} ${BASH_REMATCH[1]}"
coproc cat; echo through >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; echo "$line"
exec {COPROC[1]}>&-
wait
sum=0; for ((i = 0; i < 20000; i++)); do ((sum += i * i % 7)); done; echo $sum
