# SPDX-License-Identifier: MIT
cat >ask.sh <<'END'
printf 'name? '; read -r n; printf 'again? '; stty -echo; read -r p; stty echo; echo; echo "hello $n ${#p}"
END
expect -c 'log_user 0; set timeout 10; spawn sh ask.sh; expect "name? "; send "bob\r"; expect "again? "; send "secret\r"; expect -re "hello (\\w+) (\\d+)"; puts "$expect_out(1,string) $expect_out(2,string)"; expect eof; puts [lindex [wait] 3]
spawn cat; send "line\r"; expect "line\r\nline"; puts echoed; send "\004"; expect eof; puts ended'
