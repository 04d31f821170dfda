# SPDX-License-Identifier: MIT
bash <<'END'
declare -A n
for w in one two three two one two; do n[$w]=$((${n[$w]:-0} + 1)); done
for w in $(printf '%s\n' "${!n[@]}" | sort); do echo "$w ${n[$w]}"; done
fib() { local a=0 b=1 i; for ((i = 0; i < $1; i++)); do ((b += a, a = b - a)); done; echo $a; }
fib 90
coproc cat; echo through >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; echo "$line"; eval "exec ${COPROC[1]}>&-"
trap 'echo caught' USR1; kill -USR1 $$
for i in 1 2 3 4 5; do (sleep 0.0$i; exit $i) & done
wait; echo done
mapfile -t lines < <(seq 1 1000); echo "${#lines[@]} ${lines[999]}"
[[ abc-123 =~ ([a-z]+)-([0-9]+) ]] && echo "${BASH_REMATCH[2]}"
END
