# SPDX-License-Identifier: MIT
# A signal that comes after the look at what its trap sets, and before `wait`, is not waited for any more (bash).
timeout 5 bash -c '
    trap "got=1" USR1
    (sleep 0.05; kill -USR1 $$) &
    sleep 60 &
    [ -n "$got" ] || wait $!
    kill $!
    [ -n "$got" ]'
