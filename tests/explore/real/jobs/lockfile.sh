# SPDX-License-Identifier: MIT
# A lock file that is looked for and then made: two have it, and a count is lost.
echo 0 >count
work() {
    for i in 1 2 3; do
        while [ -e lock ]; do sleep 0.01; done
        echo $$ >lock
        read -r n <count
        echo $((n + 1)) >count
        rm -f lock
    done
}
work & work &
wait
[ "$(cat count)" = 6 ]
