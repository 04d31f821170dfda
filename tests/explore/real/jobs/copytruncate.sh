# SPDX-License-Identifier: MIT
# What is written after logrotate has copied the log and before it truncates it is lost.
cat >rotate.conf <<EOF
$PWD/log {
    copytruncate
    rotate 2
}
EOF
chmod 644 rotate.conf
write() { for i in 1 2 3 4 5 6 7 8; do echo "line $i"; done >>log; }
echo "line 0" >log
write & writer=$!
logrotate -f -s "$PWD/state" rotate.conf || exit 1
wait $writer
[ "$(cat log log.1 | wc -l)" = 9 ]
