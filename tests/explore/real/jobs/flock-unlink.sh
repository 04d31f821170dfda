# SPDX-License-Identifier: MIT
# A lock file is removed when its lock is given up. Who had it open gets the lock of a file that is gone, and another one that
# of a new file: a count is lost.
echo 0 >count
work() {
    exec 9>lock
    flock 9
    read -r n <count
    echo $((n + 1)) >count
    rm -f lock
}
(work) & (work) & (work) &
wait
[ "$(cat count)" = 3 ]
