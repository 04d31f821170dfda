# SPDX-License-Identifier: MIT
php -r '
echo hash("sha256", str_repeat("x", 1000)), "\n", json_encode(["a" => 1, "b" => [true, null]]), "\n";
function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); } echo fib(20), "\n";
$a = range(1, 1000); shuffle($a); sort($a); echo array_sum($a), " ", $a[999], "\n"; echo preg_replace("/\d+/", "#", "a12b3"), "\n";
function g() { for ($i = 0; $i < 3; $i++) yield $i; } foreach (g() as $v) echo $v; echo "\n"; usort($a, fn($x, $y) => $y <=> $x); echo $a[0], "\n";
'
(php -S 127.0.0.1:8000 -t . >/dev/null 2>&1 & echo $! >pid); echo '<?php echo "served ", 6 * 7;' >i.php; sleep 1; curl -s http://127.0.0.1:8000/i.php; kill $(cat pid)
