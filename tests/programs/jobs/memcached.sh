# SPDX-License-Identifier: MIT
(memcached -u root -d -l 127.0.0.1); sleep 1
printf 'set a 0 0 5\r\nhello\r\nset n 0 0 1\r\n5\r\nincr n 37\r\nget a n\r\ndelete a\r\nget a\r\nquit\r\n' | nc -q 1 127.0.0.1 11211; pkill memcached; echo done
