# SPDX-License-Identifier: MIT
tclsh <<'END'
proc fib n { expr {$n < 2 ? $n : [fib [expr {$n - 1}]] + [fib [expr {$n - 2}]]} }
puts [fib 18]; puts [lsort -integer {3 10 2}]; puts [string map {a 1 b 2} abcab]
set s [socket -server {apply {{c a p} {puts $c [string toupper [gets $c]]; close $c}}} -myaddr 127.0.0.1 0]
set port [lindex [fconfigure $s -sockname] 2]
set c [socket 127.0.0.1 $port]; fconfigure $c -buffering line; puts $c hello; fileevent $c readable {puts [gets $c]; set done 1}
after 5000 {set done 0}; vwait done; puts $done; dict for {k v} [dict create a 1 b 2] { puts $k=$v }
END
